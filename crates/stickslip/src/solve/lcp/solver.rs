//! The two solvers of inclusion problems that go by linear complementarity.

use super::assemble::Assembly;
use super::enumerate::ENUMERATE_TOLERANCE;
use super::{ENUMERATION_LIMIT, Enumeration, LemkeMethod, LemkeMethodOptions};
use crate::problem::InclusionProblem;
use crate::range::require;
use crate::solve::{Limits, SolveError, SolveReport, Solver, Status, check_start};
use std::time::Instant;

/// Residual of the linear complementarity problem at which pivoting is content; direct solutions
/// reach round-off. A larger one leads to further attempts, and the best point is judged.
const LEMKE_TOLERANCE: f64 = 1e-12;

/// Options of [`Lemke`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeOptions {
    /// When to stop; iterations are pivots of all attempts. Default 1e-8 and 10 000 pivots.
    pub limits: Limits,
    /// Attempts with other covering vectors after a ray or an inaccurate end. Default 20, at most
    /// 100.
    pub restarts: usize,
    /// Largest number of complementarity pairs up to which complete enumeration has the last
    /// word; 0 switches it off. Default 12, at most 12.
    pub enumerate_up_to: usize,
    /// Whether the basis that the start suggests is tried before any pivot. In a simulation it is
    /// nearly always the right one, and where several solutions exist the start then decides.
    /// Default true.
    pub use_start: bool,
}

impl Default for LemkeOptions {
    fn default() -> Self {
        Self {
            limits: Limits { max_iterations: 10_000, ..Limits::default() },
            restarts: 20,
            enumerate_up_to: ENUMERATION_LIMIT,
            use_start: true,
        }
    }
}

impl LemkeOptions {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SolveError> {
        self.limits.validate()?;
        at_most("restarts", self.restarts, 100, "0 to 100")?;
        at_most("enumerate_up_to", self.enumerate_up_to, ENUMERATION_LIMIT, "0 to 12")
    }
}

fn at_most(
    option: &'static str,
    value: usize,
    largest: usize,
    allowed: &'static str,
) -> Result<(), SolveError> {
    Ok(require(value <= largest, option, value as f64, allowed)?)
}

/// Lemke's method on the linear complementarity problem of planar friction (Flores 2010, eq. 85).
///
/// Treats unilateral and bilateral components and friction in one direction; spatial friction is
/// an error. Statuses: `Solved`, `RayTermination` (no attempt left the ray), `NoSolution`
/// (enumeration found none), `MaxIterations`, `TimeLimit`, `Stalled` (the residual is above the
/// tolerance). If it does not end with `Solved`, the better of start and last point is returned.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    options: LemkeOptions,
    assembly: Assembly,
    method: LemkeMethod,
    guess: Vec<bool>,
    x: Vec<f64>,
    candidate: Vec<f64>,
    xi: Vec<f64>,
}

impl Lemke {
    /// Solver with the given options.
    pub fn new(options: LemkeOptions) -> Result<Self, SolveError> {
        options.validate()?;
        Ok(Self { options, ..Self::default() })
    }
}

impl Solver for Lemke {
    fn name(&self) -> &'static str {
        "lemke"
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
        let limits = self.options.limits;
        let deadline = limits.max_time.and_then(|time| Instant::now().checked_add(time));
        self.assembly.set(problem, self.name())?;
        self.method.options = LemkeMethodOptions {
            tolerance: LEMKE_TOLERANCE,
            max_pivots: limits.max_iterations,
            restarts: self.options.restarts,
            enumerate_up_to: self.options.enumerate_up_to,
        };
        self.xi.resize(problem.dim(), 0.0);
        self.candidate.resize(problem.dim(), 0.0);
        self.x.resize(self.assembly.lcp.dim(), 0.0);
        let guess = if self.options.use_start {
            problem.relative_velocities(lambda, &mut self.xi);
            self.assembly.guess(lambda, &self.xi, &mut self.guess);
            Some(&self.guess[..])
        } else {
            None
        };
        let report = self.method.solve_from(&self.assembly.lcp, guess, deadline, &mut self.x);
        self.assembly.percussions(&self.x, &mut self.candidate);
        Ok(judge(
            problem,
            (report.status, report.pivots),
            limits.tolerance,
            &self.candidate,
            &mut self.xi,
            lambda,
        ))
    }
}

