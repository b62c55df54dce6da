//! A way out where events follow each other without progress.
//!
//! At the end of a jam several laws reach their limits at once, and rounding decides which of them
//! is seen first. Where the decisions go round in circles, one short step of time stepping (the
//! velocity step of Moreau's rule) carries the motion past that instant: it decides on all laws
//! together and needs no mode. Its error is that of a step of first order of that length.

use super::decide::Hints;
use super::engine::{Engine, Task};
use super::mode::Mode;
use crate::integrate::StepError;
use crate::integrate::velocity_step::Mean;
use crate::integrate::warm_start::WarmStart;
use crate::system::State;

/// Shortest and longest step, relative to the time of the system, and its growth from one to the
/// next if the first did not suffice.
const SHORTEST: f64 = 1e-10;
const LONGEST: f64 = 1e-6;
const GROWTH: f64 = 10.0;
/// Progress, relative to the step of the last escape, after which that one was a success.
const ESCAPED_BY: f64 = 100.0;

/// Memory of the last escape: its time and its step, s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Escape {
    pub(super) t: f64,
    pub(super) step: f64,
}

impl Engine {
    /// Makes one step of time stepping and decides anew. None if even the longest did not help.
    pub(super) fn escape(
        &mut self,
        state: &mut State,
        task: &mut Task,
    ) -> Result<Option<()>, StepError> {
        let time = self.scale.time;
        let last = self.escape;
        let again = last.step > 0.0 && state.t - last.t < ESCAPED_BY * last.step;
        let wanted = if again { GROWTH * last.step } else { SHORTEST * time };
        // Not below the rounding of time.
        let step = wanted.max(64.0 * f64::EPSILON * state.t.abs());
        if step > LONGEST * time {
            return Ok(None);
        }
        let dt = step.min(task.t_end - state.t);
        if !(dt > 0.0) {
            return Ok(None);
        }
        self.escape = Escape { t: state.t, step };
        if let Some(variation) = task.variation.as_deref_mut() {
            variation.blind += 1;
        }
        let system = task.system;
        let mut middle = state.clone();
        let mut rate = vec![0.0; state.q.len()];
        system.coordinate_rate(state, &state.u, &mut rate);
        middle.t += 0.5 * dt;
        middle.q.iter_mut().zip(&rate).for_each(|(q, r)| *q += 0.5 * dt * r);
        system.normalize(&mut middle.q);
        let zero = self.zero();
        let kernel = &mut self.impacts.kernel;
        kernel.closed_gap = zero.gap;
        kernel.contacts.margin = zero.gap;
        let report =
            kernel.run(system, &middle, dt, &WarmStart::default(), dt, &mut *task.solver)?;
        let mean: Vec<f64> = state.u.iter().zip(&kernel.u_e).map(|(a, e)| 0.5 * (a + e)).collect();
        kernel.book(system, 1.0, Mean::Own(&mean), task.record);
        for (position, &index) in kernel.active.iter().enumerate() {
            let key = kernel.contacts.candidates()[index].key;
            let percussion = kernel.lambda[kernel.problem.contacts()[position].offset];
            if let Some(entry) = task.record.contacts.iter_mut().find(|c| c.key == key) {
                entry.normal_percussion += percussion;
            }
        }
        system.coordinate_rate(&middle, &kernel.u_e, &mut rate);
        middle.q.iter_mut().zip(&rate).for_each(|(q, r)| *q += 0.5 * dt * r);
        system.normalize(&mut middle.q);
        state.q.copy_from_slice(&middle.q);
        state.u.copy_from_slice(&kernel.u_e);
        state.t = if dt < step { task.t_end } else { state.t + dt };
        system.remember(state);
        self.keep_worst(report);
        self.mode = Mode::default();
        self.settle(state, task, Hints::default())?;
        Ok(Some(()))
    }
}
