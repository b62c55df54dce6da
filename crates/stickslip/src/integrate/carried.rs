//! Time steppers that carry small changes of the motion along: the derivative of what they compute.
//!
//! A step x_E = Φ(x_A, p) solves its contact problems for percussions; these follow a change of the problem by the
//! implicit function theorem, with what presses, sticks and slips held ([`crate::solve`]: one factorisation for each
//! problem of a step, shared by all changes). All else in a step is smooth, and its derivative along a change is a central
//! difference of steps whose problems are answered so (internal differentiation, Bock 1981):
//!
//! ```text
//! δ_E = (Φ(x_A + h δ_A, p + h δp) − Φ(x_A − h δ_A, p − h δp)) / 2h
//! ```
//!
//! Most steps need one side of it alone, with the step of the run as the other value: what that leaves out is known from
//! looks at both sides, and the side changes so that the rest cancels (`bend.rs`). So a change costs one step beside that of
//! the run. It holds where the step from the changed state poses the same problems in the same order as that of the run; both
//! sides are taken where it does not, at impacts, and where the steps change.
//!
//! Changes are those of the computed motion. Where a contact closes within a step, time steppers know the time of the
//! impact to a step only: a changed motion hits in the same step, so that the delay of the impact is missing, by `rattle`
//! in part, however short the steps are. `event-driven` has it.

use super::changed_step::{ChangedStep, Room, Shadow};
use super::event_driven::scale_of;
use super::likeness::Likeness;
use super::{Integrator, StepError, StepRecord, StepReport, Tangent};
use crate::memory::Tape;
use crate::problem::InclusionProblem;
use crate::solve::{Held, Recorder, SharedSolver, SolvedProblems, Solver, Status};
use crate::system::{ColumnList, MechanicalSystem, Observed, State};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Steps after which a run may go back: a step that is not solved is cut into as many pieces.
const MOST_TRIED: usize = 40;

/// Systems at two values of a parameter, p + h and p − h.
pub trait Around: Send + Sync {
    /// The systems at p + h and at p − h; none if there are none.
    fn systems(&self) -> Option<[&Arc<dyn Observed>; 2]>;
}

/// Values of a parameter on both sides of its own.
#[derive(Clone)]
pub struct Pair {
    /// h, in the unit of the parameter.
    pub step: f64,
    /// The systems there, which may be made when they are asked for.
    pub around: Arc<dyn Around>,
}

/// A small change that a run carries along.
#[derive(Clone)]
pub struct Carried {
    /// The change of the state; its `parameter` is 1 if a parameter changes and 0 if only the start does.
    pub tangent: Tangent,
    /// Systems with other values of the parameter, with falling steps; may be empty if only the start changes.
    pub pairs: Vec<Pair>,
}

/// All small changes of a run, and how they were found.
#[derive(Clone, Default)]
pub struct Changes {
    /// The changes.
    pub list: Vec<Carried>,
    /// Steps in which a change would let other contacts take part, however small: their derivative is one-sided, or
    /// that of what happens on both sides.
    pub blind: usize,
    scale: Option<[f64; 2]>,
}

/// Changes that a run carries and that are read from outside.
#[derive(Clone, Default)]
pub struct SharedChanges(Arc<Mutex<Changes>>);

impl SharedChanges {
    /// Changes at the start of a run.
    pub fn new(list: Vec<Carried>) -> Self {
        Self(Arc::new(Mutex::new(Changes { list, ..Changes::default() })))
    }

    /// The changes now.
    pub fn now(&self) -> MutexGuard<'_, Changes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes all changes, into the memory that is there.
    fn copy_to(&self, tangents: &mut Vec<Tangent>) {
        let list = &self.now().list;
        tangents.resize_with(list.len(), Tangent::default);
        for (own, change) in tangents.iter_mut().zip(list) {
            own.q.clone_from(&change.tangent.q);
            own.u.clone_from(&change.tangent.u);
            own.parameter = change.tangent.parameter;
        }
    }

    fn put_back(&self, tangents: &[Tangent]) {
        for (change, tangent) in self.now().list.iter_mut().zip(tangents) {
            change.tangent.clone_from(tangent);
        }
    }
}

/// A time stepper with small changes.
#[derive(Clone)]
pub struct Carrying {
    inner: Box<dyn Integrator>,
    solver: SharedSolver,
    problems: SolvedProblems,
    changes: SharedChanges,
    shadows: Vec<Option<Shadow>>,
    /// Where the last steps began, and the changes there: a run may go back and try again.
    past: VecDeque<(State, Vec<Tangent>)>,
    likeness: Likeness,
    room: Room,
}

