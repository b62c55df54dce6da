//! Descriptions that cannot be built, and those that deserve a warning.

use crate::support::*;
use std::sync::Arc;
use stickslip::integrate::{Integrator, ProjectionMetric};
use stickslip::solve::Status;
use stickslip::system::Dimension;
use stickslip::world::{
    ContactLaw, ForceDescription, ForceKind, JointDescription, JointKind, JointSpring, Joints,
    Motor, Part, TimeFunction, WorldDescription,
};

/// A pendulum to spoil.
fn pendulum(dimension: Dimension) -> WorldDescription {
    let mut bob = body("bob", 1.0, [0.1; 3]);
    bob.position = [0.5, 0.0, 0.0];
    let pivot = joint("pivot", JointKind::Revolute, ground([0.0; 3]), on(0, [-0.5, 0.0, 0.0]));
    world(dimension, vec![bob], vec![pivot])
}

/// The one error of a description: its key and message.
#[track_caller]
fn error(world: &WorldDescription) -> (Part, &'static str, String) {
    let errors = Joints::new(world, &frames(world)).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    (errors[0].part, errors[0].key, errors[0].message.clone())
}

#[test]
fn every_bad_joint_is_refused_with_key_and_reason() {
    type Edit = fn(&mut JointDescription);
    let clearance: Edit = |j| {
        j.kind = JointKind::ClearanceTranslational {
            half_length: 0.05,
            half_width: 0.02,
            clearance: 0.04,
            law: ContactLaw::default(),
        };
    };
    let cases: Vec<(Dimension, &str, &str, Edit)> = vec![
        (Dimension::Two, "name", "is empty", |j| j.name.clear()),
        (Dimension::Two, "points", "it must be finite", |j| j.mounts[0].point[1] = f64::NAN),
        (Dimension::Two, "bodies", "names body 7", |j| j.mounts[1].body = Some(7)),
        (Dimension::Two, "bodies", "the same body", |j| j.mounts[0].body = Some(0)),
        (Dimension::Three, "axis", "length 1", |j| j.mounts[0].rotation = [0.0; 4]),
        (Dimension::Three, "axis", "length 1", |j| j.mounts[0].rotation = [f64::NAN; 4]),
        (Dimension::Two, "axis", "about z", |j| j.mounts[0].rotation = [0.6, 0.8, 0.0, 0.0]),
        (Dimension::Two, "length", "finite and positive", |j| {
            j.kind = JointKind::Distance { length: 0.0 }
        }),
        (Dimension::Two, "clearance", "turn over", clearance),
        (Dimension::Three, "kind", "in the plane only", |j| {
            let law = ContactLaw::default();
            j.kind = JointKind::ClearanceRevolute { pin_radius: 0.1, clearance: 0.1, law };
        }),
        (Dimension::Two, "contact", "between 0 and 1", |j| {
            let law = ContactLaw { restitution: 1.5, ..ContactLaw::default() };
            j.kind = JointKind::ClearanceRevolute { pin_radius: 0.1, clearance: 0.1, law };
        }),
        (Dimension::Two, "spring", "not negative", |j| {
            j.spring = Some(JointSpring { stiffness: -1.0, damping: 0.0, rest: 0.0 });
        }),
        (Dimension::Two, "limits", "less than the second", |j| j.limits = Some([1.0, 1.0])),
        (Dimension::Two, "limits", "less than the second", |j| j.limits = Some([f64::NAN, 1.0])),
        (Dimension::Three, "limits", "full turn", |j| j.limits = Some([-4.0, 4.0])),
        (Dimension::Two, "limit_restitution", "between 0 and 1", |j| j.limit_restitution = -0.1),
        (Dimension::Two, "friction", "not negative", |j| j.friction = f64::INFINITY),
        (Dimension::Two, "motor", "finite", |j| {
            j.motor = Some(Motor::Speed(TimeFunction::Constant(f64::NAN)));
        }),
        (Dimension::Two, "motor", "t = 0", |j| {
            let value = Arc::new(|t: f64| 1.0 / t);
            let effort = TimeFunction::Expression { text: "1/t".into(), value };
            j.motor = Some(Motor::Effort(effort.into()));
        }),
        (Dimension::Three, "motor", "no single free coordinate", |j| {
            j.kind = JointKind::Spherical;
            j.motor = Some(Motor::Effort(TimeFunction::Constant(1.0).into()));
        }),
        (Dimension::Two, "friction", "no single free coordinate", |j| {
            j.kind = JointKind::Fixed;
            j.friction = 1.0;
        }),
    ];
    for (dimension, key, reason, edit) in cases {
        let mut world = pendulum(dimension);
        edit(&mut world.joints[0]);
        let found = error(&world);
        assert_eq!((found.0, found.1), (Part::Joint(0), key), "{found:?}");
        assert!(found.2.contains(reason), "{found:?} should say {reason:?}");
    }
}

