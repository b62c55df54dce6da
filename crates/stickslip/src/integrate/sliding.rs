//! Friction whose strength depends on the speed of sliding, implicitly in a step.
//!
//! ```text
//! −ξ_T ∈ N_{φ(|ξ_T|) s C}(Λ_T),      φ of the velocity that the problem itself gives
//! ```
//!
//! The sets of an inclusion problem do not depend on velocities, so this is an iteration around it:
//! with a falling φ the result |ξ_T| = h(v) of a problem with φ(v) rises with v, so that v ← h(v) from
//! the speed at the start of the step runs monotonically to the nearest solution, and never passes one.
//! Secants make it faster. Locally h′ = −φ′ s G_TT, which is small for small steps.

use super::StepError;
use crate::convex::ConvexSet;
use crate::problem::InclusionProblem;
use crate::solve::{SolveReport, Solver, Status};
use crate::system::{ForceLaw, LawGroup, MechanicalSystem};

/// Problems that are solved before the step counts as not solved.
const MOST_TURNS: usize = 60;
/// Slopes of h that secants may have: the steepest one extrapolates tenfold.
const SLOPES: [f64; 2] = [-50.0, 0.9];
/// Speed over what friction can change in a step, below which a contact counts as having stuck.
const STUCK: f64 = 1e-4;
/// Change of the strength, relative, that is a solution even where the solver is asked for more.
const LEAST_TOLERANCE: f64 = 1e-12;
/// Speeds, relative to the fastest that the step could bring, at which a second solution is looked for.
const LOOKS: [f64; 8] = [0.0, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 0.6, 0.9];

/// A law with a speed-dependent strength.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// Number of the contact and of the law in the problem.
    contact: usize,
    law: usize,
    /// The law among the groups of the system.
    group: usize,
    position: usize,
    key: u64,
    /// Speed at which the strength is taken, m/s; whether it sticks.
    speed: f64,
    sticks: bool,
    factor: f64,
    /// Speed and result of the turn before.
    last: Option<[f64; 2]>,
    /// Whether the speed was extrapolated, and whether this failed.
    leaps: bool,
    walks: bool,
}

/// The iteration, with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sliding {
    entries: Vec<Entry>,
    fresh: bool,
    xi: Vec<f64>,
    /// Contacts of the last solve that could have stuck as well as slid.
    pub(crate) choices: usize,
}

impl Sliding {
    /// Forgets the laws.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.fresh = true;
        self.choices = 0;
    }

    /// Adds a law of the last contact of the problem: law number `position` of the `group`, which is
    /// number `place` among those of the contact in the problem. `speed` is that before the step.
    pub(crate) fn push(
        &mut self,
        problem: &InclusionProblem,
        place: usize,
        (group, position): (usize, usize),
        key: u64,
        speed: f64,
    ) {
        let Some(last) = problem.contacts().len().checked_sub(1) else { return };
        let law = problem.contacts()[last].laws.start + place;
        self.entries.push(Entry {
            contact: last,
            law,
            group,
            position,
            key,
            speed,
            ..Entry::default()
        });
    }

    /// Gives law number `index` of those pushed its speed before the step.
    pub(crate) fn set_speed(&mut self, index: usize, speed: f64) {
        if let Some(entry) = self.entries.get_mut(index) {
            entry.speed = speed;
        }
    }

    /// Solves the problem at time t, s, with the laws of the groups at the velocities that result.
    pub(crate) fn solve(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        problem: &mut InclusionProblem,
        lambda: &mut [f64],
        solver: &mut dyn Solver,
    ) -> Result<SolveReport, StepError> {
        let failed = |source| StepError::Solve { t, source };
        if self.entries.is_empty() {
            return solver.solve(problem, lambda).map_err(failed);
        }
        let groups = system.law_groups();
        if std::mem::take(&mut self.fresh) {
            self.begin(groups, problem, lambda);
        }
        let tolerance = solver.limits().tolerance.max(LEAST_TOLERANCE);
        let mut iterations = 0;
        self.xi.resize(problem.dim(), 0.0);
        let mut worst = 0.0;
        for _ in 0..MOST_TURNS {
            for entry in &mut self.entries {
                let law = entry.law_in(groups);
                let [at_rest, sliding] = checked(system, law, entry.key, entry.speed, t)?;
                entry.factor = if entry.sticks { at_rest } else { sliding };
                problem.set_law(entry.contact, entry.law, law.set.scaled(entry.factor));
            }
            let mut report = solver.solve(problem, lambda).map_err(failed)?;
            iterations += report.iterations;
            report.iterations = iterations;
            problem.relative_velocities(lambda, &mut self.xi);
            worst = 0.0;
            for index in 0..self.entries.len() {
                worst = self.judge(index, system, t, problem, lambda, tolerance)?.max(worst);
            }
            if worst <= tolerance || report.status != Status::Solved {
                self.choices = self
                    .entries
                    .iter()
                    .filter(|entry| entry.has_choice(groups, t, problem, lambda))
                    .count();
                return Ok(report);
            }
        }
        let mut residual = problem.residual(lambda);
        residual.value = residual.value.max(worst.min(1.0));
        Ok(SolveReport { status: Status::Stalled, iterations, residual })
    }

    /// What was sticking before the step: stick is tried first.
    fn begin(&mut self, groups: &[LawGroup], problem: &InclusionProblem, lambda: &[f64]) {
        for entry in &mut self.entries {
            let [size, response] = entry.unit(groups, problem, lambda);
            let stops = STUCK * size * response;
            entry.sticks = entry.speed <= stops;
        }
    }

    /// Compares the strength of a law with that of the velocity that came out: returns the relative
    /// difference, and chooses the speed of the next turn.
    fn judge(
        &mut self,
        index: usize,
        system: &dyn MechanicalSystem,
        t: f64,
        problem: &InclusionProblem,
        lambda: &[f64],
        tolerance: f64,
    ) -> Result<f64, StepError> {
        let entry = &mut self.entries[index];
        let contact = &problem.contacts()[entry.contact];
        let law = &problem.laws()[entry.law];
        let scale = problem.scale(contact, law, lambda);
        if !(scale > 0.0) {
            return Ok(0.0);
        }
        let range = law.range();
        let gauge = law.set.gauge(&lambda[range.clone()]) / scale;
        let range = range.start..range.start + law.dim.min(2);
        let found = self.xi[range].iter().map(|v| v * v).sum::<f64>().sqrt();
        let own = entry.law_in(system.law_groups());
        let sticks = gauge < 1.0 - 10.0 * tolerance || found == 0.0;
        let [at_rest, sliding] = checked(system, own, entry.key, found, t)?;
        let difference = |wanted: f64| {
            let larger = wanted.max(entry.factor);
            if larger > 0.0 { (wanted - entry.factor).abs() / larger } else { 0.0 }
        };
        if sticks {
            if entry.sticks || gauge * entry.factor <= at_rest {
                // A force that holds within less than the law at rest allows is a solution of it.
                entry.sticks = true;
                return Ok(0.0);
            }
            let off = difference(at_rest);
            if std::mem::take(&mut entry.leaps) {
                // Too far: back to where it slid, and on by plain steps.
                let [_, back] = entry.last.unwrap_or_default();
                (entry.speed, entry.walks) = (back, true);
            } else {
                (entry.speed, entry.sticks) = (0.0, true);
            }
            return Ok(off.max(2.0 * tolerance));
        }
        let off = difference(sliding);
        if entry.sticks || entry.walks {
            (entry.sticks, entry.speed, entry.last, entry.leaps) = (false, found, None, false);
            return Ok(off);
        }
        let mut next = found;
        entry.leaps = false;
        if let Some([speed, result]) = entry.last
            && speed != entry.speed
        {
            let slope = (found - result) / (entry.speed - speed);
            if slope.is_finite() {
                let slope = slope.clamp(SLOPES[0], SLOPES[1]);
                next = entry.speed + (found - entry.speed) / (1.0 - slope);
                entry.leaps = slope > 0.0;
            }
        }
        if !(next > 0.0) {
            (next, entry.leaps) = (0.5 * found.min(entry.speed), false);
        }
        entry.last = Some([entry.speed, found]);
        if off > tolerance {
            entry.speed = next;
        }
        Ok(off)
    }
}

