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
//! Changes are those of the computed motion. Where a contact closes within a step, time steppers know the time of the
//! impact to a step only: a changed motion hits in the same step, so that the delay of the impact is missing, by `rattle`
//! in part, however short the steps are. `event-driven` has it.

use super::event_driven::scale_of;
use super::{Integrator, StepError, StepRecord, StepReport, Tangent, check_finite};
use crate::memory::Tape;
use crate::problem::InclusionProblem;
use crate::solve::{Held, Recorder, SharedSolver, SolvedProblems, Solver, Status};
use crate::system::{ColumnList, MechanicalSystem, Observed, State};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Change of a state between two steps that are subtracted, relative to the scale of the system.
const REACH: f64 = 1e-5;
/// The same up to which a state and a parameter may be changed together.
const MOST_REACH: f64 = 3e-5;
/// Steps after which a run may go back: a step that is not solved is cut into as many pieces.
const MOST_TRIED: usize = 40;
/// How often a change is made smaller, ten times each, if with it other contacts take part.
const SMALLER: usize = 3;

/// Systems at two values of a parameter, p + h and p − h.
#[derive(Clone)]
pub struct Pair {
    /// h, in the unit of the parameter.
    pub step: f64,
    /// The systems at p + h and at p − h.
    pub systems: [Arc<dyn Observed>; 2],
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

    fn tangents(&self) -> Vec<Tangent> {
        self.now().list.iter().map(|change| change.tangent.clone()).collect()
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
}

/// Copies of the integrator that go along on both sides of the motion: what a step takes over from those before it, such
/// as expected velocities, is changed too.
#[derive(Clone)]
struct Shadow {
    plan: Plan,
    sides: [Box<dyn Integrator>; 2],
    /// Those with another value of the parameter, where it is changed apart from the state.
    of_parameter: Option<[Box<dyn Integrator>; 2]>,
}

/// How a derivative is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plan {
    /// It is zero.
    Nothing,
    /// By a change of the state alone.
    State(f64),
    /// By one of state and parameter together, with this pair.
    Together(usize),
    /// By both, one after the other.
    Apart(f64),
}

impl Plan {
    fn of(change: &Carried, [length, speed]: [f64; 2]) -> Self {
        let Carried { tangent, pairs } = change;
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let size = (largest(&tangent.q) / length).max(largest(&tangent.u) / speed);
        // Powers of ten, so that it seldom changes.
        let by_state = 10.0_f64.powf((REACH / size).log10().floor());
        if tangent.parameter == 0.0 || pairs.is_empty() {
            return if size == 0.0 { Plan::Nothing } else { Plan::State(by_state) };
        }
        match pairs.iter().position(|pair| pair.step * size <= MOST_REACH) {
            Some(pair) => Plan::Together(pair),
            None => Plan::Apart(by_state),
        }
    }
}

