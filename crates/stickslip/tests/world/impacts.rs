//! Impacts with an exact answer, and what they conserve.

use super::support::*;
use stickslip::system::State;
use stickslip::world::*;

fn elastic() -> ContactLaw {
    ContactLaw { restitution: 1.0, ..ContactLaw::default() }
}

#[test]
fn three_balls_in_contact_part_with_thirds() {
    // Newton's law for simultaneous contacts: −1/3, 2/3, 2/3 of the speed of the first ball.
    let radius = 0.02;
    let mut bodies: Vec<_> = (0..3)
        .map(|k| sphere(&format!("ball{k}"), radius, [2.0 * radius * k as f64, 0.0, 0.0]))
        .collect();
    bodies[0].velocity = [1.0, 0.0, 0.0];
    let description = WorldDescription { gravity: [0.0; 3], ..space(bodies, elastic()) };
    let world = world(&description);
    let mut state = world.start();
    // All gaps must be closed where the impact is looked for: at the midpoint of the step.
    state.q[7] -= 1e-9;
    state.q[14] -= 2e-9;
    run(&mut moreau(1e-12), &world, &mut state, 1e-6, 1, |_, _| {});
    for (k, expected) in [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0].into_iter().enumerate() {
        assert_close(state.u[6 * k], expected, 1e-9);
    }
}

#[test]
fn two_balls_exchange_their_velocities() {
    let mut bodies = vec![sphere("a", 0.1, [0.0; 3]), sphere("b", 0.1, [0.2, 0.0, 0.0])];
    bodies[0].velocity = [2.0, 0.0, 0.0];
    bodies[1].velocity = [-1.0, 0.0, 0.0];
    let description = WorldDescription { gravity: [0.0; 3], ..space(bodies, elastic()) };
    let state = advance(&world(&description), &mut moreau(1e-12), 1e-4, 2);
    assert_close(state.u[0], -1.0, 1e-9);
    assert_close(state.u[6], 2.0, 1e-9);
}

#[test]
fn a_rocking_block_loses_what_housner_says() {
    // ω⁺/ω⁻ = 1 − 3/2 sin²α, tan α = width/height, for impacts without restitution that do not slip.
    for (half_width, half_height) in [(0.1_f64, 0.3_f64), (0.1, 0.5), (0.2, 0.3)] {
        let alpha = half_width.atan2(half_height);
        let mut block =
            body("block", ShapeKind::Rectangle { half_extents: [half_width, half_height] });
        block.position = [0.0, half_height, 0.0];
        // Turning about the left corner, which is at rest: (v, w) at the moment of the impact of
        // the right corner.
        let before = -0.1;
        block.angular_velocity = [0.0, 0.0, before];
        block.velocity = [-before * half_height, before * half_width, 0.0];
        let world = world(&plane(vec![floor(), block], friction(50.0)));
        let mut state = world.start();
        // Both corners closed, by less than matters.
        state.q[1] -= 1e-9;
        run(&mut moreau(1e-13), &world, &mut state, 1e-8, 1, |_, _| {});
        let expected = 1.0 - 1.5 * alpha.sin().powi(2);
        // Gravity adds g Δt/size = 1e-6 rad/s at most.
        assert_close(state.u[2] / before, expected, 1e-5);
    }
}

/// Linear and angular momentum about the origin.
fn momentum(world: &World, state: &State, bodies: usize) -> [f64; 6] {
    let mut sum = [0.0; 6];
    for body in 0..bodies {
        let mass = world.mass_properties(body).unwrap();
        let frame = world.frames().frame(state, Some(body));
        let twist = world.frames().twist(&frame, &state.u, Some(body));
        let (x, v) = (frame.center, twist.velocity);
        let spin: [f64; 3] = std::array::from_fn(|i| state.u[6 * body + 3 + i]);
        let local: [f64; 3] =
            std::array::from_fn(|i| (0..3).map(|j| mass.inertia[i][j] * spin[j]).sum());
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            sum[i] += mass.mass * v[i];
            sum[3 + i] += mass.mass * (x[j] * v[k] - x[k] * v[j]) + frame.direction(&local)[i];
        }
    }
    sum
}

#[test]
fn collisions_conserve_linear_momentum() {
    // Percussions come in pairs: rounding of momenta of some 10 kg m/s.
    conserves(
        [
            ShapeKind::Sphere { radius: 0.12 },
            ShapeKind::Box { half_extents: [0.1, 0.15, 0.08] },
            ShapeKind::Capsule { radius: 0.07, half_length: 0.1 },
            ShapeKind::Cylinder { radius: 0.1, half_length: 0.1 },
            ShapeKind::Ellipsoid { semi_axes: [0.1, 0.15, 0.08] },
        ],
        f64::INFINITY,
    );
}

#[test]
fn collisions_conserve_angular_momentum() {
    // Moreau's rule treats gyroscopic forces explicitly; bodies with equal moments have none. Then
    // the midpoint rule conserves but for the cube of the turn in a step, (20 rad/s · 5e-5 s)³ of
    // 1 kg m²/s, and rounding.
    conserves(
        [
            ShapeKind::Sphere { radius: 0.12 },
            ShapeKind::Box { half_extents: [0.1; 3] },
            ShapeKind::Sphere { radius: 0.08 },
            ShapeKind::Box { half_extents: [0.12; 3] },
            ShapeKind::Ellipsoid { semi_axes: [0.1; 3] },
        ],
        1e-9,
    );
}

fn conserves(kinds: [ShapeKind; 5], angular: f64) {
    let mut random = fastrand::Rng::with_seed(3);
    let mut bodies = Vec::new();
    for k in 0..10 {
        let mut one = body(&format!("b{k}"), kinds[k % 5].clone());
        let cell = [k % 3, k / 3 % 3, k / 9].map(|c| 0.35 * (c as f64 - 1.0));
        one.position = cell;
        one.rotation = random_rotation(&mut random);
        one.velocity = cell.map(|x| -3.0 * x + random.f64() - 0.5);
        one.angular_velocity = std::array::from_fn(|_| 10.0 * (random.f64() - 0.5));
        bodies.push(one);
    }
    let law = ContactLaw { restitution: 0.5, ..friction(0.4) };
    let description = WorldDescription { gravity: [0.0; 3], ..space(bodies, law) };
    let world = world(&description);
    let mut state = world.start();
    let (mut touched, dt) = (0, 5e-5);
    let mut last = momentum(&world, &state, 10);
    let mut integrator = moreau(1e-10);
    run(&mut integrator, &world, &mut state, dt, 4000, |state, integrator| {
        let count = integrator.record().contacts.iter().filter(|c| c.gap <= 0.0).count();
        touched += count;
        let now = momentum(&world, state, 10);
        for k in 0..6 {
            assert_close(now[k], last[k], if k < 3 { 1e-12 } else { angular });
        }
        last = now;
    });
    assert!(touched > 20, "only {touched} contacts");
}
