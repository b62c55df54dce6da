//! Small tools of these tests.

use crate::oracles::{RollingDisk, TippeTop, TippeTopParameters};
use stickslip::integrate::{Integrator, Moreau, MoreauRk4, Projection, ProjectionMetric};
use stickslip::solve::{Limits, Solver, Status, by_name};
use stickslip::system::{MechanicalSystem, State};

/// The solver of this name that ends at this residual.
pub fn solver(name: &str, tolerance: f64) -> Box<dyn Solver> {
    by_name(name, Limits { tolerance, ..Limits::default() }).unwrap().unwrap()
}

/// Runge-Kutta stepping as printed: stage ratio 1/4, no projection.
pub fn runge_kutta(tolerance: f64) -> MoreauRk4 {
    MoreauRk4::new(solver("auto", tolerance), Projection::default(), 0.25)
}

/// Moreau's rule.
pub fn moreau(tolerance: f64, metric: ProjectionMetric) -> Moreau {
    Moreau::new(solver("auto", tolerance), Projection::new(metric))
}

/// The top with the data of the paper, changed by `change`.
pub fn top(change: impl FnOnce(&mut TippeTopParameters)) -> TippeTop {
    let mut parameters = TippeTopParameters::default();
    change(&mut parameters);
    TippeTop::new(parameters).unwrap()
}

/// The disk of one of the four simulations, counted from 1 as in the paper.
pub fn disk(simulation: usize) -> RollingDisk {
    RollingDisk::new(crate::oracles::rolling_disk::PRESETS[simulation - 1].parameters).unwrap()
}

/// Steps, each of which must be solved; `look` sees the state after each.
pub fn run(
    integrator: &mut dyn Integrator,
    system: &dyn MechanicalSystem,
    state: &mut State,
    dt: f64,
    steps: usize,
    mut look: impl FnMut(&State, &dyn Integrator),
) {
    for _ in 0..steps {
        let report = integrator.step(system, state, dt).unwrap();
        assert_eq!(report.solve.status, Status::Solved, "at t = {}", state.t);
        look(state, integrator);
    }
}

/// Steps to the end without looking.
pub fn advance(
    integrator: &mut dyn Integrator,
    system: &dyn MechanicalSystem,
    start: &State,
    end: f64,
    steps: usize,
) -> State {
    let mut state = start.clone();
    run(integrator, system, &mut state, end / steps as f64, steps, |_, _| {});
    state
}

/// Rows of a table of numbers with one line of names.
pub fn table(text: &str) -> Vec<Vec<f64>> {
    text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect()
}

/// Slope of log(error) over log(step) by least squares: the observed order.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (sx, sy) = logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mx, my) = (sx / n, sy / n);
    let xy: f64 = logs.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    let xx: f64 = logs.iter().map(|(x, _)| (x - mx).powi(2)).sum();
    xy / xx
}

/// Largest difference of two vectors.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
}

/// Fails unless the numbers differ by at most `tolerance`.
#[track_caller]
pub fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b} differ by more than {tolerance}");
}
