//! Numbers of reports and of elements that were wrong for somebody who ran such a scene for the first time.

use super::support::{complaint, complaint_with, contains};
use stickslip::prelude::*;
use stickslip::scene::Scene;
use stickslip::simulate::EventKind;

const ALL: [&str; 6] =
    ["rattle", "moreau", "moreau-rk4", "event-driven", "ode-rk4", "ode-adaptive"];

/// The columns of a run, and its summary.
fn run(text: &str, integrator: &str, more: &[&str]) -> (Trajectory, Summary) {
    let mut overrides = vec![format!("simulation.integrator={integrator}")];
    overrides.extend(more.iter().map(|text| (*text).to_owned()));
    let scene = Scene::read("my.toml", "my", text, &overrides);
    let scene = scene.unwrap_or_else(|e| panic!("{integrator}: {e}"));
    let mut simulation = scene.simulate().unwrap_or_else(|e| panic!("{integrator}: {e}"));
    let mut trajectory = Trajectory::of(&simulation);
    let summary = simulation.run(&mut trajectory);
    (trajectory, summary)
}

fn column<'a>(of: &'a Trajectory, name: &str) -> &'a [f64] {
    of.column(name).unwrap_or_else(|| panic!("there is no {name}"))
}

/// The states of a contact: 0 open, 1 stick, 2 slip.
fn states<'a>(of: &'a Trajectory, name: &str) -> &'a [i8] {
    let position = of.state_names.iter().position(|own| own == name);
    position.map_or_else(|| panic!("there is no {name}"), |position| &of.states[position])
}

/// A block on a table that is shaken with a = A ω² sin ωt.
const SHAKEN: &str = r#"
format = 1
[parameters]
w = "25 rad/s"
mu = 0.4
[world]
dimension = 2
[[body]]
name = "table"
motion = { position = ["0.01*sin(w*t)", 0] }
shape = [{ kind = "half-space" }]
[[body]]
name = "block"
mass = 2
position = [0, 0.05]
velocity = ["0.01*w", 0]
shape = [{ kind = "box", half_extents = [0.05, 0.05] }]
[[contact]]
name = "seat"
between = ["table", "block"]
friction = "mu"
[simulation]
duration = 0.1
step = 1e-4
output_step = 1e-3
"#;

/// With A ω² = 3.61 m/s² below μ g it never slides; table and block fall alike where nothing holds them, so
/// that the velocities of the free motion said nothing, and rounding of 5e-14 m/s was told as slip.
#[test]
fn a_block_that_stuck_on_a_shaken_table_was_told_to_slip() {
    for integrator in ["rattle", "moreau", "moreau-rk4", "event-driven"] {
        let (rows, _) = run(SHAKEN, integrator, &["parameters.w=19 rad/s"]);
        let told = &states(&rows, "seat.state")[1..];
        assert!(told.iter().all(|state| *state == 1), "{integrator}: {told:?}");
        // With A ω² = 6.25 m/s² it sticks until sin ωt = μ g/(A ω²), at 0.02715 s.
        let (rows, _) = run(SHAKEN, integrator, &[]);
        let (t, told) = (rows.times(), states(&rows, "seat.state"));
        let first = told.iter().position(|state| *state == 2).expect("it slides");
        assert!((t[first] - 0.02715).abs() < 1.1e-3, "{integrator}: slip from {} s", t[first]);
    }
}

/// Without friction the block goes on with 0.25 m/s while the table swings below it.
#[test]
fn a_block_without_friction_was_told_to_stick() {
    for integrator in ["rattle", "moreau", "moreau-rk4", "event-driven"] {
        let (rows, _) = run(SHAKEN, integrator, &["parameters.mu=0"]);
        let told = &states(&rows, "seat.state")[2..];
        assert!(told.iter().all(|state| *state == 2), "{integrator}: {told:?}");
    }
}

