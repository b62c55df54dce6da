//! Stage 2: to the velocity at the end.
//!
//! ```text
//! M (u_E − u_½) = ½Δt h(t_E, q_E, u_½) + W(q_E) Λ₂
//! 0 ≤ γ_NE + ε γ_NA ⟂ Λ_N1 + Λ_N2 ≥ 0,      joints: γ_E = 0,      friction: see `friction`
//! ```
//!
//! The unknown is Λ₂, or Λ₁ + Λ₂ for laws that are taken for the whole step.

use super::super::poisson::{Poisson, check_restitution};
use super::super::rows::{ContactRows, axpy, dot, product, respond, scatter};
use super::super::sliding::Sliding;
use super::super::{StepError, worse};
use super::active::{Active, ActiveSet, Level};
use super::dynamics::Dynamics;
use super::friction::{Choice, Mode};
use super::islands::Islands;
use super::rest::{Motion, Rest};
use super::stage_one::StageOne;
use crate::problem::{InclusionProblem, Residual};
use crate::solve::{SolveReport, Solver, Status};
use crate::system::{ImpactLaw, LawGroup, MechanicalSystem, State};

/// Share of the response of the normal direction that must be left where friction is kept in its
/// ratio to the normal force; below it the contact is near a Painlevé paradox.
const LEAST_RESPONSE: f64 = 0.1;
/// Velocity relative to that of the whole motion at which a contact opens.
const OPENS: f64 = 1e-9;

/// What stage 2 leaves behind.
#[derive(Clone, Debug, Default)]
pub(super) struct StageTwo {
    /// Mass and forces at the end of the step.
    pub(super) dynamics: Dynamics,
    pub(super) problem: InclusionProblem,
    /// The unknowns of the problem.
    pub(super) unknown: Vec<f64>,
    /// Percussions Λ₂ of all active contacts.
    pub(super) lambda: Vec<f64>,
    pub(super) u_e: Vec<f64>,
    pub(super) choice: Choice,
    /// Contact of the problem by active contact; none if nothing of it is unknown.
    pub(super) places: Vec<Option<usize>>,
    /// Which components of the active contacts are unknown, in the order of the problem.
    components: Vec<usize>,
    shift: Vec<f64>,
    rows: ContactRows,
    force: Vec<f64>,
    response: Vec<f64>,
    seen: Vec<f64>,
    seen_starts: Vec<usize>,
    free: Vec<f64>,
    /// Velocities without the unknown percussions.
    unpushed: Vec<f64>,
    rest: Rest,
    pub(super) sliding: Sliding,
    poisson: Poisson,
}

impl StageTwo {
    pub(super) fn run(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        stage: &StageOne,
        active: &ActiveSet,
        islands: &Islands,
        solver: &mut dyn Solver,
    ) -> Result<SolveReport, StepError> {
        self.dynamics.evaluate(system, &stage.end)?;
        self.dynamics.pull(active.list.iter().filter(|c| acts(c, stage)), &active.end);
        self.dynamics.kick(0.5 * dt, &mut self.free);
        self.free.iter_mut().zip(&stage.middle.u).for_each(|(free, u)| *free += u);
        self.lambda.clear();
        self.lambda.resize(active.components(), 0.0);
        if active.list.is_empty() {
            self.problem.clear();
            self.sliding.clear();
            self.places.clear();
            self.choice.modes.clear();
            self.u_e.clone_from(&self.free);
            let residual = Residual::default();
            return Ok(SolveReport { status: Status::Solved, iterations: 0, residual });
        }
        let groups = system.law_groups();
        for contact in active.list.iter().filter(|contact| contact.level == Level::Gap) {
            let approach = -active.gamma_a(&stage.dynamics.inverse, contact, 0, &at.u);
            check_restitution(system, contact.group, contact.key, approach, at.t)?;
        }
        self.choice.find_impacts(stage, active, islands, groups, &at.u, dt);
        self.choice.choose(stage, active, islands, groups);
        let mut report = self.solve(system, at, dt, stage, active, islands, solver)?;
        if report.status != Status::Solved && self.choice.modes.contains(&Mode::Keep) {
            // Friction in a fixed ratio to the normal force has no symmetric matrix.
            let modes = self.choice.modes.iter_mut();
            modes.filter(|mode| **mode == Mode::Keep).for_each(|mode| *mode = Mode::Alone);
            let iterations = report.iterations;
            report = self.solve(system, at, dt, stage, active, islands, solver)?;
            report.iterations += iterations;
        }
        if self.find_openings(stage, active, islands) {
            self.choice.choose(stage, active, islands, groups);
            let iterations = report.iterations;
            report = self.solve(system, at, dt, stage, active, islands, solver)?;
            report.iterations += iterations;
        }
        Ok(report)
    }