#[test]
fn every_bad_force_is_refused() {
    let applied = |force: [f64; 3], body| ForceKind::Applied {
        body,
        point: [0.0; 3],
        force: force.map(|value| TimeFunction::Constant(value).into()),
        moment: [0.0; 3].map(|value| TimeFunction::Constant(value).into()),
        follows: false,
    };
    let spring = |stiffness, rest_length, second| ForceKind::SpringDamper {
        mounts: [ground([0.0; 3]), second],
        stiffness,
        damping: 0.0,
        direction: None,
        rest_length,
    };
    let bob = on(0, [0.0; 3]);
    for (key, kind) in [
        ("force", applied([0.0, f64::NAN, 0.0], 0)),
        ("force", applied([0.0, 0.0, 1.0], 0)),
        ("body", applied([0.0; 3], 3)),
        ("stiffness", spring(-1.0, 0.0, bob)),
        ("rest_length", spring(1.0, -1.0, bob)),
        ("bodies", spring(1.0, 1.0, ground([1.0; 3]))),
    ] {
        let mut world = pendulum(Dimension::Two);
        world.forces.push(ForceDescription { name: "push".into(), kind });
        let found = error(&world);
        assert_eq!((found.0, found.1), (Part::Force(0), key), "{found:?}");
        assert!(found.2.starts_with("force 'push'"), "{found:?}");
    }
}

#[test]
fn all_errors_are_found_at_once_and_names_must_differ() {
    let mut world = pendulum(Dimension::Two);
    world.joints.push(world.joints[0].clone());
    world.joints[0].friction = -1.0;
    world.joints[0].limit_restitution = 2.0;
    let errors = Joints::new(&world, &frames(&world)).unwrap_err();
    let keys: Vec<_> = errors.iter().map(|e| (e.part, e.key)).collect();
    assert_eq!(
        keys,
        [
            (Part::Joint(0), "limit_restitution"),
            (Part::Joint(0), "friction"),
            (Part::Joint(1), "name")
        ]
    );
    // A joint between bodies that do not move.
    let mut world = pendulum(Dimension::Two);
    world.bodies[0].fixed = true;
    assert_eq!(error(&world).1, "bodies");
}

#[test]
fn starts_that_do_not_fit_are_warned_of() {
    let warnings = |edit: &dyn Fn(&mut WorldDescription)| {
        let mut world = pendulum(Dimension::Three);
        edit(&mut world);
        Toy::new(&world).joints.warnings().join("\n")
    };
    assert_eq!(warnings(&|_| {}), "");
    let apart = warnings(&|w| w.bodies[0].position[0] = 0.502);
    assert!(apart.contains("'pivot' is apart by 2.000e-3"), "{apart}");
    let moving = warnings(&|w| w.bodies[0].velocity[0] = 0.1);
    assert!(moving.contains("'pivot' moves against its constraint by 1.000e-1"), "{moving}");
    let tilted = warnings(&|w| w.joints[0].mounts[0].rotation = [0.8, 0.6, 0.0, 0.0]);
    assert!(tilted.contains("apart by 9.600e-1"), "{tilted}"); // sin of twice the half angle
    let outside = warnings(&|w| w.joints[0].limits = Some([0.1, 0.3]));
    assert!(outside.contains("'pivot.lower' is violated by 1.000e-1"), "{outside}");
    let motor = TimeFunction::Constant(2.0);
    let motor = warnings(&|w| w.joints[0].motor = Some(Motor::Speed(motor.clone())));
    assert!(motor.contains("'pivot.motor' moves against its constraint by 2.000e0"), "{motor}");
    let held = warnings(&|w| {
        let mut wall = body("wall", 1.0, [1.0; 3]);
        wall.fixed = true;
        w.bodies.push(wall);
        let kind = ForceKind::Applied {
            body: 1,
            point: [0.0; 3],
            force: [1.0; 3].map(|value| TimeFunction::Constant(value).into()),
            moment: [0.0; 3].map(|value| TimeFunction::Constant(value).into()),
            follows: true,
        };
        w.forces.push(ForceDescription { name: "push".into(), kind });
    });
    assert!(held.contains("'push' acts on nothing that moves"), "{held}");
}

