//! From the end of a step to the next mode.

use super::decide::{Hints, decide};
use super::drift::{stabilise, stop_velocities};
use super::engine::{Engine, Task};
use super::events::MotionEvent;
use super::mode::{Mode, Motion};
use super::share::margin;
use super::watch::Trigger;
use crate::convex::{ConvexSet, Set};
use crate::integrate::{StepError, names};
use crate::solve::{SolveReport, Status};
use crate::system::State;

/// Impacts at one instant before the run is given up, and events without progress before another
/// way is tried.
const STRIKES: usize = 20;
const STANDSTILL: u32 = 40;
/// Time, relative to that of the system, in which that many events are no progress: each may move the
/// motion by a little.
const STALLED: f64 = 1e-9;
/// How far beyond the boundary of its set a force is moved to find the normal there, relative.
const BEYOND: f64 = 1e-6;
/// What a law must leave of its limit, relative, if others are to bear what it cannot.
const MARGIN: f64 = 1e-7;

impl Engine {
    /// Takes the end of the step that `runge_kutta` holds, and what fired there.
    pub(super) fn accept(
        &mut self,
        state: &mut State,
        task: &mut Task,
        t: f64,
        fired: Option<Vec<Trigger>>,
    ) -> Result<(), StepError> {
        let mut before = None;
        if let Some(variation) = task.variation.as_deref_mut() {
            let end = fired.is_none().then_some(self.runge_kutta.end.as_slice());
            variation.tools.shares = self.shares;
            variation.carry(task.system, &self.mode, state, t - state.t, end)?;
            variation.near_misses.extend(self.watch.minima.iter().filter(|m| m.t <= t));
            before = Some(self.mode.clone());
        }
        state.t = t;
        self.flow.unpack(&self.runge_kutta.end, state);
        self.flow.book(&self.runge_kutta.end, state, &self.mode, task.record);
        task.system.normalize(&mut state.q);
        if fired.is_some() {
            // What was evaluated last is the event.
            self.note_loads(t, task.record);
        }
        let mut hints = fired.and_then(|fired| self.read(&fired));
        let dynamics = &mut self.flow.dynamics;
        let length = self.scale.length;
        task.record.projection_work += stabilise(dynamics, task.system, state, &self.mode, length)?;
        task.system.remember(state);
        if hints.is_none() {
            self.turn_directions();
            hints = self.stops();
            if hints.is_some() {
                let dynamics = &mut self.flow.dynamics;
                task.record.projection_work +=
                    stabilise(dynamics, task.system, state, &self.mode, length)?;
            }
        }
        let Some(hints) = hints else { return Ok(()) };
        if t - self.stalled_since > STALLED * self.scale.time + 64.0 * f64::EPSILON * t.abs() {
            (self.standstill, self.stalled_since) = (0, t);
        } else {
            self.standstill += 1;
        }
        self.events += 1;
        if self.events > task.options.max_events {
            return Err(self.too_many(t, task));
        }
        if self.standstill > STANDSTILL {
            self.standstill = 0;
            return self.escape(state, task)?.ok_or_else(|| self.too_many(t, task));
        }
        if let (Some(variation), Some(before)) = (task.variation.as_deref_mut(), before) {
            let trigger = self.watch.landed.or_else(|| halted(&before, &self.mode));
            if let Some(trigger) = trigger {
                variation.reach(task.system, &before, state, trigger)?;
            }
        }
        self.settle(state, task, hints)
    }