    fn solve(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        stage: &StageOne,
        active: &ActiveSet,
        islands: &Islands,
        solver: &mut dyn Solver,
    ) -> Result<SolveReport, StepError> {
        let groups = system.law_groups();
        self.u_e.clone_from(&self.free);
        self.pose(groups, at, dt, stage, active);
        self.fill_velocities(groups, at, dt, stage, active, islands);
        let mut report = if self.problem.dim() == 0 {
            let residual = Residual::default();
            SolveReport { status: Status::Solved, iterations: 0, residual }
        } else if self.problem.c().iter().any(|c| !c.is_finite()) {
            let residual = Residual { value: 1.0, ..Residual::default() };
            SolveReport { status: Status::Diverged, iterations: 0, residual }
        } else {
            let (problem, unknown) = (&mut self.problem, &mut self.unknown);
            let first = self.sliding.solve(system, stage.end.t, problem, unknown, solver)?;
            match self.poisson.expand(stage.end.t, problem, unknown, solver)? {
                Some(second) => worse(first, second),
                None => first,
            }
        };
        self.unpushed.clone_from(&self.u_e);
        self.rows.apply(&self.dynamics.inverse, &self.problem, &self.unknown, &mut self.u_e);
        if self.u_e.iter().any(|u| !u.is_finite()) {
            // Nothing that was found is better than the velocities half-way.
            report.status = Status::Diverged;
            self.u_e.copy_from_slice(&stage.middle.u);
            self.unknown.copy_from_slice(&self.shift);
        }
        if report.status == Status::Solved
            && self.settle(dt, stage, active, islands) == Motion::Undecided
            && self.rest.refine(&self.problem, &mut self.unknown)
        {
            self.u_e.copy_from_slice(&self.unpushed);
            self.rows.apply(&self.dynamics.inverse, &self.problem, &self.unknown, &mut self.u_e);
            self.settle(dt, stage, active, islands);
        }
        self.spread(groups, stage, active);
        Ok(report)
    }

    /// Stops what rests.
    fn settle(
        &mut self,
        dt: f64,
        stage: &StageOne,
        active: &ActiveSet,
        islands: &Islands,
    ) -> Motion {
        let Self { dynamics, rest, rows, response, .. } = self;
        dynamics.kick(0.5 * dt, response);
        rest.begin(active, islands, &stage.problem, &stage.middle.u, response);
        rest.add(&dynamics.inverse, rows, &self.unknown);
        rest.settle(dynamics, islands, 0.0, &mut self.u_e)
    }

