//! A pile of spheres falls into a box and comes to rest: time per step, residual, penetration.
//!
//! `cargo run --release -p stickslip --example pile -- COUNT [SECONDS [SOLVER]]`

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

/// Spheres in layers, a little out of line, in a box without lid that is as wide as they are high.
fn description(count: usize) -> WorldDescription {
    let side = ((count as f64).cbrt().ceil() as usize).max(2);
    let pitch = 2.2 * RADIUS;
    let half = 0.5 * side as f64 * pitch;
    let quarter = std::f64::consts::FRAC_PI_2;
    let wall = |axis, angle| from_axis_angle(&axis, angle);
    let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let mut bodies = vec![
        body("floor".into(), true, [0.0; 3], UNIT),
        body("left".into(), true, [-half, 0.0, 0.0], wall(y, quarter)),
        body("right".into(), true, [half, 0.0, 0.0], wall(y, -quarter)),
        body("front".into(), true, [0.0, -half, 0.0], wall(x, -quarter)),
        body("back".into(), true, [0.0, half, 0.0], wall(x, quarter)),
    ];
    // A small generator of numbers in 0 to 1, the same on every machine.
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    for k in 0..count {
        let cell = [k % side, k / side % side, k / (side * side)];
        let mut place = cell.map(|c| (c as f64 + 0.5) * pitch + 0.18 * RADIUS * (random() - 0.5));
        place[0] -= half;
        place[1] -= half;
        bodies.push(body(format!("ball{k}"), false, place, UNIT));
    }
    let law = ContactLaw { friction: 0.5, ..ContactLaw::default() };
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(1000), |text| text.parse())?;
    let seconds: f64 = arguments.next().map_or(Ok(2.0), |text| text.parse())?;
    let world = World::new(&description(count)).map_err(|errors| errors[0].clone())?;
    let limits = Limits { tolerance: 1e-4, ..Limits::default() };
    let name = arguments.next().unwrap_or("gauss-seidel".into());
    let solver = by_name(&name, limits)?.ok_or("no such solver")?;
    let mut integrator = Moreau::new(solver, Projection::new(ProjectionMetric::Sweeps));
    let mut state = world.start();
    let mut contacts = ContactSet::default();
    let mut worst = (0.0_f64, 0.0_f64);
    let mut iterations = 0;
    let (mut unsolved, mut finding) = (0, 0.0);
    let steps = (seconds / STEP).round() as usize;
    let start = Instant::now();
    println!("t/s contacts iterations residual penetration/radius kinetic/J ms/step");
    let mut last = Instant::now();
    for step in 1..=steps {
        let report = integrator.step(&world, &mut state, STEP)?;
        iterations += report.solve.iterations;
        worst.0 = worst.0.max(report.solve.residual.value);
        unsolved += usize::from(!(report.solve.residual.value <= 1e-4));
        let begin = Instant::now();
        let deepest = penetration(&world, &state, &mut contacts) / RADIUS;
        finding += begin.elapsed().as_secs_f64();
        worst.1 = worst.1.max(deepest);
        if step % (steps / 20).max(1) == 0 {
            println!(
                "{:.3} {} {} {:.1e} {deepest:.2e} {:.2e} {:.2}",
                state.t,
                report.contacts,
                report.solve.iterations,
                report.solve.residual.value,
                world.energy(&state).kinetic,
                1e3 * last.elapsed().as_secs_f64() / (steps / 20).max(1) as f64,
            );
            last = Instant::now();
        }
    }
    let total = start.elapsed().as_secs_f64();
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
