//! Worlds that are valid and unkind: what runs is right, what cannot be run says so.

use crate::runs::Run;
use crate::support::{complaint, contains};
use stickslip::integrate::{Moreau, Projection, ProjectionMetric};
use stickslip::scene::{Scene, built_in};
use stickslip::simulate::{self, Observer, RunStatus, Sample};
use stickslip::solve::{Limits, by_name};

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
    let RunStatus::NotConverged { reason: Some(reason), .. } = status else {
        panic!("{status:?}");
    };
    contains(&reason, &["'joint-0' and 'joint-1.motor'", "contradict each other"]);
}

#[test]
fn a_damper_that_is_too_stiff_for_the_step_is_told_before_and_ends_the_run() {
    let text = |damping: f64| {
        format!(
            "[world]\ndimension = 2\ngravity = [0, 0]\n[[body]]\nname = \"a\"\nmass = 1\n\
             inertia = 1\nangular_velocity = 1\n[[joint]]\nkind = \"revolute\"\n\
             bodies = [\"ground\", \"a\"]\nat = [0, 0]\nspring = {{ damping = {damping} }}\n\
             [simulation]\nintegrator = \"moreau\""
        )
    };
    let (warnings, status) = ends(&text(3000.0));
    contains(&warnings, &["3.00e3 1/s", "6.7e-4 s", "unstable"]);
    // The book of moreau counts what the damper puts in, and closes: it is the velocity that tells.
    let RunStatus::Failed { message } = status else { panic!("{status:?}") };
    contains(&message, &["a velocity has grown beyond 1e60", "a shorter simulation.step"]);
    let (warnings, status) = ends(&text(1000.0));
    assert_eq!((warnings.as_str(), status), ("", RunStatus::Done));
}

