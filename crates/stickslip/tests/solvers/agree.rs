//! All solvers on the same random contact problems with Coulomb friction.
#![allow(clippy::unwrap_used, clippy::panic)] // tests

use crate::problems::{
    Case, Shape, Tally, all_velocities, assemble, coulomb_laws, distance, proven_unique, size,
    velocities,
};
use fastrand::Rng;
use stickslip::solve::lcp::{Lemke, LemkeOptions};
use stickslip::solve::{Limits, SOLVER_NAMES, Solver, Status, by_name};

/// Asked of every solver. The issue asks for a residual of 1e-10 and for velocities that agree to
/// 1e-9; a residual e allows velocities to differ by about e times the root of the condition of
/// G, which is up to 1e4 here.
const TOLERANCE: f64 = 1e-13;
/// How far ξ of two solvers may differ, relative to max(|c|, |Λ'|, |ξ|).
const AGREE: f64 = 1e-9;

fn coulomb_case(rng: &mut Rng, planar: bool) -> Case {
    // Half of the problems are small enough for enumeration.
    let contacts = if rng.bool() { 1 + rng.usize(..4) } else { 1 + rng.usize(..10) };
    let most_friction = [0.2, 1.0, 2.0][rng.usize(..3)];
    let shape = Shape {
        body: if planar { 3 } else { 6 },
        contacts,
        bodies: 1 + rng.usize(..contacts),
        decades: [0.0, 0.5, 2.0][rng.usize(..3)],
        skew: rng.u8(..3) == 0,
        any_velocity: rng.u8(..3) == 0,
    };
    let laws = coulomb_laws(rng, contacts, if planar { 1 } else { 2 }, most_friction);
    assemble(rng, &shape, laws)
}

/// What is known about the solutions of a problem before it is solved.
enum Known {
    /// Enumeration found none.
    NoSolution,
    /// ξ is unique, by enumeration or by [`proven_unique`].
    Unique,
    /// Enumeration found several ξ.
    Several(Vec<Vec<f64>>),
    /// There is a solution.
    Solvable,
    Nothing,
}

fn known(case: &Case, planar: bool) -> Known {
    match planar.then(|| all_velocities(&case.problem)).flatten() {
        Some(all) if all.is_empty() => return Known::NoSolution,
        Some(all) if all.len() == 1 => return Known::Unique,
        Some(all) => return Known::Several(all),
        None => {}
    }
    if case.solvable && proven_unique(&case.problem) {
        Known::Unique
    } else if case.solvable {
        Known::Solvable
    } else {
        Known::Nothing
    }
}

/// The solver with enough iterations for badly conditioned problems.
fn solver(name: &str) -> Box<dyn Solver> {
    let max_iterations = match name {
        "gauss-seidel" => 100_000,
        "newton" => 3_000,
        _ => 20_000,
    };
    let limits = Limits { tolerance: TOLERANCE, max_iterations, max_time: None };
    by_name(name, limits).unwrap().unwrap()
}

