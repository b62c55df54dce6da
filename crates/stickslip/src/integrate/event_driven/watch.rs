//! Event functions: what ends a smooth phase.

use super::dynamics::{Dynamics, elements};
use super::mode::{Mode, Motion};
use super::scale::Zero;
use super::variation::NearMiss;
use crate::convex::{ConvexSet, Set};

/// Something that must stay positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    /// The gap of an open contact, by its key.
    Gap(u64),
    /// The normal force of a closed contact, by its place in the mode.
    Lift(usize),
    /// What is left of the reservoir of a sticking element.
    Slide(usize, usize),
    /// The velocity of a slipping element along its direction of slip.
    Halt(usize, usize),
}

/// Force that counts as zero, relative to the largest force of the run: the noise of the forces.
const FORCE_NOISE: f64 = 1e-12;

/// Event functions of a mode with their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    pub(super) triggers: Vec<Trigger>,
    /// Values, and for gaps and slip along a line their rates, at the samples of a step: one row per sample.
    pub(super) values: Vec<Vec<f64>>,
    pub(super) rates: Vec<Vec<f64>>,
    /// Gap up to which a contact is closed, m; 0 for what is no gap.
    pub(super) closed_at: Vec<f64>,
    /// Rate of a gap that may be rounding, m/s.
    slowest: f64,
    /// Largest force of the run.
    pub(super) force: f64,
    /// The one on which the last step landed.
    pub(super) landed: Option<Trigger>,
    /// Minima of gaps in the last step, and whether they are looked for.
    pub(super) minima: Vec<NearMiss>,
    pub(super) finds_minima: bool,
}

impl Watch {
    /// Lists what to watch in a mode, after its evaluation.
    pub(super) fn begin(&mut self, dynamics: &Dynamics, mode: &Mode, zero: Zero) {
        self.triggers.clear();
        self.closed_at.clear();
        self.slowest = zero.least_speed;
        for candidate in dynamics.contacts.candidates() {
            let open = mode.find(candidate.key).is_none();
            if open && candidate.gap.is_finite() && dynamics.plans[candidate.group].is_unilateral()
            {
                self.triggers.push(Trigger::Gap(candidate.key));
                self.closed_at.push(zero.closed_at(candidate));
            }
        }
        for (position, contact) in mode.contacts.iter().enumerate() {
            if contact.has_gap(&dynamics.plans[contact.group]) {
                self.triggers.push(Trigger::Lift(position));
            }
            for (index, element, motion) in elements(&dynamics.plans, contact) {
                if !contact.is_free(element) {
                    continue;
                }
                match motion {
                    Motion::Constrained => self.triggers.push(Trigger::Slide(position, index)),
                    Motion::Slip => self.triggers.push(Trigger::Halt(position, index)),
                    Motion::Viscous => {}
                }
            }
        }
        self.closed_at.resize(self.triggers.len(), 0.0);
        let force = dynamics.lambda.iter().fold(0.0_f64, |m, l| m.max(l.abs()));
        self.force = self.force.max(force);
    }

    /// Whether a contact that was not listed at the start of the step, because other features were
    /// nearest there, is closed at its end: nobody would see it close. After an evaluation there.
    pub(super) fn misses(&self, dynamics: &Dynamics, mode: &Mode, zero: Zero) -> bool {
        dynamics.contacts.candidates().iter().any(|candidate| {
            candidate.gap.is_finite()
                && candidate.gap < -zero.closed_at(candidate)
                && dynamics.plans[candidate.group].is_unilateral()
                && mode.find(candidate.key).is_none()
                && !self.triggers.contains(&Trigger::Gap(candidate.key))
        })
    }

    /// Values of all event functions in sample `row`, after an evaluation at velocities u.
    pub(super) fn measure(&mut self, row: usize, dynamics: &Dynamics, mode: &Mode, u: &[f64]) {
        if self.values.len() <= row {
            self.values.resize(row + 1, Vec::new());
            self.rates.resize(row + 1, Vec::new());
        }
        let (values, rates) = (&mut self.values[row], &mut self.rates[row]);
        values.clear();
        rates.clear();
        let noise = FORCE_NOISE * self.force;
        for trigger in &self.triggers {
            // Zero where it is not known.
            let mut rate = 0.0;
            values.push(match *trigger {
                Trigger::Gap(key) => {
                    let candidates = dynamics.contacts.candidates();
                    match candidates.iter().position(|c| c.key == key) {
                        Some(index) => {
                            rate = dynamics.gap_rate(index, u);
                            candidates[index].gap
                        }
                        None => f64::INFINITY,
                    }
                }
                Trigger::Lift(position) => dynamics.lambda[mode.contacts[position].first] + noise,
                Trigger::Slide(position, index) => {
                    let contact = &mode.contacts[position];
                    let element = &dynamics.plans[contact.group].elements[index];
                    let first = contact.first + element.first;
                    let force = &dynamics.lambda[first..first + element.dim];
                    match element.set {
                        Set::HalfLine(_) => force[0] + noise,
                        _ => {
                            let scale = element.scale(dynamics.lambda[contact.first]);
                            (scale - element.set.gauge(force)).max(-1e300) + noise
                        }
                    }
                }
                Trigger::Halt(position, index) => {
                    let contact = &mode.contacts[position];
                    let element = &dynamics.plans[contact.group].elements[index];
                    let ahead = &contact.direction[element.first..element.first + element.dim];
                    let first = contact.first + element.first;
                    let gamma = &dynamics.gamma[first..first + element.dim];
                    let size = element.speed(ahead).max(f64::MIN_POSITIVE);
                    if element.dim == 1 {
                        rate = element.product(&[dynamics.velocity_rate(first)], ahead) / size;
                    }
                    element.product(gamma, ahead) / size
                }
            });
            rates.push(rate);
        }
    }

    /// Whether a function passes zero between two neighbouring samples. What is not positive at
    /// the very start of a step has just changed, and counts as positive there.
    ///
    /// A gap that has just opened may be negative by rounding: it closes only once its rate is
    /// negative too.
    pub(super) fn crosses(&self, index: usize, row: usize) -> bool {
        let (start, end) = (self.values[row][index], self.values[row + 1][index]);
        if self.rises(index, row) && start <= 0.0 {
            return end < 0.0 && self.rates[row + 1][index] < 0.0;
        }
        end < 0.0 && (row == 0 || start >= 0.0)
    }

    /// Whether a gap grows at a sample. At the start of a step a contact that has just opened
    /// may grow so slowly that its rate is rounding.
    pub(super) fn rises(&self, index: usize, row: usize) -> bool {
        let slowest = if self.just_opened(index, row) { -self.slowest } else { 0.0 };
        matches!(self.triggers[index], Trigger::Gap(_)) && self.rates[row][index] > slowest
    }

    /// Whether a gap is closed by rounding at the start of a step.
    fn just_opened(&self, index: usize, row: usize) -> bool {
        row == 0 && self.values[row][index] <= self.closed_at[index]
    }

    /// Whether a gap, or the velocity of slip along a line, has a minimum between two samples where it is positive.
    pub(super) fn dips(&self, index: usize, row: usize) -> bool {
        matches!(self.triggers[index], Trigger::Gap(_) | Trigger::Halt(..))
            && self.values[row][index] > 0.0
            && self.values[row + 1][index] >= 0.0
            && self.rates[row][index] < 0.0
            && !self.rises(index, row)
            && self.rates[row + 1][index] > 0.0
    }
}
