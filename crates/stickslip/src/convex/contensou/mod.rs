//! The Coulomb-Contensou friction ball: sliding and drilling friction of one contact disk.

mod boundary;
mod elliptic;
mod fast;
mod hertz;
mod pieces;
mod pressure;
mod profile;
mod quadrature;
mod quadrature_rules;
mod table;

pub use pressure::Pressure;
pub use profile::RadialProfile;

use super::ConvexSet;
use super::ball::norm;
use crate::range::not_negative;
use boundary::{Boundary, LEAST_DIVISOR, Nearest, Plate, boundary_point, gauge, potential};
use fast::{Foot, Found};
use hertz::Hertz;
use serde::{Deserialize, Serialize};

/// C(s) = { (T₁, T₂, τ) : (|T|, |τ|/a) ∈ s·μ·plate }: friction force T and drilling torque τ that a
/// contact disk of radius a can transmit at the normal force s (Leine 2003, eq. 2.19 and 3.21).
///
/// The exact set of the chosen [`Pressure`], not the truncated series of the papers: its boundary
/// is the curve μ (b_T(u), a b_τ(u)), u = v/(ωa) ∈ [0, ∞], with the outward normal (a u, 1) there,
/// b_T(∞) = 1, and b_τ(0) the mean radius of the pressure: 2/3 (uniform), 3π/16 (Hertz), 8/15 (parabolic).
///
/// To measure the torque as τ/L, a force, give a/L for a: Leine 2003 takes L = a.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContensouBall {
    /// Friction coefficient μ, finite and not negative.
    pub friction: f64,
    /// Radius a of the contact disk (m), from 1e-60 to 1e60, or zero: no torque at all.
    pub contact_radius: f64,
    /// Distribution of the normal force over the disk.
    pub pressure: Pressure,
}

/// Calls a generic function with the boundary that belongs to a pressure.
macro_rules! with_boundary {
    ($pressure:expr, $boundary:ident => $call:expr) => {
        match $pressure {
            Pressure::Hertz => {
                let $boundary = &Hertz;
                $call
            }
            Pressure::Uniform => {
                let $boundary = pressure::uniform();
                $call
            }
            Pressure::Parabolic => {
                let $boundary = pressure::parabolic();
                $call
            }
            Pressure::Profile(profile) => {
                let $boundary = profile.table();
                $call
            }
        }
    };
}

impl ContensouBall {
    /// μ·scale, kept finite.
    fn reservoir(&self, scale: f64) -> f64 {
        (self.friction * scale).min(f64::MAX)
    }
}

/// Factor that brings the largest of the values to about one, exactly (a power of two), or one
/// if they are moderate already: then nothing that the prox computes overflows or underflows.
fn unit(x: f64, y: f64, m: f64) -> f64 {
    let largest = x.max(y).max(m);
    if (1e-60..1e60).contains(&largest) {
        return 1.0;
    }
    let exponent = (largest.to_bits() >> 52) as i64 - 1023;
    f64::from_bits(((1023 - exponent.clamp(-1022, 1022)) as u64) << 52)
}

/// 2⁻⁴⁰⁰: brings into range what overflows when components are combined.
const SHRINK: f64 = f64::from_bits((1023 - 400) << 52);

fn shrunk(x: &[f64]) -> [f64; 3] {
    [SHRINK * x[0], SHRINK * x[1], SHRINK * x[2]]
}

/// Bound of squares of force and torque for the table, and of one over the former.
const MODERATE: f64 = 1e36;

/// Whether the table is good for a point: no product of these overflows or underflows, and no square in single precision.
#[inline(always)]
fn is_moderate(a: f64, m: f64, square: f64, torque: f64) -> bool {
    let size = square + torque * torque;
    let point = size < MODERATE && square > 1.0 / MODERATE && torque > 1e-50;
    point && m > 1e-40 && m < 1e18 && a > 1e-10 && a < 1e10
}

/// Prox for a positive contact radius.
#[inline]
fn prox<B: Boundary>(boundary: &B, a: f64, m: f64, x: &mut [f64]) {
    // The branch lets the components be loaded one by one: two of them at once would wait until what the caller has just
    // written one by one is in the cache.
    let first = x[0] * x[0];
    if !(first < MODERATE) {
        return careful_prox(boundary, a, m, x);
    }
    let (square, torque) = (first + x[1] * x[1], x[2].abs());
    if is_moderate(a, m, square, torque) {
        let force = square.sqrt();
        let by_force = m / force;
        match boundary.find(m, a, square, force, torque) {
            Found::Inside => return,
            Found::Outside(Foot { force, torque, .. }) => {
                let factor = by_force * force;
                x[0] *= factor;
                x[1] *= factor;
                x[2] = (m * a * torque).copysign(x[2]);
                return;
            }
            Found::Unusual => {}
        }
    }
    careful_prox(boundary, a, m, x);
}

