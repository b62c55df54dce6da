//! Time of small linear complementarity problems: one solve per time step of a mechanism.
#![allow(clippy::unwrap_used)] // a benchmark may

use divan::Bencher;
use stickslip::problem::InclusionProblem;
use stickslip::solve::Solver;
use stickslip::solve::lcp::{Enumerate, Lemke, LemkeOptions};

fn main() {
    divan::main();
}

/// Problems of the same number of planar contacts: 3 complementarity pairs each.
fn problems(contacts: usize) -> Vec<InclusionProblem> {
    let mut rng = fastrand::Rng::with_seed(1);
    let (m, dofs) = (2 * contacts, 2 * contacts + 1);
    let mut random = || 2.0 * rng.f64() - 1.0;
    (0..64)
        .map(|_| {
            let w: Vec<f64> = (0..m * dofs).map(|_| random()).collect();
            let row = |i: usize| &w[i * dofs..(i + 1) * dofs];
            let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>();
            let g: Vec<f64> = (0..m * m).map(|k| dot(row(k / m), row(k % m))).collect();
            let c: Vec<f64> = (0..m).map(|i| random() - ((i + 1) % 2) as f64).collect();
            InclusionProblem::coulomb(2, &vec![0.3; contacts], &g, &c).unwrap()
        })
        .collect()
}

/// Mean of 64 different problems by calls that go round.
fn run(bencher: Bencher, contacts: usize, solver: &mut dyn Solver, from_solution: bool) {
    let problems = problems(contacts);
    let mut starts = vec![vec![0.0; 2 * contacts]; problems.len()];
    if from_solution {
        for (problem, start) in problems.iter().zip(&mut starts) {
            solver.solve(problem, start).unwrap();
        }
    }
    let mut lambda = vec![0.0; 2 * contacts];
    let mut next = 0;
    bencher.bench_local(|| {
        lambda.copy_from_slice(&starts[next]);
        let report = solver.solve(&problems[next], &mut lambda).unwrap();
        next = (next + 1) % problems.len();
        report
    });
}

/// Pivoting from nothing.
#[divan::bench(args = [1, 2, 4, 10, 20])]
fn lemke_cold(bencher: Bencher, contacts: usize) {
    let options = LemkeOptions { use_start: false, ..LemkeOptions::default() };
    run(bencher, contacts, &mut Lemke::new(options).unwrap(), false);
}

/// From the solution, as in most steps of a simulation.
#[divan::bench(args = [1, 2, 4, 10, 20])]
fn lemke_warm(bencher: Bencher, contacts: usize) {
    run(bencher, contacts, &mut Lemke::default(), true);
}

/// All solutions.
#[divan::bench(args = [1, 2, 4])]
fn enumerate(bencher: Bencher, contacts: usize) {
    run(bencher, contacts, &mut Enumerate::default(), false);
}
