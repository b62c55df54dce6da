//! Derivatives of a run with respect to its start and to parameters of the system.
//!
//! Within a mode the motion is a smooth map, and so is each of its steps: a small change δ of the state at the
//! start of a step becomes
//!
//! ```text
//! δ_E = ∂Φ/∂x δ_A + ∂Φ/∂p δp,      Φ(x, p) the step of the Runge-Kutta method in this mode
//! ```
//!
//! ∂Φ/∂x δ is taken by central differences along δ, with the mode and the length of the step held (internal
//! differentiation, Bock 1981): the derivative of what is really computed. Those of order 4 have an error of about 1e-12
//! in a step, which orbits and their multipliers ask for; those of order 2 take half as long and have one of about 1e-10,
//! and most of them need one more step beside that of the run (`one_side.rs`). The variational equation would need the Jacobian of the accelerations, for which worlds made of
//! expressions, joints and shapes have no closed form; by differences of the rates it costs the same. What
//! happens at events is in `saltation.rs`.

use super::flow::Flow;
use super::mode::{Mode, Motion};
use super::one_side::Shown;
use super::runge_kutta::RungeKutta;
use super::scale::Scale;
use super::watch::{Trigger, Watch};
use crate::integrate::velocity_step::VelocityStep;
use crate::integrate::{StepError, check_finite};
use crate::system::{MechanicalSystem, Observed, State};
use std::sync::Arc;

/// Places of the differences of order 4.
pub const OFFSETS: [f64; 4] = [-2.0, -1.0, 1.0, 2.0];
/// Weights of the values there in the derivative, for a step of 1.
pub const WEIGHTS: [f64; 4] = [1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0];
/// The same for differences of order 2.
const QUICK_OFFSETS: [f64; 2] = [-1.0, 1.0];
const QUICK_WEIGHTS: [f64; 2] = [-0.5, 0.5];
/// Change of the state between two places, relative to the scale of the system, for both orders. Rounding enters the
/// derivative with the inverse of it, the differences with its power.
const REACH: f64 = 1e-3;
const QUICK_REACH: f64 = 3e-6;
/// The same at events, whose functions bend less than a whole step does, and whose times are rounded.
const EVENT_REACH: f64 = 3e-5;
/// Changes of the state that comes with one of the parameter, over the reach, with which both are made at once.
const TOGETHER: std::ops::Range<f64> = 0.01..10.0;
/// The same below which the motion does not feel the parameter: what rounding leaves of that is small enough, and both are
/// changed at once all the same.
const UNFELT: f64 = 3e-7;
/// Steps until the rate of changes is looked at again, and how much longer than at the last look a step may be.
const LOOK_AGAIN: usize = 8;
const LONGER: f64 = 1.5;

/// A small change of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tangent {
    /// Of the coordinates.
    pub q: Vec<f64>,
    /// Of the velocities.
    pub u: Vec<f64>,
    /// Of the parameter.
    pub parameter: f64,
}

/// Systems at neighbouring values of a parameter, and the step between these.
pub(super) type Neighbours = (Vec<Arc<dyn Observed>>, f64);

/// A time in which the mode is the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// When it begins, s.
    pub t: f64,
    /// What is closed, sticks and slips, in words.
    pub mode: String,
    /// Components of velocities that are held.
    pub held: usize,
}

/// A gap that has a minimum without closing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearMiss {
    /// When, s.
    pub t: f64,
    /// Key of the contact.
    pub contact: u64,
    /// The gap, m.
    pub gap: f64,
}

/// Small changes that a run carries along, and what they have to know on the way.
#[derive(Clone, Default)]
pub struct Variation {
    /// The changes.
    pub columns: Vec<Tangent>,
    /// The modes of the run in their order.
    pub phases: Vec<Phase>,
    /// The gaps that nearly closed.
    pub near_misses: Vec<NearMiss>,
    /// How many short steps had no mode, and have no derivative: there changes stay what they are.
    pub blind: usize,
    /// Of each parameter systems with other values, at the offsets times a step from its value, for falling steps.
    pub(super) parameters: Vec<Vec<Neighbours>>,
    /// Whether differences have an order of 2.
    pub(super) quick: bool,
    /// Whether an event is passed.
    pub(super) at_event: bool,
    /// What the steps have shown of each column.
    pub(super) shown: Vec<Shown>,
    /// Which parameter each column changes; the first if it says nothing.
    numbers: Vec<usize>,
    pub(super) scale: Scale,
    pub(super) tools: Tools,
    /// By how much the event that is passed comes later, s, for every column.
    pub(super) delays: Vec<f64>,
    /// How fast the changes change in the present mode, 1/s, the step when that was looked at, and the steps since.
    fastest: f64,
    looked: f64,
    since: usize,
}

