//! Limits, motors, dry friction and springs on the free coordinate of a joint.

use crate::support::*;
use std::f64::consts::PI;
use stickslip::integrate::{EventDriven, EventDrivenOptions, Integrator, ProjectionMetric};
use stickslip::kinematics::quaternion;
use stickslip::system::{Dimension, MechanicalSystem, State};
use stickslip::world::{
    JointDescription, JointKind, JointSpring, Motor, Mount, TimeFunction, WorldDescription,
};

const BOTH: [Dimension; 2] = [Dimension::Two, Dimension::Three];

/// A wheel on the ground that turns about z with this speed.
fn wheel(dimension: Dimension, speed: f64, edit: impl Fn(&mut JointDescription)) -> Toy {
    let mut wheel = body("wheel", 1.0, [0.1, 0.1, 0.2]);
    wheel.angular_velocity = [0.0, 0.0, speed];
    let mut axle = joint("axle", JointKind::Revolute, ground([0.0; 3]), on(0, [0.0; 3]));
    edit(&mut axle);
    Toy::new(&world(dimension, vec![wheel], vec![axle]))
}

/// Angle and speed of the wheel.
fn motion(toy: &Toy, state: &State) -> (f64, f64) {
    match toy.frames.dimension {
        Dimension::Two => (state.q[2], state.u[2]),
        Dimension::Three => (2.0 * state.q[6].atan2(state.q[3]), state.u[5]),
    }
}

#[test]
fn limits_throw_back_with_their_restitution() {
    for dimension in BOTH {
        let toy = wheel(dimension, 2.0, |axle| {
            axle.limits = Some([-0.3, 0.5]);
            axle.limit_restitution = 0.75;
        });
        let mut state = toy.start.clone();
        let mut integrator = moreau("auto", 1e-13, ProjectionMetric::None);
        let mut speeds = vec![2.0];
        go(&toy, &mut integrator, &mut state, 1e-3, 3.0, |state| {
            let (angle, speed) = motion(&toy, state);
            assert!(angle > -0.303 && angle < 0.503, "{angle}");
            if (speed - speeds[speeds.len() - 1]).abs() > 1e-6 {
                speeds.push(speed);
            }
        });
        assert!(speeds.len() >= 4, "{speeds:?}");
        for pair in speeds.windows(2) {
            // Newton's law, up to the tolerance of the solver.
            assert_close(pair[1], -0.75 * pair[0], 1e-11);
        }
    }
}

#[test]
fn limits_are_hit_at_their_exact_time_by_the_event_driven_scheme() {
    for dimension in BOTH {
        let toy = wheel(dimension, 2.0, |axle| {
            axle.limits = Some([-0.3, 0.5]);
            axle.limit_restitution = 0.5;
        });
        let mut state = toy.start.clone();
        let mut integrator = EventDriven::new(EventDrivenOptions::default()).unwrap();
        integrator.step(&toy, &mut state, 1.5).unwrap();
        let impacts = &integrator.record().impacts;
        // 0.5 rad at 2 rad/s, 0.8 rad back at 1 rad/s, and on at 0.5 rad/s.
        assert_eq!(impacts.len(), 2);
        assert_close(impacts[0].t, 0.25, 1e-9);
        assert_close(impacts[1].t, 1.05, 1e-9);
        assert_close(motion(&toy, &state).0, -0.3 + 0.5 * 0.45, 1e-9);
        assert_close(motion(&toy, &state).1, 0.5, 1e-9);
    }
}

#[test]
fn limits_beyond_half_a_turn_work_in_space() {
    // From 2.5 through π to 4 rad, where the angle of the frames jumps by a full turn.
    for dimension in BOTH {
        let toy = wheel(dimension, 2.0, |axle| {
            axle.limits = Some([2.5, 4.0]);
            axle.limit_restitution = 1.0;
            axle.mounts[1].rotation = about_z(3.0);
        });
        assert_eq!(toy.joints.warnings(), &[] as &[String]);
        let mut state = toy.start.clone();
        let mut integrator = moreau("auto", 1e-13, ProjectionMetric::None);
        let mut extremes = [0.0_f64; 2];
        go(&toy, &mut integrator, &mut state, 1e-3, 4.0, |state| {
            let (angle, speed) = motion(&toy, state);
            assert_close(speed.abs(), 2.0, 1e-10);
            extremes = [extremes[0].min(angle), extremes[1].max(angle)];
        });
        // The wheel itself moves from 2.5 − 3 to 4 − 3, two steps of 2e-3 rad beyond at most.
        assert_close(extremes[0], -0.5, 4e-3);
        assert_close(extremes[1], 1.0, 4e-3);
    }
}

