//! Whether the numbers of a world fit each other: the step against what happens fast, and sizes and masses that
//! look as if a unit had been forgotten. All of it is advice: a scene may be meant that way.

use super::{Inertia, WorldScene};
use crate::analysis::stiffness::rates;
use crate::digits::digits;
use crate::kinematics::vector::norm;
use crate::scene::sections::IntegratorName;
use crate::system::{Dimension, MechanicalSystem, State};
use crate::world::{BodyDescription, JointKind};

/// Most sentences of one kind.
const MOST: usize = 3;
/// Turn within a step from which it is told, rad.
const LARGE_TURN: f64 = 0.5;
/// Angle of a swing within a step from which it is told, rad: 13 steps in a period.
const LARGE_SWING: f64 = 0.5;
/// Ratio of a size or mass to that of the nearest other body that looks like a forgotten unit: mm and g are 1000, and
/// bodies of one mechanism differ by a few times.
const ODD_RATIO: f64 = 200.0;
/// Mass over volume that bodies have, with room for hollow ones, kg/m³; osmium has 22 600.
const DENSITIES: std::ops::RangeInclusive<f64> = 0.1..=1e5;

/// What the numbers of a scene make one doubt, in sentences with numbers and what to do.
///
/// `system` and `start` are those of the built world, after assembly.
pub fn judge(scene: &WorldScene, system: &dyn MechanicalSystem, start: &State) -> Vec<String> {
    let inertias = Inertia::of_system(&scene.description, system, start);
    let mut found = Vec::new();
    if let Some(step) = equal_step(scene) {
        found.extend(turns(scene, start, step));
        found.extend(swings(system, start, step));
        found.extend(small_bodies(scene, step));
        found.extend(plays(scene, start, step));
    }
    found.extend(odd_ratios(scene, &inertias));
    found.extend(odd_densities(scene, &inertias));
    found
}

/// The step, if the accuracy follows from it.
fn equal_step(scene: &WorldScene) -> Option<f64> {
    let simulation = &scene.simulation;
    let is_equal = matches!(
        simulation.integrator,
        IntegratorName::Rattle | IntegratorName::Moreau | IntegratorName::MoreauRk4
    );
    (is_equal && simulation.accuracy == 0.0).then_some(simulation.step)
}

/// Of each moving body its number and where its velocities begin.
fn moving(scene: &WorldScene) -> impl Iterator<Item = (&BodyDescription, usize)> {
    let size = if scene.description.dimension == Dimension::Two { 3 } else { 6 };
    let moving = scene.description.bodies.iter().filter(|body| !body.fixed);
    moving.enumerate().map(move |(block, body)| (body, size * block))
}

/// Velocity and angular velocity of a body at the start, m/s and rad/s.
fn speeds(scene: &WorldScene, start: &State, first: usize) -> [f64; 2] {
    let parts = if scene.description.dimension == Dimension::Two { [2, 1] } else { [3, 3] };
    let size = |from: usize, count: usize| {
        let part = start.u.get(from..from + count).unwrap_or_default();
        part.iter().map(|u| u * u).sum::<f64>().sqrt()
    };
    [size(first, parts[0]), size(first + parts[0], parts[1])]
}

fn turns(scene: &WorldScene, start: &State, step: f64) -> Vec<String> {
    let turns = moving(scene).filter_map(|(body, first)| {
        let speed = speeds(scene, start, first)[1];
        let turn = speed * step;
        (turn > LARGE_TURN && body.free.turn).then(|| {
            format!(
                "{} turns by {turn:.2} rad in a step ({} rad/s): take simulation.step = {:.1e} or less, or \
                 event-driven",
                body.name,
                digits(speed, 4),
                0.1 / speed
            )
        })
    });
    turns.take(MOST).collect()
}

/// Beyond 2 rad in a step it is unstable, of which a run warns too.
fn swings(system: &dyn MechanicalSystem, start: &State, step: f64) -> Option<String> {
    let frequency = rates(system, start)?.frequency;
    let swing = frequency * step;
    (swing > LARGE_SWING && swing <= 2.0).then(|| {
        format!(
            "springs swing at {} rad/s, {:.1} steps in a period: take simulation.step = {:.1e} or less if this \
             motion matters",
            digits(frequency, 4),
            std::f64::consts::TAU / swing,
            0.1 / frequency
        )
    })
}

/// Radius of a sphere about the origin of a body that holds it; none without bounds or shapes.
fn size(body: &BodyDescription) -> Option<f64> {
    let far = body.shapes.iter().map(|shape| norm(&shape.offset) + shape.kind.reach());
    far.max_by(f64::total_cmp).filter(|size| size.is_finite() && *size > 0.0)
}

