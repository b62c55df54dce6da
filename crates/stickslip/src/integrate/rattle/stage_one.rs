//! Stage 1: to the velocity half-way and the configuration at the end.
//!
//! ```text
//! M (u_½ − u_A) = ½Δt h(t_A, q_A, u_½) + W(q_A) Λ₁,      q_E = q_A moved with u_½ for Δt
//! 0 ≤ g(q_E) ⟂ Λ_N1 ≥ 0,      joints closed at q_E,      −γ(q_M, u_½) ∈ N_{C}(Λ_F1)
//! ```
//!
//! The gaps are not linear in u_½, so this is Newton's method with an inclusion problem in each
//! turn: ξ_k = g_k/Δt for what is kept at the level of positions, and the relative velocity else.
//! The matrix is kept over the turns; the right-hand side is always the true one.

use super::super::mass::MassInverse;
use super::super::rows::{ContactRows, product};
use super::super::sliding::Sliding;
use super::super::warm_start::WarmStart;
use super::super::{StepError, check_finite};
use super::active::{ActiveSet, Level};
use super::dynamics::{Dynamics, solve};
use super::expected::Expected;
use super::islands::Islands;
use super::redundant::Redundant;
use super::rest::{Motion, Rest};
use super::settled::check_gaps;
use crate::problem::{InclusionProblem, Residual, largest};
use crate::solve::{Limits, SolveReport, Solver, Status};
use crate::system::{ContactSet, MechanicalSystem, State};

/// Turns of a step near another one up to which nobody asks what they change: the first that may be slow is the third.
const UNWATCHED_TURNS: usize = 3;
/// Turns after which the step counts as not solved.
const MOST_TURNS: usize = 40;
/// Relative change of the velocities of bodies without contacts at which they are known: their energy
/// and angular momentum are then kept to rounding.
const FREE_TOLERANCE: f64 = 1e-14;
/// Turns after which this is not asked for.
const MOST_FREE_TURNS: usize = 8;
/// Turns whose problem is not solved, after which the step is not either.
const MOST_FAILURES: usize = 3;
/// Relative change of the velocities in one turn that is no iteration any more.
const DIVERGED: f64 = 1e6;
/// Change over that of the turn before above which the matrix is made anew.
const MATRIX_RATE: f64 = 0.2;
/// The same above which the solver may be what does not converge, so that its result is made exact.
const STUCK: f64 = 0.7;
/// Turns after which the gaps are followed along the rows of the start.
const FREEZE_AFTER: usize = 15;
/// Relative change of the velocities below which a change that no longer falls is rounding.
const ROUNDING: f64 = 1e-6;

/// Rounding of gaps, over the largest coordinate.
const GAP_ROUNDING: f64 = 32.0 * f64::EPSILON;
/// Gap over the largest coordinate that counts as closed where the system does not say what does.
const CLOSED: f64 = 1e-9;

/// What stage 1 leaves behind.
#[derive(Clone, Debug, Default)]
pub(super) struct StageOne {
    /// Mass and forces at the start of the step.
    pub(super) dynamics: Dynamics,
    /// M − ½Δt ∂h/∂u, factored.
    pub(super) newton: MassInverse,
    jacobian: Vec<f64>,
    /// The start with the velocities u_½.
    pub(super) middle: State,
    /// The end of the step, with the velocities u_½.
    pub(super) end: State,
    pub(super) half_way: State,
    pub(super) on_the_way: State,
    pub(super) passing: ContactSet,
    pub(super) rows: ContactRows,
    pub(super) problem: InclusionProblem,
    pub(super) lambda: Vec<f64>,
    pub(super) free: Vec<f64>,
    pub(super) shift: Vec<f64>,
    pub(super) momentum: Vec<f64>,
    /// G Λ of the percussions so far.
    known: Vec<f64>,
    /// Joints that depend on each other.
    pub(super) redundant: Redundant,
    /// Blocks with contacts.
    pub(super) touched: Vec<bool>,
    /// Islands that contacts have joined after the first turn.
    pub(super) late: Vec<bool>,
    rest: Rest,
    pub(super) sliding: Sliding,
    /// Change of the last turn over that of the turn before; none after one turn.
    pub(super) rate: Option<f64>,
    /// u_½ and Λ₁ that this step begins with in place of what was expected, and how many turns it takes; empty if
    /// nothing was told.
    pub(super) guess: Vec<f64>,
    pub(super) wanted_turns: usize,
    /// u_½ and Λ₁ that the iteration began with, from how many steps these velocities were carried on, and its turns.
    pub(super) begun: [Vec<f64>; 2],
    pub(super) depth: usize,
    pub(super) turns: usize,
}

