//! When contacts open and close.

use crate::integrate::{ContactRecord, StepRecord};
use crate::memory::Tape;

/// What happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A contact began to transmit a force.
    #[default]
    Close,
    /// A contact ceased to transmit a force.
    Open,
    /// Infinitely many impacts in a finite time ended here: the contact stays closed.
    Accumulation,
}

impl EventKind {
    const ALL: [Self; 3] = [EventKind::Close, EventKind::Open, EventKind::Accumulation];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Close => "close",
            EventKind::Open => "open",
            EventKind::Accumulation => "accumulation",
        }
    }
}

/// An event at a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Event {
    /// Time, s: end of the step in which the force appeared, or of the last step that had one; of an
    /// accumulation the instant itself.
    pub t: f64,
    /// Key of the contact.
    pub contact: u64,
    /// What happened.
    pub kind: EventKind,
}

/// Watches one contact.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    key: u64,
    closed: bool,
    /// End of the last step with a force.
    last_force: f64,
    /// The last gap, m.
    gap: f64,
}

/// Finds events with a hysteresis: a force that comes and goes from step to step, as it does in
/// time stepping, is one closed contact. A contact is open when it had no force for a while and
/// its gap is larger than the penetration that the scheme allows itself: smaller gaps mean nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventDetector {
    hold: f64,
    watches: Vec<Watch>,
    pub(crate) events: Vec<Event>,
    pub(crate) dropped: u64,
}

/// Steps without a force after which a contact counts as open, and the shortest such time, s.
const HOLD_STEPS: f64 = 10.0;
const HOLD_TIME: f64 = 1e-3;
/// Events that are kept; a bouncing pile has millions.
const MOST_EVENTS: usize = 100_000;

impl EventDetector {
    /// A detector for runs with the given step.
    pub(crate) fn new(step: f64) -> Self {
        Self { hold: (HOLD_STEPS * step).max(HOLD_TIME), ..Self::default() }
    }

    /// Looks at a step that ended at time t; `penetration` is the deepest one so far, m.
    pub(crate) fn enter(&mut self, t: f64, record: &StepRecord, penetration: f64) {
        for contact in &record.contacts {
            self.look(t, contact);
        }
        for &(t, contact) in &record.accumulations {
            self.push(Event { t, contact, kind: EventKind::Accumulation });
        }
        for position in 0..self.watches.len() {
            let watch = &mut self.watches[position];
            if watch.closed && t - watch.last_force > self.hold && watch.gap > penetration {
                watch.closed = false;
                let event =
                    Event { t: watch.last_force, contact: watch.key, kind: EventKind::Open };
                self.push(event);
            }
        }
    }

    fn look(&mut self, t: f64, contact: &ContactRecord) {
        // Joints and drives always act: they neither open nor close.
        if contact.gap == f64::NEG_INFINITY {
            return;
        }
        let key = contact.key;
        let found = self.watches.binary_search_by_key(&key, |w| w.key);
        if contact.normal_percussion <= 0.0 {
            if let Ok(position) = found {
                self.watches[position].gap = contact.gap;
            }
            return;
        }
        let gap = contact.gap;
        let position = found.unwrap_or_else(|position| {
            self.watches.insert(position, Watch { key, closed: false, last_force: t, gap });
            position
        });
        let watch = &mut self.watches[position];
        watch.gap = gap;
        watch.last_force = t;
        if !watch.closed {
            watch.closed = true;
            self.push(Event { t, contact: key, kind: EventKind::Close });
        }
    }

    fn push(&mut self, event: Event) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        } else {
            self.dropped += 1;
        }
    }

    /// Writes everything, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("events");
        tape.real(&mut self.hold);
        tape.whole(&mut self.dropped);
        tape.list(&mut self.watches, |tape, watch| {
            tape.whole(&mut watch.key);
            tape.flag(&mut watch.closed);
            tape.reals([&mut watch.last_force, &mut watch.gap]);
        });
        tape.list(&mut self.events, |tape, event| {
            tape.real(&mut event.t);
            tape.whole(&mut event.contact);
            tape.choice(&mut event.kind, &EventKind::ALL);
        });
    }

    /// The events in the order of time.
    pub(crate) fn in_order(&self) -> Vec<Event> {
        let mut events = self.events.clone();
        events.sort_by(|a, b| a.t.total_cmp(&b.t));
        events
    }
}
