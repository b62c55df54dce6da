//! Time of the inner loops of the solvers, on problems of our own making.
//!
//! `cargo bench --bench solvers` prints the time of one Gauss-Seidel sweep per contact and of the
//! solve of single contacts, from nothing and from the solution of a problem close by.

use divan::{Bencher, black_box};
use stickslip::convex::{Ball, ContensouBall, HalfLine, Pressure, Set};
use stickslip::problem::{BlockSparse, InclusionProblem, Reservoir};
use stickslip::solve::{GaussSeidel, GaussSeidelOptions, Limits, Solver, by_name};

/// Allocations are counted and printed: after the first solve there are none.
#[global_allocator]
static ALLOCATOR: divan::AllocProfiler = divan::AllocProfiler::system();

fn coulomb() -> Set {
    Set::Ball(Ball { dim: 2, radius: 0.5 })
}

fn hertz() -> Set {
    let pressure = Pressure::Hertz;
    Set::Contensou(ContensouBall { friction: 0.5, contact_radius: 5e-3, pressure })
}

/// Blocks stacked on each other with four contacts on each face: G couples a contact with the 12
/// others that share a block with it. Mass and inertia 1; each face has corners (±1, ±1).
fn stack(blocks: usize, friction: &Set) -> InclusionProblem {
    let dim = 1 + stickslip::convex::ConvexSet::dim(friction);
    let mut problem = InclusionProblem::new();
    for _ in 0..4 * blocks {
        problem.push_contact([
            (Set::HalfLine(HalfLine), Reservoir::Unbounded),
            (friction.clone(), Reservoir::Normal),
        ]);
    }
    // Direction of component k at corner i: force and moment on the block above.
    let direction = |i: usize, k: usize| {
        let (x, y) = ([1.0, -1.0, -1.0, 1.0][i % 4], [1.0, 1.0, -1.0, -1.0][i % 4]);
        match k {
            0 => [0.0, 0.0, 1.0, y, -x, 0.0],
            1 => [1.0, 0.0, 0.0, 0.0, -0.5, -y],
            2 => [0.0, 1.0, 0.0, 0.5, 0.0, x],
            _ => [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        }
    };
    let mut delassus = BlockSparse::default();
    for i in 0..4 * blocks {
        let face = i / 4;
        let columns = 4 * face.saturating_sub(1)..(4 * (face + 2)).min(4 * blocks);
        delassus.push_row(dim, columns.map(|j| (j, dim)));
    }
    delassus.finish();
    for i in 0..4 * blocks {
        for (j, block) in delassus.row_mut(i) {
            // Two blocks meet at a face, but for the ground below the first.
            let shared = match (i / 4).abs_diff(j / 4) {
                0 if i / 4 == 0 => 1.0,
                0 => 2.0,
                _ => -1.0,
            };
            for k in 0..dim {
                for l in 0..dim {
                    let (a, b) = (direction(i, k), direction(j, l));
                    block[k * dim + l] = shared * a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
    }
    // Gravity on the first face, where ground and first block meet, and a push to the side.
    let mut c = vec![0.0; 4 * blocks * dim];
    for i in 0..4 {
        c[i * dim] = -0.01;
        c[i * dim + 1] = 0.004;
    }
    let posed = problem.set_data(delassus, c);
    assert!(posed.is_ok(), "{posed:?}");
    problem
}

/// A fixed number of sweeps: tolerance 0 is never reached.
fn sweeps(count: usize) -> GaussSeidel {
    let limits = Limits { tolerance: 0.0, max_iterations: count, max_time: None };
    let mut options = GaussSeidelOptions::default();
    options.limits = limits;
    GaussSeidel::new(options).unwrap_or_default()
}

/// Twenty sweeps over a stack of fifty blocks, per contact and sweep (with the four judgements
/// that belong to them).
#[divan::bench(args = ["coulomb", "hertz ball"])]
fn sweep_per_contact(bencher: Bencher, law: &str) {
    let problem = stack(50, &if law == "coulomb" { coulomb() } else { hertz() });
    let mut solver = sweeps(20);
    let mut lambda = vec![0.0; problem.dim()];
    let contacts = problem.contacts().len();
    bencher.counter(divan::counter::ItemsCount::new(20 * contacts)).bench_local(|| {
        lambda.fill(0.0);
        solver.solve(black_box(&problem), &mut lambda)
    });
}

/// One contact that slips, coupled in all directions.
fn single(friction: Set) -> InclusionProblem {
    let dim = 1 + stickslip::convex::ConvexSet::dim(&friction);
    let mut problem = InclusionProblem::new();
    problem.push_contact([
        (Set::HalfLine(HalfLine), Reservoir::Unbounded),
        (friction, Reservoir::Normal),
    ]);
    let full = [
        [1.0, 0.3, -0.2, 4.0],
        [0.3, 1.2, 0.1, 2.0],
        [-0.2, 0.1, 0.9, -3.0],
        [4.0, 2.0, -3.0, 900.0],
    ];
    let g: Vec<f64> = full[..dim].iter().flat_map(|row| row[..dim].iter().copied()).collect();
    let c = [-1.0, 0.8, -1.5, 20.0][..dim].to_vec();
    let posed = problem.set_data(BlockSparse::dense(&[dim], &g), c);
    assert!(posed.is_ok(), "{posed:?}");
    problem
}

fn one_contact(bencher: Bencher, law: &str, warm: bool) {
    let problem = single(if law == "coulomb" { coulomb() } else { hertz() });
    let mut solver = sweeps(1);
    let mut start = vec![0.0; problem.dim()];
    if warm {
        // The solution, moved as far as a small time step moves it.
        let solved = solver.solve(&problem, &mut start);
        assert!(solved.is_ok(), "{solved:?}");
        start.iter_mut().for_each(|v| *v *= 1.001);
    }
    let mut lambda = start.clone();
    bencher.bench_local(|| {
        lambda.copy_from_slice(&start);
        solver.solve(black_box(&problem), &mut lambda)
    });
}

/// Solve of one contact from zero, with the checks and two residuals of a whole solve.
#[divan::bench(args = ["coulomb", "hertz ball"])]
fn one_contact_cold(bencher: Bencher, law: &str) {
    one_contact(bencher, law, false);
}

/// The same from percussions close to the solution.
#[divan::bench(args = ["coulomb", "hertz ball"])]
fn one_contact_warm(bencher: Bencher, law: &str) {
    one_contact(bencher, law, true);
}

/// A whole solve of one step after the other: the same problem again and again from zero, to see
/// that only the first one allocates.
#[divan::bench(args = ["gauss-seidel", "jacobi", "augmented-lagrangian", "auto"])]
fn solve_again(bencher: Bencher, name: &str) {
    let problem = stack(5, &coulomb());
    let limits = Limits { tolerance: 1e-6, max_iterations: 1000, max_time: None };
    let Ok(Some(mut solver)) = by_name(name, limits) else { return };
    let mut lambda = vec![0.0; problem.dim()];
    bencher.bench_local(|| {
        lambda.fill(0.0);
        solver.solve(black_box(&problem), &mut lambda)
    });
}

fn main() {
    divan::main();
}
