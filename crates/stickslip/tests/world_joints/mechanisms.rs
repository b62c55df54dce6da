//! Mechanisms of ideal joints against each other and against minimal coordinates.

use crate::support::*;
use fastrand::Rng;
use stickslip::analysis::start::StartReport;
use stickslip::integrate::{EventDriven, EventDrivenOptions, Integrator, ProjectionMetric};
use stickslip::kinematics::vector::{add, cross, scale};
use stickslip::kinematics::{Quaternion, Vector3, quaternion};
use stickslip::system::{Dimension, MechanicalSystem, State};
use stickslip::world::{JointKind, WorldDescription};

const GRAVITY: f64 = 9.81;
/// Mass, length and transverse moment of inertia of a bar.
const MASS: f64 = 1.2;
const LENGTH: f64 = 0.5;
const INERTIA: f64 = MASS * LENGTH * LENGTH / 12.0;

/// A bar that begins at `foot` with the angle and speed given, seen in the plane that `turn` makes
/// of the x-y plane. Returns the body and its free end.
fn bar(
    foot: Vector3,
    foot_velocity: Vector3,
    angle: f64,
    speed: f64,
    turn: &Quaternion,
) -> (stickslip::world::BodyDescription, Vector3, Vector3) {
    let mut body = body("bar", MASS, [1e-3, INERTIA, INERTIA]);
    let along = turned(turn, [angle.cos(), angle.sin(), 0.0]);
    let omega = turned(turn, [0.0, 0.0, speed]);
    let half = scale(0.5 * LENGTH, &along);
    body.position = add(&foot, &half);
    body.rotation = quaternion::product(turn, &about_z(angle));
    body.velocity = add(&foot_velocity, &cross(&omega, &half));
    body.angular_velocity = omega;
    let full = scale(LENGTH, &along);
    (body, add(&foot, &full), add(&foot_velocity, &cross(&omega, &full)))
}

fn left(body: usize) -> stickslip::world::Mount {
    on(body, [-0.5 * LENGTH, 0.0, 0.0])
}

fn right(body: usize) -> stickslip::world::Mount {
    on(body, [0.5 * LENGTH, 0.0, 0.0])
}

/// Two bars that hang from the origin, with angles and speeds.
fn double_pendulum(dimension: Dimension, start: [f64; 4], turn: &Quaternion) -> WorldDescription {
    let [angle1, angle2, speed1, speed2] = start;
    let (first, end, velocity) = bar([0.0; 3], [0.0; 3], angle1, speed1, turn);
    let (second, _, _) = bar(end, velocity, angle2, speed2, turn);
    let mut pivot = ground([0.0; 3]);
    pivot.rotation = *turn;
    let joints = vec![
        joint("pivot", JointKind::Revolute, pivot, left(0)),
        joint("elbow", JointKind::Revolute, right(0), left(1)),
    ];
    let gravity = turned(turn, [0.0, -GRAVITY, 0.0]);
    WorldDescription { gravity, ..world(dimension, vec![first, second], joints) }
}

