//! Very many contacts, swept by slabs: the same bits for any number of threads.

use stickslip::problem::generate::packing;
use stickslip::solve::{Limits, Status, by_name};

#[test]
fn percussions_are_the_same_for_any_number_of_threads() {
    let problem = packing(1600, 0.5, 0.5, 7).unwrap();
    assert!(problem.contacts().len() >= 4000, "{}", problem.contacts().len());
    for name in ["gauss-seidel", "auto"] {
        let solve = || {
            let limits = Limits { tolerance: 1e-4, ..Limits::default() };
            let mut solver = by_name(name, limits).unwrap().unwrap();
            let mut lambda = vec![0.0; problem.dim()];
            let report = solver.solve(&problem, &mut lambda).unwrap();
            assert_eq!(report.status, Status::Solved);
            assert!(problem.residual(&lambda).value <= 1e-4);
            (report.iterations, lambda)
        };
        let alone = solve();
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(solve) == alone, "{name}, {threads} threads");
        }
    }
}
