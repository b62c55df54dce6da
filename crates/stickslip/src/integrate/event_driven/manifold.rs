//! The states near a given one that the same mode allows.

use super::EventDriven;
use super::engine::Task;
use super::mode::{Mode, Motion};
use super::saltation::add_rate;
use super::scale::Scale;
use super::variation::{Tangent, Variation, describe};
use crate::integrate::StepError;
use crate::system::{MechanicalSystem, Observed, State};
use std::sync::Arc;

/// What is left of a direction, relative, where the constraints hold it.
const HELD: f64 = 1e-6;

/// The mode of a state, and the directions in which it may be changed: along joints, closed contacts and laws that
/// stick, all together.
#[derive(Clone)]
pub struct Manifold {
    mode: Mode,
    scale: Scale,
    /// Directions, of length 1 and perpendicular where coordinates and velocities are measured by the scale of
    /// the system.
    pub basis: Vec<Tangent>,
    /// How many directions there were if no contact were closed and nothing did stick.
    pub freedom: usize,
    /// What is closed, sticks and slips, in words.
    pub words: String,
    /// A velocity on which nothing acts, for each.
    held: Vec<bool>,
}

impl EventDriven {
    /// The mode of a state with its directions; impacts that are due happen.
    pub fn manifold(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
    ) -> Result<Manifold, StepError> {
        let mut task = Task {
            system,
            options: self.options,
            t_end: state.t,
            solver: self.solver.as_mut(),
            record: &mut self.record,
            tell: &mut |_| {},
            variation: None,
        };
        self.engine.reached = None;
        self.engine.run(state, &mut task)?;
        let held: Vec<bool> = (0..state.u.len()).map(|k| system.is_held(k)).collect();
        let (mode, scale) = (self.engine.mode.clone(), self.engine.scale);
        let (words, _) = describe(system, &mode, &self.engine.flow);
        let mut manifold = Manifold { mode, scale, basis: Vec::new(), freedom: 0, words, held };
        // Joints alone.
        let mut joints = manifold.mode.clone();
        let positions: Vec<bool> = joints.contacts.iter().map(|c| c.permanent).collect();
        joints.retain(&self.engine.flow.dynamics.plans, |k| positions[k]);
        for contact in &mut joints.contacts {
            let elements = &self.engine.flow.dynamics.plans[contact.group].elements;
            for (index, element) in elements.iter().enumerate() {
                if contact.is_free(element) {
                    contact.motions[index] = Motion::Slip;
                }
            }
        }
        manifold.freedom = manifold.directions(&joints, system, state)?.len();
        manifold.basis = manifold.directions(&manifold.mode, system, state)?;
        Ok(manifold)
    }
}

impl Manifold {
    /// Directions that the constraints of a mode leave: unit changes, projected, of which the longest is taken and
    /// taken out of the others, again and again.
    fn directions(
        &self,
        mode: &Mode,
        system: &dyn MechanicalSystem,
        at: &State,
    ) -> Result<Vec<Tangent>, StepError> {
        let n = at.u.len();
        let mut columns = Vec::new();
        for k in (0..n).filter(|k| !self.held[*k]) {
            let mut unit = vec![0.0; n];
            unit[k] = self.scale.length;
            let mut q = vec![0.0; at.q.len()];
            add_rate(system, at, &unit, &mut q);
            columns.push(Tangent { q, u: vec![0.0; n], parameter: 0.0 });
            unit[k] = self.scale.speed;
            columns.push(Tangent { q: vec![0.0; at.q.len()], u: unit, parameter: 0.0 });
        }
        let mut variation = self.variation(columns);
        variation.hold(system, mode, at)?;
        let columns = std::mem::take(&mut variation.columns);
        let mut left: Vec<Vec<f64>> = columns.iter().map(|c| self.flat(system, at, c)).collect();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        loop {
            let length = |v: &Vec<f64>| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            let longest =
                (0..left.len()).max_by(|a, b| length(&left[*a]).total_cmp(&length(&left[*b])));
            let Some(longest) = longest.filter(|k| length(&left[*k]) > HELD) else { break };
            let mut next = left.swap_remove(longest);
            let size = length(&next);
            next.iter_mut().for_each(|x| *x /= size);
            for other in &mut left {
                let along: f64 = other.iter().zip(&next).map(|(a, b)| a * b).sum();
                other.iter_mut().zip(&next).for_each(|(a, b)| *a -= along * b);
            }
            basis.push(next);
        }
        Ok(basis.iter().map(|flat| self.tangent(system, at, flat)).collect())
    }

