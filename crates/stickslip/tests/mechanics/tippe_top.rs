//! The Tippe-Top of Leine 2003, sec. 5.

use crate::oracles::tippe_top::Coordinates;
use crate::oracles::{
    FrictionLaw, TippeTop, TippeTopEuler, TippeTopParameters, TippeTopStart, from_quaternion,
    to_quaternion,
};
use crate::support::*;
use fastrand::Rng;
use stickslip::kinematics::quaternion::rotation;
use stickslip::kinematics::vector::{self, E_Z};
use stickslip::system::{MechanicalSystem, State};

fn top() -> TippeTop {
    TippeTop::new(TippeTopParameters::default()).unwrap()
}

fn euler_top() -> TippeTopEuler {
    TippeTopEuler::new(TippeTopParameters::default()).unwrap()
}

/// A random state in Euler angles, away from the singular positions.
fn euler_state(rng: &mut Rng) -> State {
    let q = [0.1, 0.1, 0.02].map(|s| s * signed(rng)).into_iter().chain([
        0.2 + 2.7 * rng.f64(),
        3.0 * signed(rng),
        3.0 * signed(rng),
    ]);
    let u = [0.5, 0.5, 0.5, 20.0, 50.0, 200.0].map(|s| s * signed(rng));
    State { t: 0.0, q: q.collect(), u: u.to_vec(), memory: Vec::new() }
}

fn rotation_of(at: &State) -> [[f64; 3]; 3] {
    rotation(&[at.q[3], at.q[4], at.q[5], at.q[6]])
}

#[test]
fn the_normal_direction_is_the_derivative_of_the_gap() {
    // (5.15), (5.16). Central difference with d = 1e-6 s at spins of 200 rad/s: error
    // d²/6·|ω|³·a = 2e-8 m/s at most, round-off 1e-17/d = 1e-11.
    let (top, euler) = (top(), euler_top());
    let mut rng = Rng::with_seed(11);
    for _ in 0..100 {
        let angles = euler_state(&mut rng);
        let quaternions = to_quaternion(&angles);
        let systems: [(&dyn MechanicalSystem, &State); 2] =
            [(&top, &quaternions), (&euler, &angles)];
        for (system, at) in systems {
            let q_dot = coordinate_rate(system, at);
            for (k, contact) in contacts(system, at).iter().enumerate() {
                let gap = |s: &State| contacts(system, s)[k].gap;
                let rate = derivative(gap, at, &q_dot, &[0.0; 6], 1e-6);
                assert_close(contact.velocities(&at.u)[0], rate, 5e-8);
            }
        }
    }
}

#[test]
fn the_coordinate_gradient_is_the_derivative_of_the_gap() {
    // Le Saux 2005, eq. 3.12 with the missing factor 2 H̄; difference quotient in q, step 1e-6.
    let top = top();
    let mut rng = Rng::with_seed(12);
    for _ in 0..50 {
        let at = free_body_state(&mut rng, 0.02, 0.5, 100.0);
        for (k, contact) in contacts(&top, &at).iter().enumerate() {
            let mut gradient = [0.0; 7];
            top.coordinate_gradient(&at, &contact.rows[0], &mut gradient);
            for (i, entry) in gradient.iter().enumerate() {
                let mut unit = [0.0; 7];
                unit[i] = 1.0;
                let gap = |s: &State| contacts(&top, s)[k].gap;
                assert_close(*entry, derivative(gap, &at, &unit, &[0.0; 6], 1e-6), 1e-10);
            }
        }
    }
}

