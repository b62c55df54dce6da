//! Directions are gradients: of position errors, gaps, free coordinates and potentials.

use crate::support::*;
use fastrand::Rng;
use stickslip::kinematics::quaternion;
use stickslip::system::{ContactSet, Dimension, MechanicalSystem, State};
use stickslip::world::{
    ContactLaw, ForceDescription, ForceKind, JointDescription, JointKind, JointSpring, Mount,
    TimeFunction, WorldDescription,
};

/// Two bodies whose centres are not the origins of their frames, a held one, and one of each joint
/// between all of them, with springs and limits wherever they are possible.
fn zoo(dimension: Dimension, rng: &mut Rng) -> WorldDescription {
    let plane = dimension == Dimension::Two;
    let mut bodies = vec![
        body("a", 2.0, [0.3, 0.4, 0.5]),
        body("b", 1.5, [0.2, 0.25, 0.3]),
        body("held", 1.0, [1.0; 3]),
    ];
    bodies[2].fixed = true;
    bodies[2].position = [0.3, 0.4, if plane { 0.0 } else { 0.2 }];
    for body in &mut bodies {
        body.rotation = if plane { about_z(signed(rng)) } else { any_turn(rng) };
        if let stickslip::world::MassDescription::Given { center, .. } = &mut body.mass {
            *center = [0.1 * signed(rng), 0.1 * signed(rng), if plane { 0.0 } else { 0.07 }];
        }
    }
    let mut mount = |body: Option<usize>| Mount {
        body,
        point: [signed(rng), signed(rng), if plane { 0.0 } else { signed(rng) }],
        rotation: if plane { about_z(signed(rng)) } else { any_turn(rng) },
    };
    let kinds = [
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Spherical,
        JointKind::Fixed,
        JointKind::Distance { length: 0.7 },
        JointKind::ClearanceTranslational {
            half_length: 0.3,
            half_width: 0.2,
            clearance: 0.01,
            law: ContactLaw::default(),
        },
        JointKind::ClearanceRevolute {
            pin_radius: 0.1,
            clearance: 0.02,
            law: ContactLaw::default(),
        },
    ];
    let mut joints: Vec<JointDescription> = Vec::new();
    let mut forces = Vec::new();
    for (a, b) in [(Some(0), Some(1)), (Some(1), Some(0)), (None, Some(1)), (Some(0), Some(2))] {
        for kind in &kinds[..if plane { 7 } else { 5 }] {
            let name = format!("joint{}", joints.len());
            let mut joint = joint(&name, kind.clone(), mount(a), mount(b));
            if matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
                joint.limits = Some([-0.5, 0.7]);
                joint.spring = Some(JointSpring { stiffness: 3.0, damping: 0.0, rest: 0.2 });
            }
            joints.push(joint);
        }
        let mounts = [mount(a), mount(b)];
        let kind = ForceKind::SpringDamper {
            mounts,
            stiffness: 4.0,
            damping: 0.0,
            direction: None,
            rest_length: 0.3,
        };
        forces.push(ForceDescription { name: String::new(), kind });
    }
    WorldDescription { dimension, bodies, joints, forces, ..WorldDescription::default() }
}

/// A random state of the two moving bodies.
fn anywhere(dimension: Dimension, rng: &mut Rng) -> State {
    let (q, u) = match dimension {
        Dimension::Two => ((0..6).map(|_| signed(rng)).collect(), 6),
        Dimension::Three => {
            let pose = |rng: &mut Rng| {
                let turn = any_turn(rng);
                let place = [signed(rng), signed(rng), signed(rng)];
                [&place[..], &turn[..]].concat()
            };
            ([pose(rng), pose(rng)].concat(), 12)
        }
    };
    State { t: 0.0, q, u: (0..u).map(|_| signed(rng)).collect(), memory: Vec::new() }
}

/// The state a little later, with rigid bodies turning exactly.
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
        let axis = [u[3] / speed, u[4] / speed, u[5] / speed];
        let turn = quaternion::from_axis_angle(&axis, h * speed);
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
fn directions_are_the_gradients_of_position_errors_and_gaps() {
    // For each of the four pairs of bodies: three for hinge and slide with their limits, one for
    // the others, four corners and a pin.
    for (dimension, candidates) in
        [(Dimension::Two, 4 * (3 + 3 + 1 + 1 + 1 + 4 + 1)), (Dimension::Three, 4 * (3 + 3 + 3))]
    {
        let mut rng = Rng::with_seed(11);
        let mut compared = 0;
        for _ in 0..50 {
            let toy = Toy::new(&zoo(dimension, &mut rng));
            let at = anywhere(dimension, &mut rng);
            let n = toy.frames.velocities();
            let here = set(&toy, &at);
            assert_eq!(here.candidates().len(), candidates);
            // Central differences with h = 1e-5: error h²·(third derivatives, up to some 1e2 where
            // an axis nearly vanishes in a projection), rounding 1e-16/h = 1e-11.
            let h = 1e-5;
            let (ahead, behind) =
                (set(&toy, &moved(&toy, &at, h)), set(&toy, &moved(&toy, &at, -h)));
            for (index, candidate) in here.candidates().iter().enumerate() {
                let (a, b) = (&ahead.candidates()[index], &behind.candidates()[index]);
                let unilateral = candidate.gap.is_finite();
                let rows = here.directions(candidate).chunks(candidate.width());
                for (k, row) in rows.enumerate() {
                    let mut velocity = 0.0;
                    for (part, block) in row.chunks(n).zip(candidate.blocks) {
                        let u = &at.u[block * n..];
                        velocity += part.iter().zip(u).map(|(w, u)| w * u).sum::<f64>();
                    }
                    let slope = if unilateral && k == 0 {
                        (a.gap - b.gap) / (2.0 * h)
                    } else if unilateral {
                        continue; // sliding is no gradient
                    } else {
                        (ahead.position_error(a)[k] - behind.position_error(b)[k]) / (2.0 * h)
                    };
                    // An angle that passes ±π between the two has no difference quotient.
                    if slope.abs() > 1e4 {
                        continue;
                    }
                    compared += 1;
                    let name = toy.contact_name(candidate.key);
                    let off = (velocity - slope).abs();
                    assert!(off < 1e-6, "{name}, row {k}: {velocity} {slope}");
                }
            }
        }
        assert!(compared > 50 * candidates, "{compared}");
    }
}

