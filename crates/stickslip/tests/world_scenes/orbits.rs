//! Periodic orbits and branches of them.

use std::f64::consts::PI;
use stickslip::integrate::{EventDriven, EventDrivenOptions, MotionEvent};
use stickslip::scene::{Scene, SceneFile};
use stickslip::study::{OrbitQuestion, Section, Vary, continue_orbit, find_orbit};

const RESTITUTION: f64 = 0.8;

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

fn table() -> SceneFile {
    SceneFile::open("vibrating-table").expect("a scene of the program")
}

fn stop() -> SceneFile {
    SceneFile { source: "stop".into(), name: "stop".into(), text: STOP.into(), path: None }
}

fn asked(overrides: &[&str], section: Option<&str>) -> OrbitQuestion {
    OrbitQuestion {
        overrides: overrides.iter().map(|text| (*text).to_owned()).collect(),
        section: section.map(|text| Section::parse(text).expect("a section")),
    }
}

/// Multipliers of the ball that bounces once in each period of the table: of the map of phase and velocity from
/// impact to impact, with the trace 1 + e² − (1 + e)² Γ sin φ and the determinant e².
fn closed_map(shaking: f64) -> [f64; 2] {
    let cosine = PI * (1.0 - RESTITUTION) / ((1.0 + RESTITUTION) * shaking);
    let sine = (1.0 - cosine * cosine).sqrt();
    let trace = 1.0 + RESTITUTION.powi(2) - (1.0 + RESTITUTION).powi(2) * shaking * sine;
    [trace, RESTITUTION.powi(2)]
}

#[test]
fn a_bouncing_ball_has_the_multipliers_of_the_closed_map() {
    for shaking in [0.6, 1.04] {
        let set = format!("parameters.shaking={shaking}");
        let orbit =
            find_orbit(&table(), &asked(&[&set], Some("impact(bounce)"))).expect("an orbit");
        assert!((orbit.period - 0.1).abs() < 1e-12, "{}", orbit.period);
        assert!(orbit.stable);
        assert_eq!(orbit.modes, ["free", "impact bounce"]);
        // Sideways and turning, the ball is left alone: four times 1. Two are of the bouncing.
        let [trace, determinant] = closed_map(shaking);
        let own: Vec<[f64; 2]> =
            orbit.multipliers.into_iter().filter(|[re, im]| (re - 1.0).hypot(*im) > 1e-3).collect();
        let [a, b] = own[..] else { panic!("{own:?}") };
        assert!((a[0] + b[0] - trace).abs() < 1e-8, "{own:?} {trace}");
        assert!((a[0] * b[0] - a[1] * b[1] - determinant).abs() < 1e-8, "{own:?}");
        // It leaves with v = π g/ω.
        let velocity = orbit.state.u[4];
        assert!((velocity - 9.81 / 20.0).abs() < 1e-9, "{velocity}");
    }
}

#[test]
fn above_the_doubling_the_ball_comes_back_after_two_periods() {
    let orbit = find_orbit(&table(), &asked(&["parameters.shaking=1.1"], None)).expect("an orbit");
    assert!((orbit.period - 0.2).abs() < 1e-12);
    assert!(orbit.stable);
}

#[test]
fn a_branch_finds_where_the_period_of_the_ball_doubles() {
    let vary = Vary::parse("parameters.shaking=1.0:1.12").expect("a range");
    let branch =
        continue_orbit(&table(), &asked(&[], None), &vary, 0, &mut |_| {}).expect("a branch").first;
    let share = (1.0 - RESTITUTION) / (1.0 + RESTITUTION);
    let rest = 2.0 * (1.0 + RESTITUTION.powi(2)) / (1.0 + RESTITUTION).powi(2);
    let exact = (PI * share).hypot(rest);
    let [doubling] = &branch.bifurcations[..] else { panic!("{:?}", branch.bifurcations) };
    assert_eq!(doubling.kind, "period-doubling");
    assert!((doubling.value - exact).abs() < 1e-6, "{} {exact}", doubling.value);
    let last = branch.points.last().expect("points");
    assert!(!last.stable && last.value == 1.12 && branch.ended.is_none());
    for orbit in &branch.points {
        assert_eq!(orbit.stable, orbit.value < exact, "{}", orbit.value);
        let [trace, _] = closed_map(orbit.value);
        let own = orbit.multipliers.iter().filter(|[re, im]| (re - 1.0).hypot(*im) > 1e-3);
        let sum: f64 = own.map(|[re, _]| re).sum();
        assert!((sum - trace).abs() < 1e-7, "{}: {sum} {trace}", orbit.value);
    }
}

#[test]
fn an_oscillator_begins_to_graze_its_stop_where_its_amplitude_is_the_gap() {
    let vary = Vary::parse("parameters.amplitude=0.5:1.0").expect("a range");
    let branch =
        continue_orbit(&stop(), &asked(&[], None), &vary, 0, &mut |_| {}).expect("a branch").first;
    let omega = 1.4_f64;
    let exact = (1.0 - omega * omega).hypot(0.1 * omega);
    let grazing = branch.bifurcations.iter().find(|b| b.kind == "grazing").expect("a grazing");
    assert!((grazing.value - exact).abs() < 1e-6, "{} {exact}", grazing.value);
}