/// The speed of sliding of a contact is that of the block against the floor.
#[test]
fn elements_that_slid_had_no_speed_of_sliding() {
    let text = r#"
format = 1
[world]
dimension = 2
gravity = [0, -10]
[world.ground]
[[body]]
name = "block"
mass = 1
free = ["x", "y"]
position = [0, 0.1]
velocity = [2, 0]
shape = [{ kind = "box", half_extents = [0.1, 0.1] }]
[[contact]]
name = "floor"
between = ["ground", "block"]
friction = 0.2
[simulation]
duration = 0.5
step = 1e-3
"#;
    for integrator in ALL {
        let (rows, _) = run(text, integrator, &[]);
        let slip = column(&rows, "floor.slip").last().copied().unwrap_or_default();
        let speed = column(&rows, "block.vx").last().copied().unwrap_or_default();
        assert!(
            (slip - speed).abs() < 1e-9 && (speed - 1.0).abs() < 0.03,
            "{integrator}: {slip} {speed}"
        );
    }
}

/// A wheel of 2 kg m² at 3 rad/s with 4 N m of friction in its hinge: 2 rad/s less in each second.
#[test]
fn friction_of_a_joint_that_slid_was_told_to_stick_with_no_peak() {
    let text = r#"
format = 1
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "wheel"
mass = 1
inertia = 2
angular_velocity = 3
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "wheel"]
at = [0, 0]
friction = 4
[table]
contact_names = { "hinge.friction" = "brake" }
[simulation]
duration = 1
step = 1e-3
output_step = 0.1
"#;
    for integrator in ["rattle", "moreau", "event-driven"] {
        let (rows, _) = run(text, integrator, &[]);
        let last = |name: &str| column(&rows, name).last().copied().unwrap_or_default();
        assert_eq!(states(&rows, "brake.state").last(), Some(&2), "{integrator}");
        assert!((last("brake.slip") - 1.0).abs() < 1e-9, "{integrator}: {}", last("brake.slip"));
        assert!((last("brake.peak") - 4.0).abs() < 1e-9, "{integrator}: {}", last("brake.peak"));
        let (rows, summary) = run(text, integrator, &["simulation.duration=2"]);
        assert_eq!(states(&rows, "brake.state").last(), Some(&1), "{integrator}: it stands");
        // By steps no change of it was told.
        let sticks = summary.motions.iter().filter(|event| event.kind == EventKind::Stick);
        let sticks: Vec<f64> = sticks.map(|event| event.t).collect();
        assert!(sticks.len() == 1 && (sticks[0] - 1.5).abs() < 2.1e-3, "{integrator}: {sticks:?}");
    }
}

/// A ball that comes with 2 m/s: 1/(1 + v/4) gives it 4/3 m/s back. Elements took the largest restitution, 1.
#[test]
fn elements_rebounded_as_if_every_impact_were_slow() {
    let text = r#"
format = 1
[world]
dimension = 2
gravity = [0, 0]
[world.ground]
[[body]]
name = "ball"
mass = 1
position = [0, 0.3]
velocity = [0, -2]
shape = [{ kind = "circle", radius = 0.1 }]
[default_contact]
restitution = "1/(1 + 0.25*v)"
[simulation]
duration = 0.5
step = 1e-3
"#;
    for integrator in ALL {
        let (rows, _) = run(text, integrator, &[]);
        let speed = column(&rows, "ball.vy").last().copied().unwrap_or_default();
        // Steps of 1 ms resolve the impact of an element coarsely.
        let allowed = if integrator == "ode-rk4" { 2e-2 } else { 1e-5 };
        assert!((speed - 4.0 / 3.0).abs() < allowed, "{integrator}: {speed}");
    }
}

/// A slider on a crank that a motor turns with 60 rad/s, without gravity: everything is at rest in the file, and
/// only assembly knows the speeds from which the stiffness of the elements follows.
#[test]
fn elements_of_a_driven_crank_were_as_soft_as_if_it_stood() {
    let text = r#"
format = 1
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "crank"
mass = 0.3
inertia = 1e-4
position = [0.025, 0]
[[body]]
name = "rod"
mass = 0.2
inertia = 2.5e-4
position = [0.11, 0]
[[body]]
name = "slider"
mass = 0.1
free = ["x"]
position = [0.17, 0]
[[joint]]
name = "main"
kind = "revolute"
bodies = ["ground", "crank"]
points = [[0, 0], [-0.025, 0]]
motor = { speed = 60 }
[[joint]]
name = "big-end"
kind = "revolute"
bodies = ["crank", "rod"]
points = [[0.025, 0], [-0.06, 0]]
[[joint]]
name = "wrist"
kind = "revolute"
bodies = ["rod", "slider"]
points = [[0.06, 0], [0, 0]]
[simulation]
duration = 0.05
step = 1e-5
output_step = 1e-3
"#;
    // x = r cos ωt + √(l² − r² sin² ωt)
    let angle: f64 = 60.0 * 0.05;
    let exact = 0.05 * angle.cos() + (0.12_f64.powi(2) - (0.05 * angle.sin()).powi(2)).sqrt();
    for (integrator, allowed) in [("event-driven", 1e-9), ("rattle", 1e-8), ("ode-adaptive", 2e-4)]
    {
        let (rows, _) = run(text, integrator, &[]);
        let x = column(&rows, "slider.x").last().copied().unwrap_or_default();
        assert!((x - exact).abs() < allowed, "{integrator}: {x} is not {exact}");
    }
}

