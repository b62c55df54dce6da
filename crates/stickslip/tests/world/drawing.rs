//! Drawings of the models: poses, and places of contact that agree with the gap functions.

#![allow(clippy::unwrap_used)] // helpers of tests may fail like tests

use stickslip::kinematics::quaternion::rotation;
use stickslip::kinematics::vector::{apply, apply_transposed, sub};
use stickslip::models::{SliderCrank, TippeTopEuler};
use stickslip::scene::{BUILT_IN, BuiltIn, Scene, built_in};
use stickslip::system::{
    ContactPlace, ContactSet, Dimension, DrawnJoint, DrawnPart, DrawnPose, DrawnShape, JointSymbol,
    Observed, State,
};

/// Rounding of lengths of at most some metres, each the sum of a few products.
const ROUNDING: f64 = 1e-13;

/// The models with their start states, and how far their coordinates are varied.
fn models() -> Vec<(&'static str, Box<dyn Observed>, State, f64)> {
    let euler = TippeTopEuler::new(Default::default()).unwrap();
    let euler_start = euler.start(&Default::default());
    let crank = SliderCrank::new(Default::default()).unwrap();
    let crank_start = crank.start(&Default::default()).unwrap();
    vec![
        ("tippe-top euler", Box::new(euler), euler_start, 0.5),
        ("slider-crank", Box::new(crank), crank_start, 0.5),
    ]
}

/// A scene of the program.
fn scene(built: &BuiltIn) -> Scene {
    Scene::read(built.name, built.name, built.text, &[]).unwrap()
}

/// The start and states around it, always the same.
fn states(system: &dyn Observed, start: &State, reach: f64) -> Vec<State> {
    let mut states = vec![start.clone()];
    for k in 1..20 {
        let mut state = start.clone();
        for (i, q) in state.q.iter_mut().enumerate() {
            *q += reach * f64::sin((k * 7 + i * 13) as f64);
        }
        system.normalize(&mut state.q);
        states.push(state);
    }
    states
}

fn poses(system: &dyn Observed, at: &State) -> Vec<DrawnPose> {
    let mut poses = Vec::new();
    system.poses(at, &mut poses);
    poses
}

fn places(system: &dyn Observed, at: &State) -> Vec<ContactPlace> {
    let mut places = Vec::new();
    system.contact_places(at, &mut places);
    places
}

#[test]
fn every_body_has_a_finite_pose_in_every_state() {
    for (name, system, start, reach) in models() {
        let drawing = system.drawing();
        assert!(!drawing.bodies.is_empty() && !drawing.ground.is_empty(), "{name}");
        for state in states(system.as_ref(), &start, reach) {
            let poses = poses(system.as_ref(), &state);
            assert_eq!(poses.len(), drawing.bodies.len(), "{name}");
            for pose in poses {
                assert!(pose.position.iter().all(|x| x.is_finite()), "{name}: {pose:?}");
                let length: f64 = pose.rotation.iter().map(|e| e * e).sum();
                assert!((length - 1.0).abs() < ROUNDING, "{name}: {pose:?}");
                let plane = pose.position[2] == 0.0 && pose.rotation[1..3] == [0.0, 0.0];
                assert!(drawing.dimension == Dimension::Three || plane, "{name}: {pose:?}");
            }
        }
    }
}

/// Where the surface is that a contact is with: a point of it.
fn surface(name: &str, system: &dyn Observed, key: u64) -> [f64; 3] {
    let lines: Vec<[f64; 3]> = (system.drawing().ground.iter())
        .filter_map(|part| match &part.shape {
            DrawnShape::Line { points, .. } => points.first().copied(),
            _ => None,
        })
        .collect();
    match name {
        // Corners 1 and 2 are above, 3 and 4 below.
        "slider-crank" => lines[usize::from(key >= 2)],
        _ => [0.0; 3],
    }
}

#[test]
fn contact_places_lie_where_the_gap_function_says() {
    for (name, system, start, reach) in models() {
        for state in states(system.as_ref(), &start, reach) {
            let mut contacts = ContactSet::default();
            contacts.margin = f64::NEG_INFINITY;
            system.contacts(&state, &mut contacts);
            let places = places(system.as_ref(), &state);
            for key in system.reported_contacts() {
                assert_eq!(places.iter().filter(|p| p.key == *key).count(), 1, "{name} {key}");
            }
            for place in &places {
                let gap = contacts.candidates().iter().find(|c| c.key == place.key).unwrap().gap;
                // Friction that always acts has no gap; its place is on the surface.
                let gap = if gap == f64::NEG_INFINITY { 0.0 } else { gap };
                let from = surface(name, system.as_ref(), place.key);
                let away: f64 = (0..3).map(|k| place.normal[k] * (place.point[k] - from[k])).sum();
                assert!((away - gap).abs() < ROUNDING, "{name} {}: {away} {gap}", place.key);
            }
        }
    }
}

/// How far outside of a part a point is, 0 on its surface.
fn outside(part: &DrawnPart, point: &[f64; 3]) -> f64 {
    let [x, y, z] =
        apply_transposed(&rotation(&part.pose.rotation), &sub(point, &part.pose.position));
    match part.shape {
        DrawnShape::Sphere { radius } => x.hypot(y).hypot(z) - radius,
        DrawnShape::Disk { radius } => (x.hypot(y) - radius).hypot(z),
        DrawnShape::Box { half_extents: [a, b, _] } => (x.abs() - a).max(y.abs() - b),
        _ => f64::INFINITY,
    }
}