    /// What the fired event functions say; none if a velocity in a plane only turned. Elements
    /// that stop become constrained, so that what is left of their velocity is taken out.
    fn read(&mut self, fired: &[Trigger]) -> Option<Hints> {
        let mut hints = Hints::default();
        let mut any = false;
        let dynamics = &self.flow.dynamics;
        let zero = self.zero();
        for trigger in fired {
            match *trigger {
                Trigger::Gap(key) => hints.closed.push(key),
                Trigger::Lift(position) => hints.open.push(self.mode.contacts[position].key),
                Trigger::Slide(position, index) => {
                    let contact = &self.mode.contacts[position];
                    let element = &dynamics.plans[contact.group].elements[index];
                    let first = contact.first + element.first;
                    let force = &dynamics.lambda[first..first + element.dim];
                    let direction = match element.set {
                        Set::HalfLine(_) => vec![1.0],
                        _ => {
                            // Against the outward normal: −γ ∈ N_C(λ).
                            let beyond: Vec<f64> =
                                force.iter().map(|l| (1.0 + BEYOND) * l).collect();
                            let mut nearest = beyond.clone();
                            let scale = element.set.gauge(force);
                            element.set.prox(scale, &mut nearest);
                            nearest.iter().zip(&beyond).map(|(n, b)| n - b).collect()
                        }
                    };
                    hints.slip.push((contact.key, index, direction));
                }
                Trigger::Halt(position, index) => {
                    let contact = &mut self.mode.contacts[position];
                    let element = &dynamics.plans[contact.group].elements[index];
                    let first = contact.first + element.first;
                    let gamma = &dynamics.gamma[first..first + element.dim];
                    let stops = element.dim == 1
                        || contact.onset[index]
                        || element.speed(gamma) <= zero.speed;
                    if !stops {
                        continue;
                    }
                    contact.motions[index] = Motion::Constrained;
                }
            }
            any = true;
        }
        any.then_some(hints)
    }

    /// Slip in a plane: its direction follows the velocity.
    fn turn_directions(&mut self) {
        let ends: Vec<(usize, usize)> = self
            .onsets()
            .filter(|(_, _, speed, limit)| speed >= limit)
            .map(|(position, index, ..)| (position, index))
            .collect();
        for (position, index) in ends {
            self.mode.contacts[position].onset[index] = false;
        }
        let dynamics = &self.flow.dynamics;
        for contact in &mut self.mode.contacts {
            for (index, element) in dynamics.plans[contact.group].elements.iter().enumerate() {
                let slips = contact.motions[index] == Motion::Slip && !contact.onset[index];
                if slips && element.dim > 1 {
                    let first = contact.first + element.first;
                    contact.direction[element.first..element.first + element.dim]
                        .copy_from_slice(&dynamics.gamma[first..first + element.dim]);
                }
            }
        }
    }

    /// Slip in a plane that is slow enough to count as stopped.
    fn stops(&mut self) -> Option<Hints> {
        let zero = self.zero();
        let dynamics = &self.flow.dynamics;
        let mut any = false;
        for contact in &mut self.mode.contacts {
            for (index, element) in dynamics.plans[contact.group].elements.iter().enumerate() {
                let slips = contact.motions[index] == Motion::Slip && !contact.onset[index];
                if !slips || element.dim == 1 || element.is_idle() {
                    continue;
                }
                let first = contact.first + element.first;
                if element.speed(&dynamics.gamma[first..first + element.dim]) <= zero.speed {
                    contact.motions[index] = Motion::Constrained;
                    any = true;
                }
            }
        }
        any.then(Hints::default)
    }

