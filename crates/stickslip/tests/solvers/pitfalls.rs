//! What can go wrong with contact problems, one test for each.
#![allow(clippy::unwrap_used, clippy::panic)] // tests

use crate::problems::{Shape, assemble, coulomb_laws, norm, symmetric};
use fastrand::Rng;
use std::time::{Duration, Instant};
use stickslip::convex::{Ball, ContensouBall, FreeSpace, HalfLine, Pressure, Set};
use stickslip::problem::{BlockSparse, InclusionProblem, ProblemError, Reservoir};
use stickslip::solve::{Limits, SOLVER_NAMES, SolveError, Solver, Status, by_name};

fn solver(name: &str, limits: Limits) -> Box<dyn Solver> {
    by_name(name, limits).unwrap().unwrap()
}

fn tight() -> Limits {
    Limits { tolerance: 1e-10, max_iterations: 20_000, max_time: None }
}

/// Planar contact with μ|G_NT| > G_NN that slips.
fn strongly_coupled() -> InclusionProblem {
    InclusionProblem::coulomb(2, &[1.5], &[1.0, 0.9, 0.9, 1.0], &[-1.0, -2.0]).unwrap()
}

/// A row of spatial contacts, each coupled to its neighbours.
fn chain(contacts: usize, tangents: usize) -> InclusionProblem {
    let dim = tangents + 1;
    let n = contacts * dim;
    let mut g = vec![0.0; n * n];
    let mut c = vec![0.0; n];
    let mut rng = Rng::with_seed(11);
    for i in 0..contacts {
        for k in 0..dim {
            let row = i * dim + k;
            g[row * n + row] = 2.0;
            if i > 0 {
                g[row * n + row - dim] = -0.99;
                g[(row - dim) * n + row] = -0.99;
            }
            c[row] = if k == 0 { -rng.f64() } else { symmetric(&mut rng) };
        }
    }
    InclusionProblem::coulomb(dim, &vec![0.5; contacts], &g, &c).unwrap()
}

#[test]
fn every_solver_has_the_name_by_which_it_is_chosen() {
    for name in SOLVER_NAMES {
        assert_eq!(solver(name, tight()).name(), *name);
    }
}

#[test]
fn naive_prox_iteration_cycles_where_coupling_exceeds_the_normal_diagonal() {
    let (g, mu, c) = ([1.0, 0.9, 0.9, 1.0], 1.5, [-1.0, -2.0]);
    // The naive iteration, r = 1/G_ii: after a long run it still takes steps of the same size.
    let (mut n, mut t) = (0.0_f64, 0.0_f64);
    let mut step = 0.0;
    for _ in 0..10_000 {
        let xi = [g[0] * n + g[1] * t + c[0], g[2] * n + g[3] * t + c[1]];
        let next_n = (n - xi[0] / g[0]).max(0.0);
        let next_t = (t - xi[1] / g[3]).clamp(-mu * next_n, mu * next_n);
        step = (next_n - n).abs() + (next_t - t).abs();
        (n, t) = (next_n, next_t);
    }
    assert!(step > 1.0, "the naive iteration came to rest (step {step:e})");
    // By hand: slip, Λ_T = μ Λ_N and G_NN Λ_N + G_NT Λ_T + c_N = 0.
    let exact = 1.0 / (1.0 + 0.9 * 1.5);
    for name in ["auto", "gauss-seidel", "newton", "lemke", "enumerate"] {
        let mut lambda = [0.0; 2];
        let report = solver(name, tight()).solve(&strongly_coupled(), &mut lambda).unwrap();
        assert_eq!(report.status, Status::Solved, "{name}");
        assert!((lambda[0] - exact).abs() < 1e-14 && (lambda[1] - 1.5 * exact).abs() < 1e-14);
    }
    // The prox iterations of the papers end, and say how.
    for name in ["jacobi", "augmented-lagrangian"] {
        let mut lambda = [0.0; 2];
        let report = solver(name, tight()).solve(&strongly_coupled(), &mut lambda).unwrap();
        let honest = matches!(report.status, Status::Solved | Status::Stalled);
        assert!(honest && report.iterations < 20_000, "{name}: {report:?}");
    }
}

