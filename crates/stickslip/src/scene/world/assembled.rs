//! The start of a world after assembly, in words and as keys of a scene.

use crate::digits::digits;
use crate::integrate::{AssembledJoint, Assembly, assemble};
use crate::system::{Dimension, State};
use crate::world::{Asked, PlacedBody, World};
use toml::{Table, Value};

/// Joints and bodies that are told one by one.
const MOST_TOLD: usize = 8;
/// Joints whose coordinates are told.
const MOST_COORDINATES: usize = 40;

/// What could not be assembled.
pub(crate) struct AssemblyFailure {
    /// In words.
    pub text: String,
    /// Whether joints stay apart, not only velocities against them.
    pub is_apart: bool,
}

/// What is known of the start of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct AssembledStart {
    /// What assembly did.
    pub assembly: Option<Assembly>,
    /// The same in words: what was wrong, and a sentence for each body that was changed.
    pub told: Vec<String>,
    /// The coordinates of the joints, a line for each.
    pub coordinates: Vec<String>,
    /// Places and velocities of the bodies by name, if any was changed.
    pub placed: Option<Table>,
}

impl AssembledStart {
    /// Assembles the start of a world.
    pub(crate) fn new(world: &World, names: &[String], start: &mut State) -> Self {
        let given = start.clone();
        let assembly = assemble(world, start);
        let mut out = Self { coordinates: coordinates(world, start), ..Self::default() };
        let Some(assembly) = assembly else { return out };
        out.told = tell(world, names, &assembly, [&given, start]);
        let mut table = Table::new();
        for body in world.placed_bodies(start) {
            table.insert(names[body.body].clone(), Value::Table(keys(world, &body)));
        }
        out.placed = Some(table);
        out.assembly = Some(assembly);
        out
    }

    /// What could not be assembled by more than this.
    pub(crate) fn failure(&self, tolerance: f64) -> Option<AssemblyFailure> {
        let joints = self.assembly.iter().flat_map(Assembly::failed);
        let fails = |joint: &&AssembledJoint| {
            joint.still_apart > tolerance || joint.still_speed > tolerance
        };
        let joints: Vec<&AssembledJoint> = joints.filter(fails).collect();
        let text = list(joints.iter().map(|joint| {
            if joint.still_apart > 0.0 {
                format!("'{}' stays apart by {:.3e} m or rad", joint.name, joint.still_apart)
            } else {
                let speed = joint.still_speed;
                format!("'{}' moves against its constraint by {speed:.3e} m/s or rad/s", joint.name)
            }
        }));
        (!joints.is_empty()).then(|| AssemblyFailure {
            text: format!("the start cannot be assembled: {text}"),
            is_apart: joints.iter().any(|joint| joint.still_apart > 0.0),
        })
    }
}

/// Some of a list.
fn list(texts: impl Iterator<Item = String>) -> String {
    let mut texts: Vec<String> = texts.collect();
    if texts.len() > MOST_TOLD {
        let more = texts.len() - MOST_TOLD;
        texts.truncate(MOST_TOLD);
        texts.push(format!("{more} more"));
    }
    texts.join(", ")
}

fn norm(v: impl Iterator<Item = f64>) -> f64 {
    v.map(|x| x * x).sum::<f64>().sqrt()
}