#[test]
fn springs_are_the_gradient_of_their_potential() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut rng = Rng::with_seed(12);
        for _ in 0..50 {
            let toy = Toy::new(&zoo(dimension, &mut rng));
            let at = anywhere(dimension, &mut rng);
            let mut forces = vec![0.0; at.u.len()];
            toy.joints.add_forces(&toy.frames, &at, &mut forces);
            let power: f64 = forces.iter().zip(&at.u).map(|(f, u)| f * u).sum();
            let energy = |h: f64| toy.joints.energy(&toy.frames, &moved(&toy, &at, h));
            let slope = (energy(1e-5) - energy(-1e-5)) / 2e-5;
            // Differences as above, times the stiffness.
            assert_close(power, -slope, 1e-5);
        }
    }
}

#[test]
fn dampers_and_efforts_have_the_power_of_their_coordinate() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut rng = Rng::with_seed(13);
        for _ in 0..20 {
            let mut description = zoo(dimension, &mut rng);
            description.forces.clear();
            for joint in &mut description.joints {
                joint.spring = None;
            }
            let quiet = Toy::new(&description);
            let hinge = &mut description.joints[0];
            hinge.spring = Some(JointSpring { stiffness: 0.0, damping: 2.0, rest: 0.0 });
            hinge.motor = Some(stickslip::world::Motor::Effort(TimeFunction::Constant(0.7).into()));
            let toy = Toy::new(&description);
            let at = anywhere(dimension, &mut rng);
            // The rate of the coordinate is the velocity of its lower limit.
            let n = toy.frames.velocities();
            let here = set(&quiet, &at);
            let lower =
                here.candidates().iter().find(|c| quiet.contact_name(c.key) == "joint0.lower");
            let lower = lower.unwrap();
            let mut rate = 0.0;
            for (part, block) in here.directions(lower).chunks(n).zip(lower.blocks) {
                rate += part.iter().zip(&at.u[block * n..]).map(|(w, u)| w * u).sum::<f64>();
            }
            let mut forces = vec![0.0; at.u.len()];
            toy.joints.add_forces(&toy.frames, &at, &mut forces);
            let power: f64 = forces.iter().zip(&at.u).map(|(f, u)| f * u).sum();
            // Rounding of sums of terms of size 10.
            assert_close(power, 0.7 * rate - 2.0 * rate * rate, 1e-12 * (1.0 + rate * rate));
        }
    }
}

#[test]
fn a_common_motion_of_both_bodies_moves_no_joint() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut rng = Rng::with_seed(14);
        for _ in 0..20 {
            let toy = Toy::new(&zoo(dimension, &mut rng));
            let mut at = anywhere(dimension, &mut rng);
            let plane = dimension == Dimension::Two;
            let mut any = || [signed(&mut rng), signed(&mut rng), signed(&mut rng)];
            let (velocity, mut omega) = (any(), any());
            if plane {
                omega[..2].fill(0.0);
            }
            let n = toy.frames.velocities();
            for block in 0..2 {
                let q = &at.q[block * toy.frames.coordinates()..];
                let place = [q[0], q[1], if plane { 0.0 } else { q[2] }];
                let spin = stickslip::kinematics::vector::cross(&omega, &place);
                let v = stickslip::kinematics::vector::add(&velocity, &spin);
                let body = toy.frames.frame(&at, Some(block));
                let local = stickslip::kinematics::vector::apply_transposed(&body.rotation, &omega);
                let u = &mut at.u[block * n..];
                if plane {
                    u[..3].copy_from_slice(&[v[0], v[1], omega[2]]);
                } else {
                    u[..3].copy_from_slice(&v);
                    u[3..6].copy_from_slice(&local);
                }
            }
            let here = set(&toy, &at);
            let mut seen = 0;
            for candidate in here.candidates().iter().filter(|c| c.blocks[0] != c.blocks[1]) {
                // The points of a revolute joint that is apart do move against each other, and
                // the surfaces of its pin and hole; all others measure in a moving frame.
                let name = toy.contact_name(candidate.key);
                let number: usize =
                    name["joint".len()..].split('.').next().unwrap().parse().unwrap();
                let kind = number % if plane { 7 } else { 5 };
                let errors = here.position_error(candidate);
                let skip = match kind {
                    0 | 2 | 3 if !errors.is_empty() => {
                        if plane {
                            2
                        } else {
                            3
                        }
                    }
                    6 => 2,
                    _ => 0,
                };
                for row in here.directions(candidate).chunks(candidate.width()).skip(skip) {
                    let mut velocity = 0.0;
                    for (part, block) in row.chunks(n).zip(candidate.blocks) {
                        let u = &at.u[block * n..];
                        velocity += part.iter().zip(u).map(|(w, u)| w * u).sum::<f64>();
                    }
                    seen += 1;
                    // Rounding of sums of terms of size 10, divided by a projected axis.
                    assert!(velocity.abs() < 1e-12, "{name}: {velocity:e}");
                }
            }
            assert!(seen > 20);
        }
    }
}