#[test]
fn unsymmetric_matrix_from_rounding_is_taken_as_it_is() {
    let mut rng = Rng::with_seed(12);
    for _ in 0..100 {
        let shape = Shape {
            body: 6,
            contacts: 4,
            bodies: 3,
            decades: 0.5,
            skew: false,
            any_velocity: false,
        };
        let laws = coulomb_laws(&mut rng, 4, 2, 0.8);
        let mut problem = assemble(&mut rng, &shape, laws).problem;
        // As large as in other people's data: 2e-3.
        let g: Vec<f64> = problem.delassus().to_dense();
        let g: Vec<f64> = g.iter().map(|v| v * (1.0 + 2e-3 * symmetric(&mut rng))).collect();
        let c = problem.c().to_vec();
        crate::problems::set_dense(&mut problem, &g, c);
        for name in ["auto", "gauss-seidel", "newton"] {
            let mut lambda = vec![0.0; problem.dim()];
            let report = solver(name, tight()).solve(&problem, &mut lambda).unwrap();
            assert_eq!(report.status, Status::Solved, "{name}: {:e}", report.residual.value);
        }
    }
}

#[test]
fn singular_matrix_is_normal() {
    // A point mass with the same contact given five times, and a table on five legs.
    for contacts in [2, 5] {
        let n = 3 * contacts;
        let mut g = vec![0.0; n * n];
        for i in 0..n {
            (0..n).for_each(|j| g[i * n + j] = if i % 3 == j % 3 { 1.0 } else { 0.0 });
        }
        let c: Vec<f64> = (0..n).map(|i| [-1.0, 0.3, 0.1][i % 3]).collect();
        let problem = InclusionProblem::coulomb(3, &vec![0.2; contacts], &g, &c).unwrap();
        for name in ["auto", "gauss-seidel", "newton", "jacobi", "augmented-lagrangian"] {
            let mut lambda = vec![0.0; n];
            let report = solver(name, tight()).solve(&problem, &mut lambda).unwrap();
            assert_eq!(report.status, Status::Solved, "{name}: {:e}", report.residual.value);
            // One mass: the sums are those of one contact, Λ_N = 1, |Λ_T| = μ against the motion.
            let sum = |k: usize| lambda.iter().skip(k).step_by(3).sum::<f64>();
            let slip = 0.3_f64.hypot(0.1);
            let exact = [1.0, -0.2 * 0.3 / slip, -0.2 * 0.1 / slip];
            for (k, value) in exact.iter().enumerate() {
                assert!((sum(k) - value).abs() < 1e-8, "{name}: {lambda:?}");
            }
        }
    }
}

/// The problem with other data, and the error of `set_data`.
fn spoilt(g: &[f64], c: &[f64]) -> (InclusionProblem, ProblemError) {
    let mut problem = InclusionProblem::new();
    problem.push_coulomb_contact(0.5, 1);
    let error = problem.set_data(BlockSparse::dense(&[2], g), c.to_vec()).unwrap_err();
    (problem, error)
}

#[test]
fn data_that_make_no_sense_are_an_error_of_every_solver() {
    let good = [1.0, 0.0, 0.0, 1.0];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let cases = [
            spoilt(&good, &[bad, 0.0]),
            spoilt(&[1.0, bad, 0.0, 1.0], &[-1.0, 0.0]),
            spoilt(&[bad, 0.0, 0.0, 1.0], &[-1.0, 0.0]),
        ];
        for (problem, error) in cases {
            assert!(matches!(error, ProblemError::NotFinite { .. }), "{error}");
            assert!(error.to_string().contains("finite"), "{error}");
            for name in SOLVER_NAMES {
                let result = solver(name, tight()).solve(&problem, &mut [0.0; 2]);
                // A NaN is not equal to itself: compare what the errors say.
                assert_eq!(result.unwrap_err().to_string(), error.to_string(), "{name}");
            }
        }
        for name in SOLVER_NAMES {
            let result = solver(name, tight()).solve(&strongly_coupled(), &mut [0.0, bad]);
            let error = result.unwrap_err();
            assert!(matches!(error, SolveError::StartNotFinite { index: 1, .. }), "{name}");
        }
    }
    for diagonal in [0.0, -1.0] {
        let (problem, error) = spoilt(&[1.0, 0.0, 0.0, diagonal], &[-1.0, 0.0]);
        let expected = ProblemError::Diagonal { contact: 0, component: 1, value: diagonal };
        assert_eq!(error, expected);
        for name in SOLVER_NAMES {
            let result = solver(name, tight()).solve(&problem, &mut [0.0; 2]);
            assert_eq!(result.unwrap_err(), SolveError::Problem(expected.clone()), "{name}");
        }
    }
}

