//! What the simultaneous prox iterations share: every contact is projected with the velocities of
//! the last iterate, and the step is shortened where the residual shows that it is too long.

use super::monitor::Monitor;
use super::{Limits, SolveError, SolveReport, Status, check_start};
use crate::problem::InclusionProblem;

/// Iterations between two judgements while the iteration is young.
const FIRST_WINDOW: usize = 20;
/// A window must lower the residual by this factor; otherwise the step is halved.
const PROGRESS: f64 = 0.999;
/// How often the step may be halved before the iteration counts as stalled.
const MOST_HALVINGS: usize = 12;

/// Runs `project(Λ, ξ, step)` to a fixed point. `step` is 1 at first and halved where the residual
/// rises or stays over a window of iterations: too large a prox parameter cycles or diverges.
pub(crate) fn iterate(
    limits: &Limits,
    monitor: &mut Monitor,
    problem: &InclusionProblem,
    lambda: &mut [f64],
    mut project: impl FnMut(&mut [f64], &[f64], f64),
) -> Result<SolveReport, SolveError> {
    check_start(problem, lambda)?;
    let mut last = monitor.begin(limits, problem, lambda);
    let (mut step, mut halvings) = (1.0, 0);
    let mut next_check = 1;
    let mut window_end = FIRST_WINDOW;
    for iteration in 1..=limits.max_iterations {
        if monitor.stops(iteration - 1) {
            return Ok(monitor.end(lambda, iteration - 1, Status::Solved));
        }
        // Judging an iterate costs the product G Λ and gives the velocities that the projection
        // needs, so the monitor's ξ serves both.
        project(lambda, &monitor.xi, step);
        if iteration < next_check && iteration < limits.max_iterations {
            problem.relative_velocities(lambda, &mut monitor.xi);
            continue;
        }
        next_check = iteration + 1 + iteration / 16;
        let residual = monitor.judge(problem, lambda);
        if monitor.out_of_time() {
            return Ok(monitor.end(lambda, iteration, Status::TimeLimit));
        }
        let diverged =
            residual.value.is_nan() || residual.value > 1e3 * last.value.max(monitor.best());
        if iteration >= window_end || diverged {
            // Where too large a start falls to a small solution the relative residual rises all the
            // way, although the velocities come closer: either of the two is progress.
            let stays = residual.value > PROGRESS * last.value
                && residual.absolute() > PROGRESS * last.absolute();
            if diverged || stays {
                if halvings == MOST_HALVINGS {
                    let status = if diverged { Status::Diverged } else { Status::Stalled };
                    return Ok(monitor.end(lambda, iteration, status));
                }
                halvings += 1;
                step *= 0.5;
                lambda.copy_from_slice(monitor.best_lambda());
                problem.relative_velocities(lambda, &mut monitor.xi);
                last = monitor.best_residual();
            } else {
                last = residual;
            }
            window_end = iteration + FIRST_WINDOW + iteration / 4;
        }
    }
    Ok(monitor.end(lambda, limits.max_iterations, Status::MaxIterations))
}