/// Times of the last two events at which something sticks, by whatever integrator the scene is run otherwise.
/// The state at a late time turned with the phase of the drive: 2000 points led from 0.5 to 0.76 rad/s.
#[test]
fn the_frequency_of_a_drive_may_be_varied() {
    let vary = Vary::parse("parameters.omega=0.5:1.2").expect("a range");
    let question = asked(&["parameters.amplitude=0.3"], None);
    let branch = continue_orbit(&stop(), &question, &vary, 0, &mut |_| {}).expect("a branch").first;
    // A² = F²/((1 − ω²)² + c²ω²) = 1
    let root = (1.99_f64.powi(2) - 4.0 * 0.91).sqrt();
    let exact = ((1.99 - root) / 2.0).sqrt();
    let first = branch.bifurcations.first().expect("a bifurcation");
    assert_eq!(first.kind, "grazing");
    assert!((first.value - exact).abs() < 1e-6, "{} {exact}", first.value);
    assert!(branch.points.len() < 200, "{}", branch.points.len());
}

fn last_sticks(name: &str, t_end: f64) -> [f64; 2] {
    let scene = Scene::load(name, &["simulation.integrator=event-driven"]).expect("a scene");
    let options = EventDrivenOptions { tolerance: 1e-12, ..EventDrivenOptions::default() };
    let mut integrator = EventDriven::new(options).expect("options");
    let (mut state, mut sticks) = (scene.start.clone(), Vec::new());
    let mut tell = |event: &MotionEvent| {
        if let MotionEvent::Stick { t, .. } = event {
            sticks.push(*t);
        }
    };
    integrator.run_until(scene.system.as_ref(), &mut state, t_end, &mut tell).expect("a run");
    let [.., before, last] = sticks[..] else { panic!("{sticks:?}") };
    [before, last]
}

/// All bodies of a drill string turn on in each period: Newton's method took a shorter period for the way to stop that.
#[test]
fn a_drill_string_turns_on_and_sticks_once_in_each_period() {
    let file = SceneFile::open("drill-string").expect("a scene of the program");
    let orbit = find_orbit(&file, &asked(&[], None)).expect("an orbit");
    // The table turns with 3 rad/s; the slowest multiplier is -0.78.
    let [before, last] = last_sticks("drill-string", 400.0);
    assert!((orbit.period - (last - before)).abs() < 1e-6, "{} {}", orbit.period, last - before);
    assert_eq!(orbit.modes, ["rock.friction slip", "rock.friction stick"]);
    assert!(orbit.stable && orbit.drift > 0.1, "{orbit:?}");
    let slowest = orbit.multipliers.iter().map(|[re, im]| re.hypot(*im)).collect::<Vec<_>>();
    assert!((slowest[0] - 1.0).abs() < 1e-6 && (slowest[1] - 1.0).abs() < 1e-6, "{slowest:?}");
    assert!(slowest[2] < 0.9 && slowest[4] < 1e-8, "{slowest:?}");
}

#[test]
fn a_mass_on_a_belt_has_the_period_of_its_events_and_a_multiplier_of_zero() {
    let file = SceneFile::open("belt-oscillator").expect("a scene of the program");
    let orbit = find_orbit(&file, &asked(&[], Some("w crosses 0.5 up"))).expect("an orbit");
    let [before, last] = last_sticks("belt-oscillator", 60.0);
    assert!((orbit.period - (last - before)).abs() < 1e-8, "{} {}", orbit.period, last - before);
    assert_eq!(orbit.modes, ["belt slip", "belt stick"]);
    let [one, zero] = orbit.multipliers[..] else { panic!("{:?}", orbit.multipliers) };
    assert!((one[0] - 1.0).hypot(one[1]) < 1e-8 && zero[0].hypot(zero[1]) < 1e-8);
    assert!(orbit.stable);
    // On the section.
    assert!((1.0 - orbit.state.u[0] - 0.5).abs() < 1e-9, "{:?}", orbit.state);
}

#[test]
fn what_has_no_orbit_says_why() {
    let told = |file: &SceneFile, question: &OrbitQuestion| {
        find_orbit(file, question).expect_err("no orbit").to_string()
    };
    let never = told(&table(), &asked(&["parameters.shaking=0.9"], Some("ball.x crosses 1 up")));
    assert!(never.contains("never crosses the section"), "{never}");
    let unknown = told(&table(), &asked(&[], Some("impact(bal)")));
    assert!(unknown.contains("did you mean ball"), "{unknown}");
    // It comes to rest.
    let ball = SceneFile::open("bouncing-ball").expect("a scene of the program");
    let rest = told(&ball, &asked(&[], None));
    assert!(rest.contains("no periodic orbit"), "{rest}");
    let list = Vary::parse("parameters.shaking=1,2").expect("a list");
    let wrong = continue_orbit(&table(), &asked(&[], None), &list, 0, &mut |_| {});
    assert!(wrong.is_err_and(|error| error.to_string().contains("needs a range")));
}