/// The same for any point.
#[inline(never)]
fn careful_prox<B: Boundary>(boundary: &B, a: f64, m: f64, x: &mut [f64]) {
    if m == 0.0 {
        x.fill(0.0);
        return;
    }
    let (force, torque) = (norm(&x[..2]), x[2].abs());
    if force == f64::INFINITY {
        // Both components are finite: the prox is homogeneous of degree one.
        x.iter_mut().for_each(|v| *v *= 0.25);
        careful_prox(boundary, a, 0.25 * m, x);
        x.iter_mut().for_each(|v| *v *= 4.0);
        return;
    }
    let unit = unit(force, torque, m);
    let plate = Plate { m: m * unit, a };
    let (force, torque) = (force * unit, torque * unit);
    // The result is taken at u (or w) itself, which puts it on the boundary however u was
    // rounded; only where u nears the denormals the condition for u tells the ratio better. No
    // component grows, not even by rounding.
    match plate.nearest(boundary, force, torque) {
        Nearest::Inside => {}
        Nearest::Low { u, at, denominator } => {
            let ratio = if u > LEAST_DIVISOR { u / force } else { 1.0 / denominator };
            let factor = (plate.m * at.force_ratio * ratio).min(1.0);
            x[0] *= factor;
            x[1] *= factor;
            x[2] = (m * a * at.torque).min(x[2].abs()).copysign(x[2]);
        }
        Nearest::High { w, at, denominator } => {
            let factor = (plate.m * at.force / force).min(1.0);
            x[0] *= factor;
            x[1] *= factor;
            let ratio = if w > LEAST_DIVISOR { w / torque } else { a / denominator };
            x[2] *= (plate.m * a * at.torque_ratio * ratio).min(1.0);
        }
        Nearest::Foot(_) => {}
    }
}

/// Derivative of the prox for a positive contact radius.
///
/// In the half plane of (|T|, |τ|) the prox moves along the boundary only: its derivative is
/// k t tᵀ with the unit tangent t and k = ρ/(ρ + d), ρ the radius of curvature and d the distance of
/// the point. Across the half plane T turns, with the factor |T_prox|/|T|. The prox is homogeneous
/// of degree one in (x, scale), and t·x = t·prox, which gives the derivative by the scale.
///
/// Returns the nearest point.
fn prox_derivative<B: Boundary>(
    boundary: &B,
    a: f64,
    friction: f64,
    m: f64,
    x: &[f64],
    d_x: &mut [f64],
    d_scale: &mut [f64],
) -> [f64; 3] {
    let (force, torque) = (norm(&x[..2]), x[2].abs());
    if force == f64::INFINITY {
        let quarter = [0.25 * x[0], 0.25 * x[1], 0.25 * x[2]];
        return prox_derivative(boundary, a, friction, 0.25 * m, &quarter, d_x, d_scale)
            .map(|v| 4.0 * v);
    }
    let unit = unit(force, torque, m);
    let plate = Plate { m: m * unit, a };
    let (force, torque) = (force * unit, torque * unit);
    let square = force * force;
    let found = if is_moderate(a, plate.m, square, torque) {
        boundary.find(plate.m, a, square, force, torque)
    } else {
        Found::Unusual
    };
    let nearest = match found {
        Found::Unusual => plate.nearest(boundary, force, torque),
        Found::Inside => Nearest::Inside,
        Found::Outside(foot) => Nearest::Foot(foot),
    };
    // Tangent (t_x, −t_y), k, turning factor, and the boundary point for m = 1.
    let (t_x, t_y, k, turn, point) = match nearest {
        Nearest::Inside => {
            d_x.fill(0.0);
            d_scale.fill(0.0);
            // Without a reservoir the set is a point.
            for i in 0..3 {
                d_x[4 * i] = if m > 0.0 { 1.0 } else { 0.0 };
            }
            return [x[0], x[1], x[2]];
        }
        Nearest::Foot(Foot { s, sigma, force: b_t, torque: b_tau, curvature }) => {
            let stretch = sigma * sigma + a * a * (s * s);
            let curvature = plate.m * stretch * curvature;
            let point = (b_t, a * b_tau);
            let excess = (force - plate.m * point.0) + a * (torque - plate.m * point.1);
            let length = stretch.sqrt();
            let turn = plate.m * point.0 / force;
            (sigma / length, a * s / length, curvature / (curvature + excess), turn, point)
        }
        Nearest::Low { u, at, denominator } => {
            let stretch = 1.0 + a * a * u * u;
            let curvature = plate.m * stretch * at.slope;
            let excess = a * (torque - plate.m * a * at.torque);
            let length = stretch.sqrt();
            let point = (u * at.force_ratio, a * at.torque);
            let ratio = if u > LEAST_DIVISOR { u / force } else { 1.0 / denominator };
            let turn = plate.m * at.force_ratio * ratio;
            (1.0 / length, a * u / length, curvature / (curvature + excess), turn, point)
        }
        Nearest::High { w, at, .. } => {
            let stretch = w * w + a * a;
            let curvature = plate.m * stretch * at.slope;
            let excess = force - plate.m * at.force;
            let length = stretch.sqrt();
            let point = (at.force, a * w * at.torque_ratio);
            let turn = plate.m * at.force / force;
            (w / length, a / length, curvature / (curvature + excess), turn, point)
        }
    };
    let (e_1, e_2) =
        if force > 0.0 { (x[0] * unit / force, x[1] * unit / force) } else { (1.0, 0.0) };
    let sign = 1.0_f64.copysign(x[2]);
    let along = k * t_x * t_x - turn;
    let mixed = -k * t_x * t_y * sign;
    d_x[0] = turn + along * e_1 * e_1;
    d_x[1] = along * e_1 * e_2;
    d_x[3] = d_x[1];
    d_x[4] = turn + along * e_2 * e_2;
    d_x[2] = mixed * e_1;
    d_x[6] = d_x[2];
    d_x[5] = mixed * e_2;
    d_x[7] = d_x[5];
    d_x[8] = k * t_y * t_y;
    let sliding = k * (t_x * point.0 - t_y * point.1);
    let by_force = friction * (point.0 - sliding * t_x);
    d_scale[0] = by_force * e_1;
    d_scale[1] = by_force * e_2;
    d_scale[2] = friction * (point.1 + sliding * t_y) * sign;
    [turn * x[0], turn * x[1], m * point.1 * sign]
}

