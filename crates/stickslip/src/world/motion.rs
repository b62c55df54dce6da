//! Prescribed motion of bodies, and what is said of the start of a world.

use super::description::TimeFunction;
use super::frames::{Frame, Frames, Placement};
use super::mounts::wrapped;
use crate::kinematics::quaternion::{self, from_axis_angle, product};
use crate::kinematics::vector::{E_X, E_Y, E_Z, add, apply, cross, dot, scale, sub};
use crate::kinematics::{Quaternion, Vector3};
use crate::system::{ContactSet, Dimension, State};

/// A function of time with its rate.
#[derive(Clone, Debug, Default)]
pub struct TimedMotion {
    /// The function.
    pub value: TimeFunction,
    /// Its derivative with respect to time.
    pub rate: TimeFunction,
}

impl TimedMotion {
    /// The same value at all times.
    pub fn constant(value: f64) -> Self {
        Self { value: TimeFunction::Constant(value), rate: TimeFunction::Constant(0.0) }
    }
}

/// A body whose place is prescribed at all times. It is driven by whatever force that takes; its mass
/// counts in energies only.
#[derive(Clone, Debug)]
pub struct MotionDescription {
    /// Index of the body, which is not fixed and may move in all directions.
    pub body: usize,
    /// Place of the origin of its frame in the world, m.
    pub position: [TimedMotion; 3],
    /// Axis about which it turns, a unit vector of the world; z in the plane.
    pub axis: [f64; 3],
    /// By which angle, rad.
    pub angle: TimedMotion,
    /// Its orientation where the angle is 0.
    pub rotation: [f64; 4],
}

impl MotionDescription {
    /// Place and orientation of the frame of the body.
    pub fn pose(&self, t: f64) -> (Vector3, Quaternion) {
        let place = [0, 1, 2].map(|k| self.position[k].value.at(t));
        let turn = from_axis_angle(&self.axis, self.angle.value.at(t));
        (place, product(&turn, &self.rotation))
    }

    /// Velocity of the origin and angular velocity, in the axes of the world.
    pub fn velocity(&self, t: f64) -> (Vector3, Vector3) {
        let velocity = [0, 1, 2].map(|k| self.position[k].rate.at(t));
        (velocity, scale(self.angle.rate.at(t), &self.axis))
    }
}

/// What is said of the start beside the places and velocities of the bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssemblyDescription {
    /// Whether the start is taken as it is given, also where joints do not meet.
    pub off: bool,
    /// Bodies that must not move: their indices. Those that have a velocity keep it too.
    pub held: Vec<usize>,
    /// Values of the free coordinates of joints at the start, m or rad, by their indices.
    pub coordinates: Vec<(usize, f64)>,
    /// Where bodies start, if not where their description has them; joints are fastened there all the same.
    pub placed: Vec<PlacedBody>,
}

/// Where a body starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedBody {
    /// Index of the body.
    pub body: usize,
    /// Origin of the body frame, m.
    pub position: [f64; 3],
    /// Orientation of the body frame: a unit quaternion.
    pub rotation: [f64; 4],
    /// In the plane its angle, rad, in which full turns count.
    pub angle: f64,
    /// Velocity of the origin of the body frame, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity, inertial frame, rad/s.
    pub angular_velocity: [f64; 3],
}

/// A prescribed motion as a constraint of the body.
#[derive(Clone, Debug)]
pub(super) struct Drive {
    motion: MotionDescription,
    block: usize,
    /// Key of its candidate, counted from the first of all joints.
    key: u64,
    /// Its group of laws.
    group: usize,
}

impl Drive {
    /// None for a body that does not move.
    pub(super) fn new(
        motion: &MotionDescription,
        frames: &Frames,
        key: u64,
        group: usize,
    ) -> Option<Self> {
        let block = frames.block(Some(motion.body))?;
        Some(Self { motion: motion.clone(), block, key, group })
    }

