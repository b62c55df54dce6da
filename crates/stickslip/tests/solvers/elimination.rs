//! Joints are eliminated before contacts are swept: the answer must be that of the whole problem.

use crate::problems::symmetric;
use fastrand::Rng;
use stickslip::convex::{Ball, FreeSpace, HalfLine, Set};
use stickslip::problem::{BlockSparse, InclusionProblem, Reservoir};
use stickslip::solve::{Auto, AutoOptions, Limits, Solver, Status};

const LIMITS: Limits = Limits { tolerance: 1e-10, max_iterations: 20_000, max_time: None };

/// Planar bodies in a row: `joints` hinges between neighbours (the first to the ground) and Coulomb
/// contacts of some bodies with the ground. `twist` makes the inverse of the mass unsymmetric, as the
/// gyroscopic forces of RATTLE do. Hinges are said `times` times. With friction what holds is
/// hyperstatic, and percussions are not unique.
fn row_of_bodies(
    rng: &mut Rng,
    joints: usize,
    touching: &[usize],
    twist: f64,
    times: usize,
    friction: bool,
) -> InclusionProblem {
    let mut problem = InclusionProblem::new();
    // Rows of W by (body, three entries).
    let mut rows: Vec<Vec<(usize, [f64; 3])>> = Vec::new();
    for joint in 0..joints {
        for _ in 0..times {
            problem.push_contact([(Set::FreeSpace(FreeSpace { dim: 2 }), Reservoir::Unbounded)]);
            for axis in 0..2 {
                let arm = |sign: f64| {
                    let mut row = [0.0, 0.0, if axis == 1 { 0.5 * sign } else { 0.1 }];
                    row[axis] = 1.0;
                    row
                };
                let mut row = vec![(joint, arm(-1.0))];
                if joint > 0 {
                    row.push((joint - 1, arm(1.0).map(|v| -v)));
                }
                rows.push(row);
            }
        }
        if touching.contains(&joint) {
            let normal = (Set::HalfLine(HalfLine), Reservoir::Unbounded);
            rows.push(vec![(joint, [0.0, 1.0, 0.3])]);
            if friction {
                let friction = (Set::Ball(Ball { dim: 1, radius: 0.4 }), Reservoir::Normal);
                problem.push_contact([normal, friction]);
                rows.push(vec![(joint, [1.0, 0.0, 0.2])]);
            } else {
                problem.push_contact([normal]);
            }
        }
    }
    let masses: Vec<[f64; 3]> =
        (0..joints).map(|_| [1.0, 1.0, 0.1].map(|m| m * (1.0 + rng.f64()))).collect();
    let n = rows.len();
    let mut g = vec![0.0; n * n];
    for (i, a) in rows.iter().enumerate() {
        for (j, b) in rows.iter().enumerate() {
            for (body, x) in a {
                for (_, y) in b.iter().filter(|(other, _)| other == body) {
                    let diagonal: f64 = (0..3).map(|k| x[k] * y[k] / masses[*body][k]).sum();
                    g[i * n + j] += diagonal + twist * (x[0] * y[1] - x[1] * y[0]);
                }
            }
        }
    }
    // c = Wᵀ v: joints may hold whatever moves.
    let v: Vec<[f64; 3]> =
        (0..joints).map(|_| [symmetric(rng), -1.0 - rng.f64(), symmetric(rng)]).collect();
    let c = rows
        .iter()
        .map(|row| row.iter().map(|(b, x)| (0..3).map(|k| x[k] * v[*b][k]).sum::<f64>()).sum());
    let c = c.collect();
    let dims: Vec<usize> = problem.contacts().iter().map(|contact| contact.dim).collect();
    problem.set_data(BlockSparse::dense(&dims, &g), c).unwrap();
    problem
}

fn solve(problem: &InclusionProblem, keep_joints: bool) -> (Vec<f64>, Status, usize) {
    let mut solver = Auto::new(AutoOptions { limits: LIMITS, keep_joints }).unwrap();
    let mut lambda = vec![0.0; problem.dim()];
    let report = solver.solve(problem, &mut lambda).unwrap();
    assert_eq!(report.residual, problem.residual(&lambda));
    (lambda, report.status, report.iterations)
}

#[test]
fn what_is_left_without_joints_has_the_same_solution() {
    let mut rng = Rng::with_seed(3);
    for number in 0..60 {
        let joints = 1 + rng.usize(..20);
        let touching: Vec<usize> = (0..joints).filter(|_| rng.f64() < 0.3).collect();
        let twist = if number % 2 == 0 { 0.0 } else { 0.2 };
        let friction = number % 3 == 0;
        let problem = row_of_bodies(&mut rng, joints, &touching, twist, 1, friction);
        let (by_elimination, status, _) = solve(&problem, false);
        assert_eq!(status, Status::Solved, "problem {number}");
        let (by_sweeps, status, _) = solve(&problem, true);
        assert_eq!(status, Status::Solved, "problem {number}");
        if friction {
            continue; // both fulfil the laws of the whole problem
        }
        let size = by_sweeps.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let apart =
            by_elimination.iter().zip(&by_sweeps).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(apart < 1e-6 * size, "problem {number}: {apart:e} of {size}");
    }
}

/// A chain that hangs costs one elimination, however long it is.
#[test]
fn a_chain_of_joints_alone_is_solved_at_once() {
    let mut rng = Rng::with_seed(4);
    let problem = row_of_bodies(&mut rng, 50, &[], 0.0, 1, false);
    let (_, status, iterations) = solve(&problem, false);
    assert_eq!((status, iterations), (Status::Solved, 1));
    let (_, _, swept) = solve(&problem, true);
    assert!(swept > 5, "{swept}");
}

/// Joints that say the same twice cannot be eliminated, and are solved all the same.
#[test]
fn joints_said_twice_are_solved() {
    let mut rng = Rng::with_seed(5);
    for joints in [1, 3, 8] {
        let problem = row_of_bodies(&mut rng, joints, &[joints - 1], 0.0, 2, true);
        let (lambda, status, _) = solve(&problem, false);
        assert_eq!(status, Status::Solved);
        // Starting from zero both copies carry alike, or one of them all: finite either way.
        assert!(lambda.iter().all(|v| v.is_finite()));
    }
}
