//! A pile of spheres falls into a box and comes to rest: time per step, residual, penetration.
//!
//! `cargo run --release -p stickslip --example pile -- COUNT [SECONDS [SOLVER [SEED [FRICTION]]]]`
//!
//! With a seed the spheres fall from random places, in a box whose size grows with the cube root of their number; without
//! one, or with 0, they stand in layers. Times are those of the processor where the system tells them.

use std::collections::HashMap;
use std::time::Instant;
use stickslip::integrate::{Integrator, Moreau, Projection, ProjectionMetric};
use stickslip::kinematics::quaternion::from_axis_angle;
use stickslip::solve::{Limits, by_name};
use stickslip::system::{ContactSet, MechanicalSystem, State};
use stickslip::world::{
    BodyDescription, ContactLaw, MassDescription, ShapeDescription, ShapeKind, World,
    WorldDescription,
};

const RADIUS: f64 = 0.01;
const STEP: f64 = 1e-3;
const UNIT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn body(name: String, fixed: bool, position: [f64; 3], rotation: [f64; 4]) -> BodyDescription {
    let kind = if fixed { ShapeKind::HalfSpace } else { ShapeKind::Sphere { radius: RADIUS } };
    BodyDescription {
        name,
        fixed,
        free: Default::default(),
        mass: MassDescription::Density(2500.0),
        position,
        rotation,
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        material: String::new(),
        shapes: vec![ShapeDescription { kind, offset: [0.0; 3], rotation: UNIT, density: None }],
    }
}

/// A floor and four walls at this distance from the middle.
fn container(half: f64) -> Vec<BodyDescription> {
    let quarter = std::f64::consts::FRAC_PI_2;
    let wall = |axis, angle| from_axis_angle(&axis, angle);
    let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    vec![
        body("floor".into(), true, [0.0; 3], UNIT),
        body("left".into(), true, [-half, 0.0, 0.0], wall(y, quarter)),
        body("right".into(), true, [half, 0.0, 0.0], wall(y, -quarter)),
        body("front".into(), true, [0.0, -half, 0.0], wall(x, -quarter)),
        body("back".into(), true, [0.0, half, 0.0], wall(x, quarter)),
    ]
}

