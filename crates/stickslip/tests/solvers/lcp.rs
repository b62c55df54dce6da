//! Linear complementarity problems: the reference set, files, random matrices.
#![allow(clippy::unwrap_used)] // a test may

use stickslip::solve::Status;
use stickslip::solve::lcp::{
    Enumeration, LcpError, LcpFileError, LemkeMethod, LemkeMethodOptions,
    LinearComplementarityProblem,
};

struct Case {
    name: String,
    problem: LinearComplementarityProblem,
    solutions: Vec<Vec<f64>>,
    any_singular: bool,
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// The 30 problems of the reference set: y = A x + b with all solutions. Where a basis is
/// singular the set lists the point of least norm of the continuum.
fn reference_set() -> Vec<Case> {
    let text = include_str!("../data/lcp_testset.json");
    let set: serde_json::Value = serde_json::from_str(text).unwrap();
    let cases = set.as_array().unwrap();
    cases
        .iter()
        .map(|case| {
            let rows: Vec<Vec<f64>> = case["A"].as_array().unwrap().iter().map(numbers).collect();
            let listed = case["solutions"].as_array().unwrap();
            Case {
                name: case["name"].as_str().unwrap().into(),
                problem: LinearComplementarityProblem::from_rows(&rows, &numbers(&case["b"]))
                    .unwrap(),
                solutions: listed.iter().map(|s| numbers(&s["x"])).collect(),
                any_singular: listed.iter().any(|s| s["singular_basis"].as_bool().unwrap()),
            }
        })
        .collect()
}

fn distance(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).fold(0.0, |m, (p, q)| m.max((p - q).abs()))
}