#[test]
fn huge_and_tiny_numbers_do_not_panic() {
    let mut rng = fastrand::Rng::with_seed(9);
    for round in 0..2000 {
        let dimension = if round % 2 == 0 { Dimension::Two } else { Dimension::Three };
        let mut world = pendulum(dimension);
        let mut number = || {
            let values =
                [0.0, -0.0, 1e308, -1e308, 1e-308, 5e-324, 1.0, -1.0, f64::NAN, f64::INFINITY];
            values[rng.usize(..values.len())]
        };
        let joint = &mut world.joints[0];
        joint.kind = match round % 5 {
            0 => JointKind::Prismatic,
            1 => JointKind::Fixed,
            2 => JointKind::Distance { length: number() },
            _ => JointKind::Revolute,
        };
        joint.mounts[0].point = [number(), number(), number()];
        joint.mounts[1].rotation[0] = number();
        if round % 3 == 0 {
            joint.limits = Some([number(), number()]);
            joint.friction = number();
            let (stiffness, damping, rest) = (number(), number(), number());
            joint.spring = Some(JointSpring { stiffness, damping, rest });
        }
        world.bodies[0].position = [number(), number(), number()];
        world.bodies[0].velocity = [number(), number(), number()];
        let frames = frames(&world);
        if let Ok(joints) = Joints::new(&world, &frames) {
            let state = stickslip::world::start_state(&world, &frames);
            let mut set = stickslip::system::ContactSet::default();
            joints.contacts(&frames, &state, &[], 0, 0, &mut set);
            let mut forces = vec![0.0; state.u.len()];
            joints.add_forces(&frames, &state, &mut forces);
            // Every candidate has a name of its own.
            let candidates = set.candidates().iter();
            let names: Vec<String> = candidates.map(|c| joints.contact_name(c.key)).collect();
            assert!(names.iter().all(|name| name.starts_with("pivot")), "{names:?}");
        }
    }
}

#[test]
fn functions_that_end_stop_a_run_with_an_error() {
    // √(0.05 − t) has no value after 0.05 s.
    let function = || TimeFunction::Expression {
        text: "sqrt(0.05 - t)".into(),
        value: Arc::new(|t: f64| (0.05 - t).sqrt()),
    };
    for motor in [Motor::Speed(function()), Motor::Effort(function().into())] {
        let mut world = pendulum(Dimension::Two);
        world.joints[0].motor = Some(motor);
        let toy = Toy::new(&world);
        let mut state = toy.start.clone();
        let mut integrator = moreau("auto", 1e-10, ProjectionMetric::Mass);
        let stop = (0..10).find(|_| integrator.step(&toy, &mut state, 0.01).is_err());
        // The midpoint of the sixth step is the first without a value.
        assert_eq!(stop, Some(5));
        assert!(state.q.iter().chain(&state.u).all(|v| v.is_finite()));
    }
}

#[test]
fn a_motor_against_a_limit_ends_every_step() {
    // The constraints contradict each other: not solved, but no panic, hang or NaN.
    let mut world = pendulum(Dimension::Two);
    world.joints[0].limits = Some([-1.0, 0.05]);
    world.joints[0].motor = Some(Motor::Speed(TimeFunction::Constant(1.0)));
    let toy = Toy::new(&world);
    let mut state = toy.start.clone();
    let mut integrator = moreau("auto", 1e-10, ProjectionMetric::None);
    let mut unsolved = 0;
    for _ in 0..10 {
        let report = integrator.step(&toy, &mut state, 0.01).unwrap();
        unsolved += usize::from(report.solve.status != Status::Solved);
        assert!(state.q.iter().chain(&state.u).all(|v| v.is_finite()));
    }
    assert!(unsolved > 0);
}
