//! What a step expects of its velocities half-way: the accelerations of the last steps, carried on.

use crate::memory::Tape;
use crate::system::State;

/// Steps that are looked back at.
const DEPTH: usize = 3;

/// Growth of the expected rate with each step that does not show it.
const FADING: f64 = 1.2;
/// Least rate that is relied on.
const LEAST_RATE: f64 = 1e-3;

/// Accelerations (u_½ − u_A)/(½Δt) of the last steps, the newest first. Memory is kept from step to
/// step.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    accelerations: [Vec<f64>; DEPTH],
    /// Middles of the first halves of these steps.
    times: [f64; DEPTH],
    known: usize,
    /// Change of a turn of stage 1 over that of the turn before, as seen last.
    rate: f64,
}

impl Default for Expected {
    fn default() -> Self {
        let accelerations = [const { Vec::new() }; DEPTH];
        Self { accelerations, times: [0.0; DEPTH], known: 0, rate: 1.0 }
    }
}

impl Expected {
    /// How much smaller the change of the next turn is expected to be, at least: 1 where nothing is
    /// known.
    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    /// How many steps are looked back at.
    pub(super) fn depth(&self) -> usize {
        self.known
    }

    /// Keeps what the turns of a step have shown. A step of one turn shows nothing, so what is known
    /// fades.
    pub(super) fn keep_rate(&mut self, seen: Option<f64>) {
        self.rate = seen.unwrap_or(FADING * self.rate).clamp(LEAST_RATE, 1.0);
    }

    /// Forgets all steps: after an impact the motion is another one.
    pub(super) fn forget(&mut self) {
        self.known = 0;
        self.rate = 1.0;
    }

    /// Takes over what another one keeps, without new memory.
    pub(super) fn copy_from(&mut self, other: &Self) {
        for (own, others) in self.accelerations.iter_mut().zip(&other.accelerations) {
            own.clone_from(others);
        }
        self.times = other.times;
        self.known = other.known;
        self.rate = other.rate;
    }

    /// Writes everything, or reads it.
    pub(super) fn keep_all(&mut self, tape: &mut Tape) {
        tape.section("expected");
        self.accelerations.iter_mut().for_each(|accelerations| tape.numbers(accelerations));
        tape.reals(&mut self.times);
        tape.real(&mut self.rate);
        tape.size(&mut self.known);
        // No more than there is room for, whatever was read.
        self.known = self.known.min(DEPTH);
    }

    /// Keeps the step from `at` whose velocities half-way are `middle`.
    pub(super) fn keep(&mut self, at: &State, middle: &[f64], dt: f64) {
        self.accelerations.rotate_right(1);
        self.times.rotate_right(1);
        let newest = &mut self.accelerations[0];
        newest.clear();
        newest.extend(middle.iter().zip(&at.u).map(|(half_way, u)| (half_way - u) / (0.5 * dt)));
        self.times[0] = at.t + 0.25 * dt;
        self.known = (self.known + 1).min(DEPTH);
    }

    /// Adds what the first half of a step of length `dt` from `t` is expected to change: the polynomial
    /// through the known accelerations, carried on.
    pub(super) fn add(&self, t: f64, dt: f64, u: &mut [f64]) {
        let wanted = t + 0.25 * dt;
        for (index, accelerations) in self.accelerations[..self.known].iter().enumerate() {
            // Lagrange's weight of this acceleration.
            let mut weight = 1.0;
            for (other, time) in self.times[..self.known].iter().enumerate() {
                if other != index {
                    weight *= (wanted - time) / (self.times[index] - time);
                }
            }
            for (u, a) in u.iter_mut().zip(accelerations) {
                *u += 0.5 * dt * weight * a;
            }
        }
    }
}