/// Memory of evaluations beside the run.
#[derive(Clone, Default)]
pub(super) struct Tools {
    pub(super) flow: Flow,
    runge_kutta: RungeKutta,
    pub(super) watch: Watch,
    pub(super) kernel: VelocityStep,
    /// What the run's differences began with at the start of its step, and after that.
    pub(super) shares: [f64; 2],
    y: Vec<f64>,
    rate: Vec<f64>,
}

/// A change of the state, of time and of the parameter.
pub(super) struct Direction<'a> {
    pub(super) q: &'a [f64],
    pub(super) u: &'a [f64],
    pub(super) t: f64,
    pub(super) parameter: f64,
    /// Which parameter.
    pub(super) number: usize,
}

impl<'a> Direction<'a> {
    /// A column, with the number of its parameter.
    pub(super) fn of(column: &'a Tangent, t: f64, number: usize) -> Self {
        Self { q: &column.q, u: &column.u, t, parameter: column.parameter, number }
    }
}

/// A function of a system and a state.
pub(super) type Function<'a> = &'a mut dyn FnMut(
    &mut Tools,
    &dyn MechanicalSystem,
    &State,
    &mut Vec<f64>,
) -> Result<(), StepError>;

impl Variation {
    /// Changes of the start; none of a parameter.
    pub fn new(columns: Vec<Tangent>) -> Self {
        Self { columns, ..Self::default() }
    }

    /// Takes the systems at [`OFFSETS`] times `step` from the value of the parameter.
    pub fn with_neighbours(mut self, neighbours: Vec<Arc<dyn Observed>>, step: f64) -> Self {
        self.parameters = vec![vec![(neighbours, step)]];
        self
    }

    /// Differences of order 2, and for each column the systems at −1 and 1 times a step from the value of its
    /// parameter.
    pub(super) fn quick(mut self, parameters: Vec<Vec<Neighbours>>) -> Self {
        self.numbers = (0..parameters.len()).collect();
        (self.parameters, self.quick) = (parameters, true);
        self
    }

    /// Which parameter a column changes.
    pub(super) fn number(&self, column: usize) -> usize {
        self.numbers.get(column).copied().unwrap_or(0)
    }

    /// Takes the scale of a run that begins.
    pub(super) fn begin(&mut self, scale: Scale) {
        self.scale = scale;
        self.tools.flow.dynamics.set_length(scale.length);
        self.phases.clear();
        self.near_misses.clear();
        (self.blind, self.delays) = (0, vec![0.0; self.columns.len()]);
    }

    /// Size of a direction, relative to the scale of the system.
    fn size(&self, direction: &Direction) -> f64 {
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        (largest(direction.q) / self.scale.length)
            .max(largest(direction.u) / self.scale.speed)
            .max(direction.t.abs() / self.scale.time)
    }

    /// The change of a state between two places.
    fn most(&self) -> f64 {
        match self.quick {
            true if self.at_event => EVENT_REACH,
            true => QUICK_REACH,
            false => REACH,
        }
    }

    /// With which of the neighbours the state and the parameter are changed at once.
    fn together(&self, direction: &Direction, size: f64) -> Option<usize> {
        let known = self.parameters.get(direction.number).filter(|_| direction.parameter != 0.0)?;
        // What the state moves by while the parameter moves by one step.
        let moves = |(_, step): &Neighbours| (step / direction.parameter).abs() * size;
        if self.quick && known.first().is_some_and(|n| moves(n) < UNFELT * self.most()) {
            return Some(0);
        }
        known.iter().position(|n| TOGETHER.contains(&(moves(n) / self.most())))
    }

