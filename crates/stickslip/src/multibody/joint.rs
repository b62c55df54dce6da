//! Ideal joints: bilateral constraints between two mounts.

use super::planar_body::{Mount, Sides, ahead, dot, subtract};
use crate::system::{ContactSet, State};
use std::f64::consts::{PI, TAU};

/// Which joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// The origins of both mounts coincide.
    Revolute,
    /// The origin of the second mount stays on the x axis of the first, and both frames parallel.
    Prismatic,
    /// Both frames coincide.
    Fixed,
    /// The origins have this distance, m; positive.
    Distance(f64),
    /// The second body turns against the first with this speed, rad/s: a constraint of velocities
    /// alone.
    Motor(f64),
}

/// An ideal joint between two bodies, or a body and the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name in reports.
    pub name: String,
    /// Which joint it is.
    pub kind: JointKind,
    /// Where it is fixed to the first body.
    pub first: Mount,
    /// Where it is fixed to the second body.
    pub second: Mount,
}

impl JointKind {
    /// Number of constraints.
    pub fn dim(self) -> usize {
        match self {
            JointKind::Revolute | JointKind::Prismatic => 2,
            JointKind::Fixed => 3,
            JointKind::Distance(_) | JointKind::Motor(_) => 1,
        }
    }
}

impl Joint {
    /// A joint with a name.
    pub fn new(name: impl Into<String>, kind: JointKind, first: Mount, second: Mount) -> Self {
        Self { name: name.into(), kind, first, second }
    }

    /// Adds the candidate of the joint.
    pub(crate) fn list(&self, at: &State, key: u64, group: usize, out: &mut ContactSet) {
        let sides = Sides::new(&self.first, &self.second);
        let (blocks, sizes) = sides.blocks();
        let width = sizes[0] + sizes[1];
        if let JointKind::Motor(speed) = self.kind {
            let (row, rheonomic) = out.push(key, group, f64::NEG_INFINITY, blocks, sizes, 1);
            sides.turning(row);
            rheonomic[0] = -speed;
            return;
        }
        let (first, second) = (self.first.place(at), self.second.place(at));
        let between = subtract(second.origin(), first.origin());
        let (rows, _, errors) = out.push_joint(key, group, blocks, sizes, self.kind.dim());
        let arms = [first.arm, second.arm];
        match self.kind {
            JointKind::Revolute | JointKind::Fixed => {
                sides.along([1.0, 0.0], arms, &mut rows[..width]);
                sides.along([0.0, 1.0], arms, &mut rows[width..]);
                errors[..2].copy_from_slice(&between);
            }
            JointKind::Prismatic => {
                let (sin, cos) = first.angle.sin_cos();
                let normal = ahead([cos, sin]);
                // The normal turns with the first body: its velocity is taken where the second
                // origin is.
                let arms = [first.arm_to(second.origin()), second.arm];
                sides.along(normal, arms, &mut rows[..width]);
                errors[0] = dot(normal, between);
            }
            JointKind::Distance(length) => {
                let distance = between[0].hypot(between[1]);
                let direction = if distance > 0.0 {
                    [between[0] / distance, between[1] / distance]
                } else {
                    [1.0, 0.0]
                };
                sides.along(direction, arms, rows);
                errors[0] = distance - length;
            }
            JointKind::Motor(_) => {}
        }
        if let JointKind::Prismatic | JointKind::Fixed = self.kind {
            let last = self.kind.dim() - 1;
            sides.turning(&mut rows[last * width..]);
            // Full turns are no error.
            errors[last] = (second.angle - first.angle + PI).rem_euclid(TAU) - PI;
        }
    }
}
