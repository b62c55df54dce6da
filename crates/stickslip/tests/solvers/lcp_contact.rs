//! Contact with planar friction by linear complementarity (Flores 2010, eq. 85).
#![allow(clippy::unwrap_used, clippy::panic)] // a test may

use stickslip::convex::{Ball, FreeSpace, HalfLine, Set};
use stickslip::problem::{BlockSparse, InclusionProblem, Reservoir};
use stickslip::range::OutOfRange;
use stickslip::solve::lcp::{Enumerate, EnumerateOptions, Lemke, LemkeOptions};
use stickslip::solve::{Limits, SolveError, Solver, Status};

/// Lemke without start and without the help of enumeration.
fn plain_lemke() -> Lemke {
    let options = LemkeOptions { enumerate_up_to: 0, use_start: false, ..LemkeOptions::default() };
    Lemke::new(options).unwrap()
}

fn symmetric(rng: &mut fastrand::Rng) -> f64 {
    2.0 * rng.f64() - 1.0
}

/// Planar contacts with G = Wᵀ M⁻¹ W on `dofs` degrees of freedom: rank-deficient if there are
/// fewer than two for each contact. Masses spread over 10^±decades. The free velocity is one of
/// the mechanism, c = Wᵀ u; with `any_velocity` it is not, and there may be no solution.
fn random_problem(
    rng: &mut fastrand::Rng,
    contacts: usize,
    dofs: usize,
    decades: f64,
    any_velocity: bool,
) -> InclusionProblem {
    let m = 2 * contacts;
    let w: Vec<f64> = (0..m * dofs).map(|_| symmetric(rng)).collect();
    let mass: Vec<f64> = (0..dofs).map(|_| 10f64.powf(decades * symmetric(rng))).collect();
    let velocity: Vec<f64> = (0..dofs).map(|_| symmetric(rng)).collect();
    let friction: Vec<f64> =
        (0..contacts).map(|_| if rng.u8(..8) == 0 { 0.0 } else { 2.0 * rng.f64() }).collect();
    let mut g = vec![0.0; m * m];
    let mut c = vec![0.0; m];
    for i in 0..m {
        for j in 0..m {
            g[i * m + j] = (0..dofs).map(|k| w[i * dofs + k] * w[j * dofs + k] / mass[k]).sum();
        }
        c[i] = if any_velocity {
            symmetric(rng)
        } else {
            (0..dofs).map(|k| w[i * dofs + k] * velocity[k]).sum()
        };
    }
    InclusionProblem::coulomb(2, &friction, &g, &c).unwrap()
}

fn velocities(problem: &InclusionProblem, lambda: &[f64]) -> Vec<f64> {
    let mut xi = vec![0.0; problem.dim()];
    problem.relative_velocities(lambda, &mut xi);
    xi
}

fn distance(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(p, q)| (p - q) * (p - q)).sum::<f64>().sqrt()
}

