//! Poisson's law of impact in two phases (Pfeiffer and Glocker 1996, ch. 8).
//!
//! ```text
//! compression:  ξ_C = G Λ_C + c,            the laws with ε = 0
//! expansion:    ξ_E = ξ_C + G Λ_E,          0 ≤ Λ_EN − ε Λ_CN ⟂ ξ_EN ≥ 0,     −ξ_ET ∈ N_{C(Λ_EN)}(Λ_ET)
//! ```
//!
//! Of the percussions of compression only what an impact gives is stored, not what the smooth forces of
//! a time step press (Λ_S, the solution without the velocities before): a body at rest stays there.

use super::StepError;
use crate::convex::Set;
use crate::problem::{InclusionProblem, Reservoir, largest};
use crate::solve::{SolveReport, Solver, Status};
use crate::system::MechanicalSystem;

/// Approach over what the smooth forces change in the step, below which there is no impact.
const IMPACT: f64 = 1e-6;
/// Rounds in which the normal percussions that feed friction are found, and their relative change that
/// ends them.
const ROUNDS: usize = 100;
const SETTLED: f64 = 1e-13;

/// The contacts with Poisson's law, and memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poisson {
    /// Number of the contact in the problem, and ε.
    entries: Vec<(usize, f64)>,
    /// What the velocities before the step contribute to c.
    pub(crate) before: Vec<f64>,
}

impl Poisson {
    /// Forgets all contacts.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.before.clear();
    }

    /// Adds a contact.
    pub(crate) fn push(&mut self, contact: usize, restitution: f64) {
        self.entries.push((contact, restitution));
    }

    /// Adds the percussions of expansion to those of compression, if there is an impact; none if not.
    pub(crate) fn expand(
        &self,
        t: f64,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        solver: &mut dyn Solver,
    ) -> Result<Option<SolveReport>, StepError> {
        if self.entries.is_empty() || self.before.len() != problem.dim() {
            return Ok(None);
        }
        let failed = |source| StepError::Solve { t, source };
        let smooth: Vec<f64> = problem.c().iter().zip(&self.before).map(|(c, b)| c - b).collect();
        let least = IMPACT * largest(&smooth);
        let approaches = |contact: &crate::problem::Contact| {
            matches!(problem.laws_of(contact).first(), Some(law) if matches!(law.set, Set::HalfLine(_)))
                && self.before[contact.offset] < -least
        };
        if !problem.contacts().iter().any(approaches) {
            return Ok(None);
        }
        // What the smooth forces press; nothing in an impact that takes no time.
        let mut pressed = vec![0.0; problem.dim()];
        let mut iterations = 0;
        if largest(&smooth) > 1e-14 * largest(problem.c()) {
            let mut alone = problem.clone();
            alone.c_mut().copy_from_slice(&smooth);
            pressed.copy_from_slice(lambda);
            iterations += solver.solve(&alone, &mut pressed).map_err(failed)?.iterations;
        }
        let mut stored = vec![0.0; problem.dim()];
        for &(contact, restitution) in &self.entries {
            let normal = problem.contacts()[contact].offset;
            stored[normal] = restitution * (lambda[normal] - pressed[normal]).max(0.0);
        }
        // ξ_C + G (ε Λ_CN): the velocities with what is given back in any case.
        let given: Vec<f64> = lambda.iter().zip(&stored).map(|(l, s)| l + s).collect();
        let mut c = vec![0.0; problem.dim()];
        problem.relative_velocities(&given, &mut c);
        let mut feeding = stored.clone();
        let mut found = vec![0.0; problem.dim()];
        for _ in 0..ROUNDS {
            let mut expansion = InclusionProblem::new();
            for contact in problem.contacts() {
                let feeds = feeding[contact.offset];
                let is_stored = stored[contact.offset] > 0.0;
                expansion.push_contact(problem.laws_of(contact).iter().map(|law| {
                    let reservoir = match law.reservoir {
                        Reservoir::Normal | Reservoir::NormalPlus(_) if is_stored => {
                            Reservoir::Constant(feeds)
                        }
                        Reservoir::NormalPlus(_) => Reservoir::Normal,
                        // A constant force has given its percussion already.
                        Reservoir::Constant(_) => Reservoir::Constant(0.0),
                        other => other,
                    };
                    (law.set.clone(), reservoir)
                }));
            }
            expansion
                .set_data(problem.delassus().clone(), c.clone())
                .map_err(|source| failed(source.into()))?;
            let mut report = solver.solve(&expansion, &mut found).map_err(failed)?;
            iterations += report.iterations;
            report.iterations = iterations;
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for &(contact, _) in &self.entries {
                let normal = problem.contacts()[contact].offset;
                let next = stored[normal] + found[normal];
                change = change.max((next - feeding[normal]).abs());
                size = size.max(next);
                feeding[normal] = next;
            }
            if change <= SETTLED.max(solver.limits().tolerance) * size
                || report.status != Status::Solved
            {
                for ((l, given), more) in lambda.iter_mut().zip(&given).zip(&found) {
                    *l = given + more;
                }
                return Ok(Some(report));
            }
        }
        let residual = problem.residual(lambda);
        Ok(Some(SolveReport { status: Status::Stalled, iterations, residual }))
    }
}

/// An error if the restitution of a contact is none at this speed of approach.
pub(crate) fn check_restitution(
    system: &dyn MechanicalSystem,
    group: usize,
    key: u64,
    speed: f64,
    t: f64,
) -> Result<(), StepError> {
    let Some(law) = system.law_groups()[group].laws.first().map(|named| &named.law) else {
        return Ok(());
    };
    let value = law.restitution_at(speed, t);
    if law.restitution_curve.is_none() || (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(StepError::Restitution { t, contact: system.contact_name(key), speed, value })
}
