//! Which laws act where, and what is reported under which name.

use super::support::*;
use stickslip::kinematics::quaternion::from_axis_angle;
use stickslip::system::{ContactSet, MechanicalSystem, Observed};
use stickslip::world::*;

fn rule(between: [Partner; 2], law: ContactLaw) -> ContactDescription {
    ContactDescription { name: None, between, enabled: true, law }
}

/// Friction coefficient of a contact, read from its laws.
fn coefficient(world: &World, key_part: &str) -> Option<f64> {
    let mut contacts = ContactSet::default();
    world.contacts(&world.start(), &mut contacts);
    let found = contacts.candidates().iter().find(|c| world.contact_name(c.key) == key_part)?;
    match &world.law_groups()[found.group].laws[1].law.set {
        stickslip::convex::Set::Ball(ball) => Some(ball.radius),
        _ => None,
    }
}

fn three_balls() -> WorldDescription {
    let mut bodies = vec![floor()];
    for (k, material) in ["steel", "steel", "rubber"].into_iter().enumerate() {
        let mut ball = sphere(&format!("ball{k}"), 0.1, [0.2 * k as f64, 0.0, 0.1]);
        ball.material = material.into();
        bodies.push(ball);
    }
    space(bodies, friction(0.9))
}

#[test]
fn bodies_beat_materials_and_materials_beat_the_default() {
    let mut description = three_balls();
    let (steel, rubber) = (Partner::Material("steel".into()), Partner::Material("rubber".into()));
    description.contacts = vec![
        rule([Partner::Body(1), Partner::Body(2)], friction(0.1)),
        rule([steel.clone(), steel.clone()], friction(0.2)),
        rule([steel.clone(), rubber.clone()], friction(0.3)),
        rule([rubber, Partner::Any], friction(0.4)),
    ];
    let world = world(&description);
    assert_eq!(coefficient(&world, "ball0/ball1"), Some(0.1), "a rule for two bodies");
    assert_eq!(coefficient(&world, "ball1/ball2"), Some(0.3), "two materials beat one");
    assert_eq!(coefficient(&world, "ball2/floor"), Some(0.4));
    assert_eq!(coefficient(&world, "ball0/floor"), Some(0.9), "the default");
    // Among equals the last one counts.
    description.contacts.push(rule([steel.clone(), steel], friction(0.7)));
    description.contacts.remove(0);
    assert_eq!(coefficient(&super::support::world(&description), "ball0/ball1"), Some(0.7));
}

#[test]
fn disabled_and_jointed_pairs_do_not_touch() {
    let mut description = three_balls();
    let mut off = rule([Partner::Body(1), Partner::Body(2)], friction(0.1));
    off.enabled = false;
    description.contacts.push(off);
    let mount = |body| Mount { body: Some(body), point: [0.0; 3], rotation: UNIT };
    let rod = JointKind::Distance { length: 0.2 };
    description.joints.push(JointDescription::new("rod", rod, mount(2), mount(3)));
    let names = |description: &WorldDescription| {
        let world = world(description);
        let found = gaps(&world, &world.start());
        found.iter().map(|(key, _)| world.contact_name(*key)).collect::<Vec<_>>()
    };
    let found = names(&description);
    assert!(!found.contains(&"ball0/ball1".to_string()), "{found:?}");
    assert!(!found.contains(&"ball1/ball2".to_string()), "{found:?}");
    assert!(found.contains(&"ball1/floor".to_string()), "{found:?}");
    // A rule that names both bodies has the last word.
    description.contacts.push(rule([Partner::Body(3), Partner::Body(2)], friction(0.1)));
    assert!(names(&description).contains(&"ball1/ball2".to_string()));
}