/// A controller, gears without play, and the step response 1 − e^(−ζω₀t)(cos ω_d t + ζ/√(1 − ζ²) sin ω_d t) of
/// ω₀ = 10 rad/s and ζ = 1/2. A backlash of 0 was refused, and its effort was not in the summary.
#[test]
fn gears_with_a_backlash_of_zero_were_refused_and_efforts_not_summed_up() {
    let text = r#"
format = 1
[parameters]
kp = "20 N m/rad"
kd = "2 N m s/rad"
play = 0
[world]
dimension = 2
gravity = [0, 0]
[[body]]
name = "pinion"
mass = 1
inertia = 0.1
[[body]]
name = "wheel"
mass = 1
inertia = 0.4
position = [0.3, 0]
[[joint]]
name = "shaft"
kind = "revolute"
bodies = ["ground", "pinion"]
at = [0, 0]
motor = { effort = "-kp*(coordinate - 1 rad) - kd*speed" }
[[joint]]
name = "wheel-shaft"
kind = "revolute"
bodies = ["ground", "wheel"]
at = [0.3, 0]
[[joint]]
name = "teeth"
kind = "gear"
bodies = ["pinion", "wheel"]
teeth = [20, 40]
backlash = "play"
[simulation]
duration = 1
step = 1e-3
"#;
    let (damping, damped): (f64, f64) = (0.5, 10.0 * 0.75_f64.sqrt());
    let swing = damped.cos() + damping / 0.75_f64.sqrt() * damped.sin();
    let exact = 1.0 - (-5.0_f64).exp() * swing;
    for (integrator, allowed) in [("event-driven", 1e-9), ("rattle", 2e-6)] {
        let (rows, summary) = run(text, integrator, &[]);
        let angle = column(&rows, "pinion.angle").last().copied().unwrap_or_default();
        assert!((angle - exact).abs() < allowed, "{integrator}: {angle} is not {exact}");
        let effort = summary.forces.joints[0].effort.value;
        assert!((effort - 20.0).abs() < 0.3, "{integrator}: the largest effort is {effort}");
    }
    let (_, summary) =
        run(text, "rattle", &["parameters.play=0.01 rad", "simulation.duration=0.02"]);
    assert_eq!(summary.forces.joints.len(), 3);
}

/// The speed of a bob over the length of its rod is an angular velocity, and so is √(k/m); a frequency is none.
#[test]
fn a_velocity_over_a_length_was_no_angular_velocity() {
    let text = |parameters: &str, speed: &str| {
        format!(
            "format = 1\n[parameters]\n{parameters}\n[world]\ndimension = 2\n[[body]]\nname = \"wheel\"\n\
             mass = 1\ninertia = 1\nangular_velocity = \"{speed}\"\n[simulation]\nduration = 0\n"
        )
    };
    for (parameters, speed) in
        [("v = \"3 m/s\"\nl = \"1.5 m\"", "v/l"), ("k = \"8 N/m\"\nm = \"2 kg\"", "sqrt(k/m)")]
    {
        let (rows, _) = run(&text(parameters, speed), "rattle", &[]);
        assert_eq!(column(&rows, "wheel.w"), [2.0]);
    }
    // A unit behind pi was refused.
    let (rows, _) = run(&text("", "2*pi rad/s"), "rattle", &[]);
    assert_eq!(column(&rows, "wheel.w"), [2.0 * std::f64::consts::PI]);
    contains(&complaint(&text("", "2*pi m/s")), &["a velocity"]);
    let told = complaint(&text("f = \"2 Hz\"", "f"));
    contains(&told, &["a frequency, but must be an angular velocity"]);
}

