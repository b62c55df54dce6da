//! Newton steps by sparse blocks ([`super::near`]) on a whole problem with its joints, where these are so many that to
//! eliminate them costs more: chains and trees have little fill, but what is left without joints has every contact of a
//! chain coupled with every other.

use super::Limits;
use super::monitor::Monitor;
use super::nearby::Nearby;
use crate::convex::Set;
use crate::problem::InclusionProblem;

/// Part of the products with what is left of the joints that a step may cost: two steps are expected.
const PART: f64 = 0.25;
/// Components of joints, and of all else, from which it is tried: less is eliminated at once.
const FROM: usize = 12;

/// The steps, and memory for them.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    nearby: Nearby,
    start: Vec<f64>,
}

impl Default for Whole {
    fn default() -> Self {
        Self { nearby: Nearby::of_joints(), start: Vec::new() }
    }
}

impl Whole {
    /// Makes steps from the percussions of the last time step, where they cost little. Their number if they have solved the
    /// problem; else `lambda` is as it was. The start is judged unless it `is_judged`.
    pub(super) fn follow(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        limits: &Limits,
        monitor: &mut Monitor,
        is_judged: bool,
    ) -> Option<usize> {
        let joints = problem.laws().iter().filter(|law| matches!(law.set, Set::FreeSpace(_)));
        let gone: usize = joints.map(|law| law.dim).sum();
        let left = problem.dim() - gone;
        if gone < FROM || left < FROM || lambda.iter().all(|v| *v == 0.0) {
            return None;
        }
        self.nearby.begin(problem.dim(), limits.max_iterations);
        if !self.nearby.is_affordable(problem, PART * (left * left * gone) as f64) {
            return None;
        }
        if !is_judged {
            monitor.begin(limits, problem, lambda);
        }
        self.start.clear();
        self.start.extend_from_slice(lambda);
        let steps = self.nearby.follow_at_once(problem, lambda, monitor);
        if monitor.solved() {
            return Some(steps);
        }
        lambda.copy_from_slice(&self.start);
        None
    }
}