#[test]
fn a_force_that_becomes_infinite_ends_the_run() {
    let text = "[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n\
                [[force]]\nkind = \"applied\"\nbody = \"a\"\nforce = [\"1/(t-0.5)\", 0, 0]\n\
                [simulation]\nintegrator = ";
    // Forces at the end of a step enter the step of rattle, and only the look at its end by moreau.
    for (integrator, told) in [
        ("rattle", "smooth_forces[0] is inf, it must be finite"),
        ("moreau", "an applied force or its work is not finite"),
    ] {
        let (_, status) = ends(&format!("{text}\"{integrator}\""));
        let RunStatus::Failed { message } = status else { panic!("{status:?}") };
        contains(&message, &["at t = 0.5 s", told]);
    }
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

/// Scenes with all friction set to 0: a frictionless contact that opened had residual 1, and ended
/// the run. Without friction nothing is dissipated by it.
#[test]
fn friction_zero_runs_with_every_integrator() {
    for integrator in ["moreau", "moreau-rk4", "event-driven"] {
        let chosen = format!("simulation.integrator={integrator}");
        for name in ["bouncing-ball", "newtons-cradle"] {
            let overrides = ["contact.0.friction=0", "simulation.duration=0.6", chosen.as_str()];
            let summary = Run::named(name, &overrides).summary;
            assert_eq!((summary.rescued_steps, summary.unsolved_steps), (0, 0), "{name}");
        }
        let ball = format!("{BALL}position = [0, 0, 0.5]\nvelocity = [1, 0, 0]\n{BALL_ON_FLOOR}");
        for solver in ["auto", "gauss-seidel", "newton", "augmented-lagrangian", "jacobi"] {
            let run = Run::of(&ball, &[&chosen, &format!("solver.method={solver}")]);
            assert_eq!(run.summary.rescued_steps, 0, "{integrator} {solver}");
            assert_eq!(run.last("ball.vx"), 1.0, "{integrator} {solver}");
            assert!(run.column("ball.vz").iter().any(|v| *v > 1.0), "{integrator} {solver}");
        }
    }
}

const BALL: &str = "[world]\n[world.ground]\n[[body]]\nname = \"ball\"\nmass = 2\n";
const BALL_ON_FLOOR: &str = "[[body.shape]]\nkind = \"sphere\"\nradius = 0.1\n[default_contact]\n\
                             friction = 0\nrestitution = 0.8\n[simulation]\nduration = 0.5\n";

/// A ball on a prismatic guide that bounces off a wall: what its guide stops decays to denormal
/// velocities, which no solver solved.
#[test]
fn denormal_velocities_of_a_guided_ball_are_none() {
    for [across, turning] in [[3.4e-313, 0.0], [0.0, 3.4e-313], [5e-324, 1e-310], [1e-60, -1e-200]]
    {
        let text = format!(
            "[world]\ndimension = 2\ngravity = [0, 0]\n[[body]]\nname = \"wall\"\nfixed = true\n\
             position = [1, 0]\n[[body.shape]]\nkind = \"box\"\nhalf_extents = [0.1, 0.5]\n[[body]]\n\
             name = \"ball\"\nmass = 1\nposition = [0, 0.05]\nvelocity = [1, {across:e}]\n\
             angular_velocity = {turning:e}\n[[body.shape]]\nkind = \"circle\"\nradius = 0.1\n[[joint]]\n\
             kind = \"prismatic\"\nbodies = [\"ground\", \"ball\"]\nat = [0, 0]\naxis = [1, 0]\n\
             [default_contact]\nrestitution = 0.5\nfriction = 0.3\n[simulation]\nduration = 1.2"
        );
        for integrator in ["moreau", "moreau-rk4"] {
            for solver in ["auto", "gauss-seidel", "newton", "augmented-lagrangian", "jacobi"] {
                let overrides = [
                    format!("simulation.integrator={integrator}"),
                    format!("solver.method={solver}"),
                ];
                let run = Run::of(&text, &[&overrides[0], &overrides[1]]);
                let what = format!("{integrator} {solver} {across:e} {turning:e}");
                assert_eq!(run.summary.rescued_steps, 0, "{what}");
                assert!((run.last("ball.vx") + 0.5).abs() < 1e-9, "{what}");
            }
        }
    }
}

/// Constraints that are too many but fit: a door on two hinges, and a parallel four-bar linkage in
/// space, with every time stepper.
#[test]
fn redundant_constraints_that_fit_simply_run() {
    let hinge = |name: &str, bodies: [&str; 2], at: [f64; 3], axis: [f64; 3]| {
        format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"revolute\"\nbodies = {bodies:?}\nat = {at:?}\n\
             axis = {axis:?}\n"
        )
    };
    let body = |name: &str, position: [f64; 3], inertia: [f64; 3], more: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\nposition = {position:?}\ninertia = {inertia:?}\n\
             {more}\n"
        )
    };
    let z = [0.0, 0.0, 1.0];
    let door = body(
        "door",
        [0.4, 0.0, 1.0],
        [0.1, 0.15, 0.06],
        "velocity = [0, 0.4, 0]\nangular_velocity = [0, 0, 1]",
    ) + &hinge("upper", ["ground", "door"], [0.0, 0.0, 1.8], z);
    let lower = hinge("lower", ["ground", "door"], [0.0, 0.0, 0.2], z);
    let y = [0.0, 1.0, 0.0];
    let linkage = body("left", [0.0, 0.0, 0.5], [0.1, 0.1, 1e-5], "")
        + &body("right", [2.0, 0.0, 0.5], [0.1, 0.1, 1e-5], "")
        + &body("top", [1.0, 0.0, 1.0], [1e-5, 0.3, 0.3], "")
        + &hinge("a", ["ground", "left"], [0.0, 0.0, 0.0], y)
        + &hinge("b", ["left", "top"], [0.0, 0.0, 1.0], y)
        + &hinge("c", ["top", "right"], [2.0, 0.0, 1.0], y)
        + &hinge("d", ["ground", "right"], [2.0, 0.0, 0.0], y)
        + "[[force]]\nkind = \"applied\"\nbody = \"top\"\nforce = [1, 0, 0]\n";
    for integrator in ["moreau", "moreau-rk4"] {
        for solver in ["auto", "gauss-seidel", "newton"] {
            let overrides =
                [format!("simulation.integrator={integrator}"), format!("solver.method={solver}")];
            let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
            let with = |text: &str| format!("{text}[simulation]\nduration = 0.5");
            let [one, both] = [with(&door), with(&format!("{door}{lower}"))].map(|text| {
                let run = Run::of(&text, &overrides);
                assert_eq!(run.summary.rescued_steps, 0, "{integrator} {solver}");
                run.last("door.y").atan2(run.last("door.x"))
            });
            // It turns by 0.5 rad less the error of the scheme, with the second hinge as without: the
            // tolerance of 1e-10 in each of 500 steps.
            assert!((one - 0.5).abs() < 2e-4, "{integrator} {solver}: {one}");
            assert!((one - both).abs() < 5e-8, "{integrator} {solver}: {one} {both}");
            let run = Run::of(&with(&linkage), &overrides);
            assert_eq!(run.summary.rescued_steps, 0, "{integrator} {solver}");
            // The coupler stays parallel to the ground.
            assert!(run.last("top.x") > 1.01, "{integrator} {solver}");
            assert!((run.last("left.x") - (run.last("right.x") - 2.0)).abs() < 1e-9);
        }
    }
}

