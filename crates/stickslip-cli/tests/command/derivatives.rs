//! Gradients, fits and orbits of time steppers as commands.

use crate::common::{Folder, Run, program};
use serde_json::Value;
use std::path::Path;

fn stickslip(arguments: &[&str]) -> Run {
    Run::new(program().args(arguments).output().expect("it runs"))
}

/// A block that slides down an incline of 20 degrees: s = g (sin α − μ cos α) t²/2, and x = −s cos α.
#[test]
fn a_gradient_is_that_of_the_closed_form() {
    let set = ["--set", "simulation.duration=0.2", "--set", "simulation.integrator=event-driven"];
    let ask = ["--measure", "x=last(block.x)", "--wrt", "default_contact.friction", "--json"];
    let run = stickslip(&[&["gradient", "block-on-incline"], &set[..], &ask[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out.lines().count(), 1);
    let found: Value = serde_json::from_str(&run.out).expect("an object");
    let cos = 20_f64.to_radians().cos();
    let exact = 0.5 * 9.81 * cos * cos * 0.2 * 0.2;
    let own = found["measures"][0]["gradient"]["default_contact.friction"].as_f64();
    assert!(own.is_some_and(|own| (own.abs() - exact).abs() < 1e-9), "{own:?} {exact}");
    assert_eq!(found["measures"][0]["measure"], "x");
    assert_eq!(found["without_derivative"], 0);
    let unknown = stickslip(&[
        "gradient",
        "block-on-incline",
        "--measure",
        "last(block.x)",
        "--wrt",
        "body.blok.mass",
    ]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("--wrt body.blok.mass"), "{}", unknown.err);
}

#[test]
fn a_fit_of_the_table_of_a_run_finds_its_values_and_writes_all_files() {
    let folder = Folder::new();
    let (ran, out) = (folder.path("ran"), folder.path("fit"));
    let set = ["--set", "simulation.duration=0.6", "--set", "simulation.integrator=event-driven"];
    let run =
        stickslip(&[&["run", "bouncing-ball", "--out", &ran, "--no-report"], &set[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let data = format!("{ran}/trajectory.csv");
    let free =
        ["--free", "contact.table.restitution", "--column", "ball.z", "--out", &out, "--json"];
    let begin = ["--set", "contact.table.restitution=0.7"];
    let fit =
        stickslip(&[&["fit", "bouncing-ball", &data], &set[..], &begin[..], &free[..]].concat());
    assert_eq!(fit.code, Some(0), "{}", fit.err);
    let found: Value = serde_json::from_str(&fit.out).expect("an object");
    let own = found["free"][0]["value"].as_f64();
    assert!(own.is_some_and(|own| (own - 0.8).abs() < 1e-7), "{own:?}");
    assert_eq!(found["converged"], true);
    for name in ["fit.json", "fit.csv", "fit.svg", "fit.png", "index.html", "fitted.toml"] {
        let path = Path::new(&out).join(name);
        assert!(path.metadata().is_ok_and(|file| file.len() > 100), "{name}");
    }
    let table = std::fs::read_to_string(Path::new(&out).join("fit.csv")).expect("a table");
    assert!(table.starts_with("t,ball.z,ball.z.model,ball.z.residual\n"), "{table:.60}");
    // A folder with files of others stays as it is: `ran` is that of a run.
    let there = ["--free", "contact.table.restitution", "--column", "ball.z", "--out", &ran];
    let other = stickslip(&[&["fit", "bouncing-ball", &data], &set[..], &there[..]].concat());
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("holds other files"), "{}", other.err);
    assert!(!Path::new(&ran).join("fit.csv").exists());
    let wrong = folder.write("wrong.csv", "t,ball.z\n0,0.5\n0.1,low\n");
    let refused =
        stickslip(&["fit", "bouncing-ball", &wrong, "--free", "contact.table.restitution"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("line 3, column 2"), "{}", refused.err);
    let none =
        stickslip(&["fit", "bouncing-ball", "nowhere.csv", "--free", "contact.table.restitution"]);
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("nowhere.csv cannot be read"), "{}", none.err);
}

/// The oscillator that never reaches its stop: multipliers of the exact motion are exp((−c ± i sqrt(4 − c²)) T/2).
#[test]
fn an_orbit_of_a_time_stepper_tends_to_that_of_the_exact_motion() {
    let ask = |by: &str, step: &str| {
        let step = format!("simulation.step={step}");
        let start = ["--set", "start.x=0", "--set", "parameters.amplitude=0.5", "--set", &step];
        let output = format!("simulation.output_{}", &step["simulation.".len()..]);
        let more = ["--set", &output, "--by", by, "--json"];
        let run = stickslip(&[&["orbit", "impact-oscillator"], &start[..], &more[..]].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        let orbit: Value = serde_json::from_str(&run.out).expect("an object");
        let number = |at: &Value| at.as_f64().expect("a number");
        let first = &orbit["multipliers"][0];
        (number(&orbit["period"]), number(&first[0]).hypot(number(&first[1])))
    };
    let period = std::f64::consts::TAU / 2.6;
    let exact = (-0.1 * period).exp();
    for (by, step, within) in [("moreau", "2e-3", 1e-3), ("rattle", "1e-2", 1e-4)] {
        let (own, multiplier) = ask(by, step);
        assert!((own - period).abs() < 1e-12, "{own}");
        assert!((multiplier - exact).abs() < within, "{by}: {multiplier} {exact}");
    }
    let free = stickslip(&["orbit", "belt-oscillator", "--by", "rattle"]);
    assert_eq!(free.code, Some(3));
    assert!(free.err.contains("needs a drive"), "{}", free.err);
    let unknown = stickslip(&["orbit", "impact-oscillator", "--by", "euler"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("event-driven, rattle, moreau, moreau-rk4"), "{}", unknown.err);
}

#[test]
fn parquet_needs_its_feature_and_says_so() {
    let folder = Folder::new();
    let out = folder.path("out");
    let ask = ["--measure", "last(ball.y)", "--set", "simulation.duration=0.01", "--out", &out];
    let vary = ["--vary", "parameters.shaking=0.5,0.7", "--parquet"];
    let run = stickslip(&[&["sweep", "vibrating-table"], &vary[..], &ask[..]].concat());
    if cfg!(feature = "parquet") {
        assert_eq!(run.code, Some(0), "{}", run.err);
        let bytes = std::fs::read(Path::new(&out).join("sweep.parquet")).expect("a file");
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("scene_hash") && text.contains("unit.last(ball.y)"));
    } else {
        assert_eq!(run.code, Some(2));
        assert!(run.err.contains("--features parquet"), "{}", run.err);
    }
}