fn size(p: &[f64]) -> f64 {
    p.iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// Lemke without the help of enumeration.
fn plain_lemke() -> LemkeMethod {
    let options = LemkeMethodOptions { enumerate_up_to: 0, ..LemkeMethodOptions::default() };
    LemkeMethod::new(options)
}

#[test]
fn enumeration_finds_every_listed_solution() {
    let mut enumeration = Enumeration::default();
    let cases = reference_set();
    assert_eq!(cases.len(), 30);
    for case in &cases {
        let found = enumeration.all(&case.problem, 1e-10);
        for listed in &case.solutions {
            // 1e-9: the listed numbers are solutions to about 1e-15 of well-conditioned bases.
            assert!(
                found.iter().any(|s| distance(&s.x, listed) <= 1e-9 * size(listed)),
                "{}: {listed:?} is missing in {found:?}",
                case.name
            );
        }
        if !case.any_singular {
            // Without a continuum the lists agree. (A continuum also yields its vertices here.)
            assert_eq!(found.len(), case.solutions.len(), "{}: {found:?}", case.name);
        }
        for s in &found {
            assert!(s.residual <= 1e-13, "{}: {s:?}", case.name);
            assert!(s.x.iter().all(|v| *v >= 0.0));
        }
    }
}

#[test]
fn lemke_solves_the_reference_set() {
    let mut lemke = plain_lemke();
    for case in reference_set() {
        let mut x = vec![0.0; case.problem.dim()];
        let report = lemke.solve(&case.problem, &mut x);
        if case.solutions.is_empty() {
            assert_eq!(report.status, Status::RayTermination, "{}", case.name);
            let with_proof = LemkeMethod::default().solve(&case.problem, &mut x);
            assert_eq!(with_proof.status, Status::NoSolution, "{}", case.name);
        } else {
            assert_eq!(report.status, Status::Solved, "{}", case.name);
            // Direct solution of at most 8 equations: round-off.
            assert!(report.residual <= 1e-14, "{}: {report:?}", case.name);
            assert_eq!(report.residual, case.problem.residual(&x));
            if case.solutions.len() == 1 {
                assert!(distance(&x, &case.solutions[0]) <= 1e-9 * size(&x), "{}", case.name);
            }
        }
    }
}

/// The continuum x₁ + x₂ = 1 (problem 19) is given by its two vertices and its point of least
/// norm; the hyperstatic block on two points (problem 30) has P_N1 + P_N2 = 1 in all of them.
#[test]
fn continua_are_given_by_vertices_and_points_of_least_norm() {
    let cases = reference_set();
    let found = Enumeration::default().all(&cases[18].problem, 1e-10);
    assert_eq!(found.len(), 3);
    for s in &found {
        assert!((s.x[0] + s.x[1] - 1.0).abs() <= 1e-14);
    }
    let found = Enumeration::default().all(&cases[29].problem, 1e-10);
    assert!(found.len() > 7, "the vertices of the faces come on top: {}", found.len());
    for s in &found {
        let mu = 0.5;
        assert!((s.x[0] + s.x[1] - 1.0).abs() <= 1e-13);
        let tangential = s.x[2] + s.x[3] - mu * (s.x[0] + s.x[1]);
        assert!((tangential + 0.1).abs() <= 1e-13, "{s:?}");
    }
}

/// A vertex of a singular face that no regular basis has: A vanishes on the face except for a row
/// that bounds it.
#[test]
fn enumeration_sees_faces_without_regular_vertices() {
    // y₁ = x₁ − x₂, y₂ = x₁ − x₂ (singular), y₃ = 1 − x₁: x₁ = x₂ = s with 0 ≤ s ≤ 1.
    let a = vec![1.0, -1.0, 0.0, 1.0, -1.0, 0.0, -1.0, 0.0, 0.0];
    let problem = LinearComplementarityProblem::new(a, vec![0.0, 0.0, 1.0]).unwrap();
    let found = Enumeration::default().all(&problem, 1e-10);
    let has = |x: [f64; 3]| found.iter().any(|s| distance(&s.x, &x) <= 1e-12);
    assert!(has([0.0, 0.0, 0.0]) && has([1.0, 1.0, 0.0]), "{found:?}");
}

/// Units: scaling of rows and columns by any positive numbers leaves the residual as it is.
#[test]
fn residual_does_not_depend_on_units() {
    let mut rng = fastrand::Rng::with_seed(2);
    for _ in 0..500 {
        let n = rng.usize(1..6);
        let normal = |rng: &mut fastrand::Rng| 2.0 * rng.f64() - 1.0;
        let a: Vec<f64> = (0..n * n).map(|_| normal(&mut rng)).collect();
        let b: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        let x: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        // Powers of two, so that equality is exact.
        let power = |rng: &mut fastrand::Rng| 2f64.powi(rng.i32(-40..40));
        let d: Vec<f64> = (0..n).map(|_| power(&mut rng)).collect();
        let e: Vec<f64> = (0..n).map(|_| power(&mut rng)).collect();
        let scaled_a = (0..n * n).map(|k| d[k / n] * a[k] * e[k % n]).collect();
        let scaled_b = (0..n).map(|i| d[i] * b[i]).collect();
        let scaled_x: Vec<f64> = (0..n).map(|i| x[i] / e[i]).collect();
        let plain = LinearComplementarityProblem::new(a, b).unwrap();
        let scaled = LinearComplementarityProblem::new(scaled_a, scaled_b).unwrap();
        assert_eq!(plain.residual(&x), scaled.residual(&scaled_x));
    }
}

#[test]
fn residual_vanishes_only_at_solutions() {
    let problem = LinearComplementarityProblem::new(vec![-1.0], vec![1.0]).unwrap();
    assert_eq!(problem.residual(&[0.0]), 0.0);
    assert_eq!(problem.residual(&[1.0]), 0.0);
    assert_eq!(problem.residual(&[0.5]), 0.5);
    assert_eq!(problem.residual(&[2.0]), 0.5);
    assert_eq!(problem.residual(&[-1.0]), 1.0);
    // A column of zeros: x has no effect, but must still vanish where y does not.
    let flat = LinearComplementarityProblem::new(vec![0.0], vec![1.0]).unwrap();
    assert_eq!(flat.residual(&[1e-30]), 1.0);
}

/// Positive definite matrices: one solution, which Lemke must find (Flores 2010, sec. 2.1), also
/// with rows and columns in wildly different units.
#[test]
fn lemke_solves_positive_definite_problems_of_any_scale() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut lemke = plain_lemke();
    for round in 0..500 {
        let n = rng.usize(1..61);
        let w: Vec<f64> = (0..n * n).map(|_| 2.0 * rng.f64() - 1.0).collect();
        let skew: Vec<f64> = (0..n * n).map(|_| 2.0 * rng.f64() - 1.0).collect();
        let range = if round % 2 == 0 { 0.0 } else { 6.0 };
        let mut unit = || 10f64.powf(range * (2.0 * rng.f64() - 1.0));
        let d: Vec<f64> = (0..n).map(|_| unit()).collect();
        let e: Vec<f64> = (0..n).map(|_| unit()).collect();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let gram: f64 = (0..n).map(|k| w[i * n + k] * w[j * n + k]).sum();
                let ridge = if i == j { 0.1 } else { 0.0 };
                a[i * n + j] = d[i] * (gram + skew[i * n + j] - skew[j * n + i] + ridge) * e[j];
            }
        }
        let b = (0..n).map(|i| d[i] * (2.0 * rng.f64() - 1.0)).collect();
        let problem = LinearComplementarityProblem::new(a, b).unwrap();
        let mut x = vec![0.0; n];
        let report = lemke.solve(&problem, &mut x);
        assert_eq!(report.status, Status::Solved, "round {round}, n = {n}: {report:?}");
        // Direct solution, condition numbers up to about 1e4.
        assert!(report.residual <= 1e-12, "round {round}, n = {n}: {report:?}");
    }
}