#[test]
fn the_tangential_velocity_is_the_one_of_the_material_point() {
    // (5.17)–(5.20): the material point below the centre of the sphere, followed by a central
    // difference of its position; error bound as for the gap, with r instead of a.
    let top = top();
    let p = *top.parameters();
    let mut rng = Rng::with_seed(13);
    for _ in 0..100 {
        let at = free_body_state(&mut rng, 0.02, 0.5, 100.0);
        let q_dot = coordinate_rate(&top, &at);
        let spheres = [(p.body_offset, p.body_radius), (p.stick_offset, p.stick_radius)];
        for (contact, (offset, radius)) in contacts(&top, &at).iter().zip(spheres) {
            let axis = vector::apply(&rotation_of(&at), &E_Z);
            let arm = vector::sub(&vector::scale(offset, &axis), &[0.0, 0.0, radius]);
            let material = vector::apply_transposed(&rotation_of(&at), &arm);
            let gamma = contact.velocities(&at.u);
            for (component, axis) in [(1, 0), (2, 1), (0, 2)] {
                let position =
                    |s: &State| s.q[axis] + vector::apply(&rotation_of(s), &material)[axis];
                let rate = derivative(position, &at, &q_dot, &[0.0; 6], 1e-6);
                assert_close(gamma[component], rate, 5e-8);
            }
        }
    }
}

#[test]
fn the_drilling_velocity_is_the_spin_about_the_vertical() {
    // (5.21) without R: ω_z = (Ṙ Rᵀ)₂₁; error d²/6·|ω|³ = 1e-6 rad/s at 173 rad/s.
    let top = top();
    let mut rng = Rng::with_seed(14);
    for _ in 0..50 {
        let at = free_body_state(&mut rng, 0.02, 0.5, 100.0);
        let q_dot = coordinate_rate(&top, &at);
        let r = rotation_of(&at);
        let spin: f64 = (0..3)
            .map(|k| r[0][k] * derivative(|s| rotation_of(s)[1][k], &at, &q_dot, &[0.0; 6], 1e-6))
            .sum();
        for contact in contacts(&top, &at) {
            assert_close(contact.velocities(&at.u)[3], spin, 2e-6);
        }
        assert_close(top.output(&at).spin, spin, 2e-6);
    }
}

#[test]
fn both_coordinates_describe_the_same_mechanics() {
    // Same relative velocities and energy to round-off; same accelerations with and without
    // contact forces. Ω̇ follows from the Euler accelerations by a central difference with
    // d = 1e-7 s: error d²·|ω|⁴ = 2e-5 rad/s², round-off 2e-16·200/1e-7 = 4e-7, times the ratio
    // of the rates φ̇, ψ̇ near the singular positions.
    let (top, euler) = (top(), euler_top());
    let mut rng = Rng::with_seed(15);
    for round in 0..200 {
        let angles = euler_state(&mut rng);
        let quaternions = to_quaternion(&angles);
        assert_close(
            euler.energy(&angles).total(),
            top.energy(&quaternions).total(),
            1e-13 * euler.energy(&angles).kinetic,
        );
        let pairs = contacts(&euler, &angles).into_iter().zip(contacts(&top, &quaternions));
        for (e, q) in pairs {
            assert_close(e.gap, q.gap, 1e-16);
            assert_eq!((e.key, e.group, e.rows.len()), (q.key, q.group, 4));
            let velocities = e.velocities(&angles.u).into_iter().zip(q.velocities(&quaternions.u));
            velocities.for_each(|(x, y)| assert_close(x, y, 1e-12));
        }
        let forces: Vec<(usize, Vec<f64>)> = (0..2)
            .filter(|_| round % 2 == 1)
            .map(|k| (k, [0.1, 0.05, 0.05, 1e-4].map(|s| s * signed(&mut rng)).to_vec()))
            .collect();
        let expected = acceleration(&top, &quaternions, &forces);
        let u_dot = acceleration(&euler, &angles, &forces);
        for (k, value) in expected.iter().enumerate() {
            let component = |s: &State| to_quaternion(s).u[k];
            let rate = derivative(component, &angles, &angles.u, &u_dot, 1e-7);
            assert_close(rate, *value, 1e-3 + 1e-7 * value.abs());
        }
        let back = from_quaternion(&quaternions);
        (0..6).for_each(|k| assert_close(back.q[k], angles.q[k], 1e-13));
        (0..6).for_each(|k| assert_close(back.u[k], angles.u[k], 1e-10));
    }
}

