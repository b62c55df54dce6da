//! Small tools of these tests.

use stickslip::integrate::Integrator;
use stickslip::ode::{OdeSystem, Regularisation};
use stickslip::solve::{GaussSeidel, GaussSeidelOptions, Solver};
use stickslip::system::{MechanicalSystem, State};

/// Fails unless the numbers differ by at most `tolerance`.
#[track_caller]
pub fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b} differ by {}, more than {tolerance}", a - b);
}

/// Steps to the time `end`; `look` sees every state, the first too. Times are multiples of the step.
pub fn run(
    integrator: &mut dyn Integrator,
    system: &dyn MechanicalSystem,
    mut state: State,
    dt: f64,
    end: f64,
    mut look: impl FnMut(&State),
) -> State {
    let steps = (end / dt).round() as usize;
    look(&state);
    for k in 1..=steps {
        let next = k as f64 * dt;
        let length = next - state.t;
        integrator.step(system, &mut state, length).unwrap();
        state.t = next;
        look(&state);
    }
    state
}

/// ẏ of the dynamic part at a state whose internal states are given.
pub fn rate(
    system: &dyn MechanicalSystem,
    regularisation: &Regularisation,
    state: &State,
) -> Vec<f64> {
    let mut ode = OdeSystem::new(regularisation.clone());
    let mut state = state.clone();
    ode.prepare(system, &mut state).unwrap();
    let mut y = Vec::new();
    ode.pack(&state, &mut y);
    let mut y_dot = vec![0.0; y.len()];
    ode.rate(system, state.t, &y, &mut y_dot).unwrap();
    y_dot.truncate(ode.dynamic_dim());
    y_dot
}

pub fn solver() -> Box<dyn Solver> {
    Box::new(GaussSeidel::new(GaussSeidelOptions::default()).unwrap())
}

/// A number between −1 and 1.
pub fn signed(rng: &mut fastrand::Rng) -> f64 {
    2.0 * rng.f64() - 1.0
}
