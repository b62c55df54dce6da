//! Planar bodies with joints, and the slider-crank in maximal coordinates.

use crate::support::*;
use fastrand::Rng;
use stickslip::integrate::{Integrator, ProjectionMetric};
use stickslip::models::{
    SliderCrank, SliderCrankMultibody, SliderCrankParameters, SliderCrankStart,
};
use stickslip::multibody::{
    Clearance, ClearanceKind, ClearanceLaws, Joint, JointKind, Mount, PlanarBody, PlanarSystem,
    Pose,
};
use stickslip::system::{MechanicalSystem, State};

/// Two bodies with one of each element between them, and some to the ground.
fn zoo() -> PlanarSystem {
    let body = PlanarBody { mass: 2.0, inertia: 0.3 };
    let first = Mount { angle: 0.4, ..Mount::on(0, [0.3, -0.2]) };
    let second = Mount { angle: -0.7, ..Mount::on(1, [-0.1, 0.25]) };
    let ground = Mount { angle: 0.9, ..Mount::ground([0.5, 0.6]) };
    let mut joints = Vec::new();
    for (from, to) in [(first, second), (second, first), (ground, second), (first, ground)] {
        for kind in
            [JointKind::Revolute, JointKind::Prismatic, JointKind::Fixed, JointKind::Distance(0.7)]
        {
            joints.push(Joint::new("joint", kind, from, to));
        }
    }
    let clearance = |kind, first, second| Clearance {
        name: "clearance".into(),
        kind,
        laws: ClearanceLaws {
            restitution: 0.5,
            tangential_restitution: 0.1,
            friction_coefficient: 0.2,
        },
        first,
        second,
    };
    let translational =
        ClearanceKind::Translational { half_length: 0.3, half_width: 0.2, clearance: 0.01 };
    let revolute = ClearanceKind::Revolute { pin_radius: 0.1, clearance: 0.02 };
    let mut clearances = Vec::new();
    for (from, to) in [(first, second), (ground, second), (first, ground)] {
        clearances.push(clearance(translational, from, to));
        clearances.push(clearance(revolute, from, to));
    }
    PlanarSystem::new(vec![body, body], [0.0, -9.81], joints, clearances).unwrap()
}

#[test]
fn directions_are_the_gradients_of_gaps_and_position_errors() {
    let system = zoo();
    let mut rng = Rng::with_seed(5);
    for _ in 0..30 {
        let at = State {
            t: 0.0,
            q: (0..6).map(|_| signed(&mut rng)).collect(),
            u: vec![0.0; 6],
            memory: Vec::new(),
        };
        let here = candidates(&system, &at);
        assert_eq!(here.len(), 3 * 5 + 16);
        for k in 0..6 {
            let shifted = |h: f64| {
                let mut state = at.clone();
                state.q[k] += h;
                candidates(&system, &state)
            };
            // Central differences with 1e-6: error 1e-12·curvature and rounding 1e-10.
            let (ahead, behind) = (shifted(1e-6), shifted(-1e-6));
            for ((c, ahead), behind) in here.iter().zip(&ahead).zip(&behind) {
                if c.errors.is_empty() {
                    assert_close(c.rows[0][k], (ahead.gap - behind.gap) / 2e-6, 1e-9);
                }
                for row in 0..c.errors.len() {
                    let slope = (ahead.errors[row] - behind.errors[row]) / 2e-6;
                    assert_close(c.rows[row][k], slope, 1e-9);
                }
            }
        }
    }
}

#[test]
fn sliding_velocities_are_those_of_the_material_points() {
    // A rigid motion of both bodies together has no relative velocity where a corner is.
    let system = zoo();
    let mut rng = Rng::with_seed(6);
    for _ in 0..30 {
        let q: Vec<f64> = (0..6).map(|_| signed(&mut rng)).collect();
        let (vx, vy, spin) = (signed(&mut rng), signed(&mut rng), signed(&mut rng));
        let body = |k: usize| [vx - spin * q[3 * k + 1], vy + spin * q[3 * k], spin];
        let u = [body(0), body(1)].concat();
        let at = State { t: 0.0, q, u, memory: Vec::new() };
        // The first element is a guide on the first body with its slider on the second.
        for corner in &candidates(&system, &at)[..4] {
            for row in &corner.rows {
                assert_close(dot(row, &at.u), 0.0, 1e-14);
            }
        }
    }
}