#[test]
fn free_flight_conserves_energy_and_angular_momentum_at_the_order_of_the_integrator() {
    // RK4: the error of a conserved quantity falls with order 4 or higher (5 for quadratic ones).
    let top = top();
    let mut rng = Rng::with_seed(16);
    let mut start = free_body_state(&mut rng, 0.02, 0.5, 60.0);
    start.u[5] = 400.0; // Ω turns about the axis at 50 rad/s: its error stands above round-off
    let errors = |steps: usize| {
        let end = free_flight(&top, &start, 0.1, steps);
        let (h0, h1) = (top.angular_momentum(&start), top.angular_momentum(&end));
        let energy = (top.energy(&end).total() - top.energy(&start).total()).abs();
        (energy, vector::norm(&vector::sub(&h1, &h0)), end)
    };
    let (coarse, fine) = (errors(100), errors(200));
    assert!(order(coarse.0, fine.0) > 3.85, "energy: {} {}", coarse.0, fine.0);
    assert!(order(coarse.1, fine.1) > 3.85, "momentum: {} {}", coarse.1, fine.1);
    assert!(fine.0 < 1e-5 * top.energy(&start).kinetic);
    // The states themselves: order 4 by three resolutions.
    let finest = errors(400).2;
    let distance = |a: &State, b: &State| -> f64 {
        (0..7).map(|k| (a.q[k] - b.q[k]).abs()).fold(0.0, f64::max)
    };
    let observed = order(distance(&coarse.2, &fine.2), distance(&fine.2, &finest));
    assert!((observed - 4.0).abs() < 0.15, "order {observed}");
}

#[test]
fn free_flight_in_euler_angles_is_the_same_motion() {
    // Both forms integrated by RK4 with 2000 steps: their errors are below 1e-9 rad.
    let (top, euler) = (top(), euler_top());
    let start = TippeTopStart { theta: 1.0, theta_dot: 5.0, phi_dot: 10.0, ..Default::default() };
    let a = free_flight(&top, &top.start(&start), 0.1, 2000);
    let b = free_flight(&euler, &euler.start(&start), 0.1, 2000);
    let (one, other) = (top.output(&a), top.output(&to_quaternion(&b)));
    assert_close(one.theta, b.q[3], 1e-8);
    assert_close(one.spin, other.spin, 1e-5);
    assert_close(one.jellett, other.jellett, 1e-13);
}

#[test]
fn only_the_drilling_torque_changes_jelletts_integral() {
    // dJ/dt = τ_N (r₁ − a₁ cosθ) for any forces at the body, as an identity of the accelerations:
    // Ḣ = R(Θ Ω̇ + Ω × Θ Ω), ḃ = ω × b. Round-off only: 1e-12 of the largest term.
    let top = top();
    let p = *top.parameters();
    let mut rng = Rng::with_seed(17);
    for _ in 0..200 {
        let at = free_body_state(&mut rng, 0.02, 0.5, 100.0);
        let torque = 1e-4 * signed(&mut rng);
        let lambda = vec![0.1 * rng.f64(), 0.1 * signed(&mut rng), 0.1 * signed(&mut rng), torque];
        let u_dot = acceleration(&top, &at, &[(0, lambda)]);
        let r = rotation_of(&at);
        let (omega, omega_dot) = ([at.u[3], at.u[4], at.u[5]], [u_dot[3], u_dot[4], u_dot[5]]);
        let inertia = [p.inertia_transverse, p.inertia_transverse, p.inertia_axial];
        let times = |v: &[f64; 3]| [0, 1, 2].map(|k| inertia[k] * v[k]);
        let body_rate = vector::add(&times(&omega_dot), &vector::cross(&omega, &times(&omega)));
        let momentum_rate = vector::apply(&r, &body_rate);
        let axis = vector::apply(&r, &E_Z);
        let axis_rate = vector::apply(&r, &vector::cross(&omega, &E_Z));
        let lever = vector::sub(&[0.0, 0.0, p.body_radius], &vector::scale(p.body_offset, &axis));
        let momentum = top.angular_momentum(&at);
        let rate = vector::dot(&momentum_rate, &lever)
            - p.body_offset * vector::dot(&momentum, &axis_rate);
        let size = vector::norm(&momentum) * vector::norm(&axis_rate) * p.body_offset
            + vector::norm(&momentum_rate) * p.body_radius;
        assert_close(rate, torque * (p.body_radius - p.body_offset * axis[2]), 1e-12 * size);
        assert_close(top.output(&at).jellett, vector::dot(&momentum, &lever), 1e-20);
    }
}

