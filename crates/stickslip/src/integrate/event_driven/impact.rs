//! Impacts and their accumulation.

use super::events::{ImpactEvent, MotionEvent};
use super::scale::Zero;
use crate::integrate::rows::product;
use crate::integrate::velocity_step::{Mean, VelocityStep};
use crate::integrate::warm_start::WarmStart;
use crate::integrate::{StepError, StepRecord};
use crate::solve::{SolveReport, Solver, Status};
use crate::system::{MechanicalSystem, State};

/// A rebound slower than this, relative to the fastest impact of the run, is taken for rest. The
/// hop that is left out is then about as high as the rounding of a gap.
const REST: f64 = 1e-7;

/// The same for contacts that others lift, as the corners of a block that rocks lift each other, where
/// their impacts accumulate.
const ROCKING_REST: f64 = 1e-6;

/// Residual of an impact that is accepted where the wanted one is not reached.
const ACCEPTED: f64 = 1e-10;

/// Intervals between impacts that shrink at least so often, and together at least by this factor,
/// come to an accumulation point.
const SHRINKINGS: u32 = 3;
const SHRUNK: f64 = 1e-3;

/// Impacts of one contact that follow each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    pub(super) contact: u64,
    /// Time of the last impact, and the interval before it; 0 at first.
    pub(super) last: f64,
    pub(super) interval: f64,
    /// Last interval relative to the one before.
    pub(super) ratio: f64,
    /// How often in a row the interval shrank, and the interval before that.
    pub(super) shrinkings: u32,
    pub(super) longest: f64,
}

/// The law of impact at one instant, and the memory of former impacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Impacts {
    pub(super) kernel: VelocityStep,
    pub(super) sequences: Vec<Sequence>,
    /// Fastest impact of the run, m/s.
    pub(super) fastest: f64,
    u_mean: Vec<f64>,
}

/// The outcome of an impact.
pub(super) struct Outcome {
    pub(super) report: SolveReport,
    /// Contacts that come to rest although they would hop on.
    pub(super) resting: Vec<u64>,
}

impl Impacts {
    /// Newton's law of impact at all closed contacts: the velocity step of no length. Changes
    /// state.u, books the work and calls `tell` with what happened.
    pub(super) fn strike(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        zero: Zero,
        solver: &mut dyn Solver,
        record: &mut StepRecord,
        tell: &mut dyn FnMut(MotionEvent),
    ) -> Result<Outcome, StepError> {
        let kernel = &mut self.kernel;
        kernel.closed_gap = zero.gap;
        kernel.contacts.margin = zero.gap;
        let mut report = kernel.run(system, state, 0.0, &WarmStart::default(), 1.0, solver)?;
        if report.residual.value <= ACCEPTED {
            report.status = Status::Solved;
        }
        self.u_mean.clear();
        self.u_mean.extend(state.u.iter().zip(&kernel.u_e).map(|(a, e)| 0.5 * (a + e)));
        kernel.book(system, 1.0, Mean::Own(&self.u_mean), record);
        let groups = system.law_groups();
        let (mut resting, mut hit) = (Vec::new(), Vec::new());
        for (position, &index) in kernel.active.iter().enumerate() {
            let candidate = &kernel.contacts.candidates()[index];
            let range = kernel.problem.contacts()[position].range();
            let percussion = &kernel.lambda[range];
            if percussion.iter().all(|p| *p == 0.0) {
                continue;
            }
            let (w, w_tilde) =
                (kernel.contacts.directions(candidate), kernel.contacts.rheonomic(candidate));
            let velocity = |u: &[f64]| -> Vec<f64> {
                w.chunks_exact(candidate.width())
                    .zip(w_tilde)
                    .map(|(row, w)| product(&kernel.mass_inverse, candidate.blocks, row, u) + w)
                    .collect()
            };
            let impact = ImpactEvent {
                t: state.t,
                contact: candidate.key,
                velocity_before: velocity(&state.u),
                velocity_after: velocity(&kernel.u_e),
                percussion: percussion.to_vec(),
            };
            let (before, after) = (impact.velocity_before[0], impact.velocity_after[0]);
            if candidate.gap == f64::NEG_INFINITY {
                continue;
            }
            if let Some(entry) = record.contacts.iter_mut().find(|c| c.key == candidate.key) {
                entry.normal_percussion += impact.percussion[0];
            }
            record.impacts.push(impact.summary(groups[candidate.group].laws.get(1)));
            tell(MotionEvent::Impact(impact));
            if before >= -zero.speed {
                continue;
            }
            hit.push(candidate.key);
            self.fastest = self.fastest.max(-before);
            follow(&mut self.sequences, candidate.key, state.t);
            if after > 0.0 && after <= REST * self.fastest {
                resting.push(candidate.key);
            }
        }
        let (sequences, fastest) = (&self.sequences, self.fastest);
        let slow: Vec<(u64, f64)> = kernel
            .active
            .iter()
            .map(|index| &kernel.contacts.candidates()[*index])
            .filter(|c| c.gap.is_finite())
            .map(|c| {
                let row = &kernel.contacts.directions(c)[..c.width()];
                let after = product(&kernel.mass_inverse, c.blocks, row, &kernel.u_e);
                (c.key, after + kernel.contacts.rheonomic(c)[0])
            })
            .filter(|(_, after)| after.abs() <= ROCKING_REST * fastest)
            .collect();
        let lifts = |(key, after): &(u64, f64)| {
            *after > 0.0 && !hit.contains(key) && accumulates(sequences, *key)
        };
        // All that are slow come to rest together, or one would lift the other again.
        if slow.iter().any(lifts) {
            resting.extend(slow.iter().map(|(key, _)| *key));
        }
        state.u.copy_from_slice(&kernel.u_e);
        Ok(Outcome { report, resting })
    }

    /// Time at which the impacts of a contact that now stays closed accumulate, extrapolated as a
    /// geometric series; none if they do not.
    pub(super) fn accumulation(&mut self, contact: u64) -> Option<f64> {
        let accumulates = accumulates(&self.sequences, contact);
        let sequence = self.sequences.iter_mut().find(|s| s.contact == contact)?;
        sequence.shrinkings = 0;
        sequence.longest = sequence.interval;
        let rest = sequence.interval * sequence.ratio / (1.0 - sequence.ratio);
        (accumulates && rest.is_finite()).then_some(sequence.last + rest)
    }

    /// Forgets the impacts of a former run.
    pub(super) fn forget(&mut self) {
        self.sequences.clear();
        self.fastest = 0.0;
    }
}

/// Whether the impacts of a contact follow each other ever faster.
fn accumulates(sequences: &[Sequence], contact: u64) -> bool {
    let sequence = sequences.iter().find(|s| s.contact == contact);
    sequence.is_some_and(|s| s.shrinkings >= SHRINKINGS && s.interval < SHRUNK * s.longest)
}

/// Enters an impact into the sequence of its contact.
fn follow(sequences: &mut Vec<Sequence>, contact: u64, t: f64) {
    let Some(sequence) = sequences.iter_mut().find(|s| s.contact == contact) else {
        sequences.push(Sequence { contact, last: t, ..Sequence::default() });
        return;
    };
    let interval = t - sequence.last;
    if interval <= 0.0 {
        return;
    }
    sequence.ratio = interval / sequence.interval;
    if sequence.ratio < 1.0 {
        sequence.shrinkings += 1;
    } else {
        (sequence.shrinkings, sequence.longest) = (0, interval);
    }
    (sequence.last, sequence.interval) = (t, interval);
}