#[test]
fn limits_of_a_slide_and_one_sided_limits() {
    for dimension in BOTH {
        // A mass on a vertical slide falls onto its lower limit and rests there.
        let mut mass = body("mass", 2.0, [0.1; 3]);
        mass.position = [0.0, 0.3, 0.0];
        let rotation = about_z(0.5 * PI);
        let mut slide = joint(
            "slide",
            JointKind::Prismatic,
            Mount { rotation, ..ground([0.0; 3]) },
            Mount { rotation, ..on(0, [0.0; 3]) },
        );
        slide.limits = Some([0.1, f64::INFINITY]);
        let description = WorldDescription {
            gravity: [0.0, -9.81, 0.0],
            ..world(dimension, vec![mass], vec![slide])
        };
        let toy = Toy::new(&description);
        let all = [0, 1, 2, 3].map(|key| toy.joints.contact_name(key));
        assert_eq!(all, ["slide", "slide.lower", "slide.upper", "joint-3"]);
        let names: Vec<String> =
            toy.joints.named_contacts().into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["slide.lower", "slide.upper"]);
        let mut state = toy.start.clone();
        let mut integrator = moreau("auto", 1e-12, ProjectionMetric::Mass);
        go(&toy, &mut integrator, &mut state, 1e-3, 1.0, |_| {});
        assert_close(state.q[1], 0.1, 1e-13);
        // At rest the limit carries the weight in every step.
        let contact = integrator.record().contacts.iter().find(|c| c.key == 1).unwrap();
        assert_close(contact.normal_percussion, 2.0 * 9.81 * 1e-3, 1e-10);
    }
}

#[test]
fn a_motor_holds_its_speed() {
    for dimension in BOTH {
        let speed = TimeFunction::Constant(7.0);
        let toy = wheel(dimension, 7.0, |axle| {
            axle.motor = Some(Motor::Speed(speed.clone()));
            // Against a spring, which changes nothing but the moment of the motor.
            axle.spring = Some(JointSpring { stiffness: 1.0, damping: 0.1, rest: 0.0 });
        });
        assert_eq!(toy.contact_name(0), "axle.motor");
        assert_eq!(toy.contact_name(1), "axle");
        let mut state = toy.start.clone();
        let mut integrator = moreau("auto", 1e-13, ProjectionMetric::Mass);
        go(&toy, &mut integrator, &mut state, 1e-3, 0.4, |state| {
            assert_close(motion(&toy, state).1, 7.0, 1e-12);
        });
        let (angle, _) = motion(&toy, &state);
        match dimension {
            Dimension::Two => assert_close(angle, 2.8, 1e-12),
            // Two half steps of a quaternion turn by 4 atan(ωΔt/4) instead of ωΔt.
            Dimension::Three => assert_close(angle, 400.0 * 4.0 * (7e-3_f64 / 4.0).atan(), 1e-11),
        }
        // The book of the step knows the work of the motor.
        assert!(integrator.record().drive_work > 0.0);
    }
}

#[test]
fn a_motor_follows_a_function_of_time() {
    let value = std::sync::Arc::new(|t: f64| 2.0 * (3.0 * t).sin());
    let speed = TimeFunction::Expression { text: "2*sin(3*t)".into(), value };
    let toy = wheel(Dimension::Two, 0.0, |axle| axle.motor = Some(Motor::Speed(speed.clone())));
    let mut state = toy.start.clone();
    let mut integrator = moreau("auto", 1e-13, ProjectionMetric::Mass);
    let dt = 1e-3;
    go(&toy, &mut integrator, &mut state, dt, 1.0, |state| {
        // A step ends with the speed of its midpoint.
        assert_close(state.u[2], 2.0 * (3.0 * (state.t - 0.5 * dt)).sin(), 1e-12);
    });
    // Hence the angle lags by half a step of the speed; what is left is of second order.
    let exact = 2.0 / 3.0 * (1.0 - 3.0_f64.cos());
    assert_close(state.q[2], exact - 0.5 * dt * 2.0 * 3.0_f64.sin(), 6.0 * dt * dt);
}