#[test]
fn wrong_dimensions_are_an_error() {
    let (_, error) = spoilt(&[1.0, 0.0, 0.0, 1.0], &[0.0; 3]);
    assert_eq!(error, ProblemError::Dimension { expected: 2, found: 3 });
    let error = InclusionProblem::coulomb(2, &[0.5], &[1.0; 3], &[0.0; 2]).unwrap_err();
    assert!(matches!(error, ProblemError::Structure(_)), "{error}");
    let mut problem = InclusionProblem::new();
    problem.push_coulomb_contact(0.5, 2);
    let delassus = BlockSparse::dense(&[2, 1], &[1.0; 9]);
    let error = problem.set_data(delassus, vec![0.0; 3]).unwrap_err();
    assert!(matches!(error, ProblemError::Structure(_)), "{error}");
    for name in SOLVER_NAMES {
        let error = solver(name, tight()).solve(&strongly_coupled(), &mut [0.0; 3]).unwrap_err();
        assert_eq!(error, SolveError::Start { expected: 2, found: 3 }, "{name}");
    }
    // Space has two or three dimensions.
    for dimension in [0, 1, 4, usize::MAX] {
        let error = InclusionProblem::coulomb(dimension, &[0.5], &[], &[]).unwrap_err();
        assert_eq!(error, ProblemError::SpaceDimension(dimension));
    }
}

#[test]
fn negative_friction_and_reservoirs_are_an_error() {
    for mu in [-0.1, f64::NAN, f64::INFINITY] {
        let error = InclusionProblem::coulomb(2, &[0.5, mu], &[1.0; 16], &[0.0; 4]).unwrap_err();
        assert!(matches!(error, ProblemError::Contact { contact: 1, .. }), "{error}");
    }
    let laws: [&[(Set, Reservoir)]; 2] = [
        &[(Set::Ball(Ball { dim: 1, radius: 1.0 }), Reservoir::Constant(-1.0))],
        // Nothing in front to take the reservoir from.
        &[(Set::Ball(Ball { dim: 1, radius: 1.0 }), Reservoir::Normal)],
    ];
    // A contact without any law.
    let mut problem = InclusionProblem::new();
    problem.push_contact([]);
    let error = problem.set_data(BlockSparse::dense(&[0], &[]), vec![]).unwrap_err();
    assert!(matches!(error, ProblemError::Contact { contact: 0, .. }), "{error}");
    for laws in laws {
        let mut problem = InclusionProblem::new();
        problem.push_contact(laws.iter().cloned());
        let error = problem.set_data(BlockSparse::dense(&[1], &[1.0]), vec![0.0]).unwrap_err();
        assert!(matches!(error, ProblemError::Contact { contact: 0, .. }), "{error}");
    }
}

#[test]
fn no_contacts_are_solved_by_every_solver() {
    let mut problem = InclusionProblem::new();
    problem.set_data(BlockSparse::default(), Vec::new()).unwrap();
    for name in SOLVER_NAMES {
        let report = solver(name, tight()).solve(&problem, &mut []).unwrap();
        assert_eq!((report.status, report.residual.value), (Status::Solved, 0.0), "{name}");
    }
}

