//! Orbits and branches as commands.

use crate::common::{Folder, Run, program};
use serde_json::Value;

fn stickslip(arguments: &[&str]) -> Run {
    Run::new(program().args(arguments).output().expect("it runs"))
}

#[test]
fn an_orbit_is_one_object_on_one_line() {
    let run = stickslip(&["orbit", "vibrating-table", "--set", "parameters.shaking=0.6", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out.lines().count(), 1);
    let orbit: Value = serde_json::from_str(&run.out).expect("an object");
    assert!(orbit["period"].as_f64().is_some_and(|period| (period - 0.1).abs() < 1e-9));
    assert_eq!(orbit["stable"], true);
    assert_eq!(orbit["multipliers"][0].as_array().map(Vec::len), Some(2));
    assert!(orbit["modes"].is_array() && orbit["state"]["q"].is_array());
}

#[test]
fn an_orbit_that_is_not_there_is_an_error() {
    let rest = stickslip(&["orbit", "bouncing-ball"]);
    assert_eq!(rest.code, Some(3));
    assert!(rest.err.contains("no periodic orbit"), "{}", rest.err);
    let empty = stickslip(&["continue", "vibrating-table", "--vary", "parameters.shaking=1:1"]);
    assert_eq!(empty.code, Some(2));
    assert!(empty.err.contains("the range is empty"), "{}", empty.err);
}

#[test]
fn a_branch_has_points_bifurcations_and_files() {
    let folder = Folder::new();
    let out = folder.path("out");
    let vary = ["--vary", "parameters.shaking=1.05:1.1", "--out", &out, "--json"];
    let run = stickslip(&[&["continue", "vibrating-table"], &vary[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out.lines().count(), 1);
    let branch: Value = serde_json::from_str(&run.out).expect("an object");
    let points = branch["branch"].as_array().expect("points");
    assert_eq!(points.first().map(|p| &p["value"]), Some(&Value::from(1.05)));
    assert!(points.iter().all(|p| p["period"].is_f64() && p["multipliers"].is_array()));
    let special = &branch["bifurcations"][0];
    assert_eq!(special["kind"], "period-doubling");
    assert!(special["value"].as_f64().is_some_and(|v| (v - 1.070_836_5).abs() < 1e-6), "{special}");
    let files =
        ["branch.csv", "branch.json", "branch.svg", "branch.png", "index.html", "study.json"];
    for name in files {
        let path = std::path::Path::new(&out).join(name);
        assert!(path.metadata().is_ok_and(|file| file.len() > 100), "{name}");
    }
    let study = std::fs::read_to_string(std::path::Path::new(&out).join("study.json"));
    let study: Value = serde_json::from_str(&study.expect("a file")).expect("an object");
    assert_eq!(study["scene_hash"].as_str().map(str::len), Some(32));
    // The folder of another study is refused, and stays what it is.
    let other = ["--vary", "parameters.shaking=1.06:1.1", "--out", &out];
    let run = stickslip(&[&["continue", "vibrating-table"], &other[..]].concat());
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("another study"), "{}", run.err);
    let kept = std::fs::read_to_string(std::path::Path::new(&out).join("branch.csv"));
    assert!(
        kept.expect("a file").lines().nth(1).is_some_and(|row| row.starts_with("0,1.05,true,"))
    );
}

#[test]
fn bad_input_of_orbits_is_named() {
    let told = |arguments: &[&str], code: i32, words: &str| {
        let run = stickslip(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.err);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    };
    let unknown = ["continue", "vibrating-table", "--vary", "parameters.shakin=0.4:1"];
    told(&unknown, 2, "shaking");
    told(&["lyapunov", "vibrating-table", "--set", "parameters.shakin=1"], 2, "shaking");
    told(&["lyapunov", "vibrating-table", "--duration", "0"], 2, "must be finite and positive");
    told(&["orbit", "vibrating-table", "--section", "impact(bal)"], 2, "did you mean ball");
    let never = ["orbit", "vibrating-table", "--set", "parameters.shaking=0.6", "--section"];
    told(&[&never[..], &["ball.x crosses 1 up"]].concat(), 3, "never crosses the section");
    told(&["continue", "vibrating-table", "--vary", "parameters.shaking=1,2"], 2, "needs a range");
    let rest = ["continue", "vibrating-table", "--vary", "parameters.shaking=0.4:1"];
    told(&[&rest[..], &["--equilibrium"]].concat(), 2, "depends on time");
}

#[test]
fn exponents_are_one_object_with_a_table() {
    let folder = Folder::new();
    let out = folder.path("exponents");
    let set = ["--set", "parameters.shaking=0.6", "--all", "--duration", "5", "--out", &out];
    let run = stickslip(&[&["lyapunov", "vibrating-table", "--json"], &set[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out.lines().count(), 1);
    let told: Value = serde_json::from_str(&run.out).expect("an object");
    let exponents: Vec<f64> =
        told["exponents"].as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
    assert_eq!(exponents.len(), 6);
    // Determinant 0.64 in each period of 0.1 s.
    let sum: f64 = exponents.iter().sum();
    assert!((sum - 0.64_f64.ln() / 0.1).abs() < 1e-5, "{sum}");
    assert!(told["error"].is_f64() && told["duration"] == 5.0, "{told}");
    let table = std::fs::read_to_string(std::path::Path::new(&out).join("lyapunov.csv"));
    let table = table.expect("a table");
    assert!(table.starts_with("t,exponent_1,") && table.lines().count() == 51, "{table}");
    for name in ["lyapunov.svg", "lyapunov.png", "index.html", "study.json"] {
        let path = std::path::Path::new(&out).join(name);
        assert!(path.metadata().is_ok_and(|file| file.len() > 100), "{name}");
    }
}
