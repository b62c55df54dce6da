//! Universal, cylindrical, planar and screw joints, gears, belts and racks.

use crate::support::*;
use fastrand::Rng;
use std::f64::consts::TAU;
use stickslip::integrate::ProjectionMetric;
use stickslip::kinematics::quaternion;
use stickslip::system::{ContactSet, Dimension, MechanicalSystem, State};
use stickslip::world::{JointKind, Motor, Mount, PlanarMotion, TimeFunction, WorldDescription};

/// All of them, with whether they exist in the plane and whether they have a coordinate.
fn kinds() -> Vec<(JointKind, bool, bool)> {
    let gear = |teeth, internal, has_backlash| JointKind::Gear { teeth, internal, has_backlash };
    let planar = |acts_on| JointKind::Planar { acts_on };
    vec![
        (JointKind::Universal, false, false),
        (JointKind::Cylindrical { acts_on_turn: false }, false, true),
        (JointKind::Cylindrical { acts_on_turn: true }, false, true),
        (planar(PlanarMotion::X), false, true),
        (planar(PlanarMotion::Y), false, true),
        (planar(PlanarMotion::Turn), false, true),
        (JointKind::Screw { pitch: 0.7 }, false, true),
        (JointKind::Screw { pitch: -0.4 }, false, true),
        (gear([3, 5], false, false), true, false),
        (gear([2, 7], true, false), true, false),
        (gear([3, 2], false, true), true, true),
        (JointKind::Belt { radii: [0.2, 0.3], crossed: false }, true, false),
        (JointKind::Belt { radii: [0.2, 0.3], crossed: true }, true, false),
        (JointKind::Rack { radius: 0.3 }, true, false),
    ]
}

/// Two bodies and a held one, with each kind of joint between all of them.
fn zoo(dimension: Dimension, rng: &mut Rng) -> WorldDescription {
    let plane = dimension == Dimension::Two;
    let mut bodies = vec![
        body("a", 2.0, [0.3, 0.4, 0.5]),
        body("b", 1.5, [0.2, 0.25, 0.3]),
        body("held", 1.0, [1.0; 3]),
    ];
    bodies[2].fixed = true;
    let mut mount = |body: Option<usize>| Mount {
        body,
        point: [signed(rng), signed(rng), if plane { 0.0 } else { signed(rng) }],
        rotation: if plane { about_z(signed(rng)) } else { any_turn(rng) },
    };
    let mut joints = Vec::new();
    for (a, b) in [(Some(0), Some(1)), (None, Some(1)), (Some(0), Some(2))] {
        for (kind, in_plane, has_coordinate) in kinds() {
            if plane && !in_plane {
                continue;
            }
            let mut joint = joint(&format!("joint{}", joints.len()), kind, mount(a), mount(b));
            joint.limits = has_coordinate.then_some([-0.5, 0.7]);
            joints.push(joint);
        }
    }
    WorldDescription { dimension, bodies, joints, ..WorldDescription::default() }
}

fn anywhere(dimension: Dimension, rng: &mut Rng) -> State {
    let mut q = Vec::new();
    for _ in 0..2 {
        q.extend([signed(rng), signed(rng), signed(rng)]);
        if dimension == Dimension::Three {
            q.extend(any_turn(rng));
        }
    }
    let u = (0..if dimension == Dimension::Two { 6 } else { 12 }).map(|_| signed(rng)).collect();
    State { t: 0.0, q, u, memory: Vec::new() }
}

fn moved(toy: &Toy, at: &State, h: f64) -> State {
    let mut later = at.clone();
    if toy.frames.dimension == Dimension::Two {
        later.q.iter_mut().zip(&at.u).for_each(|(q, u)| *q += h * u);
        return later;
    }
    for (q, u) in later.q.chunks_exact_mut(7).zip(at.u.chunks_exact(6)) {
        for k in 0..3 {
            q[k] += h * u[k];
        }
        let speed = (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]).sqrt();
        let turn =
            quaternion::from_axis_angle(&[u[3] / speed, u[4] / speed, u[5] / speed], h * speed);
        let turned = quaternion::product(&[q[3], q[4], q[5], q[6]], &turn);
        q[3..7].copy_from_slice(&turned);
    }
    later
}

fn set(toy: &Toy, at: &State) -> ContactSet {
    let mut set = ContactSet::default();
    set.margin = f64::INFINITY;
    toy.contacts(at, &mut set);
    set
}

