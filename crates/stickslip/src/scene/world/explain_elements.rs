//! Joints and forces in words.

use crate::system::Dimension;
use crate::world::{
    ForceKind, JointDescription, MotionDescription, Motor, Mount, Sense, TimeFunction,
    WorldDescription,
};

/// Every joint and force with its units, a line each.
pub(super) fn elements(world: &WorldDescription) -> Vec<String> {
    let name = |body: Option<usize>| {
        body.and_then(|body| world.bodies.get(body)).map_or("ground", |body| body.name.as_str())
    };
    let pair =
        |mounts: &[Mount; 2]| format!("{} and {}", name(mounts[0].body), name(mounts[1].body));
    let mut lines = motions(world);
    let start = &world.assembly;
    if start.off {
        lines.push(
            "assemble = false: places and velocities of the start are taken as they are given"
                .into(),
        );
    }
    for body in &start.held {
        lines.push(format!("body {}: assembly leaves it where it is (hold)", name(Some(*body))));
    }
    for (number, joint) in world.joints.iter().enumerate() {
        lines.push(format!(
            "joint {} between {}: {}",
            joint.name,
            pair(&joint.mounts),
            joint.kind.words()
        ));
        if let Some((_, value)) = start.coordinates.iter().find(|(of, _)| *of == number) {
            let value = match joint.kind.free_is_angle(world.dimension) {
                Some(true) => format!("{value} rad ({:.4} deg)", value.to_degrees()),
                _ => format!("{value} m"),
            };
            lines.push(format!("  its coordinate starts at {value}: assembly brings it there"));
        }
        lines.extend(free_coordinate(joint, world.dimension));
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
            ForceKind::Bumper { mounts, stiffness, damping, length } => format!(
                "force {} between {}: pushes below {length} m with {stiffness} N/m and {damping} N s/m, never \
                 pulls",
                force.name,
                pair(mounts)
            ),
            ForceKind::Potential { body, potential } => {
                let body = name(Some(*body));
                format!("force {} on {body}: minus the slope of {potential:?} J", force.name)
            }
        });
    }
    lines
}

/// Bodies whose motion is prescribed, a line each.
fn motions(world: &WorldDescription) -> Vec<String> {
    let count = if world.dimension == Dimension::Two { 2 } else { 3 };
    let line = |motion: &MotionDescription| {
        let name = world.bodies.get(motion.body).map_or("", |body| body.name.as_str());
        let place: Vec<&TimeFunction> = motion.position[..count].iter().map(|p| &p.value).collect();
        let turn = match (&motion.angle.value, world.dimension) {
            (TimeFunction::Constant(_), _) => String::new(),
            (angle, Dimension::Two) => format!(", angle {angle:?} rad"),
            (angle, Dimension::Three) => {
                format!(", turned by {angle:?} rad about {:?}", motion.axis)
            }
        };
        format!(
            "body {name}: its motion is prescribed, place {place:?} m{turn}, whatever force it takes"
        )
    };
    world.motions.iter().map(line).collect()
}

/// What acts along the free coordinate.
fn free_coordinate(joint: &JointDescription, dimension: Dimension) -> Vec<String> {
    let [coordinate, effort] = match joint.kind.free_is_angle(dimension) {
        Some(true) => ["rad", "N m"],
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
    if let Some(bumper) = &joint.bumper {
        let [least, most] = bumper.range;
        lines.push(format!(
            "  bumpers below {least} and above {most} {coordinate}: {} {effort}/{coordinate}, {} {effort} \
             s/{coordinate}, which never pull",
            bumper.stiffness, bumper.damping
        ));
    }
    if let Some(sense) = joint.one_way {
        let word = if sense == Sense::Forward { "grow" } else { "fall" };
        lines.push(format!("  one-way clutch: its coordinate can only {word}"));
    }
    if joint.collide {
        lines.push("  its bodies touch each other".into());
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
