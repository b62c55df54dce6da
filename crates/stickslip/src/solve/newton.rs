//! Semismooth Newton with a proximal-point outer loop.

use super::gauss_seidel::GaussSeidel;
use super::monitor::Monitor;
use super::newton_kernel::{NewtonKernel, SPARSE_FROM};
use super::{Limits, SolveError, SolveReport, Solver, Status, check_start};
use crate::problem::InclusionProblem;
use crate::range;

/// Options of [`Newton`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewtonOptions {
    /// When to stop; an iteration is one Newton step.
    pub limits: Limits,
    /// First regularisation ρ relative to the mean diagonal of G. Default 1e-3; range (0, 1].
    pub regularisation: f64,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self { limits: Limits::default(), regularisation: 1e-3 }
    }
}

impl NewtonOptions {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SolveError> {
        self.limits.validate()?;
        let good = self.regularisation > 0.0 && self.regularisation <= 1.0;
        Ok(range::require(good, "regularisation", self.regularisation, "above 0, at most 1")?)
    }
}

/// Newton steps of one attempt, and the reduction of |F| that counts as success.
const ATTEMPT_STEPS: usize = 25;
const ATTEMPT_REDUCTION: f64 = 1e-2;
/// Gauss-Seidel sweeps that bring Newton nearer to a regularised solution when it failed.
const RESCUE_SWEEPS: usize = 30;
/// Over-relaxation of the proximal-point step, in (1, 2): it converges where 1 does and, on
/// rank-deficient problems, several times faster.
const OVER_RELAXATION: f64 = 1.6;
/// ρ is halved after so many successes at most; the number doubles with every failure.
const MOST_PATIENCE: usize = 16;

/// How the outer loop goes.
#[derive(Clone, Copy, Debug)]
struct Proximal {
    /// First ρ relative to the mean diagonal of G.
    regularisation: f64,
    /// Factor on the step of the outer loop.
    relaxation: f64,
    /// Reduction of |F| that counts as success.
    reduction: f64,
}

/// The outer loop where a solution is known but for a little: hardly regularised, each of its problems
/// solved to the end.
const REFINEMENT: Proximal = Proximal { regularisation: 1e-6, relaxation: 1.0, reduction: 1e-8 };

/// Floating-point operations after which a problem counts as not solved: some ten seconds. Counted,
/// not measured, so that a result depends on no clock.
const MOST_WORK: f64 = 4e10;
/// Operations of a sparse factorisation for each entry of G, as measured on piles.
const WORK_OF_ENTRY: f64 = 140.0;
/// Steps that are always done.
const LEAST_STEPS: usize = 500;

/// Floating-point operations of a step.
pub(crate) fn work_of_step(problem: &InclusionProblem) -> f64 {
    let n = problem.dim() as f64;
    let dense = 2.0 / 3.0 * n * n * n;
    let sparse = WORK_OF_ENTRY * problem.delassus().data().len() as f64;
    if problem.dim() > SPARSE_FROM { dense.min(sparse) } else { dense }
}

/// Newton steps that a problem is worth.
fn affordable_steps(problem: &InclusionProblem) -> usize {
    LEAST_STEPS.max((MOST_WORK / work_of_step(problem).max(1.0)) as usize)
}

/// Semismooth Newton on the prox equations (Alart & Curnier 1991) with line search.
///
/// Where G is singular the stick equations are too, so after a first plain attempt the iteration
/// is wrapped in a proximal-point loop: solve the problem with G + ρ I and c − ρ Λ_k for Λ_{k+1},
/// lower ρ after success, raise it after failure. Each regularised problem has the same exact
/// laws; at the fixed point Λ_{k+1} = Λ_k the regularisation has no effect.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    options: NewtonOptions,
    monitor: Monitor,
    kernel: NewtonKernel,
    smoother: GaussSeidel,
    regularised: InclusionProblem,
    centre: Vec<f64>,
}

impl Newton {
    /// A solver with the given options.
    pub fn new(options: NewtonOptions) -> Result<Self, SolveError> {
        options.validate()?;
        Ok(Self { options, ..Self::default() })
    }

