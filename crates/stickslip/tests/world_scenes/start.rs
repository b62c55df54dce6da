//! What can be said of a start, on systems whose answers are known.

use crate::motion::{motion, motion_of};
use stickslip::analysis::eccentric::{newton_energy_gain, paradox_friction};
use stickslip::analysis::start::StartReport;
use stickslip::scene::{Scene, built_in};

fn report(name: &str, overrides: &[&str]) -> StartReport {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let text = built_in(name).expect("a scene").text;
    let scene = Scene::read(name, name, text, &overrides).unwrap_or_else(|e| panic!("{e}"));
    StartReport::new(scene.system.as_ref(), &scene.start, 1e-6)
}

/// Three bodies of the plane with three hinges: six constraints, all independent.
#[test]
fn the_joints_of_the_slider_crank_are_independent() {
    let report = report("slider-crank-world", &[]);
    assert_eq!((report.velocities, report.blocks), (9, 3));
    assert_eq!((report.joint_rows, report.joint_rank), (6, Some(6)));
    assert!(report.bad_masses.is_empty() && report.joint_gaps.is_empty());
    assert!(report.joint_speeds.is_empty() && report.overlaps.is_empty());
    assert_eq!((report.contacts, report.closed), (4, 0));
}

/// With a prescribed speed the crank is turned by one more constraint.
#[test]
fn a_prescribed_motion_is_a_constraint() {
    let report = report("slider-crank-world", &["joint.ground-crank.motor={ speed = 150 }"]);
    assert_eq!((report.joint_rows, report.joint_rank), (7, Some(7)));
}

#[test]
fn a_top_that_starts_in_the_floor_overlaps() {
    let good = report("tippe-top", &[]);
    assert!(good.overlaps.is_empty() && good.joint_rank == Some(0), "{good:?}");
    let bad = report("tippe-top", &["start.z=0.01"]);
    assert_eq!(bad.overlaps.len(), 1, "{bad:?}");
    assert!(bad.overlaps[0].value < -1e-3);
    let falling = report("tippe-top", &["start.z=0.01", "start.z_dot=-1"]);
    assert_eq!(falling.approaching.len(), 1, "{falling:?}");
}

/// A thin rod, κ = 1/3: the coefficient 4/3 of Painlevé's example.
#[test]
fn a_rod_can_jam_from_four_thirds_on() {
    assert!((paradox_friction(1.0 / 3.0) - 4.0 / 3.0).abs() < 1e-15);
    // The smallest G_NN − μ|G_NT| over the attitudes changes its sign there.
    let least = |kappa: f64, friction: f64| {
        let value = |theta: f64| {
            let (sin, cos) = theta.sin_cos();
            1.0 + (cos * cos - friction * (sin * cos).abs()) / kappa
        };
        (0..10_000).map(|k| value(k as f64 * 1e-4 * std::f64::consts::PI)).fold(f64::MAX, f64::min)
    };
    for kappa in [0.1, 1.0 / 3.0, 0.4, 1.0] {
        let friction = paradox_friction(kappa);
        assert!(least(kappa, 0.999 * friction) > 0.0 && least(kappa, 1.001 * friction) < 0.0);
    }
}

/// Newton's law gains energy for eccentric impacts with friction (Kane's example) and never where
/// both coefficients of restitution are the same.
#[test]
fn newtons_law_with_friction_may_gain_energy() {
    let kappa = 1.0 / 3.0;
    let gain = newton_energy_gain(kappa, 0.5, 0.9, 0.0);
    assert!(gain > 1e-3 && gain < 1.0, "{gain}");
    assert_eq!(newton_energy_gain(kappa, 0.5, 0.0, 0.0), 0.0);
    assert_eq!(newton_energy_gain(kappa, 0.5, 0.9, 0.9), 0.0);
    assert_eq!(newton_energy_gain(kappa, 0.0, 0.9, 0.0), 0.0);
    // A body that is hard to turn has no coupling.
    assert_eq!(newton_energy_gain(1e12, 0.5, 0.9, 0.0), 0.0);
}

