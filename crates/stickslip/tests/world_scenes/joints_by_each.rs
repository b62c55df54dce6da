//! Every kind of joint by `rattle` and `event-driven`, against closed forms.

use super::runs::Run;

/// A scene of bodies without shapes, of 0.5 s.
fn space(bodies: &[(&str, &str)], joints: &str) -> String {
    let mut text = String::from("format = 1\n[world]\ngravity = [0, 0, -10]\n");
    for (name, more) in bodies {
        text += &format!("[[body]]\nname = \"{name}\"\n{more}\n");
    }
    text + joints + "[simulation]\nduration = 0.5\nstep = 1e-3\noutput_step = 0.1\n"
}

/// Runs a scene and compares columns at the end.
#[track_caller]
fn ends(text: &str, wanted: &[(&str, f64)]) {
    for (integrator, allowed) in [("rattle", 1e-6), ("event-driven", 1e-8)] {
        let run = Run::of(text, &[&format!("simulation.integrator={integrator}")]);
        for (name, exact) in wanted {
            let found = run.last(name);
            assert!((found - exact).abs() < allowed, "{integrator}: {name} {found} is not {exact}");
        }
    }
}

const UNIT: &str = "mass = 2\ninertia = [0.5, 0.5, 0.5]";

/// The sleeve falls along the rod as it does alone, and spins on.
#[test]
fn a_sleeve_falls_along_its_rod_and_spins_on() {
    let sleeve = format!("{UNIT}\nangular_velocity = [0, 0, 3]");
    let joint = "[[joint]]\nname = \"rod\"\nkind = \"cylindrical\"\nbodies = [\"ground\", \"sleeve\"]\nat = [0, 0, 0]\n";
    ends(
        &space(&[("sleeve", &sleeve)], joint),
        &[("sleeve.z", -1.25), ("sleeve.vz", -5.0), ("sleeve.wz", 3.0), ("sleeve.x", 0.0)],
    );
}

/// The plate glides on a plane that is across (0, 1, 1): the pull along it is g/√2, towards −z and +y.
#[test]
fn a_plate_glides_down_its_plane() {
    let joint = "[[joint]]\nname = \"plane\"\nkind = \"planar\"\nbodies = [\"ground\", \"plate\"]\nat = [0, 0, 0]\n\
                 axis = [0, 1, 1]\n";
    let plate = format!("{UNIT}\nvelocity = [1, 0, 0]");
    ends(
        &space(&[("plate", &plate)], joint),
        &[("plate.x", 0.5), ("plate.y", 0.625), ("plate.z", -0.625), ("plate.vz", -2.5)],
    );
}

/// A nut of 2 kg and 0.5 kg m² on a thread of p = 2π·0.5 m: z̈ = −m g/(m + Θ/0.5²) = −5 m/s².
#[test]
fn a_nut_falls_as_heavy_as_its_thread_makes_it() {
    let joint = "[[joint]]\nname = \"thread\"\nkind = \"screw\"\nbodies = [\"ground\", \"nut\"]\nat = [0, 0, 0]\n\
                 pitch = \"pi*1 m\"\n";
    ends(&space(&[("nut", UNIT)], joint), &[("nut.z", -0.625), ("nut.vz", -2.5), ("nut.wz", -5.0)]);
}

/// Two shafts at 60°, the first driven with 4 rad/s: tan φ₂ = tan φ₁ / cos β after the phase of the cross.
#[test]
fn a_universal_joint_drives_a_shaft_unevenly() {
    let shafts = [("first", UNIT), ("second", UNIT)];
    let joints = r#"
[[joint]]
name = "drive"
kind = "revolute"
bodies = ["ground", "first"]
at = [0, 0, 0]
axis = [0, 0, 1]
motor = { speed = 4 }
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "second"]
at = [0, 0, 0]
axis = [0, "sin(60 deg)", "cos(60 deg)"]
[[joint]]
name = "cross"
kind = "universal"
bodies = ["first", "second"]
points = [[0, 0, 0], [0, 0, 0]]
axes = [[1, 0, 0], [0, "cos(60 deg)", "-sin(60 deg)"]]
"#;
    // The pin of the first shaft lies along the common normal x at the start, where the second one turns
    // slowest: ω₂ = ω₁ cos β/(1 − sin²β sin²φ).
    let (angle, beta): (f64, f64) = (4.0 * 0.5, 60_f64.to_radians());
    let share = 1.0 - (beta.sin() * angle.sin()).powi(2);
    let slow = 4.0 * beta.cos() / share;
    // An uneven motion: of second order in the step of `rattle`, 2e-5 rad/s at 1e-3 s.
    let text = space(&shafts, joints).replace("step = 1e-3", "step = 1e-4");
    ends(&text, &[("bearing.speed", slow), ("drive.speed", 4.0)]);
}

/// Pinion and wheel of 1 : 2, pulley and pulley of 1 : 2, and a rack: a moment of 3 N m on the first wheel turns
/// Θ₁ + Θ₂/4, the other way round, the same way, and Θ + m r² with 2 kg on 0.5 m.
#[test]
fn gears_belts_and_racks_turn_together() {
    let wheels = |joint: &str| {
        let plane = "[[joint]]\nname = \"a\"\nkind = \"revolute\"\nbodies = [\"ground\", \"first\"]\nat = [0, 0, 0]\n\
                     motor = { effort = 3 }\n[[joint]]\nname = \"b\"\nkind = \"revolute\"\n\
                     bodies = [\"ground\", \"second\"]\nat = [3, 0, 0]\n";
        let second = format!("{UNIT}\nposition = [3, 0, 0]");
        space(
            &[("first", UNIT), ("second", &second)],
            &format!("{plane}[[joint]]\nname = \"c\"\n{joint}\n"),
        )
    };
    // 3/(0.5 + 0.125) = 4.8 rad/s².
    let gear = "kind = \"gear\"\nbodies = [\"first\", \"second\"]\nteeth = [20, 40]";
    ends(&wheels(gear), &[("first.wz", 2.4), ("second.wz", -1.2), ("a.coordinate", 0.6)]);
    let belt = "kind = \"belt\"\nbodies = [\"first\", \"second\"]\nradii = [0.5, 1]";
    ends(&wheels(belt), &[("first.wz", 2.4), ("second.wz", 1.2), ("a.coordinate", 0.6)]);
    let crossed = format!("{belt}\ncrossed = true");
    ends(&wheels(&crossed), &[("first.wz", 2.4), ("second.wz", -1.2)]);
    // The bar is pulled with 4 N; 4/(2 + 0.5/0.25) = 1 m/s².
    let rack = r#"
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "bar"]
at = [0, 0, 0]
motor = { effort = 4 }
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "pinion"]
at = [0, 0.5, 0]
[[joint]]
name = "mesh"
kind = "rack"
bodies = ["bar", "pinion"]
radius = 0.5
"#;
    let pinion = format!("{UNIT}\nposition = [0, 0.5, 0]");
    for (integrator, allowed) in [("rattle", 1e-6), ("event-driven", 1e-8)] {
        let text = space(&[("bar", UNIT), ("pinion", &pinion)], rack);
        let run = Run::of(&text, &[&format!("simulation.integrator={integrator}")]);
        let (speed, turn) = (run.last("bar.vx"), run.last("pinion.wz"));
        assert!(
            (speed - 0.5).abs() < allowed && (turn.abs() - 1.0).abs() < allowed,
            "{speed} {turn}"
        );
    }
}