impl StageOne {
    /// Solves the stage from the state `at`. `expected` is the change of velocity so far. Contacts at the end of the step are left in `contacts`.
    pub(super) fn run(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        expected: &Expected,
        active: &mut ActiveSet,
        islands: &mut Islands,
        contacts: &mut ContactSet,
        warm: &WarmStart,
        solver: &mut dyn Solver,
    ) -> Result<SolveReport, StepError> {
        let wanted = solver.limits();
        let outcome = self
            .take_turns(system, at, dt, expected, active, islands, contacts, warm, solver, wanted);
        solver.set_limits(wanted);
        self.guess.clear();
        outcome
    }

    fn take_turns(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        expected: &Expected,
        active: &mut ActiveSet,
        islands: &mut Islands,
        contacts: &mut ContactSet,
        warm: &WarmStart,
        solver: &mut dyn Solver,
        wanted: Limits,
    ) -> Result<SolveReport, StepError> {
        self.problem.clear();
        self.sliding.clear();
        self.lambda.clear();
        self.middle.clone_from(at);
        self.end.clone_from(at);
        self.end.t = at.t + dt;
        self.half_way.clone_from(at);
        match self.guess.get(..at.u.len()) {
            Some(known) => self.middle.u.copy_from_slice(known),
            None => expected.add(at.t, dt, &mut self.middle.u),
        }
        let told = !self.guess.is_empty();
        self.depth = expected.depth();
        self.begun[0].clone_from(&self.middle.u);
        self.begun[1].clear();
        let rounding = CLOSED * largest(&at.q);
        contacts.margin = rounding;
        contacts.clear();
        system.contacts(at, contacts);
        check_gaps(at.t, contacts)?;
        active.begin(contacts, rounding);
        for contact in active.list.iter_mut().filter(|contact| contact.level == Level::Gap) {
            if !warm.let_go(contact.key, contact.rows.dim) {
                contact.pull = system.law_groups()[contact.group].adhesion();
            }
        }
        self.late.clear();
        self.late.resize(system.blocks().len(), false);
        let mut report =
            SolveReport { status: Status::Solved, iterations: 0, residual: Residual::default() };
        let mut iterations = 0;
        let (mut last, mut last_free) = (1.0, 1.0);
        self.rate = None;
        let mut failures = 0;
        let mut refined = false;
        let mut slow = false;
        let mut stuck = false;
        for turn in 0..MOST_TURNS {
            let evaluated = self.evaluate(system, active);
            if turn == 0 && evaluated.is_err() {
                // What was expected is out of range: from the velocities of the start.
                self.middle.u.copy_from_slice(&at.u);
                self.evaluate(system, active)?;
            } else if evaluated.is_err() {
                report.status = Status::Diverged;
                break;
            }
            if turn == 0 {
                self.factor(system, dt);
            }
            self.free_velocity(system, at, dt);
            let moved = self.move_to_end(system, at, dt).and_then(|()| {
                contacts.margin = self.margin(active, dt);
                contacts.clear();
                system.contacts(&self.end, contacts);
                check_gaps(self.end.t, contacts)
            });
            if turn == 0 {
                moved?;
            } else if moved.is_err() {
                report.status = Status::Diverged;
                break;
            }
            let known = active.list.len();
            let met = turn == 0 && self.look_on_the_way(system, at, dt, active);
            let added =
                met | active.update(system, contacts, &self.dynamics.inverse, &self.middle.u, dt);
            if turn == 0 || added || refined || slow {
                islands.find(system.blocks().len(), active);
                self.let_rebound(system, at, dt, known, turn, active, islands);
                self.lift_slowly(dt, active);
                self.pose(system, at, dt, active, islands, warm, slow);
            }
            if active.list.is_empty() {
                report.residual = Residual::default();
            } else {
                let begun = &mut self.begun[1];
                begun.extend_from_slice(&self.lambda[begun.len().min(self.lambda.len())..]);
                self.fill_velocities(system, dt, active, refined.then_some(&*islands));
                if self.problem.c().iter().any(|c| !c.is_finite()) {
                    report.status = Status::Diverged;
                    break;
                }
                let tolerance = wanted.tolerance.max(self.rounding(dt));
                solver.set_limits(Limits { tolerance, ..wanted });
                let (problem, lambda) = (&mut self.problem, &mut self.lambda);
                report = self.sliding.solve(system, at.t + 0.5 * dt, problem, lambda, solver)?;
                iterations += report.iterations;
                report.iterations = iterations;
                if refined || stuck {
                    self.rest.refine(&self.problem, &mut self.lambda);
                }
                self.rows.apply(&self.newton, &self.problem, &self.lambda, &mut self.free);
            }
            if self.free.iter().any(|u| !u.is_finite()) {
                report.status = Status::Diverged;
                break;
            }
            let (change, free_change) = if told && self.wanted_turns <= UNWATCHED_TURNS {
                self.middle.u.copy_from_slice(&self.free);
                (0.0, 0.0)
            } else {
                self.accept(system, at, dt, active)
            };
            if turn > 0 && last > 0.0 {
                self.rate = Some(change / last);
            }
            let rate = self.rate.unwrap_or(expected.rate()).min(1.0);
            let free_rate = if turn > 0 { (free_change / last_free).min(1.0) } else { 1.0 };
            last_free = free_change;
            // Not falling any more at this size is rounding.
            let settled = (rate * change <= wanted.tolerance
                || (turn >= 3 && change <= ROUNDING && change >= 0.3 * last))
                && (free_rate * free_change <= FREE_TOLERANCE || turn >= MOST_FREE_TURNS);
            // Near another step as many turns as that one took.
            let settled = if told { turn + 1 >= self.wanted_turns } else { settled };
            if settled && report.status == Status::Solved {
                self.turns = turn + 1;
                if self.settle(at, dt, active, islands) == Motion::Undecided && !refined {
                    refined = true;
                    let rest = &self.rest;
                    active.stay(|contact| rest.nearly(islands, contact.rows.blocks[0]));
                    continue;
                }
                self.move_to_end(system, at, dt)?;
                return Ok(report);
            }
            failures += usize::from(report.status != Status::Solved);
            slow = turn >= 2 && change > MATRIX_RATE * last;
            stuck = turn >= 4 && change > STUCK * last;
            last = change;
            // The first change is what was expected wrongly, of what stands still as large as you like.
            if failures == MOST_FAILURES || (turn > 0 && change > DIVERGED) {
                break;
            }
            if turn + 1 == FREEZE_AFTER {
                active.freeze();
            }
        }
        if report.status == Status::Solved {
            report.status = Status::Stalled;
        }
        if last > DIVERGED || report.status == Status::Diverged {
            // Nothing that was found is better than to go on as before.
            self.middle.u.copy_from_slice(&at.u);
            self.lambda.fill(0.0);
            self.evaluate(system, active)?;
        }
        report.residual.value = report.residual.value.max(last.min(1.0));
        self.move_to_end(system, at, dt)?;
        Ok(report)
    }

