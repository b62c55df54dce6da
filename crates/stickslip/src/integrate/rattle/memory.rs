//! What the next step takes over from the ones before.

use super::Rattle;
use crate::memory::Tape;

impl Rattle {
    /// Writes what the next step starts from, or reads it.
    pub(super) fn keep_start(&mut self, tape: &mut Tape) {
        self.warm.keep(tape);
        self.expected.keep_all(tape);
        self.record.keep(tape);
    }
}
