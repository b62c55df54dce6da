//! Clearance joints: the slider-crank of Flores 2010 from a description.

use crate::support::*;
use stickslip::integrate::{Integrator, ProjectionMetric};
use stickslip::models::slider_crank::Drive;
use stickslip::models::{SliderCrankMultibody, SliderCrankParameters, SliderCrankStart};
use stickslip::system::{Dimension, MechanicalSystem};
use stickslip::world::{ContactLaw, JointKind, Motor, TimeFunction, WorldDescription};

/// The mechanism of Table 1, in the state of the model.
fn slider_crank(p: &SliderCrankParameters) -> (Toy, SliderCrankMultibody) {
    let model = SliderCrankMultibody::new(*p).unwrap();
    let start = model.start(&SliderCrankStart::default()).unwrap();
    let masses = [
        (p.crank_mass, p.crank_inertia),
        (p.rod_mass, p.rod_inertia),
        (p.slider_mass, p.slider_inertia),
    ];
    let bodies = masses.iter().enumerate().map(|(k, (mass, inertia))| {
        let mut body = body(["crank", "rod", "slider"][k], *mass, [0.0, 0.0, *inertia]);
        let (q, u) = (&start.q[3 * k..], &start.u[3 * k..]);
        body.position = [q[0], q[1], 0.0];
        body.rotation = about_z(q[2]);
        body.velocity = [u[0], u[1], 0.0];
        body.angular_velocity = [0.0, 0.0, u[2]];
        body
    });
    let (half_crank, half_rod) = (0.5 * p.crank_length, 0.5 * p.rod_length);
    let revolute = |name: &str, a, b| joint(name, JointKind::Revolute, a, b);
    let mut joints = vec![
        revolute("ground-crank", ground([0.0; 3]), on(0, [-half_crank, 0.0, 0.0])),
        revolute("crank-rod", on(0, [half_crank, 0.0, 0.0]), on(1, [-half_rod, 0.0, 0.0])),
        revolute("rod-slider", on(1, [half_rod, 0.0, 0.0]), on(2, [0.0; 3])),
    ];
    if p.drive == Drive::ConstantSpeed {
        joints[0].motor = Some(Motor::Speed(TimeFunction::Constant(p.crank_speed)));
    }
    let law = ContactLaw {
        restitution: p.restitution,
        tangential_restitution: p.tangential_restitution,
        friction: p.friction_coefficient,
        ..ContactLaw::default()
    };
    let kind = JointKind::ClearanceTranslational {
        half_length: p.slider_half_length,
        half_width: p.slider_half_width,
        clearance: p.clearance,
        law,
    };
    joints.push(joint("guide", kind, ground([0.0; 3]), on(2, [0.0; 3])));
    let description = WorldDescription {
        gravity: [0.0, -p.gravity, 0.0],
        ..world(Dimension::Two, bodies.collect(), joints)
    };
    (Toy::new(&description), model)
}

#[test]
fn the_slider_crank_agrees_with_the_model() {
    for drive in [Drive::Free, Drive::ConstantSpeed] {
        let p = SliderCrankParameters { drive, ..SliderCrankParameters::default() };
        let (toy, model) = slider_crank(&p);
        assert_eq!(toy.contact_name(2), "guide.corner3");
        let first = if drive == Drive::Free { "ground-crank" } else { "ground-crank.motor" };
        assert_eq!(toy.contact_name(4), first);
        assert_eq!(toy.joints.named_contacts().len(), 4);
        let mut a = toy.start.clone();
        let mut b = model.start(&SliderCrankStart::default()).unwrap();
        let mut integrators = [0, 1].map(|_| moreau("lemke", 1e-10, ProjectionMetric::Mass));
        let mut touched = 0;
        for _ in 0..6000 {
            integrators[0].step(&toy, &mut a, 1e-5).unwrap();
            integrators[1].step(&model, &mut b, 1e-5).unwrap();
            touched += integrators[0].record().contacts[..4]
                .iter()
                .filter(|c| c.normal_percussion > 0.0)
                .count();
            for (x, y) in a.q.iter().zip(&b.q) {
                // The same scheme; rounding of other formulas, with the growth of small errors.
                assert_close(*x, *y, 1e-9);
            }
        }
        assert!(touched > 100, "{touched}");
    }
}

