//! Orbits of scenes that are known otherwise.

use crate::{asked, scene, shipped};
use std::f64::consts::PI;
use stickslip::study::find_orbit;

#[test]
fn a_rimless_wheel_walks_round_in_eight_steps() {
    let set = ["simulation.duration=25"];
    let orbit = find_orbit(&shipped("rimless-wheel"), &asked(&set, None)).expect("an orbit");
    // From spoke to spoke: ½ J ω² + m g l cos(θ + γ) is kept, η of the rate is kept by a foot that lands.
    let (alpha, gamma, j) = (PI / 8.0, 5.0 * PI / 180.0, 1.5);
    let eta = 1.0 - (1.0 - (PI / 4.0).cos()) / j;
    let before: f64 = 4.0 * 9.81 * alpha.sin() * f64::sin(gamma) / (j * (1.0 - eta * eta));
    let after = eta * eta * before;
    let rate = |theta: f64| {
        (after + 2.0 * 9.81 / j * ((gamma - alpha).cos() - (theta + gamma).cos())).sqrt()
    };
    // Simpson's rule.
    let n = 2000;
    let h = 2.0 * alpha / n as f64;
    let weight = |k: usize| match k {
        0 => 1.0,
        k if k == n => 1.0,
        k if k % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let step: f64 = (0..=n).map(|k| weight(k) / rate(-alpha + k as f64 * h)).sum::<f64>() * h / 3.0;
    assert!((orbit.period - 8.0 * step).abs() < 1e-7, "{} {step}", orbit.period);
    // The error of ω² shrinks by η² per step; all else is held by the foot, or moves along the slope.
    let slowest =
        orbit.multipliers.iter().map(|[re, im]| re.hypot(*im)).filter(|m| (m - 1.0).abs() > 1e-3);
    let slowest = slowest.fold(0.0, f64::max);
    assert!((slowest - eta.powi(16)).abs() < 1e-6, "{slowest} {:?}", orbit.multipliers);
    assert!(orbit.stable);
}

/// Within 10 s behind a transient of 10 s eight steps, which bring the wheel back, are not seen twice; nor are they where the
/// search began with a spoke that hits a little earlier (27, 28 s). One step looks like a return in all of these.
#[test]
fn orbits_longer_than_half_of_the_search_were_not_found() {
    for duration in [10, 28] {
        let set = format!("simulation.duration={duration}");
        let orbit = find_orbit(&shipped("rimless-wheel"), &asked(&[&set], None)).expect("an orbit");
        assert!((orbit.period - 5.487_233_651).abs() < 1e-7, "{}", orbit.period);
    }
}

/// A rod lies across a table that is shaken at 10 Hz, and bounces with both of its ends at once.
const ROD: &str = r#"
format = 1
[parameters]
shaking = 0.9
omega = "20*pi*1 rad/s"
amplitude = "shaking*9.81 m/s^2/omega^2"
[world]
dimension = 2
[[body]]
name = "table"
motion = { position = [0, "amplitude*sin(omega*t)"] }
[[body.shape]]
kind = "half-space"
[[body]]
name = "rod"
mass = 0.1
free = ["y"]
position = [0, "10 mm"]
velocity = [0, "0.5 m/s"]
[[body.shape]]
kind = "box"
half_extents = ["200 mm", "5 mm"]
[[contact]]
name = "ends"
between = ["rod", "table"]
restitution = 0.8
[simulation]
integrator = "event-driven"
duration = 20
"#;

#[test]
fn a_bouncing_rod_has_the_orbit_of_a_ball() {
    let orbit = find_orbit(&scene(ROD), &asked(&[], None)).expect("an orbit");
    assert!((orbit.period - 0.1).abs() < 1e-9 && orbit.stable, "{orbit:?}");
    // The closed map of the ball (scenes/vibrating-table.toml): cos φ = π (1 - e)/((1 + e) Γ), trace 1 + e² - (1 + e)² Γ sin φ,
    // determinant e².
    let (e, shaking): (f64, f64) = (0.8, 0.9);
    let cosine = PI * (1.0 - e) / ((1.0 + e) * shaking);
    let trace = 1.0 + e * e - (1.0 + e).powi(2) * shaking * (1.0 - cosine * cosine).sqrt();
    let [a, b] = orbit.multipliers[..] else { panic!("{:?}", orbit.multipliers) };
    assert!((a[0] + b[0] - trace).abs() < 1e-7, "{a:?} {b:?} {trace}");
    assert!((a[0] * b[0] - a[1] * b[1] - e * e).abs() < 1e-7, "{a:?} {b:?}");
}
