//! Where the bodies are, how they move, and the rows of W that follow.

use super::description::{BodyDescription, WorldDescription};
use crate::kinematics::vector::{add, apply, apply_transposed, cross, sub};
use crate::kinematics::{Matrix3, Quaternion, Vector3, quaternion};
use crate::system::{Dimension, State};

/// Position and orientation of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Centre of mass, m, inertial frame.
    pub center: Vector3,
    /// Body frame to inertial frame.
    pub rotation: Matrix3,
    /// Origin of the body frame, m, inertial frame.
    pub origin: Vector3,
}

/// Velocity of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Velocity of the centre of mass, m/s, inertial frame.
    pub velocity: Vector3,
    /// Angular velocity, rad/s, inertial frame.
    pub angular_velocity: Vector3,
}

impl Frame {
    /// A point of the body frame in the inertial frame.
    pub fn point(&self, local: &Vector3) -> Vector3 {
        add(&self.origin, &apply(&self.rotation, local))
    }

    /// A direction of the body frame in the inertial frame.
    pub fn direction(&self, local: &Vector3) -> Vector3 {
        apply(&self.rotation, local)
    }
}

/// A body as the frames see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placement {
    /// It moves; the number of its block.
    Moving {
        /// Index of its block of the mass matrix.
        block: usize,
        /// Centre of mass in the body frame, m.
        center: Vector3,
    },
    /// It is held, and its surface moves with this velocity.
    Fixed {
        /// Where it is.
        frame: Frame,
        /// How its surface moves.
        twist: Twist,
    },
}

/// The layout of all bodies in q and u.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frames {
    /// Plane or space.
    pub dimension: Dimension,
    /// The bodies in the order of the description.
    pub placements: Vec<Placement>,
}

/// The ground: at the origin, at rest.
const GROUND: Frame = Frame {
    center: [0.0; 3],
    rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    origin: [0.0; 3],
};

impl Frames {
    /// Of the bodies of a description with these centres of mass in their frames.
    pub(super) fn new(world: &WorldDescription, centers: impl Iterator<Item = Vector3>) -> Self {
        let mut frames = Self { dimension: world.dimension, placements: Vec::new() };
        let mut block = 0;
        for (body, center) in world.bodies.iter().zip(centers) {
            frames.placements.push(if body.fixed {
                let frame = Frame {
                    center: body.position,
                    rotation: quaternion::rotation(&body.rotation),
                    origin: body.position,
                };
                let BodyDescription { velocity, angular_velocity, .. } = *body;
                Placement::Fixed { frame, twist: Twist { velocity, angular_velocity } }
            } else {
                block += 1;
                Placement::Moving { block: block - 1, center }
            });
        }
        frames
    }

