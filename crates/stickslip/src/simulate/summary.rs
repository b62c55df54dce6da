//! The summary of a run.

use super::table::number;
use super::{ClosingShare, EnergyBook, Event, ForceBook, Happening, StepCount};
use crate::integrate::Impact;
use crate::problem::InclusionProblem;
use crate::system::State;

/// How a run ended: an error unless it is [`RunStatus::Done`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunStatus {
    /// The end was reached.
    Done,
    /// A contact problem was not solved by any means; the run stopped before that step.
    NotConverged {
        /// Start of the step, s.
        t: f64,
        /// Residual that was reached.
        residual: f64,
        /// The problem, to be saved and replayed.
        problem: Option<Box<InclusionProblem>>,
        /// Why it has no solution, where that is known: joints that contradict each other, energy out of all
        /// proportion.
        reason: Option<String>,
    },
    /// A contact problem took longer than the user allows one solve to take
    /// ([`crate::solve::Limits::max_time`]); the run stopped before that step.
    TimeLimit {
        /// Start of the step, s.
        t: f64,
        /// Residual that was reached.
        residual: f64,
    },
    /// A quantity became infinite or NaN, or the system could not be evaluated.
    Failed {
        /// What and where.
        message: String,
    },
    /// The energy book does not close, or a body is where nothing can be: the results are kept, but
    /// they are not the motion of the system.
    Untrustworthy {
        /// What shows it.
        message: String,
    },
    /// Stopped from outside.
    Interrupted,
    /// More steps, contacts or bytes than allowed.
    Limit {
        /// Which limit.
        message: String,
    },
    /// The results could not be written.
    OutputFailed {
        /// What the writer said.
        message: String,
    },
}

impl RunStatus {
    /// The name in files.
    pub fn name(&self) -> &'static str {
        match self {
            RunStatus::Done => "done",
            RunStatus::NotConverged { .. } => "not-converged",
            RunStatus::TimeLimit { .. } => "time-limit",
            RunStatus::Failed { .. } => "failed",
            RunStatus::Untrustworthy { .. } => "untrustworthy",
            RunStatus::Interrupted => "interrupted",
            RunStatus::Limit { .. } => "limit",
            RunStatus::OutputFailed { .. } => "output-failed",
        }
    }
}

impl std::fmt::Display for RunStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunStatus::Done => f.write_str("the end was reached"),
            RunStatus::Interrupted => f.write_str("stopped from outside"),
            RunStatus::Failed { message }
            | RunStatus::Untrustworthy { message }
            | RunStatus::Limit { message }
            | RunStatus::OutputFailed { message } => f.write_str(message),
            RunStatus::TimeLimit { t, residual } => write!(
                f,
                "the contact problem of the step at t = {} s took longer than one solve may: residual \
                 {residual:.1e}",
                number(*t)
            ),
            RunStatus::NotConverged { t, reason: Some(reason), .. } => {
                write!(f, "the step at t = {} s has no solution: {reason}", number(*t))
            }
            RunStatus::NotConverged { t, residual, .. } => write!(
                f,
                "the contact problem of the step at t = {} s was not solved: residual {residual:.1e}",
                number(*t)
            ),
        }
    }
}

impl std::error::Error for RunStatus {}

/// The energy book at the end of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnergySummary {
    /// Energy at the start, J.
    pub initial: f64,
    /// Energy at the end, J.
    pub last: f64,
    /// The entries.
    pub book: EnergyBook,
    /// E(t) − E(0) − Σ work, J.
    pub closing_error: f64,
    /// Its largest share of the energy turned over.
    pub worst_closing: ClosingShare,
}

/// What there is to say of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// How it ended.
    pub status: RunStatus,
    /// Steps that were done.
    pub steps: u64,
    /// How the steps were chosen; none if all are equal.
    pub chosen_steps: Option<StepCount>,
    /// Steps that had to be halved, or needed another solver.
    pub rescued_steps: u64,
    /// Steps that were accepted although a contact problem was not solved.
    pub unsolved_steps: u64,
    /// Largest residual of all accepted steps.
    pub worst_residual: f64,
    /// Deepest penetration at the end of a step, m.
    pub max_penetration: f64,
    /// The energy book.
    pub energy: EnergySummary,
    /// Openings and closings of the contacts.
    pub events: Vec<Event>,
    /// Events that were too many to keep.
    pub dropped_events: u64,
    /// Where contacts come to stick and begin to slip.
    pub motions: Vec<Event>,
    /// Such events that were too many to keep.
    pub dropped_motions: u64,
    /// Largest forces, and losses by contact.
    pub forces: ForceBook,
    /// Impacts, in the order of time.
    pub impacts: Vec<Impact>,
    /// Impacts that were too many to keep.
    pub dropped_impacts: u64,
    /// When conditions of the system came true.
    pub happened: Vec<Happening>,
    /// The condition that ended the run before its time, by its number.
    pub stopped_by: Option<usize>,
    /// Time in s by set of closed contacts: bit k stands for the k-th reported contact. A contact
    /// is closed from a step with a force up to the third step without one.
    pub contact_times: Vec<(u64, f64)>,
    /// What a user should be told of the results.
    pub warnings: Vec<String>,
    /// The last good state.
    pub final_state: State,
}