#[test]
fn directions_of_the_further_joints_are_the_gradients_of_their_errors_and_gaps() {
    // Rows: errors of all that are no gears with backlash, and two limits of each coordinate.
    for (dimension, rows_each) in
        [(Dimension::Two, 5 + 2), (Dimension::Three, 4 + 8 + 9 + 10 + 5 + 2 * 8)]
    {
        let mut rng = Rng::with_seed(31);
        let (mut compared, rounds) = (0, 40);
        for _ in 0..rounds {
            let toy = Toy::new(&zoo(dimension, &mut rng));
            let at = anywhere(dimension, &mut rng);
            let n = toy.frames.velocities();
            let h = 1e-5;
            let here = set(&toy, &at);
            let (ahead, behind) =
                (set(&toy, &moved(&toy, &at, h)), set(&toy, &moved(&toy, &at, -h)));
            for (index, candidate) in here.candidates().iter().enumerate() {
                let (a, b) = (&ahead.candidates()[index], &behind.candidates()[index]);
                for (k, row) in here.directions(candidate).chunks(candidate.width()).enumerate() {
                    let mut velocity = 0.0;
                    for (part, block) in row.chunks(n).zip(candidate.blocks) {
                        velocity +=
                            part.iter().zip(&at.u[block * n..]).map(|(w, u)| w * u).sum::<f64>();
                    }
                    let slope = if candidate.gap.is_finite() {
                        (a.gap - b.gap) / (2.0 * h)
                    } else {
                        (ahead.position_error(a)[k] - behind.position_error(b)[k]) / (2.0 * h)
                    };
                    // A phase that passes ±π between the two has no difference quotient.
                    if slope.abs() > 1e4 {
                        continue;
                    }
                    compared += 1;
                    let name = toy.contact_name(candidate.key);
                    // Third derivatives grow where centres nearly meet in a projection.
                    let scale = 1.0 + velocity.abs().powi(3);
                    let off = (velocity - slope).abs();
                    assert!(off < 1e-6 * scale, "{name}, row {k}: {velocity} {slope}");
                }
            }
        }
        // Hardly any passes ±π just there.
        assert!(compared > rounds * (3 * rows_each - 2), "{compared}");
    }
}

/// Runs and returns the last state; joints stay closed.
fn run(description: &WorldDescription, dt: f64, until: f64) -> (Toy, State) {
    let toy = Toy::new(description);
    let mut state = toy.start.clone();
    let mut integrator = moreau("auto", 1e-12, ProjectionMetric::Mass);
    go(&toy, &mut integrator, &mut state, dt, until, |_| {});
    let apart = toy.apart(&state);
    assert!(apart < 1e-8, "{apart:e}");
    (toy, state)
}

fn turned_mount(body: Option<usize>, point: [f64; 3], angle: f64) -> Mount {
    Mount { body, point, rotation: about_z(angle) }
}

#[test]
fn a_nut_falls_along_its_screw_through_many_turns() {
    // m a = m g − F, J α = F p/2π, a = α p/2π: a = g/(1 + J (2π/p)²/m), down.
    let (mass, inertia, pitch, gravity) = (2.0, 0.003, 0.05, 9.81);
    let nut = body("nut", mass, [0.01, 0.01, inertia]);
    let joints =
        vec![joint("screw", JointKind::Screw { pitch }, ground([0.0; 3]), on(0, [0.0; 3]))];
    let mut description = world(Dimension::Three, vec![nut], joints);
    description.gravity = [0.0, 0.0, -gravity];
    let acceleration = gravity / (1.0 + inertia * (TAU / pitch).powi(2) / mass);
    let (dt, t) = (1e-3, 2.0);
    let (toy, state) = run(&description, dt, t);
    // Moreau's rule takes a constant force exactly in the velocities.
    assert_close(state.u[2], -acceleration * t, 1e-8);
    // More than ten full turns.
    let turned = TAU / pitch * state.q[2];
    assert!(turned < -10.0 * TAU, "{turned}");
    let rate = TAU / pitch * state.u[2];
    assert_close(state.u[5], rate, 1e-7);
    drop(toy);

    // Friction of the thread holds the load from m g p/2π on: self-locking.
    let hold = mass * gravity * pitch / TAU;
    for (part, falls) in [(0.99, true), (1.01, false)] {
        let mut held = description.clone();
        held.joints[0].friction = part * hold;
        let (_, state) = run(&held, dt, 0.5);
        let expected = if falls { -0.01 * acceleration * 0.5 } else { 0.0 };
        assert_close(state.u[2], expected, 1e-9);
    }
}