    /// Number of constraints.
    pub(super) fn dim(dimension: Dimension) -> usize {
        if dimension == Dimension::Two { 3 } else { 6 }
    }

    /// Adds the candidate: e = x − x(t) and the turn from the prescribed orientation, with w̃ = ∂e/∂t.
    pub(super) fn list(
        &self,
        frames: &Frames,
        at: &State,
        first_key: u64,
        first_group: usize,
        out: &mut ContactSet,
    ) {
        let frame: Frame = frames.frame(at, Some(self.motion.body));
        let (place, rotation) = self.motion.pose(at.t);
        let (velocity, spin) = self.motion.velocity(at.t);
        let size = frames.velocities();
        let (rows, prescribed, errors) = out.push_joint(
            first_key + self.key,
            first_group + self.group,
            [self.block; 2],
            [size, 0],
            Self::dim(frames.dimension),
        );
        let arm = sub(&frame.origin, &frame.center);
        let shifts = if frames.dimension == Dimension::Two { 2 } else { 3 };
        let (shift_rows, turn_rows) = rows.split_at_mut(shifts * size);
        for (k, (row, e)) in shift_rows.chunks_exact_mut(size).zip([E_X, E_Y, E_Z]).enumerate() {
            frames.add_point_row(&frame, &arm, &e, 1.0, row);
            errors[k] = frame.origin[k] - place[k];
            prescribed[k] = -velocity[k];
        }
        if frames.dimension == Dimension::Two {
            frames.add_turn_row(&frame, &E_Z, 1.0, turn_rows);
            // Full turns are no error.
            errors[2] = wrapped(at.q[self.block * frames.coordinates() + 2] - self.angle(at.t));
            prescribed[2] = -spin[2];
            return;
        }
        // Twice the vector part of the quaternion from the prescribed orientation to that of the body,
        // as in fixed joints: d(2e)/dt = e₀ω + ω × e with the relative angular velocity ω.
        let q = &at.q[self.block * frames.coordinates() + 3..];
        let [w, x, y, z] = rotation;
        let relative = product(&[w, -x, -y, -z], &[q[0], q[1], q[2], q[3]]);
        let sign = if relative[0] < 0.0 { -1.0 } else { 1.0 };
        let [e0, e @ ..] = relative.map(|part| sign * part);
        let turned = quaternion::rotation(&rotation);
        for (k, (row, axis)) in turn_rows.chunks_exact_mut(size).zip([E_X, E_Y, E_Z]).enumerate() {
            let direction = apply(&turned, &add(&scale(e0, &axis), &cross(&e, &axis)));
            frames.add_turn_row(&frame, &direction, 1.0, row);
            errors[3 + k] = 2.0 * e[k];
            prescribed[3 + k] = -dot(&direction, &spin);
        }
    }

    /// The angle in the plane.
    fn angle(&self, t: f64) -> f64 {
        let [w, _, _, z] = self.motion.rotation;
        self.motion.axis[2] * self.motion.angle.value.at(t) + 2.0 * z.atan2(w)
    }
}

/// Where all moving bodies are at a state.
pub(super) fn placed_bodies(frames: &Frames, at: &State) -> Vec<PlacedBody> {
    let mut out = Vec::new();
    for (body, placement) in frames.placements.iter().enumerate() {
        let Placement::Moving { block, .. } = placement else { continue };
        let frame = frames.frame(at, Some(body));
        let twist = frames.twist(&frame, &at.u, Some(body));
        let arm = sub(&frame.origin, &frame.center);
        let q = &at.q[block * frames.coordinates()..];
        let (rotation, angle) = match frames.dimension {
            Dimension::Two => (from_axis_angle(&E_Z, q[2]), q[2]),
            Dimension::Three => ([q[3], q[4], q[5], q[6]], 0.0),
        };
        out.push(PlacedBody {
            body,
            position: frame.origin,
            rotation,
            angle,
            velocity: add(&twist.velocity, &cross(&twist.angular_velocity, &arm)),
            angular_velocity: twist.angular_velocity,
        });
    }
    out
}
