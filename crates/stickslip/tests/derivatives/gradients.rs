//! Gradients of measures against central differences of order 4 of whole runs, away from switches.

use stickslip::scene::SceneFile;
use stickslip::study::{Design, GradientQuestion, Plan, Sweep, Vary, gradient, never};

/// What derivatives must agree to, relative.
const AGREED: f64 = 1e-6;

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

/// The derivative of measures by one key, by runs at four values of it.
fn by_runs(
    file: &SceneFile,
    set: &[String],
    measures: &[String],
    (key, value, unit): (&str, f64, &str),
    part: f64,
) -> Vec<f64> {
    let h = part * if value == 0.0 { 0.1 } else { value.abs() };
    let values = [-2.0, -1.0, 1.0, 2.0].map(|k| format!("{:?} {unit}", value + k * h));
    let vary = Vary::parse(&format!("{key}={}", values.join(","))).expect("values");
    let plan = Plan::new(vec![vary], Design::Grid).expect("a plan");
    let sweep = Sweep::new(file.clone(), set, plan, measures).expect("a sweep");
    let point = |n: usize| sweep.point(n, &never()).expect("a run");
    let [a, b, c, d] = [0, 1, 2, 3].map(point);
    assert!([&a, &b, &c, &d].iter().all(|p| p.status == "done"), "{a:?} {b:?} {c:?} {d:?}");
    let of = |p: &stickslip::study::Point, m: usize| p.values[m].expect("a number");
    (0..measures.len())
        .map(|m| (8.0 * (of(&c, m) - of(&b, m)) - (of(&d, m) - of(&a, m))) / (12.0 * h))
        .collect()
}

/// Compares all derivatives of a scene by an integrator.
fn compare(scene: &str, by: &str, set: &[&str], measures: &[&str], keys: &[&str], part: f64) {
    let file = SceneFile::open(scene).expect("a scene");
    let mut set = texts(set);
    set.push(format!("simulation.integrator={by}"));
    if by != "event-driven" {
        // Differences of runs see what solvers leave.
        set.push("solver.tolerance=1e-13".to_owned());
    }
    let measures = texts(measures);
    let question =
        GradientQuestion { overrides: set.clone(), measures: measures.clone(), keys: texts(keys) };
    let found = gradient(&file, &question, &never()).expect("derivatives");
    assert_eq!(found.blind, 0, "{scene} by {by}");
    for (k, key) in found.keys.iter().enumerate() {
        let wanted = by_runs(&file, &set, &measures, (&key.key, key.value, &key.unit), part);
        for (own, wanted) in found.list.iter().zip(wanted) {
            let error = (own.derivatives[k] - wanted).abs();
            assert!(
                error <= AGREED * wanted.abs(),
                "{scene} by {by}: {} by {}: {} instead of {wanted}",
                own.name,
                key.key,
                own.derivatives[k]
            );
        }
    }
}

const ALL: [&str; 4] = ["event-driven", "rattle", "moreau", "moreau-rk4"];

/// By several integrators.
fn compare_by(
    all: &[&str],
    scene: &str,
    set: &[&str],
    measures: &[&str],
    keys: &[&str],
    part: f64,
) {
    for by in all {
        compare(scene, by, set, measures, keys, part);
    }
}

/// By `moreau-rk4` its two points of contact chatter, and the motion has no derivative to speak of.
#[test]
fn a_block_that_slides() {
    let set = ["simulation.duration=0.2"];
    let measures =
        ["last(block.x)", "mean(block.vx)^2/at(block.vx, 0.1)", "min(kinetic) + last(potential)"];
    compare_by(
        &ALL[..3],
        "block-on-incline",
        &set,
        &measures[..2],
        &["default_contact.friction"],
        1e-4,
    );
    compare_by(&ALL[..3], "block-on-incline", &set, &measures[2..], &["body.block.mass"], 1e-4);
}

#[test]
fn a_ball_that_bounces() {
    let set = ["simulation.duration=0.5"];
    let measures = ["at(ball.z, 0.45)", "last(ball.vz)"];
    compare_by(&ALL, "bouncing-ball", &set, &measures, &["contact.table.restitution"], 1e-4);
}

/// By `moreau` a value that moves the impact to another step has no derivative: only the restitution does not.
#[test]
fn a_ball_on_a_table_that_shakes() {
    let set = ["simulation.duration=0.35"];
    compare_by(&ALL, "vibrating-table", &set, &["last(ball.y)"], &["parameters.restitution"], 1e-5);
    let keys = ["parameters.shaking", "parameters.restitution"];
    compare(
        "vibrating-table",
        "event-driven",
        &set,
        &["last(ball.y)", "last(ball.vy)"],
        &keys,
        1e-4,
    );
}

#[test]
fn a_driven_oscillator_that_hits_its_stop() {
    let set = ["simulation.duration=6", "simulation.step=1e-2"];
    let keys = ["parameters.restitution", "parameters.omega", "start.v"];
    let measures = ["last(mass.x)", "last(mass.vx)"];
    compare_by(&ALL[..2], "impact-oscillator", &set, &measures, &keys, 1e-5);
    compare_by(&ALL[2..], "impact-oscillator", &set, &measures, &keys[..1], 1e-5);
}

#[test]
fn a_sphere_that_bounces_and_slides() {
    let set = ["simulation.duration=0.8"];
    let keys = ["parameters.friction_coefficient", "parameters.radius"];
    let measures = ["last(x)", "last(vx)"];
    compare_by(&ALL[..2], "rolling-sphere", &set, &measures, &keys, 1e-4);
    compare_by(&ALL[2..], "rolling-sphere", &set, &measures, &keys[..1], 1e-5);
}

