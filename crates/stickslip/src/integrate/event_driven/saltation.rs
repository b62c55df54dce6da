//! What events make of small changes of the motion: saltation matrices.
//!
//! With an event function g(x, t), the rates f⁻ and f⁺ before and after the event and the jump x⁺ = R(x⁻, t), a
//! change δ of the state at the time of the event becomes (Leine & Nijmeijer 2004, sec. 7.5)
//!
//! ```text
//! δt = −∇g δ / (∇g f⁻ + ∂g/∂t)                          the event comes later by δt
//! δ⁺ = ∂R/∂x (δ + f⁻ δt) + ∂R/∂t δt − f⁺ δt
//! ```
//!
//! R is the law of impact with the contacts that take part in it, or the identity where a contact opens or a law
//! begins to slip or to stick. What is held in the next mode is held for the changed motion too: stick takes
//! directions out of δ, for ever. Where several event functions vanish together, the one on which the step landed
//! counts.

use super::drift::{constraints, push};
use super::mode::Mode;
use super::variation::{Direction, Function, Tangent, Tools, Variation};
use super::watch::Trigger;
use crate::integrate::StepError;
use crate::integrate::velocity_step::VelocityStep;
use crate::integrate::warm_start::WarmStart;
use crate::solve::Solver;
use crate::system::{MechanicalSystem, State};

/// Steps of Newton's rule onto the constraints.
const STEPS: usize = 4;
/// Rate of a velocity of slip, relative to those of the system, that is rounding.
const STILL: f64 = 1e-8;

impl Variation {
    /// The derivative of a function of events along a direction.
    fn along_event(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        direction: &Direction,
        function: Function,
    ) -> Result<Vec<f64>, StepError> {
        self.at_event = true;
        let derivative = self.along(system, at, direction, function);
        self.at_event = false;
        derivative
    }

    /// Moves all changes to the event, which the changed motions meet earlier or later.
    pub(super) fn reach(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        at: &State,
        trigger: Trigger,
    ) -> Result<(), StepError> {
        let mut event =
            |tools: &mut Tools, system: &dyn MechanicalSystem, at: &State, out: &mut Vec<f64>| {
                out.clear();
                out.push(tools.event(system, mode, at, trigger)?);
                Ok(())
            };
        let (q, u) = self.tools.rate(system, mode, at)?;
        let ahead = Direction { q: &q, u: &u, t: 1.0, parameter: 0.0, number: 0 };
        let rate = self.along_event(system, at, &ahead, &mut event)?[0];
        // A velocity that other constraints hold at zero (a corner of a jammed sleeve is said to slip while the
        // others stick) passes zero by rounding: that is no event, and has no time that could change.
        let scale = self.scale;
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let fastest = (largest(&q) / scale.length).max(largest(&u) / scale.speed);
        let noise = STILL * scale.speed * fastest.max(1.0 / scale.time);
        let still = matches!(trigger, Trigger::Halt(..)) && rate.abs() < noise;
        for index in 0..self.columns.len() {
            let column = std::mem::take(&mut self.columns[index]);
            let direction = Direction::of(&column, 0.0, self.number(index));
            let change = self.along_event(system, at, &direction, &mut event)?[0];
            // An event that is only touched has no derivative; its time is then left as it is.
            let delay = if rate == 0.0 || still { 0.0 } else { -change / rate };
            self.columns[index] = column;
            self.columns[index].shift(delay, &q, &u);
            self.delays[index] = delay;
        }
        Ok(())
    }

    /// Carries all changes over the jump of the velocities that `kernel` made at the state `at`.
    pub(super) fn strike(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        kernel: &VelocityStep,
        solver: &mut dyn Solver,
    ) -> Result<(), StepError> {
        let candidates = kernel.contacts.candidates();
        let active = kernel.active.iter().map(|index| candidates[*index].key).collect();
        self.tools.kernel.only = Some(active);
        self.tools.kernel.contacts.margin = f64::INFINITY;
        for index in 0..self.columns.len() {
            let column = std::mem::take(&mut self.columns[index]);
            let direction = Direction::of(&column, self.delays[index], self.number(index));
            let u = self.along_event(system, at, &direction, &mut |tools, system, at, out| {
                tools.kernel.run(system, at, 0.0, &WarmStart::default(), 1.0, &mut *solver)?;
                out.clone_from(&tools.kernel.u_e);
                Ok(())
            })?;
            self.columns[index] = Tangent { u, ..column };
        }
        Ok(())
    }

