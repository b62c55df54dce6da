//! Columns of joints: coordinate, speed, reaction, effort of the motor, force of the spring; and the momentum
//! of all bodies.

use super::description::{JointDescription, WorldDescription};
use super::joint::{FreeCoordinate, JointForm};
use super::world::World;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{add, apply, cross, norm, scale};
use crate::system::{Column, ColumnKind, Dimension, JointReaction, State};

/// What a table may have of an ideal joint, or of all bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointColumn {
    Coordinate,
    Speed,
    /// Magnitude of the force of the constraints.
    Force,
    /// Magnitude of their moment.
    Moment,
    Effort,
    Spring,
    Bumper,
    /// Force on the second body along an axis of the world.
    ForceAlong(usize),
    /// Moment on the second body, about its mount.
    MomentAlong(usize),
    /// Momentum of all bodies; it belongs to no joint.
    Momentum(usize),
    /// Angular momentum of all bodies about the origin of the world.
    AngularMomentum(usize),
}

impl JointColumn {
    fn kind(self) -> ColumnKind {
        match self {
            Self::Force | Self::Moment | Self::ForceAlong(_) | Self::MomentAlong(_) => {
                ColumnKind::Reaction
            }
            Self::Coordinate | Self::Speed | Self::Effort | Self::Spring | Self::Bumper => {
                ColumnKind::Joint
            }
            Self::Momentum(_) | Self::AngularMomentum(_) => ColumnKind::Own,
        }
    }
}

/// A column of a joint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JointEntry {
    pub name: String,
    pub unit: &'static str,
    /// Name of the joint; empty of all bodies together.
    pub owner: String,
    /// The column of which it is the rate.
    pub rate_of: Option<String>,
    /// Number among the ideal joints.
    pub joint: usize,
    pub column: JointColumn,
    /// Whether a table has it without being asked.
    pub is_default: bool,
}

impl JointEntry {
    /// As a column; it is drawn only if it was asked for.
    pub fn column(&self, is_chosen: bool) -> Column {
        let column = Column::new(self.name.clone(), self.unit);
        let column = column.of(self.column.kind(), self.owner.clone());
        let column = match &self.rate_of {
            Some(coordinate) => column.rate_of(coordinate.clone()),
            None => column,
        };
        Column { for_tables: !is_chosen, ..column }
    }
}

/// The ideal joints of a description with their numbers in it.
fn ideal(
    world: &WorldDescription,
) -> impl Iterator<Item = (usize, &JointDescription, Option<FreeCoordinate>)> {
    world.joints.iter().enumerate().filter_map(|(number, joint)| match joint.kind.form() {
        JointForm::Ideal(kind) => Some((number, joint, kind.free(world.dimension))),
        JointForm::Play(..) => None,
    })
}

/// Names of the ideal joints.
pub(super) fn ideal_names(world: &WorldDescription) -> Vec<String> {
    ideal(world).map(|(_, joint, _)| joint.name.clone()).collect()
}

