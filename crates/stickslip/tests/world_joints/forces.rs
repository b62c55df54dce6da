//! Springs, dampers and applied forces against closed forms, and the energy book.

use crate::support::*;
use std::sync::Arc;
use stickslip::integrate::{EventDriven, EventDrivenOptions, ProjectionMetric};
use stickslip::simulate::{Observer, RunSettings, Sample, run};
use stickslip::system::Dimension;
use stickslip::world::{
    ForceDescription, ForceKind, ForceValue, JointKind, JointSpring, TimeFunction, WorldDescription,
};

/// Steps whose error is 1e-12 of the largest values each.
fn exact_stepping() -> EventDriven {
    EventDriven::new(EventDrivenOptions { tolerance: 1e-12, ..Default::default() }).unwrap()
}

fn force(kind: ForceKind) -> ForceDescription {
    ForceDescription { name: "force".into(), kind }
}

fn constant(values: [f64; 3]) -> [ForceValue; 3] {
    values.map(|value| TimeFunction::Constant(value).into())
}

const SPRING: f64 = 40.0;
const DAMPER: f64 = 1.5;
const MASS: f64 = 0.5;

/// A mass on a spring and damper along x, which swings to both sides of its anchor if the rest
/// length is 0.
fn oscillator(dimension: Dimension, rest_length: f64) -> Toy {
    let mut mass = body("mass", MASS, [1.0; 3]);
    mass.position = [rest_length + 0.1, 0.0, 0.0];
    let kind = ForceKind::SpringDamper {
        mounts: [ground([0.0; 3]), on(0, [0.0; 3])],
        stiffness: SPRING,
        damping: DAMPER,
        direction: None,
        rest_length,
    };
    let forces = vec![force(kind)];
    Toy::new(&WorldDescription { forces, ..world(dimension, vec![mass], vec![]) })
}

#[test]
fn the_spring_damper_oscillates_as_in_closed_form() {
    let decay = 0.5 * DAMPER / MASS;
    let omega = (SPRING / MASS - decay * decay).sqrt();
    let exact =
        |t: f64| 0.1 * (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin());
    for dimension in [Dimension::Two, Dimension::Three] {
        for rest_length in [0.0, 0.8] {
            let toy = oscillator(dimension, rest_length);
            let mut state = toy.start.clone();
            let mut integrator = exact_stepping();
            go(&toy, &mut integrator, &mut state, 1e-3, 2.0, |state| {
                // Errors of 2000 steps.
                assert_close(state.q[0] - rest_length, exact(state.t), 1e-9);
            });
            assert_eq!(state.u[1], 0.0);
        }
    }
}

#[test]
fn points_on_one_another_have_finite_forces() {
    let mut toy = oscillator(Dimension::Three, 0.3);
    toy.start.q[0] = 0.0;
    let mut forces = vec![0.0; 6];
    toy.joints.add_forces(&toy.frames, &toy.start, &mut forces);
    assert_eq!(forces, [0.0; 6]);
    toy.start.u[..3].copy_from_slice(&[1.0, 2.0, -3.0]);
    toy.joints.add_forces(&toy.frames, &toy.start, &mut forces);
    assert_eq!(forces[..3], [-DAMPER, -2.0 * DAMPER, 3.0 * DAMPER]);
    // Next to it the force is that of the spring, however small the length is.
    toy.start.u.fill(0.0);
    for tiny in [1e-30, 1e-300, 5e-324] {
        toy.start.q[0] = tiny;
        forces.fill(0.0);
        toy.joints.add_forces(&toy.frames, &toy.start, &mut forces);
        assert_close(forces[0], SPRING * 0.3, 1e-12);
    }
}

#[test]
fn an_applied_force_moves_a_body_as_in_closed_form() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut bodies = vec![body("a", 2.0, [0.5; 3])];
        bodies[0].position = [1.0, 0.0, 0.0];
        let value = Arc::new(|t: f64| 0.336 + 0.144 * (10.0 * t).cos());
        let push = TimeFunction::Expression { text: "0.336 + 0.144*cos(10*t)".into(), value };
        let kind = ForceKind::Applied {
            body: 0,
            point: [0.0; 3],
            force: [push.into(), ForceValue::default(), ForceValue::default()],
            moment: constant([0.0, 0.0, 0.25]),
            follows: false,
        };
        let forces = vec![force(kind)];
        let toy = Toy::new(&WorldDescription { forces, ..world(dimension, bodies, vec![]) });
        let mut state = toy.start.clone();
        go(&toy, &mut exact_stepping(), &mut state, 1e-3, 1.0, |state| {
            let t = state.t;
            let x = 1.0 + (0.168 * t * t + 0.144e-2 * (1.0 - (10.0 * t).cos())) / 2.0;
            // Errors of 1000 steps, for positions of 1 m.
            assert_close(state.q[0], x, 1e-9);
            let spin = state.u[if dimension == Dimension::Two { 2 } else { 5 }];
            assert_close(spin, 0.5 * t, 1e-9);
        });
    }
}