    /// Solves the problem regularised by ρ around the present centre in at most `budget` steps.
    /// Returns success and steps.
    fn proximal_step(
        &mut self,
        problem: &InclusionProblem,
        rho: f64,
        way: Proximal,
        lambda: &mut [f64],
        budget: usize,
    ) -> (bool, usize) {
        self.regularised.clone_from(problem);
        self.regularised.shift(rho, &self.centre);
        let reg = &self.regularised;
        let deadline = self.monitor.deadline();
        let steps = ATTEMPT_STEPS.min(budget);
        let first = self.kernel.run(reg, lambda, steps, way.reduction, deadline);
        let steps = ATTEMPT_STEPS.min(budget - first.steps);
        if first.converged || steps == 0 {
            return (first.converged, first.steps);
        }
        lambda.copy_from_slice(&self.centre);
        for _ in 0..RESCUE_SWEEPS {
            self.smoother.sweep(reg, lambda, 1.0);
        }
        let second = self.kernel.run(reg, lambda, steps, way.reduction, deadline);
        (second.converged, first.steps + second.steps)
    }

    /// The outer loop from the present centre, until the limits.
    fn proximal_loop(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        way: Proximal,
        limits: &Limits,
        mut iterations: usize,
    ) -> SolveReport {
        let s = problem.delassus().mean_diagonal();
        let mut rho = way.regularisation * s;
        let (mut successes, mut patience) = (0, 1);
        while !self.monitor.stops(iterations) {
            if self.monitor.out_of_time() {
                return self.monitor.end(lambda, iterations, Status::TimeLimit);
            }
            if iterations >= limits.max_iterations {
                return self.monitor.end(lambda, iterations, Status::MaxIterations);
            }
            let (success, steps) =
                self.proximal_step(problem, rho, way, lambda, limits.max_iterations - iterations);
            iterations += steps;
            if success {
                self.monitor.judge(problem, lambda);
                if self.monitor.diverged() {
                    return self.monitor.end(lambda, iterations, Status::Diverged);
                }
                for (x, centre) in lambda.iter_mut().zip(&mut self.centre) {
                    *x = *centre + way.relaxation * (*x - *centre);
                    *centre = *x;
                }
                successes += 1;
                if successes >= patience {
                    successes = 0;
                    rho *= 0.5;
                }
            } else {
                lambda.copy_from_slice(&self.centre);
                successes = 0;
                patience = (2 * patience).min(MOST_PATIENCE);
                rho *= 3.0;
            }
            rho = rho.clamp(1e-10 * s, 10.0 * s);
        }
        self.monitor.end(lambda, iterations, Status::Solved)
    }

    /// Makes percussions that are a solution but for a little exact. Where G is singular those nearest
    /// to the given ones are found.
    pub(crate) fn refine(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        check_start(problem, lambda)?;
        let limits = self.options.limits;
        self.monitor.begin(&limits, problem, lambda);
        self.centre.clear();
        self.centre.extend_from_slice(lambda);
        Ok(self.proximal_loop(problem, lambda, REFINEMENT, &limits, 0))
    }
}

impl Solver for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn limits(&self) -> Limits {
        self.options.limits
    }

    fn set_limits(&mut self, limits: Limits) {
        self.options.limits = limits;
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        check_start(problem, lambda)?;
        let mut limits = self.options.limits;
        limits.max_iterations = limits.max_iterations.min(affordable_steps(problem));
        self.monitor.begin(&limits, problem, lambda);
        if self.monitor.stops(0) {
            return Ok(self.monitor.end(lambda, 0, Status::Solved));
        }
        self.centre.clear();
        self.centre.extend_from_slice(lambda);
        // Plain Newton, for problems that need no more.
        let steps = ATTEMPT_STEPS.min(limits.max_iterations);
        let deadline = self.monitor.deadline();
        let iterations = self.kernel.run(problem, lambda, steps, 0.0, deadline).steps;
        self.monitor.judge(problem, lambda);
        lambda.copy_from_slice(&self.centre);
        let way = Proximal {
            regularisation: self.options.regularisation,
            relaxation: OVER_RELAXATION,
            reduction: ATTEMPT_REDUCTION,
        };
        Ok(self.proximal_loop(problem, lambda, way, &limits, iterations))
    }
}