impl Carrying {
    /// Lets a time stepper (`moreau`, `moreau-rk4`, `rattle`) carry changes along.
    pub fn new(mut inner: Box<dyn Integrator>, changes: SharedChanges) -> Self {
        let problems = SolvedProblems::default();
        let nothing = Box::new(crate::solve::Newton::default());
        let solver: SharedSolver = Arc::new(Mutex::new(inner.exchange_solver(nothing)));
        inner.exchange_solver(Box::new(Recorder { solver: solver.clone(), log: problems.clone() }));
        Self { inner, solver, problems, changes, shadows: Vec::new(), past: VecDeque::new() }
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

    /// The changes at a state: those of now, or those of a step before if the run went back to its begin.
    fn find_place(&mut self, at: &State) {
        if let Some(place) = self.past.iter().rposition(|(state, _)| state == at) {
            self.past.truncate(place + 1);
            if let Some((_, tangents)) = self.past.pop_back() {
                self.changes.put_back(&tangents);
            }
            self.shadows.clear();
        }
        if self.past.len() == MOST_TRIED {
            self.past.pop_front();
        }
        self.past.push_back((at.clone(), self.changes.tangents()));
    }

    /// Shadows that fit the plans of all changes.
    fn prepare(&mut self, system: &dyn MechanicalSystem, at: &State) {
        let mut changes = self.changes.now();
        let scale = *changes.scale.get_or_insert_with(|| scale_of(system, at));
        let plans: Vec<Plan> = changes.list.iter().map(|change| Plan::of(change, scale)).collect();
        drop(changes);
        self.shadows.resize(plans.len(), None);
        for (place, plan) in plans.into_iter().enumerate() {
            if self.shadows[place].as_ref().is_none_or(|shadow| shadow.plan != plan) {
                let sides = [self.probe(), self.probe()];
                let apart = matches!(plan, Plan::Apart(_));
                let of_parameter = apart.then(|| [self.probe(), self.probe()]);
                self.shadows[place] = Some(Shadow { plan, sides, of_parameter });
            }
            if let Some(Shadow { sides, of_parameter, .. }) = &mut self.shadows[place] {
                sides.iter_mut().chain(of_parameter.iter_mut().flatten()).for_each(|s| s.save());
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
        let before = state.clone();
        self.find_place(state);
        self.prepare(system, state);
        self.problems.clear();
        let report = self.inner.step(system, state, dt)?;
        if report.solve.status != Status::Solved {
            self.shadows.clear();
            return Ok(report);
        }
        let keys = keys(self.inner.record());
        let mut step = ChangedStep { system, before, dt, problems: &self.problems, keys };
        let mut changes = self.changes.now();
        if let Err(error) = step.carry(&mut changes, &mut self.shadows) {
            *state = step.before;
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

/// Contacts and joints that took part in a step.
fn keys(record: &StepRecord) -> Vec<u64> {
    let mut keys: Vec<u64> = record.percussions.entries.iter().map(|entry| entry.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// A step that is repeated from changed states.
struct ChangedStep<'a> {
    system: &'a dyn MechanicalSystem,
    before: State,
    dt: f64,
    problems: &'a SolvedProblems,
    keys: Vec<u64>,
}

/// The end of a step from a changed state, and whether the same contacts took part.
struct End {
    x: Vec<f64>,
    is_same: bool,
}

/// Ways to take a difference: the step, and the systems on both sides if a parameter changes.
type Ways<'a> = Vec<(f64, Option<&'a Pair>)>;

impl ChangedStep<'_> {
    fn carry(
        &mut self,
        changes: &mut Changes,
        shadows: &mut [Option<Shadow>],
    ) -> Result<(), StepError> {
        let n = self.before.q.len();
        for (change, place) in changes.list.iter_mut().zip(shadows) {
            let Some(shadow) = place else { continue };
            let (derivative, by_first) = self.derivative(change, shadow)?;
            check_finite(self.before.t, "derivative", &derivative)?;
            let (q, u) = derivative.split_at(n);
            change.tangent.q.copy_from_slice(q);
            change.tangent.u.copy_from_slice(u);
            match by_first {
                Found::First => {}
                // The shadows went along with another change than that of the plan.
                Found::Other => *place = None,
                Found::OneSided => {
                    changes.blind += 1;
                    *place = None;
                }
            }
        }
        Ok(())
    }

    /// The change at the end of the step.
    fn derivative(
        &mut self,
        change: &Carried,
        shadow: &mut Shadow,
    ) -> Result<(Vec<f64>, Found), StepError> {
        let Carried { tangent, pairs } = change;
        let Shadow { plan, sides, of_parameter } = shadow;
        let alone = |first: f64| -> Ways {
            (0..=SMALLER).map(|k| (first * 0.1_f64.powi(k as i32), None)).collect()
        };
        let with = |pairs: &'_ [Pair]| -> Vec<f64> { pairs.iter().map(|pair| pair.step).collect() };
        match *plan {
            Plan::Nothing => Ok((vec![0.0; tangent.q.len() + tangent.u.len()], Found::First)),
            Plan::State(step) => self.difference(tangent, &alone(step), sides),
            Plan::Together(first) => {
                let own = &pairs[first..];
                let ways: Ways = with(own).into_iter().zip(own.iter().map(Some)).collect();
                self.difference(tangent, &ways, sides)
            }
            Plan::Apart(step) => {
                let (mut of_state, first) = self.difference(tangent, &alone(step), sides)?;
                let still = Tangent {
                    q: vec![0.0; tangent.q.len()],
                    u: vec![0.0; tangent.u.len()],
                    parameter: 1.0,
                };
                let ways: Ways = with(pairs).into_iter().zip(pairs.iter().map(Some)).collect();
                let own = of_parameter.as_mut().unwrap_or(sides);
                let (by_parameter, second) = self.difference(&still, &ways, own)?;
                of_state.iter_mut().zip(&by_parameter).for_each(|(a, b)| *a += b);
                Ok((of_state, first.max(second)))
            }
        }
    }

    /// The difference quotient along a direction, by the first of the ways in which the same contacts take part.
    fn difference(
        &mut self,
        along: &Tangent,
        ways: &Ways,
        sides: &mut [Box<dyn Integrator>; 2],
    ) -> Result<(Vec<f64>, Found), StepError> {
        let mut ends = None;
        for (number, (step, pair)) in ways.iter().enumerate() {
            let own = self.system;
            let systems: [&dyn MechanicalSystem; 2] = match pair {
                Some(pair) => [pair.systems[0].as_ref(), pair.systems[1].as_ref()],
                None => [own, own],
            };
            let [above, below] = sides;
            let up = self.end(systems[0], along, *step, above);
            let down = self.end(systems[1], along, -step, below);
            if let (Ok(up), Ok(down)) = (&up, &down)
                && up.is_same
                && down.is_same
            {
                let found = if number == 0 { Found::First } else { Found::Other };
                return Ok((quotient(&up.x, &down.x, 2.0 * step), found));
            }
            ends = Some((up, down, *step));
        }
        let Some((up, down, step)) = ends else { return Ok((Vec::new(), Found::OneSided)) };
        let same = |end: &Result<End, StepError>| end.as_ref().is_ok_and(|end| end.is_same);
        // On one side alone, from the middle.
        if same(&up) || same(&down) {
            let middle = self.end(self.system, along, 0.0, &mut sides[0])?;
            let quotient = match (up, down) {
                (Ok(up), _) if up.is_same => quotient(&up.x, &middle.x, step),
                (_, Ok(down)) => quotient(&middle.x, &down.x, step),
                (_, Err(error)) => return Err(error),
            };
            return Ok((quotient, Found::OneSided));
        }
        Ok((quotient(&up?.x, &down?.x, 2.0 * step), Found::OneSided))
    }

    /// The end of the step from a state that is changed by a multiple of a direction.
    fn end(
        &mut self,
        system: &dyn MechanicalSystem,
        along: &Tangent,
        by: f64,
        shadow: &mut Box<dyn Integrator>,
    ) -> Result<End, StepError> {
        let mut state = self.before.clone();
        state.q.iter_mut().zip(&along.q).for_each(|(x, d)| *x += by * d);
        state.u.iter_mut().zip(&along.u).for_each(|(x, d)| *x += by * d);
        system.normalize(&mut state.q);
        shadow.restore();
        self.problems.take_missed();
        let report = shadow.step(system, &mut state, self.dt)?;
        let is_same = !self.problems.take_missed()
            && report.solve.status == Status::Solved
            && keys(shadow.record()) == self.keys;
        state.q.extend_from_slice(&state.u);
        Ok(End { x: state.q, is_same })
    }
}

/// How a difference was found, from the best on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// As it was planned.
    First,
    /// With a smaller change.
    Other,
    /// On one side, or not at all: however small, a change lets other contacts take part.
    OneSided,
}

fn quotient(up: &[f64], down: &[f64], step: f64) -> Vec<f64> {
    up.iter().zip(down).map(|(up, down)| (up - down) / step).collect()
}
