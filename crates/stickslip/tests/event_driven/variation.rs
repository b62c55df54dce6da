//! Small changes that a run carries along, against differences of whole runs.

use std::sync::Arc;
use stickslip::integrate::{EventDriven, EventDrivenOptions, OFFSETS, Tangent, Variation};
use stickslip::scene::Scene;
use stickslip::system::{Observed, State};

const OPTIONS: EventDrivenOptions = EventDrivenOptions {
    tolerance: 1e-13,
    max_step: f64::INFINITY,
    max_events: 100_000,
    max_steps: 1_000_000,
};

fn run(system: &dyn Observed, start: &State, t_end: f64) -> State {
    let mut state = start.clone();
    let mut integrator = EventDriven::new(OPTIONS).expect("options");
    integrator.run_until(system, &mut state, t_end, &mut |_| {}).expect("a run");
    state
}

/// Largest difference between a column and the central difference of two runs, relative to the largest entry.
fn apart(column: &Tangent, high: &State, low: &State, width: f64) -> f64 {
    let both = column.q.iter().chain(&column.u);
    let high = high.q.iter().chain(&high.u);
    let low = low.q.iter().chain(&low.u);
    let pairs: Vec<(f64, f64)> =
        both.zip(high.zip(low)).map(|(own, (a, b))| (*own, (a - b) / width)).collect();
    let largest = pairs.iter().fold(0.0_f64, |m, (_, d)| m.max(d.abs()));
    pairs.iter().fold(0.0_f64, |m, (own, d)| m.max((own - d).abs())) / largest.max(1e-3)
}

fn compare(scene: &str, overrides: &[&str], begin: f64, end: f64, width: f64, least_modes: usize) {
    let scene = Scene::load(scene, overrides).expect("a scene");
    let system = scene.system.as_ref();
    let mut start =
        if begin > 0.0 { run(system, &scene.start, begin) } else { scene.start.clone() };
    let mut integrator = EventDriven::new(OPTIONS).expect("options");
    let manifold = integrator.manifold(system, &mut start).expect("a mode");
    manifold.shift(system, &mut start, &[]).expect("a state on the constraints");
    let mut variation = Variation::new(manifold.basis.clone());
    let mut state = start.clone();
    integrator
        .run_with_variation(system, &mut state, end, &mut variation, &mut |_| {})
        .expect("a run");
    assert!(variation.phases.len() >= least_modes, "{}: {:?}", scene.name, variation.phases);
    assert_eq!(variation.blind, 0);
    for (k, column) in variation.columns.iter().enumerate() {
        let moved = |by: f64| {
            let mut shares = vec![0.0; manifold.basis.len()];
            shares[k] = by;
            let mut state = start.clone();
            manifold.shift(system, &mut state, &shares).expect("a state on the constraints");
            run(system, &state, end)
        };
        let far = apart(column, &moved(width), &moved(-width), 2.0 * width);
        assert!(far < 1e-6, "{} column {k}: {far:e} of {column:?}", scene.name);
    }
}

#[test]
fn changes_over_impacts_are_those_of_whole_runs() {
    compare("vibrating-table", &[], 0.05, 0.47, 1e-5, 3);
}

#[test]
fn changes_over_stick_and_slip_are_those_of_whole_runs() {
    compare("belt-oscillator", &["simulation.integrator=event-driven"], 30.0, 45.0, 1e-6, 3);
}

#[test]
fn changes_over_changes_of_edge_are_those_of_whole_runs() {
    compare("rocking-block", &["simulation.integrator=event-driven"], 0.2, 1.0, 1e-7, 2);
}

#[test]
fn changes_with_a_parameter_are_those_of_whole_runs() {
    let of = |value: f64| {
        let set = format!("parameters.shaking={value}");
        Scene::load("vibrating-table", &[&set]).expect("a scene")
    };
    let (value, step) = (1.1, 1e-4);
    let scene = of(value);
    let neighbours: Vec<Arc<dyn Observed>> =
        OFFSETS.iter().map(|offset| of(value + offset * step).system).collect();
    let system = scene.system.as_ref();
    let mut start = run(system, &scene.start, 0.05);
    let mut integrator = EventDriven::new(OPTIONS).expect("options");
    let manifold = integrator.manifold(system, &mut start).expect("a mode");
    let column = manifold.with_parameter(system, &start, &neighbours, step).expect("a change");
    let mut variation = Variation::new(vec![column]).with_neighbours(neighbours, step);
    let mut state = start.clone();
    let end = 0.47;
    integrator
        .run_with_variation(system, &mut state, end, &mut variation, &mut |_| {})
        .expect("a run");
    let width = 1e-7;
    let moved = |by: f64| {
        let scene = of(value + by);
        let mut state = start.clone();
        manifold.shift(scene.system.as_ref(), &mut state, &[]).expect("a state on the constraints");
        run(scene.system.as_ref(), &state, end)
    };
    let far = apart(&variation.columns[0], &moved(width), &moved(-width), 2.0 * width);
    assert!(far < 1e-6, "{far:e}");
}