#[test]
fn contact_places_lie_on_the_drawn_bodies() {
    for (name, system, start, reach) in models() {
        let drawing = system.drawing();
        for state in states(system.as_ref(), &start, reach) {
            let poses = poses(system.as_ref(), &state);
            for place in places(system.as_ref(), &state) {
                let nearest = drawing.bodies.iter().zip(&poses).flat_map(|(body, pose)| {
                    let r = rotation(&pose.rotation);
                    let local = apply_transposed(&r, &sub(&place.point, &pose.position));
                    body.parts.iter().map(move |part| outside(part, &local).abs())
                });
                let nearest = nearest.fold(f64::INFINITY, f64::min);
                assert!(nearest < ROUNDING, "{name} {place:?}: {nearest}");
            }
        }
    }
}

#[test]
fn both_tops_look_alike() {
    let models = models();
    let (_, euler, at_euler, _) = &models[0];
    let text = built_in("tippe-top").unwrap().text;
    let world = Scene::read("top", "top", text, &[]).unwrap();
    // The world has no shaft between its spheres.
    let [one, two] = [euler.drawing(), world.system.drawing()];
    assert_eq!(one.bodies[0].parts[..2], two.bodies[0].parts);
    assert_eq!(one.ground, two.ground);
    let drawn = [poses(euler.as_ref(), at_euler), poses(world.system.as_ref(), &world.start)];
    for (a, b) in drawn[0].iter().zip(&drawn[1]) {
        // p and −p are the same rotation.
        let e = [0.3, -0.8, 0.5];
        let turned = [a, b].map(|pose| apply(&rotation(&pose.rotation), &e));
        for k in 0..3 {
            assert!((a.position[k] - b.position[k]).abs() < ROUNDING);
            assert!((turned[0][k] - turned[1][k]).abs() < ROUNDING);
        }
    }
}

#[test]
fn bodies_without_shapes_are_drawn_by_their_joints() {
    for built in BUILT_IN {
        for body in scene(built).system.drawing().bodies {
            assert!(!body.parts.is_empty(), "{}: nothing is drawn of {}", built.name, body.name);
        }
    }
    let crank = scene(built_in("slider-crank-world").unwrap()).system.drawing();
    let ends = vec![[-0.0765, 0.0, 0.0], [0.0765, 0.0, 0.0]];
    let bar = DrawnShape::Line { points: ends, closed: false };
    assert_eq!(crank.bodies[0].parts, [bar.centred()]);
    let slider = DrawnShape::Box { half_extents: [0.05, 0.025, 0.0] };
    assert_eq!(crank.bodies[2].parts, [slider.centred()]);
}

/// Arrows of friction are made of these: they must be the directions that the laws have.
#[test]
fn tangents_of_places_are_the_directions_of_friction() {
    for name in ["box-stack", "domino-row", "spinning-coin", "slider-crank-world", "curling-stone"]
    {
        let scene = scene(built_in(name).unwrap());
        let system = scene.system.as_ref();
        let mut contacts = ContactSet::default();
        contacts.margin = 1.0;
        system.contacts(&scene.start, &mut contacts);
        let translations = system.translations();
        let mut compared = 0;
        for place in places(system, &scene.start) {
            let [first, second] = place.tangents;
            let candidate = contacts.candidates().iter().find(|c| c.key == place.key).unwrap();
            let directions = contacts.directions(candidate);
            let width = directions.len() / candidate.dim;
            let row = |k: usize| &directions[k * width..k * width + translations];
            // On the body of the first block, which may be the one that is not drawn.
            let sign: f64 = row(0).iter().zip(place.normal).map(|(a, b)| a * b).sum();
            assert!((sign.abs() - 1.0).abs() < ROUNDING, "{name}: {sign}");
            let tangents = [first, second];
            for (k, tangent) in tangents.iter().enumerate().take(translations - 1) {
                for (a, b) in row(1 + k).iter().zip(tangent) {
                    assert!((a - sign * b).abs() < ROUNDING, "{name}: {tangent:?}");
                }
            }
            compared += 1;
        }
        assert!(compared > 0, "{name}");
    }
}

#[test]
fn joints_and_springs_are_drawn_where_they_are() {
    let crank = scene(built_in("slider-crank-world").unwrap());
    let drawing = crank.system.drawing();
    let poses = poses(crank.system.as_ref(), &crank.start);
    let end = |(body, pose): &(Option<usize>, DrawnPose)| match body {
        Some(body) => {
            let turned = apply(&rotation(&poses[*body].rotation), &pose.position);
            std::array::from_fn(|k| poses[*body].position[k] + turned[k])
        }
        None => pose.position,
    };
    let pins: Vec<_> = drawing.joints.iter().filter(|j| j.symbol == JointSymbol::Pin).collect();
    assert_eq!(pins.len(), 3, "{:?}", drawing.joints);
    for pin in pins {
        let [a, b]: [[f64; 3]; 2] = [end(&pin.ends[0]), end(&pin.ends[1])];
        assert!(sub(&a, &b).iter().all(|e| e.abs() < 1e-9), "{}: {a:?} {b:?}", pin.name);
    }
    let has_play = |joint: &DrawnJoint| matches!(joint.symbol, JointSymbol::Slot { .. });
    assert_eq!(drawing.joints.iter().filter(|joint| has_play(joint)).count(), 1);
    let woodpecker = scene(built_in("woodpecker-toy").unwrap()).system.drawing();
    assert!(woodpecker.joints.iter().any(|joint| joint.sprung), "{:?}", woodpecker.joints);
}
