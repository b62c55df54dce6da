//! Lyapunov exponents against closed forms.

use crate::{scene, shipped};
use stickslip::scene::SceneFile;
use stickslip::study::{Lyapunov, LyapunovQuestion, lyapunov};

/// A mass on a guide with a force, and with dry friction up to a limit.
const MASS: &str = r#"
format = 1
[parameters]
damping = 0.4
stiffness = 4
push = 0
friction = 0
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
position = [1, 0]
[[body.shape]]
kind = "box"
half_extents = [0.05, 0.05]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["rail", "mass"]
at = [1, 0]
axis = [1, 0]
friction = "friction"
[[force]]
name = "spring"
kind = "applied"
body = "mass"
force = ["push - stiffness*x - damping*vx", 0]
[simulation]
integrator = "event-driven"
duration = 20
"#;

/// A ball that bounces for ever.
const BALL: &str = r#"
format = 1
[world]
dimension = 2
[world.ground]
[[body]]
name = "ball"
mass = 1
free = ["y"]
position = [0, 1.1]
[[body.shape]]
kind = "circle"
radius = 0.1
[[contact]]
name = "bounce"
between = ["ball", "ground"]
restitution = 1
[simulation]
integrator = "event-driven"
duration = 50
"#;

fn exponents(file: &SceneFile, overrides: &[&str], all: bool, times: [f64; 2]) -> Lyapunov {
    let question = LyapunovQuestion {
        overrides: overrides.iter().map(|text| (*text).to_owned()).collect(),
        all,
        transient: Some(times[0]),
        duration: Some(times[1]),
    };
    lyapunov(file, &question, &mut |_| {}).expect("exponents")
}

#[test]
fn exponents_of_a_damped_oscillator_are_the_real_parts_of_its_roots() {
    // x" + c x' + 4 x = 0: both -c/2 if it swings, else the roots of s² + c s + 4.
    let swings = exponents(&scene(MASS), &[], true, [1.0, 400.0]);
    assert_eq!(swings.exponents.len(), 2);
    for exponent in &swings.exponents {
        assert!((exponent + 0.2).abs() < 5e-3, "{swings:?}");
    }
    // Liouville: their sum is the trace; near rest steps are long, and their derivatives less exact.
    assert!((swings.exponents.iter().sum::<f64>() + 0.4).abs() < 1e-6);
    let short = exponents(&scene(MASS), &[], true, [1.0, 20.0]);
    assert!((short.exponents.iter().sum::<f64>() + 0.4).abs() < 1e-8);
    let creeps = exponents(&scene(MASS), &["parameters.damping=5"], true, [1.0, 20.0]);
    // The first changes are not yet along the roots: what that leaves falls like 1/t, and is told as the error.
    for (k, root) in [-1.0, -4.0].into_iter().enumerate() {
        let off = (creeps.exponents[k] - root).abs();
        assert!(off < creeps.errors[k] && creeps.errors[k] < 0.1, "{off} {:?}", creeps.errors);
    }
    let largest = exponents(&scene(MASS), &["parameters.damping=5"], false, [1.0, 60.0]);
    assert!((largest.exponents[0] + 1.0).abs() < 0.05 && largest.exponents.len() == 1);
}

#[test]
fn a_ball_on_the_table_has_the_logarithms_of_its_multipliers_over_the_period() {
    let table = shipped("vibrating-table");
    let calm = exponents(&table, &["parameters.shaking=1.04"], true, [10.0, 10.0]);
    // Determinant e² = 0.64 of a complex pair, every 0.1 s; sideways and turning the ball is left alone.
    let exact = 0.8_f64.ln() / 0.1;
    assert_eq!(calm.exponents.len(), 6);
    for exponent in &calm.exponents[4..] {
        assert!((exponent - exact).abs() < 0.02 * exact.abs(), "{exact} {:?}", calm.exponents);
    }
    // An impact at either end of the 10 s may be counted or not.
    let impacts = calm.exponents[4..].iter().sum::<f64>() * 10.0 / 0.64_f64.ln();
    assert!((impacts - impacts.round()).abs() < 1e-5, "{impacts}");
    assert!((99.0..101.5).contains(&impacts.round()), "{impacts}");
    for (exponent, error) in calm.exponents[..4].iter().zip(&calm.errors) {
        assert!(exponent.abs() < 0.7 && exponent.abs() <= 3.0 * error, "{calm:?}");
    }
}