/// Equations of motion of the double pendulum in its two angles, from the x axis.
fn double_pendulum_rate(y: &[f64; 4]) -> [f64; 4] {
    let [a, b, wa, wb] = *y;
    let (m, l) = (MASS, LENGTH);
    let m11 = INERTIA + 0.25 * m * l * l + m * l * l;
    let m22 = INERTIA + 0.25 * m * l * l;
    let coupling = 0.5 * m * l * l;
    let (m12, s) = (coupling * (a - b).cos(), coupling * (a - b).sin());
    let f1 = -s * wb * wb - 1.5 * m * GRAVITY * l * a.cos();
    let f2 = s * wa * wa - 0.5 * m * GRAVITY * l * b.cos();
    let det = m11 * m22 - m12 * m12;
    [wa, wb, (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det]
}

/// Ends of the bars by their centres: independent of how angles are counted.
fn centres(a: f64, b: f64) -> [f64; 4] {
    let (h, l) = (0.5 * LENGTH, LENGTH);
    [h * a.cos(), h * a.sin(), l * a.cos() + h * b.cos(), l * a.sin() + h * b.sin()]
}

const START: [f64; 4] = [0.3, -0.4, 1.0, -2.0];

fn run(toy: &Toy, step: f64, until: f64) -> State {
    let mut state = toy.start.clone();
    let mut integrator = moreau("auto", 1e-12, ProjectionMetric::Mass);
    go(toy, &mut integrator, &mut state, step, until, |_| {});
    assert!(toy.apart(&state) < 1e-13, "{:e}", toy.apart(&state));
    state
}

#[test]
fn the_double_pendulum_converges_to_the_one_in_minimal_coordinates() {
    // RK4 with 1e-4: error 1e-14 relative to the steps below.
    let exact = rk4(START, 1e-4, 1.0, |_, y| double_pendulum_rate(y));
    let exact = centres(exact[0], exact[1]);
    let toy = Toy::new(&double_pendulum(Dimension::Two, START, &NO_TURN));
    assert_eq!(toy.joints.warnings(), &[] as &[String]);
    let places = |step: f64| {
        let q = run(&toy, step, 1.0).q;
        [q[0], q[1], q[3], q[4]]
    };
    let error = |places: &[f64; 4]| {
        places.iter().zip(exact).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
    };
    let (coarse, fine) = (places(1e-3), places(2.5e-4));
    let ratio = error(&coarse) / error(&fine);
    // The scheme is of first order with constraints: a quarter of the step, a quarter of the error.
    assert!((3.5..4.5).contains(&ratio), "{ratio}");
    // What remains without the first-order part is of the order of its square.
    let limit: [f64; 4] = std::array::from_fn(|k| fine[k] + (fine[k] - coarse[k]) / 3.0);
    assert!(
        error(&limit) < 2.0 * error(&coarse).powi(2),
        "{:e} {:e}",
        error(&limit),
        error(&coarse)
    );
}

#[test]
fn the_double_pendulum_in_space_is_the_one_in_the_plane() {
    // In the x-y plane and in a tilted one: the same scheme in other coordinates. A plane turn by
    // the quaternion rate instead of the angle differs by (ω Δt)³/48 in each step.
    let plane = run(&Toy::new(&double_pendulum(Dimension::Two, START, &NO_TURN)), 1e-4, 0.5);
    let tilt = quaternion::from_axis_angle(&[0.6, 0.0, 0.8], 1.1);
    for turn in [NO_TURN, tilt] {
        let toy = Toy::new(&double_pendulum(Dimension::Three, START, &turn));
        assert_eq!(toy.joints.warnings(), &[] as &[String]);
        let space = run(&toy, 1e-4, 0.5);
        for body in 0..2 {
            let expected = turned(&turn, [plane.q[3 * body], plane.q[3 * body + 1], 0.0]);
            for k in 0..3 {
                // 5000 steps of (10·1e-4)³/48 rad on 1 m.
                assert_close(space.q[7 * body + k], expected[k], 1e-7);
            }
        }
    }
}

#[test]
fn event_driven_motion_is_that_of_minimal_coordinates() {
    let exact = rk4(START, 1e-4, 1.0, |_, y| double_pendulum_rate(y));
    let exact = centres(exact[0], exact[1]);
    for (dimension, size) in [(Dimension::Two, 3), (Dimension::Three, 7)] {
        let toy = Toy::new(&double_pendulum(dimension, START, &NO_TURN));
        let mut integrator = EventDriven::new(EventDrivenOptions::default()).unwrap();
        let mut state = toy.start.clone();
        integrator.step(&toy, &mut state, 1.0).unwrap();
        for (k, value) in [0, 1, size, size + 1].into_iter().zip(exact) {
            // Some hundred steps of 1e-10, with the growth of errors.
            assert_close(state.q[k], value, 1e-7);
        }
    }
}

#[test]
fn drift_stays_bounded_with_projection_and_grows_without() {
    let toy = Toy::new(&double_pendulum(Dimension::Three, START, &NO_TURN));
    for (metric, bounded) in [
        (ProjectionMetric::Mass, true),
        (ProjectionMetric::Identity, true),
        (ProjectionMetric::None, false),
    ] {
        let mut integrator = moreau("auto", 1e-12, metric);
        let mut state = toy.start.clone();
        let mut most = 0.0_f64;
        go(&toy, &mut integrator, &mut state, 1e-3, 5.0, |state| most = most.max(toy.apart(state)));
        // What the projection leaves: rounding of lengths of 1 m.
        assert_eq!(most < 1e-13, bounded, "{metric:?}: {most:e}");
        assert!(most < 0.1, "{most:e}");
    }
}

/// A four-bar linkage (crank, coupler, rocker) in a plane, driven by its start.
fn four_bar(dimension: Dimension) -> WorldDescription {
    // A parallelogram-like linkage that is no parallelogram: feet at 0 and (0.6, 0).
    let (angle1, speed1) = (1.2_f64, 3.0);
    let foot = [0.6, 0.0, 0.0];
    let (crank, elbow, elbow_velocity) = bar([0.0; 3], [0.0; 3], angle1, speed1, &NO_TURN);
    // All bars have the same length, so that coupler and rocker make an isosceles triangle over
    // the diagonal from the elbow to the second foot.
    let d = [foot[0] - elbow[0], foot[1] - elbow[1]];
    let reach = d[0].hypot(d[1]);
    let spread = (0.5 * reach / LENGTH).acos();
    let angle2 = d[1].atan2(d[0]) + spread;
    let knee = [elbow[0] + LENGTH * angle2.cos(), elbow[1] + LENGTH * angle2.sin()];
    let angle3 = (knee[1] - foot[1]).atan2(knee[0] - foot[0]);
    // Speeds from the velocity of the knee, seen from both sides.
    let (n2, n3) = ([-angle2.sin(), angle2.cos()], [-angle3.sin(), angle3.cos()]);
    let v = elbow_velocity;
    // v + L ω2 n2 = L ω3 n3.
    let det = n2[0] * -n3[1] + n3[0] * n2[1];
    let speed2 = (-v[0] * -n3[1] + n3[0] * -v[1]) / (det * LENGTH);
    let speed3 = (n2[0] * -v[1] - n2[1] * -v[0]) / (det * LENGTH);
    let (coupler, _, _) = bar(elbow, elbow_velocity, angle2, speed2, &NO_TURN);
    let (rocker, _, _) = bar(foot, [0.0; 3], angle3, speed3, &NO_TURN);
    let revolute = |name: &str, a, b| joint(name, JointKind::Revolute, a, b);
    let joints = vec![
        revolute("a", ground([0.0; 3]), left(0)),
        revolute("b", right(0), left(1)),
        revolute("c", right(1), right(2)),
        revolute("d", ground(foot), left(2)),
    ];
    let bodies = vec![crank, coupler, rocker];
    WorldDescription { gravity: [0.0, -GRAVITY, 0.0], ..world(dimension, bodies, joints) }
}

#[test]
fn the_hyperstatic_four_bar_moves_like_the_planar_one() {
    let (plane, space) = (four_bar(Dimension::Two), four_bar(Dimension::Three));
    let (plane, space) = (Toy::new(&plane), Toy::new(&space));
    assert_eq!(space.joints.warnings(), &[] as &[String]);
    // Four spatial hinges have 20 constraints for 18 velocities, of which 17 are independent.
    let report = StartReport::new(&space, &space.start, 1e-9);
    assert_eq!((report.joint_rows, report.joint_rank, report.velocities), (20, Some(17), 18));
    let report = StartReport::new(&plane, &plane.start, 1e-9);
    assert_eq!((report.joint_rows, report.joint_rank, report.velocities), (8, Some(8), 9));
    let step = 1e-4;
    let (a, b) = (run(&plane, step, 0.5), run(&space, step, 0.5));
    for body in 0..3 {
        for k in 0..2 {
            // As for the double pendulum.
            assert_close(b.q[7 * body + k], a.q[3 * body + k], 1e-7);
        }
        assert_close(b.q[7 * body + 2], 0.0, 1e-13);
        assert_close(b.q[7 * body + 4], 0.0, 1e-13);
        assert_close(b.q[7 * body + 5], 0.0, 1e-13);
    }
}

#[test]
fn every_joint_holds_its_velocities_after_every_step() {
    for (kind, second) in [
        (JointKind::Revolute, [0.0; 3]),
        (JointKind::Prismatic, [0.3, 0.0, 0.0]),
        (JointKind::Spherical, [0.0; 3]),
        (JointKind::Fixed, [0.0; 3]),
        (JointKind::Distance { length: 0.5 }, [0.3, 0.4, 0.0]),
    ] {
        for dimension in [Dimension::Two, Dimension::Three] {
            let mut rng = Rng::with_seed(3);
            let plane = dimension == Dimension::Two;
            // Two bodies that turn and fly together, joined at mounts with any orientation.
            let turn = |rng: &mut Rng| if plane { about_z(signed(rng)) } else { any_turn(rng) };
            let any =
                |rng: &mut Rng| [signed(rng), signed(rng), if plane { 0.0 } else { signed(rng) }];
            let place = turn(&mut rng); // of both mounts
            let at = any(&mut rng);
            let mut bodies =
                vec![body("a", 1.0, [0.1, 0.2, 0.25]), body("b", 2.0, [0.3, 0.2, 0.4])];
            let omega = if plane { [0.0, 0.0, 1.5] } else { [1.0, -0.5, 1.5] };
            let mut mounts = Vec::new();
            for (index, body) in bodies.iter_mut().enumerate() {
                body.rotation = turn(&mut rng);
                let inverse = [1.0, -1.0, -1.0, -1.0];
                let conjugate = std::array::from_fn(|k| inverse[k] * body.rotation[k]);
                let mut mount = on(index, any(&mut rng));
                mount.rotation = quaternion::product(&conjugate, &place);
                let shift = if index == 1 { turned(&place, second) } else { [0.0; 3] };
                let arm = turned(&body.rotation, mount.point);
                body.position = std::array::from_fn(|k| at[k] + shift[k] - arm[k]);
                body.angular_velocity = omega;
                body.velocity = cross(&omega, &body.position);
                mounts.push(mount);
            }
            let joints = vec![joint("it", kind.clone(), mounts[0], mounts[1])];
            let toy = Toy::new(&world(dimension, bodies, joints));
            assert_eq!(toy.joints.warnings(), &[] as &[String], "{kind:?}");
            let mut state = toy.start.clone();
            let mut integrator = moreau("newton", 1e-13, ProjectionMetric::Mass);
            for _ in 0..200 {
                // The constraint holds with the directions of the midpoint.
                let before = state.clone();
                let dt = 1e-3;
                integrator.step(&toy, &mut state, dt).unwrap();
                let mut middle = before.clone();
                let mut rate = vec![0.0; before.q.len()];
                toy.coordinate_rate(&before, &before.u, &mut rate);
                middle.q.iter_mut().zip(&rate).for_each(|(q, r)| *q += 0.5 * dt * r);
                toy.normalize(&mut middle.q);
                let velocity = constraint_velocity(&toy, &middle, &state.u);
                assert!(velocity < 1e-12, "{kind:?} {dimension:?}: {velocity:e}");
                assert!(toy.apart(&state) < 1e-13, "{kind:?}: {:e}", toy.apart(&state));
            }
        }
    }
}

#[test]
fn a_projection_by_sweeps_holds_joints_together() {
    let start = [-0.3, 0.4, 3.0, -2.0];
    let toy = Toy::new(&double_pendulum(Dimension::Three, start, &NO_TURN));
    let dt = 1e-3;
    let most_apart = |metric: ProjectionMetric| {
        let mut integrator = moreau("auto", 1e-10, metric);
        let (mut state, mut most) = (toy.start.clone(), 0.0_f64);
        go(&toy, &mut integrator, &mut state, dt, 2.0, |at| most = most.max(toy.apart(at)));
        most
    };
    // A step drifts by the terms of second order, some ω² L Δt² = 1e-4 m at up to 15 rad/s, and the
    // projection removes all but their square from the next order; without it drift adds up.
    let (held, drifted) =
        (most_apart(ProjectionMetric::Sweeps), most_apart(ProjectionMetric::None));
    assert!(held < 2e-6, "{held:e}");
    assert!(drifted > 20.0 * held, "{drifted:e} {held:e}");
}

#[test]
fn projection_closes_joints_that_have_drifted() {
    // A parallelogram with a redundant distance, pulled apart by up to 1 mm.
    let revolute = |name: &str, a, b| joint(name, JointKind::Revolute, a, b);
    let (left, right) = ([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]);
    let joints = vec![
        revolute("a", ground([0.0; 3]), on(0, left)),
        revolute("b", on(0, right), on(1, left)),
        revolute("c", on(1, right), on(2, left)),
        revolute("d", on(2, right), ground([1.0, 0.0, 0.0])),
        // The middle bar keeps its ends apart by itself.
        joint("e", JointKind::Distance { length: 1.0 }, on(0, right), on(2, left)),
    ];
    let (sin, cos) = 1.0_f64.sin_cos();
    let places = [
        (0.5 * cos, 0.5 * sin, 1.0),
        (cos + 0.5, sin, 0.0),
        (1.0 + 0.5 * cos, 0.5 * sin, 1.0 - std::f64::consts::PI),
    ];
    let bodies = places.map(|(x, y, angle)| {
        let mut body = body(&format!("bar {x}"), 1.0, [0.1; 3]);
        body.position = [x, y, 0.0];
        body.rotation = about_z(angle);
        body
    });
    let toy = Toy::new(&world(Dimension::Two, bodies.to_vec(), joints));
    assert!(toy.apart(&toy.start) < 1e-15);
    let mut rng = fastrand::Rng::with_seed(7);
    for metric in [ProjectionMetric::Mass, ProjectionMetric::Identity] {
        let mut state = toy.start.clone();
        state.q.iter_mut().for_each(|q| *q += 1e-3 * signed(&mut rng));
        assert!(toy.apart(&state) > 1e-4);
        let before = state.clone();
        moreau("newton", 1e-10, metric).step(&toy, &mut state, 1e-9).unwrap();
        assert!(toy.apart(&state) < 1e-13, "{:e}", toy.apart(&state));
        // Nearest: no farther than the constraints were apart, times the mobility of a linkage.
        for (q, old) in state.q.iter().zip(&before.q) {
            assert_close(*q, *old, 5e-3);
        }
    }
}