/// A clock chose between two ways of computing: a solve that took more than 10 s was made again by
/// another solver. A limit is now the user's, and ends the run as such.
#[test]
fn a_time_limit_ends_the_run_and_chooses_no_other_solver() {
    // A stack of boxes, which one sweep does not solve.
    let text = built_in("box-stack").expect("a scene").text;
    let short = ["simulation.duration=3e-3".to_owned()];
    let scene = Scene::read("my.toml", "my", text, &short).unwrap_or_else(|e| panic!("{e}"));
    let run = |max_time| {
        let limits = Limits { tolerance: 0.0, max_iterations: 50, max_time };
        let solver = by_name("gauss-seidel", limits).expect("limits").expect("a solver");
        let mut moreau = Moreau::new(solver, Projection::new(ProjectionMetric::None));
        let (system, start) = (scene.system.as_ref(), scene.start.clone());
        simulate::run(system, &mut moreau, start, &scene.settings(), &mut Finite).expect("settings")
    };
    let late = run(Some(std::time::Duration::ZERO));
    assert!(matches!(late.status, RunStatus::TimeLimit { t: 0.0, .. }), "{:?}", late.status);
    assert_eq!((late.status.name(), late.rescued_steps, late.steps), ("time-limit", 0, 0));
    assert_eq!(late.final_state, scene.start);
    assert_eq!(run(None).status, RunStatus::Done);
}

/// A driven mass before a wall that it could pass within one step: behind the wall other corners are nearest, so that
/// event-driven saw no gap close and let it through.
#[test]
fn event_driven_let_a_fast_block_pass_a_thin_wall() {
    let text = r#"
format = 1
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "wall"
fixed = true
position = [1.1, 0]
shape = [{ kind = "box", half_extents = [0.05, 5] }]
[[body]]
name = "mass"
mass = 1
free = ["x"]
shape = [{ kind = "box", half_extents = [0.05, 0.05] }]
[[force]]
kind = "applied"
body = "mass"
force = ["2*cos(1.4*t) - mass.x - 0.1*mass.vx", 0]
[[contact]]
between = ["mass", "wall"]
restitution = 0.8
[simulation]
integrator = "event-driven"
duration = 40
step = 0.1
output_step = 0.1
"#;
    let run = Run::of(text, &[]);
    let furthest = run.column("mass.x").into_iter().fold(f64::NEG_INFINITY, f64::max);
    assert!(furthest <= 1.0 + 1e-9 && furthest > 0.9, "{furthest}");
    // The same motion in shorter steps.
    let short = Run::of(text, &["simulation.step=0.01"]);
    let ends = [run.last("mass.x"), short.last("mass.x")];
    assert!((ends[0] - ends[1]).abs() < 1e-6, "{ends:?}");
}
