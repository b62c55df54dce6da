//! The state at the start, and whether the joints fit together there.

use super::description::WorldDescription;
use super::frames::{Frames, Placement};
use super::joint::FreeCoordinate;
use super::joints::Joints;
use super::motion::PlacedBody;
use crate::kinematics::quaternion;
use crate::kinematics::vector::{add, apply, apply_transposed, cross};
use crate::system::{ContactSet, Dimension, State};

/// What a file may ask for at the start: a joint that is not there yet is no contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The coordinate of a joint.
    Start,
    /// The speed of a motor.
    Motor,
}

/// The state at t = 0 in which all bodies have the positions and velocities of the description.
pub fn start_state(world: &WorldDescription, frames: &Frames) -> State {
    let (coordinates, velocities) = (frames.coordinates(), frames.velocities());
    let count = frames.placements.iter().fold(0, |count, placement| match placement {
        Placement::Moving { block, .. } => count.max(block + 1),
        Placement::Fixed { .. } => count,
    });
    let mut q = vec![0.0; count * coordinates];
    let mut u = vec![0.0; count * velocities];
    for (index, (body, placement)) in world.bodies.iter().zip(&frames.placements).enumerate() {
        let Placement::Moving { block, center } = placement else {
            continue;
        };
        let q = &mut q[block * coordinates..];
        let u = &mut u[block * velocities..];
        let placed = world.assembly.placed.iter().find(|placed| placed.body == index);
        let body = placed.cloned().unwrap_or_else(|| PlacedBody {
            body: index,
            position: body.position,
            rotation: body.rotation,
            angle: 2.0 * body.rotation[3].atan2(body.rotation[0]),
            velocity: body.velocity,
            angular_velocity: body.angular_velocity,
        });
        let rotation = quaternion::rotation(&body.rotation);
        let arm = apply(&rotation, center);
        let position = add(&body.position, &arm);
        let velocity = add(&body.velocity, &cross(&body.angular_velocity, &arm));
        match frames.dimension {
            Dimension::Two => {
                q[..3].copy_from_slice(&[position[0], position[1], body.angle]);
                u[..3].copy_from_slice(&[velocity[0], velocity[1], body.angular_velocity[2]]);
            }
            Dimension::Three => {
                q[..3].copy_from_slice(&position);
                q[3..7].copy_from_slice(&quaternion::normalized(&body.rotation));
                u[..3].copy_from_slice(&velocity);
                u[3..6].copy_from_slice(&apply_transposed(&rotation, &body.angular_velocity));
            }
        }
    }
    State { t: 0.0, q, u, memory: Vec::new() }
}

/// The free coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointCoordinate {
    /// Name of the joint.
    pub joint: String,
    /// Whether it is an angle.
    pub is_angle: bool,
    /// m or rad.
    pub value: f64,
    /// m/s or rad/s.
    pub rate: f64,
}

impl Joints {
    /// Whether the start is brought to fulfil the joints.
    pub(super) fn is_assembled(&self) -> bool {
        !self.as_given
    }

    /// Whether the place, or else the velocity, of a block stays at the start.
    pub(super) fn is_held_at_start(&self, block: usize, of_positions: bool) -> bool {
        let held = self.held_at_start.get(block);
        held.is_some_and(|[place, velocity]| if of_positions { *place } else { *velocity })
    }

    /// Adds the constraints of the free coordinates at the start.
    pub(super) fn start_contacts(
        &self,
        frames: &Frames,
        at: &State,
        first_key: u64,
        first_group: usize,
        out: &mut ContactSet,
    ) {
        for joint in &self.ideal {
            joint.list_start(frames, at, first_key, first_group, out);
        }
    }

    /// The free coordinates of the ideal joints that have one: name, whether it is an angle, value and rate.
    pub(super) fn coordinates(&self, frames: &Frames, at: &State) -> Vec<JointCoordinate> {
        let free = self.ideal.iter().filter(|joint| joint.free.is_some());
        free.map(|joint| JointCoordinate {
            joint: self.names[joint.key as usize + usize::from(joint.is_driven())].clone(),
            is_angle: joint.free.is_some_and(FreeCoordinate::is_angle),
            value: joint.value(frames, at),
            rate: joint.rate(frames, at),
        })
        .collect()
    }
}

/// Position errors above this deserve a warning, m or rad: above what numbers of eight digits leave,
/// below what can be seen.
const APART: f64 = 1e-7;
/// Velocities against a constraint above this part of the velocities of the joint deserve a warning.
const MOVING: f64 = 1e-6;

/// Joints that are apart at a state, move apart, or stand outside of their limits: a sentence for
/// each.
pub(super) fn inconsistencies(joints: &Joints, frames: &Frames, at: &State) -> Vec<String> {
    let mut found = Vec::new();
    let mut set = ContactSet::default();
    joints.contacts(frames, at, &[], 0, 0, &mut set);
    let groups = joints.groups();
    // What the fastest motion leaves by rounding is no motion: terms of a guide at its dead centre are nothing else.
    let rounding = at.u.iter().fold(0.0_f64, |most, v| most.max(v.abs())) * f64::EPSILON;
    for candidate in set.candidates() {
        let name = joints.contact_name(candidate.key);
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let apart = largest(set.position_error(candidate));
        if !(apart <= APART) {
            found.push(format!("joint '{name}' is apart by {apart:.3e} (m or rad) at the start"));
        }
        if candidate.gap < -APART && candidate.gap.is_finite() {
            let depth = -candidate.gap;
            found.push(format!("'{name}' is violated by {depth:.3e} (m or rad) at the start"));
        }
        let bilateral = ["joint", "motor"].contains(&groups[candidate.group].laws[0].name);
        if !bilateral {
            continue;
        }
        let width = candidate.width();
        let size = frames.velocities();
        let rows = set.directions(candidate).chunks_exact(width);
        let (mut fastest, mut terms) = (0.0_f64, 0.0_f64);
        for (row, prescribed) in rows.zip(set.rheonomic(candidate)) {
            let (mut velocity, mut sizes) = (*prescribed, prescribed.abs());
            for (part, block) in row.chunks_exact(size).zip(candidate.blocks) {
                for (entry, u) in part.iter().zip(&at.u[block * size..]) {
                    velocity += entry * u;
                    sizes += (entry * u).abs();
                }
            }
            fastest = fastest.max(velocity.abs());
            terms = terms.max(sizes);
        }
        if fastest > rounding.max(MOVING * terms) {
            found.push(format!(
                "joint '{name}' moves against its constraint by {fastest:.3e} (m/s or rad/s) at \
                 the start: the first step is an impact"
            ));
        }
    }
    found
}
