//! Runge-Kutta time stepping with pseudo-accelerations from Moreau's rule.

use super::moreau::Moreau;
use super::projection::Projection;
use super::record::StepRecord;
use super::velocity_step::{Mean, VelocityStep};
use super::warm_start::WarmStart;
use super::{Integrator, StepError, StepReport, check_finite, check_step, worse};
use crate::memory::Tape;
use crate::problem::InclusionProblem;
use crate::solve::{Auto, SolveReport, Solver, Status};
use crate::system::{MechanicalSystem, State};

const NODES: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

/// The four-stage Runge-Kutta time stepping of Leine & Glocker 2003, Table 2: each stage takes its
/// pseudo-acceleration a_m = (u_E − u_A)/Δt₂ from a velocity step of length Δt₂ = ratio·Δt.
///
/// Measured orders, with any ratio:
///
/// - 4 in smooth motion if M and h do not depend on q and t, as for free bodies in quaternion
///   coordinates under gravity;
/// - 1 if they do (Euler angles, springs): a stage takes its acceleration at q + ½Δt₂ q̇, as
///   printed, half of Δt₂ late;
/// - 1 with contact. For the sliding Tippe-Top at Δt = 2e-4 to 2.5e-5 s: 1.07 with the printed ratio
///   1/4, 1.01 with 0.36, 1.03 with 0.5, 0.99 with 1. The paper says 4. With 1/4 a persistent
///   contact is a relaxation outside the stability interval of the method, so that it chatters;
///   ratios from 0.36 on do not chatter, but their error is larger (by 1.4, 1.9 and 3.8). It is
///   still much smaller than that of [`super::Moreau`].
///
/// A stage corrects a velocity within Δt₂ and the step then counts that 1/ratio times: the printed
/// scheme is for contacts that slide and stay closed without rebound. What a stage would stop the step
/// turns round: with the ratio 1/4 a velocity of a sticking contact comes back 5 times as large (the
/// stability function of the method at −4). A step in which a joint, a contact with restitution or a
/// contact that sticks acts is therefore made by Moreau's midpoint rule.
#[derive(Clone)]
pub struct MoreauRk4 {
    solver: Box<dyn Solver>,
    projection: Projection,
    /// For steps that the stages are not made for; it borrows the solver.
    midpoint: Moreau,
    /// Whether the last step was one of them.
    by_midpoint: bool,
    /// Whether all memory has its size.
    prepared: bool,
    /// Whether a step is made by the stages whatever acts.
    by_stages: bool,
    stage_ratio: f64,
    stages: [VelocityStep; 4],
    /// Percussions of the last stage, as forces.
    warm: WarmStart,
    saved: WarmStart,
    record: StepRecord,
    stage: State,
    middle: State,
    rate: Vec<f64>,
    /// Stage rates of q, pseudo-accelerations, and their sums.
    q_dot: Vec<f64>,
    acceleration: Vec<f64>,
    q_sum: Vec<f64>,
    u_sum: Vec<f64>,
    u_mean: Vec<f64>,
    scratch_contacts: Vec<super::ContactRecord>,
    failed: Option<usize>,
    shadow: bool,
}

impl MoreauRk4 {
    /// The method with the given solver, projection and stage ratio Δt₂/Δt (1/4 in the paper,
    /// range (0, 1]).
    pub fn new(solver: Box<dyn Solver>, projection: Projection, stage_ratio: f64) -> Self {
        Self {
            solver,
            midpoint: Moreau::new(Box::new(Auto::default()), Projection::new(projection.metric())),
            by_midpoint: false,
            prepared: false,
            by_stages: false,
            projection,
            stage_ratio,
            stages: Default::default(),
            warm: WarmStart::default(),
            saved: WarmStart::default(),
            record: StepRecord::default(),
            stage: State::default(),
            middle: State::default(),
            rate: Vec::new(),
            q_dot: Vec::new(),
            acceleration: Vec::new(),
            q_sum: Vec::new(),
            u_sum: Vec::new(),
            u_mean: Vec::new(),
            scratch_contacts: Vec::new(),
            failed: None,
            shadow: false,
        }
    }