    /// The factor of a direction that reaches the next place, and with which neighbours; none if the state does not
    /// change along it, or state and parameter are changed one after the other.
    ///
    /// `boldness` is by how much it may be longer than usual.
    pub(super) fn reach_of(
        &self,
        direction: &Direction,
        boldness: f64,
    ) -> Option<(f64, Option<usize>)> {
        let size = self.size(direction) / boldness;
        let known = self.parameters.get(direction.number).filter(|_| direction.parameter != 0.0);
        let steps = known.map_or(&[][..], Vec::as_slice);
        match self.together(direction, size) {
            Some(place) => Some((steps[place].1 / direction.parameter, Some(place))),
            _ if !(size > 0.0) => None,
            None if steps.is_empty() => Some((self.most() / size, None)),
            None => None,
        }
    }

    /// The derivative of a function along a direction.
    pub(super) fn along(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        direction: &Direction,
        function: Function,
    ) -> Result<Vec<f64>, StepError> {
        let (offsets, weights): (&[f64], &[f64]) = match self.quick {
            true => (&QUICK_OFFSETS, &QUICK_WEIGHTS),
            false => (&OFFSETS, &WEIGHTS),
        };
        let size = self.size(direction);
        let (most, place) = (self.most(), self.together(direction, size));
        let Self { tools, parameters, .. } = self;
        let (mut sum, mut values) = (Vec::new(), Vec::new());
        let mut add = |values: &[f64], weight: f64| {
            sum.resize(values.len(), 0.0);
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        };
        let known = parameters.get(direction.number).filter(|_| direction.parameter != 0.0);
        let known = known.map_or(&[][..], Vec::as_slice);
        let together = place.and_then(|place| known.get(place));
        if size > 0.0 || together.is_some() {
            let mut probe = at.clone();
            let reach = together.map_or(most / size, |(_, step)| step / direction.parameter);
            for (k, (offset, weight)) in offsets.iter().zip(weights).enumerate() {
                let shift = |to: &mut [f64], from: &[f64], by: &[f64]| {
                    for ((to, from), by) in to.iter_mut().zip(from).zip(by) {
                        *to = from + offset * reach * by;
                    }
                };
                probe.t = at.t + offset * reach * direction.t;
                shift(&mut probe.q, &at.q, direction.q);
                shift(&mut probe.u, &at.u, direction.u);
                match together.and_then(|(neighbours, _)| neighbours.get(k)) {
                    Some(neighbour) => {
                        neighbour.normalize(&mut probe.q);
                        function(tools, neighbour.as_ref(), &probe, &mut values)?;
                    }
                    None => {
                        system.normalize(&mut probe.q);
                        function(tools, system, &probe, &mut values)?;
                    }
                }
                add(&values, weight / reach);
            }
        } else if known.is_empty() {
            function(tools, system, at, &mut values)?;
            add(&values, 0.0);
        }
        if let Some((neighbours, step)) = known.first().filter(|_| together.is_none()) {
            for (neighbour, weight) in neighbours.iter().zip(weights) {
                function(tools, neighbour.as_ref(), at, &mut values)?;
                add(&values, direction.parameter * weight / step);
            }
        }
        check_finite(at.t, "derivative", &sum)?;
        Ok(sum)
    }

    /// Longest step with which small changes are carried well, s. Where the motion itself is steady, its steps know
    /// nothing of how fast changes of it die out, and the method would blow these up.
    pub(super) fn longest_step(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        at: &State,
        wanted: f64,
    ) -> f64 {
        self.since += 1;
        let known = self.since < LOOK_AGAIN && wanted < LONGER * self.looked;
        let longest = |fastest: f64| if fastest > 0.0 { 1.0 / fastest } else { f64::INFINITY };
        if known {
            return longest(self.fastest);
        }
        (self.looked, self.since) = (wanted, 0);
        let n = at.q.len();
        let mut rates =
            |tools: &mut Tools, system: &dyn MechanicalSystem, at: &State, out: &mut Vec<f64>| {
                let (q, u) = tools.rate(system, mode, at)?;
                out.clear();
                out.extend(q);
                out.extend(u);
                Ok(())
            };
        let Scale { length, speed, .. } = self.scale;
        let size = |q: &[f64], u: &[f64]| {
            let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            (largest(q) / length).max(largest(u) / speed)
        };
        for index in 0..self.columns.len() {
            let column = std::mem::take(&mut self.columns[index]);
            // Twice, for a single rate of a swinging mass says little: (x, v) becomes (v, -ω² x).
            let mut direction = (column.q.clone(), column.u.clone());
            let mut known = true;
            for _ in 0..2 {
                let (q, u) = &direction;
                let along = Direction { q, u, t: 0.0, parameter: 0.0, number: 0 };
                match self.along(system, at, &along, &mut rates) {
                    Ok(rate) => direction = (rate[..n].to_vec(), rate[n..].to_vec()),
                    Err(_) => known = false,
                }
            }
            let own = size(&column.q, &column.u);
            if known && own > 0.0 {
                let rate = (size(&direction.0, &direction.1) / own).sqrt();
                self.fastest = self.fastest.max(rate);
            }
            self.columns[index] = column;
        }
        longest(self.fastest)
    }