    /// Impacts as long as closed contacts approach, then the next mode.
    pub(super) fn settle(
        &mut self,
        state: &mut State,
        task: &mut Task,
        mut hints: Hints,
    ) -> Result<(), StepError> {
        let system = task.system;
        for contact in &self.mode.contacts {
            if hints.open.contains(&contact.key) {
                continue;
            }
            if !contact.permanent {
                hints.closed.push(contact.key);
            }
            // What has begun to slip, too slowly to be seen, does not stick because others begin.
            let elements = &self.flow.dynamics.plans[contact.group].elements;
            for (index, element) in elements.iter().enumerate() {
                let known = hints.slip.iter().any(|(k, i, _)| *k == contact.key && *i == index);
                if contact.onset[index] && contact.motions[index] == Motion::Slip && !known {
                    let range = element.first..element.first + element.dim;
                    let direction = contact.direction[range].to_vec();
                    hints.slip.push((contact.key, index, direction));
                }
            }
        }
        for strike in 0.. {
            self.flow.dynamics.list(system, state)?;
            let zero = self.zero();
            // Joints and motors that the velocities contradict act by an impact too, once.
            let jumps = strike == 0 && self.flow.dynamics.constraint_speed(&state.u) > zero.speed;
            if !jumps && self.approaching(state, &hints, zero.speed).is_empty() {
                // An approach that is no impact would close again what opens here.
                let slow = self.approaching(state, &hints, 0.0);
                self.rest(state, task, &slow)?;
                break;
            }
            if strike == STRIKES {
                return Err(self.too_many(state.t, task));
            }
            let solver = &mut *task.solver;
            let before = task.variation.is_some().then(|| state.clone());
            let outcome =
                self.impacts.strike(system, state, zero, solver, task.record, task.tell)?;
            if let (Some(variation), Some(before)) = (task.variation.as_deref_mut(), before) {
                variation.strike(system, &before, &self.impacts.kernel, &mut *task.solver)?;
            }
            self.keep_worst(outcome.report);
            self.speed = self.speed.max(self.impacts.fastest);
            // Velocities jumped: nothing is known of slip, and a contact may leave.
            hints.slip.clear();
            hints.open.clear();
            self.rest(state, task, &outcome.resting)?;
        }
        self.mode = self.next_mode(state, task, &hints)?;
        self.tell(state.t, task);
        let (dynamics, length) = (&mut self.flow.dynamics, self.scale.length);
        task.record.projection_work += stabilise(dynamics, system, state, &self.mode, length)?;
        if let Some(variation) = task.variation.as_deref_mut() {
            variation.leave(system, &self.mode, state)?;
            variation.enter(system, &self.mode, &self.flow, state.t);
        }
        Ok(())
    }

    /// The next mode. Where forces are not unique, a contact may reach the limit of its law while
    /// others can still bear what it cannot: then nothing opens or slips.
    fn next_mode(
        &mut self,
        state: &State,
        task: &mut Task,
        hints: &Hints,
    ) -> Result<Mode, StepError> {
        let zero = self.zero();
        let redundant = self.flow.dynamics.redundant;
        let dynamics = &mut self.flow.dynamics;
        if redundant && !(hints.slip.is_empty() && hints.open.is_empty()) {
            let closed = hints.closed.iter().chain(&hints.open).copied().collect();
            let without = Hints { closed, ..Hints::default() };
            let mode = decide(dynamics, task.system, state, &without, zero, &mut *task.solver)?;
            let elements = hints.slip.iter().map(|(key, index, _)| (*key, *index));
            let open = hints.open.iter().map(|key| (*key, 0));
            let bears = elements.chain(open).all(|(key, index)| {
                let position = mode.contacts.iter().position(|c| c.key == key);
                position.is_some_and(|p| {
                    mode.contacts[p].motions[index] == Motion::Constrained
                        && margin(dynamics, &mode, p, index) > MARGIN
                })
            });
            if bears {
                return Ok(mode);
            }
        }
        decide(dynamics, task.system, state, hints, zero, &mut *task.solver)
    }

    fn too_many(&self, t: f64, task: &Task) -> StepError {
        let closed = self.mode.contacts.iter().filter(|c| !c.permanent).map(|c| c.key);
        StepError::TooManyEvents { t, events: self.events, contacts: names(task.system, closed) }
    }

    /// Closed contacts that approach faster than `speed`; after the candidates were listed.
    fn approaching(&self, state: &State, hints: &Hints, speed: f64) -> Vec<u64> {
        let zero = self.zero();
        let dynamics = &self.flow.dynamics;
        let candidates = dynamics.contacts.candidates().iter().enumerate();
        let approaches = candidates.filter(|(index, c)| {
            let closed = zero.closes(c) || hints.closed.contains(&c.key);
            closed
                && c.gap.is_finite()
                && dynamics.plans[c.group].is_unilateral()
                && dynamics.gap_rate(*index, &state.u) < -speed
        });
        approaches.map(|(_, c)| c.key).collect()
    }

