//! Nonsmooth RATTLE: second order wherever contacts persist, conservation, exact rest.

use crate::oracles::{RollingDisk, TippeTopStart};
use crate::support::*;
use stickslip::integrate::{Integrator, Rattle};
use stickslip::kinematics::quaternion;
use stickslip::scene::Scene;
use stickslip::system::{MechanicalSystem, State};

fn rattle() -> Box<dyn Integrator> {
    Box::new(Rattle::new(solver("auto", 1e-12)))
}

fn scene(text: &str) -> Scene {
    Scene::read("test", "test", text, &[]).unwrap()
}

/// Observed order of q and u at `end` over four halvings, against `finer` times as many steps.
#[track_caller]
fn assert_second_order(system: &dyn MechanicalSystem, start: &State, end: f64, steps: usize) {
    let at = |n: usize| advance(rattle().as_mut(), system, start, end, n);
    // The error of the reference is a hundredth of that of the finest of the four.
    let exact = at(80 * steps);
    for velocity in [false, true] {
        let errors: Vec<(f64, f64)> = (0..4)
            .map(|k| {
                let n = steps << k;
                let state = at(n);
                let error = match velocity {
                    false => distance(&state.q, &exact.q),
                    true => distance(&state.u, &exact.u),
                };
                (end / n as f64, error)
            })
            .collect();
        let order = slope(&errors);
        assert!((order - 2.0).abs() <= 0.1, "order {order} (velocities: {velocity}): {errors:?}");
    }
}

#[test]
fn tippe_top_slides_with_order_2() {
    let top = top(|_| {});
    let p = crate::oracles::TippeTopParameters::default();
    let theta = 0.1_f64;
    // On the floor, so that no impact precedes.
    let z = p.body_radius - p.body_offset * theta.cos();
    let start = top.start(&TippeTopStart { z, theta, ..TippeTopStart::default() });
    assert_second_order(&top, &start, 0.4, 500);
    // reference/README.md: Runge-Kutta of the smooth slip equations, 10 digits.
    let state = advance(rattle().as_mut(), &top, &start, 1.0, 10_000);
    assert_close(top.output(&state).theta, 1.567296630, 1e-4);
}

#[test]
fn rolling_disk_rolls_with_order_2() {
    let disk: RollingDisk = disk(1);
    let start = disk.start(&crate::oracles::DiskStart::default());
    assert_second_order(&disk, &start, 0.5, 500);
}