#[test]
fn a_sleeve_falls_along_its_rod_and_keeps_its_spin() {
    let mut sleeve = body("sleeve", 1.5, [0.02, 0.03, 0.01]);
    sleeve.angular_velocity = [0.0, 0.0, 7.0];
    let kind = JointKind::Cylindrical { acts_on_turn: false };
    let joints = vec![joint("rod", kind, ground([0.0; 3]), on(0, [0.0; 3]))];
    let mut description = world(Dimension::Three, vec![sleeve], joints);
    // Gravity across the rod is carried by it.
    description.gravity = [3.0, -2.0, -4.0];
    let (_, state) = run(&description, 1e-3, 1.0);
    assert_close(state.u[2], -4.0, 1e-10);
    assert_close(state.u[5], 7.0, 1e-9);
    assert_close(state.u[0], 0.0, 1e-10);
    // A limit of the shift stops it.
    description.joints[0].limits = Some([-0.3, 1.0]);
    let (_, state) = run(&description, 1e-3, 1.0);
    assert_close(state.q[2], -0.3, 1e-6);
    assert_close(state.u[5], 7.0, 1e-9);
}

#[test]
fn a_plate_slides_down_its_plane() {
    let mut plate = body("plate", 0.8, [0.01, 0.01, 0.02]);
    plate.angular_velocity = [0.0, 0.0, 3.0];
    let kind = JointKind::Planar { acts_on: PlanarMotion::X };
    let joints = vec![joint("plane", kind, ground([0.0; 3]), on(0, [0.0; 3]))];
    let mut description = world(Dimension::Three, vec![plate], joints);
    description.gravity = [1.0, -2.0, -9.0];
    let (_, state) = run(&description, 1e-3, 1.0);
    for (velocity, expected) in state.u.iter().zip([1.0, -2.0, 0.0, 0.0, 0.0, 3.0]) {
        assert_close(*velocity, expected, 1e-9);
    }
}

#[test]
fn a_universal_joint_turns_unevenly() {
    // The axes of the forks a₁ = (−sin θ, cos θ, 0) and a₂ = cos ψ (cos β, 0, −sin β) + sin ψ (0, 1, 0) stand
    // across each other: tan ψ = cos β tan θ, so that ω₂ = ω₁ cos β/(1 − sin²β sin²θ), with θ the angle of the
    // first fork from the normal of the plane of the shafts.
    let bend: f64 = 0.6;
    let first = body("first", 1.0, [0.02, 0.02, 0.02]);
    let mut second = body("second", 1.0, [0.02, 0.02, 0.02]);
    // The first shaft is z; the second is turned by the bend about y.
    let tilt = quaternion::from_axis_angle(&[0.0, 1.0, 0.0], bend);
    second.rotation = tilt;
    let speed = 2.0;
    // At the start the axis of the first fork is y (across both shafts), that of the second is x of its body.
    let along = |axis: [f64; 3], angle| quaternion::from_axis_angle(&axis, angle);
    let fork_first = Mount {
        body: Some(0),
        point: [0.0; 3],
        rotation: along([1.0, 0.0, 0.0], -std::f64::consts::FRAC_PI_2),
    };
    let fork_second = Mount {
        body: Some(1),
        point: [0.0; 3],
        rotation: along([0.0, 1.0, 0.0], std::f64::consts::FRAC_PI_2),
    };
    let bearing = Mount { body: None, point: [0.0; 3], rotation: tilt };
    let mut joints = vec![
        joint("input", JointKind::Revolute, ground([0.0; 3]), on(0, [0.0; 3])),
        joint("output", JointKind::Cylindrical { acts_on_turn: true }, bearing, on(1, [0.0; 3])),
        joint("cross", JointKind::Universal, fork_first, fork_second),
    ];
    joints[0].motor = Some(Motor::Speed(TimeFunction::Constant(speed)));
    // The fork of the first shaft stands across the plane of the shafts: θ = 0.
    let ratio = |angle: f64| bend.cos() / (1.0 - (bend.sin() * angle.sin()).powi(2));
    let mut description = world(Dimension::Three, vec![first, second], joints);
    description.bodies[0].angular_velocity = [0.0, 0.0, speed];
    let start = speed * ratio(0.0);
    description.bodies[1].angular_velocity = [start * bend.sin(), 0.0, start * bend.cos()];
    let toy = Toy::new(&description);
    let mut state = toy.start.clone();
    let mut integrator = moreau("auto", 1e-12, ProjectionMetric::Mass);
    let dt = 5e-4;
    let mut worst = 0.0_f64;
    go(&toy, &mut integrator, &mut state, dt, 3.0, |at| {
        // The rule sees the constraints at the middle of the step.
        let angle = speed * (at.t - 0.5 * dt);
        worst = worst.max((at.u[11] - speed * ratio(angle)).abs());
    });
    assert!(worst < 5e-3, "{worst:e}");
    assert!(toy.apart(&state) < 1e-8);
}

