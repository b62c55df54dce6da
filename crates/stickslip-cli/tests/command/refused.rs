//! What `stickslip solve` refuses: exit code 2 and a message that names the file and the reason.

#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Folder, changed, point_mass, solve};
use serde_json::{Value, json};

#[test]
fn bad_files_are_refused_with_file_and_reason() {
    let folder = Folder::new();
    let lcp = |a: Value, b: Value| {
        json!({"format": "stickslip/lcp", "version": 1, "A": a, "b": b}).to_string()
    };
    let general = |set: Value, reservoir: Value| {
        json!({"format": "stickslip/inclusion-problem", "version": 1, "c": [0.0],
               "contacts": [{"laws": [{"set": set, "reservoir": reservoir}]}],
               "delassus": {"indptr": [0, 1], "indices": [0], "data": [1.0]}})
        .to_string()
    };
    let cases = [
        ("empty", String::new(), "JSON"),
        ("not-json", "contacts: 4".into(), "JSON"),
        ("cut-off", point_mass().to_string()[..90].into(), "JSON"),
        ("array", "[1, 2]".into(), "JSON"),
        ("no-format", "{}".into(), "stickslip/contact-problem"),
        ("other-format", changed("/format", json!("fclib")), "\"fclib\""),
        ("version-2", changed("/version", json!(2)), "version 2"),
        ("null-in-c", changed("/c/0", Value::Null), "null"),
        ("null-in-g", changed("/delassus/data/1", Value::Null), "null"),
        ("overflow", point_mass().to_string().replace("-1.0", "-1e999"), "out of range"),
        ("nan", point_mass().to_string().replace("-1.0", "NaN"), "expected value"),
        ("dimension-4", changed("/dimension", json!(4)), "must be 2 or 3"),
        ("dimension-0", changed("/dimension", json!(0)), "must be 2 or 3"),
        ("short-c", changed("/c", json!([1.0])), "c has 1 components"),
        ("short-indptr", changed("/delassus/indptr", json!([0, 1])), "indptr has 2 entries"),
        ("falling-indptr", changed("/delassus/indptr", json!([0, 2, 1])), "never fall"),
        ("column", changed("/delassus/indices/1", json!(7)), "column index 7"),
        ("negative-friction", changed("/friction/0", json!(-0.5)), "-0.5"),
        ("zero-diagonal", changed("/delassus/data/1", json!(0.0)), "must be positive"),
        ("negative-diagonal", changed("/delassus/data/0", json!(-1.0)), "must be positive"),
        ("unknown-set", general(json!({"kind": "cube"}), json!("unbounded")), "cube"),
        (
            "no-normal",
            general(json!({"kind": "ball", "dim": 1, "radius": 1.0}), json!("normal")),
            "normal law must stand first",
        ),
        (
            "huge-set",
            general(json!({"kind": "free-space", "dim": u64::MAX}), json!("unbounded")),
            "components",
        ),
        ("lcp-not-square", lcp(json!([[1.0], [2.0, 3.0]]), json!([1.0, 1.0])), "row 0"),
        ("lcp-rows", lcp(json!([[1.0]]), json!([1.0, 1.0])), "A has 1 rows"),
        ("lcp-null", lcp(json!([[Value::Null]]), json!([1.0])), "null"),
        ("lcp-no-b", lcp(json!([[1.0]]), Value::Null), "null"),
    ];
    for (name, text, reason) in cases {
        let file = folder.write(&format!("{name}.json"), text);
        refused(&file, reason);
    }
    refused(&folder.write("bytes.json", [0xff, 0xfe, 0x00]), "UTF-8");
    refused(&folder.path("missing.json"), "cannot be read");
    refused(&folder.path(""), "cannot be read");
}

fn refused(file: &str, reason: &str) {
    let run = solve([file, "--json"]);
    assert_eq!(run.code, Some(2), "{file}\n{}{}", run.out, run.err);
    assert!(run.err.starts_with(&format!("error: {file}: ")), "{}", run.err);
    assert!(run.err.contains(reason), "{reason:?} is not in {}", run.err);
    let row = &run.rows()[0];
    assert_eq!(row["file"], file);
    assert_eq!(row["status"], "bad-input");
    assert_eq!(row["residual"], Value::Null);
    assert!(row["error"].as_str().expect("a sentence").contains(reason));
}

#[test]
fn a_bad_file_does_not_keep_the_others_from_being_solved() {
    let files = ["problems/none.json", "problems/painleve-rod.json", "Cargo.toml"];
    let run = solve(files.into_iter().chain(["--json"]));
    assert_eq!(run.code, Some(2));
    let status: Vec<Value> = run.rows().iter().map(|row| row["status"].clone()).collect();
    assert_eq!(status, ["bad-input", "solved", "bad-input"]);
    assert_eq!(run.err.lines().filter(|line| line.starts_with("error: ")).count(), 2);
}

#[test]
fn a_solver_that_does_not_fit_is_bad_input() {
    let run = solve(["problems/three-ball-cradle-lcp.json", "--solver", "jacobi"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.err.contains("jacobi") && run.err.contains("lemke, enumerate, auto"),
        "{}",
        run.err
    );
}

#[test]
fn bad_arguments_are_refused_with_what_is_allowed() {
    let file = "problems/painleve-rod.json";
    let cases: [(&[&str], &str); 9] = [
        (&[file, "--solver", "simplex"], "augmented-lagrangian"),
        (&[file, "--tolerance", "2"], "from 0 to 1"),
        (&[file, "--tolerance", "nan"], "from 0 to 1"),
        (&[file, "--tolerance=-1e-8"], "from 0 to 1"),
        (&[file, "--max-seconds", "0"], "positive number of seconds"),
        (&[file, "--max-seconds", "inf"], "positive number of seconds"),
        (&[file, "--max-iterations", "0"], "at least 1"),
        (&[file, "--sover", "auto"], "--solver"),
        (&[], "FILE"),
    ];
    for (arguments, allowed) in cases {
        let run = solve(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.err.contains(allowed), "{arguments:?}: {}", run.err);
        assert_eq!(run.out, "");
    }
}

#[test]
fn solutions_cannot_be_written_into_a_file() {
    let folder = Folder::new();
    let taken = folder.write("taken", "");
    let run = solve(["problems/painleve-rod.json", "--write-solutions", &taken]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains(&taken), "{}", run.err);
}