fn length(p: &[f64]) -> f64 {
    p.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Point masses of the reference set (problems 24 to 28): stick, slip, separation, and the two
/// Painlevé rods; (P_N, P_T) as listed there.
#[test]
fn point_masses_and_painleve_rods() {
    let unit = [1.0, 0.0, 0.0, 1.0];
    let rod = [1.0, 1.5, 1.5, 4.0];
    let stick_of_rod = [22.0 / 7.0, -17.0 / 7.0];
    type Case<'a> = (&'a [f64; 4], f64, [f64; 2], &'a [[f64; 2]]);
    let cases: [Case; 5] = [
        (&unit, 0.5, [-1.0, 0.2], &[[1.0, -0.2]]),
        (&unit, 0.5, [-1.0, 2.0], &[[1.0, -0.5]]),
        (&unit, 0.5, [0.3, 2.0], &[[0.0, 0.0]]),
        (&rod, 1.0, [0.5, 5.0], &[[0.0, 0.0], [1.0, -1.0], stick_of_rod]),
        (&rod, 1.0, [-0.5, 1.0], &[[2.0, -1.0]]),
    ];
    for (g, mu, c, solutions) in cases {
        let problem = InclusionProblem::coulomb(2, &[mu], g, &c).unwrap();
        for mut lemke in [plain_lemke(), Lemke::default()] {
            let mut lambda = [0.0; 2];
            let report = lemke.solve(&problem, &mut lambda).unwrap();
            assert_eq!(report.status, Status::Solved);
            assert!(report.residual.value <= 1e-15, "{report:?}");
            assert!(distance(&lambda, &solutions[0]) <= 1e-15, "{lambda:?}");
        }
        let all = Enumerate::default().all_solutions(&problem).unwrap();
        assert_eq!(all.len(), solutions.len(), "{all:?}");
        for listed in solutions {
            assert!(all.iter().any(|s| distance(s, listed) <= 1e-14), "{listed:?} in {all:?}");
            // Enumeration returns the solution nearest to the start, and Lemke keeps the start.
            for solver in [&mut Enumerate::default() as &mut dyn Solver, &mut Lemke::default()] {
                let mut lambda = *listed;
                let report = solver.solve(&problem, &mut lambda).unwrap();
                assert_eq!(report.status, Status::Solved);
                assert!(distance(&lambda, listed) <= 1e-14, "{}: {lambda:?}", solver.name());
            }
        }
    }
}

/// The slider-crank at its first impact (reference set, problem 29): two corners, G of rank 3.
#[test]
fn slider_crank_first_impact() {
    let (a, b) = (0.9772891504215896, 0.495714370607477);
    let (d, e) = (0.49293020460331777, 0.25252821614813714);
    #[rustfmt::skip]
    let g = [
        1.0, -b,  -a, -b,
        -b,   e,   d,  e,
        -a,   d, 1.0,  d,
        -b,   e,   d,  e,
    ];
    let (c_n, c_t) = (-1.17825724307743, -8.407508183079255);
    let problem = InclusionProblem::coulomb(2, &[0.01, 0.01], &g, &[c_n, c_t, c_n, c_t]).unwrap();
    let listed = [52.204210903347004, 0.52204210903347, 51.68476601873658, 0.516847660187366];
    let mut lambda = [0.0; 4];
    let report = plain_lemke().solve(&problem, &mut lambda).unwrap();
    assert_eq!(report.status, Status::Solved);
    // Condition number of the basis about 1e4.
    assert!(report.residual.value <= 1e-14, "{report:?}");
    assert!(distance(&lambda, &listed) <= 1e-11 * length(&listed), "{lambda:?}");
}

/// 3000 random problems with 1 to 4 contacts: Lemke solves with 1e-10 or enumeration proves that
/// there is no solution; the relative velocities of Lemke are among those of enumeration.
#[test]
fn lemke_and_enumeration_agree() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut solved, mut none, mut rays) = (0, 0, 0);
    let (mut plain, mut enumerate) = (plain_lemke(), Enumerate::default());
    let mut lemke = Lemke::default();
    for round in 0..3000 {
        let contacts = [1, 1, 2, 2, 2, 3, 3, 4][rng.usize(..8)];
        let dofs = rng.usize(1..2 * contacts + 3);
        let decades = [0.0, 0.0, 3.0, 6.0][round % 4];
        let problem = random_problem(&mut rng, contacts, dofs, decades, round % 5 == 0);
        let mut by_lemke = vec![0.0; problem.dim()];
        let with_help = lemke.solve(&problem, &mut by_lemke).unwrap();
        let mut by_plain = vec![0.0; problem.dim()];
        let without_help = plain.solve(&problem, &mut by_plain).unwrap();
        if without_help.status != Status::Solved {
            rays += 1;
        }
        let all = enumerate.all_solutions(&problem).unwrap();
        assert_eq!(with_help.status == Status::NoSolution, all.is_empty(), "round {round}");
        if all.is_empty() {
            // Pivoting alone must not find what enumeration says does not exist.
            assert_ne!(without_help.status, Status::Solved, "round {round}");
            none += 1;
            continue;
        }
        assert_eq!(with_help.status, Status::Solved, "round {round}: {with_help:?}");
        solved += 1;
        for lambda in [&by_lemke, &by_plain] {
            if lambda == &by_plain && without_help.status != Status::Solved {
                continue;
            }
            let residual = problem.residual(lambda).value;
            assert!(residual <= 1e-10, "round {round}: {residual:e}");
            let xi = velocities(&problem, lambda);
            let nearest = all
                .iter()
                .map(|s| distance(&velocities(&problem, s), &xi))
                .fold(f64::INFINITY, f64::min);
            let scale = length(&xi).max(length(problem.c()));
            // ξ is a sum of terms G_ij Λ_j, with masses of 1e±6 up to 1e10: their round-off,
            // amplified by the condition number of the basis, comes on top.
            let mut terms = 0.0_f64;
            problem.delassus().for_each(|_, j, g| terms = terms.max((g * lambda[j]).abs()));
            assert!(nearest <= 1e-9 * scale + 1e-13 * terms, "round {round}: {nearest:e}");
        }
    }
    println!("solved {solved}, without solution {none}, rays of plain Lemke {rays}");
    assert!(solved >= 2400 && none >= 50);
    // Rays although there is a solution: (85) is in no class where Lemke must succeed.
    assert!(rays - none <= 10);
}

