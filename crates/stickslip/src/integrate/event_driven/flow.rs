//! The smooth motion within a mode as an ordinary differential equation.
//!
//! ```text
//! y = (q, u, work of every law, work of the drive, and of every contact: percussion of friction along
//!      the axes of the world, percussion of every component, work of every component)
//! ```

use super::dynamics::{Dynamics, dot, elements};
use super::mode::{ActiveContact, Mode};
use super::plan::Plan;
use crate::integrate::{StepError, StepRecord, Transmitted};
use crate::system::{LawGroup, MechanicalSystem, State};

/// Memory of the right-hand side.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub(super) dynamics: Dynamics,
    groups: Vec<LawGroup>,
    /// First law of every group among all laws, and their number.
    law_starts: Vec<usize>,
    laws: usize,
    pub(super) at: State,
}

impl Flow {
    /// Takes the laws of a system.
    pub(super) fn begin(&mut self, system: &dyn MechanicalSystem) {
        self.dynamics.mass_inverse.shape(system.blocks());
        if self.groups == system.law_groups() {
            return;
        }
        self.groups = system.law_groups().to_vec();
        self.dynamics.plans = self.groups.iter().map(Plan::new).collect();
        self.law_starts.clear();
        self.laws = 0;
        for group in &self.groups {
            self.law_starts.push(self.laws);
            self.laws += group.laws.len();
        }
    }

    /// y of a state with all works zero.
    pub(super) fn pack(&self, state: &State, mode: &Mode, y: &mut Vec<f64>) {
        y.clear();
        y.extend_from_slice(&state.q);
        y.extend_from_slice(&state.u);
        y.resize(y.len() + self.laws + 1 + 3 * mode.contacts.len() + 2 * mode.dim, 0.0);
    }

    /// Where the sums of a contact stand behind the drive: friction, percussions, works.
    fn sums(position: usize, contact: &ActiveContact, dim: usize) -> [std::ops::Range<usize>; 3] {
        let first = 1 + 3 * position + 2 * contact.first;
        [first..first + 3, first + 3..first + 3 + dim, first + 3 + dim..first + 3 + 2 * dim]
    }

    /// Takes q and u out of y.
    pub(super) fn unpack(&self, y: &[f64], state: &mut State) {
        let n = state.q.len();
        state.q.copy_from_slice(&y[..n]);
        let m = state.u.len();
        state.u.copy_from_slice(&y[n..n + m]);
    }

    /// Books works and percussions of y.
    pub(super) fn book(&self, y: &[f64], state: &State, mode: &Mode, record: &mut StepRecord) {
        let first = state.q.len() + state.u.len();
        let works = &y[first..first + self.laws];
        for (group, laws) in self.groups.iter().enumerate() {
            for law in 0..laws.laws.len() {
                let work = works[self.law_starts[group] + law];
                if work != 0.0 {
                    record.book(group, law, work);
                }
            }
        }
        record.drive_work += y[first + self.laws];
        let sums = &y[first + self.laws..];
        for (position, contact) in mode.contacts.iter().enumerate() {
            let plan = &self.dynamics.plans[contact.group];
            let [friction, percussions, works] = Self::sums(position, contact, plan.dim);
            if plan.tells_force()
                && let Some(entry) = record.contacts.iter_mut().find(|c| c.key == contact.key)
            {
                entry.normal_percussion += sums[percussions.start];
            }
            let list = &mut record.percussions;
            let candidates = self.dynamics.contacts.candidates();
            let block = candidates.iter().find(|c| c.key == contact.key).map(|c| c.blocks[0]);
            let mut tangential = [0.0; 3];
            tangential.copy_from_slice(&sums[friction]);
            list.entries.push(Transmitted {
                key: contact.key,
                group: contact.group,
                first: list.components.len(),
                block: block.unwrap_or(usize::MAX),
                tangential,
                ..Transmitted::default()
            });
            list.components.extend_from_slice(&sums[percussions]);
            list.works.extend_from_slice(&sums[works]);
        }
    }

    /// Looks at the system at y, for event functions: gaps, and in a mode with contacts forces and velocities, stay in
    /// `dynamics`.
    pub(super) fn look(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        t: f64,
        y: &[f64],
    ) -> Result<(), StepError> {
        self.go_to(t, y);
        if mode.contacts.is_empty() {
            return self.dynamics.list(system, &self.at);
        }
        self.dynamics.evaluate(system, &self.at, mode)
    }

    fn go_to(&mut self, t: f64, y: &[f64]) {
        let mut at = std::mem::take(&mut self.at);
        at.t = t;
        self.unpack(y, &mut at);
        self.at = at;
    }

    /// The rate of y within a step, where nobody asks for gaps.
    pub(super) fn stage(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        t: f64,
        y: &[f64],
        rate: &mut [f64],
    ) -> Result<(), StepError> {
        self.dynamics.skips_gaps = true;
        let outcome = self.rate(system, mode, t, y, rate);
        self.dynamics.skips_gaps = false;
        outcome
    }

    /// The rate of y.
    pub(super) fn rate(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        t: f64,
        y: &[f64],
        rate: &mut [f64],
    ) -> Result<(), StepError> {
        self.go_to(t, y);
        self.dynamics.evaluate(system, &self.at, mode)?;
        let (n, m) = (self.at.q.len(), self.at.u.len());
        system.coordinate_rate(&self.at, &self.at.u, &mut rate[..n]);
        rate[n..n + m].copy_from_slice(&self.dynamics.acceleration);
        let (works, rest) = rate[n + m..].split_at_mut(self.laws);
        works.fill(0.0);
        rest.fill(0.0);
        // The drive: forces without a potential, and prescribed motion through the contacts.
        rest[0] = dot(&self.dynamics.applied, &self.at.u);
        let dynamics = &self.dynamics;
        let translations = system.translations().min(3);
        for (position, contact) in mode.contacts.iter().enumerate() {
            let dim = dynamics.plans[contact.group].dim;
            let [friction, percussions, component_works] = Self::sums(position, contact, dim);
            for k in 0..dim {
                let c = contact.first + k;
                let pull = if k == 0 { dynamics.pull(contact) } else { 0.0 };
                let lambda = dynamics.lambda[c] - pull;
                rest[percussions.start + k] = lambda;
                rest[component_works.start + k] = lambda * dynamics.gamma[c];
            }
            if translations > 0 && !contact.permanent {
                dynamics.add_friction(contact, translations, &mut rest[friction]);
            }
            for (_, element, _) in elements(&dynamics.plans, contact) {
                for k in 0..element.dim {
                    let c = contact.first + element.first + k;
                    let lambda = dynamics.lambda[c];
                    works[self.law_starts[contact.group] + element.law] +=
                        lambda * dynamics.gamma[c];
                    rest[0] -= lambda * dynamics.rheonomic[c];
                }
            }
        }
        Ok(())
    }

    /// Takes the sizes of a state, and what it remembers.
    pub(super) fn load(&mut self, state: &State) {
        self.at.clone_from(state);
    }
}