    /// One stage at `self.stage`: q̇ in `q_dot`, the pseudo-acceleration in `acceleration`.
    fn compute_stage(
        &mut self,
        index: usize,
        system: &dyn MechanicalSystem,
        dt: f64,
    ) -> Result<SolveReport, StepError> {
        let dt2 = self.stage_ratio * dt;
        system.coordinate_rate(&self.stage, &self.stage.u, &mut self.q_dot);
        self.middle.clone_from(&self.stage);
        self.middle.t += 0.5 * dt2;
        for (q, rate) in self.middle.q.iter_mut().zip(&self.q_dot) {
            *q += 0.5 * dt2 * rate;
        }
        system.normalize(&mut self.middle.q);
        check_finite(self.middle.t, "q", &self.middle.q)?;
        let kernel = &mut self.stages[index];
        let report =
            kernel.run(system, &self.middle, dt2, &self.warm, dt2, self.solver.as_mut())?;
        for (a, (u_e, u_a)) in
            self.acceleration.iter_mut().zip(kernel.u_e.iter().zip(&self.stage.u))
        {
            *a = (u_e - u_a) / dt2;
        }
        self.warm.take(kernel, dt2);
        Ok(report)
    }
}

impl Integrator for MoreauRk4 {
    fn name(&self) -> &'static str {
        "moreau-rk4"
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
        if !self.prepared {
            // Both kinds of steps may come at any time, and must not need memory then. What they give
            // here is not used, so that an error is none either.
            self.prepared = true;
            self.save();
            let _ = self.midpoint_step(system, &mut state.clone(), dt);
            self.by_stages = true;
            let _ = self.step(system, &mut state.clone(), dt);
            self.by_stages = false;
            self.restore();
        }
        let (n_q, n_u) = (state.q.len(), state.u.len());
        for buffer in [&mut self.rate, &mut self.q_dot, &mut self.q_sum] {
            buffer.clear();
            buffer.resize(n_q, 0.0);
        }
        for buffer in [&mut self.acceleration, &mut self.u_sum] {
            buffer.clear();
            buffer.resize(n_u, 0.0);
        }
        let mut worst: Option<SolveReport> = None;
        let mut contacts = 0;
        self.by_midpoint = false;
        self.failed = None;
        for m in 0..4 {
            self.stage.clone_from(state);
            if m > 0 {
                let h = NODES[m] * dt;
                self.stage.t += h;
                for (q, rate) in self.stage.q.iter_mut().zip(&self.q_dot) {
                    *q += h * rate;
                }
                for (u, a) in self.stage.u.iter_mut().zip(&self.acceleration) {
                    *u += h * a;
                }
            }
            let report = self.compute_stage(m, system, dt)?;
            let midpoint = self.stages[m].holds_or_rebounds(system) || self.stages[m].sticks();
            if midpoint && !self.by_stages {
                return self.midpoint_step(system, state, dt);
            }
            if report.status != Status::Solved && self.failed.is_none() {
                self.failed = Some(m);
            }
            worst = Some(worst.map_or(report, |w| worse(w, report)));
            contacts = contacts.max(self.stages[m].active.len());
            for (sum, rate) in self.q_sum.iter_mut().zip(&self.q_dot) {
                *sum += WEIGHTS[m] * rate;
            }
            for (sum, a) in self.u_sum.iter_mut().zip(&self.acceleration) {
                *sum += WEIGHTS[m] * a;
            }
        }
        // End of the step, kept apart until it is known to be finite.
        self.stage.clone_from(state);
        self.stage.t = state.t + dt;
        for (q, rate) in self.stage.q.iter_mut().zip(&self.q_sum) {
            *q += dt * rate;
        }
        for (u, a) in self.stage.u.iter_mut().zip(&self.u_sum) {
            *u += dt * a;
        }
        system.normalize(&mut self.stage.q);
        check_finite(self.stage.t, "q", &self.stage.q)?;
        check_finite(self.stage.t, "u", &self.stage.u)?;
        self.record.clear();
        if self.shadow {
            self.stages.iter().for_each(|stage| stage.note_active(&mut self.record));
        } else {
            self.book(system, state, dt);
        }
        state.clone_from(&self.stage);
        self.record.projection_work = self.projection.apply(system, state, dt);
        system.remember(state);
        let solve = worst.unwrap_or(SolveReport {
            status: Status::Solved,
            iterations: 0,
            residual: Default::default(),
        });
        Ok(StepReport { solve, contacts })
    }

    fn record(&self) -> &StepRecord {
        if self.by_midpoint { self.midpoint.record() } else { &self.record }
    }

    fn failed_problem(&self) -> Option<&InclusionProblem> {
        if self.by_midpoint {
            return self.midpoint.failed_problem();
        }
        self.failed.map(|stage| &self.stages[stage].problem)
    }

    fn save(&mut self) {
        self.saved.copy_from(&self.warm);
        self.midpoint.save();
    }

    fn restore(&mut self) {
        self.warm.copy_from(&self.saved);
        self.midpoint.restore();
    }

    fn keep(&mut self, tape: &mut Tape) {
        self.warm.keep(tape);
        self.projection.keep(tape);
        self.record.keep(tape);
        self.midpoint.keep(tape);
        tape.section("kind of the last step");
        tape.flag(&mut self.by_midpoint);
    }

    fn pattern(&self, out: &mut Vec<u64>) {
        self.record().pattern(out);
        if !self.by_midpoint {
            for (number, stage) in self.stages.iter().enumerate() {
                out.push(number as u64);
                stage.add_pattern(out);
            }
        }
    }

    fn become_shadow(&mut self) {
        self.shadow = true;
        self.midpoint.become_shadow();
    }

    fn exchange_solver(&mut self, solver: Box<dyn Solver>) -> Box<dyn Solver> {
        std::mem::replace(&mut self.solver, solver)
    }
}