    /// Mass and forces with the velocities so far. Adhesion is a force along the rows of the start.
    fn evaluate(
        &mut self,
        system: &dyn MechanicalSystem,
        active: &ActiveSet,
    ) -> Result<(), StepError> {
        self.dynamics.evaluate(system, &self.middle)?;
        self.dynamics.pull(active.list.iter(), &active.start);
        Ok(())
    }

    /// Stops what rests.
    fn settle(&mut self, at: &State, dt: f64, active: &ActiveSet, islands: &Islands) -> Motion {
        self.dynamics.kick(0.5 * dt, &mut self.shift);
        let Self { rest, newton, rows, lambda, shift, problem, .. } = self;
        rest.begin(active, islands, problem, &at.u, shift);
        rest.add(newton, rows, lambda);
        let speed = GAP_ROUNDING * largest(&self.end.q) / dt;
        rest.settle(&self.dynamics, islands, speed, &mut self.middle.u)
    }

    /// Factors M − ½Δt ∂h/∂u, or M where the system does not know the derivative.
    fn factor(&mut self, system: &dyn MechanicalSystem, dt: f64) {
        self.newton.shape(system.blocks());
        self.jacobian.clear();
        self.jacobian.resize(self.dynamics.mass.len(), 0.0);
        if system.force_jacobian(&self.middle, &mut self.jacobian) {
            for (j, m) in self.jacobian.iter_mut().zip(&self.dynamics.mass) {
                *j = m - 0.5 * dt * *j;
            }
            if self.newton.factor(&self.jacobian).is_ok() {
                return;
            }
        }
        // M itself was factored before.
        let _ = self.newton.factor(&self.dynamics.mass);
    }

