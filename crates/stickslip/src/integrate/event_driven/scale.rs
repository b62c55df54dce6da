//! What counts as zero: relative to lengths, velocities and times of the system itself.

use super::dynamics::Dynamics;
use super::flow::Flow;
use super::mode::Mode;
use crate::integrate::StepError;
use crate::system::{Candidate, MechanicalSystem, State};

/// Gap up to which a contact is closed, relative. Drift of closed gaps stays far below.
const CLOSED_GAP: f64 = 1e-12;
/// Velocities that count as zero, relative to the fastest of the run, and to that of the scale.
const ZERO_SPEED: f64 = 1e-9;
const LEAST_SPEED: f64 = 3e-13;
/// Slip in a plane begins with a frozen direction, until friction could turn the velocity within
/// this time, relative: before that the direction is stiff.
const ONSET_TIME: f64 = 3e-6;

/// Length, velocity and time of a system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// m.
    pub(super) length: f64,
    /// m/s.
    pub(super) speed: f64,
    /// s.
    pub(super) time: f64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { length: 1.0, speed: 1.0, time: 1.0 }
    }
}

/// Length (m) and velocity (m/s) of a system at its start; 1 m and 1 m/s if nothing can be said.
pub(in crate::integrate) fn scale_of(system: &dyn MechanicalSystem, at: &State) -> [f64; 2] {
    let mut flow = Flow::default();
    flow.begin(system);
    flow.load(at);
    let Scale { length, speed, .. } = Scale::of(&mut flow.dynamics, system, at).unwrap_or_default();
    [length, speed]
}

/// What counts as zero at the contacts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Zero {
    /// Gap, m.
    pub(super) gap: f64,
    /// Velocity, m/s.
    pub(super) speed: f64,
    /// Velocity that is rounding, m/s.
    pub(super) least_speed: f64,
}

impl Zero {
    /// Whether the gap of a candidate is closed.
    pub(super) fn closes(&self, candidate: &Candidate) -> bool {
        candidate.gap <= self.closed_at(candidate)
    }

    /// Up to which gap a candidate is closed, m.
    pub(super) fn closed_at(&self, candidate: &Candidate) -> f64 {
        self.gap.max(candidate.closed_at)
    }
}

impl Scale {
    /// The scale of a system at its start: its length, and the acceleration at its contacts if
    /// nothing held them.
    pub(super) fn of(
        dynamics: &mut Dynamics,
        system: &dyn MechanicalSystem,
        at: &State,
    ) -> Result<Self, StepError> {
        dynamics.prepare(system, at, &Mode::default())?;
        let candidates = dynamics.contacts.candidates();
        let sizes = candidates.iter().map(|c| c.gap).filter(|g| g.is_finite()).chain(at.q.clone());
        // A system that does not say is taken to be of about 1 m, unless its numbers are larger.
        let length = match system.characteristic_length() {
            Some(length) if length.is_finite() && length > 0.0 => length,
            _ => sizes.fold(1.0_f64, |m, v| m.max(v.abs())),
        };
        let mut acceleration = 0.0_f64;
        for index in 0..candidates.len() {
            acceleration = acceleration.max(dynamics.gap_acceleration(index).abs());
        }
        let speed = (acceleration * length).sqrt();
        if speed > 0.0 && speed.is_finite() {
            Ok(Self { length, speed, time: length / speed })
        } else {
            Ok(Self { length, speed: length, time: 1.0 })
        }
    }

    /// What counts as zero where `fastest` is the fastest velocity of the run.
    pub(super) fn zero(&self, fastest: f64) -> Zero {
        Zero {
            gap: CLOSED_GAP * self.length,
            speed: (ZERO_SPEED * fastest).max(LEAST_SPEED * self.speed),
            least_speed: LEAST_SPEED * self.speed,
        }
    }

    /// Time for which slip in a plane begins with a frozen direction, s.
    pub(super) fn onset(&self) -> f64 {
        ONSET_TIME * self.time
    }
}