    /// Moves all changes back to the time of the event, with the rates behind it, and onto what is held there.
    pub(super) fn leave(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        at: &State,
    ) -> Result<(), StepError> {
        if self.delays.iter().any(|delay| *delay != 0.0) {
            let (q, u) = self.tools.rate(system, mode, at)?;
            for (column, delay) in self.columns.iter_mut().zip(&mut self.delays) {
                column.shift(-*delay, &q, &u);
                *delay = 0.0;
            }
        }
        self.hold(system, mode, at)
    }

    /// Takes out of all changes what the constraints of a mode do not allow, in the metric of the mass matrix.
    pub(super) fn hold(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        at: &State,
    ) -> Result<(), StepError> {
        for index in 0..self.columns.len() {
            let mut column = std::mem::take(&mut self.columns[index]);
            for places in [true, false] {
                let direction = Direction::of(&column, 0.0, self.number(index));
                let mut components = Vec::new();
                let change =
                    self.along_event(system, at, &direction, &mut |tools, system, at, out| {
                        tools.constraints(system, mode, at, places, &mut components, out)
                    })?;
                let shift = self.tools.correction(system, mode, at, &components, &change)?;
                if places {
                    add_rate(system, at, &shift, &mut column.q);
                } else {
                    column.u.iter_mut().zip(&shift).for_each(|(u, s)| *u += s);
                }
            }
            self.columns[index] = column;
        }
        Ok(())
    }
}

impl Tools {
    /// Components and values of the constraints of a mode: gaps and errors of joints, or velocities.
    fn constraints(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        at: &State,
        places: bool,
        components: &mut Vec<usize>,
        values: &mut Vec<f64>,
    ) -> Result<(), StepError> {
        self.flow.begin(system);
        self.flow.dynamics.prepare(system, at, mode)?;
        constraints(&self.flow.dynamics, mode, places, components, values);
        Ok(())
    }

    /// The smallest change along the velocities that takes `values` out of the components.
    fn correction(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        at: &State,
        components: &[usize],
        values: &[f64],
    ) -> Result<Vec<f64>, StepError> {
        if components.is_empty() {
            return Ok(vec![0.0; at.u.len()]);
        }
        self.flow.begin(system);
        let dynamics = &mut self.flow.dynamics;
        dynamics.prepare(system, at, mode)?;
        dynamics.unknown.clear();
        dynamics.unknown.extend_from_slice(components);
        dynamics.rhs.clear();
        dynamics.rhs.extend(values.iter().map(|value| -value));
        Ok(push(dynamics))
    }

    /// Brings a state onto the constraints of a mode by the smallest changes.
    pub(super) fn project(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        state: &mut State,
    ) -> Result<(), StepError> {
        let (mut components, mut values) = (Vec::new(), Vec::new());
        for _ in 0..STEPS {
            self.constraints(system, mode, state, true, &mut components, &mut values)?;
            let shift = self.correction(system, mode, state, &components, &values)?;
            let at = state.clone();
            add_rate(system, &at, &shift, &mut state.q);
            system.normalize(&mut state.q);
        }
        self.constraints(system, mode, state, false, &mut components, &mut values)?;
        let shift = self.correction(system, mode, state, &components, &values)?;
        state.u.iter_mut().zip(&shift).for_each(|(u, s)| *u += s);
        Ok(())
    }
}

impl Tangent {
    /// Adds a multiple of rates.
    fn shift(&mut self, by: f64, q: &[f64], u: &[f64]) {
        self.q.iter_mut().zip(q).for_each(|(own, rate)| *own += by * rate);
        self.u.iter_mut().zip(u).for_each(|(own, rate)| *own += by * rate);
    }
}

/// Adds the change of the coordinates that belongs to a change along the velocities.
pub(super) fn add_rate(system: &dyn MechanicalSystem, at: &State, v: &[f64], q: &mut [f64]) {
    let (mut rate, mut still) = (vec![0.0; q.len()], vec![0.0; q.len()]);
    system.coordinate_rate(at, v, &mut rate);
    // Coordinate rates may have a prescribed part, which is no shift.
    system.coordinate_rate(at, &vec![0.0; v.len()], &mut still);
    for (q, (rate, still)) in q.iter_mut().zip(rate.iter().zip(&still)) {
        *q += rate - still;
    }
}