/// The exponent of the ball on a table by its map from impact to impact, with its closed derivative.
fn of_the_map(shaking: f64, impacts: usize) -> f64 {
    let (g, e, omega): (f64, f64, f64) = (9.81, 0.8, 20.0 * std::f64::consts::PI);
    let a = shaking * g / (omega * omega);
    let (mut t, mut v) = (0.0, 1.0);
    let (mut change, mut sum, mut time) = ([1.0, 0.7], 0.0, 0.0);
    for k in 0..impacts {
        let over = |tau: f64| {
            a * (omega * t).sin() + v * tau - 0.5 * g * tau * tau - a * (omega * (t + tau)).sin()
        };
        let mut low: f64 = 1e-6;
        while over(low + 2e-4) > 0.0 {
            low += 2e-4;
        }
        let mut high = low + 2e-4;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if over(middle) > 0.0 { low = middle } else { high = middle }
        }
        let tau = 0.5 * (low + high);
        let speed = |t: f64| a * omega * (omega * t).cos();
        let closing = v - g * tau - speed(t + tau);
        let delay = -((speed(t) - speed(t + tau)) * change[0] + tau * change[1]) / closing;
        let dt = change[0] + delay;
        let bend = -a * omega * omega * (omega * (t + tau)).sin();
        change = [dt, -e * (change[1] - g * delay) + (1.0 + e) * bend * dt];
        v = -e * (v - g * tau) + (1.0 + e) * speed(t + tau);
        t += tau;
        // In units in which both are of the same size.
        let size = (g * change[0]).hypot(change[1]);
        change = change.map(|c| c / size);
        if k > 100 {
            sum += size.ln();
            time += tau;
        }
    }
    sum / time
}

#[test]
fn a_ball_that_is_shaken_harder_has_the_positive_exponent_of_its_map() {
    let table = shipped("vibrating-table");
    let wild = exponents(&table, &["parameters.shaking=3.3"], false, [10.0, 60.0]);
    let (found, error) = (wild.exponents[0], wild.errors[0]);
    assert!(found > 3.0 * error && found > 1.0, "{found} {error}");
    let map = of_the_map(3.3, 20_000);
    assert!((found - map).abs() < 2.0 * error, "{found} {error} {map}");
}

#[test]
fn a_ball_that_bounces_for_ever_has_exponents_of_zero() {
    let ball = exponents(&scene(BALL), &[], true, [1.0, 200.0]);
    let [a, b] = ball.exponents[..] else { panic!("{:?}", ball.exponents) };
    // Nothing is lost: volumes stay. Changes grow in proportion to the time, ln t/t.
    assert!((a + b).abs() < 1e-8, "{a} {b}");
    assert!(a.abs() < 200.0_f64.ln() / 200.0 * 1.5, "{a}");
    assert!(a.abs() <= 3.0 * ball.errors[0], "{a} {:?}", ball.errors);
}

#[test]
fn what_sticks_has_an_exponent_of_minus_infinity() {
    // 3 N of friction hold 1 N; where it sticks the mass may be anywhere near.
    let held = ["parameters.friction=3", "parameters.push=1", "parameters.stiffness=0"];
    let held = exponents(&scene(MASS), &held, true, [1.0, 5.0]);
    assert_eq!(held.exponents.len(), 2);
    assert!(held.exponents[0].abs() < 1e-9, "{:?}", held.exponents);
    assert_eq!(held.exponents[1], f64::NEG_INFINITY);
    // It sticks within the time: swinging first.
    let caught = exponents(&scene(MASS), &["parameters.friction=0.5"], true, [0.1, 20.0]);
    assert_eq!(caught.exponents[1], f64::NEG_INFINITY, "{:?}", caught.exponents);
    // A ball at rest on the ground can be nowhere else.
    let rest = exponents(&scene(BALL), &["contact.bounce.restitution=0"], true, [5.0, 5.0]);
    assert_eq!(rest.exponents, [f64::NEG_INFINITY; 2]);
}

#[test]
fn times_that_make_no_sense_are_refused() {
    let asked = |transient, duration| {
        let question = LyapunovQuestion { transient, duration, ..LyapunovQuestion::default() };
        lyapunov(&scene(BALL), &question, &mut |_| {}).expect_err("refused").to_string()
    };
    assert!(asked(Some(-1.0), None).contains("transient is -1 s"));
    assert!(asked(None, Some(0.0)).contains("duration is 0 s"));
    assert!(asked(None, Some(f64::NAN)).contains("finite and positive"));
}