    /// The next u_½ without percussions: one Newton step for the momentum.
    fn free_velocity(&mut self, system: &dyn MechanicalSystem, at: &State, dt: f64) {
        self.shift.clear();
        self.shift.extend(at.u.iter().zip(&self.middle.u).map(|(a, h)| a - h));
        self.dynamics.momentum(system, &self.shift, &mut self.momentum);
        for (p, h) in self.momentum.iter_mut().zip(&self.dynamics.forces) {
            *p += 0.5 * dt * h;
        }
        self.shift.copy_from_slice(&self.momentum);
        solve(&self.newton, &mut self.shift);
        self.free.clear();
        self.free.extend(self.middle.u.iter().zip(&self.shift).map(|(u, d)| u + d));
    }

    fn move_to_end(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
    ) -> Result<(), StepError> {
        self.half_way.q.copy_from_slice(&at.q);
        system.advance(at, &self.middle.u, dt, &mut self.half_way, &mut self.end.q);
        system.normalize(&mut self.end.q);
        self.end.u.copy_from_slice(&self.middle.u);
        check_finite(self.end.t, "q", &self.end.q)
    }

    /// Laws and matrix of the problem; percussions that are known stay.
    fn pose(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        active: &mut ActiveSet,
        islands: &Islands,
        warm: &WarmStart,
        slow: bool,
    ) {
        let half = 0.5 * dt;
        let groups = system.law_groups();
        let known = self.lambda.len();
        self.problem.clear();
        self.rows.clear();
        self.sliding.clear();
        for contact in &active.list {
            let laws = &groups[contact.group].laws;
            self.problem.push_contact(
                laws.iter().map(|named| (named.law.set.clone(), named.law.reservoir(half))),
            );
            let mut k = 0;
            for (position, named) in laws.iter().enumerate() {
                if named.law.curve.is_some() {
                    let inverse = &self.dynamics.inverse;
                    let gamma = |c: usize| active.gamma_a(inverse, contact, c, &at.u);
                    let speed =
                        (k..k + named.law.dim().min(2)).map(|c| gamma(c).powi(2)).sum::<f64>();
                    let law = (contact.group, position);
                    self.sliding.push(&self.problem, position, law, contact.key, speed.sqrt());
                }
                k += named.law.dim();
            }
            if contact.offset >= known {
                let first = at.u.len() + contact.offset;
                let guess = self.guess.get(first..first + contact.rows.dim);
                match (guess, warm.get(contact.key, contact.rows.dim)) {
                    (Some(guess), _) => self.lambda.extend_from_slice(guess),
                    (_, Some(last)) => self.lambda.extend(last.iter().map(|v| v * half)),
                    _ => self.lambda.resize(contact.offset + contact.rows.dim, 0.0),
                }
            }
            self.rows.push(
                &self.newton,
                contact.rows.blocks,
                contact.rows.width,
                &active.start[contact.rows.range()],
            );
        }
        active.find_jumps(&self.rows.response);
        // Joints may depend on each other: with the rows of the start, where they are closed, on both
        // sides the matrix knows that, and their percussions stay bounded.
        self.rows.fill(&self.newton, &mut self.problem, |index| {
            let contact = &active.list[index];
            let of_start = contact.level == Level::Position && !slow;
            &(if of_start { &active.start } else { &active.mean })[contact.rows.range()]
        });
        self.redundant.find(&self.problem, active, islands, system.blocks(), false);
        for (index, contact) in active.list.iter().enumerate() {
            let dim = contact.rows.dim;
            let mut k = 0;
            for named in &groups[contact.group].laws {
                for _ in 0..named.law.dim() {
                    let own = self.redundant.compliance[contact.offset + k];
                    let compliance = named.law.compliance(half) + own;
                    if compliance != 0.0 {
                        self.problem.delassus_mut().diagonal_mut(index)[k * dim + k] += compliance;
                    }
                    k += 1;
                }
            }
        }
    }

