//! `stickslip problem`: problems made by rule.

use crate::common::{Folder, Run, program, solve};

fn problem(arguments: &[&str]) -> Run {
    Run::new(program().arg("problem").args(arguments).output().expect("the program runs"))
}

#[test]
fn walls_and_packings_are_written_and_solved() {
    let folder = Folder::new();
    let (wall, mixed, packing) =
        (folder.path("wall.json"), folder.path("mixed.json"), folder.path("packing.json"));
    let run = problem(&["wall", "--rows", "3", "--columns", "4", "--out", &wall]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("72 contacts"), "{}", run.out);
    assert_eq!(
        problem(&["permute", "--file", &wall, "--seed", "5", "--out", &mixed]).code,
        Some(0)
    );
    let run = problem(&["packing", "--spheres", "12", "--friction", "0.4", "--out", &packing]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let run = solve([&wall, &mixed, &packing, "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.out);
    for row in run.rows() {
        let (e, by_data) = (row["residual"].as_f64(), row["error_by_data"].as_f64());
        assert!(e.expect("a number") <= 1e-8 && by_data >= e, "{row}");
    }
}

#[test]
fn what_cannot_be_made_is_refused() {
    let folder = Folder::new();
    let out = folder.path("x.json");
    for (arguments, word) in [
        (vec!["wall", "--rows", "0"], "bodies"),
        (vec!["packing", "--spheres", "200000"], "bodies"),
        (vec!["wall", "--friction=-1"], "friction is -1"),
        (vec!["wall", "--disturbance", "nan"], "disturbance"),
        (vec!["permute", "--file", "no-such.json"], "no-such.json"),
    ] {
        let run = problem(&[&arguments[..], &["--out", &out]].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.err);
        assert!(run.err.contains(word), "{arguments:?}: {}", run.err);
    }
}
