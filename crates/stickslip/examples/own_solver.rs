//! A solver of one's own behind the trait [`Solver`]: projected Jacobi in a few lines. It runs a scene.

use stickslip::prelude::*;
use stickslip::solve::SolveError;

/// Λ_i ← prox(Λ_i − r_i ξ_i) for all laws at once, r_i half of 1/G_ii.
#[derive(Clone, Default)]
struct Sweeps {
    limits: Limits,
    xi: Vec<f64>,
}

impl Solver for Sweeps {
    fn name(&self) -> &'static str {
        "sweeps"
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        problem.validate()?;
        self.xi.resize(problem.dim(), 0.0);
        for iterations in 0..self.limits.max_iterations {
            let residual = problem.residual_into(lambda, &mut self.xi);
            if residual.value <= self.limits.tolerance {
                return Ok(SolveReport { status: Status::Solved, iterations, residual });
            }
            for (row, contact) in problem.contacts().iter().enumerate() {
                for law in problem.laws_of(contact) {
                    let first = law.offset - contact.offset;
                    let entries = (first..first + law.dim)
                        .map(|component| problem.delassus().diagonal_entry(row, component));
                    let r = 0.5 / entries.fold(0.0, f64::max);
                    for k in law.range() {
                        lambda[k] -= r * self.xi[k];
                    }
                    let scale = problem.scale(contact, law, lambda);
                    law.set.prox(scale, &mut lambda[law.range()]);
                }
            }
        }
        let residual = problem.residual(lambda);
        let iterations = self.limits.max_iterations;
        Ok(SolveReport { status: Status::MaxIterations, iterations, residual })
    }
}

/// The program.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::load("bouncing-ball", &["simulation.duration=1 s"])?;
    let usual = scene.simulate()?.run(&mut Unobserved);
    let solver =
        Sweeps { limits: Limits { tolerance: 1e-10, ..Limits::default() }, ..Sweeps::default() };
    let (system, start) = (scene.system.clone(), scene.start.clone());
    let integrator = Box::new(Rattle::new(Box::new(solver)));
    let mut simulation = Simulation::new(system, integrator, start, scene.settings())?;
    let own = simulation.run(&mut Unobserved);
    let pairs = own.final_state.q.iter().zip(&usual.final_state.q);
    let apart = pairs.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    println!("{}: {} impacts, {apart:e} m from the usual solver", own.status, own.impacts.len());
    assert!(own.status == RunStatus::Done && !own.impacts.is_empty() && apart < 1e-9);
    Ok(())
}
