//! Scenes with screws, gears, belts and racks, and cones.

use crate::runs::Run;
use crate::support::{complaint, contains};
use stickslip::simulate::RunStatus;

#[test]
fn the_screw_jack_holds_its_load() {
    let jack = Run::named("screw-jack", &[]);
    let (lead, gravity) = (5e-3 / std::f64::consts::TAU, 9.81);
    let inertia = 0.01 + 100.0 * lead * lead;
    let against = 1.0 + 100.0 * gravity * lead;
    let (up, down) = ((2.0 - against) / inertia, against / inertia);
    let turned = 0.5 * up + up * up / (2.0 * down);
    let z = jack.column("table.z");
    let rise = z.last().expect("rows") - 0.45;
    // The step in which it stops is found to a part of 1e-3 s.
    assert!((rise - lead * turned).abs() < 3e-5, "{rise} {}", lead * turned);
    assert_eq!(jack.summary.stopped_by, Some(0));
    let t = jack.column("t");
    let last = t.last().expect("rows");
    assert!((last - (1.0 + up / down + 0.1)).abs() < 0.01, "{last}");
    // It does not creep.
    let held: Vec<f64> = z.iter().zip(&t).filter(|(_, t)| **t > 1.14).map(|(z, _)| *z).collect();
    assert!(held.len() >= 3 && held.iter().all(|z| (z - held[0]).abs() < 1e-10), "{held:?}");
    // With less friction than the load asks for it runs down: m g p/2π − 0.7 N m on J.
    let loose = [
        "joint.thread.friction=0.7",
        "simulation.duration=0.5",
        "joint.bearing.motor.enabled=false",
    ];
    let down = Run::named("screw-jack", &loose);
    let fall = 0.5 * 0.25 * (100.0 * gravity * lead - 0.7) / inertia * lead;
    let z = down.column("table.z");
    let sunk = 0.45 - z.last().expect("rows");
    assert!((sunk - fall).abs() < 1e-3 * fall, "{sunk} {fall}");
}

