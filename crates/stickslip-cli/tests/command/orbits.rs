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
    for name in ["branch.csv", "branch.json", "branch.svg", "branch.png"] {
        let path = std::path::Path::new(&out).join(name);
        assert!(path.metadata().is_ok_and(|file| file.len() > 100), "{name}");
    }
}
