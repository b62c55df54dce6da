//! Where the internal states of the contacts are kept.

use super::Regularisation;
use crate::system::{Candidate, State};

/// One contact candidate with internal states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) key: u64,
    pub(crate) group: usize,
    /// First internal state.
    pub(crate) first: usize,
    /// Number of internal states.
    pub(crate) states: usize,
    /// First of the factors of its stiffness; none if all are 1.
    pub(crate) scales: Option<usize>,
}

/// The internal states stand behind what the system itself remembers in [`State::memory`], contact
/// by contact in the order in which the system lists its candidates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) slots: Vec<Slot>,
    /// Number of internal states.
    pub(crate) total: usize,
    /// Factors of the stiffness by component.
    pub(crate) factors: Vec<f64>,
    moved: Vec<f64>,
}

impl Layout {
    /// Takes the present list of candidates and brings the states of the contacts that are still
    /// listed to their new places. A contact that is new starts relaxed, or compressed by its depth.
    pub(crate) fn update(
        &mut self,
        regularisation: &Regularisation,
        candidates: &[Candidate],
        own: usize,
        state: &mut State,
    ) {
        let same = self.slots.len() == candidates.len()
            && self.slots.iter().zip(candidates).all(|(s, c)| s.key == c.key && s.group == c.group);
        if same {
            state.memory.resize(own + self.total, 0.0);
            return;
        }
        let fresh = self.slots.is_empty();
        let old = std::mem::take(&mut self.slots);
        self.set(regularisation, candidates.iter().map(|c| (c.key, c.group)));
        let first = self.total;
        // A layout without a history trusts the states that it finds: a run that goes on.
        if fresh {
            state.memory.resize(own + first, 0.0);
            return;
        }
        self.moved.clear();
        self.moved.resize(first, 0.0);
        for (slot, candidate) in self.slots.iter().zip(candidates) {
            let Some(before) = old.iter().find(|s| s.key == slot.key) else {
                let states = &mut self.moved[slot.first..slot.first + slot.states];
                regularisation.settle(slot.group, candidate.gap, states);
                continue;
            };
            // A contact with other laws than before keeps the states of the first ones.
            let kept = slot.states.min(before.states);
            let from = own + before.first..own + before.first + kept;
            if let Some(values) = state.memory.get(from) {
                self.moved[slot.first..slot.first + kept].copy_from_slice(values);
            }
        }
        state.memory.truncate(own);
        state.memory.resize(own, 0.0);
        state.memory.extend_from_slice(&self.moved);
    }

    /// Slots for these keys and groups, one after the other.
    pub(crate) fn set(
        &mut self,
        regularisation: &Regularisation,
        contacts: impl Iterator<Item = (u64, usize)>,
    ) {
        self.slots.clear();
        self.factors.clear();
        self.total = 0;
        for (key, group) in contacts {
            let states = regularisation.states(group);
            let scales = regularisation.scales.get(&key).map(|own| {
                self.factors.extend_from_slice(own);
                self.factors.len() - own.len()
            });
            self.slots.push(Slot { key, group, first: self.total, states, scales });
            self.total += states;
        }
    }

    /// Factor of the stiffness of a component.
    pub(crate) fn scale(&self, slot: &Slot, component: usize) -> f64 {
        let factor = slot.scales.and_then(|first| self.factors.get(first + component));
        factor.copied().unwrap_or(1.0)
    }

    /// The slot of a key; `hint` is where it should be.
    pub(crate) fn find(&self, hint: usize, key: u64) -> Option<usize> {
        if self.slots.get(hint).is_some_and(|s| s.key == key) {
            return Some(hint);
        }
        self.slots.iter().position(|s| s.key == key)
    }
}