    /// c = ξ(u) + W d − G Λ: gaps, position errors and relative velocities of the last u_½, and what
    /// the Newton step d for the momentum changes in them at the percussions Λ so far. The matrix need
    /// not be that of these rows: at the end of the iteration it does not count.
    /// Where islands are given, gaps of those that hardly move follow the rows of the start, without rounding.
    fn fill_velocities(
        &mut self,
        system: &dyn MechanicalSystem,
        dt: f64,
        active: &ActiveSet,
        refined: Option<&Islands>,
    ) {
        let Self { problem, rows, newton, lambda, shift, known, redundant, rest, .. } = self;
        rows.apply(newton, problem, lambda, shift);
        known.resize(problem.dim(), 0.0);
        problem.delassus().multiply(lambda, known);
        let inverse = &self.dynamics.inverse;
        let u = &self.middle.u;
        // What is rounding of coordinates must not move what rests.
        let rounding = GAP_ROUNDING * largest(&self.end.q);
        let known_gap = |gap: f64| if gap.abs() <= rounding { 0.0 } else { gap };
        problem.c_mut().clear();
        for contact in &active.list {
            let along_rows = contact.gap_e.is_nan()
                || refined.is_some_and(|islands| rest.nearly(islands, contact.rows.blocks[0]));
            let mut k = 0;
            for named in &system.law_groups()[contact.group].laws {
                for _ in 0..named.law.dim() {
                    let component = contact.offset + k;
                    let compliance =
                        named.law.compliance(0.5 * dt) + redundant.compliance[component];
                    let value = match contact.level {
                        Level::Gap if k == 0 && along_rows => {
                            // Also where it is no longer listed at the end.
                            known_gap(contact.gap_a - contact.rebound + contact.sunk) / dt
                                + active.gamma_a(inverse, contact, 0, u)
                        }
                        Level::Gap if k == 0 => {
                            known_gap(contact.gap_e - contact.rebound + contact.sunk) / dt
                        }
                        Level::Position => active.errors[component] / dt,
                        _ => active.gamma_m(inverse, contact, k, u),
                    };
                    let row = &active.mean[contact.rows.row(k)];
                    let moved = product(inverse, contact.rows.blocks, row, shift);
                    let known = known[component] - compliance * lambda[component];
                    problem.c_mut().push(value + moved - known);
                    k += 1;
                }
            }
        }
    }
}