#[test]
fn gears_with_backlash_lose_their_play_at_every_change_of_direction() {
    let gears = Run::named("gear-backlash", &[]);
    let range = |name: &str| {
        let values = gears.column(name);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most - values.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let driver = 3.0 / std::f64::consts::PI;
    assert!((range("driver.angle") - driver).abs() < 1e-4, "{}", range("driver.angle"));
    let driven = 0.4 * (driver - 0.1);
    assert!((range("driven.angle") - driven).abs() < 2e-3, "{} {driven}", range("driven.angle"));
    assert!((range("teeth.coordinate") - 0.1).abs() < 1e-6);
    assert_eq!(gears.summary.happened.len(), 1);
}

/// The step in which all stood still and the motor turned round was not solved: what had been expected of
/// the wheel at rest was called a divergence.
#[test]
fn a_motor_that_turns_round_while_all_stands_still_was_not_solved() {
    let held = Run::named("gear-backlash", &["joint.hinge.friction=0.2"]);
    assert_eq!(held.summary.status, RunStatus::Done);
    let wheel = held.column("driven.angle");
    let most = wheel.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = wheel.iter().copied().fold(f64::INFINITY, f64::min);
    let wanted = 0.4 * (3.0 / std::f64::consts::PI - 0.1);
    assert!((most - least - wanted).abs() < 2e-3, "{most} {least} {wanted}");
}

/// Two wheels of the plane in hinges, and a joint between them.
fn wheels(joint: &str) -> String {
    let wheel = |name: &str, x: f64, angle: f64, w: f64| {
        format!(
            "[[body]]\nname = {name:?}\nmass = 1\ninertia = 0.01\nposition = [{x}, 0.2]\nrotation = {angle}\n\
             angular_velocity = {w}\n[[joint]]\nkind = \"revolute\"\nbodies = [\"ground\", {name:?}]\nat = \
             [{x}, 0.2]\n"
        )
    };
    format!(
        "[world]\ndimension = 2\n{}{}[[joint]]\nname = \"both\"\nbodies = [\"a\", \"b\"]\n{joint}\n\
         [simulation]\nduration = 1\nstep = 1e-3\nintegrator = \"rattle\"\n",
        wheel("a", 0.0, 0.3, 6.0),
        wheel("b", 0.5, 7.0, 0.0)
    )
}

#[test]
fn wheels_of_scenes_turn_in_their_ratio_from_any_angle() {
    for (joint, ratio) in [
        ("kind = \"gear\"\nteeth = [10, 25]", -0.4),
        ("kind = \"gear\"\nteeth = [10, 25]\ninternal = true", 0.4),
        ("kind = \"belt\"\nradii = [0.1, \"250 mm\"]", 0.4),
        ("kind = \"belt\"\nradii = [0.1, 0.25]\ncrossed = true", -0.4),
    ] {
        // The first wheel turns at the start, the second does not: they come together with an impact, and
        // keep J₁ω₁ + ratio J₂ω₂.
        let run =
            Run::of(&wheels(joint), &["simulation.duration=0.5", "body.b.angular_velocity=0"]);
        let (a, b) = (run.column("a.angle"), run.column("b.angle"));
        let (wa, wb) = (run.column("a.w"), run.column("b.w"));
        let last = a.len() - 1;
        assert!((wb[last] - ratio * wa[last]).abs() < 1e-9, "{joint}: {} {}", wa[last], wb[last]);
        let turned = (b[last] - b[0]) - ratio * (a[last] - a[0]);
        assert!(turned.abs() < 1e-2, "{joint}: {turned}");
        assert!(a[last] - a[0] > 1.0, "{joint}");
    }
}

#[test]
fn wrong_wheels_and_axes_are_named() {
    let gear = |keys: &str| complaint(&wheels(&format!("kind = \"gear\"\n{keys}")));
    contains(&gear("teeth = [10, 20]\nbacklash = 1"), &["joint.2.backlash", "less than a tooth"]);
    contains(&gear("teeth = [0, 20]"), &["joint.2.teeth"]);
    contains(&gear("teeth = [10, 20]\nat = [0, 0]"), &["joint.2", "its points are one place"]);
    let space = wheels("kind = \"screw\"\npitch = 0.1\nat = [0, 0]");
    contains(&complaint(&space), &["joint.2.kind", "for space"]);
    let belt = wheels("kind = \"belt\"\nradii = [0.1, 0.314159265]");
    let scene = crate::support::read(&belt);
    let error = scene.build().err().expect("an error").to_string();
    contains(&error, &["joint.2.radii", "whole numbers"]);
}

#[test]
fn a_cone_stands_on_its_base_and_slides_as_coulomb_says() {
    let scene = |tilt: f64| {
        format!(
            "[world]\ngravity = [{}, 0, {}]\n[world.ground]\n[[body]]\nname = \"cone\"\ndensity = 1000\n\
             position = [0, 0, 0.1]\n[[body.shape]]\nkind = \"cone\"\nradius = 0.1\nhalf_length = 0.1\n\
             [default_contact]\nfriction = 0.3\n[simulation]\nduration = 1\nstep = 1e-3\n",
            9.81 * f64::sin(tilt),
            -9.81 * f64::cos(tilt)
        )
    };
    // Below the angle of friction it rests; above it slides with g (sin − 0.3 cos), and its base (H/4 under the
    // centre of mass) is broad enough.
    let rests = Run::of(&scene(0.2), &[]);
    let x = rests.column("cone.x");
    assert!(x.last().expect("rows").abs() < 1e-9);
    let slides = Run::of(&scene(0.5), &[]);
    let x = slides.column("cone.x");
    let expected = 0.5 * 9.81 * (f64::sin(0.5) - 0.3 * f64::cos(0.5));
    let last = x.last().expect("rows");
    assert!((last - expected).abs() < 2e-3 * expected, "{last} {expected}");
}
