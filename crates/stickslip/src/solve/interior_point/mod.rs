//! An interior point with |ξ_T| inside Newton's method.
//!
//! In stretched components (see `cone.rs`) the problem is
//!
//! ```text
//! v = G x + c,      x ∘ u(v) = m e,      m → 0
//! ```
//!
//! with the Jordan product ∘. Newton's method on both, scaled after Nesterov and Todd, D = W², and
//! F = ∂v/∂u, needs one factorisation of G + F D per step (`linear.rs`).

mod cone;
mod linear;
mod path;

use super::monitor::Monitor;
use super::{Limits, SolveError, SolveReport, Solver, Status, check_start};
use crate::problem::InclusionProblem;
use path::{Path, Rule};

/// Options of [`InteriorPoint`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct InteriorPointOptions {
    /// When to stop; an iteration is one factorisation.
    pub limits: Limits,
}

/// Follows the central path of all contacts at once. For large problems with contacts that are not
/// independent, such as walls, at tight tolerance; Coulomb friction that is isotropic, contacts without
/// friction and joints only. It starts from nothing, whatever it is given.
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    options: InteriorPointOptions,
    monitor: Monitor,
    path: Path,
    candidate: Vec<f64>,
}

/// Steps by Mehrotra's rule, which is quick where it works, and their least length.
const FAST_STEPS: usize = 15;
const LEAST_FAST_LENGTH: f64 = 0.3;
/// Near the path: so many steps of less than that end it.
const STALLED_STEPS: usize = 8;
const STALLED_LENGTH: f64 = 0.02;
/// What an operation of the factorisation, an entry of G and a contact cost in a step, in products of an
/// entry of G with a component, as measured.
const OF_FACTOR: f64 = 0.7;
const OF_ENTRY: f64 = 4.0;
const OF_CONTACT: f64 = 2400.0;

/// Steps near the path.
const CENTRED_STEPS: usize = 80;

impl InteriorPoint {
    /// A solver with the given options.
    pub fn new(options: InteriorPointOptions) -> Result<Self, SolveError> {
        options.limits.validate()?;
        Ok(Self { options, ..Self::default() })
    }

    /// Operations of one step for this problem, in products of an entry of G with a component; none if
    /// there are laws that this method does not take.
    pub(crate) fn work_of_step(&mut self, problem: &InclusionProblem) -> Option<f64> {
        self.path.pose(problem).ok()?;
        let entries = problem.delassus().data().len() as f64;
        let contacts = problem.contacts().len() as f64;
        Some(OF_FACTOR * self.path.equations.work() + OF_ENTRY * entries + OF_CONTACT * contacts)
    }

    /// Steps by a rule from the start. The status if the solve is at its end.
    fn follow(
        &mut self,
        problem: &InclusionProblem,
        rule: Rule,
        iterations: &mut usize,
    ) -> Option<Status> {
        self.path.start();
        let most = if rule == Rule::Fast { FAST_STEPS } else { CENTRED_STEPS };
        let mut tiny = 0;
        for _ in 0..most {
            if self.monitor.out_of_time() {
                return Some(Status::TimeLimit);
            }
            if *iterations >= self.options.limits.max_iterations {
                return Some(Status::MaxIterations);
            }
            self.path.measure(problem);
            let length = self.path.step(problem, rule);
            *iterations += 1;
            self.path.percussions(&self.path.x, &mut self.candidate);
            self.monitor.judge(problem, &self.candidate);
            if self.monitor.stops(*iterations) {
                return Some(Status::Solved);
            }
            let length = length?;
            if rule == Rule::Fast && length < LEAST_FAST_LENGTH {
                return None;
            }
            tiny = if length < STALLED_LENGTH { tiny + 1 } else { 0 };
            if tiny >= STALLED_STEPS {
                return None;
            }
        }
        None
    }
}

impl Solver for InteriorPoint {
    fn name(&self) -> &'static str {
        "interior-point"
    }

    fn limits(&self) -> Limits {
        self.options.limits
    }

    fn set_limits(&mut self, limits: Limits) {
        self.options.limits = limits;
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        check_start(problem, lambda)?;
        if let Err(contact) = self.path.pose(problem) {
            return Err(SolveError::Unsupported {
                solver: self.name(),
                contact,
                reason: "it takes contacts without friction or with isotropic Coulomb friction, and joints".into(),
            });
        }
        self.monitor.begin(&self.options.limits, problem, lambda);
        if self.monitor.stops(0) {
            return Ok(self.monitor.end(lambda, 0, Status::Solved));
        }
        self.candidate.clear();
        self.candidate.resize(lambda.len(), 0.0);
        self.monitor.judge(problem, &self.candidate);
        if self.monitor.solved() || self.path.unit == 0.0 {
            return Ok(self.monitor.end(lambda, 0, Status::Stalled));
        }
        let mut iterations = 0;
        let mut status = None;
        for rule in [Rule::Fast, Rule::Centred] {
            status = self.follow(problem, rule, &mut iterations);
            if status.is_some() {
                break;
            }
        }
        Ok(self.monitor.end(lambda, iterations, status.unwrap_or(Status::Stalled)))
    }
}