#[test]
fn projection_closes_joints_that_have_drifted() {
    // A four-bar linkage with a redundant distance, pulled apart by up to 1 mm.
    let body = PlanarBody { mass: 1.0, inertia: 0.1 };
    let revolute = |name: &str, a, b| Joint::new(name, JointKind::Revolute, a, b);
    let joints = vec![
        revolute("a", Mount::ground([0.0, 0.0]), Mount::on(0, [-0.5, 0.0])),
        revolute("b", Mount::on(0, [0.5, 0.0]), Mount::on(1, [-0.5, 0.0])),
        revolute("c", Mount::on(1, [0.5, 0.0]), Mount::on(2, [-0.5, 0.0])),
        revolute("d", Mount::on(2, [0.5, 0.0]), Mount::ground([1.0, 0.0])),
        // The middle bar of this parallelogram keeps its ends apart by itself.
        Joint::new(
            "e",
            JointKind::Distance(1.0),
            Mount::on(0, [0.5, 0.0]),
            Mount::on(2, [-0.5, 0.0]),
        ),
    ];
    let bodies = vec![body; 3];
    let system = PlanarSystem::new(bodies, [0.0, 0.0], joints, vec![]).unwrap();
    let (sin, cos) = 1.0_f64.sin_cos();
    let pose = |x: f64, y: f64, angle: f64| Pose { x, y, angle };
    let exact = system.state(
        &[
            pose(0.5 * cos, 0.5 * sin, 1.0),
            pose(cos + 0.5, sin, 0.0),
            pose(1.0 + 0.5 * cos, 0.5 * sin, 1.0 - std::f64::consts::PI),
        ],
        &[],
    );
    assert!(system.largest_error(&exact) < 1e-15);
    let mut rng = Rng::with_seed(7);
    for metric in [ProjectionMetric::Mass, ProjectionMetric::Identity] {
        let mut state = exact.clone();
        state.q.iter_mut().for_each(|q| *q += 1e-3 * signed(&mut rng));
        assert!(system.largest_error(&state) > 1e-4);
        let before = state.clone();
        moreau("newton", metric).step(&system, &mut state, 1e-9).unwrap();
        assert!(system.largest_error(&state) < 1e-13, "{:e}", system.largest_error(&state));
        // Nearest: no farther than the constraints were apart, times the mobility of a linkage.
        for (q, old) in state.q.iter().zip(&before.q) {
            assert!((q - old).abs() < 5e-3);
        }
    }
}

#[test]
fn minimal_and_maximal_coordinates_agree_to_the_order_of_the_integrator() {
    let p = SliderCrankParameters::default();
    let (minimal, maximal) = (SliderCrank::new(p).unwrap(), SliderCrankMultibody::new(p).unwrap());
    let start = SliderCrankStart::default();
    let difference = |step: f64| {
        let settings = settings(0.12, step, 0.002);
        let (mut a, mut b) = (Rows::default(), Rows::default());
        let mut lemke = moreau("lemke", ProjectionMetric::None);
        finished(&minimal, &mut lemke, minimal.start(&start).unwrap(), &settings, &mut a);
        let mut lemke = moreau("lemke", ProjectionMetric::Mass);
        let begin = maximal.start(&start).unwrap();
        let summary = finished(&maximal, &mut lemke, begin, &settings, &mut b);
        let error = maximal.bodies().largest_error(&summary.final_state);
        assert!(error < 1e-12, "joints are {error:e} m apart");
        assert!(b.values.iter().all(|row| row[2].abs() < 1e-9), "theta3 stays 0");
        let rows = a.values.iter().zip(&b.values);
        let deviation = rows.map(|(a, b)| (a[0] - b[0]).abs().max((a[1] - b[1]).abs()));
        deviation.fold(0.0, f64::max)
    };
    let (coarse, fine) = (difference(4e-5), difference(1e-5));
    // Both converge with order 1 to the same motion, so their difference falls with the step. In
    // minimal coordinates the largest error of a row is 0.04 at 1e-5.
    assert!(fine < 0.04, "{fine}");
    assert!(coarse / fine > 3.5, "{coarse} {fine}");
}

