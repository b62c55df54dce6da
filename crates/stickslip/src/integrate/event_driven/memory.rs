//! What the next step takes over from the ones before.

use super::engine::Engine;
use super::impact::Sequence;
use super::mode::{ActiveContact, Mode, Motion};
use crate::memory::Tape;

impl Engine {
    /// Writes all that a run goes on from, or reads it.
    pub(super) fn keep(&mut self, tape: &mut Tape) {
        tape.section("event-driven");
        tape.option(&mut self.reached, |tape, state| state.keep(tape));
        self.mode.keep(tape);
        self.told.keep(tape);
        tape.numbers(&mut self.peaks);
        let differences = &mut self.flow.dynamics.differences;
        tape.reals([&mut self.scale.length, &mut self.scale.speed, &mut self.scale.time]);
        tape.reals([&mut self.step, &mut self.speed, &mut self.watch.force]);
        tape.reals([&mut self.escape.t, &mut self.escape.step, &mut self.impacts.fastest]);
        tape.reals([&mut differences.shortened, &mut differences.length]);
        tape.list(&mut self.impacts.sequences, |tape, sequence| sequence.keep(tape));
    }
}

impl Sequence {
    fn keep(&mut self, tape: &mut Tape) {
        let Self { contact, last, interval, ratio, shrinkings, longest } = self;
        tape.whole(contact);
        tape.reals([last, interval, ratio, longest]);
        let mut count = u64::from(*shrinkings);
        tape.whole(&mut count);
        *shrinkings = u32::try_from(count).unwrap_or(u32::MAX);
    }
}

impl Mode {
    fn keep(&mut self, tape: &mut Tape) {
        tape.size(&mut self.dim);
        tape.list(&mut self.contacts, |tape, contact| contact.keep(tape));
    }
}

impl ActiveContact {
    fn keep(&mut self, tape: &mut Tape) {
        tape.whole(&mut self.key);
        tape.size(&mut self.group);
        tape.flag(&mut self.permanent);
        tape.size(&mut self.first);
        let motions = [Motion::Constrained, Motion::Slip, Motion::Viscous];
        tape.list(&mut self.motions, |tape, motion| tape.choice(motion, &motions));
        tape.list(&mut self.onset, Tape::flag);
        for list in [&mut self.direction, &mut self.reference, &mut self.size] {
            tape.numbers(list);
        }
    }
}