#[test]
fn a_force_that_follows_turns_with_its_body() {
    // A thruster along x of a body that turns with ω: a circle of the velocity.
    for dimension in [Dimension::Two, Dimension::Three] {
        let omega = 3.0;
        let mut bodies = vec![body("a", 2.0, [0.5; 3])];
        bodies[0].angular_velocity = [0.0, 0.0, omega];
        let kind = |point, follows| ForceKind::Applied {
            body: 0,
            point,
            force: constant([4.0, 0.0, 0.0]),
            moment: constant([0.0; 3]),
            follows,
        };
        let forces = vec![force(kind([0.3, 0.0, 0.0], true))];
        let description = WorldDescription { forces, ..world(dimension, bodies, vec![]) };
        let toy = Toy::new(&description);
        let mut state = toy.start.clone();
        go(&toy, &mut exact_stepping(), &mut state, 1e-3, 1.0, |state| {
            let t = state.t;
            let radius = 4.0 / 2.0 / omega;
            assert_close(state.u[0], radius * (omega * t).sin(), 1e-9);
            assert_close(state.u[1], radius * (1.0 - (omega * t).cos()), 1e-9);
        });
        // Across the axis of the body it also turns it: M = 0.2·4.
        let forces = vec![force(kind([0.0, -0.2, 0.0], true))];
        let toy = Toy::new(&WorldDescription { forces, ..description.clone() });
        let mut out = vec![0.0; toy.start.u.len()];
        toy.joints.add_forces(&toy.frames, &toy.start, &mut out);
        assert_close(out[out.len() - 1], 0.8, 1e-15);
    }
}

struct Nothing;

impl Observer for Nothing {
    fn sample(&mut self, _sample: &Sample) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_energy_book_closes() {
    // A pendulum with a spring in its hinge, a spring to the ground, friction, and a limit that it
    // hits: what the book leaves is the error of the scheme in the smooth part.
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut bob = body("bob", 1.0, [0.02; 3]);
        bob.position = [0.4, 0.0, 0.0];
        let mut pivot =
            joint("pivot", JointKind::Revolute, ground([0.0; 3]), on(0, [-0.4, 0.0, 0.0]));
        pivot.spring = Some(JointSpring { stiffness: 1.0, damping: 0.0, rest: -0.5 });
        pivot.limits = Some([-1.0, 1.0]);
        pivot.limit_restitution = 0.5;
        pivot.friction = 0.05;
        let kind = ForceKind::SpringDamper {
            mounts: [ground([1.0, -1.0, 0.0]), on(0, [0.1, 0.0, 0.0])],
            stiffness: 5.0,
            damping: 0.0,
            direction: None,
            rest_length: 0.6,
        };
        let description = WorldDescription {
            gravity: [0.0, -9.81, 0.0],
            forces: vec![force(kind)],
            ..world(dimension, vec![bob], vec![pivot])
        };
        let toy = Toy::new(&description);
        let left = |step: f64| {
            let settings = RunSettings::new(2.0, step, 0.1);
            let mut integrator = moreau("auto", 1e-12, ProjectionMetric::Mass);
            let summary =
                run(&toy, &mut integrator, toy.start.clone(), &settings, &mut Nothing).unwrap();
            let book = &summary.energy.book;
            let work = |name: &str| book.works.iter().find(|(n, _)| *n == name).unwrap().1;
            assert!(work("joint-friction") < -0.05, "{:?}", book.works);
            assert!(work("limit") < -0.5, "{:?}", book.works);
            // The joint itself does no work, to the order of the scheme.
            assert!(work("joint").abs() < 0.1, "{:?}", book.works);
            summary.energy.closing_error.abs()
        };
        let (coarse, fine) = (left(1e-3), left(1e-4));
        // Energies of 4 J; the error falls at least with the step.
        assert!(coarse < 1e-2 && fine < 1e-3, "{coarse:e} {fine:e}");
    }
}
