//! Prescribed motion with exact answers.

use crate::motion::motion_of;
use std::f64::consts::PI;
use stickslip::scene::{Scene, WorldScene};

const GRAVITY: f64 = 9.81;

/// A ball on a table that is shaken with this amplitude at 5 Hz.
fn shaken(amplitude: f64, simulation: &str) -> String {
    format!(
        "format = 1
world = {{ dimension = 2 }}
[[body]]
name = \"table\"
motion = {{ position = [0, \"{amplitude}*sin(10*pi*t)\"] }}
[[body.shape]]
kind = \"half-space\"
[[body]]
name = \"ball\"
mass = 0.2
position = [0, 0.05]
velocity = [0, \"{} m/s\"]
[[body.shape]]
kind = \"circle\"
radius = 0.05
[simulation]
{simulation}
",
        amplitude * 10.0 * PI
    )
}

#[test]
fn a_ball_stays_on_a_table_that_is_shaken_gently() {
    // a ω² = 0.5 g: it never lifts off.
    let amplitude = 0.5 * GRAVITY / (10.0 * PI).powi(2);
    for (integrator, exact) in
        [("rattle", 1e-9), ("event-driven", 1e-9), ("moreau", 1e-5), ("moreau-rk4", 1e-5)]
    {
        let simulation = format!(
            "integrator = \"{integrator}\"\nduration = 0.4\nstep = 1e-3\noutput_step = 1e-2"
        );
        let run = motion_of(&shaken(amplitude, &simulation), &[]);
        let (table, ball) = (run.column("table.y"), run.column("ball.y"));
        for ((t, table), ball) in run.times.iter().zip(table).zip(ball) {
            let place = amplitude * (10.0 * PI * t).sin();
            assert!((table - place).abs() < exact, "{integrator} at {t}: {table} {place}");
            assert!((ball - 0.05 - place).abs() < exact, "{integrator} at {t}: {ball} {place}");
        }
    }
}

#[test]
fn a_ball_lifts_off_where_the_table_falls_faster_than_it() {
    // a ω² = 2 g: it leaves where 2 sin(ωt) = 1, and flies.
    let (omega, amplitude) = (10.0 * PI, 2.0 * GRAVITY / (10.0 * PI).powi(2));
    let leaves = (0.5_f64).asin() / omega;
    let simulation =
        "integrator = \"event-driven\"\nduration = 0.12\nstep = 1e-3\noutput_step = 1e-3";
    let run = motion_of(&shaken(amplitude, simulation), &[]);
    let mut flying = 0;
    for (t, ball) in run.times.iter().zip(run.column("ball.y")) {
        let s = t - leaves;
        let expected = if s < 0.0 {
            amplitude * (omega * t).sin()
        } else {
            flying += 1;
            let speed = amplitude * omega * (omega * leaves).cos();
            0.5 * amplitude + speed * s - 0.5 * GRAVITY * s * s
        };
        assert!((ball - 0.05 - expected).abs() < 1e-8, "at {t}: {ball} {expected}");
    }
    assert!(flying > 100);
}

#[test]
fn a_crank_has_the_position_of_its_motor() {
    for dimension in [2, 3] {
        let (origin, inertia) =
            if dimension == 2 { ("0, 0", "0.1") } else { ("0, 0, 0", "[0.1, 0.1, 0.1]") };
        let place = if dimension == 2 { "0.3, 0" } else { "0.3, 0, 0" };
        let text = format!(
            "format = 1
world = {{ dimension = {dimension} }}
[[body]]
name = \"crank\"
mass = 2
inertia = {inertia}
position = [{place}]
[[joint]]
name = \"drive\"
kind = \"revolute\"
bodies = [\"ground\", \"crank\"]
at = [{origin}]
motor = {{ position = \"0.4 + 0.9*sin(3*t) + t^2\" }}
[simulation]
duration = 1
step = 1e-3
output_step = 1e-2
"
        );
        for (integrator, exact) in
            [("rattle", 1e-9), ("event-driven", 1e-9), ("moreau", 1e-5), ("moreau-rk4", 1e-5)]
        {
            let key = format!("simulation.integrator={integrator}");
            let run = motion_of(&text, &[&key]);
            let (x, y) = (run.column("crank.x"), run.column("crank.y"));
            let speeds = run.column(if dimension == 2 { "crank.w" } else { "crank.wz" });
            for (k, t) in run.times.iter().enumerate() {
                let angle = 0.4 + 0.9 * (3.0 * t).sin() + t * t;
                let error = (x[k] - 0.3 * angle.cos()).hypot(y[k] - 0.3 * angle.sin());
                assert!(error < exact, "{integrator} at {t}: {error:e}");
                let rate = 2.7 * (3.0 * t).cos() + 2.0 * t;
                // Time stepping prescribes the velocity somewhere within the step.
                let bound = if exact < 1e-6 { 1e-8 } else { 2e-2 };
                assert!(
                    (speeds[k] - rate).abs() < bound,
                    "{integrator} at {t}: {} {rate}",
                    speeds[k]
                );
            }
        }
    }
}

#[test]
fn a_body_turns_about_its_axis_as_prescribed() {
    let text = "format = 1
[[body]]
name = \"rotor\"
motion = { position = [\"0.1*t\", 0, 1], rotation = { axis = [1, 2, 2], angle = \"2*t + 0.5*sin(4*t)\" } }
[[body.shape]]
kind = \"box\"
half_extents = [0.1, 0.2, 0.3]
offset = [0.05, 0, 0]
[simulation]
duration = 3
step = 1e-3
output_step = 0.1
";
    for (integrator, exact) in [("rattle", 1e-9), ("event-driven", 1e-9)] {
        let run = motion_of(text, &[&format!("simulation.integrator={integrator}")]);
        let axis = [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
        for (k, t) in run.times.iter().enumerate() {
            // Columns are of the origin of the body frame.
            for (name, place) in [("rotor.x", 0.1 * t), ("rotor.y", 0.0), ("rotor.z", 1.0)] {
                let found = run.column(name)[k];
                assert!((found - place).abs() < exact, "{integrator}, {name} at {t}: {found}");
            }
            let spin = 2.0 + 2.0 * (4.0 * t).cos();
            assert!((run.column("rotor.wz")[k] - spin * axis[2]).abs() < 1e-8);
        }
        // At the end the centre of mass, (0.05, 0, 0) of the body, is where Rodrigues' formula turns it.
        let (sin, cos) = (6.0 + 0.5 * 12.0_f64.sin()).sin_cos();
        let across = [0.0, axis[2], -axis[1]];
        let origin = [0.3, 0.0, 1.0];
        for i in 0..3 {
            let own = if i == 0 { cos } else { 0.0 };
            let turned = own + across[i] * sin + axis[i] * axis[0] * (1.0 - cos);
            let found = run.summary.final_state.q[i];
            assert!((found - origin[i] - 0.05 * turned).abs() < exact, "{integrator}: {found}");
        }
    }
}

/// Every function of expressions has its derivative: against central differences.
#[test]
fn velocities_of_prescribed_motion_are_exact_derivatives() {
    for expression in [
        "abs(t - 3) + sign(t)*t",
        "sqrt(2 + t)",
        "exp(-t^2)",
        "ln(1 + t)",
        "log10(2 + t)",
        "sin(3*t)",
        "cos(t)/t",
        "tan(t/2)",
        "asin(t/3)",
        "acos(t/3)",
        "atan(2*t)",
        "sinh(t)",
        "cosh(t)",
        "tanh(t)",
        "floor(t) * t",
        "min(t, t^2)",
        "max(t, t^2, 3*t)",
        "hypot(t, 2)",
        "mod(3*t, 2)",
        "atan2(t, 1 + t)",
        "if(t < 0.5, t^3, 2*t)",
        "2^t",
        "t^t",
        "-t^2",
        "(1 - t)*(2 + t)/(3 - t)",
        "sqrt(0)*t + t^0.5",
        "if(t > 0.2 and not (t > 5) or t == 9, t^2, 0)",
    ] {
        let text = format!(
            "format = 1\nworld = {{ dimension = 2 }}\n[[body]]\nname = \"b\"\nmass = 1\ninertia = 1\n\
             motion = {{ position = [\"if(t < 1e-3, 0, {expression})\", 0] }}\n"
        );
        let scene =
            WorldScene::read("my", "my", &text, &[], None).unwrap_or_else(|e| panic!("{e}"));
        let motion = &scene.description.motions[0].position[0];
        for t in [0.37, 0.81, 1.23, 1.9] {
            let h = 1e-5;
            let [a, b] = [t + h, t - h].map(|t| motion.value.at(t));
            let (slope, rate) = ((a - b) / (2.0 * h), motion.rate.at(t));
            assert!(
                (slope - rate).abs() < 1e-8 * (1.0 + rate.abs()),
                "{expression} at {t}: {slope} {rate}"
            );
        }
    }
}

#[test]
fn wrong_motions_are_told() {
    let wrong = |motion: &str, more: &str| {
        let text = format!(
            "format = 1\nworld = {{ dimension = 2 }}\n[[body]]\nname = \"b\"\nmass = 1\ninertia = 1\n{more}\nmotion = {motion}\n"
        );
        let error = Scene::read("my", "my", &text, &[]).err().expect("an error").to_string();
        assert!(error.contains("body.0.motion"), "{error}");
        error
    };
    assert!(wrong("{ position = [0, 0, 0] }", "").contains("3 components"));
    assert!(wrong("{ position = [\"sqrt(t)\", 0] }", "").contains("rate is inf at t = 0"));
    assert!(wrong("{ rotation = \"3 m\" }", "").contains("rotation"));
    assert!(wrong("{ rotation = \"t\" }", "fixed = true").contains("take fixed away"));
    assert!(wrong("{ rotation = \"t\" }", "velocity = [1, 0]").contains("take velocity away"));
    assert!(wrong("{}", "").contains("needs position or rotation"));
}