    /// Quaternions with the sign nearest to `near`, and angles without whole turns
    /// ([`MechanicalSystem::turn_back`](crate::system::MechanicalSystem::turn_back)).
    pub fn turn_back(&self, q: &mut [f64], near: &[f64], turns: bool, signs: &mut [f64]) {
        if self.dimension == Dimension::Three {
            let bodies = q.chunks_exact_mut(7).zip(near.chunks_exact(7));
            for ((q, near), signs) in bodies.zip(signs.chunks_exact_mut(7)) {
                if q[3..].iter().zip(&near[3..]).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                    q[3..].iter_mut().for_each(|q| *q = -*q);
                    signs[3..].fill(-1.0);
                }
            }
        } else if turns {
            let turn = std::f64::consts::TAU;
            for (q, near) in q.chunks_exact_mut(3).zip(near.chunks_exact(3)) {
                q[2] -= turn * ((q[2] - near[2]) / turn).round();
            }
        }
    }

    /// Coordinates of a moving body.
    pub fn coordinates(&self) -> usize {
        match self.dimension {
            Dimension::Two => 3,
            Dimension::Three => 7,
        }
    }

    /// Velocities of a moving body: the size of its block.
    pub fn velocities(&self) -> usize {
        match self.dimension {
            Dimension::Two => 3,
            Dimension::Three => 6,
        }
    }

    /// The block of a body; none if it does not move.
    pub fn block(&self, body: Option<usize>) -> Option<usize> {
        match self.placements.get(body?) {
            Some(Placement::Moving { block, .. }) => Some(*block),
            _ => None,
        }
    }

    /// Where a body is; none is the ground.
    pub fn frame(&self, at: &State, body: Option<usize>) -> Frame {
        self.frame_in(&at.q, body)
    }

    /// Where a body is at the coordinates q; none is the ground.
    pub fn frame_in(&self, q: &[f64], body: Option<usize>) -> Frame {
        match body.and_then(|index| self.placements.get(index)) {
            None => GROUND,
            Some(Placement::Fixed { frame, .. }) => *frame,
            Some(Placement::Moving { block, center }) => {
                let q = &q[block * self.coordinates()..];
                let (position, rotation) = match self.dimension {
                    Dimension::Two => ([q[0], q[1], 0.0], turn(q[2])),
                    Dimension::Three => {
                        let unit: Quaternion = [q[3], q[4], q[5], q[6]];
                        ([q[0], q[1], q[2]], quaternion::rotation(&unit))
                    }
                };
                let origin = sub(&position, &apply(&rotation, center));
                Frame { center: position, rotation, origin }
            }
        }
    }

    /// How a body moves with the velocities `u`.
    pub fn twist(&self, frame: &Frame, u: &[f64], body: Option<usize>) -> Twist {
        match body.and_then(|index| self.placements.get(index)) {
            None => Twist::default(),
            Some(Placement::Fixed { twist, .. }) => *twist,
            Some(Placement::Moving { block, .. }) => {
                let u = &u[block * self.velocities()..];
                match self.dimension {
                    Dimension::Two => {
                        Twist { velocity: [u[0], u[1], 0.0], angular_velocity: [0.0, 0.0, u[2]] }
                    }
                    Dimension::Three => Twist {
                        velocity: [u[0], u[1], u[2]],
                        angular_velocity: apply(&frame.rotation, &[u[3], u[4], u[5]]),
                    },
                }
            }
        }
    }

    /// Adds `sign` times the direction of the velocity, along the inertial vector e, of the point of
    /// the body at `arm` (inertial frame, from the centre of mass): e·(v + ω × r).
    pub fn add_point_row(
        &self,
        frame: &Frame,
        arm: &Vector3,
        e: &Vector3,
        sign: f64,
        row: &mut [f64],
    ) {
        let moment = cross(arm, e);
        match self.dimension {
            Dimension::Two => {
                row[0] += sign * e[0];
                row[1] += sign * e[1];
                row[2] += sign * moment[2];
            }
            Dimension::Three => {
                let local = apply_transposed(&frame.rotation, &moment);
                for k in 0..3 {
                    row[k] += sign * e[k];
                    row[3 + k] += sign * local[k];
                }
            }
        }
    }

    /// Adds `sign` times the direction of the angular velocity along the inertial vector e.
    pub fn add_turn_row(&self, frame: &Frame, e: &Vector3, sign: f64, row: &mut [f64]) {
        match self.dimension {
            Dimension::Two => row[2] += sign * e[2],
            Dimension::Three => {
                let local = apply_transposed(&frame.rotation, e);
                for k in 0..3 {
                    row[3 + k] += sign * local[k];
                }
            }
        }
    }
}

/// Velocity of the point of a body at `arm` from its centre of mass.
pub fn point_velocity(twist: &Twist, arm: &Vector3) -> Vector3 {
    add(&twist.velocity, &cross(&twist.angular_velocity, arm))
}

/// Turn about z.
fn turn(angle: f64) -> Matrix3 {
    let (sin, cos) = angle.sin_cos();
    [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]
}
