//! Six solvers on the same contact problems: those of every step of two turns of the crank.

use crate::support::*;
use std::f64::consts::PI;
use std::sync::{Arc, Mutex};
use stickslip::integrate::{Integrator, Moreau, Projection, ProjectionMetric};
use stickslip::models::{SliderCrank, SliderCrankParameters, SliderCrankStart};
use stickslip::problem::InclusionProblem;
use stickslip::solve::{Limits, SolveError, SolveReport, Solver, Status};

/// Solves with the first solver, and compares the velocities ξ that all others find.
#[derive(Clone)]
struct Comparing {
    solvers: Vec<Box<dyn Solver>>,
    /// Largest difference, m/s, by solver.
    worst: Arc<Mutex<Vec<f64>>>,
    problems: Arc<Mutex<usize>>,
}

impl Solver for Comparing {
    fn name(&self) -> &'static str {
        "comparing"
    }

    fn limits(&self) -> Limits {
        self.solvers[0].limits()
    }

    fn set_limits(&mut self, limits: Limits) {
        for solver in &mut self.solvers {
            solver.set_limits(limits);
        }
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        let start = lambda.to_vec();
        let mut xi = vec![0.0; problem.dim()];
        let mut first = Vec::new();
        let mut result = None;
        for (index, solver) in self.solvers.iter_mut().enumerate() {
            let mut own = start.clone();
            let report = solver.solve(problem, &mut own)?;
            assert_eq!(report.status, Status::Solved, "{}: {report:?}", solver.name());
            problem.relative_velocities(&own, &mut xi);
            if index == 0 {
                first.clone_from(&xi);
                lambda.copy_from_slice(&own);
                result = Some(report);
            }
            let difference = xi.iter().zip(&first).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let worst = &mut self.worst.lock().unwrap()[index];
            *worst = worst.max(difference);
        }
        *self.problems.lock().unwrap() += 1;
        Ok(result.unwrap())
    }
}

const NAMES: [&str; 6] =
    ["lemke", "enumerate", "augmented-lagrangian", "gauss-seidel", "newton", "auto"];

fn compare(restitution: f64, omega3: f64) {
    let parameters = SliderCrankParameters { restitution, ..Default::default() };
    let system = SliderCrank::new(parameters).unwrap();
    let mut state = system.start(&SliderCrankStart { omega3, ..Default::default() }).unwrap();
    let worst = Arc::new(Mutex::new(NAMES.map(|_| 0.0).to_vec()));
    let problems = Arc::new(Mutex::new(0));
    // The residual is relative to the sliding speed of 30 m/s, and G has the condition 50.
    let solvers = NAMES.map(|name| solver(name, 1e-13)).into();
    let comparing = Comparing { solvers, worst: worst.clone(), problems: problems.clone() };
    let projection = Projection::new(ProjectionMetric::None);
    let mut integrator = Moreau::new(Box::new(comparing), projection);
    while state.q[0] < 4.0 * PI && state.t < 0.3 {
        integrator.step(&system, &mut state, 2e-5).unwrap();
    }
    assert!(state.q[0] >= 4.0 * PI, "two turns");
    // With restitution 0.9 the slider flies most of the time.
    let problems = *problems.lock().unwrap();
    assert!(problems > 20, "{problems}");
    for (name, worst) in NAMES.iter().zip(worst.lock().unwrap().iter()) {
        // Asked: 1e-9 m/s.
        assert!(*worst <= 1e-9, "{name}, {restitution}, {omega3}: {worst:e} m/s");
    }
}

#[test]
fn all_solvers_agree_in_every_step_from_the_printed_start() {
    for restitution in [0.1, 0.4, 0.6, 0.9] {
        compare(restitution, 0.0);
    }
}

#[test]
fn all_solvers_agree_in_every_step_from_an_asymmetric_start() {
    for restitution in [0.1, 0.4, 0.6, 0.9] {
        compare(restitution, -0.01);
    }
}