/// 1 to 10 contacts, pure pivoting without enumeration.
#[test]
fn lemke_solves_up_to_ten_contacts() {
    let mut rng = fastrand::Rng::with_seed(6);
    let mut lemke = plain_lemke();
    let (mut rays, mut pivots, mut worst) = (0, 0, 0.0_f64);
    let rounds = 2000;
    for round in 0..rounds {
        let contacts = rng.usize(1..11);
        let dofs = rng.usize(1..2 * contacts + 3);
        let decades = [0.0, 6.0][round % 2];
        let problem = random_problem(&mut rng, contacts, dofs, decades, false);
        let mut lambda = vec![0.0; problem.dim()];
        let report = lemke.solve(&problem, &mut lambda).unwrap();
        pivots += report.iterations;
        match report.status {
            Status::Solved => {
                assert_eq!(report.residual, problem.residual(&lambda));
                worst = worst.max(report.residual.value);
            }
            Status::RayTermination => rays += 1,
            status => panic!("round {round}, {contacts} contacts, {dofs} dofs: {status}"),
        }
    }
    println!("rays {rays} of {rounds}, {pivots} pivots, largest residual {worst:e}");
    assert!(worst <= 1e-10, "{worst:e}");
    // Rays although every such problem has a solution: beyond 4 contacts nothing else helps.
    assert!(rays <= 5);
}

fn pose(
    contacts: &[&[(Set, Reservoir)]],
    dims: &[usize],
    g: &[f64],
    c: &[f64],
) -> InclusionProblem {
    let mut problem = InclusionProblem::new();
    for laws in contacts {
        problem.push_contact(laws.iter().cloned());
    }
    problem.set_data(BlockSparse::dense(dims, g), c.to_vec()).unwrap();
    problem
}

const NORMAL: (Set, Reservoir) = (Set::HalfLine(HalfLine), Reservoir::Unbounded);

fn joint(dim: usize) -> (Set, Reservoir) {
    (Set::FreeSpace(FreeSpace { dim }), Reservoir::Unbounded)
}

/// A brake of constant bound a on a mass m with velocity v: it sticks if m |v| ≤ a.
#[test]
fn constant_friction_sticks_and_slips() {
    let brake = (Set::Ball(Ball { dim: 1, radius: 0.5 }), Reservoir::Constant(4.0));
    for (velocity, expected) in [(0.3, -0.6), (3.0, -2.0), (-3.0, 2.0), (0.0, 0.0)] {
        let problem = pose(&[std::slice::from_ref(&brake)], &[1], &[0.5], &[velocity]);
        for solver in [&mut plain_lemke() as &mut dyn Solver, &mut Enumerate::default()] {
            let mut lambda = [0.0];
            let report = solver.solve(&problem, &mut lambda).unwrap();
            assert_eq!(report.status, Status::Solved, "{}", solver.name());
            assert!((lambda[0] - expected).abs() <= 1e-15, "{}: {lambda:?}", solver.name());
        }
    }
}

/// Random mechanisms with joints (one of them twice: dependent), a brake, frictionless and
/// frictional contacts: solved with the residual of the whole problem.
#[test]
fn bilateral_constraints_are_eliminated() {
    let mut rng = fastrand::Rng::with_seed(7);
    let brake = (Set::Ball(Ball { dim: 1, radius: 1.0 }), Reservoir::Constant(0.3));
    let friction = (Set::Ball(Ball { dim: 1, radius: 0.6 }), Reservoir::Normal);
    let contacts: [&[(Set, Reservoir)]; 5] =
        [&[joint(2)], &[NORMAL, friction], &[NORMAL], &[brake], &[joint(1)]];
    let dims = [2, 2, 1, 1, 1];
    let m: usize = dims.iter().sum();
    for round in 0..500 {
        let dofs = rng.usize(4..9);
        let mut w: Vec<f64> = (0..m * dofs).map(|_| symmetric(&mut rng)).collect();
        // The last joint repeats the first component of the first one.
        w.copy_within(0..dofs, (m - 1) * dofs);
        let velocity: Vec<f64> = (0..dofs).map(|_| symmetric(&mut rng)).collect();
        let row = |i: usize| &w[i * dofs..(i + 1) * dofs];
        let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>();
        let g: Vec<f64> = (0..m * m).map(|k| dot(row(k / m), row(k % m))).collect();
        let c: Vec<f64> = (0..m).map(|i| dot(row(i), &velocity)).collect();
        let problem = pose(&contacts, &dims, &g, &c);
        for solver in [
            &mut plain_lemke() as &mut dyn Solver,
            &mut Lemke::default(),
            &mut Enumerate::default(),
        ] {
            let mut lambda = vec![0.0; m];
            let report = solver.solve(&problem, &mut lambda).unwrap();
            assert_eq!(report.status, Status::Solved, "round {round}, {}", solver.name());
            assert!(report.residual.value <= 1e-10, "round {round}, {}", solver.name());
        }
    }
}

