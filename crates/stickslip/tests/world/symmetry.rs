//! Mirrors, turned frames, other orders of the bodies and other units change nothing.

use super::support::*;
use stickslip::kinematics::quaternion::{from_axis_angle, product, rotation};
use stickslip::kinematics::vector::apply;
use stickslip::system::State;
use stickslip::world::*;

const STEP: f64 = 1e-3;
const STEPS: usize = 400;
/// The contact problems are solved to 1e-12; collisions multiply what is left of it.
const TOLERANCE: f64 = 1e-7;

/// Round bodies that fall into a corner and on each other.
fn scene() -> WorldDescription {
    let quarter = std::f64::consts::FRAC_PI_2;
    let mut wall = fixed("wall", ShapeKind::HalfSpace);
    wall.rotation = from_axis_angle(&[0.0, 1.0, 0.0], quarter);
    wall.position = [-0.25, 0.0, 0.0];
    let mut bodies = vec![floor(), wall];
    for k in 0..6 {
        let place =
            [0.21 * (k % 2) as f64 - 0.1, 0.05 * k as f64 - 0.1, 0.12 + 0.19 * (k / 2) as f64];
        let mut ball = sphere(&format!("ball{k}"), 0.08 + 0.005 * k as f64, place);
        ball.velocity = [-1.0 + 0.1 * k as f64, 0.2, 0.0];
        ball.angular_velocity = [3.0, -2.0 * k as f64, 1.0];
        bodies.push(ball);
    }
    let mut rod = body("rod", ShapeKind::Capsule { radius: 0.05, half_length: 0.1 });
    rod.position = [0.05, 0.3, 0.2];
    rod.rotation = from_axis_angle(&[0.6, 0.0, 0.8], 1.0);
    rod.velocity = [0.0, -0.5, 0.0];
    bodies.push(rod);
    space(bodies, ContactLaw { restitution: 0.3, ..friction(0.4) })
}

/// Positions and velocities of the origins and angular velocities, in the order of the names.
fn result(description: &WorldDescription, dt: f64) -> Vec<[[f64; 3]; 3]> {
    let world = world(description);
    let state: State = advance(&world, &mut moreau(1e-12), dt, STEPS);
    let mut order: Vec<usize> =
        (0..description.bodies.len()).filter(|k| !description.bodies[*k].fixed).collect();
    order.sort_by_key(|k| &description.bodies[*k].name);
    let of = |k: usize| {
        let frame = world.frames().frame(&state, Some(k));
        let twist = world.frames().twist(&frame, &state.u, Some(k));
        [frame.center, twist.velocity, twist.angular_velocity]
    };
    order.into_iter().map(of).collect()
}

#[track_caller]
fn assert_same(
    a: &[[[f64; 3]; 3]],
    b: &[[[f64; 3]; 3]],
    map: impl Fn(usize, [f64; 3]) -> [f64; 3],
) {
    for (one, other) in a.iter().zip(b) {
        for k in 0..3 {
            let mapped = map(k, one[k]);
            for i in 0..3 {
                assert_close(mapped[i], other[k][i], TOLERANCE * [1.0, 10.0, 100.0][k]);
            }
        }
    }
}

#[test]
fn a_mirror() {
    let original = scene();
    let mut mirrored = original.clone();
    // y → −y: vectors change their y, axial vectors and turns the others.
    for one in &mut mirrored.bodies {
        one.position[1] *= -1.0;
        one.velocity[1] *= -1.0;
        one.angular_velocity[0] *= -1.0;
        one.angular_velocity[2] *= -1.0;
        one.rotation[1] *= -1.0;
        one.rotation[3] *= -1.0;
    }
    let (a, b) = (result(&original, STEP), result(&mirrored, STEP));
    assert_same(&a, &b, |k, [x, y, z]| if k < 2 { [x, -y, z] } else { [-x, y, -z] });
}

#[test]
fn a_turned_frame() {
    let original = scene();
    let turn = from_axis_angle(&[0.48, 0.6, 0.64], 1.1);
    let r = rotation(&turn);
    let mut turned = original.clone();
    turned.gravity = apply(&r, &turned.gravity);
    for one in &mut turned.bodies {
        one.position = apply(&r, &one.position);
        one.velocity = apply(&r, &one.velocity);
        one.angular_velocity = apply(&r, &one.angular_velocity);
        one.rotation = product(&turn, &one.rotation);
    }
    let (a, b) = (result(&original, STEP), result(&turned, STEP));
    assert_same(&a, &b, |_, v| apply(&r, &v));
}

#[test]
fn another_order_of_the_bodies() {
    let original = scene();
    let mut shuffled = original.clone();
    shuffled.bodies.reverse();
    shuffled.bodies.swap(2, 5);
    let (a, b) = (result(&original, STEP), result(&shuffled, STEP));
    assert_same(&a, &b, |_, v| v);
}

#[test]
fn other_units() {
    // Millimetres, milliseconds and tonnes.
    let original = scene();
    let (length, time, mass) = (1e3, 1e3, 1e-3);
    let mut scaled = original.clone();
    scaled.gravity = scaled.gravity.map(|v| v * length / (time * time));
    for one in &mut scaled.bodies {
        one.position = one.position.map(|v| v * length);
        one.velocity = one.velocity.map(|v| v * length / time);
        one.angular_velocity = one.angular_velocity.map(|v| v / time);
        one.mass = MassDescription::Density(1000.0 * mass / (length * length * length));
        for shape in &mut one.shapes {
            shape.kind = match &shape.kind {
                ShapeKind::Sphere { radius } => ShapeKind::Sphere { radius: radius * length },
                ShapeKind::Capsule { radius, half_length } => ShapeKind::Capsule {
                    radius: radius * length,
                    half_length: half_length * length,
                },
                other => other.clone(),
            };
        }
    }
    let (a, b) = (result(&original, STEP), result(&scaled, STEP * time));
    let factors = [length, length / time, 1.0 / time];
    let back: Vec<_> =
        b.iter().map(|one| [0, 1, 2].map(|k| one[k].map(|v| v / factors[k]))).collect();
    assert_same(&a, &back, |_, v| v);
}
