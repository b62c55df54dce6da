//! A pile of spheres in a box.

use super::support::*;
use stickslip::integrate::{Integrator, Moreau, Projection, ProjectionMetric};
use stickslip::kinematics::quaternion::from_axis_angle;
use stickslip::system::MechanicalSystem;
use stickslip::world::*;

/// Spheres in layers, a little out of line, between four walls.
fn description(count: usize, radius: f64) -> WorldDescription {
    let side = (count as f64).cbrt().ceil() as usize;
    let pitch = 2.2 * radius;
    let half = 0.5 * side as f64 * pitch;
    let quarter = std::f64::consts::FRAC_PI_2;
    let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let wall = |name: &str, position: [f64; 3], axis: [f64; 3], angle: f64| BodyDescription {
        position,
        rotation: from_axis_angle(&axis, angle),
        ..fixed(name, ShapeKind::HalfSpace)
    };
    let mut bodies = vec![
        floor(),
        wall("left", [-half, 0.0, 0.0], y, quarter),
        wall("right", [half, 0.0, 0.0], y, -quarter),
        wall("front", [0.0, -half, 0.0], x, -quarter),
        wall("back", [0.0, half, 0.0], x, quarter),
    ];
    let mut random = fastrand::Rng::with_seed(1);
    for k in 0..count {
        let cell = [k % side, k / side % side, k / (side * side)];
        let mut place =
            cell.map(|c| (c as f64 + 0.5) * pitch + 0.18 * radius * (random.f64() - 0.5));
        place[0] -= half;
        place[1] -= half;
        bodies.push(sphere(&format!("ball{k}"), radius, place));
    }
    space(bodies, friction(0.5))
}

/// Root mean square speed of the spheres, m/s, turning included.
fn mean_speed(u: &[f64], radius: f64) -> f64 {
    let square = |u: &[f64]| {
        let turning: f64 = u[3..].iter().map(|w| (radius * w).powi(2)).sum();
        u[..3].iter().map(|v| v * v).sum::<f64>() + turning
    };
    (u.chunks(6).map(square).sum::<f64>() / (u.len() / 6) as f64).sqrt()
}

#[test]
fn two_hundred_and_fifty_spheres_come_to_rest() {
    let (radius, dt) = (0.01, 1e-3);
    let world = world(&description(250, radius));
    let mut integrator = Moreau::new(solver(1e-4), Projection::new(ProjectionMetric::Sweeps));
    let mut state = world.start();
    let start = world.energy(&state).total();
    let (mut deepest, mut fastest, mut contacts) = (0.0_f64, 0.0_f64, 0);
    for _ in 0..900 {
        let report = integrator.step(&world, &mut state, dt).unwrap();
        assert!(report.solve.residual.value <= 1e-4, "at {}: {:?}", state.t, report.solve);
        deepest = deepest.max(-least_gap(&world, &state));
        fastest = state.u.chunks(6).fold(fastest, |m, u| m.max(u[2].abs()));
        contacts = report.contacts;
    }
    // Wanted: below 1 % of the radius. Without projection it would be the way of a step, which
    // shows that the pile does fall.
    assert!(deepest < 0.01 * radius, "{}", deepest / radius);
    assert!(fastest * dt > 0.02 * radius, "{}", fastest * dt / radius);
    // At rest: slower than the speed g Δt that a step of free fall gives, as no pile is whose
    // contacts open and close again. Nothing has left the box.
    let speed = mean_speed(&state.u, radius);
    assert!(speed < 9.81 * dt, "{speed}");
    let energy = world.energy(&state);
    assert!(energy.kinetic < 1e-3 * (start - energy.potential), "{energy:?} {start}");
    assert!(state.q.chunks(7).all(|q| q[2] > 0.9 * radius && q[2] < 0.2));
    // A pile carries itself: six velocities per sphere need at least two contacts of three
    // components for each.
    assert!(contacts >= 2 * 250, "{contacts}");
}