#[test]
fn a_problem_of_joints_alone_is_solved() {
    let problem = pose(&[&[joint(2)]], &[2], &[2.0, 1.0, 1.0, 2.0], &[1.0, -1.0]);
    for solver in [&mut Lemke::default() as &mut dyn Solver, &mut Enumerate::default()] {
        let mut lambda = [0.0; 2];
        assert_eq!(solver.solve(&problem, &mut lambda).unwrap().status, Status::Solved);
        assert!(distance(&lambda, &[-1.0, 1.0]) <= 1e-15);
    }
    let empty = InclusionProblem::new();
    assert_eq!(Lemke::default().solve(&empty, &mut []).unwrap().status, Status::Solved);
}

#[test]
fn misuse_is_named() {
    let mut g = vec![0.0; 36];
    (0..6).for_each(|i| g[i * 7] = 1.0);
    let spatial = InclusionProblem::coulomb(3, &[0.0, 0.5], &g, &[-1.0; 6]).unwrap();
    for solver in [&mut Lemke::default() as &mut dyn Solver, &mut Enumerate::default()] {
        let error = solver.solve(&spatial, &mut [0.0; 6]).unwrap_err();
        assert!(matches!(error, SolveError::Unsupported { contact: 1, .. }), "{error}");
    }
    // Without friction space does not matter.
    let smooth = InclusionProblem::coulomb(3, &[0.0, 0.0], &g, &[-1.0; 6]).unwrap();
    let mut lambda = [0.0; 6];
    assert_eq!(Lemke::default().solve(&smooth, &mut lambda).unwrap().status, Status::Solved);
    assert_eq!(lambda, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    // The fifth contact with friction brings the 13th pair.
    let mut g = vec![0.0; 100];
    (0..10).for_each(|i| g[i * 11] = 1.0);
    let large = InclusionProblem::coulomb(2, &[0.5; 5], &g, &[-1.0; 10]).unwrap();
    let error = Enumerate::default().solve(&large, &mut [0.0; 10]).unwrap_err();
    assert!(matches!(error, SolveError::Unsupported { contact: 4, .. }), "{error}");
    let options = LemkeOptions { enumerate_up_to: 13, ..LemkeOptions::default() };
    assert!(matches!(
        Lemke::new(options),
        Err(SolveError::Option(OutOfRange { key: "enumerate_up_to", .. }))
    ));
    let limits = Limits { tolerance: f64::NAN, ..Limits::default() };
    assert!(Enumerate::new(EnumerateOptions { limits }).is_err());
    assert!(matches!(
        Lemke::default().solve(&large, &mut [0.0; 3]),
        Err(SolveError::Start { expected: 10, found: 3 })
    ));
}

/// Limits end a solve with the status that says so, and the start is kept.
#[test]
fn limits_are_kept() {
    let mut rng = fastrand::Rng::with_seed(8);
    let problem = random_problem(&mut rng, 10, 20, 0.0, false);
    let limits = Limits { max_iterations: 2, ..Limits::default() };
    let options = LemkeOptions { limits, use_start: false, ..LemkeOptions::default() };
    let mut lambda = vec![0.0; 20];
    let report = Lemke::new(options).unwrap().solve(&problem, &mut lambda).unwrap();
    assert_eq!((report.status, report.iterations), (Status::MaxIterations, 2));
    assert_eq!(report.residual, problem.residual(&lambda));
    let small = random_problem(&mut rng, 4, 8, 0.0, false);
    let limits = Limits { max_time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let mut enumerate = Enumerate::new(EnumerateOptions { limits }).unwrap();
    let report = enumerate.solve(&small, &mut [0.0; 8]).unwrap();
    assert_eq!(report.status, Status::TimeLimit);
}

/// Percussions of the last step as start: the right basis is tried first, no pivot is needed.
#[test]
fn a_good_start_needs_no_pivot() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut lemke = Lemke::default();
    for round in 0..500 {
        let contacts = rng.usize(1..5);
        let problem = random_problem(&mut rng, contacts, 2 * contacts, 0.0, false);
        let mut lambda = vec![0.0; problem.dim()];
        lemke.solve(&problem, &mut lambda).unwrap();
        let first = lambda.clone();
        let again = lemke.solve(&problem, &mut lambda).unwrap();
        assert_eq!(again.iterations, 0, "round {round}");
        assert!(distance(&first, &lambda) <= 1e-12 * length(&first), "round {round}");
    }
}
