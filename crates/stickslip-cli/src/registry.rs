//! Solvers by name.
//!
//! SWAP HERE: `stickslip::solve::by_name` takes the place of this file; until then every name
//! gives the stand-in below.

use std::time::Instant;
use stickslip::convex::ConvexSet;
use stickslip::problem::InclusionProblem;
use stickslip::solve::{Limits, SolveError, SolveReport, Solver, Status};

/// The solver of that name with these limits.
pub fn by_name(name: &'static str, limits: Limits) -> Option<Box<dyn Solver>> {
    Some(Box::new(StandIn { name, limits }))
}

/// Projected Gauss-Seidel law by law, with a step that is small enough for one law alone.
struct StandIn {
    name: &'static str,
    limits: Limits,
}

impl Solver for StandIn {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        problem.validate()?;
        self.limits.validate()?;
        let start = Instant::now();
        let mut xi = vec![0.0; problem.dim()];
        let mut iterations = 0;
        loop {
            let residual = problem.residual_into(lambda, &mut xi);
            let status = if residual.value <= self.limits.tolerance {
                Status::Solved
            } else if iterations >= self.limits.max_iterations {
                Status::MaxIterations
            } else if self.limits.max_time.is_some_and(|t| start.elapsed() >= t) {
                Status::TimeLimit
            } else {
                sweep(problem, lambda, &mut xi);
                iterations += 1;
                continue;
            };
            return Ok(SolveReport { status, iterations, residual });
        }
    }
}

fn sweep(problem: &InclusionProblem, lambda: &mut [f64], xi: &mut [f64]) {
    for (index, contact) in problem.contacts().iter().enumerate() {
        for law in problem.laws_of(contact) {
            let row = &mut xi[contact.range()];
            row.copy_from_slice(&problem.c()[contact.range()]);
            problem.delassus().add_row_product(index, lambda, row);
            let scale = problem.scale(contact, law, lambda);
            let first = law.offset - contact.offset;
            let entry = |k| problem.delassus().diagonal_entry(index, k);
            let r = 1.0 / (first..first + law.dim).map(entry).sum::<f64>();
            for k in law.range() {
                lambda[k] -= r * xi[k];
            }
            law.set.prox(scale, &mut lambda[law.range()]);
        }
    }
}
