//! Moreau's midpoint time stepping.

use super::projection::Projection;
use super::record::StepRecord;
use super::velocity_step::{Mean, VelocityStep};
use super::warm_start::WarmStart;
use super::{Integrator, StepError, StepReport, check_finite, check_step};
use crate::memory::Tape;
use crate::problem::InclusionProblem;
use crate::solve::{Solver, Status};
use crate::system::{MechanicalSystem, State};

/// Moreau's midpoint rule (Leine 2003, Table 1; Le Saux 2005, sec. 3.1; Möller 2009, eqs. 13–18):
///
/// ```text
/// q_M = q_A + ½Δt F(q_A) u_A,      contacts with gap ≤ 0 at q_M,
/// M (u_E − u_A) = h(q_M, u_A) Δt + W Λ,      −(γ_E + ε γ_A) ∈ N_C(Λ),
/// q_E = q_M + ½Δt F(q_M) u_E
/// ```
///
/// Measured orders: 2 in smooth motion under forces that depend on position and time alone; 1 where
/// they depend on the velocity (gyroscopic forces too, because h is taken at u_A); 1 with contact.
///
/// The work of contacts and of a constant force is exact in discrete time where M is constant.
#[derive(Clone)]
pub struct Moreau {
    solver: Box<dyn Solver>,
    projection: Projection,
    kernel: VelocityStep,
    warm: WarmStart,
    saved: WarmStart,
    record: StepRecord,
    middle: State,
    rate: Vec<f64>,
    u_mean: Vec<f64>,
    failed: bool,
    shadow: bool,
}

impl Moreau {
    /// Moreau's rule with the given solver and projection of constraint violation.
    pub fn new(solver: Box<dyn Solver>, projection: Projection) -> Self {
        Self {
            solver,
            projection,
            kernel: VelocityStep::default(),
            warm: WarmStart::default(),
            saved: WarmStart::default(),
            record: StepRecord::default(),
            middle: State::default(),
            rate: Vec::new(),
            u_mean: Vec::new(),
            failed: false,
            shadow: false,
        }
    }

    /// Exchanges the solver without moving it to the heap again.
    pub(super) fn swap_solver(&mut self, solver: &mut Box<dyn Solver>) {
        std::mem::swap(&mut self.solver, solver);
    }

    /// Makes the record of the step from `state`.
    fn book(&mut self, system: &dyn MechanicalSystem, state: &State) {
        self.u_mean.clear();
        self.u_mean.extend(state.u.iter().zip(&self.kernel.u_e).map(|(a, e)| 0.5 * (a + e)));
        self.kernel.book(system, 1.0, Mean::Own(&self.u_mean), &mut self.record);
        self.kernel.list_contacts(1.0, &mut self.record.contacts);
        self.kernel.list_velocities(system.law_groups(), None, &mut self.record.contacts);
    }
}

impl Integrator for Moreau {
    fn name(&self) -> &'static str {
        "moreau"
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
        let half = 0.5 * dt;
        self.rate.resize(state.q.len(), 0.0);
        // Half a step for the coordinates.
        let middle = &mut self.middle;
        middle.clone_from(state);
        middle.t += half;
        system.coordinate_rate(state, &state.u, &mut self.rate);
        for (q, rate) in middle.q.iter_mut().zip(&self.rate) {
            *q += half * rate;
        }
        system.normalize(&mut middle.q);
        check_finite(middle.t, "q", &middle.q)?;
        // The velocity at the end.
        let solve = self.kernel.run(system, middle, dt, &self.warm, dt, self.solver.as_mut())?;
        self.failed = solve.status != Status::Solved;
        // The second half step.
        system.coordinate_rate(middle, &self.kernel.u_e, &mut self.rate);
        for (q, rate) in middle.q.iter_mut().zip(&self.rate) {
            *q += half * rate;
        }
        system.normalize(&mut middle.q);
        check_finite(middle.t + half, "q", &middle.q)?;
        // Everything is known: make the record, change the state.
        self.record.clear();
        if self.shadow {
            self.kernel.note_active(&mut self.record);
        } else {
            self.book(system, state);
        }
        state.t += dt;
        state.q.copy_from_slice(&self.middle.q);
        state.u.copy_from_slice(&self.kernel.u_e);
        self.warm.take(&self.kernel, dt);
        self.record.projection_work =
            self.projection.apply_behind(system, state, dt, &self.kernel, self.solver.as_ref());
        system.remember(state);
        Ok(StepReport { solve, contacts: self.kernel.active.len() })
    }

    fn record(&self) -> &StepRecord {
        &self.record
    }

    fn failed_problem(&self) -> Option<&InclusionProblem> {
        self.failed.then_some(&self.kernel.problem)
    }

    fn save(&mut self) {
        self.saved.copy_from(&self.warm);
    }

    fn restore(&mut self) {
        self.warm.copy_from(&self.saved);
    }

    fn keep(&mut self, tape: &mut Tape) {
        self.warm.keep(tape);
        self.projection.keep(tape);
        self.record.keep(tape);
    }

    fn become_shadow(&mut self) {
        self.shadow = true;
    }

    fn exchange_solver(&mut self, solver: Box<dyn Solver>) -> Box<dyn Solver> {
        std::mem::replace(&mut self.solver, solver)
    }
}
