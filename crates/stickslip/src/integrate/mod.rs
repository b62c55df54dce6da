//! Time integrators: when things happen.
//!
//! The time steppers are built on one kernel, the velocity step: at a
//! given configuration it poses the inclusion problem of the closed contacts, has it solved, and
//! returns the velocity at the end of the step. [`Ode`] alone goes another way: it integrates the
//! regularised laws of [`crate::ode`].

mod assembly;
mod bend;
mod between;
mod carried;
mod changed_step;
mod closing;
mod event_driven;
mod gap_gradients;
mod gap_slabs;
mod gap_sweeps;
mod hold;
mod likeness;
mod moreau;
mod moreau_rk4;
mod near_constraint;
mod near_projection;
mod ode;
mod pattern;
mod poisson;
mod problem_bodies;
mod projection;
mod rattle;
mod record;
mod rows;
mod sliding;
mod transmission;
mod velocity_step;
mod warm_start;

pub use assembly::{AssembledJoint, Assembly, assemble};
pub use carried::{Around, Carried, Carrying, Changes, Pair, SharedChanges};
pub use closing::{Violation, close_start};
pub use event_driven::{
    CarryingEvents, EventDriven, EventDrivenOptions, ImpactEvent, Manifold, MotionEvent, NearMiss,
    OFFSETS, Phase, Tangent, Variation, WEIGHTS,
};
pub use moreau::Moreau;
pub use moreau_rk4::MoreauRk4;
pub use ode::Ode;
pub use projection::{Projection, ProjectionMetric};
pub use rattle::Rattle;
pub use record::{ContactRecord, ContactState, Impact, LawWork, StepRecord};
pub use transmission::{Change, Load, Transmission, Transmitted};

use crate::memory::Tape;
use crate::solve::{SolveError, SolveReport, Solver, Status};
use crate::system::{ColumnList, MechanicalSystem, State, mass};

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// How the worst contact problem of the step ended, with the iterations of all of them.
    pub solve: SolveReport,
    /// Number of closed contacts.
    pub contacts: usize,
}

/// Why a step could not be done at all.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum StepError {
    #[error("at t = {t} s: {quantity}[{index}] is {value}, it must be finite")]
    NotFinite { t: f64, quantity: &'static str, index: usize, value: f64 },
    #[error("at t = {t} s: block {block} of the mass matrix is not positive definite")]
    Mass { t: f64, block: usize },
    #[error("at t = {t} s: {source}")]
    Solve { t: f64, source: SolveError },
    #[error(
        "at t = {t} s: friction of contact {contact} is {value} at the sliding speed {speed}; it must be \
         finite and not negative"
    )]
    Friction { t: f64, contact: String, speed: f64, value: f64 },
    #[error(
        "at t = {t} s: restitution of contact {contact} is {value} at the speed of approach {speed}; it must \
         be from 0 to 1"
    )]
    Restitution { t: f64, contact: String, speed: f64, value: f64 },
    #[error("{0}")]
    Ode(String),
    #[error("at t = {t} s: contact {contact} changed its laws or is no longer listed")]
    ContactChanged { t: f64, contact: String },
    #[error("at t = {t} s: contact {contact} has a gap but no unilateral law")]
    Unsupported { t: f64, contact: String },
    #[error("at t = {t} s: the constraints contradict each other at {contacts}")]
    Constraints { t: f64, contacts: String },
    #[error(
        "painleve: at t = {t} s the accelerations have {solutions} solution at contact {contact}"
    )]
    Painleve { t: f64, contact: String, solutions: &'static str },
    #[error("at t = {t} s: the accelerations at {contacts} were not found, residual {residual:e}")]
    Undecided { t: f64, contacts: String, residual: f64 },
    #[error("too-many-events: at t = {t} s, after {events} events, the last at {contacts}")]
    TooManyEvents { t: f64, events: u64, contacts: String },
    #[error(
        "too-many-steps: at t = {t} s, {steps} steps of integration within one step of the run; \
         closed were {contacts}"
    )]
    TooManySteps { t: f64, steps: u64, contacts: String },
    #[error("at t = {t} s: the step fell to {step:e} s; closed were {contacts}")]
    StepTooSmall { t: f64, step: f64, contacts: String },
    #[error("at t = {t} s: a derivative needs neighbouring values of a key that are refused")]
    NoNeighbours { t: f64 },
    #[error("at t = {t} s: stopped from outside")]
    Stopped { t: f64 },
    #[error("the step is {0} s, it must be finite and above 0")]
    Step(f64),
}

