//! Phases of the papers' motions without any event, integrated as smooth equations of motion and
//! compared with the reference data: no time stepping and no solver takes part.

use crate::oracles::{TippeTop, TippeTopParameters, TippeTopStart};
use crate::support::*;
use stickslip::system::{MechanicalSystem, State};
use stickslip_papers::disk_motion::{Rates, feasibility, rolling_accelerations};

/// Friction force and torque over µλ_N and µλ_N R of the pressure of Hertz at u = v/(|ω|R)
/// (Möller 2009, eq. 51 and 52).
fn hertz(u: f64) -> (f64, f64) {
    let pi = std::f64::consts::PI;
    let (odd, even) = (4.0 * u - u.powi(3), 3.0 * u.powi(4) - 8.0 * u * u + 8.0);
    if u <= 1.0 {
        return (3.0 * pi / 32.0 * odd, 3.0 * pi / 128.0 * even);
    }
    let root = (u * u - 1.0).sqrt();
    let angle = (1.0 / u).asin();
    (
        3.0 / 16.0 * (odd * angle + (u * u + 2.0) * root / u),
        3.0 / 64.0 * (even * angle + (6.0 - 3.0 * u * u) * root),
    )
}

/// Forces at the body for λ_N = 1 when it slides: normal, tangential, drilling.
fn friction_at_unit_load(top: &TippeTop, at: &State) -> Vec<f64> {
    let p = top.parameters();
    let gamma = contacts(top, at)[0].velocities(&at.u);
    let slip = gamma[1].hypot(gamma[2]);
    let (force, torque) = hertz(slip / (gamma[3].abs() * p.contact_radius));
    let mu = p.friction_coefficient;
    vec![
        1.0,
        -mu * force * gamma[1] / slip,
        -mu * force * gamma[2] / slip,
        -mu * torque * p.contact_radius * gamma[3].signum(),
    ]
}

/// Free accelerations, what λ_N = 1 with its friction adds to them, and to γ̇_N.
fn response(top: &TippeTop, at: &State) -> (Vec<f64>, Vec<f64>, f64) {
    let free = acceleration(top, at, &[]);
    let mut pushed = acceleration(top, at, &[(0, friction_at_unit_load(top, at))]);
    pushed.iter_mut().zip(&free).for_each(|(p, f)| *p -= f);
    let normal = dot(&contacts(top, at)[0].rows[0], &pushed);
    (free, pushed, normal)
}

/// Accelerations of the top that slides on its body, which stays on the floor: λ_N from
/// d/dt γ_N = 0, its part Ẇᵀu by a difference along q̇.
fn sliding(top: &TippeTop, at: &State) -> Vec<f64> {
    let (free, pushed, normal) = response(top, at);
    let q_dot = coordinate_rate(top, at);
    let gamma = |s: &State| contacts(top, s)[0].velocities(&s.u)[0];
    let lambda = -derivative(gamma, at, &q_dot, &free, 1e-6) / normal;
    assert!(lambda > 0.0, "the body lifts off at {}", at.t);
    (0..6).map(|k| free[k] + lambda * pushed[k]).collect()
}

#[test]
fn the_tippe_top_rises_as_in_the_reference_data() {
    // Leine 2003, Fig. 9, up to 1 s: the body slides all the time. Event-driven reference: rows at
    // 0.01 s and 0.03 s with all digits, θ(0.5) = 0.508334 and θ(1) = 1.567312. RK4 with 1e-4 s is
    // accurate to 3e-10 rad here (halving the step says so): the last printed digit decides, and
    // early the first impact, whose friction is taken at the slip before it: 2e-3 of 3e-7 rad.
    let top = TippeTop::new(TippeTopParameters::default()).unwrap();
    let start = top.start(&TippeTopStart::default());
    let total = top.energy(&start).total();
    // The printed start is 1.25e-8 m above the floor: it falls for 5e-5 s and hits the floor.
    let fall = (2.0 * top.output(&start).body_gap / 9.81).sqrt();
    let mut at = free_flight(&top, &start, fall, 1);
    let (_, pushed, normal) = response(&top, &at);
    let percussion = -contacts(&top, &at)[0].velocities(&at.u)[0] / normal;
    (0..6).for_each(|k| at.u[k] += percussion * pushed[k]);
    let slide = |s: &State| sliding(&top, s);
    at = rk4_step(&top, &at, 1e-4 - fall, &slide);
    let expected = [
        (100, 0.09362231368, 178.996113, 0.012004786954, 1e-8),
        (300, 0.04077157233, 178.890357, 0.011958045635, 1e-8),
        (5000, 0.508334, f64::NAN, f64::NAN, 5e-7),
        (10000, 1.567312, f64::NAN, f64::NAN, 5e-7),
    ];
    let mut step = 1;
    for (until, theta, spin, energy, tolerance) in expected {
        while step < until {
            at = rk4_step(&top, &at, 1e-4, &slide);
            top.normalize(&mut at.q);
            step += 1;
        }
        let output = top.output(&at);
        assert_close(output.theta, theta, tolerance);
        if !spin.is_nan() {
            assert_close(output.spin, spin, 1e-6);
            assert_close(top.energy(&at).total(), energy, 1e-9 * total);
        }
        assert_close(output.body_gap, 0.0, 5e-9); // drift of the difference quotient
    }
}