#[test]
fn huge_and_tiny_units_do_not_overflow_or_vanish() {
    let mut rng = Rng::with_seed(13);
    for kind in ["planar", "spatial", "friction ball"] {
        let (body, tangents) = if kind == "planar" { (3, 1) } else { (6, 2) };
        let shape =
            Shape { body, contacts: 3, bodies: 4, decades: 0.0, skew: false, any_velocity: false };
        let mut laws = coulomb_laws(&mut rng, 3, tangents, 0.5);
        if kind == "friction ball" {
            let ball =
                ContensouBall { friction: 0.3, contact_radius: 0.1, pressure: Pressure::Hertz };
            laws[1][1].0 = Set::Contensou(ball);
        }
        let problem = assemble(&mut rng, &shape, laws).problem;
        let random: Vec<f64> = (0..problem.dim()).map(|_| symmetric(&mut rng)).collect();
        let expected = problem.residual(&random).value;
        for (of_g, of_c) in [
            (0, 150),
            (0, -150),
            (150, 0),
            (-150, 0),
            (150, 150),
            (-150, -150),
            (0, -290),
            (0, 290),
        ] {
            let (g_unit, c_unit) = (10_f64.powi(of_g), 10_f64.powi(of_c));
            let mut scaled = problem.clone();
            let g: Vec<f64> = problem.delassus().to_dense().iter().map(|v| v * g_unit).collect();
            let c = problem.c().iter().map(|v| v * c_unit).collect();
            crate::problems::set_dense(&mut scaled, &g, c);
            let unit = c_unit / g_unit;
            // The residual does not depend on units: rounding of the scaling only.
            let lambda: Vec<f64> = random.iter().map(|v| v * unit).collect();
            let found = scaled.residual(&lambda).value;
            assert!(
                (found - expected).abs() <= 1e-13 * expected,
                "units 10^{of_g}, 10^{of_c}: {found:e}, {expected:e}"
            );
            for name in SOLVER_NAMES {
                // Enumeration compares squared distances: its range ends at 1e150.
                if *name == "enumerate" && of_c.abs() > 150 {
                    continue;
                }
                let mut lambda = vec![0.0; scaled.dim()];
                let Ok(report) = solver(name, tight()).solve(&scaled, &mut lambda) else {
                    assert!(kind != "planar", "{name}");
                    continue;
                };
                let what = format!("{name}, {kind}, units 10^{of_g}, 10^{of_c}");
                assert_eq!(report.status, Status::Solved, "{what}: {:e}", report.residual.value);
                // By the residual in ordinary units as well.
                let ordinary: Vec<f64> = lambda.iter().map(|v| v / unit).collect();
                let ordinary = problem.residual(&ordinary).value;
                assert!(ordinary <= 1.1e-10, "{what}: {ordinary:e}");
            }
        }
    }
}

#[test]
fn starts_far_away_end_with_finite_percussions() {
    for start in [1e-320, 1e10, -1e100, 1e150, -1e300] {
        for name in SOLVER_NAMES {
            let mut lambda = [start; 2];
            let report = solver(name, tight()).solve(&strongly_coupled(), &mut lambda).unwrap();
            assert!(lambda.iter().all(|v| v.is_finite()), "{name} from {start:e}: {lambda:?}");
            assert!(!report.residual.value.is_nan(), "{name} from {start:e}");
            if matches!(*name, "auto" | "gauss-seidel" | "lemke") {
                assert_eq!(report.status, Status::Solved, "{name} from {start:e}: {report:?}");
            }
        }
    }
}

#[test]
fn one_iteration_is_one_iteration() {
    let planar = chain(12, 1);
    let spatial = chain(12, 2);
    let limits = Limits { tolerance: 0.0, max_iterations: 1, max_time: None };
    for name in ["auto", "gauss-seidel", "newton", "jacobi", "augmented-lagrangian", "lemke"] {
        let problem = if name == "lemke" { &planar } else { &spatial };
        let mut lambda = vec![0.0; problem.dim()];
        let report = solver(name, limits).solve(problem, &mut lambda).unwrap();
        assert!(report.iterations <= 1, "{name}: {} iterations", report.iterations);
        assert_eq!(report.status, Status::MaxIterations, "{name}");
    }
}

#[test]
fn time_limit_is_kept_by_every_solver() {
    // Tolerance 0 is out of reach, so that only the time ends the solve. The limit is a hundred
    // times shorter than what is asserted: a loaded machine may sleep in between.
    let time = Duration::from_millis(20);
    let limits = Limits { tolerance: 0.0, max_iterations: usize::MAX, max_time: Some(time) };
    let spatial = chain(60, 2);
    for name in ["auto", "gauss-seidel", "newton", "jacobi", "augmented-lagrangian"] {
        let mut lambda = vec![0.0; spatial.dim()];
        let begin = Instant::now();
        let report = solver(name, limits).solve(&spatial, &mut lambda).unwrap();
        let elapsed = begin.elapsed();
        assert!(elapsed < 100 * time, "{name}: {elapsed:?}");
        let ended = matches!(report.status, Status::TimeLimit | Status::Stalled)
            || report.residual.value == 0.0;
        assert!(ended, "{name}: {report:?}");
    }
    // No time at all.
    let limits = Limits { max_time: Some(Duration::ZERO), ..limits };
    for name in ["auto", "gauss-seidel", "newton", "jacobi", "augmented-lagrangian"] {
        let mut lambda = vec![0.0; spatial.dim()];
        let report = solver(name, limits).solve(&spatial, &mut lambda).unwrap();
        assert_eq!(report.status, Status::TimeLimit, "{name}");
    }
    let planar = chain(4, 1);
    let report = solver("enumerate", limits).solve(&planar, &mut [0.0; 8]).unwrap();
    assert_eq!(report.status, Status::TimeLimit);
    let planar = chain(150, 1);
    let begin = Instant::now();
    solver("lemke", limits).solve(&planar, &mut [0.0; 300]).unwrap();
    assert!(begin.elapsed() < 100 * time, "lemke: {:?}", begin.elapsed());
}