#[test]
fn named_contacts_gather_their_points() {
    let mut block = body("block", ShapeKind::Box { half_extents: [0.1; 3] });
    block.position = [0.0, 0.0, 0.1];
    let mut description = space(vec![floor(), block], friction(0.5));
    description.contacts.push(ContactDescription {
        name: Some("base".into()),
        ..rule([Partner::Body(1), Partner::Body(0)], friction(0.5))
    });
    let world = world(&description);
    let reported = world.reported_contacts();
    assert_eq!(reported.len(), 1);
    assert_eq!(world.contact_name(reported[0]), "base");
    let found = gaps(&world, &world.start());
    assert!(found.len() >= 4);
    assert!(found.iter().all(|(key, _)| world.reported_index(*key) == Some(0)));
    let names: Vec<_> = found.iter().map(|(key, _)| world.contact_name(*key)).collect();
    assert!(names.contains(&"base".into()) && names.contains(&"base-3".into()), "{names:?}");
    let mut values = Vec::new();
    world.observe(&world.start(), &mut values);
    let columns = world.columns();
    assert_eq!(columns.len(), values.len());
    assert_eq!(columns[0], "block.x");
    assert_eq!(columns[12], "block.wz");
    let mut places = Vec::new();
    world.contact_places(&world.start(), &mut places);
    // The lower corners; the upper ones do not touch.
    assert_eq!(places.len(), 4);
    let drawing = world.drawing();
    assert_eq!((drawing.bodies.len(), drawing.ground.len()), (1, 1));
}

#[test]
fn orthotropic_friction_follows_its_body() {
    let (along, across) = (0.1, 0.4);
    let slowed = |turn: f64, direction: f64| {
        let mut block = body("block", ShapeKind::Box { half_extents: [0.3, 0.3, 0.01] });
        block.position = [0.0, 0.0, 0.01];
        block.rotation = from_axis_angle(&[0.0, 0.0, 1.0], turn);
        block.velocity = [direction.cos(), direction.sin(), 0.0];
        let form = FrictionForm::Orthotropic {
            across,
            backward: [None; 2],
            axis: [1.0, 0.0, 0.3],
            body: 1,
        };
        let world = world(&space(vec![floor(), block], ContactLaw { form, ..friction(along) }));
        let state = advance(&world, &mut moreau(1e-12), 1e-3, 100);
        1.0 - state.u[0].hypot(state.u[1])
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    for (turn, direction, mu) in [
        (0.0, 0.0, along),
        (0.0, quarter, across),
        (quarter, 0.0, across),
        (quarter, quarter, along),
    ] {
        // The first step may be spent falling by rounding: g Δt.
        assert_close(slowed(turn, direction), mu * GRAVITY * 0.1, 1.1 * mu * GRAVITY * 1e-3);
    }
}

#[test]
fn rolling_friction_slows_a_sphere() {
    // m v̇ = −F, Θ ω̇ = F r − M, M = arm m g: v̇ = −(5/7) arm g/r.
    let (radius, arm) = (0.1, 2e-3);
    let mut ball = sphere("ball", radius, [0.0, 0.0, radius]);
    ball.velocity = [1.0, 0.0, 0.0];
    ball.angular_velocity = [0.0, 1.0 / radius, 0.0];
    let law = ContactLaw { rolling_arm: arm, ..friction(0.5) };
    let world = world(&space(vec![floor(), ball], law));
    let state = advance(&world, &mut moreau(1e-12), 1e-3, 1000);
    let slower = 5.0 / 7.0 * arm * GRAVITY / radius;
    // One step of the thousand may pass before the gap is closed.
    assert_close(1.0 - state.u[0], slower, 1.1e-3 * slower);
    let state = advance(&world, &mut moreau(1e-12), 1e-3, 8000);
    assert!(state.u.iter().all(|u| u.abs() < 1e-9), "it stops: {:?}", state.u);
}

#[test]
fn drilling_friction_stops_a_spinning_sphere() {
    // Pure drilling has the moment μ R̄ m g with the mean radius R̄.
    let (radius, mean, mu, rate) = (0.1, 3e-3, 0.3, 20.0);
    let mut ball = sphere("ball", radius, [0.0, 0.0, radius]);
    ball.angular_velocity = [0.0, 0.0, rate];
    let form = FrictionForm::Ellipsoid { mean_radius: mean };
    let world = world(&space(vec![floor(), ball], ContactLaw { form, ..friction(mu) }));
    let state = advance(&world, &mut moreau(1e-12), 1e-3, 1000);
    let slower = mu * mean * GRAVITY / (0.4 * radius * radius);
    assert_close(rate - omega(&world, &state, 1)[2], slower, 1.1e-3 * slower);
}
