//! An ideal joint with all that acts on its free coordinate.

use super::*;
use crate::system::State;
use crate::world::TimedMotion;
use crate::world::description::{JointSpring, Sense, TimeFunction};
use crate::world::frames::{Frame, Frames};
use crate::world::mounts::{MOST, Pin, Side, wrapped};

/// Unilateral limits of the free coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct JointLimits {
    /// Least and largest value; infinite where there is none.
    pub range: [f64; 2],
    /// The group of laws.
    pub group: usize,
    /// Distance from a limit at which it counts as reached, m or rad: rounding.
    pub closed_at: f64,
}

impl JointLimits {
    /// The middle; 0 if there is none.
    pub(in crate::world) fn middle(&self) -> f64 {
        let middle = 0.5 * (self.range[0] + self.range[1]);
        if middle.is_finite() { middle } else { 0.0 }
    }
}

/// An ideal joint. Its candidates have consecutive keys in this order: speed motor, constraints,
/// lower limit, upper limit, friction, one-way clutch; those that it does not have are left out.
#[derive(Clone, Debug)]
pub(in crate::world) struct IdealJoint {
    pub kind: Arc<dyn Ideal>,
    /// What springs, limits, motors and friction act on.
    pub free: Option<FreeCoordinate>,
    pub sides: [Side; 2],
    /// Key of its first candidate, counted from the first of all joints.
    pub key: u64,
    /// Whether it has constraints: gears with backlash have limits alone.
    pub has_constraints: bool,
    /// Group of laws of the constraints.
    pub group: usize,
    /// Prescribed speed with its group of laws.
    pub speed: Option<(TimeFunction, usize)>,
    /// Prescribed coordinate with its group of laws.
    pub position: Option<(TimedMotion, usize)>,
    /// The coordinate at the start, its group of laws, and its key.
    pub start: Option<(f64, usize, u64)>,
    /// Prescribed force or moment.
    pub effort: Option<TimeFunction>,
    pub limits: Option<JointLimits>,
    /// The group of the friction law.
    pub friction: Option<usize>,
    /// The sense in which alone it moves, and its group of laws.
    pub one_way: Option<(Sense, usize)>,
    pub spring: Option<JointSpring>,
    /// Full turns, rad, that are added to the free angle in the plane.
    pub turns: f64,
}

impl IdealJoint {
    /// Whether its first candidate is a motor.
    pub(in crate::world) fn is_driven(&self) -> bool {
        self.speed.is_some() || self.position.is_some()
    }

