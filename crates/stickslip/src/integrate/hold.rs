//! Contacts at rest are solved better than others.

use super::StepError;
use crate::problem::InclusionProblem;
use crate::solve::{Limits, SolveReport, Solver, Status};

/// Part of the tolerance to which contacts at rest are solved, if they are not solved by the percussions of
/// the last step after so many iterations. What a solver leaves moves them, and after n steps it is n times
/// as much: so they stay solved for a hundred steps.
const HELD: f64 = 1e-2;
pub(super) const HELD_AFTER: usize = 1;
/// Iterations for that over those up to the tolerance, and beyond.
const HELD_WITHIN: usize = 3;
const HELD_BEYOND: usize = 100;

/// Solves contacts at rest better than they must be, so that the next steps need no iteration.
pub(super) fn hold(
    t: f64,
    problem: &InclusionProblem,
    lambda: &mut [f64],
    solver: &mut dyn Solver,
    solved: SolveReport,
) -> Result<SolveReport, StepError> {
    let limits = solver.limits();
    let most = HELD_WITHIN * solved.iterations + HELD_BEYOND;
    solver.set_limits(Limits {
        tolerance: HELD * limits.tolerance,
        max_iterations: most.min(limits.max_iterations),
        ..limits
    });
    let report = solver.solve(problem, lambda);
    solver.set_limits(limits);
    let report = report.map_err(|source| StepError::Solve { t, source })?;
    // Whatever came of it is at least as good as before.
    let iterations = solved.iterations + report.iterations;
    Ok(SolveReport { status: Status::Solved, iterations, residual: report.residual })
}
