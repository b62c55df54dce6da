//! NaN and infinity stop at the step where they appear, by name, and leave the state alone.

use crate::oracles::{DiskStart, TippeTopStart};
use crate::orders::Pendulum;
use crate::support::*;
use stickslip::integrate::{Integrator, ProjectionMetric, StepError};
use stickslip::system::{ContactSet, Energy, LawGroup, MechanicalSystem, State};

fn integrators() -> [Box<dyn Integrator>; 2] {
    [Box::new(moreau(1e-10, ProjectionMetric::Identity)), Box::new(runge_kutta(1e-10))]
}

/// All numbers of a state as bits: NaN equals itself.
fn bits(state: &State) -> Vec<u64> {
    let values = [&state.q, &state.u, &state.memory];
    let values = values.into_iter().flatten().copied().chain([state.t]);
    values.map(f64::to_bits).collect()
}

#[test]
fn a_bad_state_is_named_and_left_alone() {
    let (top, disk) = (top(|_| {}), disk(4));
    let systems: [(&dyn MechanicalSystem, State); 2] =
        [(&top, top.start(&TippeTopStart::default())), (&disk, disk.start(&DiskStart::default()))];
    for (system, start) in &systems {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for index in 0..6 {
                for mut integrator in integrators() {
                    let mut state = start.clone();
                    state.u[index] = bad;
                    let before = bits(&state);
                    let error = integrator.step(*system, &mut state, 1e-4).unwrap_err();
                    let StepError::NotFinite { quantity, index: found, value, t } = error else {
                        panic!("{error}");
                    };
                    assert_eq!((quantity, found, t), ("u", index, 0.0));
                    assert_eq!(value.to_bits(), bad.to_bits());
                    assert_eq!(bits(&state), before);
                    state.u[index] = start.u[index];
                    state.q[index] = bad;
                    let error = integrator.step(*system, &mut state, 1e-4).unwrap_err();
                    assert!(error.to_string().contains(&format!("q[{index}]")), "{error}");
                }
            }
        }
    }
}

/// A pendulum whose force, mass or rate is spoilt after half a second.
struct Spoilt {
    force: f64,
    mass: f64,
    rate: f64,
}

impl MechanicalSystem for Spoilt {
    fn coordinate_count(&self) -> usize {
        1
    }
    fn blocks(&self) -> &[usize] {
        &[1]
    }
    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        let spoilt = at.t > 0.5;
        mass[0] = if spoilt { self.mass } else { 1.0 };
        forces[0] = if spoilt { self.force } else { 0.0 };
    }
    fn coordinate_rate(&self, at: &State, v: &[f64], q_dot: &mut [f64]) {
        q_dot[0] = if at.t > 0.5 { self.rate } else { v[0] };
    }
    fn contacts(&self, _at: &State, out: &mut ContactSet) {
        out.clear();
    }
    fn law_groups(&self) -> &[LawGroup] {
        &[]
    }
    fn energy(&self, _at: &State) -> Energy {
        Energy::default()
    }
}

#[test]
fn a_bad_system_is_named_and_the_state_left_alone() {
    let good = Spoilt { force: 0.0, mass: 1.0, rate: 0.0 };
    let cases = [
        (Spoilt { force: f64::NAN, ..good }, "smooth_forces[0] is NaN"),
        (Spoilt { force: f64::INFINITY, ..good }, "smooth_forces[0] is inf"),
        (Spoilt { force: 1e300, mass: 1e-300, ..good }, "u[0] is inf"),
        (Spoilt { mass: 0.0, ..good }, "block 0 of the mass matrix"),
        (Spoilt { mass: f64::NAN, ..good }, "block 0 of the mass matrix"),
        (Spoilt { rate: f64::NAN, ..good }, "q[0] is NaN"),
    ];
    for (system, message) in &cases {
        for mut integrator in integrators() {
            let mut state = State { t: 0.0, q: vec![0.0], u: vec![1.0], memory: vec![] };
            let error = loop {
                let before = bits(&state);
                match integrator.step(system, &mut state, 0.01) {
                    Ok(_) => assert!(state.t < 0.6, "nothing happened: {message}"),
                    Err(error) => {
                        assert_eq!(bits(&state), before);
                        break error.to_string();
                    }
                }
            };
            assert!(error.contains(message), "{error}, not {message}");
        }
    }
}

#[test]
fn a_bad_step_is_refused() {
    for mut integrator in integrators() {
        for dt in [0.0, -1e-4, f64::NAN, f64::INFINITY] {
            let mut state = State { t: 0.0, q: vec![1.0], u: vec![0.0], memory: vec![] };
            let before = bits(&state);
            let error = integrator.step(&Pendulum, &mut state, dt).unwrap_err();
            assert!(matches!(error, StepError::Step(_)), "{error}");
            assert_eq!(bits(&state), before);
        }
    }
}
