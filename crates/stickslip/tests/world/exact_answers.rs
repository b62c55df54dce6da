//! Motions with an exact answer.

use super::support::*;
use stickslip::kinematics::quaternion::from_axis_angle;
use stickslip::world::*;

const RADIUS: f64 = 0.1;

/// A sphere that touches the floor.
fn resting(velocity: [f64; 3], angular_velocity: [f64; 3]) -> BodyDescription {
    BodyDescription { velocity, angular_velocity, ..sphere("ball", RADIUS, [0.0, 0.0, RADIUS]) }
}

#[test]
fn a_sliding_sphere_begins_to_roll_at_two_sevenths() {
    let (speed, mu) = (2.0, 0.3);
    let world = world(&space(vec![floor(), resting([speed, 0.0, 0.0], [0.0; 3])], friction(mu)));
    let time = 2.0 * speed / (7.0 * mu * GRAVITY);
    let (dt, mut rolls_at) = (1e-4, f64::NAN);
    let mut state = world.start();
    run(&mut moreau(1e-12), &world, &mut state, dt, 3000, |state, _| {
        let slip = state.u[0] - RADIUS * omega(&world, state, 1)[1];
        if rolls_at.is_nan() && slip.abs() < 1e-9 {
            rolls_at = state.t;
        }
        // Constant deceleration until then: exact in discrete time.
        if state.t < time - dt {
            assert_close(state.u[0], speed - mu * GRAVITY * state.t, 1e-9);
        }
    });
    // The first step of the fall, ½ g Δt², closes the contact; rolling begins within the next.
    assert_close(rolls_at, time, 2.0 * dt);
    assert_close(state.u[0], 5.0 / 7.0 * speed, 1e-9);
}

#[test]
fn the_slip_of_a_billiard_shot_keeps_its_direction() {
    let shot = resting([1.0, 0.5, 0.0], [6.0, -9.0, 20.0]);
    let world = world(&space(vec![floor(), shot], friction(0.2)));
    let slip = |state: &stickslip::system::State| {
        let w = omega(&world, state, 1);
        [state.u[0] - RADIUS * w[1], state.u[1] + RADIUS * w[0]]
    };
    let mut state = world.start();
    let [x, y] = slip(&state);
    let direction = y.atan2(x);
    let mut slipping = 0;
    let mut curved = 0.0_f64;
    let course = state.u[1].atan2(state.u[0]);
    run(&mut moreau(1e-12), &world, &mut state, 1e-3, 400, |state, _| {
        let [x, y] = slip(state);
        if x.hypot(y) > 1e-3 {
            slipping += 1;
            // 1e-9 rad: wanted of a friction disk; a polyhedral cone would turn it by degrees.
            assert_close(y.atan2(x), direction, 1e-9);
        }
        curved = curved.max((state.u[1].atan2(state.u[0]) - course).abs());
    });
    assert!(slipping > 100, "only {slipping} steps of slip");
    assert!(curved > 0.05, "the path of such a shot is curved: {curved} rad");
    let [x, y] = slip(&state);
    assert!(x.hypot(y) < 1e-9, "it rolls at the end");
}

#[test]
fn a_sphere_on_an_incline_rolls_if_friction_allows() {
    let angle = 0.6_f64;
    let needed = 2.0 / 7.0 * angle.tan();
    for (mu, rolls) in [(1.01 * needed, true), (0.99 * needed, false)] {
        let turn = from_axis_angle(&[0.0, 1.0, 0.0], angle);
        let incline = BodyDescription { rotation: turn, ..floor() };
        let normal = [angle.sin(), 0.0, angle.cos()];
        let ball = sphere("ball", RADIUS, normal.map(|v| RADIUS * v));
        let world = world(&space(vec![incline, ball], friction(mu)));
        let time = 0.5;
        let state = advance(&world, &mut moreau(1e-12), 1e-3, 500);
        let slip = state.u[0].hypot(state.u[2]) - RADIUS * omega(&world, &state, 1)[1];
        let down = state.u[0] * angle.cos() - state.u[2] * angle.sin();
        if rolls {
            assert_close(slip, 0.0, 1e-9);
            assert_close(down, 5.0 / 7.0 * GRAVITY * angle.sin() * time, 1e-9);
        } else {
            let acceleration = GRAVITY * (angle.sin() - mu * angle.cos());
            assert_close(down, acceleration * time, 1e-9);
            assert!(slip > 1e-3, "slip {slip}");
        }
    }
}

#[test]
fn a_sphere_on_a_belt_takes_two_sevenths_of_its_speed() {
    // Rolling without slip on a belt that starts suddenly: v = 2/7 of the belt.
    let belt = BodyDescription { velocity: [1.4, 0.0, 0.0], ..floor() };
    let world = world(&space(vec![belt, resting([0.0; 3], [0.0; 3])], friction(0.4)));
    let state = advance(&world, &mut moreau(1e-12), 1e-3, 500);
    assert_close(state.u[0], 2.0 / 7.0 * 1.4, 1e-9);
    assert!(state.u[2].abs() < 1e-12, "{:?}", state.u);
}