#[test]
fn slip_that_turns_has_order_2() {
    // A puck slides with the belt turning under it: the direction of slip changes all the time.
    let scene = scene(
        "format = 1
        [world.ground]
        [[body]]
        name = \"puck\"
        mass = 1
        position = [0, 0, 0.1]
        velocity = [2, 0, 0]
        angular_velocity = [0, 0, 30]
        [[body.shape]]
        kind = \"sphere\"
        radius = 0.1
        [[force]]
        kind = \"applied\"
        body = \"puck\"
        force = [0, \"6*cos(3*t)\", 0]
        [default_contact]
        friction = 0.3
        [simulation]
        duration = 1",
    );
    assert_second_order(scene.system.as_ref(), &scene.start, 0.4, 40);
}

#[test]
fn block_that_sticks_on_a_moving_incline_has_order_2() {
    let scene = scene(
        "format = 1
        [world]
        dimension = 2
        [[body]]
        name = \"incline\"
        mass = 2
        angular_velocity = 0.2
        [[body.shape]]
        kind = \"box\"
        half_extents = [1, 0.125]
        [[body]]
        name = \"block\"
        mass = 1
        position = [0, 0.25]
        velocity = [-0.05, 0]
        angular_velocity = 0.2
        [[body.shape]]
        kind = \"box\"
        half_extents = [0.125, 0.125]
        [[joint]]
        name = \"pivot\"
        kind = \"revolute\"
        bodies = [\"ground\", \"incline\"]
        at = [0, 0]
        spring = { stiffness = 40, rest = 0.1 }
        [default_contact]
        friction = 0.9
        [simulation]
        duration = 1",
    );
    assert_second_order(scene.system.as_ref(), &scene.start, 0.4, 80);
}

#[test]
fn double_pendulum_with_joints_has_order_2() {
    let scene = scene(
        "format = 1
        [world]
        dimension = 2
        [[body]]
        name = \"upper\"
        mass = 1
        inertia = 0.1
        position = [0.5, 0]
        [[body]]
        name = \"lower\"
        mass = 1
        inertia = 0.1
        position = [1.5, 0]
        [[joint]]
        name = \"first\"
        kind = \"revolute\"
        bodies = [\"ground\", \"upper\"]
        points = [[0, 0], [-0.5, 0]]
        [[joint]]
        name = \"second\"
        kind = \"revolute\"
        bodies = [\"upper\", \"lower\"]
        points = [[0.5, 0], [-0.5, 0]]
        [simulation]
        duration = 1",
    );
    assert_second_order(scene.system.as_ref(), &scene.start, 1.0, 100);
}

/// Angular momentum of a free body in the inertial frame.
fn angular_momentum(system: &dyn MechanicalSystem, state: &State) -> [f64; 3] {
    let mut mass = vec![0.0; 36];
    let mut forces = vec![0.0; 6];
    system.mass_and_forces(state, &mut mass, &mut forces);
    let own: Vec<f64> =
        (3..6).map(|i| (3..6).map(|j| mass[6 * i + j] * state.u[j]).sum::<f64>()).collect();
    let r = quaternion::rotation(&[state.q[3], state.q[4], state.q[5], state.q[6]]);
    [0, 1, 2].map(|i| (0..3).map(|k| r[i][k] * own[k]).sum())
}

#[test]
fn spinning_bodies_gained_energy() {
    // By Moreau's rule, which takes the gyroscopic moment at the start of the step, the box gains
    // 120 % in 1 s, the cylinder 1171 %, the coin 777 000 %.
    let bodies = [
        ("kind = \"box\"\nhalf_extents = [0.1, 0.05, 0.02]", [1.0, 100.0, 1.0]),
        ("kind = \"cylinder\"\nradius = 0.05\nhalf_length = 0.02", [60.0, 0.0, 100.0]),
        ("kind = \"cylinder\"\nradius = 0.0125\nhalf_length = 0.001", [30.0, 0.0, 180.0]),
    ];
    for (shape, omega) in bodies {
        let scene = scene(&format!(
            "format = 1\n[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"body\"\nmass = 1\n\
             angular_velocity = {omega:?}\n[[body.shape]]\n{shape}\n[simulation]\nduration = 1"
        ));
        let system = scene.system.as_ref();
        let (mut state, mut integrator) = (scene.start.clone(), scene.integrator().unwrap());
        let (energy, spin) = (system.energy(&state).total(), angular_momentum(system, &state));
        let size = spin.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        run(integrator.as_mut(), system, &mut state, 1e-3, 10_000, |state, _| {
            assert!((system.energy(state).total() / energy - 1.0).abs() < 1e-10);
            let lost = distance(&angular_momentum(system, state), &spin) / size;
            assert!(lost < 1e-10, "{shape}: {lost:e} at {} s", state.t);
        });
    }
}

#[test]
fn a_fast_ball_passed_through_a_thin_plate() {
    // 1 cm at 100 m/s moves by 10 cm in a step; the plate is 1 mm thick. Central impact, ε = 0.9.
    let scene = scene(
        "format = 1
        [world]
        gravity = [0, 0, 0]
        [[body]]
        name = \"ball\"
        mass = 0.03
        position = [-1, 0, 0]
        velocity = [100, 0, 0]
        [[body.shape]]
        kind = \"sphere\"
        radius = 0.01
        [[body]]
        name = \"plate\"
        mass = 1
        [[body.shape]]
        kind = \"box\"
        half_extents = [0.0005, 0.5, 0.5]
        [default_contact]
        restitution = 0.9
        [simulation]
        duration = 0.02",
    );
    let mut state = scene.start.clone();
    run(rattle().as_mut(), scene.system.as_ref(), &mut state, 1e-3, 20, |_, _| {});
    // v' = v (m₁ − ε m₂)/(m₁ + m₂) and v (1 + ε) m₁/(m₁ + m₂); the impact is at 0.0098950 s.
    let (ball, plate) = (100.0 * (0.03 - 0.9) / 1.03, 100.0 * 1.9 * 0.03 / 1.03);
    assert_close(state.u[0], ball, 1e-9);
    assert_close(state.u[6], plate, 1e-9);
    let after = 0.02 - 0.9895 / 100.0;
    assert_close(state.q[7], plate * after, 1e-9);
    assert_close(state.q[0], -0.0105 + ball * after, 1e-9);
}
