//! Time of a Moreau step of the slider-crank (Flores 2010, Table 1), averaged over two turns of
//! the crank: free flight, impacts and persistent contact as they come.
#![allow(clippy::unwrap_used)] // a benchmark may

use divan::Bencher;
use divan::counter::ItemsCount;
use stickslip::integrate::{Integrator, Moreau, Projection, ProjectionMetric};
use stickslip::models::{SliderCrank, SliderCrankParameters, SliderCrankStart};
use stickslip::scene::{Scene, built_in};
use stickslip::solve::{Limits, by_name};
use stickslip::system::{MechanicalSystem, State};

const STEPS: usize = 14_000;
const STEP: f64 = 1e-5;

fn main() {
    divan::main();
}

fn run(
    bencher: Bencher,
    system: &dyn MechanicalSystem,
    start: &State,
    (solver, metric): (&str, ProjectionMetric),
) {
    let solver = by_name(solver, Limits::default()).unwrap().unwrap();
    let mut integrator = Moreau::new(solver, Projection::new(metric));
    bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
        let mut state = start.clone();
        for _ in 0..STEPS {
            integrator.step(system, &mut state, STEP).unwrap();
        }
        state
    });
}

/// Minimal coordinates; an item is a step.
#[divan::bench(args = ["lemke", "auto", "gauss-seidel"], sample_count = 20)]
fn minimal(bencher: Bencher, solver: &str) {
    let system = SliderCrank::new(SliderCrankParameters::default()).unwrap();
    let start = system.start(&SliderCrankStart::default()).unwrap();
    run(bencher, &system, &start, (solver, ProjectionMetric::None));
}

/// Minimal coordinates with projection.
#[divan::bench(args = ["lemke"], sample_count = 20)]
fn projected(bencher: Bencher, solver: &str) {
    let system = SliderCrank::new(SliderCrankParameters::default()).unwrap();
    let start = system.start(&SliderCrankStart::default()).unwrap();
    run(bencher, &system, &start, (solver, ProjectionMetric::Mass));
}

/// Maximal coordinates: six more constraints in every step, and their projection.
#[divan::bench(args = ["lemke", "auto"], sample_count = 5)]
fn maximal(bencher: Bencher, solver: &str) {
    let name = "slider-crank-world";
    let scene = Scene::read(name, name, built_in(name).unwrap().text, &[]).unwrap();
    run(bencher, scene.system.as_ref(), &scene.start, (solver, ProjectionMetric::Mass));
}
