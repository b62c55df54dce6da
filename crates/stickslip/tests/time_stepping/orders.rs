//! Observed orders of the integrators: slope of log(error) over log(step), ± 0.15.

use crate::oracles::{TippeTop, TippeTopStart};
use crate::support::*;
use stickslip::integrate::{Integrator, MoreauRk4, Projection, ProjectionMetric};
use stickslip::system::{ContactSet, Energy, LawGroup, MechanicalSystem, State};

/// A pendulum q̈ = −sin q: a force that depends on the position alone.
pub struct Pendulum;

impl MechanicalSystem for Pendulum {
    fn coordinate_count(&self) -> usize {
        1
    }
    fn blocks(&self) -> &[usize] {
        &[1]
    }
    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        mass[0] = 1.0;
        forces[0] = -at.q[0].sin();
    }
    fn coordinate_rate(&self, _at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot.copy_from_slice(v);
    }
    fn contacts(&self, _at: &State, out: &mut ContactSet) {
        out.clear();
    }
    fn law_groups(&self) -> &[LawGroup] {
        &[]
    }
    fn energy(&self, at: &State) -> Energy {
        Energy { kinetic: 0.5 * at.u[0] * at.u[0], potential: -at.q[0].cos() }
    }
}

/// Errors of the end state against one with many more steps, over the given numbers of steps.
fn errors(
    make: &dyn Fn() -> Box<dyn Integrator>,
    system: &dyn MechanicalSystem,
    start: &State,
    end: f64,
    steps: &[usize],
    exact: &State,
) -> Vec<(f64, f64)> {
    let one = |n: usize| {
        let state = advance(make().as_mut(), system, start, end, n);
        let error = distance(&state.q, &exact.q).max(distance(&state.u, &exact.u));
        (end / n as f64, error)
    };
    steps.iter().map(|n| one(*n)).collect()
}

fn moreau_rule() -> Box<dyn Integrator> {
    Box::new(moreau(1e-10, ProjectionMetric::None))
}

fn printed_runge_kutta() -> Box<dyn Integrator> {
    Box::new(runge_kutta(1e-10))
}

/// A tumbling top far above the floor.
fn thrown(top: &TippeTop) -> State {
    top.start(&TippeTopStart {
        z: 10.0,
        theta: 0.8,
        x_dot: 0.3,
        z_dot: 1.0,
        theta_dot: 5.0,
        phi_dot: -4.0,
        psi_dot: 20.0,
        ..TippeTopStart::default()
    })
}

#[test]
fn runge_kutta_has_order_4_in_free_motion() {
    // Leine 2003, sec. 4.2. Mass and forces of a free body do not depend on q here.
    let top = top(|_| {});
    let start = thrown(&top);
    let exact = advance(printed_runge_kutta().as_mut(), &top, &start, 0.4, 6400);
    let errors = errors(&printed_runge_kutta, &top, &start, 0.4, &[50, 100, 200, 400], &exact);
    assert_close(slope(&errors), 4.0, 0.15);
}

#[test]
fn runge_kutta_as_printed_has_order_1_under_forces_that_depend_on_position() {
    // Leine 2003, Table 2: a stage takes its acceleration half of Δt₂ too late, at q + ½Δt₂ u.
    let start = State { t: 0.0, q: vec![1.0], u: vec![0.5], memory: vec![] };
    let fine = |steps| advance(moreau_rule().as_mut(), &Pendulum, &start, 2.0, steps);
    let exact = fine(400_000);
    let errors = errors(&printed_runge_kutta, &Pendulum, &start, 2.0, &[100, 200, 400], &exact);
    assert_close(slope(&errors), 1.0, 0.15);
}

