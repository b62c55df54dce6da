//! Copies of bodies.

use crate::support::{BALL, complaint, contains, read, with_ball};
use stickslip::scene::WorldScene;

#[test]
fn a_grid_stands_where_its_body_is() {
    let text = with_ball(
        "[[array]]\nbody = \"ball\"\nkind = \"grid\"\ncounts = [2, 3, 4]\nspacing = [1, 2, \"30 cm\"]",
    );
    let text = text.replace("mass = 2\n", "mass = 2\nposition = [10, 0, 0]\n");
    let bodies = read(&text).description.bodies;
    assert_eq!(bodies.len(), 24);
    assert_eq!((bodies[0].name.as_str(), bodies[0].position), ("ball-0", [10.0, 0.0, 0.0]));
    let last = &bodies[23];
    assert_eq!((last.name.as_str(), last.position), ("ball-23", [11.0, 4.0, 0.3 * 3.0]));
    assert!(
        bodies.iter().all(|body| body.shapes == bodies[0].shapes && body.mass == bodies[0].mass)
    );
}

#[test]
fn random_copies_do_not_overlap_and_repeat() {
    let text = |seed: u32| {
        with_ball(&format!(
            "[[array]]\nbody = \"ball\"\nkind = \"random\"\ncount = 300\nlower = [0, 0, 0]\nupper = [2, 2, \
             2]\ngap = 0.01\nseed = {seed}\nturned = true"
        ))
    };
    let bodies = read(&text(1)).description.bodies;
    let mut nearest = f64::INFINITY;
    for (i, a) in bodies.iter().enumerate() {
        assert!(a.position.iter().all(|x| (0.0..=2.0).contains(x)));
        let length: f64 = a.rotation.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-14);
        for b in &bodies[..i] {
            let distance =
                (0..3).map(|k| (a.position[k] - b.position[k]).powi(2)).sum::<f64>().sqrt();
            nearest = nearest.min(distance);
        }
    }
    // Two radii and the gap; with 300 copies some come near to it.
    assert!((0.21..0.25).contains(&nearest), "{nearest}");
    let again = read(&text(1)).description.bodies;
    let other = read(&text(2)).description.bodies;
    assert!(
        bodies
            .iter()
            .zip(&again)
            .all(|(a, b)| a.position == b.position && a.rotation == b.rotation)
    );
    assert!(bodies.iter().zip(&other).all(|(a, b)| a.position != b.position));
}

#[test]
fn arrays_that_cannot_be_are_refused() {
    for (keys, part) in [
        (
            "body = \"bal\"\nkind = \"grid\"\ncounts = [1, 1, 1]\nspacing = [1, 1, 1]",
            "mean \"ball\"?",
        ),
        ("body = \"ball\"\nkind = \"grid\"\ncounts = [1, 1]\nspacing = [1, 1, 1]", "must have 3"),
        (
            "body = \"ball\"\nkind = \"grid\"\ncounts = [1, 0, 1]\nspacing = [1, 1, 1]",
            "array.0.counts.1 is 0",
        ),
        (
            "body = \"ball\"\nkind = \"random\"\ncount = 1000\nlower = [0, 0, 0]\nupper = [1, 1, 1]",
            "no more room",
        ),
        (
            "body = \"ball\"\nkind = \"random\"\ncount = 1\nlower = [0, 0, 0]\nupper = [1, -1, 1]",
            "not be below lower",
        ),
        ("body = \"ball\"\nkind = \"ring\"", "\"chain\" or \"random\""),
        ("body = \"ball\"", "has no kind"),
    ] {
        contains(&complaint(&with_ball(&format!("[[array]]\n{keys}"))), &[part]);
    }
}

#[test]
fn too_many_bodies_are_a_limit_and_not_an_attempt() {
    let text = with_ball(
        "[[array]]\nbody = \"ball\"\nkind = \"grid\"\ncounts = [100000, 100000, 100000]\nspacing = [1, 1, 1]",
    );
    let error = WorldScene::read("my.toml", "my", &text, &[], None).err().expect("too many");
    assert!(error.is_limit());
    contains(&error.to_string(), &["there would be 1000000000000000 bodies; at most 100000"]);
    let most = with_ball(
        "[[array]]\nbody = \"ball\"\nkind = \"grid\"\ncounts = [100, 100, 10]\nspacing = [1, 1, 1]",
    );
    assert_eq!(read(&most).description.bodies.len(), 100_000);
    let twice = format!("{BALL}{}", BALL.replace("ball", "ball-1"));
    let text = format!(
        "{twice}[[array]]\nbody = \"ball\"\nkind = \"grid\"\ncounts = [2, 1, 1]\nspacing = [1, 1, 1]"
    );
    contains(&complaint(&text), &["\"ball-1\", but another body has this name"]);
}
