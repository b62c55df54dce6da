//! Bifurcations of orbits whose places are known.

use crate::{asked, range, scene, shipped};
use std::f64::consts::PI;
use stickslip::study::{continue_orbit, find_orbit};

/// A mass with dry friction up to 1 N is pushed by a cos t.
const PUSHED: &str = r#"
format = 1
[parameters]
amplitude = 2.2
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "rail"
fixed = true
[[body]]
name = "mass"
mass = 1
free = ["x"]
[[body.shape]]
kind = "box"
half_extents = [0.05, 0.05]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["rail", "mass"]
at = [0, 0]
axis = [1, 0]
friction = 1
[[force]]
name = "push"
kind = "applied"
body = "mass"
force = ["amplitude*cos(t)", 0]
[simulation]
integrator = "event-driven"
duration = 63
"#;

/// A driven oscillator, x" + c x' + x = F cos(ωt), with a stop at x = 1.
const STOP: &str = r#"
format = 1
[parameters]
amplitude = 0.5
omega = 1.4
damping = 0.1
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "wall"
fixed = true
position = [6.05, 0]
[[body.shape]]
kind = "box"
half_extents = [5, 5]
[[body]]
name = "mass"
mass = 1
free = ["x"]
[[body.shape]]
kind = "box"
half_extents = [0.05, 0.05]
[[force]]
name = "spring"
kind = "applied"
body = "mass"
force = ["amplitude*cos(omega*t) - mass.x - damping*mass.vx", 0]
[[contact]]
name = "stop"
between = ["mass", "wall"]
restitution = 0.8
[simulation]
integrator = "event-driven"
duration = 300
"#;

#[test]
fn a_mass_begins_to_stick_where_the_push_at_its_turning_point_is_the_friction() {
    // Without stick v = 0 at t₀ and half a period later: sin t₀ = -π/(2a). It turns at once if a cos t₀ > 1, that is if
    // a² > 1 + π²/4.
    let vary = range("parameters.amplitude=2.2:1.5");
    let branches =
        continue_orbit(&scene(PUSHED), &asked(&[], None), &vary, 0, &mut |_| {}).expect("a branch");
    let exact = 1.0_f64.hypot(PI / 2.0);
    let [sliding] = &branches.first.bifurcations[..] else { panic!("{branches:?}") };
    assert_eq!(sliding.kind, "sliding");
    assert!((sliding.value - exact).abs() < 1e-6, "{} {exact}", sliding.value);
    for orbit in &branches.first.points {
        assert!((orbit.period - 2.0 * PI).abs() < 1e-9);
        let sticks = orbit.modes.iter().any(|mode| mode.ends_with("stick"));
        assert_eq!(sticks, orbit.value < exact, "{}: {:?}", orbit.value, orbit.modes);
    }
    assert!(branches.first.ended.is_none());
}

#[test]
fn the_branch_of_doubled_period_is_followed_from_the_doubling_on() {
    let vary = range("parameters.shaking=1.06:1.08");
    let table = shipped("vibrating-table");
    let branches =
        continue_orbit(&table, &asked(&[], None), &vary, 1, &mut |_| {}).expect("branches");
    let [side] = &branches.doubled[..] else { panic!("{:?}", branches.first.bifurcations) };
    assert_eq!(side.from.kind, "period-doubling");
    assert!((side.from.value - 1.070_836_468_25).abs() < 1e-6);
    let (first, last) = (&side.branch.points[0], side.branch.points.last().expect("points"));
    // It begins where the period doubles.
    assert!((first.value - side.from.value).abs() < 1e-5, "{}", first.value);
    assert!(side.branch.points.iter().all(|orbit| (orbit.period - 0.2).abs() < 1e-9));
    // The run itself comes to the same orbit.
    assert!(last.stable && last.value == 1.08, "{last:?}");
    let own =
        find_orbit(&table, &asked(&["parameters.shaking=1.08", "simulation.duration=30"], None))
            .expect("an orbit");
    for (a, b) in last.multipliers.iter().zip(&own.multipliers) {
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 1e-6, "{last:?} {own:?}");
    }
}

#[test]
fn slow_impacts_of_an_oscillator_stretch_like_the_derivative_of_a_square_root() {
    // The orbit that hits folds at a small push and comes back, unstable, to where the one that does not hit grazes: at
    // F = |1 - ω² + i c ω| its impact is infinitely slow. What a change of the gap makes of an impact is a square root, its
    // derivative is one over the velocity.
    let vary = range("parameters.amplitude=0.95:0.1");
    let asked = asked(&[], Some("impact(stop)"));
    let branches = continue_orbit(&scene(STOP), &asked, &vary, 0, &mut |_| {}).expect("a branch");
    let branch = &branches.first;
    assert!(branch.bifurcations.iter().any(|b| b.kind == "fold"), "{:?}", branch.bifurcations);
    let slow: Vec<(f64, f64, f64)> = branch
        .points
        .iter()
        .filter(|orbit| !orbit.stable)
        .map(|orbit| (orbit.value, orbit.state.u[0].abs(), orbit.multipliers[0][0].abs()))
        .collect();
    let [.., before, last] = slow[..] else { panic!("{slow:?}") };
    let stretch = |(_, speed, multiplier): (f64, f64, f64)| speed * multiplier;
    assert!((stretch(last) / stretch(before) - 1.0).abs() < 0.05, "{before:?} {last:?}");
    assert!(last.2 > 30.0 && last.0 == 0.95, "{last:?}");
    let rest = last.0 + last.1 * (last.0 - before.0) / (before.1 - last.1);
    let exact = (1.0_f64 - 1.4 * 1.4).hypot(0.1 * 1.4);
    assert!((rest - exact).abs() < 1e-3, "{rest} {exact}");
}

/// Where a branch came near to its end a step before, what was left of the gap was compared with that, and no grazing told.
#[test]
fn grazing_was_told_for_some_ranges_only() {
    for to in ["1.0", "1.05", "1.2", "2"] {
        let vary = range(&format!("parameters.amplitude=0.5:{to}"));
        let branch = continue_orbit(&scene(STOP), &asked(&[], None), &vary, 0, &mut |_| {});
        let found = branch.expect("a branch").first.bifurcations;
        let [grazing] = &found[..] else { panic!("to {to}: {found:?}") };
        let exact = (1.0_f64 - 1.4 * 1.4).hypot(0.1 * 1.4);
        assert_eq!(grazing.kind, "grazing");
        assert!((grazing.value - exact).abs() < 1e-7, "to {to}: {}", grazing.value);
    }
}