/// All columns of joints, those that a table has by default first, and of momentum.
pub(super) fn entries(world: &WorldDescription) -> Vec<JointEntry> {
    let axes: &[(usize, &str)] = match world.dimension {
        Dimension::Two => &[(0, "x"), (1, "y")],
        Dimension::Three => &[(0, "x"), (1, "y"), (2, "z")],
    };
    let turns: &[(usize, &str)] = match world.dimension {
        Dimension::Two => &[(2, "z")],
        Dimension::Three => axes,
    };
    let mut entries = Vec::new();
    for (position, (number, joint, free)) in ideal(world).enumerate() {
        // A name that was not given is `joint-` and the number.
        let is_default = joint.name != format!("joint-{number}");
        let mut add = |ending: &str, unit, column, is_default| {
            let name = format!("{}.{ending}", joint.name);
            let coordinate = || format!("{}.coordinate", joint.name);
            let rate_of = (column == JointColumn::Speed).then(coordinate);
            let (owner, joint) = (joint.name.clone(), position);
            entries.push(JointEntry { name, unit, owner, rate_of, joint, column, is_default });
        };
        let (unit, rate, effort) = match free {
            Some(free) if free.is_angle() => ("rad", "rad/s", "N m"),
            _ => ("m", "m/s", "N"),
        };
        if free.is_some() {
            add("coordinate", unit, JointColumn::Coordinate, is_default);
            add("speed", rate, JointColumn::Speed, is_default);
        }
        add("force", "N", JointColumn::Force, is_default);
        add("moment", "N m", JointColumn::Moment, is_default);
        if joint.motor.is_some() {
            add("effort", effort, JointColumn::Effort, is_default);
        }
        if joint.spring.is_some() {
            add("spring", effort, JointColumn::Spring, is_default);
        }
        if joint.bumper.is_some() {
            add("bumper", effort, JointColumn::Bumper, is_default);
        }
        for (axis, letter) in axes {
            add(&format!("force_{letter}"), "N", JointColumn::ForceAlong(*axis), false);
        }
        for (axis, letter) in turns {
            add(&format!("moment_{letter}"), "N m", JointColumn::MomentAlong(*axis), false);
        }
    }
    let mut of_all = |name: String, unit, column| {
        let (owner, joint) = (String::new(), usize::MAX);
        let (rate_of, is_default) = (None, false);
        entries.push(JointEntry { name, unit, owner, rate_of, joint, column, is_default });
    };
    for (axis, letter) in axes {
        of_all(format!("momentum_{letter}"), "N s", JointColumn::Momentum(*axis));
    }
    for (axis, letter) in turns {
        let name = format!("angular_momentum_{letter}");
        of_all(name, "N m s", JointColumn::AngularMomentum(*axis));
    }
    entries.sort_by_key(|entry| !entry.is_default);
    entries
}

impl World {
    /// The value of a column of a joint, with the reactions of all ideal joints.
    pub(super) fn joint_value(
        &self,
        at: &State,
        joint: usize,
        column: JointColumn,
        reactions: &[JointReaction],
    ) -> f64 {
        let reaction = reactions.get(joint).copied().unwrap_or(JointReaction::UNKNOWN);
        let (joints, frames) = (&self.joints, &self.frames);
        match column {
            JointColumn::Coordinate => joints.free(frames, at, joint, false),
            JointColumn::Speed => joints.free(frames, at, joint, true),
            JointColumn::Force => norm(&reaction.force),
            JointColumn::Moment => norm(&reaction.moment),
            JointColumn::Effort => joints.effort(frames, at, joint).unwrap_or(reaction.motor),
            JointColumn::Spring => joints.spring_force(frames, at, joint),
            JointColumn::Bumper => joints.bumper_force(frames, at, joint),
            JointColumn::ForceAlong(axis) => joints.second_sign(joint) * reaction.force[axis],
            JointColumn::MomentAlong(axis) => {
                joints.second_sign(joint) * self.inertial_moment(at, joint, &reaction)[axis]
            }
            JointColumn::Momentum(axis) => self.momentum(at)[0][axis],
            JointColumn::AngularMomentum(axis) => self.momentum(at)[1][axis],
        }
    }

    /// The moment of a reaction along the axes of the world: in space it is known in the axes of the body
    /// of the first block.
    fn inertial_moment(&self, at: &State, joint: usize, reaction: &JointReaction) -> Vector3 {
        match self.frames.dimension {
            Dimension::Two => [0.0, 0.0, reaction.moment[0]],
            Dimension::Three => {
                let body = self.joints.first_body(joint);
                apply(&self.frames.frame(at, body).rotation, &reaction.moment)
            }
        }
    }

    /// Momentum Σ m v and angular momentum Σ (r × m v + Θω) about the origin of the world.
    fn momentum(&self, at: &State) -> [Vector3; 2] {
        let mut sums = [[0.0; 3]; 2];
        for (index, body) in self.bodies.iter().enumerate() {
            if self.frames.block(Some(index)).is_none() {
                continue;
            }
            let frame = self.frames.frame(at, Some(index));
            let twist = self.frames.twist(&frame, &at.u, Some(index));
            let momentum = scale(body.mass.mass, &twist.velocity);
            let omega = crate::kinematics::vector::apply_transposed(
                &frame.rotation,
                &twist.angular_velocity,
            );
            let spin = apply(&frame.rotation, &apply(&body.mass.inertia, &omega));
            sums[0] = add(&sums[0], &momentum);
            sums[1] = add(&sums[1], &add(&cross(&frame.center, &momentum), &spin));
        }
        sums
    }
}