#[test]
fn a_sphere_on_a_turntable_runs_in_circles() {
    // Rolling without slip on a table with the rate Ω: the centre moves on a circle with 2/7 Ω.
    let rate = 3.5;
    let table = BodyDescription { angular_velocity: [0.0, 0.0, rate], ..floor() };
    let start = 0.4;
    let ball = BodyDescription {
        velocity: [0.0, 0.2, 0.0],
        // The surface below moves with Ω × r = (0, rate · start, 0).
        angular_velocity: [-(0.2 - rate * start) / RADIUS, 0.0, 0.0],
        ..sphere("ball", RADIUS, [start, 0.0, RADIUS])
    };
    let world = world(&space(vec![table, ball], friction(5.0)));
    let turn = 2.0 / 7.0 * rate;
    let (steps, time) = (4000, std::f64::consts::TAU / turn);
    let mut integrator = moreau(1e-12);
    let mut state = world.start();
    let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
    // The circle of v' = 2/7 Ω × v has the centre x − v/turn.
    let center = start - 0.2 / turn;
    run(&mut integrator, &world, &mut state, time / steps as f64, steps, |state, _| {
        let radius = (state.q[0] - center).hypot(state.q[1]);
        least = least.min(radius);
        largest = largest.max(radius);
    });
    // Moreau's rule has the order 1 with contact: 4000 steps leave a few 1e-3 of the radius.
    let radius = 0.2 / turn;
    assert!(least > 0.99 * radius && largest < 1.01 * radius, "{least} {largest} {radius}");
    assert_close(state.q[0], start, 0.01 * radius);
}

#[test]
fn a_table_with_four_legs_slides_like_a_block() {
    // Hyperstatic: the forces of the legs are not unique, the motion is.
    let mut legs = body("table", ShapeKind::Box { half_extents: [0.5, 0.3, 0.02] });
    legs.position = [0.0, 0.0, 0.72];
    for (x, y) in [(0.45, 0.25), (-0.45, 0.25), (-0.45, -0.25), (0.45, -0.25)] {
        let leg = ShapeKind::Box { half_extents: [0.02, 0.02, 0.35] };
        legs.shapes.push(shape_at(leg, [x, y, -0.37]));
    }
    legs.velocity = [1.0, 0.5, 0.0];
    let mu = 0.2;
    let world = world(&space(vec![floor(), legs], friction(mu)));
    let mut state = world.start();
    // All corners below the floor, by less than matters: no step is spent falling.
    state.q[2] -= 1e-9;
    let (dt, mut contacts) = (1e-3, 0);
    let speed = 1.0_f64.hypot(0.5);
    run(&mut moreau(1e-10), &world, &mut state, dt, 300, |state, integrator| {
        contacts = integrator.record().contacts.iter().filter(|c| c.gap <= 0.0).count();
        let now = state.u[0].hypot(state.u[1]);
        assert_close(now, speed - mu * GRAVITY * state.t, 1e-6);
        assert!(state.u[3..6].iter().all(|w| w.abs() < 1e-6), "it neither turns nor tips");
    });
    assert_eq!(contacts, 16, "all corners of all legs stand on the floor");
    run(&mut moreau(1e-10), &world, &mut state, dt, 500, |_, _| {});
    // At rest within what the tolerance of the solver leaves: 1e-10 of g Δt and more.
    assert!(state.u.iter().all(|u| u.abs() < 1e-8), "{:?}", state.u);
}

#[test]
fn a_box_on_an_incline_stays_or_slides() {
    let angle = 0.4_f64;
    for (mu, slides) in [(1.01 * angle.tan(), false), (0.8 * angle.tan(), true)] {
        let turn = from_axis_angle(&[0.0, 1.0, 0.0], angle);
        let incline = BodyDescription { rotation: turn, ..floor() };
        let normal = [angle.sin(), 0.0, angle.cos()];
        let mut block = body("block", ShapeKind::Box { half_extents: [0.1, 0.2, 0.05] });
        block.rotation = turn;
        block.position = normal.map(|v| 0.05 * v);
        let world = world(&space(vec![incline, block], friction(mu)));
        let state = advance(&world, &mut moreau(1e-12), 1e-3, 300);
        let down = state.u[0] * angle.cos() - state.u[2] * angle.sin();
        let expected = if slides { GRAVITY * (angle.sin() - mu * angle.cos()) * 0.3 } else { 0.0 };
        // The first step falls until the gap closes at its midpoint.
        assert_close(down, expected, 2.0 * GRAVITY * 1e-3);
        if !slides {
            assert!(down.abs() < 1e-9, "{down}");
        }
    }
}