/// The iteration by which a step was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration<'a> {
    /// The velocities with which it began, and what else it began with.
    pub begin: [&'a [f64]; 2],
    /// The same at its end.
    pub end: [&'a [f64]; 2],
    /// Its turns.
    pub turns: usize,
    /// From how many steps before the velocities at its start were carried on.
    pub depth: usize,
}

/// A method that carries a state over one step.
///
/// ```
/// use stickslip::prelude::*;
/// use stickslip::solve::Auto;
///
/// let mut description = WorldDescription::space();
/// description.add(Body::new("ball").mass(1.0).sphere(0.05));
/// let world = World::new(&description).map_err(|errors| errors[0].clone())?;
/// let (mut integrator, mut state) = (Rattle::new(Box::new(Auto::default())), world.start());
/// for _ in 0..100 {
///     integrator.step(&world, &mut state, 1e-3)?;
/// }
/// // Free fall, without an error of the method.
/// assert!((state.q[2] + 0.5 * 9.81 * 0.1 * 0.1).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Integrator: CopyIntegrator + Send {
    /// The name in scene files.
    fn name(&self) -> &'static str;

    /// Carries the state from t to t + dt.
    ///
    /// A contact problem that was not solved is no error: the report says so and the state holds
    /// the best that was found. On an error the state is as it was.
    fn step(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError>;

    /// What happened at the contacts in the last step.
    fn record(&self) -> &StepRecord;

    /// The contact problem of the last step that was not solved, if there was one.
    fn failed_problem(&self) -> Option<&crate::problem::InclusionProblem>;

    /// Order in smooth motion, on which the choice of steps by an accuracy builds: the error of one
    /// step is C Δt^(order+1).
    fn order(&self) -> u32 {
        1
    }

    /// Keeps what a step takes over from the one before (a warm start, a prediction), so that steps can
    /// be tried: [`restore`](Self::restore) returns to it, as often as one likes.
    fn save(&mut self) {}

    /// Forgets the steps since the last [`save`](Self::save).
    fn restore(&mut self) {}

    /// Writes to the tape, or reads from it, the record of the last step and all that a step takes over
    /// from the ones before: the motion then goes on bit for bit.
    fn keep(&mut self, tape: &mut Tape);

    /// Makes it a shadow, which repeats the steps of another from states nearby: of its records nothing is kept but
    /// which contacts and joints took part.
    fn become_shadow(&mut self) {}

    /// Writes what tells steps of one kind from others: which contacts took part, pressed, stuck and slipped, and in which
    /// stage.
    fn pattern(&self, out: &mut Vec<u64>) {
        self.record().pattern(out);
    }

    /// The iteration of the last step, if a step is one.
    fn iteration(&self) -> Option<Iteration<'_>> {
        None
    }

    /// Lets the iteration of the next step begin with these values, the velocities first, and take so many turns.
    fn iterate(&mut self, _begin: &[f64], _turns: usize) {}

    /// Exchanges the solver and returns the old one.
    fn exchange_solver(&mut self, solver: Box<dyn Solver>) -> Box<dyn Solver>;

    /// Columns of what the method knows beside the state: the forces and internal states of elements.
    fn columns(&self) -> ColumnList {
        ColumnList::default()
    }

    /// Appends their values at a state at which the last step ended, or at the start: those `before`
    /// the energies and those `behind` them.
    fn observe(
        &mut self,
        _system: &dyn MechanicalSystem,
        _at: &State,
        _before: &mut Vec<f64>,
        _behind: &mut Vec<f64>,
    ) {
    }
}

/// Copies an integrator in a box: every integrator that is [`Clone`] has it.
pub trait CopyIntegrator {
    /// The copy.
    fn boxed_copy(&self) -> Box<dyn Integrator>;
}

impl<T: Integrator + Clone + 'static> CopyIntegrator for T {
    fn boxed_copy(&self) -> Box<dyn Integrator> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Integrator> {
    fn clone(&self) -> Self {
        self.as_ref().boxed_copy()
    }
}

/// Names of contacts in a message: the first few of them.
pub(crate) fn names(system: &dyn MechanicalSystem, keys: impl Iterator<Item = u64>) -> String {
    const MOST: usize = 6;
    let mut keys: Vec<u64> = keys.collect();
    keys.dedup();
    let more = keys.len().saturating_sub(MOST);
    let mut text = keys.iter().take(MOST).map(|k| system.contact_name(*k)).collect::<Vec<_>>();
    if more > 0 {
        text.push(format!("{more} more"));
    }
    if text.is_empty() { "no contact".into() } else { text.join(", ") }
}

/// Error for the first value that is not finite.
pub(crate) fn check_finite(
    t: f64,
    quantity: &'static str,
    values: &[f64],
) -> Result<(), StepError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(StepError::NotFinite { t, quantity, index, value: values[index] }),
        None => Ok(()),
    }
}

pub(crate) fn check_step(dt: f64) -> Result<(), StepError> {
    if dt.is_finite() && dt > 0.0 { Ok(()) } else { Err(StepError::Step(dt)) }
}

/// The worse of two outcomes, with the iterations of both.
pub(crate) fn worse(a: SolveReport, b: SolveReport) -> SolveReport {
    let iterations = a.iterations + b.iterations;
    let rank = |r: &SolveReport| (r.status != Status::Solved, r.residual.value);
    let worse = if rank(&b) > rank(&a) { b } else { a };
    SolveReport { iterations, ..worse }
}
