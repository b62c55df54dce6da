//! Joints, springs and belts as they are drawn.

use super::description::{ForceKind, Mount, WorldDescription};
use super::frames::Frames;
use crate::kinematics::quaternion;
use crate::system::{DrawnJoint, DrawnPose, JointSymbol};

/// All of a description whose bodies are placed so.
pub(super) fn drawn_joints(world: &WorldDescription, frames: &Frames) -> Vec<DrawnJoint> {
    let end = |mount: &Mount| {
        let here = DrawnPose { position: mount.point, rotation: mount.rotation };
        match frames.block(mount.body) {
            // Blocks are counted like the bodies that are drawn.
            Some(block) => (Some(block), here),
            None => {
                let frame = frames.frame_in(&[], mount.body);
                let turn = quaternion::from_rotation(&frame.rotation);
                let position = frame.point(&mount.point);
                (
                    None,
                    DrawnPose { position, rotation: quaternion::product(&turn, &mount.rotation) },
                )
            }
        }
    };
    let ends = |[first, second]: &[Mount; 2]| [end(first), end(second)];
    let joints = world.joints.iter().map(|joint| DrawnJoint {
        name: joint.name.clone(),
        symbol: joint.kind.symbol(),
        ends: ends(&joint.mounts),
        driven: joint.motor.is_some(),
        sprung: joint.spring.is_some(),
    });
    let springs = world.forces.iter().filter_map(|force| match &force.kind {
        ForceKind::SpringDamper { mounts, .. } | ForceKind::Bumper { mounts, .. } => {
            let (name, ends) = (force.name.clone(), ends(mounts));
            let symbol = JointSymbol::Spring;
            Some(DrawnJoint { name, symbol, ends, driven: false, sprung: true })
        }
        ForceKind::Applied { .. } | ForceKind::Potential { .. } => None,
    });
    joints.chain(springs).collect()
}
