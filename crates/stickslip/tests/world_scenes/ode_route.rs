//! Worlds by the ODE route: elements in place of the laws (docs/ode.md).

use stickslip::scene::{Scene, WorldScene, built_in};
use stickslip::simulate::{self, Observer, Progress, RunStatus, Sample, Summary};
use stickslip::system::State;

struct Silent;

impl Observer for Silent {
    fn sample(&mut self, _: &Sample) -> std::io::Result<()> {
        Ok(())
    }
    fn progress(&mut self, _: &Progress) -> bool {
        true
    }
}

fn run(scene: &Scene) -> Summary {
    let mut integrator = scene.integrator().expect("an integrator");
    let system = scene.system.as_ref();
    let settings = scene.settings();
    simulate::run(system, integrator.as_mut(), scene.start.clone(), &settings, &mut Silent)
        .expect("settings in their ranges")
}

fn scene(name: &str, integrator: &str, duration: f64, more: &[&str]) -> Scene {
    let mut overrides = vec![
        format!("simulation.integrator={integrator}"),
        format!("simulation.duration={duration}"),
        "simulation.output_step=0.01".to_owned(),
    ];
    overrides.extend(more.iter().map(ToString::to_string));
    let text = built_in(name).expect("a scene").text;
    Scene::read(name, name, text, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

fn end(name: &str, integrator: &str, duration: f64, more: &[&str]) -> State {
    let scene = scene(name, integrator, duration, more);
    let summary = run(&scene);
    assert_eq!(summary.status, RunStatus::Done, "{name} by {integrator}");
    summary.final_state
}

/// Largest difference of coordinates.
fn distance(a: &State, b: &State) -> f64 {
    a.q.iter().zip(&b.q).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// Contacts, stacks, joints with and without play, motors, limits, rims, drilling friction: with the
/// constants that follow from masses, speeds and step every world runs, the step of ode-rk4 is stable
/// (no warning), and no energy comes from nowhere: what the elements store is at most what was lost.
#[test]
fn shipped_worlds_run_by_the_ode_route() {
    for (name, duration) in WORLDS {
        for integrator in ["ode-rk4", "ode-adaptive"] {
            let scene = scene(name, integrator, *duration, &[]);
            let warnings = scene.warnings();
            let unstable = warnings.iter().find(|warning| warning.contains("Runge-Kutta"));
            assert_eq!(unstable, None, "{name}");
            let summary = run(&scene);
            assert_eq!(summary.status, RunStatus::Done, "{name} by {integrator}");
            let energy = &summary.energy;
            let size = energy.initial.abs().max(energy.last.abs()).max(1e-3);
            let closing = energy.closing_error.abs() / size;
            assert!(closing < 1e-3, "{name} by {integrator}: closing error {closing:e}");
        }
    }
}

const WORLDS: &[(&str, f64)] = &[
    ("bouncing-ball", 0.5),
    ("block-on-incline", 0.2),
    ("billiard-shot", 0.1),
    ("newtons-cradle", 0.1),
    ("rocking-block", 0.1),
    ("heavy-top", 0.02),
    ("sphere-on-turntable", 0.2),
    ("woodpecker-toy", 0.1),
    ("slider-crank-world", 0.02),
    ("four-bar-clearance", 0.05),
    ("rolling-disk-world", 0.05),
];

/// The larger the stiffness, the nearer to the motion with the set-valued laws, by the event-driven
/// method. An impact takes a time of the order √(M/K), so that its error falls about threefold per decade;
/// without impacts it is tenfold. Joints ring at the start, which leaves a phase in the error: the gains
/// asked for are below those measured (heavy-top 3.0 and 16, slider-crank 5.9 and 12; docs/ode.md).
#[test]
fn worlds_tend_to_the_set_valued_motion_as_the_stiffness_grows() {
    for (name, duration, stiffness, gain) in [
        ("bouncing-ball", 0.7, [1e4, 1e5, 1e6], 2.5),
        ("billiard-shot", 0.2, [1e4, 1e5, 1e6], 8.0),
        ("sphere-on-turntable", 0.2, [1e4, 1e5, 1e6], 8.0),
        ("tippe-top-world", 0.05, [1e4, 1e5, 1e6], 5.0),
        ("slider-crank-world", 0.02, [1e6, 1e7, 1e8], 5.0),
        ("heavy-top", 0.05, [1e6, 1e7, 1e8], 2.5),
    ] {
        let exact = end(name, "event-driven", duration, &[]);
        let errors = stiffness.map(|k| {
            let key = format!("elements.stiffness={k:e}");
            distance(&end(name, "ode-adaptive", duration, &[&key]), &exact)
        });
        assert!(errors.windows(2).all(|e| e[1] < e[0] / gain), "{name}: {errors:?}");
    }
}

/// A ball falls on the ground: the rebound has the restitution of the rule, 0 excepted, of which 0.05
/// is left. Tolerance: the weight during the impact, g √(M/K) over the speed, and the constants.
#[test]
fn the_rebound_has_the_restitution_of_the_rule() {
    for (rule, expected) in [(0.0, 0.05), (0.3, 0.3), (0.8, 0.8), (1.0, 1.0)] {
        let rule = format!("contact.0.restitution={rule}");
        let stiffness = "elements.stiffness=1e8";
        let height = |duration: f64| {
            let scene = scene("bouncing-ball", "ode-adaptive", duration, &[&rule, stiffness]);
            run(&scene).final_state
        };
        let start = scene("bouncing-ball", "ode-adaptive", 0.1, &[&rule]).start;
        // Free fall until the ball of 5 cm touches.
        let fall = (2.0 * 9.81 * (start.q[2] - 0.05)).sqrt();
        let impact = fall / 9.81;
        let later = (1000.0 * (impact + 2e-3)).ceil() / 1000.0;
        let speed = height(later).u[2] + 9.81 * (later - impact);
        assert!((speed / fall - expected).abs() < 5e-3, "{rule}: {} of {fall}", speed / fall);
    }
}

/// Two rules may have elements of their own: the depth at rest is m g/K of each.
#[test]
fn a_rule_has_elements_of_its_own() {
    let text = r#"
        format = 1
        [world]
        ground = {}
        [elements]
        stiffness = "10 kN/m"
        [[body]]
        name = "soft"
        mass = 2
        position = [0, 0, 0.1]
        shape = [{ kind = "sphere", radius = 0.1 }]
        [[body]]
        name = "hard"
        mass = 2
        position = [1, 0, 0.1]
        shape = [{ kind = "sphere", radius = 0.1 }]
        [[contact]]
        between = ["hard", "ground"]
        stiffness = 1e5
        [simulation]
        integrator = "ode-adaptive"
        duration = 1
        "#;
    let scene = Scene::read("two.toml", "two", text, &[]).unwrap();
    let end = run(&scene).final_state;
    for (body, stiffness) in [(0, 1e4), (1, 1e5)] {
        let depth = 0.1 - end.q[7 * body + 2];
        let expected = 2.0 * 9.81 / stiffness;
        assert!((depth / expected - 1.0).abs() < 1e-6, "body {body}: {depth}, {expected}");
    }
}

/// A constant out of its range is an error with its key.
#[test]
fn element_constants_have_units_and_ranges() {
    let text = "format = 1\n[elements]\nstiffness = \"-1 N/m\"\nrelaxation_time = \"2 kg\"\n";
    let error = Scene::read("bad.toml", "bad", text, &[]).err().unwrap().to_string();
    assert!(
        error.contains("elements.stiffness") && error.contains("elements.relaxation_time"),
        "{error}"
    );
}

/// What counts is told, with the restitution to which it amounts; rules that no pair of bodies has are
/// left out, and with other integrators there is nothing to tell.
#[test]
fn chosen_constants_are_told() {
    let text = built_in("bouncing-ball").expect("a scene").text;
    let read = |integrator: &str| {
        let overrides = [format!("simulation.integrator={integrator}")];
        WorldScene::read("b.toml", "b", text, &overrides, None).unwrap_or_else(|e| panic!("{e}"))
    };
    let scene = read("ode-rk4");
    let world = scene.build().unwrap_or_else(|e| panic!("{e}"));
    let choice = scene.elements(&world).unwrap_or_else(|e| panic!("{e}")).expect("elements");
    let words = choice.in_words();
    assert_eq!(words.len(), 1, "{words:?}");
    let parts =
        ["elements of contact table: stiffness", "N/m", "restitution 0.800, of the rule 0.8"];
    crate::support::contains(&words[0], &parts);
    assert!(read("rattle").elements(&world).unwrap_or_else(|e| panic!("{e}")).is_none());
}