#[test]
fn a_problem_without_solution_is_never_called_solved() {
    // Two contacts press one mass from both sides and both velocities must be raised: along
    // Λ = (t, t) nothing changes, so the relative residual falls like 1/t.
    let mut problem = InclusionProblem::new();
    for _ in 0..2 {
        problem.push_contact([(Set::HalfLine(HalfLine), Reservoir::Unbounded)]);
    }
    let delassus = BlockSparse::dense(&[1, 1], &[1.0, -1.0, -1.0, 1.0]);
    problem.set_data(delassus, vec![-1.0, -1.0]).unwrap();
    for name in SOLVER_NAMES {
        for tolerance in [1e-8, 1e-12] {
            let limits = Limits { tolerance, ..tight() };
            let mut lambda = [0.0; 2];
            let report = solver(name, limits).solve(&problem, &mut lambda).unwrap();
            assert_ne!(report.status, Status::Solved, "{name}: {lambda:?}");
        }
    }
}

#[test]
fn contradicting_joints_are_never_called_solved() {
    let mut problem = InclusionProblem::new();
    for _ in 0..2 {
        let joint = (Set::FreeSpace(FreeSpace { dim: 2 }), Reservoir::Unbounded);
        problem.push_contact([joint]);
    }
    let mut g = [0.0; 16];
    for i in 0..4 {
        (0..4).for_each(|j| g[4 * i + j] = if i % 2 == j % 2 { 1.0 } else { 0.0 });
    }
    problem.set_data(BlockSparse::dense(&[2, 2], &g), vec![1.0, 0.0, -1.0, 0.0]).unwrap();
    for name in ["auto", "gauss-seidel", "newton", "jacobi", "augmented-lagrangian"] {
        let mut lambda = [0.0; 4];
        let report = solver(name, tight()).solve(&problem, &mut lambda).unwrap();
        assert_ne!(report.status, Status::Solved, "{name}: {lambda:?}");
        assert!(norm(&lambda).is_finite());
    }
}

/// A disk that is nearly flat: the velocity along its contour is so sensitive that its entry of the
/// matrix is 1e12 times the others.
#[test]
fn components_of_very_different_scale_are_solved() {
    let laws = [
        (Set::HalfLine(HalfLine), Reservoir::Unbounded),
        (
            Set::Contensou(ContensouBall {
                friction: 0.3,
                contact_radius: 0.002,
                pressure: Pressure::Hertz,
            }),
            Reservoir::Normal,
        ),
        (Set::Ball(Ball { dim: 1, radius: 3e-4 }), Reservoir::Normal),
    ];
    let g = [
        [16.403740230938016, 8.321657214834023e-6, -1.452715758512483e-5, 0.0, 9.313225746e-10],
        [8.321657214834023e-6, 8.220941922404764, 2.829860930274258, 151.819122615, -5.693217098],
        [-1.452715758512483e-5, 2.829860930274258, 4.901881897876592, 86.967232898, -3.261271233],
        [0.0, 151.819122615, 86.967232898, 4665.7024215071515, 174.980168152],
        [9.313225746e-10, -5.693217098, -3.261271233, 174.980168152, 8.062775050912419e12],
    ];
    let c = [-9.196874986620428e-5, -2.3820037785668e-8, 4.1582756134e-8, 0.0, 6.366462912e-12];
    let mut problem = InclusionProblem::new();
    problem.push_contact(laws);
    problem.set_data(BlockSparse::dense(&[5], &g.concat()), c.to_vec()).unwrap();
    let mut lambda = [0.0; 5];
    let report = solver("auto", tight()).solve(&problem, &mut lambda).unwrap();
    assert_eq!(report.status, Status::Solved, "{report:?}");
    // The normal percussion stops the fall; friction, 1e-5 times as strongly coupled and 2e-3 times as
    // large, changes 3e-9 of it.
    assert!((lambda[0] + c[0] / g[0][0]).abs() < 1e-8 * lambda[0], "{lambda:?}");
}

