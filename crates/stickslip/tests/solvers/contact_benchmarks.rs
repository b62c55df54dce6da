//! Contact problems of other people's simulators, read from a folder outside of the project.
//!
//! The folder is named by `STICKSLIP_CONTACT_PROBLEMS`, by default `../shared/benchmarks/contact`
//! beside the workspace. They are left out unless asked for, `--ignored`; `./check.sh` asks where the folder is.
#![allow(clippy::unwrap_used, clippy::panic)] // tests

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip::problem::InclusionProblem;
use stickslip::solve::{Auto, AutoOptions, Limits, Solver, Status};

fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var_os("STICKSLIP_CONTACT_PROBLEMS") {
        // A relative path counts from the root of the workspace, not from the crate.
        Some(path) => root.join(path),
        None => root.join("../shared/benchmarks/contact"),
    }
}

/// Names and texts of all problems.
fn problems() -> Vec<(String, String)> {
    let folder = folder();
    let listed = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("STICKSLIP_CONTACT_PROBLEMS, {}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "json"));
    files.sort();
    assert!(!files.is_empty(), "no problem in {}", folder.display());
    files
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect()
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The residual of issue 2 from the data of the file alone: no type of the library takes part.
/// Uses Moreau's decomposition, Λ' − P_K(Λ' − ξ̂) with P_K by its three cases on (z_N, |z_T|).
fn independent_residual(text: &str, lambda: &[f64]) -> f64 {
    let file: serde_json::Value = serde_json::from_str(text).unwrap();
    let dimension = file["dimension"].as_u64().unwrap() as usize;
    let (friction, c) = (numbers(&file["friction"]), numbers(&file["c"]));
    let [indptr, indices, data] =
        ["indptr", "indices", "data"].map(|key| numbers(&file["delassus"][key]));
    let n = c.len();
    let (mut xi, mut trace) = (c.clone(), 0.0);
    for row in 0..n {
        for k in indptr[row] as usize..indptr[row + 1] as usize {
            let column = indices[k] as usize;
            xi[row] += data[k] * lambda[column];
            if column == row {
                trace += data[k];
            }
        }
    }
    let s = trace / n as f64;
    let scaled: Vec<f64> = lambda.iter().map(|l| s * l).collect();
    let mut errors = Vec::new();
    for (contact, mu) in friction.iter().enumerate() {
        let first = contact * dimension;
        let (l, x) = (&scaled[first..first + dimension], &xi[first..first + dimension]);
        let mut z: Vec<f64> = l.iter().zip(x).map(|(l, x)| l - x).collect();
        z[0] -= mu * norm(&x[1..]);
        let tangential = norm(&z[1..]);
        let mut projected = vec![0.0; dimension];
        if tangential <= mu * z[0] {
            projected.copy_from_slice(&z);
        } else if mu * tangential > -z[0] {
            // Onto the ray (1, μ t) of the mantle, t the direction of z_T.
            let along = (z[0] + mu * tangential) / (1.0 + mu * mu);
            projected[0] = along;
            for k in 1..dimension {
                projected[k] = along * mu * z[k] / tangential;
            }
        }
        errors.extend(l.iter().zip(&projected).map(|(l, p)| l - p));
    }
    norm(&errors) / norm(&c).max(norm(&scaled)).max(norm(&xi))
}

/// Solves all problems by `auto` from zero and prints a table; all must be solved.
fn solve_all(tolerance: f64, max_time: Duration) {
    let mut failed = Vec::new();
    for (name, text) in problems() {
        let problem = InclusionProblem::from_json(&text).unwrap().problem;
        let limits = Limits { tolerance, max_time: Some(max_time), ..Limits::default() };
        let mut auto = Auto::new(AutoOptions { limits, ..Default::default() }).unwrap();
        let mut lambda = vec![0.0; problem.dim()];
        let begin = Instant::now();
        let report = auto.solve(&problem, &mut lambda).unwrap();
        let seconds = begin.elapsed().as_secs_f64();
        let independent = independent_residual(&text, &lambda);
        println!(
            "{tolerance:e} {name}: {} contacts, {}, {} iterations, residual {independent:.2e}, {seconds:.4} s",
            problem.contacts().len(),
            report.status,
            report.iterations
        );
        // Both residuals sum the same terms in another order: they differ by rounding, about
        // 1e-16 times the entries of a row and the number of components.
        assert!(
            (independent - report.residual.value).abs() <= 1e-13 + 1e-6 * independent,
            "{name}: {independent:e} against {:e}",
            report.residual.value
        );
        if report.status != Status::Solved || independent > tolerance * (1.0 + 1e-6) {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "not solved at {tolerance:e}: {failed:?}");
}

#[test]
#[ignore = "needs the folder of contact problems, STICKSLIP_CONTACT_PROBLEMS"]
fn auto_solves_all_at_1e4() {
    solve_all(1e-4, Duration::from_secs(60));
}

#[test]
#[ignore = "needs the folder of contact problems, STICKSLIP_CONTACT_PROBLEMS"]
fn auto_solves_all_at_1e8() {
    // The rock pile takes most of the time; the limit leaves room for a slow machine.
    solve_all(1e-8, Duration::from_secs(180));
}