impl Carrying {
    /// Lets a time stepper (`moreau`, `moreau-rk4`, `rattle`) carry changes along.
    pub fn new(mut inner: Box<dyn Integrator>, changes: SharedChanges) -> Self {
        let problems = SolvedProblems::default();
        let nothing = Box::new(crate::solve::Newton::default());
        let solver: SharedSolver = Arc::new(Mutex::new(inner.exchange_solver(nothing)));
        inner.exchange_solver(Box::new(Recorder { solver: solver.clone(), log: problems.clone() }));
        Self {
            inner,
            solver,
            problems,
            changes,
            shadows: Vec::new(),
            past: VecDeque::new(),
            likeness: Likeness::default(),
            room: Room::default(),
        }
    }

    /// A copy that answers problems by those of the step that comes.
    fn probe(&mut self) -> Box<dyn Integrator> {
        let held = Held { solver: self.solver.clone(), log: self.problems.clone() };
        let own = self.inner.exchange_solver(Box::new(held));
        let mut probe = self.inner.boxed_copy();
        self.inner.exchange_solver(own);
        probe.become_shadow();
        probe
    }

    /// The changes at a state: those of now, or those of a step before if the run went back to its start.
    fn find_place(&mut self, at: &State) {
        // Time goes on unless the run has gone back.
        let is_back = self.past.back().is_some_and(|(last, _)| at.t <= last.t);
        let place = if is_back { self.past.iter().rposition(|(s, _)| s == at) } else { None };
        if let Some(place) = place {
            self.past.truncate(place + 1);
            if let Some((_, tangents)) = self.past.pop_back() {
                self.changes.put_back(&tangents);
            }
            self.shadows.clear();
        }
        let is_full = self.past.len() == MOST_TRIED;
        let oldest = if is_full { self.past.pop_front() } else { None };
        let (mut state, mut tangents) = oldest.unwrap_or_default();
        state.clone_from(at);
        self.changes.copy_to(&mut tangents);
        self.past.push_back((state, tangents));
    }

    /// A shadow for each change, from before the step.
    fn prepare(&mut self, system: &dyn MechanicalSystem, at: &State) {
        let mut changes = self.changes.now();
        changes.scale.get_or_insert_with(|| scale_of(system, at));
        self.shadows.resize(changes.list.len(), None);
        drop(changes);
        for place in 0..self.shadows.len() {
            if self.shadows[place].is_none() {
                self.shadows[place] = Some(Shadow::new(self.probe()));
            }
        }
    }
}

impl Integrator for Carrying {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn step(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.find_place(state);
        self.prepare(system, state);
        self.problems.clear();
        let report = self.inner.step(system, state, dt)?;
        if report.solve.status != Status::Solved {
            self.shadows.clear();
            return Ok(report);
        }
        let Self { inner, problems, changes, shadows, past, likeness, room, .. } = self;
        let run = inner.as_ref();
        let kind = likeness.compare(run, dt);
        let mut changes = changes.now();
        let scale = changes.scale.unwrap_or([1.0; 2]);
        let Some((before, _)) = past.back() else { return Ok(report) };
        let ends = [before, &*state];
        let smooth = likeness.goes_on(kind, ends, scale);
        for (change, shadow) in changes.list.iter_mut().zip(shadows.iter_mut()) {
            if let Some(shadow) = shadow {
                shadow.pass(smooth, &mut change.tangent);
            }
        }
        if shadows.iter().flatten().all(|shadow| shadow.passes) {
            return Ok(report);
        }
        let kinds = [kind, smooth];
        let mut step = ChangedStep::new(system, ends, dt, problems, run, scale, kinds, room);
        if let Err(error) = step.carry(&mut changes, shadows) {
            state.clone_from(before);
            return Err(error);
        }
        Ok(report)
    }

    fn record(&self) -> &StepRecord {
        self.inner.record()
    }

    fn failed_problem(&self) -> Option<&InclusionProblem> {
        self.inner.failed_problem()
    }

    fn order(&self) -> u32 {
        self.inner.order()
    }

    fn save(&mut self) {
        self.inner.save();
    }

    fn restore(&mut self) {
        self.inner.restore();
    }

    fn keep(&mut self, tape: &mut Tape) {
        self.inner.keep(tape);
    }

    fn exchange_solver(&mut self, solver: Box<dyn Solver>) -> Box<dyn Solver> {
        let mut own = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut own, solver)
    }

    fn columns(&self) -> ColumnList {
        self.inner.columns()
    }

    fn observe(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        before: &mut Vec<f64>,
        behind: &mut Vec<f64>,
    ) {
        self.inner.observe(system, at, before, behind);
    }
}
