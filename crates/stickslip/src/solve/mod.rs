//! Solvers of the inclusion problem behind one trait.
//!
//! Every solver starts from the percussions it is given (zero, or those of the last step) and
//! stops by the [residual](crate::problem::Residual) that the problem computes, not by a measure
//! of its own. How a solve ended is a value ([`Status`]); an error ([`SolveError`]) is a misuse:
//! data that are not finite, dimensions that do not fit, a law that this solver cannot treat.

mod augmented_lagrangian;
mod auto;
mod block_lu;
mod condense;
mod coulomb_equations;
mod envelope;
mod equations;
mod extrapolation;
mod gauss_seidel;
mod held;
mod interior_point;
mod jacobi;
pub mod lcp;
mod local;
mod local_coulomb;
mod local_drilling;
mod local_general;
mod momentum;
mod monitor;
mod near;
mod nearby;
mod newton;
mod newton_factors;
mod newton_kernel;
mod newton_system;
mod patience;
mod planar_sweep;
mod prox_iteration;
mod slab_sweeps;
mod slabs;
mod spatial_sweep;
mod whole;

pub use augmented_lagrangian::{AugmentedLagrangian, AugmentedLagrangianOptions};
pub use auto::{Auto, AutoOptions};
pub use gauss_seidel::{GaussSeidel, GaussSeidelOptions};
pub use interior_point::{InteriorPoint, InteriorPointOptions};
pub use jacobi::{Coordinates, Jacobi, JacobiOptions, StepRule};
pub use newton::{Newton, NewtonOptions};

pub(crate) use held::{Held, Recorder, SharedSolver, SolvedProblems};
pub(crate) use monitor::{MOST_PERCUSSION, scaled_size};

use crate::problem::{InclusionProblem, ProblemError, Residual};
use crate::range::{self, OutOfRange};
use std::time::Duration;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The residual is at most the tolerance.
    Solved,
    /// The iterations ran out.
    MaxIterations,
    /// The time ran out.
    TimeLimit,
    /// The residual no longer falls, or the iteration cycles.
    Stalled,
    /// The iterates grew beyond all bounds.
    Diverged,
    /// Lemke's method ended on a ray: no solution was found along its path.
    RayTermination,
    /// Complete enumeration proved that there is no solution.
    NoSolution,
}

impl Status {
    /// The name in reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Status::Solved => "solved",
            Status::MaxIterations => "max-iterations",
            Status::TimeLimit => "time-limit",
            Status::Stalled => "stalled",
            Status::Diverged => "diverged",
            Status::RayTermination => "ray-termination",
            Status::NoSolution => "no-solution",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The outcome of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveReport {
    /// How it ended.
    pub status: Status,
    /// Sweeps, Newton steps or pivots, as documented at the solver.
    pub iterations: usize,
    /// Residual of the returned percussions, computed by the problem.
    pub residual: Residual,
}

/// Misuse of a solver.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum SolveError {
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error("the start has {found} components, the problem has {expected}")]
    Start { expected: usize, found: usize },
    #[error("start[{index}] is {value}, it must be finite")]
    StartNotFinite { index: usize, value: f64 },
    #[error("contact {contact}: solver {solver} cannot treat this law: {reason}")]
    Unsupported { solver: &'static str, contact: usize, reason: String },
    #[error("option {0}")]
    Option(#[from] OutOfRange),
}

/// When a solver stops: common to all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Wanted residual, dimensionless. Default 1e-8; range [0, 1].
    pub tolerance: f64,
    /// Largest number of iterations. Default 100 000; at least 1.
    pub max_iterations: usize,
    /// Largest time of one solve. Default none.
    pub max_time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 100_000, max_time: None }
    }
}

impl Limits {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SolveError> {
        range::fraction("tolerance", self.tolerance)?;
        let iterations = self.max_iterations as f64;
        Ok(range::require(iterations >= 1.0, "max_iterations", iterations, "at least 1")?)
    }
}