    /// Laws, rows and matrix of the problem. Percussions that are known act on `u_e`.
    fn pose(
        &mut self,
        groups: &[LawGroup],
        at: &State,
        dt: f64,
        stage: &StageOne,
        active: &ActiveSet,
    ) {
        let inverse = &self.dynamics.inverse;
        self.problem.clear();
        self.sliding.clear();
        self.poisson.clear();
        self.rows.clear();
        self.unknown.clear();
        self.shift.clear();
        self.components.clear();
        self.places.clear();
        self.seen.clear();
        self.seen_starts.clear();
        let mut first_law = 0;
        for contact in &active.list {
            let laws = &groups[contact.group].laws;
            let modes = &mut self.choice.modes[first_law..first_law + laws.len()];
            first_law += laws.len();
            if !acts(contact, stage) {
                self.places.push(None);
                continue;
            }
            let width = contact.rows.width;
            let end = |k: usize| &active.end[contact.rows.row(k)];
            self.force.clear();
            // The normal direction first: friction that is kept acts with it.
            let normal = contact.level == Level::Gap;
            if normal {
                self.force.extend_from_slice(end(0));
                let mut k = 0;
                for (named, mode) in laws.iter().zip(modes.iter()) {
                    for component in k..k + named.law.dim() {
                        if *mode == Mode::Keep && takes_normal(named.law.reservoir) {
                            let ratio = stage.lambda[contact.offset + component]
                                / stage.lambda[contact.offset];
                            axpy(&mut self.force, ratio, end(component));
                        }
                    }
                    k += named.law.dim();
                }
                // Near a Painlevé paradox nothing is kept.
                self.response.clear();
                self.response.extend_from_slice(end(0));
                respond(inverse, contact.rows.blocks, &mut self.response);
                if dot(&self.response, &self.force) < LEAST_RESPONSE * dot(&self.response, end(0)) {
                    modes.iter_mut().filter(|m| **m == Mode::Keep).for_each(|m| *m = Mode::Alone);
                    self.force.clear();
                    self.force.extend_from_slice(end(0));
                }
            }
            let start = self.seen.len();
            let mut k = 0;
            let mut unknown = 0;
            for (named, mode) in laws.iter().zip(modes.iter()) {
                let dim = named.law.dim();
                for component in k..k + dim {
                    if *mode != Mode::Keep {
                        self.components.push(contact.offset + component);
                        let first = stage.lambda[contact.offset + component];
                        let whole = *mode == Mode::Whole && !named.law.is_rigid();
                        self.unknown.push(if whole { 2.0 * first } else { first });
                        self.shift.push(if whole { first } else { 0.0 });
                        self.seen.extend_from_slice(end(component));
                        if !(normal && component == 0) {
                            self.force.extend_from_slice(end(component));
                        }
                        unknown += 1;
                    } else if !takes_normal(named.law.reservoir) {
                        // The force of stage 1 again.
                        let lambda = stage.lambda[contact.offset + component];
                        self.response.clear();
                        self.response.extend_from_slice(end(component));
                        let blocks = contact.rows.blocks;
                        respond(inverse, blocks, &mut self.response);
                        scatter(inverse, blocks, lambda, &self.response, &mut self.u_e);
                    }
                }
                k += dim;
            }
            if unknown == 0 {
                self.places.push(None);
                continue;
            }
            self.places.push(Some(self.seen_starts.len()));
            self.seen_starts.push(start);
            self.rows.push(inverse, contact.rows.blocks, width, &self.force);
            let unknown_laws = laws.iter().zip(modes.iter()).filter(|(_, m)| **m != Mode::Keep);
            self.problem.push_contact(unknown_laws.map(|(named, mode)| {
                let time = if *mode == Mode::Whole { dt } else { 0.5 * dt };
                (named.law.set.clone(), named.law.reservoir(time))
            }));
            if laws[0].law.impact == ImpactLaw::Poisson && modes[0] == Mode::Whole {
                let approach = -active.gamma_a(&stage.dynamics.inverse, contact, 0, &at.u);
                let restitution = laws[0].law.restitution_at(approach, at.t);
                self.poisson.push(self.problem.contacts().len() - 1, restitution);
            }
            let (mut k, mut place) = (0, 0);
            for (position, (named, mode)) in laws.iter().zip(modes.iter()).enumerate() {
                if named.law.curve.is_some() && *mode != Mode::Keep {
                    let (before, u) = (&stage.dynamics.inverse, &stage.middle.u);
                    let gamma = |c: usize| active.gamma_m(before, contact, c, u);
                    let speed =
                        (k..k + named.law.dim().min(2)).map(|c| gamma(c).powi(2)).sum::<f64>();
                    let law = (contact.group, position);
                    self.sliding.push(&self.problem, place, law, contact.key, speed.sqrt());
                }
                place += usize::from(*mode != Mode::Keep);
                k += named.law.dim();
            }
        }
        let Self { rows, problem, seen, seen_starts, dynamics, .. } = self;
        rows.fill(&dynamics.inverse, problem, |index| &seen[seen_starts[index]..]);
    }

    /// c, and the compliance of viscous laws.
    fn fill_velocities(
        &mut self,
        groups: &[LawGroup],
        at: &State,
        dt: f64,
        stage: &StageOne,
        active: &ActiveSet,
        islands: &Islands,
    ) {
        let (before, inverse) = (&stage.dynamics.inverse, &self.dynamics.inverse);
        // The percussions of the first stage are part of the unknowns of whole laws.
        self.shift.iter_mut().for_each(|s| *s = -*s);
        self.rows.apply(inverse, &self.problem, &self.shift, &mut self.u_e);
        self.shift.iter_mut().for_each(|s| *s = -*s);
        self.problem.c_mut().clear();
        let mut first_law = 0;
        for (index, contact) in active.list.iter().enumerate() {
            let laws = &groups[contact.group].laws;
            let modes = &self.choice.modes[first_law..first_law + laws.len()];
            first_law += laws.len();
            let Some(place) = self.places[index] else { continue };
            let dim = self.problem.contacts()[place].dim;
            let (mut k, mut row) = (0, 0);
            for (position, (named, mode)) in laws.iter().zip(modes).enumerate() {
                for component in k..k + named.law.dim() {
                    if *mode == Mode::Keep {
                        continue;
                    }
                    let mut c = active.gamma_e(inverse, contact, component, &self.u_e);
                    if *mode == Mode::Whole {
                        let gamma_a = active.gamma_a(before, contact, component, &at.u);
                        let approach = -active.gamma_a(before, contact, 0, &at.u);
                        let group = &groups[contact.group];
                        let restitution = group.velocity_restitution(position, approach, at.t);
                        let normal = contact.level == Level::Gap && position == 0;
                        c += restitution * if normal { gamma_a.min(0.0) } else { gamma_a };
                        if normal {
                            let scratch = &mut self.force;
                            c -= late_part(
                                stage,
                                active,
                                islands,
                                index,
                                gamma_a,
                                dt,
                                restitution,
                                scratch,
                            );
                        }
                    }
                    // What the velocity at the start contributes, by the rows at the end.
                    let part = active.gamma_e(inverse, contact, component, &at.u);
                    let share = if *mode == Mode::Whole { 1.0 } else { 0.0 };
                    self.poisson.before.push(share * part);
                    self.problem.c_mut().push(c);
                    let time = if *mode == Mode::Whole { dt } else { 0.5 * dt };
                    let own = stage.redundant.compliance[contact.offset + component];
                    let compliance = named.law.compliance(time) + own;
                    if compliance != 0.0 {
                        let block = self.problem.delassus_mut().diagonal_mut(place);
                        block[row * dim + row] += compliance;
                    }
                    row += 1;
                }
                k += named.law.dim();
            }
        }
    }