/// A body that falls by much of its size in a step meets the ground anywhere.
fn small_bodies(scene: &WorldScene, step: f64) -> Option<String> {
    let gravity = norm(&scene.description.gravity);
    let sized = moving(scene).filter_map(|(body, _)| Some((size(body)?, body)));
    let (size, body) = sized.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let fall = gravity * step * step;
    (fall > 0.1 * size).then(|| {
        format!(
            "{} is {} m large and falls by {} m in a step: its contacts need simulation.step = {:.1e} or less",
            body.name,
            digits(size, 4),
            digits(fall, 4),
            0.1 * (size / gravity).sqrt()
        )
    })
}

/// A joint with play whose bodies go through all of it in a step.
fn plays(scene: &WorldScene, start: &State, step: f64) -> Vec<String> {
    let world = &scene.description;
    let firsts: Vec<Option<usize>> = {
        let mut moving = moving(scene).map(|(_, first)| first);
        world.bodies.iter().map(|body| if body.fixed { None } else { moving.next() }).collect()
    };
    let plays = world.joints.iter().filter_map(|joint| {
        let play = match joint.kind {
            JointKind::ClearanceTranslational { clearance, .. }
            | JointKind::ClearanceRevolute { clearance, .. } => 2.0 * clearance,
            _ => return None,
        };
        let of = |body: Option<usize>| firsts.get(body?).copied().flatten();
        let bodies = joint.mounts.iter().filter_map(|mount| of(mount.body));
        let speed = bodies.map(|first| speeds(scene, start, first)[0]).fold(0.0, f64::max);
        (speed * step > play).then(|| {
            format!(
                "{}: its bodies move at {} m/s, and at that speed cross its play of {} m within a step: take \
                 simulation.step = {:.1e} or less, or event-driven",
                joint.name,
                digits(speed, 4),
                digits(play, 4),
                0.1 * play / speed
            )
        })
    });
    plays.take(MOST).collect()
}

/// Sizes and masses that are far from those of all other moving bodies.
fn odd_ratios(scene: &WorldScene, inertias: &[Option<Inertia>]) -> Vec<String> {
    let bodies = &scene.description.bodies;
    let given = scene.description.motions.iter().map(|motion| motion.body).collect::<Vec<_>>();
    let of = |value: &dyn Fn(usize, &BodyDescription) -> Option<f64>| {
        let free = bodies.iter().enumerate().filter(|(k, body)| !body.fixed && !given.contains(k));
        let mut all: Vec<(f64, &str)> =
            free.filter_map(|(k, body)| Some((value(k, body)?, body.name.as_str()))).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all
    };
    let sizes = of(&|_, body| size(body));
    let masses = of(&|k, _| Some(inertias.get(k).copied().flatten()?.mass));
    let mut found = Vec::new();
    for (what, unit, sorted) in [("large", "m", sizes), ("heavy", "kg", masses)] {
        let mut tell = |(odd, name): (f64, &str), (near, other): (f64, &str)| {
            found.push(format!(
                "{name} is {} {unit} {what}, the nearest of the others, {other}, {} {unit}: was a unit \
                 forgotten? Plain numbers are in m and kg",
                digits(odd, 4),
                digits(near, 4)
            ));
        };
        match sorted.as_slice() {
            [.., second, first] if first.0 > ODD_RATIO * second.0 => tell(*first, *second),
            [first, second, ..] if second.0 > ODD_RATIO * first.0 => tell(*first, *second),
            _ => {}
        }
    }
    found
}

/// Masses that do not fit the shapes; in the plane the depth is not known.
fn odd_densities(scene: &WorldScene, inertias: &[Option<Inertia>]) -> Vec<String> {
    if scene.description.dimension == Dimension::Two {
        return Vec::new();
    }
    let given = |k: usize| scene.description.motions.iter().any(|motion| motion.body == k);
    let bodies = scene.description.bodies.iter().zip(inertias).enumerate();
    let odd = bodies.filter(|(k, _)| !given(*k)).filter_map(|(_, (body, inertia))| {
        let mass = inertia.as_ref()?.mass;
        let solid =
            body.shapes.iter().map(|shape| Some(&shape.kind).filter(|kind| !kind.is_area()));
        let volumes = solid.map(|kind| kind?.volume());
        let volume = volumes.sum::<Option<f64>>().filter(|volume| *volume > 0.0)?;
        let density = mass / volume;
        (!DENSITIES.contains(&density)).then(|| {
            format!(
                "{}: {} kg in {} m³ are {density:.1e} kg/m³ (air has 1.2, steel 7800): was a unit \
                 forgotten? Plain numbers are in m and kg",
                body.name,
                digits(mass, 4),
                digits(volume, 4)
            )
        })
    });
    odd.take(MOST).collect()
}
