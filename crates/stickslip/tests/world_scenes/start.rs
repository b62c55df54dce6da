//! What can be said of a start, on systems whose answers are known.

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
