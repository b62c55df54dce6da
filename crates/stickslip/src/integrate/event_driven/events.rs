//! What an event-driven run reports.

use crate::integrate::Impact;
use crate::system::NamedLaw;

/// An impact at one contact.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpactEvent {
    /// Time, s.
    pub t: f64,
    /// Key of the contact.
    pub contact: u64,
    /// Relative velocities before the impact, in the order of the components of the contact.
    pub velocity_before: Vec<f64>,
    /// Relative velocities after the impact.
    pub velocity_after: Vec<f64>,
    /// Percussions, N s.
    pub percussion: Vec<f64>,
}

impl ImpactEvent {
    /// The normal and tangential part, with the friction law next to the normal one: signed for
    /// friction in one direction, otherwise magnitudes.
    pub(super) fn summary(&self, friction: Option<&NamedLaw>) -> Impact {
        let tangential = |values: &[f64]| match friction.map_or(0, |f| f.law.dim()) {
            0 => 0.0,
            1 => values[1],
            _ => values[1].hypot(values[2]),
        };
        Impact {
            t: self.t,
            contact: self.contact,
            normal_velocity: [self.velocity_before[0], self.velocity_after[0]],
            tangential_velocity: [
                tangential(&self.velocity_before),
                tangential(&self.velocity_after),
            ],
            normal_percussion: self.percussion[0],
            tangential_percussion: tangential(&self.percussion),
        }
    }
}

/// An event of an event-driven run.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionEvent {
    /// Velocities jumped at a contact.
    Impact(ImpactEvent),
    /// Infinitely many impacts in a finite time end here; the contact then stays closed.
    Accumulation {
        /// Time of the accumulation point, s, extrapolated from the last impacts.
        t: f64,
        /// Key of the contact.
        contact: u64,
    },
    /// A contact began to carry a force over time.
    Closing {
        /// Time, s.
        t: f64,
        /// Key of the contact.
        contact: u64,
    },
    /// A closed contact opened.
    Opening {
        /// Time, s.
        t: f64,
        /// Key of the contact.
        contact: u64,
    },
    /// A law came to stick.
    Stick {
        /// Time, s.
        t: f64,
        /// Key of the contact.
        contact: u64,
        /// Index of the law in its group.
        law: usize,
    },
    /// A law began to slip, or slips the other way.
    Slip {
        /// Time, s.
        t: f64,
        /// Key of the contact.
        contact: u64,
        /// Index of the law in its group.
        law: usize,
    },
}

impl MotionEvent {
    /// Time of the event, s.
    pub fn t(&self) -> f64 {
        match self {
            MotionEvent::Impact(impact) => impact.t,
            MotionEvent::Accumulation { t, .. }
            | MotionEvent::Closing { t, .. }
            | MotionEvent::Opening { t, .. }
            | MotionEvent::Stick { t, .. }
            | MotionEvent::Slip { t, .. } => *t,
        }
    }

    /// Key of the contact.
    pub fn contact(&self) -> u64 {
        match self {
            MotionEvent::Impact(impact) => impact.contact,
            MotionEvent::Accumulation { contact, .. }
            | MotionEvent::Closing { contact, .. }
            | MotionEvent::Opening { contact, .. }
            | MotionEvent::Stick { contact, .. }
            | MotionEvent::Slip { contact, .. } => *contact,
        }
    }

    /// The name in files.
    pub fn name(&self) -> &'static str {
        match self {
            MotionEvent::Impact(_) => "impact",
            MotionEvent::Accumulation { .. } => "accumulation",
            MotionEvent::Closing { .. } => "closing",
            MotionEvent::Opening { .. } => "opening",
            MotionEvent::Stick { .. } => "stick",
            MotionEvent::Slip { .. } => "slip",
        }
    }
}