/// By `rattle` what rounding leaves of the gap, over the step, is seen in the fifth digit.
#[test]
fn a_tippe_top_that_begins_to_turn_over() {
    let set = ["simulation.duration=0.05"];
    let keys = ["parameters.friction_coefficient", "start.psi_dot"];
    compare_by(
        &["event-driven", "moreau", "moreau-rk4"],
        "tippe-top",
        &set,
        &["at(theta, 0.05)"],
        &keys,
        1e-3,
    );
}

#[test]
fn a_mass_that_slides_on_a_belt_with_falling_friction() {
    // It slides from the start on; friction depends on the speed.
    let set = [
        "simulation.duration=0.4",
        "simulation.step=1e-3",
        "simulation.output_step=1e-2",
        "start.w=0.5",
    ];
    let keys = ["parameters.force", "parameters.falling_speed", "start.p"];
    compare_by(&ALL, "belt-oscillator", &set, &["last(mass.x)", "last(mass.vx)"], &keys, 1e-4);
}

#[test]
fn a_slider_crank_before_its_slider_touches_the_guide() {
    let set = ["simulation.duration=0.002", "simulation.step=1e-4", "simulation.output_step=1e-4"];
    let keys = ["body.rod.mass", "body.slider.mass"];
    compare_by(
        &ALL,
        "slider-crank-world",
        &set,
        &["last(crank.angle)", "last(slider.vx)"],
        &keys,
        1e-3,
    );
}

/// Stick takes directions out: where the mass is held, its start no longer counts.
#[test]
fn what_sticks_forgets_its_speed() {
    let set = texts(&["simulation.duration=1", "start.v=0.05", "parameters.force_ramp=0.1"]);
    let file = SceneFile::open("friction-mass").expect("a scene");
    for by in ["event-driven", "rattle", "moreau"] {
        let mut overrides = set.clone();
        overrides.push(format!("simulation.integrator={by}"));
        let (measures, keys) = (texts(&["last(mass.vx)"]), texts(&["start.v"]));
        let found = gradient(&file, &GradientQuestion { overrides, measures, keys }, &never());
        let found = found.expect("derivatives");
        assert!(found.list[0].derivatives[0].abs() < 1e-9, "{by}: {:?}", found.list[0]);
    }
}

#[test]
fn what_has_no_derivative_is_refused_with_its_reason() {
    let file = SceneFile::open("vibrating-table").expect("a scene");
    let refused = |measure: &str, key: &str, set: &[&str]| {
        let question = GradientQuestion {
            overrides: texts(set),
            measures: texts(&[measure]),
            keys: texts(&[key]),
        };
        gradient(&file, &question, &never()).expect_err("an error").to_string()
    };
    let shaking = "parameters.shaking";
    assert!(refused("count(impact(ball))", shaking, &[]).contains("whole number"));
    assert!(refused("last(bounce.force)", shaking, &[]).contains("not known from the state"));
    assert!(refused("steps", shaking, &[]).contains("no value of a row"));
    assert!(refused("last(ball.y)", "parameters.shakin", &[]).contains("parameters.shaking"));
    assert!(refused("last(ball.y)", "world.dimension", &[]).contains("--wrt world.dimension"));
    let edge = ["parameters.restitution=0", "parameters.phase=0"];
    assert!(refused("last(ball.y)", "parameters.restitution", &edge).contains("both sides"));
    let sphere = SceneFile::open("rolling-sphere").expect("a scene");
    let question = GradientQuestion {
        overrides: texts(&["simulation.integrator=ode-rk4"]),
        measures: texts(&["last(x)"]),
        keys: texts(&["parameters.mass"]),
    };
    let error = gradient(&sphere, &question, &never()).expect_err("an error").to_string();
    assert!(error.contains("no derivatives"), "{error}");
}

/// Friction of the stages changes its state from step to step, and what it did not do is carried along: 1e107 came out, with
/// no word about it.
#[test]
fn derivatives_that_had_grown_beyond_all_bounds_were_told() {
    let file = SceneFile::open("tippe-top").expect("a scene");
    let ask = |by: &str| {
        let question = GradientQuestion {
            overrides: texts(&["simulation.duration=1", &format!("simulation.integrator={by}")]),
            measures: texts(&["at(theta, 1)"]),
            keys: texts(&["parameters.friction_coefficient"]),
        };
        gradient(&file, &question, &never())
    };
    let error = ask("moreau-rk4").expect_err("lost").to_string();
    assert!(
        error.contains("--wrt parameters.friction_coefficient") && error.contains("lost at 1 s")
    );
    assert!(ask("event-driven").is_ok());
}

/// A coin that moves nearly as it would with another mass: its change is small against the rounding of one step, which was taken for no change
/// at all where steps are passed over, and its derivative was wrong by 5e-3.
#[test]
fn what_a_motion_hardly_feels_was_taken_for_nothing() {
    let file = SceneFile::open("spinning-coin").expect("a scene");
    let set = texts(&["simulation.duration=0.1", "simulation.integrator=moreau"]);
    let (measures, keys) = (texts(&["last(coin.z)"]), texts(&["body.coin.mass"]));
    let question = GradientQuestion { overrides: set.clone(), measures: measures.clone(), keys };
    let found = gradient(&file, &question, &never()).expect("derivatives");
    let key = &found.keys[0];
    let wanted = by_runs(&file, &set, &measures, (&key.key, key.value, &key.unit), 1e-3)[0];
    let own = found.list[0].derivatives[0];
    // Rounding is a part of what is left of the differences, too.
    assert!((own - wanted).abs() <= 1e-4 * wanted.abs(), "{own} instead of {wanted}");
}