    /// Λ₂ of all components from the unknowns.
    fn spread(&mut self, groups: &[LawGroup], stage: &StageOne, active: &ActiveSet) {
        self.lambda.fill(0.0);
        for (index, component) in self.components.iter().enumerate() {
            self.lambda[*component] = self.unknown[index] - self.shift[index];
        }
        let mut first_law = 0;
        for contact in &active.list {
            let laws = &groups[contact.group].laws;
            let modes = &self.choice.modes[first_law..first_law + laws.len()];
            first_law += laws.len();
            if !acts(contact, stage) {
                continue;
            }
            let mut k = contact.offset;
            for (named, mode) in laws.iter().zip(modes) {
                for component in k..k + named.law.dim() {
                    if *mode == Mode::Keep {
                        let share = if takes_normal(named.law.reservoir) {
                            self.lambda[contact.offset] / stage.lambda[contact.offset]
                        } else {
                            1.0
                        };
                        self.lambda[component] = share * stage.lambda[component];
                    }
                }
                k += named.law.dim();
            }
        }
    }

    /// Islands in which a contact that pressed in stage 1 opens in stage 2: what it then takes back
    /// is a matter of the whole step. Returns whether there are some.
    fn find_openings(&mut self, stage: &StageOne, active: &ActiveSet, islands: &Islands) -> bool {
        let inverse = &self.dynamics.inverse;
        let mut found = false;
        for contact in active.list.iter().filter(|contact| contact.level == Level::Gap) {
            let island = islands.of(contact.rows.blocks[0]);
            if self.choice.impact[island]
                || stage.lambda[contact.offset] <= 0.0
                || self.lambda[contact.offset] > 0.0
            {
                continue;
            }
            let gamma = active.gamma_e(inverse, contact, 0, &self.u_e);
            let before = active.gamma_e(inverse, contact, 0, &self.free);
            if gamma > OPENS * before.abs() {
                self.choice.impact[island] = true;
                found = true;
            }
        }
        found
    }
}

/// Whether a contact takes part in stage 2: all joints, and what is closed at the end of the step.
pub(super) fn acts(contact: &Active, stage: &StageOne) -> bool {
    contact.level != Level::Gap
        || stage.lambda[contact.offset] > 0.0
        || contact.gap_e <= contact.closed_at
        || contact.gap_e.is_nan()
}

fn takes_normal(reservoir: crate::system::ForceReservoir) -> bool {
    reservoir == crate::system::ForceReservoir::Normal
}

/// What smooth forces add to the rebound of a body that touches nothing else: before the impact,
/// turned round, and after it.
fn late_part(
    stage: &StageOne,
    active: &ActiveSet,
    islands: &Islands,
    index: usize,
    gamma_a: f64,
    dt: f64,
    restitution: f64,
    scratch: &mut Vec<f64>,
) -> f64 {
    let contact = &active.list[index];
    let island = islands.of(contact.rows.blocks[0]);
    let company =
        active.list.iter().filter(|other| islands.of(other.rows.blocks[0]) == island).count();
    if !(contact.rebound > 0.0) || company > 1 {
        return 0.0;
    }
    let inverse = &stage.dynamics.inverse;
    let blocks = contact.rows.blocks;
    scratch.clear();
    scratch.extend_from_slice(&active.start[contact.rows.row(0)]);
    respond(inverse, blocks, scratch);
    let acceleration = product(inverse, blocks, scratch, &stage.dynamics.forces);
    let reached = contact.gap_a.max(0.0);
    let behind = contact.rebound / restitution;
    let before = dt * reached / (reached + behind);
    let part = -restitution * acceleration * before + acceleration * (dt - before);
    // A rebound that the forces end within the step is none.
    part.max(restitution * gamma_a)
}