#[test]
fn dry_friction_stops_a_pendulum_and_holds_it() {
    for dimension in BOTH {
        let (mass, arm) = (1.0, 0.4);
        let mut bob = body("bob", mass, [0.01; 3]);
        bob.position = [0.0, -arm, 0.0];
        bob.angular_velocity = [0.0, 0.0, 3.0];
        bob.velocity = [3.0 * arm, 0.0, 0.0];
        let mut pivot =
            joint("pivot", JointKind::Revolute, ground([0.0; 3]), on(0, [0.0, arm, 0.0]));
        pivot.friction = 0.8;
        let description = WorldDescription {
            gravity: [0.0, -9.81, 0.0],
            ..world(dimension, vec![bob], vec![pivot])
        };
        let toy = Toy::new(&description);
        assert_eq!(toy.contact_name(1), "pivot.friction");
        let mut state = toy.start.clone();
        let mut integrator = moreau("auto", 1e-13, ProjectionMetric::Mass);
        let energy = toy.energy(&state).total();
        go(&toy, &mut integrator, &mut state, 1e-3, 3.0, |_| {});
        let rest = motion(&toy, &state).0;
        // It comes to rest where friction can hold the weight, away from the bottom.
        assert!(rest.abs() > 1e-2 && mass * 9.81 * arm * rest.sin().abs() < 0.8, "{rest}");
        let lost = energy - toy.energy(&state).total();
        assert!(lost > 0.5 * (mass * arm * arm + 0.01) * 9.0 * 0.5, "{lost}");
        // And stays there: no creep. Speeds are the tolerance of the solver.
        go(&toy, &mut integrator, &mut state, 1e-3, 20.0, |state| {
            assert!(motion(&toy, state).1.abs() < 1e-10);
        });
        assert_close(motion(&toy, &state).0, rest, 1e-10);
    }
}

#[test]
fn dry_friction_brakes_with_constant_deceleration() {
    for dimension in BOTH {
        let toy = wheel(dimension, 2.0, |axle| axle.friction = 0.5);
        let mut state = toy.start.clone();
        let mut integrator = moreau("auto", 1e-13, ProjectionMetric::None);
        go(&toy, &mut integrator, &mut state, 1e-3, 0.5, |state| {
            assert_close(motion(&toy, state).1, 2.0 - 0.5 / 0.2 * state.t, 1e-10);
        });
        go(&toy, &mut integrator, &mut state, 1e-3, 0.5, |_| {});
        assert_close(motion(&toy, &state).1, 0.0, 1e-12);
    }
}

#[test]
fn springs_wind_up_in_the_plane_and_take_the_short_way_in_space() {
    let energy = |dimension, angle: f64, rest: f64| {
        let toy = wheel(dimension, 0.0, |axle| {
            axle.spring = Some(JointSpring { stiffness: 2.0, damping: 0.0, rest });
        });
        let mut state = toy.start.clone();
        match dimension {
            Dimension::Two => state.q[2] = angle,
            Dimension::Three => {
                let turn = quaternion::from_axis_angle(&[0.0, 0.0, 1.0], angle);
                state.q[3..7].copy_from_slice(&turn);
            }
        }
        toy.joints.energy(&toy.frames, &state)
    };
    // ½·2·(angle − rest)².
    assert_close(energy(Dimension::Two, 5.0, 0.5), 4.5 * 4.5, 1e-13);
    assert_close(energy(Dimension::Three, 1.5, 0.5), 1.0, 1e-13);
    let short = 2.0 * PI - 4.5;
    assert_close(energy(Dimension::Three, 5.0, 0.5), short * short, 1e-13);
}
