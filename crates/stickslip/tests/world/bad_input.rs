//! Descriptions that are wrong are refused, all errors at once; odd ones do no harm.

use super::support::*;
use stickslip::integrate::Integrator;
use stickslip::world::*;

fn errors(description: &WorldDescription) -> Vec<WorldError> {
    World::new(description).err().unwrap_or_default()
}

#[test]
fn every_error_is_found_and_says_where_it_is() {
    let mut bodies =
        vec![floor(), sphere("a", -1.0, [f64::NAN, 0.0, 0.0]), sphere("a", 1.0, [0.0; 3])];
    bodies[2].rotation = [1.0, 1.0, 0.0, 0.0];
    bodies[2].mass = MassDescription::Density(0.0);
    let mut description = space(bodies, ContactLaw { restitution: 2.0, ..friction(-1.0) });
    description.gravity[0] = f64::INFINITY;
    description.contacts.push(ContactDescription {
        name: Some(String::new()),
        between: [Partner::Body(7), Partner::Any],
        enabled: true,
        law: ContactLaw::default(),
    });
    let found = errors(&description);
    for (part, key) in [
        (Part::World, "gravity"),
        (Part::Body(1), "position"),
        (Part::Shape(1, 0), "radius"),
        (Part::Body(2), "name"),
        (Part::Body(2), "rotation"),
        (Part::Body(2), "density"),
        (Part::Contact(0), "between"),
        (Part::Contact(0), "name"),
        (Part::DefaultContact, "restitution"),
        (Part::DefaultContact, "friction"),
    ] {
        assert!(found.iter().any(|e| e.part == part && e.key == key), "{part:?} {key}: {found:?}");
    }
    assert_eq!(found.len(), 10, "{found:?}");
    assert!(found.iter().all(|e| e.message.len() > 10));
}

#[test]
fn shapes_belong_to_their_space() {
    let flat = plane(vec![body("b", ShapeKind::Sphere { radius: 1.0 })], ContactLaw::default());
    assert_eq!(errors(&flat)[0].key, "kind");
    let solid = space(vec![body("b", ShapeKind::Circle { radius: 1.0 })], ContactLaw::default());
    assert_eq!(errors(&solid)[0].key, "kind");
    let dent = vec![[0.0, 0.0], [1.0, 0.0], [0.2, 0.2], [0.0, 1.0]];
    let dented = plane(vec![body("b", ShapeKind::Polygon { points: dent })], ContactLaw::default());
    assert_eq!(errors(&dented)[0].key, "points");
    let mut tilted =
        plane(vec![body("b", ShapeKind::Circle { radius: 1.0 })], ContactLaw::default());
    tilted.bodies[0].rotation = [0.5, 0.5, 0.5, 0.5];
    assert_eq!(errors(&tilted)[0].key, "rotation");
    for points in [
        vec![[0.0; 3]; 5],
        vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
        vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]],
        vec![[1e300; 3], [-1e300; 3], [1e300, 0.0, 0.0], [0.0, -1e300, 1.0]],
    ] {
        let kind = ShapeKind::ConvexHull { points };
        let found = errors(&space(vec![body("b", kind.clone())], ContactLaw::default()));
        assert!(!found.is_empty(), "{kind:?}");
    }
}

#[test]
fn inertia_must_be_possible() {
    let with = |inertia: [f64; 6]| {
        let mut one = sphere("ball", 0.1, [0.0; 3]);
        one.mass = MassDescription::Given { mass: 1.0, center: [0.0; 3], inertia };
        World::new(&space(vec![one], ContactLaw::default()))
    };
    assert!(with([1.0, 1.0, 1.9, 0.0, 0.0, 0.0]).unwrap().warnings().is_empty());
    assert_eq!(with([1.0, 1.0, 2.01, 0.0, 0.0, 0.0]).unwrap().warnings().len(), 1);
    assert_eq!(with([1.0, 1.0, 2.1, 0.0, 0.0, 0.0]).err().unwrap()[0].key, "inertia");
    assert_eq!(with([1.0, 1.0, 1.0, 1.5, 0.0, 0.0]).err().unwrap()[0].key, "inertia");
    assert_eq!(with([0.0; 6]).err().unwrap()[0].key, "inertia");
    // Turned axes: principal moments 1, 1.5, 2.
    assert!(with([1.25, 1.25, 2.0, 0.25, 0.0, 0.0]).unwrap().warnings().is_empty());
}

#[test]
fn what_has_no_volume_needs_a_mass() {
    let half_space = body("b", ShapeKind::HalfSpace);
    assert_eq!(errors(&space(vec![half_space], ContactLaw::default()))[0].key, "density");
    let mut bare = body("b", ShapeKind::HalfSpace);
    bare.shapes.clear();
    assert_eq!(errors(&space(vec![bare], ContactLaw::default()))[0].key, "mass");
}

#[test]
fn odd_worlds_run() {
    // Empty; shapes inside each other; huge and tiny next to each other; coincident centres.
    let worlds = [
        WorldDescription::default(),
        space(vec![floor()], friction(0.5)),
        space(
            vec![
                floor(),
                sphere("a", 0.1, [0.0, 0.0, 0.1]),
                sphere("b", 0.1, [0.0, 0.0, 0.1]),
                sphere("c", 1e-6, [0.0, 0.0, 0.1]),
                sphere("d", 1e6, [0.0, 0.0, 1e6]),
            ],
            friction(0.5),
        ),
        space(
            solids().into_iter().enumerate().map(|(k, s)| body(&format!("b{k}"), s)).collect(),
            friction(0.5),
        ),
        plane(
            flats().into_iter().enumerate().map(|(k, s)| body(&format!("b{k}"), s)).collect(),
            friction(0.5),
        ),
    ];
    for description in &worlds {
        let world = world(description);
        let mut state = world.start();
        let mut integrator = moreau(1e-6);
        for _ in 0..20 {
            integrator.step(&world, &mut state, 1e-3).unwrap();
            assert!(state.q.iter().chain(&state.u).all(|v| v.is_finite()));
        }
    }
}

fn solids() -> Vec<ShapeKind> {
    vec![
        ShapeKind::Sphere { radius: 0.3 },
        ShapeKind::Box { half_extents: [0.2, 0.3, 0.15] },
        ShapeKind::Capsule { radius: 0.1, half_length: 0.3 },
        ShapeKind::Cylinder { radius: 0.2, half_length: 0.25 },
        ShapeKind::Disk { radius: 0.3 },
        ShapeKind::Ellipsoid { semi_axes: [0.1, 0.2, 0.3] },
    ]
}

fn flats() -> Vec<ShapeKind> {
    vec![
        ShapeKind::Circle { radius: 0.3 },
        ShapeKind::Rectangle { half_extents: [0.2, 0.3] },
        ShapeKind::Polygon { points: vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]] },
    ]
}
