//! Event-driven integration: smooth phases by a method of order 8, events located to rounding.
//!
//! For systems with few contacts. Between events the mode is fixed: which contacts are closed,
//! which laws stick, which slip. There the motion is smooth, and the contact forces follow from
//! the constraints at the level of accelerations. At an event the acceleration-level inclusion
//! problem decides on the next mode; where a contact closes with a velocity, the velocity-level
//! inclusion problem gives the impact (the velocity step of no length).

mod bias;
mod carrying;
mod decide;
mod drift;
mod dynamics;
mod engine;
mod escape;
mod events;
mod flow;
mod forces;
mod impact;
mod landing;
mod linear;
mod manifold;
mod memory;
mod mode;
mod one_side;
mod plan;
mod runge_kutta;
mod saltation;
mod scale;
mod share;
mod slip;
mod transition;
mod variation;
mod watch;

pub use carrying::CarryingEvents;
pub use events::{ImpactEvent, MotionEvent};
pub use manifold::Manifold;
pub(super) use scale::scale_of;
pub use variation::{NearMiss, OFFSETS, Phase, Tangent, Variation, WEIGHTS};

use super::record::StepRecord;
use super::{Integrator, StepError, StepReport, check_step};
use crate::memory::Tape;
use crate::problem::{InclusionProblem, Residual};
use crate::range::require;
use crate::solve::{Auto, AutoOptions, Limits, SolveError, SolveReport, Solver, Status};
use crate::system::{MechanicalSystem, State};
use engine::{Engine, Task};

/// Options of [`EventDriven`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventDrivenOptions {
    /// Error of a step relative to the largest value of each coordinate and velocity. Default
    /// 1e-10; range 1e-14 to 1e-2.
    pub tolerance: f64,
    /// Longest step of the smooth phases, s. Default ∞; above 0. Events that come and go within a
    /// quarter of a step can be missed, except for gaps and for slip along a line.
    pub max_step: f64,
    /// Events of one call of [`EventDriven::run_until`], or of one step, before it gives up.
    /// Default 100 000.
    pub max_events: u64,
    /// Steps of integration of one call of [`EventDriven::run_until`], or of one step, before it
    /// gives up. Default 1 000 000.
    pub max_steps: u64,
}

impl Default for EventDrivenOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            max_step: f64::INFINITY,
            max_events: 100_000,
            max_steps: 1_000_000,
        }
    }
}

impl EventDrivenOptions {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SolveError> {
        let good = (1e-14..=1e-2).contains(&self.tolerance);
        require(good, "tolerance", self.tolerance, "1e-14 to 1e-2")?;
        Ok(require(self.max_step > 0.0, "max_step", self.max_step, "above 0")?)
    }
}

/// Wanted residual of impacts and decisions, and iterations for it: each must end.
const RESIDUAL: f64 = 1e-13;
const MOST_ITERATIONS: usize = 20_000;

/// The event-driven scheme.
///
/// As an [`Integrator`] a step goes through whatever events lie in it, so that the step is an
/// interval of output and has no influence on the accuracy.
#[derive(Clone)]
pub struct EventDriven {
    options: EventDrivenOptions,
    solver: Box<dyn Solver>,
    engine: Engine,
    record: StepRecord,
    events: Vec<MotionEvent>,
}

impl EventDriven {
    /// The scheme with the solver `auto` for impacts and decisions.
    pub fn new(options: EventDrivenOptions) -> Result<Self, SolveError> {
        let limits =
            Limits { tolerance: RESIDUAL, max_iterations: MOST_ITERATIONS, ..Limits::default() };
        // An impact in a jam may have several solutions. Those that sweeps from zero find end the jams of
        // the woodpecker's sleeve; with joints eliminated others were found, and impacts went on for ever.
        let solver = Auto::new(AutoOptions { limits, keep_joints: true })?;
        Self::with_solver(options, Box::new(solver))
    }

    /// The scheme with another solver. Its tolerance bounds the accuracy of the impacts.
    pub fn with_solver(
        options: EventDrivenOptions,
        solver: Box<dyn Solver>,
    ) -> Result<Self, SolveError> {
        options.validate()?;
        Ok(Self {
            options,
            solver,
            engine: Engine::default(),
            record: StepRecord::default(),
            events: Vec::new(),
        })
    }

    /// Carries the state to time `t_end` and calls `tell` with every event on the way. On an error
    /// the state is that of the last event or step before it.
    pub fn run_until(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        t_end: f64,
        tell: &mut dyn FnMut(&MotionEvent),
    ) -> Result<StepReport, StepError> {
        self.carry_until(system, state, t_end, None, tell)
    }

    /// The same, and carries small changes of the state along. A run that shall begin anew needs an integrator that
    /// has made no step, for the mode of the last one is known.
    pub fn run_with_variation(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        t_end: f64,
        variation: &mut Variation,
        tell: &mut dyn FnMut(&MotionEvent),
    ) -> Result<StepReport, StepError> {
        self.engine.reached = None;
        self.carry_until(system, state, t_end, Some(variation), tell)
    }

    /// The same from where such a run ended: mode and lengths of the steps are known. The changes may have been
    /// replaced in between.
    pub fn go_on_with_variation(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        t_end: f64,
        variation: &mut Variation,
        tell: &mut dyn FnMut(&MotionEvent),
    ) -> Result<StepReport, StepError> {
        self.carry_until(system, state, t_end, Some(variation), tell)
    }

    fn carry_until(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        t_end: f64,
        variation: Option<&mut Variation>,
        tell: &mut dyn FnMut(&MotionEvent),
    ) -> Result<StepReport, StepError> {
        check_step(t_end - state.t)?;
        self.events.clear();
        let events = &mut self.events;
        let mut task = Task {
            system,
            options: self.options,
            t_end,
            solver: self.solver.as_mut(),
            record: &mut self.record,
            tell: &mut |event| {
                tell(&event);
                events.push(event);
            },
            variation,
        };
        self.engine.run(state, &mut task)?;
        // Without a gap there is no normal law in front of friction.
        let joint = |key: u64| self.engine.told.find(key).is_some_and(|contact| contact.permanent);
        let changes = self.events.iter().filter_map(|event| forces::change(event, joint));
        self.record.changes.extend(changes);
        self.record.locates_changes = true;
        let solve = self.engine.report.unwrap_or(SolveReport {
            status: Status::Solved,
            iterations: 0,
            residual: Residual::default(),
        });
        Ok(StepReport { solve, contacts: self.engine.mode.contacts.len() })
    }

    /// The events of the last run or step.
    pub fn events(&self) -> &[MotionEvent] {
        &self.events
    }
}

impl Integrator for EventDriven {
    fn name(&self) -> &'static str {
        "event-driven"
    }

    fn step(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        check_step(dt)?;
        let mut end = state.clone();
        let t_end = state.t + dt;
        let report = self.run_until(system, &mut end, t_end, &mut |_| {})?;
        *state = end;
        Ok(report)
    }

    fn record(&self) -> &StepRecord {
        &self.record
    }

    fn failed_problem(&self) -> Option<&InclusionProblem> {
        let failed = self.engine.report.is_some_and(|r| r.status != Status::Solved);
        failed.then_some(&self.engine.impacts.kernel.problem)
    }

    fn keep(&mut self, tape: &mut Tape) {
        self.engine.keep(tape);
        self.record.keep(tape);
    }

    fn exchange_solver(&mut self, solver: Box<dyn Solver>) -> Box<dyn Solver> {
        std::mem::replace(&mut self.solver, solver)
    }
}
