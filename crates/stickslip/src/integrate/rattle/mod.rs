//! Nonsmooth RATTLE: time stepping of second order, without penetration.

mod active;
mod approach;
mod axes;
mod book;
mod dynamics;
mod expected;
mod friction;
mod islands;
mod memory;
mod redundant;
mod rest;
mod settled;
mod stage_one;
mod stage_two;

use super::record::StepRecord;
use super::warm_start::WarmStart;
use super::{Integrator, Iteration, StepError, StepReport, check_finite, check_step, worse};
use crate::problem::InclusionProblem;
use crate::solve::{Solver, Status};
use crate::system::{ContactSet, MechanicalSystem, State};
use active::ActiveSet;
use expected::Expected;
use islands::Islands;
use stage_one::StageOne;
use stage_two::StageTwo;

/// Nonsmooth RATTLE (Capobianco, Harsch, Eugster and Leine 2021; Breuling, Capobianco, Eugster and
/// Leine 2024), with friction taken so that it is of second order:
///
/// ```text
/// M (u_½ − u_A) = ½Δt h(t_A, q_A, u_½) + W(q_A) Λ₁,      q_E = q_A moved with u_½ for Δt
/// M (u_E − u_½) = ½Δt h(t_E, q_E, u_½) + W(q_E) Λ₂
/// stage 1:  0 ≤ g(q_E) ⟂ Λ_N1 ≥ 0,                      −γ(q_M, u_½) ∈ N_C(Λ_F1)
/// stage 2:  0 ≤ γ_NE + ε γ_NA ⟂ Λ_N1 + Λ_N2 ≥ 0,        friction: keep, alone or whole
/// ```
///
/// Gaps and joints are closed at the level of positions, so nothing penetrates or drifts and no
/// projection is needed; gyroscopic forces are taken at u_½, so a free body is the implicit midpoint
/// rule and keeps energy and angular momentum. Order 2 in smooth motion with persistent contact,
/// sliding or sticking; 1 through impacts.
#[derive(Clone)]
pub struct Rattle {
    solver: Box<dyn Solver>,
    contacts: ContactSet,
    active: ActiveSet,
    islands: Islands,
    first: StageOne,
    second: StageTwo,
    warm: WarmStart,
    expected: Expected,
    saved_warm: WarmStart,
    saved_expected: Expected,
    record: StepRecord,
    u_mean: Vec<f64>,
    ends_mean: Vec<f64>,
    applied: Vec<f64>,
    xi: Vec<f64>,
    failed: Option<Stage>,
    shadow: bool,
}

/// The stages of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    First,
    Second,
}

impl Rattle {
    /// The method with the given solver.
    pub fn new(solver: Box<dyn Solver>) -> Self {
        Self {
            solver,
            contacts: ContactSet::default(),
            active: ActiveSet::default(),
            islands: Islands::default(),
            first: StageOne::default(),
            second: StageTwo::default(),
            warm: WarmStart::default(),
            expected: Expected::default(),
            saved_warm: WarmStart::default(),
            saved_expected: Expected::default(),
            record: StepRecord::default(),
            u_mean: Vec::new(),
            ends_mean: Vec::new(),
            applied: Vec::new(),
            xi: Vec::new(),
            failed: None,
            shadow: false,
        }
    }

    /// Keeps what the next step starts from: forces, and the change of velocity unless there was an
    /// impact.
    fn remember(&mut self, at: &State, dt: f64) {
        let half = 0.5 * dt;
        self.warm.clear();
        for contact in &self.active.list {
            let range = contact.offset..contact.offset + contact.rows.dim;
            self.warm.push(contact.key, self.first.lambda[range].iter().map(|v| v / half));
        }
        self.warm.finish();
        if self.shadow {
            // It is told what to begin from, and where to end.
        } else if self.second.choice.impact.contains(&true) && !self.active.list.is_empty() {
            self.expected.forget();
        } else {
            self.expected.keep(at, &self.first.middle.u, dt);
            self.expected.keep_rate(self.first.rate);
        }
    }
}

impl Integrator for Rattle {
    fn name(&self) -> &'static str {
        "rattle"
    }

    fn step(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        check_step(dt)?;
        check_finite(state.t, "q", &state.q)?;
        check_finite(state.t, "u", &state.u)?;
        let solver = self.solver.as_mut();
        let Self { active, islands, contacts, warm, expected, .. } = self;
        let first =
            self.first.run(system, state, dt, expected, active, islands, contacts, warm, solver)?;
        let second = self.second.run(system, state, dt, &self.first, active, islands, solver)?;
        self.failed = match (first.status, second.status) {
            (Status::Solved, Status::Solved) => None,
            (Status::Solved, _) => Some(Stage::Second),
            _ => Some(Stage::First),
        };
        if self.shadow {
            self.record.clear();
            let percussions = &mut self.record.percussions;
            self.active.list.iter().for_each(|contact| percussions.note(contact.key));
        } else {
            self.book(system, state, dt);
        }
        if self.failed.is_none() {
            // Percussions that ran away are no start for the next step.
            self.remember(state, dt);
        }
        state.t = self.first.end.t;
        state.q.copy_from_slice(&self.first.end.q);
        state.u.copy_from_slice(&self.second.u_e);
        system.remember(state);
        let pressing = |active: &&active::Active| {
            active.level != active::Level::Gap
                || self.first.lambda[active.offset] + self.second.lambda[active.offset] > 0.0
        };
        let contacts = self.active.list.iter().filter(pressing).count();
        Ok(StepReport { solve: worse(first, second), contacts })
    }

    fn record(&self) -> &StepRecord {
        &self.record
    }

    fn failed_problem(&self) -> Option<&InclusionProblem> {
        self.failed.map(|stage| match stage {
            Stage::First => &self.first.problem,
            Stage::Second => &self.second.problem,
        })
    }

    fn order(&self) -> u32 {
        2
    }

    fn save(&mut self) {
        self.saved_warm.copy_from(&self.warm);
        self.saved_expected.copy_from(&self.expected);
    }

    fn restore(&mut self) {
        self.warm.copy_from(&self.saved_warm);
        self.expected.copy_from(&self.saved_expected);
    }

    fn keep(&mut self, tape: &mut crate::memory::Tape) {
        self.keep_start(tape);
    }

    fn become_shadow(&mut self) {
        self.shadow = true;
    }

    fn iteration(&self) -> Option<Iteration<'_>> {
        let StageOne { begun, middle, lambda, turns, depth, .. } = &self.first;
        let [velocities, percussions] = begun;
        Some(Iteration {
            begin: [velocities, percussions],
            end: [&middle.u, lambda],
            turns: *turns,
            depth: *depth,
        })
    }

    fn iterate(&mut self, begin: &[f64], turns: usize) {
        self.first.guess.clear();
        self.first.guess.extend_from_slice(begin);
        self.first.wanted_turns = turns;
    }

    fn exchange_solver(&mut self, solver: Box<dyn Solver>) -> Box<dyn Solver> {
        std::mem::replace(&mut self.solver, solver)
    }
}