/// g/r and µ_R of the disk of Le Saux 2005, sec. 4.
const G: f64 = 9.81 / 0.0375;
const CONTOUR: f64 = 3e-4;

/// Rates of (β, α̇, β̇, γ̇) and the ratio |λ_T|/λ_N of a disk that rolls without slip against dry
/// contour friction µ_R λ_N: a torque about the axis of the disk, because γ_R = r γ̇ (2.23).
fn rolling_with_contour(x: &[f64; 4]) -> ([f64; 4], f64) {
    let v = Rates { alpha: x[1], beta: x[2], gamma: x[3] };
    let free = rolling_accelerations(G, x[0], v);
    let (s, c) = x[0].sin_cos();
    // λ_N/(m r) = g̃ + z̈/r with z = r cosβ; β̈ does not feel the torque.
    let normal = G - free.beta * s - v.beta * v.beta * c;
    // Torque on the right-hand side of (5.7) is 4 Q/(m r²); then (5.5) − (5.7) sinβ.
    let torque = -4.0 * CONTOUR * normal * v.gamma.signum();
    let alpha = free.alpha - torque * s / (c * c);
    let gamma = free.gamma + torque / 6.0 + torque * s * s / (c * c);
    // Momentum rate of the centre of mass in the frame K (5.3, with its errata), over m r.
    let along = alpha * s + gamma + 2.0 * v.alpha * v.beta * c;
    let out = -free.beta + (v.alpha * s + v.gamma) * v.alpha * c;
    let up = -v.beta * v.beta - (v.alpha * s + v.gamma) * v.alpha * s;
    let tangential = along.hypot(c * out - s * up);
    ([v.beta, alpha, free.beta, gamma], tangential / normal)
}

#[test]
fn the_disk_with_contour_friction_slides_when_the_reference_does() {
    // Le Saux 2005, sec. 4.2: rolls without slip until |λ_T| = µ λ_N; converged reference 28.44 s
    // at |β| = 0.44585, last digits as printed; found 28.4395 and 0.445842.
    let (s, c) = 0.035_f64.sin_cos();
    let mut x = [0.0, 0.0, -10.0 * s, 10.0 * c];
    let (mut t, dt) = (0.0, 5e-4);
    let moved = |x: &[f64; 4], k: &[f64; 4], h: f64| [0, 1, 2, 3].map(|i| x[i] + h * k[i]);
    while t < 40.0 {
        let (k1, ratio) = rolling_with_contour(&x);
        if ratio > 0.3 {
            break;
        }
        let k2 = rolling_with_contour(&moved(&x, &k1, 0.5 * dt)).0;
        let k3 = rolling_with_contour(&moved(&x, &k2, 0.5 * dt)).0;
        let k4 = rolling_with_contour(&moved(&x, &k3, dt)).0;
        x = [0, 1, 2, 3].map(|i| x[i] + dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        t += dt;
    }
    assert_close(t, 28.44, 0.005);
    assert_close(x[0].abs(), 0.44585, 1e-5);
    // χ (5.28) was made to foresee this: it is 1 to the size of the nutation, 1 %.
    assert_close(feasibility(x[0], x[1], x[3], 0.3).abs(), 1.0, 0.01);
}
