//! When Newton steps by sparse blocks ([`super::near`]) are made: from the percussions of the last time step, and
//! from where sweeps or the interior point have come to.

use super::monitor::Monitor;
use super::near::{self, NearNewton};
use crate::problem::InclusionProblem;

/// Steps from percussions that may be near a solution, and steps after which the residual must be below this, or
/// no larger than at their start. They go up and down before all contacts do what they do in the solution, and
/// end quickly then.
const STEPS: usize = 8;
const TRIED: usize = 3;
const NEARBY: f64 = 1e-2;
/// Steps where some contacts do something else than in the last time step, and components from which they are
/// made: what is smaller is swept sooner.
const STEPS_OF_CHANGE: usize = 16;
const CHANGE_FROM: usize = 40;
/// Residual after sweeps or the interior point below which most contacts do what they do in the solution, and
/// the part of it that is left before a second attempt.
const KNOWN: f64 = 1e-5;
const SECOND_ATTEMPT: f64 = 0.1;
/// Steps that are expected; and sweeps that they may cost.
const EXPECTED: f64 = 4.0;
const IN_SWEEPS: f64 = 24.0;
/// What a contact costs in a step beside the factors, and an operation of these, in products of an entry of G with
/// a component.
const OF_CONTACT: f64 = 600.0;
const OF_FACTORS: f64 = 0.5;
/// By how much an estimate of the work of factors may be too high.
const ABOUT: f64 = 4.0;

/// Newton steps of one solve, and what is known of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby {
    newton: NearNewton,
    /// Whether they cost little enough; none if that was not asked yet.
    is_cheap: Option<bool>,
    /// Residual below which an attempt behind sweeps is made.
    below: f64,
    /// Steps that the limits of the solve leave.
    left: usize,
    swept: Vec<f64>,
}

impl Nearby {
    /// For problems of many joints.
    pub(super) fn of_joints() -> Self {
        Self { newton: NearNewton::of_joints(), ..Self::default() }
    }

    /// Forgets the last problem, and makes room for one with so many components, and so many steps in all.
    pub(super) fn begin(&mut self, dim: usize, most: usize) {
        self.is_cheap = None;
        (self.below, self.left) = (KNOWN, most);
        self.swept.resize(dim, 0.0);
    }

    /// Whether steps cost as little as some sweeps, of which one takes so many products. Then they are prepared. Where
    /// their factors are known to take `least` operations, about, there may be no need to look at the pattern.
    pub(super) fn is_cheap(&mut self, problem: &InclusionProblem, sweep: f64, least: f64) -> bool {
        if let Some(known) = self.is_cheap {
            return known;
        }
        let contacts = problem.contacts().len();
        let step = IN_SWEEPS / EXPECTED * sweep - OF_CONTACT * contacts as f64;
        let most = step / OF_FACTORS;
        let may_be = contacts > 1 && least <= ABOUT * most;
        let is_cheap = may_be && self.newton.prepare(problem, most);
        self.is_cheap = Some(is_cheap);
        is_cheap
    }

    /// The same where a step may cost this many products, as one of the interior point does.
    pub(super) fn is_affordable(&mut self, problem: &InclusionProblem, step: f64) -> bool {
        self.is_cheap == Some(true) || self.newton.prepare(problem, step / OF_FACTORS)
    }

    /// Steps from the percussions of the last time step, judged last: as if every contact did what it did, and
    /// if that fails, as if some did something else. Returns their number.
    pub(super) fn follow(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        monitor: &mut Monitor,
        start: &[f64],
    ) -> usize {
        let steps = self.follow_at_once(problem, lambda, monitor);
        if monitor.solved() || problem.dim() < CHANGE_FROM {
            return steps;
        }
        lambda.copy_from_slice(start);
        monitor.judge(problem, lambda);
        let limits = (STEPS_OF_CHANGE, f64::INFINITY);
        steps + self.steps(problem, lambda, monitor, limits, |step, _| near::falling(step))
    }

    /// The first of these: as if every contact did what it did.
    pub(super) fn follow_at_once(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        monitor: &mut Monitor,
    ) -> usize {
        let allowed = monitor.best().max(NEARBY);
        let are_few = problem.dim() < CHANGE_FROM;
        let rho = if are_few { near::LEAST_OF_FEW } else { near::LEAST };
        self.steps(problem, lambda, monitor, (STEPS, allowed), |_, _| rho)
    }

    /// Whether to try steps behind sweeps that have come to this residual and need so many more.
    pub(super) fn is_due(&self, residual: f64, sweeps_left: f64) -> bool {
        residual <= self.below && !(sweeps_left <= IN_SWEEPS)
    }

    /// Steps from the best percussions so far, if their residual says what each contact does. Returns their
    /// number; `lambda` stays as it is.
    pub(super) fn polish(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        monitor: &mut Monitor,
    ) -> usize {
        let best = monitor.best();
        if best > self.below {
            return 0;
        }
        self.below = SECOND_ATTEMPT * best;
        self.swept.copy_from_slice(lambda);
        lambda.copy_from_slice(monitor.best_lambda());
        monitor.judge(problem, lambda);
        // Percussions that hold each other stay about as they are, so that what rests on them goes on doing so.
        let weight = |_, residual: f64| residual.max(near::LEAST);
        let steps = self.steps(problem, lambda, monitor, (STEPS, best), weight);
        lambda.copy_from_slice(&self.swept);
        steps
    }

    /// At most so many steps from the percussions that were judged last, each with its weight ρ by number and
    /// residual. They go on while the residual is below what is allowed, except for the first few.
    fn steps(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        monitor: &mut Monitor,
        (most, allowed): (usize, f64),
        weight: impl Fn(usize, f64) -> f64,
    ) -> usize {
        let most = most.min(self.left);
        let mut residual = monitor.best();
        for step in 1..=most {
            self.left -= 1;
            let rho = weight(step - 1, residual);
            if !self.newton.step(problem, lambda, &monitor.xi, rho) {
                return step;
            }
            residual = monitor.judge(problem, lambda).value;
            let is_astray = step >= TRIED && !(residual <= allowed);
            if monitor.stops(step) || is_astray {
                return step;
            }
        }
        most
    }
}