/// Velocities that decay end among the denormals, which have no digits to be solved to.
#[test]
fn velocities_among_the_denormals_are_solved() {
    let joint = (Set::FreeSpace(FreeSpace { dim: 2 }), Reservoir::Unbounded);
    for c in [[0.0, 3.4e-313], [-3.4e-313, 5e-324], [f64::MIN_POSITIVE, -f64::MIN_POSITIVE]] {
        let mut held = InclusionProblem::new();
        held.push_contact([joint.clone()]);
        held.set_data(BlockSparse::dense(&[2], &[3.0, 0.7, 0.7, 1.3]), c.to_vec()).unwrap();
        let touching = InclusionProblem::coulomb(2, &[0.3], &[3.0, 0.7, 0.7, 1.3], &c).unwrap();
        for problem in [held, touching] {
            for name in SOLVER_NAMES {
                let mut lambda = [0.0; 2];
                let report = solver(name, tight()).solve(&problem, &mut lambda).unwrap();
                assert_eq!(report.status, Status::Solved, "{name} {c:?}: {report:?}");
                assert!(norm(&lambda) <= 1e-307, "{name} {c:?}: {lambda:?}");
            }
        }
    }
}

/// A spinning disk that hardly slides: its friction force rises with v/(ω a), by 3π/8 for Hertz.
/// Beside ω in rad/s the residual does not see it, and saw it less the shorter the step was.
#[test]
fn the_slope_of_friction_of_a_fast_spin_does_not_depend_on_the_step() {
    let (mu, radius, inertia, gravity) = (0.3, 1e-3, 2e-5, 9.81);
    let set = ContensouBall { friction: mu, contact_radius: radius, pressure: Pressure::Hertz };
    let mut g = [0.0; 16];
    [1.0, 1.0, 1.0, 1.0 / inertia].iter().enumerate().for_each(|(k, v)| g[5 * k] = *v);
    let mut unseen = 0;
    // Jacobi's iteration moves sliding by G_TT/G_ττ of its error in a step, and is not waited for.
    for name in ["auto", "gauss-seidel", "newton", "augmented-lagrangian"] {
        for step in [1e-3, 1e-4, 1e-5, 1e-6] {
            let (mut v, mut omega) = (1e-4 * 100.0 * radius, 100.0);
            let mut lambda = [0.0; 4];
            for _ in 0..10 {
                let mut problem = InclusionProblem::new();
                problem.push_contact([
                    (Set::HalfLine(HalfLine), Reservoir::Unbounded),
                    (Set::Contensou(set.clone()), Reservoir::Normal),
                ]);
                let c = vec![-gravity * step, v, 0.0, omega];
                problem.set_data(BlockSparse::dense(&[4], &g), c).unwrap();
                let limits = Limits::default();
                let report = solver(name, limits).solve(&problem, &mut lambda).unwrap();
                assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
                v += lambda[1];
                omega += lambda[3] / inertia;
                let ratio = v / (omega * radius);
                let expected = -mu * lambda[0] * 3.0 * std::f64::consts::PI / 8.0 * ratio;
                // 1e-8 of the normal percussion is 3e-4 of a force that is 3e-5 of it.
                let error = (lambda[1] / expected - 1.0).abs();
                assert!(error < 5e-4, "{name}, step {step:e}: wrong by {error:e}");
                // One per cent more is nothing to the residual alone.
                let wrong = [lambda[0], 1.01 * lambda[1], lambda[2], lambda[3]];
                let mut xi = [0.0; 4];
                let seen = problem.residual_into(&wrong, &mut xi).value > limits.tolerance;
                unseen += usize::from(!seen);
                assert!(!problem.is_exact_by_component(&wrong, &xi, limits.tolerance));
            }
        }
    }
    assert!(unseen > 20, "{unseen}");
}