    /// Enters the mode that begins.
    pub(super) fn enter(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        flow: &Flow,
        t: f64,
    ) {
        let (mode, held) = describe(system, mode, flow);
        (self.fastest, self.looked) = (0.0, 0.0);
        self.shown.iter_mut().for_each(Shown::forget);
        let same = self.phases.last().is_some_and(|last| last.mode == mode && last.t == t);
        if !same {
            self.phases.push(Phase { t, mode, held });
        }
    }
}

/// What is closed, sticks and slips in a mode, in words, and how many components of velocities it holds.
pub(super) fn describe(system: &dyn MechanicalSystem, mode: &Mode, flow: &Flow) -> (String, usize) {
    let plans = &flow.dynamics.plans;
    let (mut words, mut held) = (Vec::new(), 0);
    for contact in &mode.contacts {
        let plan = &plans[contact.group];
        let mut word = if contact.has_gap(plan) { "closed" } else { "" };
        for (element, motion) in plan.elements.iter().zip(&contact.motions) {
            held += usize::from(*motion == Motion::Constrained) * element.dim;
            if contact.is_free(element) {
                word = if *motion == Motion::Slip { "slip" } else { "stick" };
                break;
            }
        }
        if !word.is_empty() {
            words.push(format!("{} {word}", system.contact_name(contact.key)));
        }
    }
    (if words.is_empty() { "free".to_owned() } else { words.join(", ") }, held)
}

impl Tools {
    /// The state after a step in a mode.
    pub(super) fn step(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        at: &State,
        h: f64,
        out: &mut Vec<f64>,
    ) -> Result<(), StepError> {
        let Self { flow, runge_kutta, y, rate, shares, .. } = self;
        flow.begin(system);
        flow.load(at);
        flow.pack(at, mode, y);
        rate.resize(y.len(), 0.0);
        *flow.dynamics.share() = shares[0];
        flow.stage(system, mode, at.t, y, rate)?;
        *flow.dynamics.share() = shares[1];
        runge_kutta
            .advance(at.t, y, rate, h, &mut |t, y, rate| flow.stage(system, mode, t, y, rate))?;
        let n = at.q.len();
        out.clear();
        out.extend_from_slice(&runge_kutta.end[..n + at.u.len()]);
        system.normalize(&mut out[..n]);
        Ok(())
    }

    /// Rates of q and u in a mode.
    pub(super) fn rate(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        at: &State,
    ) -> Result<(Vec<f64>, Vec<f64>), StepError> {
        let Self { flow, y, rate, .. } = self;
        flow.begin(system);
        flow.load(at);
        flow.pack(at, mode, y);
        rate.resize(y.len(), 0.0);
        flow.rate(system, mode, at.t, y, rate)?;
        let n = at.q.len();
        Ok((rate[..n].to_vec(), rate[n..n + at.u.len()].to_vec()))
    }

    /// Value of an event function.
    pub(super) fn event(
        &mut self,
        system: &dyn MechanicalSystem,
        mode: &Mode,
        at: &State,
        trigger: Trigger,
    ) -> Result<f64, StepError> {
        self.rate(system, mode, at)?;
        self.watch.triggers.clear();
        self.watch.triggers.push(trigger);
        self.watch.measure(0, &self.flow.dynamics, mode, &at.u);
        match (self.watch.values[0][0], trigger) {
            (value, Trigger::Gap(key)) if value == f64::INFINITY => {
                Err(StepError::ContactChanged { t: at.t, contact: system.contact_name(key) })
            }
            (value, _) => Ok(value),
        }
    }
}
