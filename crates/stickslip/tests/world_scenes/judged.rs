//! What `stickslip check` doubts: steps that are too long, units that look forgotten.

use crate::support::{contains, read};
use stickslip::scene::world::judge;
use stickslip::scene::{BUILT_IN, Scene};
use stickslip::system::MechanicalSystem;

/// The doubts about a scene, as `check` prints them.
fn doubts(text: &str) -> Vec<String> {
    let scene = Scene::read("my.toml", "my", text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let system: &dyn MechanicalSystem = scene.system.as_ref();
    judge(&read(text), system, &scene.start)
}

/// The one doubt about a scene.
#[track_caller]
fn doubt(text: &str) -> String {
    let found = doubts(text);
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap_or_default()
}

/// A ball with a radius in m and a mass in kg, and more text behind it.
fn ball(name: &str, radius: f64, mass: f64, more: &str) -> String {
    format!(
        "[[body]]\nname = {name:?}\nmass = {mass}\nposition = [0, 0, {}]\n{more}[[body.shape]]\nkind = \"sphere\"\n\
         radius = {radius}\n",
        2.0 * radius
    )
}

#[test]
fn a_spin_of_half_a_radian_in_a_step_is_doubted() {
    let spinning =
        |speed: f64| ball("ball", 0.05, 1.0, &format!("angular_velocity = [{speed}, 0, 0]\n"));
    contains(
        &doubt(&spinning(600.0)),
        &["ball turns by 0.60 rad in a step", "simulation.step = 1.7e-4"],
    );
    assert!(doubts(&spinning(400.0)).is_empty());
    // Where the step does not tell the accuracy nothing is said.
    let exact = spinning(600.0) + "[simulation]\nintegrator = \"event-driven\"\n";
    assert!(doubts(&exact).is_empty());
    let chosen = spinning(600.0) + "[simulation]\naccuracy = 1e-4\n";
    assert!(doubts(&chosen).is_empty());
}

#[test]
fn a_spring_with_few_steps_in_a_period_is_doubted() {
    let spring = |stiffness: f64| {
        let force = format!(
            "[[force]]\nkind = \"spring-damper\"\nbodies = [\"ground\", \"ball\"]\nstiffness = {stiffness}\n\
             direction = [0, 0, 1]\n"
        );
        ball("ball", 0.05, 1.0, "") + &force
    };
    // √(k/m) = 1000 rad/s with 1 ms: 6.3 steps.
    contains(&doubt(&spring(1e6)), &["springs swing at 1000 rad/s", "6.3 steps", "1.0e-4"]);
    assert!(doubts(&spring(1e5)).is_empty());
}

#[test]
fn bodies_that_are_small_for_the_step_are_doubted() {
    let small = |step: f64| {
        ball("grain", 1e-4, 1e-8, "")
            + &format!("[simulation]\nstep = {step}\noutput_step = {step}\n")
    };
    contains(&doubt(&small(2e-3)), &["grain is 1e-4 m large and falls by 3.924e-5 m", "3.2e-4"]);
    assert!(doubts(&small(5e-4)).is_empty());
}

#[test]
fn play_that_is_crossed_within_a_step_is_doubted() {
    let pin = |clearance: f64| {
        format!(
            "[world]\ndimension = 2\ngravity = [0, 0]\n[[body]]\nname = \"pin\"\nmass = 1\ninertia = 0.1\nvelocity = [3, 0]\n\
             [[joint]]\nname = \"hole\"\nkind = \"clearance-revolute\"\nbodies = [\"ground\", \"pin\"]\nat = [0, 0]\n\
             pin_radius = 0.01\nclearance = {clearance}\n"
        )
    };
    contains(&doubt(&pin(1e-3)), &["hole: its bodies move at 3.000e0 m/s", "2.000e-3 m", "6.7e-5"]);
    assert!(doubts(&pin(2e-3)).is_empty());
}

#[test]
fn sizes_and_masses_that_look_like_a_forgotten_unit_are_doubted() {
    // 20 mm without its unit.
    let large = ball("a", 0.02, 0.1, "") + &ball("b", 20.0, 20_000.0, "");
    let found = doubts(&large).join("\n");
    contains(&found, &["b is 20 m large, the nearest of the others, a, 0.02 m", "unit forgotten"]);
    contains(&found, &["b is 20000 kg heavy"]);
    let near = ball("a", 0.02, 0.1, "") + &ball("b", 2.0, 19.0, "");
    assert!(doubts(&near).is_empty(), "{:?}", doubts(&near));
    // 30 g without its unit: 4 cm³ of 30 kg; and a ball of 50 m with 100 g.
    contains(&doubt(&ball("a", 0.01, 30.0, "")), &["a: 30 kg in 4.189e-6 m³ are 7.2e6 kg/m³"]);
    contains(&doubt(&ball("a", 50.0, 0.1, "")), &["1.9e-7 kg/m³"]);
}

/// Few false alarms: none of the scenes that ship is doubted.
#[test]
fn scenes_that_ship_are_not_doubted() {
    let mut looked = 0;
    for built in BUILT_IN {
        if Scene::describes_world(built.name, built.text).expect("TOML") {
            let found = doubts(built.text);
            assert!(found.is_empty(), "{}: {found:?}", built.name);
            looked += 1;
        }
    }
    assert!(looked > 40, "{looked}");
}
