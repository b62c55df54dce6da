//! Which contacts took part in a velocity step.

use super::record::StepRecord;
use super::velocity_step::VelocityStep;

impl VelocityStep {
    /// Notes which contacts and joints took part, and nothing else of them.
    pub(crate) fn note_active(&self, record: &mut StepRecord) {
        let candidates = self.contacts.candidates();
        self.active.iter().for_each(|index| record.percussions.note(candidates[*index].key));
    }

    /// Which contacts took part, and whether they pressed.
    pub(crate) fn add_pattern(&self, out: &mut Vec<u64>) {
        for (index, contact) in self.active.iter().zip(self.problem.contacts()) {
            let presses = self.lambda.get(contact.offset).is_some_and(|v| *v != 0.0);
            out.extend([self.contacts.candidates()[*index].key, u64::from(presses)]);
        }
    }
}