/// Solves one problem with all solvers; compares and counts.
fn compare(number: usize, case: &Case, planar: bool, tally: &mut Tally) {
    let problem = &case.problem;
    let known = known(case, planar);
    let mut reference: Option<Vec<f64>> = None;
    let mut agreed = true;
    let mut unsolved = Vec::new();
    for name in SOLVER_NAMES {
        let what = format!("problem {number}, planar {planar}, {name}, {}", case.label);
        let mut lambda = vec![0.0; problem.dim()];
        let mut solver = solver(name);
        let Ok(report) = solver.solve(problem, &mut lambda) else {
            // Laws or sizes that linear complementarity does not treat, and nothing else.
            assert!(matches!(*name, "lemke" | "enumerate"), "{what}");
            continue;
        };
        // The report is the problem's own judgement of what is returned.
        assert_eq!(report.residual, problem.residual(&lambda), "{what}");
        let solved = report.status == Status::Solved;
        match known {
            Known::NoSolution => {
                assert!(!solved, "{what}: solved, but enumeration proves that nothing can be");
                continue;
            }
            Known::Nothing if !solved => {
                unsolved.push(*name);
                continue;
            }
            _ => tally.count(name, solved),
        }
        if !solved {
            if matches!(*name, "auto" | "newton") {
                panic!("{what}: {} at {:e}", report.status, report.residual.value);
            }
            continue;
        }
        assert!(report.residual.value <= TOLERANCE, "{what}: {:e}", report.residual.value);
        if !matches!(*name, "lemke" | "enumerate") {
            // Warm start of the iterations: the solution needs none of them.
            let before = lambda.clone();
            let again = solver.solve(problem, &mut lambda).unwrap();
            assert_eq!((again.status, again.iterations), (Status::Solved, 0), "{what}");
            assert_eq!(lambda, before, "{what}");
        }
        let xi = velocities(problem, &lambda);
        let unit = size(problem, &lambda, &xi);
        if let Known::Several(all) = &known {
            let nearest = all.iter().map(|x| distance(x, &xi)).fold(f64::INFINITY, f64::min);
            assert!(nearest <= AGREE * unit, "{what}: off by {:e}", nearest / unit);
        }
        let Some(other) = &reference else {
            reference = Some(xi);
            continue;
        };
        let apart = distance(other, &xi) / unit;
        agreed &= apart <= AGREE;
        if matches!(known, Known::Unique) {
            assert!(apart <= AGREE, "{what}: velocities differ by {apart:e}");
        }
    }
    // What one solver solves has a solution.
    if reference.is_some() {
        assert!(!unsolved.contains(&"auto"), "problem {number}, planar {planar}, {}", case.label);
        assert!(!unsolved.contains(&"newton"), "problem {number}, planar {planar}, {}", case.label);
    }
    tally.problem(
        match known {
            Known::NoSolution => "without solution",
            Known::Unique => "proven unique",
            Known::Several(_) => "several solutions",
            Known::Solvable => "solvable",
            Known::Nothing if reference.is_some() => "solved, nothing known before",
            Known::Nothing => "nothing known",
        },
        agreed,
    );
}

/// Shares of solved problems that each solver reaches at least. `auto` and `newton` are held to
/// all of them in [`compare`]. Lemke's method can end on a ray though there is a solution; the
/// others have no guarantee where μ|G_NT| > G_NN, and run out of sweeps on badly scaled masses:
/// what was measured, rounded down.
const FLOORS: &[(&str, f64)] = &[
    ("auto", 1.0),
    ("newton", 1.0),
    ("lemke", 0.995),
    ("enumerate", 1.0),
    ("gauss-seidel", 0.98),
    ("jacobi", 0.95),
    ("augmented-lagrangian", 0.93),
    ("interior-point", 0.98),
];

#[test]
fn planar_problems() {
    let mut tally = Tally::default();
    let mut rng = Rng::with_seed(2);
    for number in 0..600 {
        let case = coulomb_case(&mut rng, true);
        compare(number, &case, true, &mut tally);
    }
    tally.print("planar");
    tally.check(FLOORS);
    // Enumeration settles all problems with up to four contacts.
    assert!(tally.problems("proven unique") >= 350);
    assert!(tally.problems("several solutions") >= 10);
    assert_eq!(tally.apart("proven unique"), 0);
}

#[test]
fn spatial_problems() {
    let mut tally = Tally::default();
    let mut rng = Rng::with_seed(3);
    for number in 0..600 {
        let case = coulomb_case(&mut rng, false);
        compare(number, &case, false, &mut tally);
    }
    tally.print("spatial");
    tally.check(FLOORS);
    assert!(tally.problems("proven unique") >= 80);
    assert_eq!(tally.apart("proven unique"), 0);
    // Where uniqueness is not proven a difference is no error: each answer is a solution by the
    // residual. It is rare.
    assert!(tally.apart("solvable") <= tally.problems("solvable") / 50);
}

#[test]
fn lemke_without_start_and_enumeration_agrees() {
    let options = LemkeOptions { use_start: false, enumerate_up_to: 0, ..Default::default() };
    let mut lemke = Lemke::new(options).unwrap();
    let mut rng = Rng::with_seed(4);
    for number in 0..200 {
        let case = coulomb_case(&mut rng, true);
        if !matches!(known(&case, true), Known::Unique) {
            continue;
        }
        let (mut lambda, mut other) =
            (vec![0.0; case.problem.dim()], vec![0.0; case.problem.dim()]);
        let report = lemke.solve(&case.problem, &mut lambda).unwrap();
        assert_eq!(report.status, Status::Solved, "problem {number}, {}", case.label);
        solver("auto").solve(&case.problem, &mut other).unwrap();
        let (xi, other) = (velocities(&case.problem, &lambda), velocities(&case.problem, &other));
        let apart = distance(&xi, &other) / size(&case.problem, &lambda, &xi);
        assert!(apart <= AGREE, "problem {number}: {apart:e}, {}", case.label);
    }
}
