//! Worlds that are valid and unkind: what runs is right, what cannot be run says so.

use crate::runs::Run;
use crate::support::{complaint, contains};
use stickslip::scene::Scene;
use stickslip::simulate::{self, Observer, RunStatus, Sample};

struct Finite;

impl Observer for Finite {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        assert!(sample.energy.total().is_finite() && sample.values.iter().all(|v| v.is_finite()));
        Ok(())
    }
}

/// Warnings before a run, and how it ends; every row of its table is finite.
fn ends(text: &str) -> (String, RunStatus) {
    let scene = Scene::read("my.toml", "my", text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut integrator = scene.integrator().expect("an integrator");
    let (system, start) = (scene.system.as_ref(), scene.start.clone());
    let summary = simulate::run(system, integrator.as_mut(), start, &scene.settings(), &mut Finite);
    (scene.warnings().join("\n"), summary.expect("settings").status)
}

#[test]
fn polygons_collide_whichever_way_round_they_are_given() {
    let heights = ["[[-1, 0], [1, 0], [0, -1]]", "[[0, -1], [1, 0], [-1, 0]]"].map(|points| {
        let text = format!(
            "[world]\ndimension = 2\n[[body]]\nname = \"f\"\nfixed = true\n[[body.shape]]\n\
             kind = \"polygon\"\npoints = {points}\n[[body]]\nname = \"a\"\nmass = 1\n\
             position = [0.01, 0.15]\n[[body.shape]]\nkind = \"box\"\nhalf_extents = [0.2, 0.1]\n\
             [default_contact]\nfriction = 0.5\n[simulation]\nduration = 0.6"
        );
        Run::of(&text, &[]).last("a.y")
    });
    // The box falls 5 cm and stays within the way of a step, 1 mm.
    assert!(heights.iter().all(|y| (y - 0.1).abs() < 1e-3), "{heights:?}");
}

#[test]
fn runge_kutta_steps_rebound_by_newtons_law_and_hold_joints() {
    let ball = "[world]\ngravity = [0, 0, 0]\n[world.ground]\n[[body]]\nname = \"a\"\nmass = 1\n\
                position = [0, 0, 0.2]\nvelocity = [0, 0, -1]\n[[body.shape]]\nkind = \"sphere\"\n\
                radius = 0.1\n[default_contact]\nrestitution = 0.8\n[simulation]\nduration = 0.3\n\
                integrator = \"moreau-rk4\"";
    assert!((Run::of(ball, &[]).last("a.vz") - 0.8).abs() < 1e-12);
    let pendulum = "[world]\ndimension = 2\n[[body]]\nname = \"a\"\nmass = 1\ninertia = 0.01\n\
                    position = [1, 0]\n[[joint]]\nkind = \"revolute\"\nbodies = [\"ground\", \"a\"]\n\
                    at = [0, 0]\n[simulation]\nduration = 4";
    let ends = ["moreau", "moreau-rk4"]
        .map(|name| Run::of(pendulum, &[&format!("simulation.integrator={name}")]).last("a.angle"));
    // With a joint every step is one of the midpoint rule.
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn constraints_that_contradict_each_other_end_the_run() {
    let text = "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[joint]]\nkind = \"fixed\"\n\
                bodies = [\"ground\", \"a\"]\n[[joint]]\nkind = \"prismatic\"\n\
                bodies = [\"ground\", \"a\"]\nat = [0, 0, 0]\nmotor = { speed = \"0.5*t\" }\n\
                [simulation]\nduration = 0.1";
    let (_, status) = ends(text);
    assert!(matches!(status, RunStatus::NotConverged { .. }), "{status:?}");
}

#[test]
fn a_damper_that_is_too_stiff_for_the_step_is_told_before_and_ends_the_run() {
    let text = |damping: f64| {
        format!(
            "[world]\ndimension = 2\ngravity = [0, 0]\n[[body]]\nname = \"a\"\nmass = 1\n\
             inertia = 1\nangular_velocity = 1\n[[joint]]\nkind = \"revolute\"\n\
             bodies = [\"ground\", \"a\"]\nat = [0, 0]\nspring = {{ damping = {damping} }}"
        )
    };
    let (warnings, status) = ends(&text(3000.0));
    contains(&warnings, &["3.00e3 1/s", "6.7e-4 s", "unstable"]);
    assert!(matches!(status, RunStatus::Untrustworthy { .. }), "{status:?}");
    let (warnings, status) = ends(&text(1000.0));
    assert_eq!((warnings.as_str(), status), ("", RunStatus::Done));
}

#[test]
fn a_force_that_becomes_infinite_ends_the_run() {
    let text = "[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n\
                [[force]]\nkind = \"applied\"\nbody = \"a\"\nforce = [\"1/(t-0.5)\", 0, 0]";
    let (_, status) = ends(text);
    let RunStatus::Failed { message } = status else { panic!("{status:?}") };
    contains(&message, &["at t = 0.5 s", "not finite"]);
}

#[test]
fn shapes_without_thickness_are_warned_of() {
    let segment = |name: &str, fixed: bool, y: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nfixed = {fixed}\nmass = 1\ninertia = 1\n\
             position = [0, {y}]\n[[body.shape]]\nkind = \"segment\"\nends = [[-1, 0], [1, 0]]\n"
        )
    };
    let (low, high) = (segment("low", true, 0.0), segment("high", false, 1.0));
    let world = "[world]\ndimension = 2\n[simulation]\nduration = 0.01\n";
    let (warnings, _) = ends(&format!("{world}{low}{high}"));
    contains(&warnings, &["\"high\" and \"low\"", "without thickness"]);
    assert_eq!(ends(&format!("{world}{high}")).0, "");
}

