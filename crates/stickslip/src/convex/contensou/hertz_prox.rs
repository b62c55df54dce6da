//! The prox onto the Hertz plate for ordinary points, tuned: a good guess and a few steps of third
//! and fourth order instead of a bracketed search. The closed form needs fewer operations than the table of `fast.rs`.
//!
//! What is unusual (points inside, extreme magnitudes, steps that have not settled) is left
//! to [`Plate::nearest`](super::boundary::Plate::nearest), which cannot fail; so this needs no safeguard of its own.

use super::hertz::{KAPPA, high_from, remainder};

/// Interpolants of b_T and b_τ/w for u ≥ 1 in powers of w², good to 1e-5: only for the guess.
const FORCE: [f64; 7] = [
    0.9999987024,
    -0.09987388106,
    -0.01264753819,
    0.007679441935,
    -0.02752460475,
    0.02954255917,
    -0.0135912594,
];
const TORQUE: [f64; 7] = [
    0.2000010757,
    0.01418117317,
    0.005172635849,
    -0.007458570047,
    0.02236049944,
    -0.02438024213,
    0.01100729965,
];

/// A step of Halley's method for f = 0, given f, f′, f″; it converges with the third power.
#[inline(always)]
fn halley(f: f64, d1: f64, d2: f64) -> f64 {
    -f * d1 / (d1 * d1 - 0.5 * f * d2)
}

/// A step of Householder's method of fourth order, given also f‴.
#[inline(always)]
fn householder(f: f64, d1: f64, d2: f64, d3: f64) -> f64 {
    let square = d1 * d1;
    let product = f * d2;
    -f * (square - 0.5 * product) / (d1 * (square - product) + f * f * d3 * (1.0 / 6.0))
}

/// Replaces x by its nearest point and returns true, or returns false and leaves x alone.
#[inline]
pub(super) fn prox(a: f64, m: f64, x: &mut [f64]) -> bool {
    let square = x[0] * x[0] + x[1] * x[1];
    let torque = x[2].abs();
    let size = square + torque * torque;
    let moderate = size < 1e100 && m > 1e-40 && m < 1e40 && a > 1e-10 && a < 1e10;
    if !(moderate && square > 1e-100 && torque > 1e-50) {
        return false;
    }
    let force = square.sqrt();
    let a2 = a * a;
    let m_a2 = m * a2;
    // Residual at u = 1, where b_T = 9π/32 and b_τ = 9π/128.
    let at_one = force - a * torque - m * (12.0 * KAPPA) + m_a2 * (3.0 * KAPPA);
    if at_one <= 0.0 { low(a, a2, m, force, torque, x) } else { high(a, m, m_a2, force, torque, x) }
}

/// u ≤ 1: u (d0 + d2 u² + d4 u⁴) = |T|, a polynomial of degree five.
#[inline]
fn low(a: f64, a2: f64, m: f64, force: f64, torque: f64, x: &mut [f64]) -> bool {
    let k = m * KAPPA;
    let d0 = a * torque + k * (16.0 - 8.0 * a2);
    let d2 = k * (8.0 * a2 - 4.0);
    let d4 = -3.0 * k * a2;
    // Residual with its first and second derivative by u.
    let terms = |u: f64| {
        let v = u * u;
        let d4_v = d4 * v;
        let f = u * (d0 + v * (d2 + d4_v)) - force;
        let slope = d0 + v * (3.0 * d2 + 5.0 * d4_v);
        (f, slope, u * (6.0 * d2 + 20.0 * d4_v))
    };
    // Secant through u = 0 and u = 1 and a Halley step; then steps of fourth order until the
    // next one would be lost in rounding, which for a ≈ 1 is a single one.
    let mut u = force / (d0 + d2 + d4);
    let (f, slope, bend) = terms(u);
    u += halley(f, slope, bend);
    for _ in 0..6 {
        let (f, slope, bend) = terms(u);
        let step = householder(f, slope, bend, 6.0 * d2 + 60.0 * d4 * (u * u));
        u += step;
        if step.abs() < 5e-5 && (step * bend).abs() < 2e-4 * slope {
            let v = u * u;
            let b_tau = m * a * (KAPPA * (8.0 + v * (3.0 * v - 8.0)));
            if !(torque > b_tau && (0.0..=1.0).contains(&u)) {
                return false;
            }
            let factor = (4.0 * k * (4.0 - v) * u / force).min(1.0);
            x[0] *= factor;
            x[1] *= factor;
            x[2] = b_tau.copysign(x[2]);
            return true;
        }
    }
    false
}

/// u ≥ 1: w (|T| − m b_T) + m a² b_τ = a |τ|, with w = 1/u.
#[inline]
fn high(a: f64, m: f64, m_a2: f64, force: f64, torque: f64, x: &mut [f64]) -> bool {
    let target = a * torque;
    // Cubic Hermite interpolation of the inverse function between w = 0 and w = 1.
    let excess_at_one = force - m * (12.0 * KAPPA);
    let at_one = excess_at_one + m_a2 * (3.0 * KAPPA);
    let slope_at_one = excess_at_one + (m + m_a2) * (4.0 * KAPPA);
    let s = target / at_one;
    let left = at_one / (force - m + 0.2 * m_a2) - 1.0;
    let right = at_one / slope_at_one - 1.0;
    let mut w = s + s * (1.0 - s) * (left - (left + right) * s);
    // One step on the interpolated equation w (e0 + e1 v + e2 v² + ...), v = w².
    let e: [f64; 7] = std::array::from_fn(|i| m_a2 * TORQUE[i] - m * FORCE[i]);
    let v = w * w;
    let v2 = v * v;
    let sum = |n: [f64; 7]| {
        (n[0] * (e[0] + force) + n[1] * e[1] * v)
            + v2 * ((n[2] * e[2] + n[3] * e[3] * v)
                + v2 * (n[4] * e[4] + v * (n[5] * e[5] + n[6] * e[6] * v)))
    };
    let value = w * sum([1.0; 7]) - target;
    let slope = sum([1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0]);
    let bend = w * (6.0 * e[1] + v * (20.0 * e[2] + v * (42.0 * e[3] + v * (72.0 * e[4]))));
    w += halley(value, slope, bend);
    for _ in 0..4 {
        let v = w * w;
        if !(v < 1.0 && w > 0.0) {
            return false;
        }
        let c = (1.0 - v).sqrt();
        let r = remainder(c);
        let at = high_from(v, c, r);
        let excess = force - m * at.force;
        let bend_h = 3.0 * (0.125 * r - at.slope) / w; // dH/dw
        let curvature = m * v + m_a2;
        let f = w * (excess + m_a2 * at.torque_ratio) - target;
        let d1 = excess + curvature * at.slope;
        let d2 = 3.0 * m * w * at.slope + curvature * bend_h;
        let step = halley(f, d1, d2);
        if step.abs() < 1e-5 && step.abs() < 1e-3 * c * c && (step * d2).abs() < 2e-5 * d1 {
            // Values at w + step by Taylor's formula.
            let half = 0.5 * step;
            let b_t = m * (at.force - step * ((w + half) * at.slope + half * w * bend_h));
            let b_tau = m * a * (w * at.torque_ratio + step * (at.slope + half * bend_h));
            if !(force > b_t && b_tau >= 0.0) {
                return false;
            }
            let factor = b_t / force;
            x[0] *= factor;
            x[1] *= factor;
            x[2] = b_tau.min(torque).copysign(x[2]);
            return true;
        }
        w += step;
    }
    false
}