impl ConvexSet for ContensouBall {
    fn dim(&self) -> usize {
        3
    }

    fn validate(&self) -> Result<(), String> {
        not_negative("friction", self.friction)?;
        let a = self.contact_radius;
        if a == 0.0 || (1e-60..=1e60).contains(&a) {
            return Ok(());
        }
        Err(format!("contact_radius is {a}, it must be 0 or from 1e-60 to 1e60"))
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        let m = self.reservoir(scale);
        let a = self.contact_radius;
        if a == 0.0 {
            x[2] = 0.0;
            super::Ball { dim: 2, radius: m }.prox(1.0, &mut x[..2]);
            return;
        }
        with_boundary!(&self.pressure, boundary => prox(boundary, a, m, x));
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        let m = self.reservoir(scale);
        let a = self.contact_radius;
        if a == 0.0 {
            let (mut disk, mut by_scale) = ([0.0; 4], [0.0; 2]);
            let ball = super::Ball { dim: 2, radius: self.friction };
            ball.prox_derivative(scale, &x[..2], &mut disk, &mut by_scale);
            d_x.fill(0.0);
            d_x[..2].copy_from_slice(&disk[..2]);
            d_x[3..5].copy_from_slice(&disk[2..]);
            d_scale[..2].copy_from_slice(&by_scale);
            d_scale[2] = 0.0;
            return;
        }
        with_boundary!(&self.pressure, boundary =>
            prox_derivative(boundary, a, self.friction, m, x, d_x, d_scale));
    }

    fn prox_and_derivative(&self, scale: f64, x: &mut [f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        if self.contact_radius == 0.0 {
            self.prox_derivative(scale, x, d_x, d_scale);
            return self.prox(scale, x);
        }
        let (a, m) = (self.contact_radius, self.reservoir(scale));
        let nearest = with_boundary!(&self.pressure, boundary =>
            prox_derivative(boundary, a, self.friction, m, x, d_x, d_scale));
        x.copy_from_slice(&nearest);
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        let m = self.reservoir(scale);
        if m == 0.0 {
            return 0.0;
        }
        let v = norm(&velocity[..2]);
        let omega = self.contact_radius * velocity[2].abs();
        if v + omega == f64::INFINITY {
            return self.support(scale, &shrunk(velocity)) / SHRINK;
        }
        m * with_boundary!(&self.pressure, boundary => potential(boundary, v, omega))
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        let (m, a) = (self.reservoir(scale), self.contact_radius);
        let v = norm(&velocity[..2]);
        let omega = a * velocity[2].abs();
        if v + omega == f64::INFINITY {
            return self.support_point(scale, &shrunk(velocity), out);
        }
        let (force, torque) =
            with_boundary!(&self.pressure, boundary => boundary_point(boundary, v, omega));
        super::Ball { dim: 2, radius: m }.support_point(force, &velocity[..2], &mut out[..2]);
        out[2] = (m * (a * torque)).copysign(velocity[2]);
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let (force, torque) = (norm(&x[..2]), x[2].abs());
        if force == 0.0 && torque == 0.0 {
            return 0.0;
        }
        if self.friction == 0.0 || (self.contact_radius == 0.0 && torque > 0.0) {
            return f64::INFINITY;
        }
        let arm = if torque > 0.0 { torque / self.contact_radius } else { 0.0 };
        if force + arm == f64::INFINITY {
            return self.gauge(&shrunk(x)) / SHRINK;
        }
        if arm == 0.0 {
            return force / self.friction;
        }
        let unit = unit(force, arm, 0.0);
        let value = with_boundary!(&self.pressure, boundary =>
            gauge(boundary, force * unit, arm * unit));
        value / self.friction / unit
    }
}
