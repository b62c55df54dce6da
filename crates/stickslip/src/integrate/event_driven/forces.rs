//! Forces that a run reports: friction along the axes of the world, loads within a step, everything at
//! its end.

use super::dynamics::Dynamics;
use super::engine::{Engine, Task};
use super::events::MotionEvent;
use super::mode::ActiveContact;
use crate::integrate::transmission::Directions;
use crate::integrate::{Change, Load, StepRecord};
use crate::system::State;

impl Dynamics {
    /// Adds what the components behind the first do to the first body of a contact, along the axes of the
    /// world; after an evaluation.
    pub(super) fn add_friction(
        &self,
        contact: &ActiveContact,
        translations: usize,
        out: &mut [f64],
    ) {
        let candidates = self.contacts.candidates();
        let Some(candidate) = candidates.iter().find(|c| c.key == contact.key) else { return };
        let rows = self.contacts.directions(candidate).chunks_exact(candidate.width().max(1));
        for (k, row) in rows.enumerate().skip(1) {
            let lambda = self.lambda[contact.first + k];
            let along = row.iter().take(translations);
            out.iter_mut().zip(along).for_each(|(sum, e)| *sum += lambda * e);
        }
    }
}

impl Engine {
    /// Notes the normal forces of the closed contacts in the last evaluation, which was at time t.
    pub(super) fn note_loads(&self, t: f64, record: &mut StepRecord) {
        let instant = record.loads.last().map_or(0, |load| load.instant + 1);
        let dynamics @ Dynamics { plans, lambda, .. } = &self.flow.dynamics;
        for contact in self.mode.contacts.iter().filter(|c| plans[c.group].tells_force()) {
            if let Some(force) = lambda.get(contact.first) {
                let force = force - dynamics.pull(contact);
                record.loads.push(Load { instant, t, key: contact.key, force });
            }
        }
    }

    /// Forces and sliding speeds at the end of the run, by one evaluation there. Where the mode cannot be
    /// evaluated (another feature is about to touch) there are none.
    pub(super) fn note_end(&mut self, state: &State, task: &mut Task) {
        if self.flow.dynamics.evaluate(task.system, state, &self.mode).is_err() {
            return;
        }
        self.note_loads(state.t, task.record);
        let dynamics = &self.flow.dynamics;
        let Dynamics { contacts, mass_inverse, plans, lambda, gamma, .. } = dynamics;
        let (groups, translations) = (task.system.law_groups(), task.system.translations());
        for contact in &self.mode.contacts {
            let listed = contacts.candidates().iter().find(|c| c.key == contact.key);
            let Some(candidate) = listed else { continue };
            let range = contact.first..contact.first + plans[contact.group].dim;
            let directions = Directions {
                block: candidate.blocks[0],
                rows: contacts.directions(candidate),
                width: candidate.width(),
                size: mass_inverse.size(candidate.blocks[0]),
                translations,
            };
            let pull = dynamics.pull(contact);
            let net = |(k, force): (usize, &f64)| if k == 0 { force - pull } else { *force };
            let forces = lambda[range.clone()].iter().enumerate().map(net);
            task.record.forces.push(contact.key, contact.group, directions, forces);
            let entry = task.record.contacts.iter_mut().find(|c| c.key == contact.key);
            if let Some(entry) = entry {
                let group = &groups[contact.group];
                entry.tangential_velocity[1] = group.slip(|k| gamma[range.start + k]);
                entry.slides_freely(group);
            }
        }
        task.record.knows_forces = true;
    }
}

/// What contacts do at an event; nothing for impacts and accumulations, which are listed apart, and for
/// laws other than the friction next to the normal law or in a joint.
pub(super) fn change(
    event: &MotionEvent,
    is_joint: impl Fn(u64) -> bool,
) -> Option<(f64, u64, Change)> {
    let change = match event {
        MotionEvent::Impact(_) | MotionEvent::Accumulation { .. } => return None,
        MotionEvent::Closing { .. } => Change::Close,
        MotionEvent::Opening { .. } => Change::Open,
        MotionEvent::Stick { contact, law, .. } if *law == usize::from(!is_joint(*contact)) => {
            Change::Stick
        }
        MotionEvent::Slip { contact, law, .. } if *law == usize::from(!is_joint(*contact)) => {
            Change::Slip
        }
        MotionEvent::Stick { .. } | MotionEvent::Slip { .. } => return None,
    };
    Some((event.t(), event.contact(), change))
}