fn tell(world: &World, names: &[String], assembly: &Assembly, states: [&State; 2]) -> Vec<String> {
    // What the file asks for, a start or a motor, is no disagreement.
    let joints = || assembly.joints.iter().map(|joint| (joint, world.asked(joint.key)));
    let asked = |what: Asked, wanted: fn(&AssembledJoint) -> bool| {
        let found = joints().filter(move |(joint, _)| wanted(joint));
        let names = found.filter_map(|(_, asked)| asked.filter(|(own, _)| *own == what));
        list(names.map(|(_, name)| format!("'{name}'")))
    };
    let starts = asked(Asked::Start, |joint| joint.apart > 0.0);
    let motors = asked(Asked::Motor, |joint| joint.speed > 0.0);
    let others = |what: Asked| {
        let is_other = move |asked: Option<(Asked, &str)>| asked.is_none_or(|(own, _)| own != what);
        joints().filter(move |(_, asked)| is_other(*asked)).map(|(joint, _)| joint)
    };
    let apart = others(Asked::Start).filter(|joint| joint.apart > 0.0);
    let apart =
        list(apart.map(|j| format!("'{}' apart by {} m or rad", j.name, digits(j.apart, 4))));
    let fast = others(Asked::Motor).filter(|joint| joint.speed > 0.0);
    let fast = list(fast.map(|j| format!("'{}' by {} m/s or rad/s", j.name, digits(j.speed, 4))));
    let mut reasons = Vec::new();
    if !starts.is_empty() {
        reasons.push(format!("brought to their start: {starts}"));
    }
    if !motors.is_empty() {
        reasons.push(format!("brought to the speed of their motor: {motors}"));
    }
    if !apart.is_empty() {
        reasons.push(format!("joints did not meet: {apart}"));
    }
    if !fast.is_empty() {
        reasons.push(format!("velocities contradicted joints or motors: {fast}"));
    }
    let [before, after] = states.map(|state| world.placed_bodies(state));
    let change = before.iter().zip(&after).map(|(a, b)| {
        let shift = norm((0..3).map(|k| b.position[k] - a.position[k]));
        // The angle of the turn between the two, from the chord between the quaternions.
        let turn = match world.frames().dimension {
            Dimension::Two => (b.angle - a.angle).abs(),
            Dimension::Three => {
                let chord = |sign: f64| norm((0..4).map(|k| b.rotation[k] - sign * a.rotation[k]));
                4.0 * (0.5 * chord(1.0).min(chord(-1.0))).min(1.0).asin()
            }
        };
        let speed = norm((0..3).map(|k| b.velocity[k] - a.velocity[k]));
        let spin = norm((0..3).map(|k| b.angular_velocity[k] - a.angular_velocity[k]));
        let name = &names[a.body];
        (shift + turn + speed + spin > 0.0).then(|| {
            format!(
                "{name} by {} m and {} deg, its velocities by {} m/s and {} rad/s",
                digits(shift, 4),
                digits(turn.to_degrees(), 4),
                digits(speed, 4),
                digits(spin, 4)
            )
        })
    });
    let mut told = vec![format!("the start was assembled: {}", reasons.join("; "))];
    let changes: Vec<String> = change.flatten().collect();
    let more = changes.len().saturating_sub(MOST_TOLD);
    told.extend(changes.into_iter().take(MOST_TOLD).map(|text| format!("assembly moved {text}")));
    if more > 0 {
        told.push(format!("assembly moved {more} more bodies"));
    }
    told
}

/// The coordinates of the joints at the start.
fn coordinates(world: &World, start: &State) -> Vec<String> {
    let all = world.joint_coordinates(start);
    let mut lines: Vec<String> = all
        .iter()
        .take(MOST_COORDINATES)
        .map(|joint| {
            let (name, value, rate) = (&joint.joint, joint.value, joint.rate);
            if joint.is_angle {
                let degrees = value.to_degrees();
                format!(
                    "joint {name} starts at {value:.6} rad ({degrees:.4} deg), {} rad/s",
                    digits(rate, 7)
                )
            } else {
                format!("joint {name} starts at {} m, {} m/s", digits(value, 7), digits(rate, 7))
            }
        })
        .collect();
    if all.len() > MOST_COORDINATES {
        lines.push(format!("and {} more joints", all.len() - MOST_COORDINATES));
    }
    lines
}

/// The keys of a body in `[assembled]`.
fn keys(world: &World, body: &PlacedBody) -> Table {
    let list = |values: &[f64]| Value::Array(values.iter().map(|x| Value::Float(*x)).collect());
    let mut table = Table::new();
    let (count, rotation, spin) = match world.frames().dimension {
        Dimension::Two => (2, Value::Float(body.angle), Value::Float(body.angular_velocity[2])),
        Dimension::Three => {
            let quaternion = Table::from_iter([("quaternion".to_owned(), list(&body.rotation))]);
            (3, Value::Table(quaternion), list(&body.angular_velocity))
        }
    };
    table.insert("position".into(), list(&body.position[..count]));
    table.insert("rotation".into(), rotation);
    table.insert("velocity".into(), list(&body.velocity[..count]));
    table.insert("angular_velocity".into(), spin);
    table
}