impl Entry {
    fn law_in<'a>(&self, groups: &'a [LawGroup]) -> &'a ForceLaw {
        &groups[self.group].laws[self.position].law
    }

    /// Size of the set at rest, N s, and the largest response of the components of sliding, 1/kg.
    fn unit(&self, groups: &[LawGroup], problem: &InclusionProblem, lambda: &[f64]) -> [f64; 2] {
        let contact = &problem.contacts()[self.contact];
        let law = &problem.laws()[self.law];
        let set = &self.law_in(groups).set;
        let scale = problem.scale(contact, law, lambda);
        let mut along = [0.0; 8];
        along[0] = 1.0;
        let size = scale * set.support(1.0, &along[..law.dim.min(8)]);
        let first = law.offset - contact.offset;
        let response = (first..first + law.dim.min(2))
            .map(|k| problem.delassus().diagonal_entry(self.contact, k))
            .fold(0.0, f64::max);
        [size, response]
    }

    /// Whether the contact that slides could stick, or the one that sticks could slide, as far as its
    /// own response tells.
    fn has_choice(
        &self,
        groups: &[LawGroup],
        t: f64,
        problem: &InclusionProblem,
        lambda: &[f64],
    ) -> bool {
        let [size, response] = self.unit(groups, problem, lambda);
        let reach = size * response;
        if !(reach > 0.0) {
            return false;
        }
        let own = self.law_in(groups);
        let law = &problem.laws()[self.law];
        let contact = &problem.contacts()[self.contact];
        let used =
            self.factor * law.set.gauge(&lambda[law.range()]) / problem.scale(contact, law, lambda);
        if !self.sticks && self.speed > 0.0 {
            let [at_rest, sliding] = own.factors(self.speed, t);
            return sliding + self.speed / reach <= at_rest;
        }
        let fastest = used * reach;
        LOOKS.iter().any(|share| own.factors(share * fastest, t)[1] + share * used < used)
    }
}

/// The factors of a law, if they are good.
pub(crate) fn checked(
    system: &dyn MechanicalSystem,
    law: &ForceLaw,
    key: u64,
    speed: f64,
    t: f64,
) -> Result<[f64; 2], StepError> {
    let factors = law.factors(speed, t);
    match factors.iter().find(|f| !(f.is_finite() && **f >= 0.0)) {
        None => Ok(factors),
        Some(factor) => {
            let value = factor * law.curve.as_ref().map_or(1.0, |curve| curve.reference());
            Err(StepError::Friction { t, contact: system.contact_name(key), speed, value })
        }
    }
}
