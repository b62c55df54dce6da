//! What is drawn of a body that has no shapes: its joints and its centre of mass.

use super::description::WorldDescription;
use super::inertia::MassProperties;
use super::joint::JointForm;
use crate::kinematics::Vector3;
use crate::system::{DrawnPart, DrawnPose, DrawnShape};

/// Sliders and pins of its clearance joints, a line through the points where its joints are, from
/// its centre of mass if there is one such point; a ball of its inertia if there is none.
pub(super) fn skeleton(
    description: &WorldDescription,
    body: usize,
    mass: &MassProperties,
) -> Vec<DrawnPart> {
    let mut parts = Vec::new();
    let mut points: Vec<Vector3> = Vec::new();
    for joint in &description.joints {
        for (side, mount) in joint.mounts.iter().enumerate() {
            if mount.body != Some(body) {
                continue;
            }
            if !points.contains(&mount.point) {
                points.push(mount.point);
            }
            let (JointForm::Play(play, _), 1) = (joint.kind.form(), side) else { continue };
            let shape = play.drawn();
            let pose = DrawnPose { position: mount.point, rotation: mount.rotation };
            parts.push(DrawnPart { shape, pose });
        }
    }
    if points.len() == 1 && points[0] != mass.center {
        points.insert(0, mass.center);
    }
    if points.len() > 1 {
        parts.push(DrawnShape::Line { points, closed: false }.centred());
    } else if parts.is_empty() && mass.mass > 0.0 {
        // A ball of mass m and radius r has the inertia 2/5 m r².
        let largest = (0..3).fold(0.0_f64, |m, k| m.max(mass.inertia[k][k]));
        let radius = (2.5 * largest / mass.mass).sqrt();
        parts.push(DrawnShape::Sphere { radius }.at(mass.center));
    }
    parts
}