#[test]
fn arrows_stand_at_the_corners_and_point_into_the_guide() {
    let p = SliderCrankParameters::default();
    let (toy, model) = slider_crank(&p);
    let mut places = Vec::new();
    toy.joints.contact_places(&toy.frames, &toy.start, 100, &mut places);
    let slider = model.output(&toy.start).slider;
    let (a, b) = (p.slider_half_length, p.slider_half_width);
    let corners = [[-a, b], [a, b], [-a, -b], [a, -b]];
    for (k, (place, [x, y])) in places.iter().zip(corners).enumerate() {
        assert_eq!(place.key, 100 + k as u64);
        assert_close(place.point[0], slider[0] + x, 1e-15);
        assert_close(place.point[1], slider[1] + y, 1e-15);
        assert_eq!(place.normal, [0.0, -y.signum(), 0.0]);
    }
    assert_eq!(places.len(), 4);
}

#[test]
fn a_pin_rests_at_the_bottom_of_its_hole() {
    // Dropped from the centre of the hole, ε = 0, no friction: 1 mm down, then its weight.
    let law = ContactLaw::default();
    let kind = JointKind::ClearanceRevolute { pin_radius: 0.01, clearance: 1e-3, law };
    let joints = vec![joint("pin", kind, ground([0.2, 0.1, 0.0]), on(0, [0.0; 3]))];
    let mut pin = body("pin", 1.0, [1e-4; 3]);
    pin.position = [0.2, 0.1, 0.0];
    let description =
        WorldDescription { gravity: [0.0, -9.81, 0.0], ..world(Dimension::Two, vec![pin], joints) };
    let toy = Toy::new(&description);
    let mut state = toy.start.clone();
    let mut integrator = moreau("auto", 1e-12, ProjectionMetric::Mass);
    go(&toy, &mut integrator, &mut state, 1e-5, 0.1, |_| {});
    assert_close(state.q[1], 0.1 - 1e-3, 1e-12);
    assert_close(state.u[1], 0.0, 9.81e-5);
    assert_eq!(toy.contact_name(0), "pin");
}

#[test]
fn a_turning_bush_drags_its_pin() {
    // The surface of the held hole turns; the hole itself stays. While the pin slips, it lies still
    // where friction and weight balance, tan α = µ, and is spun up by µ N r with N = m g cos α.
    let alpha = 0.3_f64.atan();
    let law = ContactLaw { friction: 0.3, ..ContactLaw::default() };
    let kind = JointKind::ClearanceRevolute { pin_radius: 0.01, clearance: 1e-3, law };
    let mut bush = body("bush", 1.0, [1.0; 3]);
    bush.fixed = true;
    bush.angular_velocity = [0.0, 0.0, 20.0];
    let mut pin = body("pin", 1.0, [1e-4; 3]);
    pin.position = [1e-3 * alpha.sin(), -1e-3 * alpha.cos(), 0.0];
    let joints = vec![joint("pin", kind, on(0, [0.0; 3]), on(1, [0.0; 3]))];
    let description = WorldDescription {
        gravity: [0.0, -9.81, 0.0],
        ..world(Dimension::Two, vec![bush, pin], joints)
    };
    let toy = Toy::new(&description);
    let mut state = toy.start.clone();
    let mut integrator = moreau("auto", 1e-12, ProjectionMetric::Mass);
    let spin_up = 0.3 * 9.81 * alpha.cos() * 0.01 / 1e-4;
    go(&toy, &mut integrator, &mut state, 1e-5, 0.05, |state| {
        // The pin rests on a contact that opens and closes by rounding: one step in doubt.
        assert_close(state.u[2], spin_up * state.t, 2.0 * spin_up * 1e-5);
        assert_close(state.q[0], 1e-3 * alpha.sin(), 1e-9);
    });
    // Slower than rolling without slip, Ω R/r: it still slips.
    assert!(state.u[2] < 20.0 * 0.011 / 0.01);
}