    /// Takes out the normal velocities of contacts that come to rest.
    fn rest(&mut self, state: &mut State, task: &mut Task, keys: &[u64]) -> Result<(), StepError> {
        if keys.is_empty() {
            return Ok(());
        }
        let dynamics = &mut self.flow.dynamics;
        let mut mode = Mode::default();
        dynamics.list(task.system, state)?;
        for candidate in dynamics.contacts.candidates() {
            if keys.contains(&candidate.key) {
                let plan = &dynamics.plans[candidate.group];
                mode.push(candidate.key, candidate.group, false, plan);
            }
        }
        let before = task.system.energy(state).total();
        stop_velocities(dynamics, task.system, state, &mode)?;
        if let Some(variation) = task.variation.as_deref_mut() {
            variation.hold(task.system, &mode, state)?;
        }
        task.record.projection_work += task.system.energy(state).total() - before;
        Ok(())
    }

    pub(super) fn keep_worst(&mut self, report: SolveReport) {
        let worst = match self.report {
            Some(old) if old.status != Status::Solved => old,
            Some(old) if report.status == Status::Solved => {
                let residual = if old.residual.value > report.residual.value {
                    old.residual
                } else {
                    report.residual
                };
                SolveReport { residual, iterations: old.iterations + report.iterations, ..old }
            }
            _ => report,
        };
        self.report = Some(worst);
    }

    /// Tells what changed since the last time.
    fn tell(&mut self, t: f64, task: &mut Task) {
        let old = std::mem::replace(&mut self.told, self.mode.clone());
        let plans = &self.flow.dynamics.plans;
        let mut opened = false;
        for contact in old.contacts.iter().filter(|c| !c.permanent) {
            if self.mode.find(contact.key).is_none() {
                (task.tell)(MotionEvent::Opening { t, contact: contact.key });
                opened = true;
            }
        }
        for contact in &self.mode.contacts {
            let before = old.find(contact.key);
            if before.is_none() && !contact.permanent {
                // While a body rocks from one contact to the other it is not at the end.
                let end = if opened { None } else { self.impacts.accumulation(contact.key) };
                if let Some(t) = end {
                    task.record.accumulations.push((t, contact.key));
                    (task.tell)(MotionEvent::Accumulation { t, contact: contact.key });
                }
                (task.tell)(MotionEvent::Closing { t, contact: contact.key });
            }
            for (index, element) in plans[contact.group].elements.iter().enumerate() {
                if !contact.is_free(element) {
                    continue;
                }
                let range = element.first..element.first + element.dim;
                let same = before.is_some_and(|b| {
                    let ahead = &contact.direction[range.clone()];
                    b.motions[index] == contact.motions[index]
                        && (contact.motions[index] == Motion::Constrained
                            || element.product(&b.direction[range.clone()], ahead) > 0.0)
                });
                if same {
                    continue;
                }
                let (contact, law) = (contact.key, element.law);
                (task.tell)(match self.mode.find(contact).map(|c| c.motions[index]) {
                    Some(Motion::Slip) => MotionEvent::Slip { t, contact, law },
                    _ => MotionEvent::Stick { t, contact, law },
                });
            }
        }
    }
}

/// The first element that slips in one mode and is held in the other.
fn halted(before: &Mode, after: &Mode) -> Option<Trigger> {
    let pairs = before.contacts.iter().zip(&after.contacts).enumerate();
    pairs
        .flat_map(|(position, (a, b))| {
            let motions = a.motions.iter().zip(&b.motions).enumerate();
            motions.map(move |(index, pair)| (Trigger::Halt(position, index), pair))
        })
        .find(|(_, pair)| *pair == (&Motion::Slip, &Motion::Constrained))
        .map(|(trigger, _)| trigger)
}