    /// What its candidates are, in the order of their keys: endings of their names.
    pub(in crate::world) fn endings(&self) -> impl Iterator<Item = &'static str> {
        let limits = self.limits.is_some();
        [
            (self.is_driven(), ".motor"),
            (self.has_constraints, ""),
            (limits, ".lower"),
            (limits, ".upper"),
            (self.friction.is_some(), ".friction"),
            (self.one_way.is_some(), ".clutch"),
        ]
        .into_iter()
        .filter_map(|(there, ending)| there.then_some(ending))
    }

    /// The free coordinate with its direction in `row` (zero before).
    pub(in crate::world) fn coordinate(&self, pair: &Pair<'_>, row: &mut [f64]) -> f64 {
        if self.free.is_none() {
            return 0.0;
        }
        self.kind.coordinate(pair, row) + self.turns
    }

    /// The difference of the free coordinate and a reference. In space the coordinate of a hinge
    /// is known up to full turns: the smallest difference counts.
    pub(in crate::world) fn difference(&self, pair: &Pair<'_>, value: f64, reference: f64) -> f64 {
        if pair.dimension() == Dimension::Three && self.free == Some(FreeCoordinate::Turn) {
            return wrapped(value - reference);
        }
        value - reference
    }

    /// Gaps at the lower and the upper limit.
    fn gaps(&self, pair: &Pair<'_>, value: f64, limits: &JointLimits) -> [f64; 2] {
        let middle = limits.middle();
        let value = middle + self.difference(pair, value, middle);
        [value - limits.range[0], limits.range[1] - value]
    }

    /// The turn of a joint of the plane; none if something else is free. Most joints of mechanisms, in every step: angles
    /// are coordinates.
    fn plane_angle(&self, frames: &Frames, at: &State) -> Option<f64> {
        if frames.dimension != Dimension::Two || self.free != Some(FreeCoordinate::Turn) {
            return None;
        }
        let [first, second] = &self.sides;
        Some(second.angle(frames, at) - first.angle(frames, at) + self.turns)
    }

    /// Adds the forces along such a turn: what `force` says of its rate.
    fn add_moment(
        &self,
        frames: &Frames,
        at: &State,
        force: impl Fn(f64) -> f64,
        forces: &mut [f64],
    ) {
        let places = self
            .sides
            .each_ref()
            .map(|side| side.block().map(|block| block * frames.velocities() + 2));
        let [first, second] = places.map(|place| place.map_or(0.0, |place| at.u[place]));
        let force = force(second - first);
        for (place, sign) in places.into_iter().zip([-1.0, 1.0]) {
            if let Some(place) = place {
                forces[place] += sign * force;
            }
        }
    }

    /// The value of the free coordinate at a state, next to the middle of the limits if it is an
    /// angle in space.
    pub(in crate::world) fn value(&self, frames: &Frames, at: &State) -> f64 {
        if let Some(angle) = self.plane_angle(frames, at) {
            return angle;
        }
        let pair = Pair::new(frames, at, &self.sides);
        let mut row = [0.0; MOST];
        let value = self.coordinate(&pair, &mut row[..pair.width()]);
        let middle = self.limits.map_or(0.0, |limits| limits.middle());
        middle + self.difference(&pair, value, middle)
    }

    /// The rate of the free coordinate at a state.
    pub(in crate::world) fn rate(&self, frames: &Frames, at: &State) -> f64 {
        let pair = Pair::new(frames, at, &self.sides);
        let mut row = [0.0; MOST];
        let row = &mut row[..pair.width()];
        self.coordinate(&pair, row);
        pair.rate(row, &at.u)
    }

    /// Adds the candidates.
    pub(in crate::world) fn list(
        &self,
        frames: &Frames,
        at: &State,
        places: &[Frame],
        first_key: u64,
        first_group: usize,
        out: &mut ContactSet,
    ) {
        let is_used = self.limits.is_some() || self.friction.is_some() || self.one_way.is_some();
        if out.only_gaps && !is_used {
            return;
        }
        let mut key = first_key + self.key;
        let is_bare = !is_used && !self.is_driven() && self.has_constraints;
        if is_bare && frames.dimension == Dimension::Two && self.kind.is_pin() {
            let pin = Pin::new(frames, at, places, &self.sides);
            let (blocks, sizes) = pin.blocks();
            let (rows, _, errors) = out.push_joint(key, first_group + self.group, blocks, sizes, 2);
            pin.directions(rows);
            errors.copy_from_slice(&pin.between);
            return;
        }
        let pair = Pair::among(frames, at, places, &self.sides);
        let (blocks, sizes) = pair.blocks();
        let mut buffer = [0.0; MOST];
        let free = &mut buffer[..pair.width()];
        let mut value = 0.0;
        if self.is_driven() || is_used {
            value = self.coordinate(&pair, free);
        }
        let permanent = f64::NEG_INFINITY;
        if let Some((speed, group)) = &self.speed {
            let (row, rheonomic) = out.push(key, first_group + group, permanent, blocks, sizes, 1);
            row.copy_from_slice(free);
            rheonomic[0] = -speed.at(at.t);
            key += 1;
        }
        if let Some((position, group)) = &self.position {
            let (row, rheonomic, error) =
                out.push_joint(key, first_group + group, blocks, sizes, 1);
            row.copy_from_slice(free);
            rheonomic[0] = -position.rate.at(at.t);
            error[0] = self.difference(&pair, value, position.value.at(at.t));
            key += 1;
        }
        if self.has_constraints {
            let dim = self.kind.dim(pair.dimension());
            let group = first_group + self.group;
            let (rows, _, errors) = out.push_joint(key, group, blocks, sizes, dim);
            let mut places = rows.chunks_exact_mut(pair.width()).zip(errors);
            self.kind.constrain(&pair, &mut |error, write| {
                if let Some((row, out)) = places.next() {
                    write(row);
                    *out = error;
                }
            });
            key += 1;
        }
        if let Some(limits) = &self.limits {
            let group = first_group + limits.group;
            for (gap, sign) in self.gaps(&pair, value, limits).into_iter().zip([1.0, -1.0]) {
                if gap.is_infinite() {
                    // No limit on this side.
                } else if gap > out.margin_with(limits.closed_at) {
                    out.push_open(key, group, gap);
                    out.close_at(limits.closed_at);
                } else {
                    let (row, _) = out.push(key, group, gap, blocks, sizes, 1);
                    row.iter_mut().zip(free.iter()).for_each(|(out, entry)| *out = sign * entry);
                    out.close_at(limits.closed_at);
                }
                key += 1;
            }
        }
        if let Some(group) = self.friction {
            let (row, rheonomic) = out.push(key, first_group + group, permanent, blocks, sizes, 1);
            row.copy_from_slice(free);
            rheonomic[0] = self.free.map_or(0.0, |free| free.surface_rate(&pair));
            key += 1;
        }
        if let Some((sense, group)) = self.one_way {
            // A law of velocities: 0 ≤ γ ⊥ λ ≥ 0 wherever the coordinate is.
            let (row, _) = out.push(key, first_group + group, permanent, blocks, sizes, 1);
            row.iter_mut().zip(free.iter()).for_each(|(out, w)| *out = sense.sign() * w);
        }
    }

    /// Adds the errors of its constraints alone, in the order of [`list`](Self::list).
    pub(in crate::world) fn list_errors(
        &self,
        frames: &Frames,
        at: &State,
        places: &[Frame],
        out: &mut Vec<f64>,
    ) {
        let is_pin = frames.dimension == Dimension::Two && self.kind.is_pin();
        if is_pin && self.has_constraints && self.position.is_none() {
            out.extend(Pin::new(frames, at, places, &self.sides).between);
            return;
        }
        if !self.has_constraints && self.position.is_none() {
            return;
        }
        let pair = Pair::among(frames, at, places, &self.sides);
        if let Some((position, _)) = &self.position {
            let mut row = [0.0; MOST];
            let value = self.coordinate(&pair, &mut row[..pair.width()]);
            out.push(self.difference(&pair, value, position.value.at(at.t)));
        }
        if self.has_constraints {
            let most = out.len() + self.kind.dim(pair.dimension());
            self.kind.constrain(&pair, &mut |error, _| {
                if out.len() < most {
                    out.push(error);
                }
            });
        }
    }

    /// Adds the constraint that the free coordinate has its value of the start.
    pub(in crate::world) fn list_start(
        &self,
        frames: &Frames,
        at: &State,
        first_key: u64,
        first_group: usize,
        out: &mut ContactSet,
    ) {
        let Some((start, group, key)) = self.start else { return };
        let pair = Pair::new(frames, at, &self.sides);
        let (blocks, sizes) = pair.blocks();
        let (row, _, error) =
            out.push_joint(first_key + key, first_group + group, blocks, sizes, 1);
        let value = self.coordinate(&pair, row);
        error[0] = self.difference(&pair, value, start);
    }

    /// Adds the forces of spring, damper and motor.
    pub(in crate::world) fn add_forces(&self, frames: &Frames, at: &State, forces: &mut [f64]) {
        if self.spring.is_none() && self.effort.is_none() {
            return;
        }
        if let Some(value) = self.plane_angle(frames, at) {
            let effort = self.effort.as_ref().map_or(0.0, |effort| effort.at(at.t));
            let of_spring = |rate: f64| {
                self.spring.as_ref().map_or(0.0, |spring| {
                    -spring.stiffness * (value - spring.rest) - spring.damping * rate
                })
            };
            return self.add_moment(frames, at, |rate| effort + of_spring(rate), forces);
        }
        let pair = Pair::new(frames, at, &self.sides);
        let mut row = [0.0; MOST];
        let row = &mut row[..pair.width()];
        let value = self.coordinate(&pair, row);
        let mut force = self.effort.as_ref().map_or(0.0, |effort| effort.at(at.t));
        if let Some(spring) = &self.spring {
            force -= spring.stiffness * self.difference(&pair, value, spring.rest);
            force -= spring.damping * pair.rate(row, &at.u);
        }
        pair.add_force(row, force, forces);
    }

    /// Force or moment of spring and damper along the free coordinate.
    pub(in crate::world) fn spring_force(&self, frames: &Frames, at: &State) -> f64 {
        let Some(spring) = &self.spring else { return 0.0 };
        let pair = Pair::new(frames, at, &self.sides);
        let mut row = [0.0; MOST];
        let row = &mut row[..pair.width()];
        let value = self.coordinate(&pair, row);
        let stretch = self.difference(&pair, value, spring.rest);
        -spring.stiffness * stretch - spring.damping * pair.rate(row, &at.u)
    }

    /// Adds the damper to the blocks of ∂h/∂u.
    pub(in crate::world) fn add_jacobian(&self, frames: &Frames, at: &State, jacobian: &mut [f64]) {
        let Some(damping) = self.spring.as_ref().map(|spring| spring.damping) else { return };
        if damping > 0.0 {
            let pair = Pair::new(frames, at, &self.sides);
            let mut row = [0.0; MOST];
            let row = &mut row[..pair.width()];
            self.coordinate(&pair, row);
            pair.add_damping(row, damping, jacobian);
        }
    }

    /// Adds the forces of damper and motor alone.
    pub(in crate::world) fn add_applied_forces(
        &self,
        frames: &Frames,
        at: &State,
        forces: &mut [f64],
    ) {
        let damping = self.spring.as_ref().map_or(0.0, |spring| spring.damping);
        if damping == 0.0 && self.effort.is_none() {
            return;
        }
        if self.plane_angle(frames, at).is_some() {
            let effort = self.effort.as_ref().map_or(0.0, |effort| effort.at(at.t));
            return self.add_moment(frames, at, |rate| effort - damping * rate, forces);
        }
        let pair = Pair::new(frames, at, &self.sides);
        let mut row = [0.0; MOST];
        let row = &mut row[..pair.width()];
        self.coordinate(&pair, row);
        let effort = self.effort.as_ref().map_or(0.0, |effort| effort.at(at.t));
        pair.add_force(row, effort - damping * pair.rate(row, &at.u), forces);
    }

    /// Potential of the spring, J.
    pub(in crate::world) fn energy(&self, frames: &Frames, at: &State) -> f64 {
        let Some(spring) = &self.spring else {
            return 0.0;
        };
        if let Some(angle) = self.plane_angle(frames, at) {
            let stretch = angle - spring.rest;
            return 0.5 * spring.stiffness * stretch * stretch;
        }
        let pair = Pair::new(frames, at, &self.sides);
        let mut row = [0.0; MOST];
        let value = self.coordinate(&pair, &mut row[..pair.width()]);
        let stretch = self.difference(&pair, value, spring.rest);
        0.5 * spring.stiffness * stretch * stretch
    }
}
