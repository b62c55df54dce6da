//! Joints and forces in words.

use crate::world::{ForceKind, JointDescription, JointKind, Motor, Mount, WorldDescription};

/// Every joint and force with its units, a line each.
pub(super) fn elements(world: &WorldDescription) -> Vec<String> {
    let name = |body: Option<usize>| {
        body.and_then(|body| world.bodies.get(body)).map_or("ground", |body| body.name.as_str())
    };
    let pair =
        |mounts: &[Mount; 2]| format!("{} and {}", name(mounts[0].body), name(mounts[1].body));
    let mut lines = Vec::new();
    for joint in &world.joints {
        lines.push(format!(
            "joint {} between {}: {}",
            joint.name,
            pair(&joint.mounts),
            kind(&joint.kind)
        ));
        lines.extend(free_coordinate(joint));
    }
    for force in &world.forces {
        lines.push(match &force.kind {
            ForceKind::SpringDamper { mounts, stiffness, damping, direction, rest_length } => format!(
                "force {} between {}{}: spring {stiffness} N/m without force at {rest_length} m, damper \
                 {damping} N s/m",
                force.name,
                pair(mounts),
                direction.map_or(String::new(), |[x, y, z]| format!(" along ({x}, {y}, {z})"))
            ),
            ForceKind::Applied { body, force: components, moment, follows, .. } => format!(
                "force {} on {}: force {components:?} N, moment {moment:?} N m, {}",
                force.name,
                name(Some(*body)),
                if *follows { "turning with the body" } else { "in the axes of the world" }
            ),
        });
    }
    lines
}

fn kind(kind: &JointKind) -> String {
    match kind {
        JointKind::Revolute => "a hinge: only the turn about its axis is free".into(),
        JointKind::Prismatic => "a guide: only the shift along its direction is free".into(),
        JointKind::Spherical => "a ball joint: all turns are free".into(),
        JointKind::Fixed => "no motion against each other".into(),
        JointKind::Distance { length } => {
            format!("a massless rod of {length} m, which pulls and pushes")
        }
        JointKind::ClearanceTranslational { half_length, half_width, clearance, law } => format!(
            "a slider {half_length} m by {half_width} m (half sizes) with a play of {clearance} m on either \
             side; its corners hit the guide with restitution {} and friction {}",
            law.restitution, law.friction
        ),
        JointKind::ClearanceRevolute { pin_radius, clearance, law } => format!(
            "a pin of radius {pin_radius} m with a play of {clearance} m; it hits the hole with restitution \
             {} and friction {}",
            law.restitution, law.friction
        ),
    }
}

/// What acts along the free coordinate.
fn free_coordinate(joint: &JointDescription) -> Vec<String> {
    let [coordinate, effort] = match joint.kind {
        JointKind::Revolute => ["rad", "N m"],
        _ => ["m", "N"],
    };
    let mut lines = Vec::new();
    if let Some(spring) = &joint.spring {
        lines.push(format!(
            "  spring {} {effort}/{coordinate} without force at {} {coordinate}, damper {} {effort} \
             s/{coordinate}",
            spring.stiffness, spring.rest, spring.damping
        ));
    }
    if let Some([least, most]) = joint.limits {
        lines.push(format!(
            "  hard stops at {least} and {most} {coordinate}, restitution {}",
            joint.limit_restitution
        ));
    }
    match &joint.motor {
        Some(Motor::Speed(speed)) => lines.push(format!(
            "  motor with the prescribed speed {speed:?} {coordinate}/s, whatever it takes"
        )),
        Some(Motor::Position(motion)) => lines
            .push(format!("  motor that holds its coordinate at {:?} (SI units)", motion.value)),
        Some(Motor::Effort(value)) => lines.push(format!("  motor that gives {value:?} {effort}")),
        None => {}
    }
    if joint.friction > 0.0 {
        lines.push(format!("  dry friction: holds up to {} {effort}", joint.friction));
        if let Some(curve) = &joint.friction_curve {
            lines.push(format!("  with the speed v it is {curve:?}"));
        }
    }
    lines
}