/// Refusals name the key, the value and what to take.
#[test]
fn refused_laws_did_not_say_where_they_stand() {
    let slope = |law: &str| {
        format!(
            "format = 1\n[world.ground]\n[[body]]\nname = \"block\"\nmass = 1\nposition = [0, 0, 0.1]\n\
             shape = [{{ kind = \"sphere\", radius = 0.1 }}]\n[[contact]]\nbetween = [\"any\", \"any\"]\n\
             [[contact]]\nname = \"slope\"\nbetween = [\"ground\", \"block\"]\n{law}\n"
        )
    };
    let polygon = "law = \"polygon\"\nvertices = [[0.5, 0], [0, 0.4], [-0.3, 0], [0, -0.4]]\naxis = [1, 0, 0]\n\
                   axis_body = \"ground\"";
    let told = complaint_with(&slope(polygon), &["simulation.integrator=event-driven"]);
    contains(&told, &["contact.1.law of slope is \"polygon\"", "must be rattle"]);
    let told = complaint_with(&slope("adhesion = 2"), &["simulation.integrator=ode-rk4"]);
    contains(&told, &["contact.1.adhesion of slope is 2 N", "ode-rk4", "must be rattle"]);
}

/// A block under 3 N m/s² on friction 0.3 and a cohesion of 2 N: 0.3 m g + 2 N hold it up to 4.943 N.
#[test]
fn cohesion_by_elements_holds_as_much_as_by_the_law() {
    let text = r#"
format = 1
[parameters]
pull = "4 N"
[world.ground]
[[body]]
name = "block"
mass = 1
free = ["x", "y", "z"]
position = [0, 0, 0.05]
shape = [{ kind = "sphere", radius = 0.05 }]
[[force]]
kind = "applied"
body = "block"
force = ["pull*min(1, 4*t)", 0, 0]
[[contact]]
name = "floor"
between = ["ground", "block"]
friction = 0.3
cohesion = "2 N"
[simulation]
duration = 1
step = 1e-3
"#;
    for integrator in ["rattle", "moreau", "event-driven", "ode-adaptive"] {
        let end = |pull: &str| {
            let (rows, _) = run(text, integrator, &[&format!("parameters.pull={pull}")]);
            column(&rows, "block.vx").last().copied().unwrap_or_default()
        };
        let held = end("4.9 N");
        assert!(held.abs() < 1e-6, "{integrator}: {held} m/s below the limit");
        // From 4.943 N on: the ramp of 20 N/s leaves it after 0.24715 s.
        let slides = end("5 N");
        let exact = 0.5 * 20.0 * (0.25_f64 - 4.943 / 20.0).powi(2) + 0.057 * 0.75;
        assert!((slides - exact).abs() < 1e-3, "{integrator}: {slides} is not {exact}");
    }
}

/// An arm of 1 kg whose centre is 0.3 m from its hinge, which turns it.
const TURNED: &str = r#"
format = 1
[world]
dimension = 2
[[body]]
name = "arm"
mass = 1
inertia = 0.02
position = [0.3, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
at = [0, 0]
motor = { MOTOR }
[simulation]
duration = 1
step = 1e-3
output_step = 0.1
"#;

/// The force of the hinge stood in the column of the moment, and the effort was zero.
#[test]
fn a_motor_that_prescribes_the_angle_was_taken_for_the_constraints() {
    for motor in [r#"position = "2*t""#, "speed = 2"] {
        let text = TURNED.replace("MOTOR", motor);
        let (rows, _) = run(&text, "event-driven", &[]);
        let times = column(&rows, "t");
        // The first row is the start, before any force was computed.
        for (k, t) in times.iter().enumerate().skip(1) {
            let (s, c) = (2.0 * t).sin_cos();
            let [x, y] = [-1.2 * c, 9.81 - 1.2 * s];
            let values = [x.hypot(y), 0.3 * 9.81 * c, 0.0];
            for (name, wanted) in ["hinge.force", "hinge.effort", "hinge.moment"].iter().zip(values)
            {
                let found = column(&rows, name)[k];
                assert!((found - wanted).abs() < 1e-7, "{motor}, {name} at {t} s: {found}");
            }
        }
    }
}