#[test]
fn names_of_joints_coinciding_copies_and_endless_friction_are_refused() {
    let body =
        "[[body]]\nname = \"a\"\nmass = 1\n[[body.shape]]\nkind = \"sphere\"\nradius = 0.1\n";
    for name in ["x,y", "a", "two\\nlines"] {
        let joint =
            format!("[[joint]]\nname = \"{name}\"\nkind = \"fixed\"\nbodies = [\"ground\", \"a\"]");
        contains(&complaint(&format!("{body}{joint}")), &["joint.0.name", "letters a to z"]);
    }
    let array = "[[array]]\nbody = \"a\"\nkind = \"grid\"\ncounts = [2, 3, 1]\nspacing = [1, 0, 0]";
    contains(&complaint(&format!("{body}{array}")), &["array.0.spacing is 0", "coincide"]);
    let law = "[default_contact]\nfriction = 1e7";
    contains(&complaint(&format!("{body}{law}")), &["default_contact.friction", "at most 1e6"]);
}

/// A fast gyroscope whose point of support lies on its axis: steady precession at m g r / (C ω).
#[test]
fn a_fast_gyroscope_precesses_event_by_event() {
    let text = "[[body]]\nname = \"a\"\nmass = 1\ninertia = [0.01, 0.01, 0.02]\n\
                position = [0.2, 0, 0]\nrotation = { axis = [0, 1, 0], angle = \"90 deg\" }\n\
                angular_velocity = [200, 0, 0]\n[[joint]]\nkind = \"spherical\"\n\
                bodies = [\"ground\", \"a\"]\nat = [0, 0, 0]\n[simulation]\nduration = 1\n\
                integrator = \"event-driven\"";
    let run = Run::of(text, &[]);
    let turned = run.last("a.y").atan2(run.last("a.x"));
    // Let go without precession it nutates with C ω / A, A about the support, and swings about the
    // steady motion by rate over that frequency.
    let rate = 9.81 * 0.2 / (0.02 * 200.0);
    let nutation = 0.02 * 200.0 / (0.01 + 0.2 * 0.2);
    assert!((turned - rate).abs() < 1.05 * rate / nutation, "{turned} {rate}");
    assert!(run.summary.energy.closing_error.abs() < 1e-9 * run.summary.energy.initial);
}
