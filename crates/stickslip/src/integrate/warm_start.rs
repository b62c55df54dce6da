//! Percussions of the last step, kept under the keys of the contacts.

use super::velocity_step::VelocityStep;
use crate::memory::Tape;

/// Where the percussions of a contact are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Entry {
    key: u64,
    start: usize,
    dim: usize,
}

/// The last percussions by key. Memory is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarmStart {
    entries: Vec<Entry>,
    values: Vec<f64>,
}

impl WarmStart {
    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.values.clear();
    }

    /// Takes over what another one keeps, without new memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.entries.clone_from(&other.entries);
        self.values.clone_from(&other.values);
    }

    /// Writes everything, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("warm start");
        tape.numbers(&mut self.values);
        let most = self.values.len();
        tape.list(&mut self.entries, |tape, entry| {
            tape.whole(&mut entry.key);
            tape.size(&mut entry.start);
            tape.size(&mut entry.dim);
            // No entry may point behind the values, whatever was read.
            entry.start = entry.start.min(most);
            entry.dim = entry.dim.min(most - entry.start);
        });
    }

    /// Keeps the percussions of a contact; call [`finish`](Self::finish) after the last.
    pub(crate) fn push(&mut self, key: u64, percussions: impl IntoIterator<Item = f64>) {
        let start = self.values.len();
        self.values.extend(percussions);
        self.entries.push(Entry { key, start, dim: self.values.len() - start });
    }

    /// Keeps those of a step of this length for the next one, as forces (divided by dt), and nothing else.
    pub(crate) fn take(&mut self, step: &VelocityStep, dt: f64) {
        self.clear();
        for (contact, &index) in step.active.iter().enumerate() {
            let range = step.problem.contacts()[contact].range();
            let key = step.contacts.candidates()[index].key;
            self.push(key, step.lambda[range].iter().map(|v| v / dt));
        }
        self.finish();
    }

    /// Sorts the entries for [`get`](Self::get).
    pub(crate) fn finish(&mut self) {
        if self.entries.windows(2).any(|w| w[0].key > w[1].key) {
            self.entries.sort_unstable_by_key(|e| e.key);
        }
    }

    /// The last percussions under this key, if they have as many components.
    pub(crate) fn get(&self, key: u64, dim: usize) -> Option<&[f64]> {
        let position = self.entries.binary_search_by_key(&key, |e| e.key).ok()?;
        let entry = self.entries[position];
        (entry.dim == dim).then(|| &self.values[entry.start..entry.start + dim])
    }

    /// Whether the contact was closed in the last step and did not press: it opens.
    pub(crate) fn let_go(&self, key: u64, dim: usize) -> bool {
        self.get(key, dim).and_then(<[f64]>::first).is_some_and(|normal| *normal <= 0.0)
    }
}