impl MoreauRk4 {
    /// Makes the record of the step from `state` to `self.stage`.
    fn book(&mut self, system: &dyn MechanicalSystem, state: &State, dt: f64) {
        self.u_mean.clear();
        self.u_mean.extend(state.u.iter().zip(&self.u_sum).map(|(u, a)| u + 0.5 * dt * a));
        for (m, weight) in WEIGHTS.iter().enumerate() {
            // Percussion over the whole step of a force λ = Λ/Δt₂ with its weight.
            let weight = weight / self.stage_ratio;
            self.stages[m].book(system, weight, Mean::Whole(&self.u_mean), &mut self.record);
        }
        self.record.net_gains();
        self.stages[3].list_contacts(1.0 / self.stage_ratio, &mut self.record.contacts);
        self.sum_percussions();
        self.stages[3].list_velocities(
            system.law_groups(),
            Some([&state.u, &self.stage.u]),
            &mut self.record.contacts,
        );
    }

    fn midpoint_step(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.by_midpoint = true;
        self.midpoint.swap_solver(&mut self.solver);
        let outcome = self.midpoint.step(system, state, dt);
        self.midpoint.swap_solver(&mut self.solver);
        outcome
    }

    /// Percussions of the step: the weighted sum over the stages. The contacts chatter from
    /// stage to stage, so a contact counts as open only if no stage had a force.
    fn sum_percussions(&mut self) {
        for contact in &mut self.record.contacts {
            contact.normal_percussion = 0.0;
            contact.tangential_percussion = 0.0;
        }
        let mut stage_contacts = std::mem::take(&mut self.scratch_contacts);
        for (m, weight) in WEIGHTS.iter().enumerate() {
            let weight = weight / self.stage_ratio;
            self.stages[m].list_contacts(weight, &mut stage_contacts);
            // The stages list nearly the same contacts in the same order: look behind the last one.
            let contacts = &mut self.record.contacts;
            let mut next = 0;
            for stage in &stage_contacts {
                let mut places = (next..contacts.len()).chain(0..next);
                if let Some(place) = places.find(|place| contacts[*place].key == stage.key) {
                    next = place + 1;
                    let contact = &mut contacts[place];
                    if m == 0 {
                        // Nearest to a state that the run passes through.
                        contact.gap = stage.gap;
                    }
                    contact.normal_percussion += stage.normal_percussion;
                    contact.tangential_percussion += stage.tangential_percussion;
                    if contact.state == super::ContactState::Open {
                        contact.state = stage.state;
                        contact.tangential_velocity = stage.tangential_velocity;
                    }
                }
            }
        }
        self.scratch_contacts = stage_contacts;
    }
}