/// A method that solves inclusion problems.
///
/// ```
/// use stickslip::problem::InclusionProblem;
/// use stickslip::solve::{Limits, Status, by_name};
///
/// // A mass of 2 kg with μ = 0.5 strikes the ground at 3 m/s while it slides at 1 m/s: it sticks.
/// let (g, c) = ([0.5, 0.0, 0.0, 0.5], [-3.0, -1.0]);
/// let problem = InclusionProblem::coulomb(2, &[0.5], &g, &c)?;
/// let mut solver = by_name("auto", Limits::default())?.ok_or("no solver of this name")?;
/// let mut percussions = [0.0; 2];
/// let report = solver.solve(&problem, &mut percussions)?;
/// assert_eq!(report.status, Status::Solved);
/// assert!((percussions[0] - 6.0).abs() < 1e-8 && (percussions[1] - 2.0).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What it keeps from one solve to the next is memory only: the result depends on the problem and the
/// start alone, so that a run that was saved goes on as if it had never stopped.
pub trait Solver: CopySolver + Send {
    /// The name on the command line and in scene files.
    fn name(&self) -> &'static str;

    /// When it stops.
    fn limits(&self) -> Limits;

    /// Changes when it stops: an integrator that repeats a problem need not solve the first ones to
    /// the end.
    fn set_limits(&mut self, limits: Limits);

    /// Improves the percussions `lambda` (the start) until the residual is small enough.
    ///
    /// Whatever the status, `lambda` then holds the best percussions found and the report their
    /// residual.
    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError>;

    /// Solves G x = b for the matrix of the problem that was solved last, where this was one of joints alone whose factors are
    /// still known. False (the default) if they are not; b is as it was then.
    fn solve_joints_again(&self, _b: &mut [f64]) -> bool {
        false
    }
}

/// Copies a solver in a box: every solver that is [`Clone`] has it.
pub trait CopySolver {
    /// The copy.
    fn boxed_copy(&self) -> Box<dyn Solver>;
}

impl<T: Solver + Clone + 'static> CopySolver for T {
    fn boxed_copy(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Solver> {
    fn clone(&self) -> Self {
        self.as_ref().boxed_copy()
    }
}

/// Checks problem and start before a solve.
pub(crate) fn check_start(problem: &InclusionProblem, lambda: &[f64]) -> Result<(), SolveError> {
    problem.validate()?;
    if lambda.len() != problem.dim() {
        return Err(SolveError::Start { expected: problem.dim(), found: lambda.len() });
    }
    match lambda.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(SolveError::StartNotFinite { index, value: lambda[index] }),
        None => Ok(()),
    }
}

/// Makes a solver with default options but for the limits.
type Make = fn(Limits) -> Result<Box<dyn Solver>, SolveError>;

/// All solvers by name.
const SOLVERS: [(&str, Make); 8] = [
    ("auto", |limits| Ok(Box::new(Auto::new(AutoOptions { limits, ..Default::default() })?))),
    ("gauss-seidel", |limits| {
        Ok(Box::new(GaussSeidel::new(GaussSeidelOptions { limits, ..Default::default() })?))
    }),
    ("newton", |limits| Ok(Box::new(Newton::new(NewtonOptions { limits, ..Default::default() })?))),
    ("interior-point", |limits| {
        let options = InteriorPointOptions { limits, ..Default::default() };
        Ok(Box::new(InteriorPoint::new(options)?))
    }),
    ("augmented-lagrangian", |limits| {
        let options = AugmentedLagrangianOptions { limits, ..Default::default() };
        Ok(Box::new(AugmentedLagrangian::new(options)?))
    }),
    ("jacobi", |limits| Ok(Box::new(Jacobi::new(JacobiOptions { limits, ..Default::default() })?))),
    ("lemke", |limits| {
        Ok(Box::new(lcp::Lemke::new(lcp::LemkeOptions { limits, ..Default::default() })?))
    }),
    ("enumerate", |limits| Ok(Box::new(lcp::Enumerate::new(lcp::EnumerateOptions { limits })?))),
];

/// Names of all solvers, as the command line and scene files know them.
pub const SOLVER_NAMES: &[&str] = &{
    let mut names = [""; SOLVERS.len()];
    let mut k = 0;
    while k < names.len() {
        names[k] = SOLVERS[k].0;
        k += 1;
    }
    names
};

/// The solver of the given name with default options; none if there is no such name.
pub fn by_name(name: &str, limits: Limits) -> Result<Option<Box<dyn Solver>>, SolveError> {
    SOLVERS.iter().find(|(own, _)| *own == name).map(|(_, make)| make(limits)).transpose()
}