/// A block in the floor, two blocks in each other, two rods whose joint is apart.
const APART: &str = r#"
[world]
dimension = 2
[world.ground]
[[body]]
name = "low"
mass = 2
position = [0, 0.0495]
[[body.shape]]
kind = "box"
half_extents = [0.1, 0.05]
[[body]]
name = "high"
mass = 1
position = [0, 0.1491]
[[body.shape]]
kind = "box"
half_extents = [0.1, 0.05]
[[body]]
name = "rod"
mass = 1
position = [2, 1]
[[body.shape]]
kind = "box"
half_extents = [0.5, 0.01]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
points = [[1.5, 1.002], [-0.5, 0]]
[default_contact]
friction = 0.3
[simulation]
duration = 0.02
step = 1e-3
"#;

const KEEP_GAPS: [&str; 2] = ["simulation.integrator=rattle", "simulation.integrator=event-driven"];

/// The overlap of a resting block was closed by its first step, as negative dissipation of the
/// normal force: m g d.
#[test]
fn overlaps_and_joints_apart_at_the_start_are_closed_and_told() {
    for integrator in KEEP_GAPS {
        let run = motion_of(APART, &[integrator]);
        let (low, high) = (run.column("low.y"), run.column("high.y"));
        assert!(
            (low[0] - 0.05).abs() < 1e-10 && (high[0] - 0.15).abs() < 1e-10,
            "{low:?} {high:?}"
        );
        // Only the end of the rod was lifted, by 2 mm, the nearest in the mass metric.
        let (rod, angle) = (run.column("rod.y")[0], run.column("rod.angle")[0]);
        assert!((rod - 0.5 * angle.sin() - 1.002).abs() < 1e-10, "{rod} {angle}");
        assert!(angle < -1e-3 && rod < 1.0011, "{rod} {angle}");
        // The blocks rest: nothing is lost, nothing gained, and they stay.
        let book = &run.summary.energy;
        assert!((run.energies[0][1] - book.initial).abs() < 1e-15);
        assert!((low[low.len() - 1] - 0.05).abs() < 1e-9);
        let at_contacts = book.book.works.iter().filter(|work| work.0 != "joint");
        let lost: f64 = at_contacts.map(|work| work.1).sum();
        assert!(lost.abs() < 1e-9, "{integrator}: {lost}");
        let told = run.summary.warnings.join("\n") + &run.scene.assembly().join("\n");
        for word in ["'low/ground'", "5.000e-4 m", "'low/high", "4.000e-4 m", "'hinge' apart by"] {
            assert!(told.contains(word), "{word}: {told}");
        }
    }
    // Moreau's rule does what the scene says, and nothing before.
    let run = motion_of(APART, &["simulation.integrator=moreau"]);
    assert_eq!(run.column("low.y")[0], 0.0495);
}

/// What is deep in the floor was called untrustworthy, and Newton's law was blamed.
#[test]
fn a_top_that_starts_in_the_floor_is_put_on_it() {
    for integrator in KEEP_GAPS {
        let deep = ["start.z=0.01", "simulation.duration=0.02", integrator];
        let run = motion("tippe-top", &deep);
        let told = run.summary.warnings.join("\n");
        assert!(told.contains("overlaps") && told.contains("e-3 m"), "{told}");
        let state = &run.summary.final_state;
        assert!(state.q.iter().all(|v| v.is_finite()));
        let share = run.summary.energy.worst_closing.share;
        assert!(share < 1e-2, "{share}");
    }
}

/// A box between two fixed walls that are nearer than it is wide.
#[test]
fn what_is_wedged_at_the_start_is_named() {
    let wall = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nfixed = true\nposition = [{x}, 0]\n[[body.shape]]\n\
             kind = \"box\"\nhalf_extents = [0.1, 1]\n"
        )
    };
    let text = format!(
        "[world]\ndimension = 2\n{}{}[[body]]\nname = \"box\"\nmass = 1\n[[body.shape]]\n\
         kind = \"box\"\nhalf_extents = [0.1, 0.1]\n[simulation]\nduration = 0\nstep = 1e-3\n",
        wall("left", -0.199),
        wall("right", 0.199)
    );
    let run = motion_of(&text, &[]);
    let told = run.summary.warnings.join("\n");
    assert!(told.contains("could not be closed"), "{told}");
    assert!(
        told.contains("left") && told.contains("right") && told.contains("1.000e-3 m"),
        "{told}"
    );
    // It stays half-way between them.
    assert!(run.column("box.x")[0].abs() < 1e-9);
}
