//! `stickslip solve` from outside: the built program, its files, its exit codes.

#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Folder, Run, changed, index, numbers, program, read_json, solve};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Dense G of a scalar CSR matrix.
fn dense(csr: &Value) -> Vec<Vec<f64>> {
    let (indptr, data) = (&csr["indptr"], numbers(&csr["data"]));
    let n = indptr.as_array().expect("indptr").len() - 1;
    let mut g = vec![vec![0.0; n]; n];
    for i in 0..n {
        for k in index(&indptr[i])..index(&indptr[i + 1]) {
            g[i][index(&csr["indices"][k])] += data[k];
        }
    }
    g
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The residual e of a contact-problem file in De Saxcé's cone form, written once more from its
/// definition: e = |s Λ − P_K(s Λ − ξ − μ|ξ_T| e_N)| / max(|c|, s|Λ|, |ξ|), s = trace(G)/n. The
/// projection goes along a generator of the cone, other than in the library.
fn cone_residual(problem: &Value, percussions: &[f64]) -> (f64, Vec<f64>) {
    let (g, c) = (dense(&problem["delassus"]), numbers(&problem["c"]));
    let (dim, mu) = (index(&problem["dimension"]), numbers(&problem["friction"]));
    let n = c.len();
    let s = (0..n).map(|i| g[i][i]).sum::<f64>() / n as f64;
    let xi: Vec<f64> =
        (0..n).map(|i| c[i] + (0..n).map(|j| g[i][j] * percussions[j]).sum::<f64>()).collect();
    let mut difference = Vec::new();
    for (k, mu) in mu.iter().enumerate() {
        let (l, x) = (&percussions[k * dim..(k + 1) * dim], &xi[k * dim..(k + 1) * dim]);
        let mut z: Vec<f64> = (0..dim).map(|i| s * l[i] - x[i]).collect();
        z[0] -= mu * norm(&x[1..]);
        let tangential = norm(&z[1..]);
        // Project onto the axis of the mantle, clip, and stay inside the cone.
        let along = (z[0] + mu * tangential) / (1.0 + mu * mu).sqrt();
        let projected: Vec<f64> = if tangential <= mu * z[0] {
            z
        } else if along <= 0.0 {
            vec![0.0; dim]
        } else {
            let normal = along / (1.0 + mu * mu).sqrt();
            let tangents = z[1..].iter().map(|t| t / tangential * mu * normal);
            std::iter::once(normal).chain(tangents).collect()
        };
        difference.extend((0..dim).map(|i| s * l[i] - projected[i]));
    }
    let size = norm(&c).max(s * norm(percussions)).max(norm(&xi));
    (norm(&difference) / size, xi)
}

/// Solves a shipped problem to 1e-10 and returns its solution file.
fn shipped_solution(name: &str) -> Value {
    let folder = Folder::new();
    let solutions = folder.path("deep/solutions");
    let file = format!("problems/{name}.json");
    let run = solve([&file, "--tolerance", "1e-10", "--write-solutions", &solutions]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let solution = read_json(folder.path(&format!("deep/solutions/{name}.solution.json")));
    assert_eq!(solution["format"], "stickslip/solution");
    assert_eq!(solution["version"], 1);
    assert_eq!(solution["name"], name);
    assert_eq!(solution["status"], "solved");
    solution
}

// ---- what is solved -----------------------------------------------------------------------

#[test]
fn every_shipped_problem_is_solved() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files: Vec<PathBuf> = std::fs::read_dir(root.join("problems"))
        .expect("problems/")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert!(files.len() >= 4);
    let run = solve(files.iter().map(|f| f.as_os_str()).chain(["--json".as_ref()]));
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    assert_eq!(run.rows().len(), files.len());
    for row in run.rows() {
        assert_eq!(row["status"], "solved");
        assert!(row["residual"].as_f64().expect("a number") <= 1e-8);
    }
}

#[test]
fn json_lines_have_all_keys() {
    let run =
        solve(["problems/block-on-incline.json", "problems/three-ball-cradle-lcp.json", "--json"]);
    let rows = run.rows();
    let mut keys = [
        "file",
        "name",
        "contacts",
        "solver",
        "status",
        "iterations",
        "residual",
        "error_by_data",
        "penetration",
        "seconds",
        "error",
    ];
    keys.sort_unstable();
    for row in &rows {
        let mut found: Vec<&String> = row.as_object().expect("an object").keys().collect();
        found.sort_unstable();
        assert_eq!(found, keys);
        assert!(row["seconds"].as_f64().expect("a number") > 0.0);
        assert!(row["iterations"].is_u64());
        assert_eq!(row["solver"], "auto");
        assert_eq!(row["error"], Value::Null);
    }
    assert_eq!(rows[0]["file"], "problems/block-on-incline.json");
    assert_eq!(rows[0]["name"], "block-on-incline");
    assert_eq!(rows[0]["contacts"], 4);
    assert!(rows[0]["penetration"].is_f64());
    // Neither contacts nor penetration mean anything in a linear complementarity problem.
    assert_eq!((&rows[1]["contacts"], &rows[1]["penetration"]), (&Value::Null, &Value::Null));
}

#[test]
fn solution_files_satisfy_the_residual_recomputed_here() {
    for name in ["block-on-incline", "painleve-rod"] {
        let solution = shipped_solution(name);
        let problem = read_json(format!("problems/{name}.json"));
        let percussions = numbers(&solution["percussions"]);
        let (e, xi) = cone_residual(&problem, &percussions);
        assert!(e <= 1e-10, "{name}: {e:e}");
        // Both evaluate the same formula in a different order: a few roundings of numbers near 1.
        assert!((e - solution["residual"].as_f64().expect("a number")).abs() < 1e-14);
        for (a, b) in xi.iter().zip(numbers(&solution["relative_velocities"])) {
            assert!((a - b).abs() < 1e-14, "{name}: {a} {b}");
        }
        // The measure above can fail: percussions that are 1 % too large are no solution.
        let wrong: Vec<f64> = percussions.iter().map(|p| 1.01 * p).collect();
        assert!(cone_residual(&problem, &wrong).0 > 1e-4);
    }
}

/// Block on an incline: tan 20° > μ = 0.3, so all corners slide down with g Δt (sin α − μ cos α),
/// and the normal percussions carry the weight, m g Δt cos α. Tolerance: e ≤ 1e-10 times the size
/// of the data (0.2 m/s) times |G⁻¹| on its range (below 10 kg), with a margin of ten.
#[test]
fn the_block_slides_as_coulomb_says() {
    let solution = shipped_solution("block-on-incline");
    let (percussions, xi) =
        (numbers(&solution["percussions"]), numbers(&solution["relative_velocities"]));
    let (sin, cos) = 20.0_f64.to_radians().sin_cos();
    let normal: f64 = percussions.iter().step_by(3).sum();
    assert!((normal - 2.0 * 9.81 * 0.01 * cos).abs() < 2e-9, "{normal}");
    for k in 0..4 {
        assert!(xi[3 * k].abs() < 2e-9);
        assert!((xi[3 * k + 1] - 9.81 * 0.01 * (sin - 0.3 * cos)).abs() < 2e-9, "{xi:?}");
        assert!(xi[3 * k + 2].abs() < 2e-9);
    }
}

/// Painlevé's rod: sliding friction would need G_NN + μ G_NT > 0, which fails, so the end stops at
/// once: ξ = 0. Tolerance: e ≤ 1e-10 times the size of the data (1 m/s), with a margin of ten.
#[test]
fn painleves_rod_stops_in_an_impact() {
    let solution = shipped_solution("painleve-rod");
    assert!(norm(&numbers(&solution["relative_velocities"])) < 1e-9);
    assert!(numbers(&solution["percussions"])[0] > 0.3);
}

/// Three equal balls with Newton restitution 1: Λ = (4/3, 2/3) N s, hence velocities −1/3, 2/3,
/// 2/3 m/s. Tolerance as above; |G⁻¹| = 1 kg.
#[test]
fn the_cradle_is_the_same_as_inclusion_and_as_lcp() {
    let inclusion = numbers(&shipped_solution("three-ball-cradle")["percussions"]);
    let lcp = shipped_solution("three-ball-cradle-lcp");
    for x in [inclusion, numbers(&lcp["x"])] {
        assert!((x[0] - 4.0 / 3.0).abs() < 1e-9 && (x[1] - 2.0 / 3.0).abs() < 1e-9, "{x:?}");
    }
    assert!(norm(&numbers(&lcp["y"])) < 1e-9);
}

#[test]
fn the_table_is_aligned_and_plain_when_piped() {
    let run = solve(["problems/block-on-incline.json", "problems/painleve-rod.json"]);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(!run.out.contains('\x1b'));
    let (status, residual) = (lines[0].find("status"), lines[0].find("residual"));
    for line in &lines[1..] {
        assert_eq!(line.find("solved"), status, "{}", run.out);
        assert_eq!(line.len(), lines[0].len());
    }
    assert!(status < residual);
    assert!(lines[1].starts_with("block-on-incline ") && lines[2].starts_with("painleve-rod "));
}

#[test]
fn unsolved_problems_are_told_by_exit_code_3() {
    let folder = Folder::new();
    let arguments = ["--solver", "jacobi", "--max-iterations", "1", "--json", "--write-solutions"];
    let files = ["problems/block-on-incline.json", "problems/three-ball-cradle.json"];
    let run = solve(files.into_iter().chain(arguments).chain([folder.path("s").as_str()]));
    assert_eq!(run.code, Some(3), "{}", run.out);
    let row = &run.rows()[0];
    assert_ne!(row["status"], "solved");
    assert!(row["residual"].as_f64().expect("a number") > 1e-8);
    // The best percussions found are written with the honest status.
    let solution = read_json(folder.path("s/block-on-incline.solution.json"));
    assert_eq!(solution["status"], row["status"]);
    assert_eq!(numbers(&solution["percussions"]).len(), 12);
}

#[test]
fn an_empty_problem_is_solved() {
    let folder = Folder::new();
    let file = folder.write(
        "empty.json",
        json!({"format": "stickslip/inclusion-problem", "version": 1, "contacts": [], "c": [],
               "delassus": {"indptr": [0], "indices": [], "data": []}})
        .to_string(),
    );
    let run = solve([file.as_str(), "--json"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert_eq!((&run.rows()[0]["name"], &run.rows()[0]["contacts"]), (&json!("empty"), &json!(0)));
}

#[test]
fn two_problems_of_one_name_get_two_files() {
    let folder = Folder::new();
    let first = folder.write("a.json", changed("/name", json!("../one/Name")));
    let second = folder.write("b.json", changed("/name", json!("../one/name")));
    let out = folder.path("solutions");
    let run = solve([&first, &second, "--write-solutions", &out]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("b.json") && run.err.contains("-2.solution.json"), "{}", run.err);
    let mut written: Vec<String> = std::fs::read_dir(&out)
        .expect("the folder of solutions")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    written.sort();
    assert_eq!(written, ["_one_Name.solution.json", "_one_name-2.solution.json"]);
}

#[test]
fn the_examples_of_the_documentation_are_solved() {
    let folder = Folder::new();
    let page = include_str!("../../../../docs/file-formats.md");
    let examples: Vec<&str> = page.split("```json").skip(1).collect();
    assert_eq!(examples.len(), 3);
    for (number, example) in examples.iter().enumerate() {
        let text = example.split("```").next().expect("an end");
        let run = solve([&folder.write(&format!("{number}.json"), text)]);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{text}");
    }
}

// ---- the program as a whole ---------------------------------------------------------------

#[test]
fn help_and_version_end_well() {
    for arguments in [&["--help"][..], &["--version"], &["solve", "--help"]] {
        let run = Run::new(program().args(arguments).output().expect("the program runs"));
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(run.out.contains("stickslip"));
    }
    let help = solve(["--help"]).out;
    for word in ["Examples:", "Units:", "Exit codes:", "--max-seconds", "gauss-seidel"] {
        assert!(help.contains(word), "{word} is not in\n{help}");
    }
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let files = ["problems/painleve-rod.json"; 3];
    let child = program().arg("solve").args(files).stdout(writer).stderr(Stdio::piped()).spawn();
    let run = Run::new(child.expect("the program runs").wait_with_output().expect("it ends"));
    assert_eq!((run.code, run.err.as_str()), (Some(141), ""));
}