/// The report on a candidate; the start stays if nothing was solved and it is no worse.
fn judge(
    problem: &InclusionProblem,
    (status, iterations): (Status, usize),
    tolerance: f64,
    candidate: &[f64],
    xi: &mut [f64],
    lambda: &mut [f64],
) -> SolveReport {
    let residual = problem.residual_into(candidate, xi);
    if residual.value <= tolerance {
        lambda.copy_from_slice(candidate);
        return SolveReport { status: Status::Solved, iterations, residual };
    }
    let status = if status == Status::Solved { Status::Stalled } else { status };
    let start = problem.residual_into(lambda, xi);
    if residual.value < start.value {
        lambda.copy_from_slice(candidate);
        SolveReport { status, iterations, residual }
    } else {
        SolveReport { status, iterations, residual: start }
    }
}

/// Options of [`Enumerate`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnumerateOptions {
    /// When to stop; the number of iterations is fixed (2ⁿ bases) and its limit is not used.
    pub limits: Limits,
}

impl EnumerateOptions {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SolveError> {
        self.limits.validate()
    }
}

/// Complete enumeration of the linear complementarity problem of planar friction, up to 12
/// complementarity pairs: 4 contacts with friction.
///
/// Of all solutions the one nearest to the start (Euclidean norm of Λ) is returned; see
/// [`all_solutions`](Self::all_solutions) for the others. Statuses: `Solved`, `NoSolution`,
/// `TimeLimit`, `Stalled` (the residual is above the tolerance). Iterations are bases.
#[derive(Clone, Debug, Default)]
pub struct Enumerate {
    options: EnumerateOptions,
    assembly: Assembly,
    enumeration: Enumeration,
    candidate: Vec<f64>,
    nearest: Vec<f64>,
    xi: Vec<f64>,
}

impl Enumerate {
    /// Solver with the given options.
    pub fn new(options: EnumerateOptions) -> Result<Self, SolveError> {
        options.validate()?;
        Ok(Self { options, ..Self::default() })
    }

    /// All solutions Λ: isolated ones, and of every continuum its vertices and points of least
    /// norm (see [`Enumeration`]). Empty if there is none, or if the time ran out before.
    pub fn all_solutions(
        &mut self,
        problem: &InclusionProblem,
    ) -> Result<Vec<Vec<f64>>, SolveError> {
        problem.validate()?;
        self.run(problem)?;
        let mut solutions = Vec::new();
        for solution in self.enumeration.found() {
            let mut lambda = vec![0.0; problem.dim()];
            self.assembly.percussions(&solution.x, &mut lambda);
            solutions.push(lambda);
        }
        Ok(solutions)
    }

    fn run(&mut self, problem: &InclusionProblem) -> Result<bool, SolveError> {
        let max_time = self.options.limits.max_time;
        let deadline = max_time.and_then(|time| Instant::now().checked_add(time));
        self.assembly.set(problem, self.name())?;
        if let Some(contact) = self.assembly.pairs.iter().position(|n| *n > ENUMERATION_LIMIT) {
            return Err(SolveError::Unsupported {
                solver: self.name(),
                contact,
                reason: format!(
                    "enumeration treats {ENUMERATION_LIMIT} complementarity pairs, this contact brings their number to {}",
                    self.assembly.pairs[contact]
                ),
            });
        }
        Ok(self.enumeration.run(&self.assembly.lcp, ENUMERATE_TOLERANCE, deadline))
    }
}

impl Solver for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
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
        let complete = self.run(problem)?;
        self.xi.resize(problem.dim(), 0.0);
        self.candidate.resize(problem.dim(), 0.0);
        self.nearest.clear();
        self.nearest.resize(problem.dim(), 0.0);
        let mut smallest = f64::INFINITY;
        for solution in self.enumeration.found() {
            self.assembly.percussions(&solution.x, &mut self.candidate);
            let pairs = self.candidate.iter().zip(lambda.iter());
            let distance: f64 = pairs.map(|(p, q)| (p - q) * (p - q)).sum();
            if distance < smallest {
                smallest = distance;
                self.nearest.copy_from_slice(&self.candidate);
            }
        }
        let status = match (smallest.is_finite(), complete) {
            (true, _) => Status::Solved,
            (false, true) => Status::NoSolution,
            (false, false) => Status::TimeLimit,
        };
        let bases = 1 << self.assembly.lcp.dim();
        let tolerance = self.options.limits.tolerance;
        Ok(judge(problem, (status, bases), tolerance, &self.nearest, &mut self.xi, lambda))
    }
}