/// Wheels about the origin and beside it, in the plane or in space, driven by a moment on the first.
fn two_wheels(dimension: Dimension, kind: JointKind, moment: f64) -> WorldDescription {
    let first = body("first", 1.0, [0.01, 0.01, 0.02]);
    let mut second = body("second", 3.0, [0.04, 0.04, 0.05]);
    second.position = [0.3, 0.4, 0.0];
    let towards = 0.4_f64.atan2(0.3);
    let mut joints = vec![
        joint("a", JointKind::Revolute, ground([0.0; 3]), on(0, [0.0; 3])),
        joint("b", JointKind::Revolute, ground([0.3, 0.4, 0.0]), on(1, [0.0; 3])),
        joint(
            "teeth",
            kind,
            turned_mount(Some(0), [0.0; 3], towards),
            turned_mount(Some(1), [0.0; 3], towards),
        ),
    ];
    joints[0].motor = Some(Motor::Effort(TimeFunction::Constant(moment).into()));
    world(dimension, vec![first, second], joints)
}

#[test]
fn wheels_turn_in_their_ratio_through_many_turns() {
    let gear = |internal| JointKind::Gear { teeth: [12, 30], internal, has_backlash: false };
    let belt = |crossed| JointKind::Belt { radii: [0.1, 0.25], crossed };
    for dimension in [Dimension::Two, Dimension::Three] {
        let spin = if dimension == Dimension::Two { [2, 5] } else { [5, 11] };
        for (kind, sign) in
            [(gear(false), -1.0), (gear(true), 1.0), (belt(false), 1.0), (belt(true), -1.0)]
        {
            let description = two_wheels(dimension, kind, 0.5);
            let (_, state) = run(&description, 1e-3, 3.0);
            // τ = (J₁ + J₂ i²) α₁.
            let ratio: f64 = 12.0 / 30.0;
            let speed = 0.5 * 3.0 / (0.02 + 0.05 * ratio * ratio);
            assert_close(state.u[spin[0]], speed, 1e-8);
            assert_close(state.u[spin[1]], sign * ratio * speed, 1e-8);
            assert!(speed * 1.5 > 10.0 * TAU);
        }
    }
}

#[test]
fn a_planetary_gear_turns_its_carrier() {
    // Willis: with the ring held, carrier/sun = z_s/(z_s + z_r).
    let (sun_teeth, planet_teeth, ring_teeth) = (20, 15, 50);
    let gear = |a, b, internal| JointKind::Gear { teeth: [a, b], internal, has_backlash: false };
    for dimension in [Dimension::Two, Dimension::Three] {
        let sun = body("sun", 1.0, [0.02; 3]);
        let carrier = body("carrier", 1.0, [0.03; 3]);
        let mut planet = body("planet", 0.5, [0.01; 3]);
        planet.position = [0.35, 0.0, 0.0];
        let (speed, arm) = (8.0, 20.0 / 70.0);
        let mut joints = vec![
            joint("sun", JointKind::Revolute, ground([0.0; 3]), on(0, [0.0; 3])),
            joint("carrier", JointKind::Revolute, ground([0.0; 3]), on(1, [0.0; 3])),
            joint("planet", JointKind::Revolute, on(1, [0.35, 0.0, 0.0]), on(2, [0.0; 3])),
            joint("inner", gear(sun_teeth, planet_teeth, false), on(0, [0.0; 3]), on(2, [0.0; 3])),
            // The planet runs inside the ring: the line from its centre to that of the ring points inwards.
            joint(
                "outer",
                gear(planet_teeth, ring_teeth, true),
                on(2, [0.0; 3]),
                turned_mount(None, [0.0; 3], 0.0),
            ),
        ];
        for mount in &mut joints[4].mounts {
            mount.rotation = about_z(std::f64::consts::PI);
        }
        joints[0].motor = Some(Motor::Speed(TimeFunction::Constant(speed)));
        let mut description = world(dimension, vec![sun, carrier, planet], joints);
        // Velocities that fit.
        description.bodies[0].angular_velocity = [0.0, 0.0, speed];
        description.bodies[1].angular_velocity = [0.0, 0.0, arm * speed];
        description.bodies[2].velocity = [0.0, 0.35 * arm * speed, 0.0];
        let planet_speed = arm * speed * (1.0 - 50.0 / 15.0);
        description.bodies[2].angular_velocity = [0.0, 0.0, planet_speed];
        let (_, state) = run(&description, 1e-3, 2.0);
        let spin = if dimension == Dimension::Two { [5, 8] } else { [11, 17] };
        // Moreau's rule sees the arms at the middle of the step: parts (ω Δt)² of the speeds.
        let off = (speed * 1e-3_f64).powi(2);
        assert_close(state.u[spin[0]], arm * speed, off);
        assert_close(state.u[spin[1]], planet_speed, off);
        if dimension == Dimension::Two {
            // Angles are closed, through more than two turns of the sun.
            assert!(state.q[2] > 2.0 * TAU);
            assert_close(state.q[5], arm * state.q[2], 1e-7);
        }
    }
}