#[test]
fn moreau_has_order_2_under_forces_that_depend_on_position() {
    // "At best a second-order method" (Leine 2003, sec. 4.2).
    let start = State { t: 0.0, q: vec![1.0], u: vec![0.5], memory: vec![] };
    let exact = advance(moreau_rule().as_mut(), &Pendulum, &start, 2.0, 400_000);
    let errors = errors(&moreau_rule, &Pendulum, &start, 2.0, &[50, 100, 200, 400], &exact);
    assert_close(slope(&errors), 2.0, 0.15);
}

#[test]
fn moreau_has_order_2_in_free_motion_without_gyroscopic_forces() {
    // A body with three equal moments of inertia: Ω is constant, only the midpoint rule of the
    // quaternion makes an error.
    let ball = top(|p| p.inertia_axial = p.inertia_transverse);
    let start = thrown(&ball);
    let exact = advance(printed_runge_kutta().as_mut(), &ball, &start, 0.4, 6400);
    let errors = errors(&moreau_rule, &ball, &start, 0.4, &[50, 100, 200, 400], &exact);
    assert_close(slope(&errors), 2.0, 0.15);
}

#[test]
fn moreau_has_order_1_with_gyroscopic_forces() {
    // Leine 2003, Table 1: h is taken at u_A, so forces that depend on velocity are explicit Euler.
    let top = top(|_| {});
    let start = thrown(&top);
    let exact = advance(printed_runge_kutta().as_mut(), &top, &start, 0.4, 6400);
    let errors = errors(&moreau_rule, &top, &start, 0.4, &[400, 800, 1600, 3200], &exact);
    assert_close(slope(&errors), 1.0, 0.15);
}

#[test]
fn moreau_has_order_1_with_impacts() {
    // A top that falls flat on its body and bounces with ε = 0.5, against the closed solution at
    // 0.12 s, after the second impact. Where in a step an impact falls is chance, so the error is
    // the mean over 64 heights.
    let top = top(|p| p.restitution = 0.5);
    let (gravity, end) = (top.parameters().gravity, 0.12_f64);
    let exact = |height: f64| {
        let fall = (2.0 * height / gravity).sqrt();
        let (hit, speed) = (fall, gravity * fall);
        let second = hit + speed / gravity; // flight of 2·(½ speed)/g
        assert!(hit < end && second < end && second + 0.5 * speed / gravity > end);
        let t = end - second;
        0.25 * speed * t - 0.5 * gravity * t * t
    };
    let mut points = Vec::new();
    for steps in [150, 300, 600, 1200] {
        let mut sum = 0.0;
        for k in 0..64 {
            let height = 0.0125 + 1e-5 * k as f64;
            let floor = top.parameters().body_radius - top.parameters().body_offset;
            let start = top.start(&TippeTopStart {
                z: floor + height,
                theta: 0.0,
                psi_dot: 0.0,
                ..TippeTopStart::default()
            });
            let state = advance(moreau_rule().as_mut(), &top, &start, end, steps);
            sum += (state.q[2] - floor - exact(height)).abs();
        }
        points.push((end / steps as f64, sum / 64.0));
    }
    assert_close(slope(&points), 1.0, 0.15);
}

#[test]
fn runge_kutta_has_order_1_with_contact() {
    // The sliding top at 0.49 s against the event-driven reference, known to 1e-10. Stage ratios 1/4 as printed, and from 0.36 on, where a persistent
    // contact no longer chatters: the order is 1 with all of them (Leine 2003, sec. 4.2, says 4).
    let top = top(|_| {});
    let start = top.start(&TippeTopStart::default());
    for ratio in [0.25, 0.36, 0.5, 1.0] {
        let mut points = Vec::new();
        for steps in [2450, 4900, 9800, 19_600] {
            let mut integrator =
                MoreauRk4::new(solver("auto", 1e-10), Projection::default(), ratio);
            let state = advance(&mut integrator, &top, &start, 0.49, steps);
            points.push((0.49 / steps as f64, (top.output(&state).theta - 0.5548526862).abs()));
        }
        assert_close(slope(&points), 1.0, 0.15);
    }
}