/// A small generator of numbers in 0 to 1, the same on every machine.
fn generator(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Spheres in layers, a little out of line, in a box without lid that is as wide as they are high.
fn layers(count: usize) -> Vec<BodyDescription> {
    let side = ((count as f64).cbrt().ceil() as usize).max(2);
    let pitch = 2.2 * RADIUS;
    let half = 0.5 * side as f64 * pitch;
    let mut bodies = container(half);
    let mut random = generator(1);
    for k in 0..count {
        let cell = [k % side, k / side % side, k / (side * side)];
        let mut place = cell.map(|c| (c as f64 + 0.5) * pitch + 0.18 * RADIUS * (random() - 0.5));
        place[0] -= half;
        place[1] -= half;
        bodies.push(body(format!("ball{k}"), false, place, UNIT));
    }
    bodies
}

/// Spheres at random places, none nearer to another than half a millimetre.
fn scattered(count: usize, seed: u64) -> Vec<BodyDescription> {
    let size = (count as f64 / 1000.0).cbrt();
    let (half, height) = (0.16 * size, 0.25 * size);
    let mut bodies = container(half);
    let mut random = generator(seed);
    let mut cells: HashMap<[i64; 3], Vec<[f64; 3]>> = HashMap::new();
    let apart = 2.0 * RADIUS + 0.5e-3;
    while bodies.len() < count + 5 {
        let mut across = || (2.0 * random() - 1.0) * (half - RADIUS);
        let place = [across(), across(), RADIUS + random() * (height - RADIUS)];
        let cell = place.map(|x| (x / apart).floor() as i64);
        let near = (0..27).map(|k| [k / 9, k / 3 % 3, k % 3]);
        let mut near = near.map(|step| [0, 1, 2].map(|k| cell[k] + step[k] as i64 - 1));
        let is_free = near.all(|cell| {
            cells.get(&cell).into_iter().flatten().all(|other| {
                let squares = (0..3).map(|k| (place[k] - other[k]).powi(2));
                squares.sum::<f64>() > apart * apart
            })
        });
        if is_free {
            cells.entry(cell).or_default().push(place);
            let name = format!("ball{}", bodies.len() - 5);
            bodies.push(body(name, false, place, UNIT));
        }
    }
    bodies
}

fn description(count: usize, seed: u64, friction: f64) -> WorldDescription {
    let bodies = if seed == 0 { layers(count) } else { scattered(count, seed) };
    let law = ContactLaw { friction, ..ContactLaw::default() };
    WorldDescription {
        gravity: [0.0, 0.0, -9.81],
        bodies,
        default_contact: law,
        ..WorldDescription::default()
    }
}

/// Deepest penetration, m.
fn penetration(world: &World, state: &State, contacts: &mut ContactSet) -> f64 {
    contacts.margin = f64::NEG_INFINITY;
    world.contacts(state, contacts);
    contacts.candidates().iter().fold(0.0_f64, |m, c| m.max(-c.gap))
}

/// Time that the processor has spent on this program, s; without news of it the time of the clock.
fn spent(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |time| 1e-9 * time)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(1000), |text| text.parse())?;
    let seconds: f64 = arguments.next().map_or(Ok(2.0), |text| text.parse())?;
    let name = arguments.next().unwrap_or("gauss-seidel".into());
    let seed: u64 = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let friction: f64 = arguments.next().map_or(Ok(0.5), |text| text.parse())?;
    let world =
        World::new(&description(count, seed, friction)).map_err(|errors| errors[0].clone())?;
    let limits = Limits { tolerance: 1e-4, ..Limits::default() };
    let solver = by_name(&name, limits)?.ok_or("no such solver")?;
    let mut integrator = Moreau::new(solver, Projection::new(ProjectionMetric::Sweeps));
    let mut state = world.start();
    let mut contacts = ContactSet::default();
    let mut worst = (0.0_f64, 0.0_f64);
    let mut iterations = 0;
    let (mut unsolved, mut finding) = (0, 0.0);
    let steps = (seconds / STEP).round() as usize;
    let window = (steps / 20).max(1);
    let clock = Instant::now();
    let start = spent(clock);
    println!("means of the steps up to t: iterations, ms/step");
    println!("t/s contacts iterations residual penetration/radius kinetic/J ms/step");
    let (mut last, mut counted) = (start, 0);
    for step in 1..=steps {
        let report = integrator.step(&world, &mut state, STEP)?;
        iterations += report.solve.iterations;
        worst.0 = worst.0.max(report.solve.residual.value);
        unsolved += usize::from(!(report.solve.residual.value <= 1e-4));
        // What is found for this report only is taken off.
        let begin = spent(clock);
        let deepest = penetration(&world, &state, &mut contacts) / RADIUS;
        finding += spent(clock) - begin;
        worst.1 = worst.1.max(deepest);
        if step % window == 0 {
            let now = spent(clock) - finding;
            println!(
                "{:.3} {} {:.0} {:.1e} {deepest:.2e} {:.2e} {:.2}",
                state.t,
                report.contacts,
                (iterations - counted) as f64 / window as f64,
                report.solve.residual.value,
                world.energy(&state).kinetic,
                1e3 * (now - last) / window as f64,
            );
            (last, counted) = (now, iterations);
        }
    }
    let total = spent(clock) - start;
    println!(
        "{count} spheres, {steps} steps: {:.2} ms/step (collision {:.2} ms), {:.1} iterations/step, \
         worst residual {:.1e} ({unsolved} above 1e-4), deepest penetration {:.2e} radii",
        1e3 * (total - finding) / steps as f64,
        1e3 * finding / steps as f64,
        iterations as f64 / steps as f64,
        worst.0,
        worst.1,
    );
    Ok(())
}