#[test]
fn a_rack_falls_and_turns_its_pinion() {
    // m a = m g − F, J α = F r: a = g/(1 + J/(m r²)).
    let (mass, inertia, radius, gravity) = (2.0, 0.01, 0.1, 9.81);
    for dimension in [Dimension::Two, Dimension::Three] {
        let rack = body("rack", mass, [0.1; 3]);
        let mut pinion = body("pinion", 1.0, [0.02, 0.02, inertia]);
        pinion.position = [radius, 0.0, 0.0];
        // The rack runs along −y, and its y points to the pinion at +x.
        let frame = about_z(-std::f64::consts::FRAC_PI_2);
        let on_rack = Mount { body: Some(0), point: [0.0; 3], rotation: frame };
        let on_pinion = Mount { body: Some(1), point: [0.0; 3], rotation: frame };
        let guide = |body| Mount { body, point: [0.0; 3], rotation: frame };
        let joints = vec![
            joint("guide", JointKind::Prismatic, guide(None), guide(Some(0))),
            joint("axle", JointKind::Revolute, ground([radius, 0.0, 0.0]), on(1, [0.0; 3])),
            joint("teeth", JointKind::Rack { radius }, on_rack, on_pinion),
        ];
        let mut description = world(dimension, vec![rack, pinion], joints);
        description.gravity = [0.0, -gravity, 0.0];
        let (_, state) = run(&description, 1e-3, 1.5);
        let speed = 1.5 * gravity / (1.0 + inertia / (mass * radius * radius));
        assert_close(state.u[1], -speed, 1e-8);
        let spin = if dimension == Dimension::Two { 5 } else { 11 };
        // The teeth of the rack move down at the left side of the pinion: it turns to the left.
        assert_close(state.u[spin], speed / radius, 1e-6);
    }
}

#[test]
fn gears_with_backlash_are_driven_after_the_play_is_used_up() {
    let play = 0.04;
    for dimension in [Dimension::Two, Dimension::Three] {
        let kind = JointKind::Gear { teeth: [12, 30], internal: false, has_backlash: true };
        let mut description = two_wheels(dimension, kind, 0.5);
        description.joints[2].limits = Some([-0.5 * play, 0.5 * play]);
        let spin = if dimension == Dimension::Two { [2, 5] } else { [5, 11] };
        // Free up to half of the play: ½ α t² = ½ play with α = τ/J₁.
        let free = (play * 0.02 / 0.5_f64).sqrt();
        let (_, state) = run(&description, 1e-4, 0.9 * free);
        assert_close(state.u[spin[0]], 0.5 / 0.02 * state.t, 1e-9);
        assert_close(state.u[spin[1]], 0.0, 1e-12);
        // Then together, without rebound. What the moment gave is kept: J₁ω₁ − i J₂ω₂ = τt; the teeth part
        // for single steps by rounding of the gap, so that the ratio is off by the speed of one step.
        let ratio: f64 = 12.0 / 30.0;
        let (_, state) = run(&description, 1e-4, 2.0);
        let [first, second] = spin.map(|k| state.u[k]);
        assert_close(0.02 * first - ratio * 0.05 * second, 0.5 * 2.0, 1e-8);
        assert_close(second, -ratio * first, 0.5 / 0.02 * 1e-4);
    }
}
