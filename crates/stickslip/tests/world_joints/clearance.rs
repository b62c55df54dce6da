//! Clearance joints: the slider-crank of Flores 2010 from a description.

use crate::support::*;
use stickslip::integrate::{EventDriven, EventDrivenOptions, Integrator, ProjectionMetric};
use stickslip::models::slider_crank::Drive;
use stickslip::models::{SliderCrank, SliderCrankParameters, SliderCrankStart};
use stickslip::solve::Status;
use stickslip::system::{Dimension, MechanicalSystem};
use stickslip::world::{ContactLaw, JointKind, Motor, TimeFunction, WorldDescription};

/// The mechanism of Table 1 at its start: all angles are 0 and the slider is at rest.
fn slider_crank(p: &SliderCrankParameters) -> Toy {
    let (l1, l2) = (p.crank_length, p.rod_length);
    let start = SliderCrankStart::default();
    let pin = l1 * start.omega1;
    let parts = [
        ("crank", p.crank_mass, p.crank_inertia, 0.5 * l1, 0.5 * pin, start.omega1),
        ("rod", p.rod_mass, p.rod_inertia, l1 + 0.5 * l2, 0.5 * pin, start.omega2),
        ("slider", p.slider_mass, p.slider_inertia, l1 + l2, 0.0, start.omega3),
    ];
    let bodies = parts.map(|(name, mass, inertia, x, velocity, turning)| {
        let mut body = body(name, mass, [0.0, 0.0, inertia]);
        body.position = [x, 0.0, 0.0];
        body.velocity = [0.0, velocity, 0.0];
        body.angular_velocity = [0.0, 0.0, turning];
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
        ..world(Dimension::Two, bodies.to_vec(), joints)
    };
    Toy::new(&description)
}

/// By event-driven integration, which has no error of a step: through all impacts of the first turn.
#[test]
fn the_slider_crank_moves_like_the_one_in_minimal_coordinates() {
    for drive in [Drive::Free, Drive::ConstantSpeed] {
        let p = SliderCrankParameters { drive, ..SliderCrankParameters::default() };
        let (toy, model) = (slider_crank(&p), SliderCrank::new(p).unwrap());
        assert_eq!(toy.contact_name(2), "guide.corner3");
        let first = if drive == Drive::Free { "ground-crank" } else { "ground-crank.motor" };
        assert_eq!(toy.contact_name(4), first);
        assert_eq!(toy.joints.named_contacts().len(), 4);
        let mut a = toy.start.clone();
        let mut b = model.start(&SliderCrankStart::default()).unwrap();
        let mut integrators =
            [0, 1].map(|_| EventDriven::new(EventDrivenOptions::default()).unwrap());
        integrators[0].run_until(&toy, &mut a, 0.04, &mut |_| {}).unwrap();
        integrators[1].run_until(&model, &mut b, 0.04, &mut |_| {}).unwrap();
        for (body, theta) in a.q.chunks(3).zip(&b.q) {
            assert_close(body[2], *theta, 1e-8);
        }
        let impacts = integrators.map(|integrator| integrator.record().impacts.len());
        // Where an infinite sequence of impacts is cut off depends on rounding: their number may differ.
        assert!(impacts.iter().all(|count| *count > 10), "{impacts:?}");
    }
}

#[test]
fn a_block_on_an_incline_at_the_friction_limit() {
    // A slider on the lower wall of an inclined guide: two corners carry it.
    let (slope, g) = (0.3_f64, 9.81);
    let slide = |friction: f64| {
        let law = ContactLaw { friction, ..ContactLaw::default() };
        let kind = JointKind::ClearanceTranslational {
            half_length: 0.1,
            half_width: 0.05,
            clearance: 0.01,
            law,
        };
        let mut incline = ground([0.0; 3]);
        incline.rotation = about_z(slope);
        // On the wall, 1 nm deep so that rounding does not open the contact.
        let depth = -(0.01 + 1e-9);
        let mut block = body("block", 1.5, [0.0, 0.0, 6e-3]);
        block.position = [-depth * slope.sin(), depth * slope.cos(), 0.0];
        block.rotation = about_z(slope);
        let joints = vec![joint("incline", kind, incline, on(0, [0.0; 3]))];
        let toy = Toy::new(&WorldDescription {
            gravity: [0.0, -g, 0.0],
            ..world(Dimension::Two, vec![block], joints)
        });
        let mut state = toy.start.clone();
        let mut integrator = moreau("lemke", 1e-10, ProjectionMetric::None);
        for _ in 0..1000 {
            let report = integrator.step(&toy, &mut state, 1e-3).unwrap();
            assert_eq!((report.solve.status, report.contacts), (Status::Solved, 2));
        }
        // Velocity down the slope after 1 s.
        -(state.u[0] * slope.cos() + state.u[1] * slope.sin())
    };
    let limit = slope.tan();
    assert_close(slide(limit * (1.0 + 1e-3)), 0.0, 1e-12);
    // Below the limit g (sinα − µ cosα) = 1e-3 g sinα, exact in every step; rounding of 1000 steps.
    assert_close(slide(limit * (1.0 - 1e-3)), 1e-3 * g * slope.sin(), 1e-11);
}

#[test]
fn arrows_stand_at_the_corners_and_point_into_the_guide() {
    let p = SliderCrankParameters::default();
    let toy = slider_crank(&p);
    let mut places = Vec::new();
    toy.joints.contact_places(&toy.frames, &toy.start, 100, &mut places);
    let slider = [p.crank_length + p.rod_length, 0.0];
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