#[test]
fn the_start_is_the_one_of_the_paper() {
    // Leine 2003, sec. 5.4: θ = 0.1, ψ̇ = 180 rad/s, z = 1.2015e-2 m: the body rests on the floor
    // (gap 1.25e-8 m from the printed digits), the stick is 2.29e-2 m above it (Fig. 10).
    let top = top();
    let at = top.start(&TippeTopStart::default());
    let output = top.output(&at);
    assert_close(output.theta, 0.1, 1e-15);
    assert_close(output.spin, 180.0 * 0.1_f64.cos(), 1e-12);
    assert_close(output.body_gap, 1.249e-8, 1e-11);
    assert_close(output.stick_gap, 0.0229350666, 1e-9);
    let energy = 0.5 * 7e-7 * 180.0_f64.powi(2) + 6e-3 * 9.81 * 1.2015e-2;
    assert_close(top.energy(&at).total(), energy, 1e-17);
    let euler = euler_top();
    let angles = euler.start(&TippeTopStart::default());
    assert_eq!(to_quaternion(&angles), at);
    assert_close(contacts(&euler, &angles)[0].gap, output.body_gap, 1e-17);
}

#[test]
fn laws_and_data_are_described_and_checked() {
    let coulomb = TippeTopParameters { friction: FrictionLaw::Coulomb, ..Default::default() };
    let point = TippeTopParameters { contact_radius: 0.0, ..Default::default() };
    for parameters in [coulomb, point] {
        let top = TippeTop::new(parameters).unwrap();
        assert!(!top.contact_laws().has_drilling());
        assert_eq!(contacts(&top, &top.start(&TippeTopStart::default()))[1].rows.len(), 3);
    }
    assert_eq!(top().law_groups()[0].component_units(), ["N", "N", "N", "N m"]);
    let moving = TippeTopParameters { floor_velocity: [0.2, -0.1], ..Default::default() };
    let moving = TippeTop::new(moving).unwrap();
    let rest = TippeTopStart { psi_dot: 0.0, ..Default::default() };
    let gamma = contacts(&moving, &moving.start(&rest))[0].velocities(&[0.0; 6]);
    assert_eq!(&gamma[..3], &[0.0, -0.2, 0.1]);

    let message =
        |parameters: TippeTopParameters| TippeTop::new(parameters).unwrap_err().to_string();
    let bad = TippeTopParameters { mass: -1.0, ..Default::default() };
    assert_eq!(message(bad), "mass is -1, it must be finite and positive");
    let bad = TippeTopParameters { restitution: 1.5, ..Default::default() };
    assert_eq!(message(bad), "restitution is 1.5, it must be between 0 and 1");
    let bad = TippeTopParameters { inertia_axial: 2e-6, ..Default::default() };
    assert!(message(bad).contains("at most twice inertia_transverse (0.0000008)"));
    let bad = TippeTopStart { theta: f64::NAN, ..Default::default() };
    assert_eq!(bad.validate().unwrap_err().key, "theta");

    let text =
        r#"{"friction": "contensou-uniform", "coordinates": "euler", "contact_radius": 1e-3}"#;
    let read: TippeTopParameters = serde_json::from_str(text).unwrap();
    assert_eq!(read.friction, FrictionLaw::ContensouUniform);
    assert_eq!((read.coordinates, read.contact_radius), (Coordinates::Euler, 1e-3));
    assert!(serde_json::from_str::<TippeTopParameters>(r#"{"masss": 1}"#).is_err());
}