#[test]
fn energy_and_laws_of_both_coordinates_are_the_same() {
    let p = SliderCrankParameters::default();
    let (minimal, maximal) = (SliderCrank::new(p).unwrap(), SliderCrankMultibody::new(p).unwrap());
    let start = SliderCrankStart {
        theta1: 0.7,
        theta2: -(0.153 * 0.7_f64.sin() / 0.306).asin(),
        theta3: 0.01,
        omega1: 120.0,
        omega2: -31.0,
        omega3: 4.0,
    };
    let (a, b) = (minimal.start(&start).unwrap(), maximal.start(&start).unwrap());
    assert!(maximal.bodies().largest_error(&b) < 1e-15);
    let (e, f) = (minimal.energy(&a), maximal.energy(&b));
    assert_close(e.kinetic, f.kinetic, 1e-13 * e.kinetic);
    assert_close(e.potential, f.potential, 1e-15);
    let (c, d) = (candidates(&minimal, &a), candidates(&maximal, &b));
    for corner in 0..4 {
        assert_close(c[corner].gap, d[corner].gap, 1e-16);
        for row in 0..2 {
            // The same relative velocity; of the order of 20 m/s.
            let velocity = dot(&c[corner].rows[row], &a.u);
            assert_close(velocity, dot(&d[corner].rows[row], &b.u), 1e-13);
        }
    }
    // The joints have no relative velocity.
    for joint in &d[4..] {
        for row in &joint.rows {
            assert_close(dot(row, &b.u), 0.0, 1e-13);
        }
    }
    assert_eq!(maximal.contact_name(2), "corner3");
    assert_eq!(maximal.contact_name(4), "ground-crank");
}

#[test]
fn a_pin_falls_to_the_bottom_of_its_hole_and_rests_there() {
    // A frictionless pin of 1 kg with 1 mm of clearance, dropped from the centre, ε = 0.
    let clearance = Clearance {
        name: "pin".into(),
        kind: ClearanceKind::Revolute { pin_radius: 0.01, clearance: 1e-3 },
        laws: ClearanceLaws::default(),
        first: Mount::ground([0.0, 0.0]),
        second: Mount::on(0, [0.0, 0.0]),
    };
    let body = PlanarBody { mass: 1.0, inertia: 1e-4 };
    let system = PlanarSystem::new(vec![body], [0.0, -9.81], vec![], vec![clearance]).unwrap();
    let mut state = system.state(&[], &[]);
    let mut integrator = moreau("auto", ProjectionMetric::Mass);
    let (step, mut first_force) = (1e-5, 0.0);
    while state.t < 0.1 {
        integrator.step(&system, &mut state, step).unwrap();
        let contact = integrator.record().contacts[0];
        if first_force == 0.0 && contact.normal_percussion > 0.0 {
            first_force = state.t;
        }
        // At rest the contact carries the weight.
        if state.t > 0.05 && contact.normal_percussion > 0.0 {
            assert_close(contact.normal_percussion / step, 9.81, 1e-6);
        }
    }
    // Free fall through the clearance; the contact closes within two steps.
    assert_close(first_force, (2.0 * 1e-3_f64 / 9.81).sqrt(), 2.0 * step);
    // The projection leaves the pin on the circle.
    assert_close(state.q[1], -1e-3, 1e-12);
    assert_close(state.u[1], 0.0, 9.81 * step);
}