    /// The same at another state in the mode: directions are turned as little as the constraints, which are not flat, ask
    /// for.
    pub fn moved_to(&self, system: &dyn MechanicalSystem, at: &State) -> Result<Self, StepError> {
        let mut variation = self.variation(self.basis.clone());
        variation.hold(system, &self.mode, at)?;
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for column in &variation.columns {
            let mut next = self.flat(system, at, column);
            for other in &basis {
                let along: f64 = other.iter().zip(&next).map(|(a, b)| a * b).sum();
                next.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
            let size = next.iter().map(|x| x * x).sum::<f64>().sqrt();
            next.iter_mut().for_each(|x| *x /= size);
            basis.push(next);
        }
        let basis = basis.iter().map(|flat| self.tangent(system, at, flat)).collect();
        Ok(Self { basis, ..self.clone() })
    }

    fn variation(&self, columns: Vec<Tangent>) -> Variation {
        let mut variation = Variation::new(columns);
        variation.begin(self.scale);
        variation
    }

    /// A change along the velocities and of the velocities, measured by the scale.
    pub fn flat(&self, system: &dyn MechanicalSystem, at: &State, tangent: &Tangent) -> Vec<f64> {
        let n = at.u.len();
        let (mut unit, mut gradient) = (vec![0.0; n], vec![0.0; at.q.len()]);
        let mut flat = Vec::with_capacity(2 * n);
        for k in 0..n {
            unit[k] = 1.0;
            system.coordinate_gradient(at, &unit, &mut gradient);
            unit[k] = 0.0;
            let along: f64 = gradient.iter().zip(&tangent.q).map(|(g, q)| g * q).sum();
            flat.push(along / self.scale.length);
        }
        flat.extend(tangent.u.iter().map(|u| u / self.scale.speed));
        flat
    }

    /// The change of a state that is so long along the velocities and of the velocities.
    pub fn tangent(&self, system: &dyn MechanicalSystem, at: &State, flat: &[f64]) -> Tangent {
        let (v, u) = flat.split_at(at.u.len());
        let v: Vec<f64> = v.iter().map(|v| v * self.scale.length).collect();
        let mut q = vec![0.0; at.q.len()];
        add_rate(system, at, &v, &mut q);
        Tangent { q, u: u.iter().map(|u| u * self.scale.speed).collect(), parameter: 0.0 }
    }

    /// Shares of the basis in a change of a state.
    pub fn shares(&self, system: &dyn MechanicalSystem, at: &State, change: &Tangent) -> Vec<f64> {
        let flat = self.flat(system, at, change);
        let share = |direction: &Tangent| {
            let own = self.flat(system, at, direction);
            own.iter().zip(&flat).map(|(a, b)| a * b).sum()
        };
        self.basis.iter().map(share).collect()
    }

    /// Shares of the basis in the way from one state to another that is near.
    pub fn difference(&self, system: &dyn MechanicalSystem, from: &State, to: &State) -> Vec<f64> {
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        let change = Tangent { q: minus(&to.q, &from.q), u: minus(&to.u, &from.u), parameter: 0.0 };
        self.shares(system, from, &change)
    }

    /// Moves a state by shares of the basis, and onto the constraints.
    pub fn shift(
        &self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        shares: &[f64],
    ) -> Result<(), StepError> {
        for (direction, share) in self.basis.iter().zip(shares) {
            state.q.iter_mut().zip(&direction.q).for_each(|(q, d)| *q += share * d);
            state.u.iter_mut().zip(&direction.u).for_each(|(u, d)| *u += share * d);
        }
        system.normalize(&mut state.q);
        self.variation(Vec::new()).tools.project(system, &self.mode, state)
    }

    /// How a state on the constraints changes with the parameter.
    pub fn with_parameter(
        &self,
        system: &dyn MechanicalSystem,
        at: &State,
        neighbours: &[Arc<dyn Observed>],
        step: f64,
    ) -> Result<Tangent, StepError> {
        let (q, u) = (vec![0.0; at.q.len()], vec![0.0; at.u.len()]);
        let variation = self.variation(vec![Tangent { q, u, parameter: 1.0 }]);
        let mut variation = variation.with_neighbours(neighbours.to_vec(), step);
        variation.hold(system, &self.mode, at)?;
        Ok(variation.columns.swap_remove(0))
    }

    /// Laws of friction that stick, and of how many components each is.
    pub fn sticking(&self, system: &dyn MechanicalSystem) -> Vec<usize> {
        self.sticking_places(system).into_iter().map(|(_, _, _, dim)| dim).collect()
    }

    /// Contact, element, first component and number of components of the laws of friction that stick.
    fn sticking_places(&self, system: &dyn MechanicalSystem) -> Vec<(usize, usize, usize, usize)> {
        let mut variation = self.variation(Vec::new());
        variation.tools.flow.begin(system);
        let plans = &variation.tools.flow.dynamics.plans;
        let mut places = Vec::new();
        for (position, contact) in self.mode.contacts.iter().enumerate() {
            for (index, element) in plans[contact.group].elements.iter().enumerate() {
                if contact.is_free(element) && contact.motions[index] == Motion::Constrained {
                    places.push((position, index, element.first, element.dim));
                }
            }
        }
        places
    }

    /// The same with the only law that sticks about to slip, forwards or backwards: its force is the largest that it can be.
    /// None if there are several such laws, or if it may slip in a plane.
    pub fn about_to_slip(
        &self,
        system: &dyn MechanicalSystem,
        at: &State,
        forwards: bool,
    ) -> Result<Option<Self>, StepError> {
        let [(contact, element, first, 1)] = self.sticking_places(system)[..] else {
            return Ok(None);
        };
        let mut released = self.clone();
        let contact = &mut released.mode.contacts[contact];
        contact.motions[element] = Motion::Slip;
        contact.direction[first] = if forwards { 1.0 } else { -1.0 };
        contact.onset[element] = true;
        released.basis = released.directions(&released.mode, system, at)?;
        Ok(Some(released))
    }

    /// Rates of the state in this mode.
    pub fn rate(&self, system: &dyn MechanicalSystem, at: &State) -> Result<Tangent, StepError> {
        let (q, u) = self.variation(Vec::new()).tools.rate(system, &self.mode, at)?;
        Ok(Tangent { q, u, parameter: 0.0 })
    }
}
