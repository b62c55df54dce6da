//! When contacts open, close, stick and slip.

use crate::integrate::{Change, ContactRecord, ContactState, StepRecord};
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
    /// Friction came to stick.
    Stick,
    /// Friction began to slip, or slips the other way.
    Slip,
}

impl EventKind {
    const ALL: [Self; 5] = [
        EventKind::Close,
        EventKind::Open,
        EventKind::Accumulation,
        EventKind::Stick,
        EventKind::Slip,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Close => "close",
            EventKind::Open => "open",
            EventKind::Accumulation => "accumulation",
            EventKind::Stick => "stick",
            EventKind::Slip => "slip",
        }
    }
}

/// An event at a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Event {
    /// Time, s: end of the step in which the force appeared, or of the last step that had one, or of the first
    /// step of stick or slip; of an accumulation, and where the integrator locates events, the instant itself.
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
    /// Whether it slips or sticks; open before it was told.
    told: ContactState,
    /// The state of the last steps, since when, and how many they are.
    state: ContactState,
    since: f64,
    steps: u32,
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
    /// Stick and slip.
    pub(crate) motions: Vec<Event>,
    pub(crate) dropped_motions: u64,
}

/// Steps without a force after which a contact counts as open, and the shortest such time, s.
const HOLD_STEPS: f64 = 10.0;
const HOLD_TIME: f64 = 1e-3;
/// Steps that stick or slip must last to be told: in time stepping they may change from step to step.
const LASTING_STEPS: u32 = 3;
/// Events that are kept; a bouncing pile has millions.
const MOST_EVENTS: usize = 100_000;

impl EventDetector {
    /// A detector for runs with the given step.
    pub(crate) fn new(step: f64) -> Self {
        Self { hold: (HOLD_STEPS * step).max(HOLD_TIME), ..Self::default() }
    }

    /// Looks at a step that ended at time t; `penetration` is the deepest one so far, m.
    pub(crate) fn enter(&mut self, t: f64, record: &StepRecord, penetration: f64) {
        for &(t, contact) in &record.accumulations {
            self.push(Event { t, contact, kind: EventKind::Accumulation });
        }
        if record.locates_changes {
            for &(t, contact, change) in &record.changes {
                let kind = match change {
                    Change::Close => EventKind::Close,
                    Change::Open => EventKind::Open,
                    Change::Stick => EventKind::Stick,
                    Change::Slip => EventKind::Slip,
                };
                self.push(Event { t, contact, kind });
            }
            return;
        }
        for contact in &record.contacts {
            self.look(t, contact);
        }
        for position in 0..self.watches.len() {
            let watch = &mut self.watches[position];
            if watch.closed && t - watch.last_force > self.hold && watch.gap > penetration {
                watch.closed = false;
                (watch.told, watch.state) = (ContactState::Open, ContactState::Open);
                let event =
                    Event { t: watch.last_force, contact: watch.key, kind: EventKind::Open };
                self.push(event);
            }
        }
    }

    fn look(&mut self, t: f64, contact: &ContactRecord) {
        let key = contact.key;
        let found = self.watches.binary_search_by_key(&key, |w| w.key);
        let watch = |gap: f64, told: ContactState| Watch {
            key,
            closed: false,
            last_force: t,
            gap,
            told,
            state: told,
            since: t,
            steps: 0,
        };
        // Joints and drives always act: they neither open nor close. What has no friction sticks for good.
        if contact.gap == f64::NEG_INFINITY {
            if found.is_err() && contact.state != ContactState::Slip {
                return;
            }
            let position = found.unwrap_or_else(|position| {
                self.watches.insert(position, watch(contact.gap, ContactState::Stick));
                position
            });
            if let Some((t, kind)) = self.watches[position].follow(t, contact.state) {
                self.push(Event { t, contact: key, kind });
            }
            return;
        }
        // Adhesion pulls at what is closed.
        let is_pulled = contact.normal_percussion < 0.0 && contact.state != ContactState::Open;
        if contact.normal_percussion <= 0.0 && !is_pulled {
            if let Ok(position) = found {
                self.watches[position].gap = contact.gap;
            }
            return;
        }
        let gap = contact.gap;
        let position = found.unwrap_or_else(|position| {
            self.watches.insert(position, watch(gap, ContactState::Open));
            position
        });
        let watch = &mut self.watches[position];
        watch.gap = gap;
        watch.last_force = t;
        let closes = !std::mem::replace(&mut watch.closed, true);
        let motion = watch.follow(t, contact.state);
        if closes {
            self.push(Event { t, contact: key, kind: EventKind::Close });
        }
        if let Some((t, kind)) = motion {
            self.push(Event { t, contact: key, kind });
        }
    }

    fn push(&mut self, event: Event) {
        let (list, dropped) = match event.kind {
            EventKind::Stick | EventKind::Slip => (&mut self.motions, &mut self.dropped_motions),
            _ => (&mut self.events, &mut self.dropped),
        };
        if list.len() < MOST_EVENTS {
            list.push(event);
        } else {
            *dropped += 1;
        }
    }

    /// Writes everything, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("events");
        tape.real(&mut self.hold);
        tape.whole(&mut self.dropped);
        tape.whole(&mut self.dropped_motions);
        tape.list(&mut self.watches, |tape, watch| {
            tape.whole(&mut watch.key);
            tape.flag(&mut watch.closed);
            tape.reals([&mut watch.last_force, &mut watch.gap, &mut watch.since]);
            tape.choice(&mut watch.told, &ContactState::ALL);
            tape.choice(&mut watch.state, &ContactState::ALL);
            let mut steps = u64::from(watch.steps);
            tape.whole(&mut steps);
            watch.steps = u32::try_from(steps).unwrap_or(u32::MAX);
        });
        for list in [&mut self.events, &mut self.motions] {
            tape.list(list, |tape, event| {
                tape.real(&mut event.t);
                tape.whole(&mut event.contact);
                tape.choice(&mut event.kind, &EventKind::ALL);
            });
        }
    }

    /// The events in the order of time.
    pub(crate) fn in_order(&self) -> Vec<Event> {
        sorted(&self.events)
    }

    /// Stick and slip in the order of time.
    pub(crate) fn motions_in_order(&self) -> Vec<Event> {
        sorted(&self.motions)
    }
}

fn sorted(events: &[Event]) -> Vec<Event> {
    let mut events = events.to_vec();
    events.sort_by(|a, b| a.t.total_cmp(&b.t));
    events
}

impl Watch {
    /// Takes the state of a step with a force; what to tell, if it has lasted.
    fn follow(&mut self, t: f64, state: ContactState) -> Option<(f64, EventKind)> {
        if state != self.state {
            (self.state, self.since, self.steps) = (state, t, 0);
        }
        self.steps = self.steps.saturating_add(1);
        if self.steps < LASTING_STEPS || self.told == state {
            return None;
        }
        self.told = state;
        match state {
            ContactState::Open => None,
            ContactState::Stick => Some((self.since, EventKind::Stick)),
            ContactState::Slip => Some((self.since, EventKind::Slip)),
        }
    }
}
