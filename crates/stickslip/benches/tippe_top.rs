//! Whole runs of the Tippe-Top, compared within one process.
//!
//! `cargo bench -p stickslip --bench tippe_top` prints
//!
//! - the time of the 8 s run of Leine 2003, sec. 5.4 with the exact Hertz ball, the ellipsoid and
//!   Coulomb friction, as ratios;
//! - the two speed ratios of Möller 2009, sec. 6: projected Jacobi iterations (46) on the ball
//!   B_F and on the original ellipsoid E_F, each against the transformed sphere S_F (paper: 10.5
//!   and 2.7);
//! - the time of one Moreau and one Runge-Kutta step.
//!
//! Every variant is run several times in turn and the fastest run counts: the machine may be busy.

#![allow(clippy::expect_used)] // a benchmark may stop

use std::hint::black_box;
use std::time::Instant;
use stickslip::integrate::{Integrator, Moreau, MoreauRk4, Projection};
use stickslip::scene::{Scene, built_in};
use stickslip::solve::{Auto, AutoOptions, Coordinates, Jacobi, JacobiOptions, Limits, Solver};

const ROUNDS: usize = 5;
const STEP: f64 = 1e-4;

/// What is run: a law, a solver and an integrator.
struct Variant {
    name: &'static str,
    friction: &'static str,
    solver: fn() -> Box<dyn Solver>,
    runge_kutta: bool,
    duration: f64,
}

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, ..Limits::default() }
}

fn auto() -> Box<dyn Solver> {
    Box::new(
        Auto::new(AutoOptions { limits: limits(1e-10), ..Default::default() })
            .expect("valid options"),
    )
}

fn jacobi(coordinates: Coordinates) -> Box<dyn Solver> {
    let options = JacobiOptions { limits: limits(1e-8), coordinates, ..Default::default() };
    Box::new(Jacobi::new(options).expect("valid options"))
}

fn original() -> Box<dyn Solver> {
    jacobi(Coordinates::Original)
}

fn transformed() -> Box<dyn Solver> {
    jacobi(Coordinates::Transformed)
}

/// Seconds of one run and solver iterations per step.
fn time(variant: &Variant) -> (f64, f64) {
    let text = built_in("tippe-top").expect("the scene").text;
    let friction = format!("parameters.friction={}", variant.friction);
    let scene = Scene::read("top", "top", text, &[friction]).expect("valid parameters");
    let Scene { system: top, start: mut state, .. } = scene;
    let mut integrator: Box<dyn Integrator> = if variant.runge_kutta {
        Box::new(MoreauRk4::new((variant.solver)(), Projection::default(), 0.25))
    } else {
        Box::new(Moreau::new((variant.solver)(), Projection::default()))
    };
    let steps = (variant.duration / STEP).round() as usize;
    let mut iterations = 0;
    let start = Instant::now();
    for _ in 0..steps {
        let report = integrator.step(top.as_ref(), &mut state, STEP).expect("a step");
        iterations += report.solve.iterations;
    }
    let seconds = start.elapsed().as_secs_f64();
    black_box(&state);
    (seconds, iterations as f64 / steps as f64)
}

/// Fastest time of each variant over all rounds.
fn compare(variants: &[Variant]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; variants.len()];
    let mut per_step = vec![0.0; variants.len()];
    for _ in 0..ROUNDS {
        for (index, variant) in variants.iter().enumerate() {
            let (seconds, iterations) = time(variant);
            best[index] = best[index].min(seconds);
            per_step[index] = iterations;
        }
    }
    for ((variant, seconds), iterations) in variants.iter().zip(&best).zip(&per_step) {
        let steps = variant.duration / STEP;
        println!(
            "  {:34} {:8.3} ms  {:7.3} us/step  {:6.2} iterations/step",
            variant.name,
            1e3 * seconds,
            1e6 * seconds / steps,
            iterations
        );
    }
    best
}

fn main() {
    let variant = |name, friction, solver, runge_kutta, duration| Variant {
        name,
        friction,
        solver,
        runge_kutta,
        duration,
    };
    println!("8 s of the Tippe-Top, moreau-rk4, step 1e-4, solver auto");
    let runs = compare(&[
        variant("contensou-hertz", "contensou-hertz", auto, true, 8.0),
        variant("ellipsoid", "ellipsoid", auto, true, 8.0),
        variant("coulomb", "coulomb", auto, true, 8.0),
    ]);
    println!("  contensou-hertz / ellipsoid = {:.2} (target at most 1.5)", runs[0] / runs[1]);
    println!("  contensou-hertz / coulomb   = {:.2}", runs[0] / runs[2]);

    println!("Iterations of Möller 2009, eq. (46): 1 s, moreau, step 1e-4, residual 1e-8");
    let iterations = compare(&[
        variant("ball B_F, original", "contensou-hertz", original, false, 1.0),
        variant("ellipsoid E_F, original", "ellipsoid", original, false, 1.0),
        variant("sphere S_F, transformed", "ellipsoid", transformed, false, 1.0),
    ]);
    println!("  B_F / S_F = {:.2} (Möller 2009: 10.5)", iterations[0] / iterations[2]);
    println!("  E_F / S_F = {:.2} (Möller 2009: 2.7)", iterations[1] / iterations[2]);

    println!("One step in contact, contensou-hertz, solver auto");
    compare(&[
        variant("moreau", "contensou-hertz", auto, false, 1.0),
        variant("moreau-rk4", "contensou-hertz", auto, true, 1.0),
    ]);
}