/// Garbage: no panic, no endless loop, no NaN; a claim of success is a small residual, and where
/// enumeration finds a solution Lemke with its help does as well.
#[test]
fn garbage_is_survived() {
    let mut rng = fastrand::Rng::with_seed(4);
    let special =
        [0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 5e-324, -5e-324, 1e-310, f64::MAX, -f64::MAX, 1e-17];
    let mut enumeration = Enumeration::default();
    for round in 0..3000 {
        let n = rng.usize(0..6);
        let mix = round % 3;
        let mut entry = || match mix {
            0 => special[rng.usize(..special.len())],
            1 => rng.i32(-2..3) as f64,
            _ => (2.0 * rng.f64() - 1.0) * 10f64.powi(rng.i32(-150..150)),
        };
        let a: Vec<f64> = (0..n * n).map(|_| entry()).collect();
        let b: Vec<f64> = (0..n).map(|_| entry()).collect();
        let problem = LinearComplementarityProblem::new(a, b).unwrap();
        let mut x = vec![0.0; n];
        let plain = plain_lemke().solve(&problem, &mut x);
        assert!(x.iter().all(|v| v.is_finite() && *v >= 0.0), "{problem:?} {x:?}");
        assert_eq!(plain.status == Status::Solved, problem.residual(&x) <= 1e-10);
        let report = LemkeMethod::default().solve(&problem, &mut x);
        assert!(x.iter().all(|v| v.is_finite() && *v >= 0.0), "{problem:?} {x:?}");
        let all = enumeration.all(&problem, 1e-10);
        assert_eq!(report.status == Status::Solved, problem.residual(&x) <= 1e-10);
        if !all.is_empty() {
            assert_eq!(report.status, Status::Solved, "{problem:?} {all:?}");
        }
        if mix == 1 && plain.status == Status::Solved {
            // Small integers: no excuse by overflow. Enumeration is complete.
            assert!(!all.is_empty(), "{problem:?} {x:?}");
        }
    }
    for n in [1, 5, 12, 60] {
        let zero = LinearComplementarityProblem::new(vec![0.0; n * n], vec![-1.0; n]).unwrap();
        let mut x = vec![0.0; n];
        assert_eq!(plain_lemke().solve(&zero, &mut x).status, Status::RayTermination);
    }
}

/// Murty's problem makes Lemke take 2ⁿ pivots: the limit ends it.
#[test]
fn the_pivot_limit_ends_exponential_paths() {
    let n = 30;
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        a[i * n + i] = 1.0;
        for j in 0..i {
            a[i * n + j] = 2.0;
        }
    }
    let problem = LinearComplementarityProblem::new(a, vec![-1.0; n]).unwrap();
    let options = LemkeMethodOptions { max_pivots: 50, restarts: 0, ..Default::default() };
    let mut lemke = LemkeMethod::new(options);
    let mut x = vec![0.0; n];
    let report = lemke.solve(&problem, &mut x);
    assert_eq!((report.status, report.pivots), (Status::MaxIterations, 50));
}

#[test]
fn files_read_back_to_the_last_bit() {
    for case in reference_set() {
        let text = case.problem.to_json(&case.name).unwrap();
        let read = LinearComplementarityProblem::from_json(&text).unwrap();
        assert_eq!(read.name, case.name);
        assert_eq!(read.problem, case.problem);
    }
}

#[test]
fn bad_files_are_named() {
    let read = |body: &str| {
        let text = format!("{{\"format\": \"stickslip/lcp\", \"version\": 1, {body}}}");
        LinearComplementarityProblem::from_json(&text).unwrap_err().to_string()
    };
    let message = read("\"A\": [[1, 2], [3]], \"b\": [1, 2]");
    assert!(message.contains("row 1 of A has 1 entries"), "{message}");
    let message = read("\"A\": [[1, 2]], \"b\": [1, 2]");
    assert!(message.contains("A has 1 rows, b has 2"), "{message}");
    let message = read("\"A\": [[1, null], [3, 4]], \"b\": [1, 2]");
    assert!(message.contains("A[0][1] is null"), "{message}");
    let message = read("\"A\": [[1, 2], [3, 4]], \"b\": [1, \"x\"]");
    assert!(message.contains("b[1] is \"x\""), "{message}");
    assert!(read("\"A\": [[NaN]], \"b\": [1]").contains("line 1"));
    assert!(read("\"b\": [1]").contains("missing field `A`"));
    let wrong = LinearComplementarityProblem::from_json("{\"format\": \"stickslip/lcp\"}");
    assert!(matches!(wrong, Err(LcpFileError::Format { version: 0, .. })));
    let nan = LinearComplementarityProblem::new(vec![f64::NAN], vec![0.0]);
    assert!(matches!(nan, Err(LcpError::Matrix { row: 0, column: 0, .. })));
    let length = LinearComplementarityProblem::new(vec![1.0, 2.0], vec![0.0]);
    assert_eq!(length, Err(LcpError::Dimension { n: 1, found: 2 }));
}
