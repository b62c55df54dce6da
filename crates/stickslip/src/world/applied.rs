//! Forces between points and at points: smooth forces with their potential.

use super::description::TimeFunction;
use super::frames::Frames;
use super::mounts::{MOST, Pair, Side, unit};
use crate::kinematics::Vector3;
use crate::kinematics::vector::{E_X, E_Y, E_Z, dot, norm};
use crate::system::{Dimension, State};

/// Spring and damper between two points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PointSpring {
    pub sides: [Side; 2],
    pub stiffness: f64,
    pub damping: f64,
    /// Unit vector of the world along which it acts; none for the line between its ends.
    pub direction: Option<Vector3>,
    pub rest_length: f64,
}

impl PointSpring {
    pub(super) fn add_forces(&self, frames: &Frames, at: &State, forces: &mut [f64]) {
        let pair = Pair::new(frames, at, &self.sides);
        let mut row = [0.0; MOST];
        let row = &mut row[..pair.width()];
        if let Some(e) = self.direction(&pair) {
            pair.apart(&e, row);
            let (stretch, rate) = (self.stretch(&pair), pair.rate(row, &at.u));
            let force = -self.stiffness * stretch - self.damping * rate;
            pair.add_force(row, force, forces);
            return;
        }
        // Points on one another: the spring has no direction and gives no force. They part along
        // their relative velocity, which therefore is the direction of the damper.
        for e in [E_X, E_Y, E_Z] {
            row.fill(0.0);
            pair.apart(&e, row);
            let rate = pair.rate(row, &at.u);
            pair.add_force(row, -self.damping * rate, forces);
        }
    }

    /// Adds the damper to the blocks of ∂h/∂u.
    pub(super) fn add_jacobian(&self, frames: &Frames, at: &State, jacobian: &mut [f64]) {
        let pair = Pair::new(frames, at, &self.sides);
        let mut row = [0.0; MOST];
        let row = &mut row[..pair.width()];
        if let Some(e) = self.direction(&pair).filter(|_| self.damping > 0.0) {
            pair.apart(&e, row);
            pair.add_damping(row, self.damping, jacobian);
        }
    }

    /// Adds the force of the damper alone.
    pub(super) fn add_damping(&self, frames: &Frames, at: &State, forces: &mut [f64]) {
        if self.damping == 0.0 {
            return;
        }
        let damper = Self { stiffness: 0.0, ..self.clone() };
        damper.add_forces(frames, at, forces);
    }

    /// Potential, J.
    pub(super) fn energy(&self, frames: &Frames, at: &State) -> f64 {
        let stretch = self.stretch(&Pair::new(frames, at, &self.sides));
        0.5 * self.stiffness * stretch * stretch
    }

    fn stretch(&self, pair: &Pair<'_>) -> f64 {
        let length = self.direction.map_or_else(|| norm(&pair.between), |e| dot(&e, &pair.between));
        length - self.rest_length
    }

    fn direction(&self, pair: &Pair<'_>) -> Option<Vector3> {
        self.direction.or_else(|| unit(&pair.between))
    }
}

/// A force at a point of a body, and a moment.
#[derive(Clone, Debug)]
pub(super) struct AppliedForce {
    pub side: Side,
    pub force: [TimeFunction; 3],
    pub moment: [TimeFunction; 3],
    /// Whether the components turn with the body.
    pub follows: bool,
}

impl AppliedForce {
    pub(super) fn add_forces(&self, frames: &Frames, at: &State, forces: &mut [f64]) {
        if let Some((first, row)) = self.generalized(frames, at) {
            forces[first..].iter_mut().zip(row).for_each(|(sum, force)| *sum += force);
        }
    }

    /// The same to two sums.
    pub(super) fn add_to_both(
        &self,
        frames: &Frames,
        at: &State,
        forces: &mut [f64],
        applied: &mut [f64],
    ) {
        if let Some((first, row)) = self.generalized(frames, at) {
            for out in [forces, applied] {
                out[first..].iter_mut().zip(row).for_each(|(sum, force)| *sum += force);
            }
        }
    }

    /// Whether there is nothing to add at any time.
    pub(super) fn is_zero(&self) -> bool {
        let is_zero = |of: &TimeFunction| matches!(of, TimeFunction::Constant(0.0));
        self.force.iter().chain(&self.moment).all(is_zero)
    }

    /// The forces on the velocities of the body, and the first of these.
    fn generalized(&self, frames: &Frames, at: &State) -> Option<(usize, [f64; 6])> {
        let block = self.side.block()?;
        let placed = self.side.place(frames, at);
        let value = |components: &[TimeFunction; 3]| {
            let vector = [0, 1, 2].map(|k| components[k].at(at.t));
            if self.follows { placed.frame.direction(&vector) } else { vector }
        };
        let (mut force, mut moment) = (value(&self.force), value(&self.moment));
        if frames.dimension == Dimension::Two {
            force[2] = 0.0;
            moment = [0.0, 0.0, moment[2]];
        }
        let size = frames.velocities();
        let mut row = [0.0; 6];
        // Directions are linear in their vector: a force in its place gives the generalized force.
        frames.add_point_row(&placed.frame, &placed.arm, &force, 1.0, &mut row[..size]);
        frames.add_turn_row(&placed.frame, &moment, 1.0, &mut row[..size]);
        Some((block * size, row))
    }
}
