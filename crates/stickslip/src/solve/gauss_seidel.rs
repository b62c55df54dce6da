//! Projected Gauss-Seidel over contacts, with an exact local solve.

use super::extrapolation::{Extrapolation, Sums};
use super::local::LocalSolver;
use super::local_coulomb::solve_spatial;
use super::monitor::Monitor;
use super::planar_sweep::PlanarSweeps;
use super::spatial_sweep::SpatialSweeps;
use super::{Limits, SolveError, SolveReport, Solver, Status, check_start};
use crate::problem::InclusionProblem;
use crate::range;

/// Options of [`GaussSeidel`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GaussSeidelOptions {
    /// When to stop; an iteration is one sweep over all contacts.
    pub limits: Limits,
    /// Relaxation ω: Λ ← Λ + ω (local solution − Λ). Default 1; range (0, 2).
    pub relaxation: f64,
}

impl Default for GaussSeidelOptions {
    fn default() -> Self {
        Self { limits: Limits::default(), relaxation: 1.0 }
    }
}

impl GaussSeidelOptions {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SolveError> {
        self.limits.validate()?;
        let good = self.relaxation > 0.0 && self.relaxation < 2.0;
        Ok(range::require(good, "relaxation", self.relaxation, "above 0 and below 2")?)
    }
}

/// Components of a contact for which there is room from the start: one with all laws has 10.
const ROOM: usize = 12;
/// Sweeps before cycling is looked for.
const FIRST_WINDOW: usize = 1000;
/// A window must lower the residual by this factor; otherwise the sweeps cycle. They may be slow,
/// but windows grow with the number of sweeps.
const PROGRESS: f64 = 0.99;
/// Relaxation below which it is not halved.
const LEAST_RELAXATION: f64 = 0.1;

/// Block Gauss-Seidel: contact by contact, the problem of one contact is solved exactly with the
/// percussions of all others held fixed.
///
/// The sweeps are carried on along their last steps.
///
/// Fast to moderate tolerances and robust against strong coupling of normal and tangential
/// directions; slow on rank-deficient problems (stacks) at tight tolerances. Friction makes the
/// problem unsymmetric, and the sweeps can cycle; the relaxation is then halved.
#[derive(Clone, Debug, Default)]
pub struct GaussSeidel {
    options: GaussSeidelOptions,
    monitor: Monitor,
    local: LocalSolver,
    spatial: SpatialSweeps,
    planar: PlanarSweeps,
    extrapolation: Extrapolation,
    /// Sums of the last sweep, once they are known.
    sums: Option<Sums>,
    checks: Checks,
    q: Vec<f64>,
    r: Vec<f64>,
    old: Vec<f64>,
}

/// When the residual is worth its time.
#[derive(Clone, Copy, Debug, Default)]
struct Checks {
    /// Residual over length of the step, at the last judgement.
    residual_per_step: f64,
    next_check: usize,
    /// Sweep up to which even a promised end is not looked at.
    not_before: usize,
}

impl Checks {
    fn is_due(&self, sweep: usize, step: f64, limits: &Limits) -> bool {
        let promised = self.residual_per_step * step.sqrt() <= limits.tolerance;
        (promised && sweep >= self.not_before)
            || sweep >= self.next_check
            || sweep >= limits.max_iterations
    }
}

impl GaussSeidel {
    /// A solver with the given options.
    pub fn new(options: GaussSeidelOptions) -> Result<Self, SolveError> {
        options.validate()?;
        Ok(Self { options, ..Self::default() })
    }

    /// Prepares accelerated sweeps that begin at `lambda`.
    pub(crate) fn begin(&mut self, problem: &InclusionProblem, lambda: &[f64]) {
        self.spatial.begin(problem);
        self.planar.begin(problem);
        self.restart(problem, lambda);
        // When the laws of a contact change (a disk that lies flat, and then leans) no later step
        // needs more memory.
        for buffer in [&mut self.q, &mut self.r, &mut self.old] {
            buffer.reserve(ROOM.saturating_sub(buffer.len()));
        }
        self.local.reserve(ROOM);
        self.checks = Checks { residual_per_step: f64::INFINITY, next_check: 1, not_before: 0 };
    }

    /// Operations that factors of G need at least, as far as sweeps know: those of the contacts that part a pile into
    /// two.
    pub(crate) fn work_of_factors(&mut self) -> f64 {
        let narrowest = self.spatial.slabs().map_or(0, |slabs| slabs.narrowest());
        (3.0 * narrowest as f64).powi(3) / 3.0
    }

    /// Makes room for sweeps that may become necessary later, unless there is some.
    pub(crate) fn make_room(&mut self, problem: &InclusionProblem, lambda: &[f64]) {
        if self.q.capacity() < ROOM {
            self.begin(problem, lambda);
        }
    }

    /// Goes on from `lambda`.
    fn restart(&mut self, problem: &InclusionProblem, lambda: &[f64]) {
        if self.spatial.take(lambda) {
            self.extrapolation.plan(problem.contacts().len());
        } else {
            self.extrapolation.begin(problem, lambda);
        }
    }

    /// Writes the result of the last sweep to `lambda`, where it is kept in another order meanwhile. Until then what
    /// `lambda` holds means nothing.
    pub(crate) fn show(&self, lambda: &mut [f64]) {
        self.spatial.show(lambda);
    }

    /// |step|² of the last sweep.
    pub(crate) fn step(&mut self, lambda: &[f64]) -> f64 {
        self.sums.get_or_insert_with(|| self.extrapolation.sums(lambda)).size
    }

    /// Carries the result of the last sweep on along the last steps.
    pub(crate) fn carry(&mut self, lambda: &mut [f64], _step: f64) {
        let sums = self.sums.take().unwrap_or_else(|| self.extrapolation.sums(lambda));
        match self.spatial.slabs() {
            Some(slabs) => slabs.carry(self.extrapolation.next(&sums)),
            None => self.extrapolation.carry(lambda, &sums),
        }
    }

    /// Whether the residual after this sweep is worth its time, which is that of a sweep: if the
    /// length of the step promises the end, and now and then, more rarely as sweeps add up.
    pub(crate) fn is_due(&self, sweep: usize, step: f64, limits: &Limits) -> bool {
        self.checks.is_due(sweep, step, limits)
    }

    /// Takes note of the residual after this sweep. Where it is small enough and something else is waited
    /// for, the length of the step promises nothing more.
    pub(crate) fn judged(&mut self, sweep: usize, step: f64, residual: f64, limits: &Limits) {
        let waits = residual <= limits.tolerance;
        self.extrapolation.judged(residual);
        self.checks = Checks {
            residual_per_step: if waits { f64::INFINITY } else { residual / step.sqrt() },
            next_check: sweep + if waits { 1 + sweep / 8 } else { 4 + sweep / 4 },
            not_before: sweep + 1 + sweep / 16,
        };
    }

    /// Goes on from sweep number `done`: one sweep, or where threads share them as many as come before the residual is due,
    /// but none beyond number `end`. Returns the number of the last one.
    pub(crate) fn advance(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        relaxation: f64,
        (done, end): (usize, usize),
        limits: &Limits,
    ) -> usize {
        let Self { spatial, extrapolation, checks, sums, .. } = self;
        let Some(slabs) = spatial.slabs() else {
            self.sweep(problem, lambda, relaxation);
            return done + 1;
        };
        let mut number = done;
        slabs.sweep(relaxation, |sweeps| {
            loop {
                let of_sweep = sweeps.sweep(extrapolation.goes_all_ways());
                number += 1;
                *sums = Some(of_sweep);
                if checks.is_due(number, of_sweep.size, limits) || number >= end {
                    return;
                }
                sweeps.carry(extrapolation.next(&of_sweep));
            }
        });
        number
    }

    /// One sweep over all contacts.
    pub(crate) fn sweep(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        relaxation: f64,
    ) {
        if self.spatial.is_ready() {
            let last = self.extrapolation.last_step();
            self.sums = Some(self.spatial.sweep(problem, lambda, relaxation, last));
            return;
        }
        self.sums = None;
        if self.planar.is_ready() {
            self.planar.sweep(problem, lambda, relaxation);
        } else {
            self.sweep_any(problem, lambda, relaxation);
        }
    }

    /// The same for contacts of any kind.
    fn sweep_any(&mut self, problem: &InclusionProblem, lambda: &mut [f64], relaxation: f64) {
        let delassus = problem.delassus();
        let widest = problem.contacts().iter().map(|k| k.dim).max().unwrap_or(0);
        for buffer in [&mut self.q, &mut self.r, &mut self.old] {
            buffer.resize(widest, 0.0);
        }
        for (index, contact) in problem.contacts().iter().enumerate() {
            if relaxation == 1.0 && sweep_spatial(problem, index, lambda) {
                continue;
            }
            let range = contact.range();
            let (q, r) = (&mut self.q[..contact.dim], &mut self.r[..contact.dim]);
            q.copy_from_slice(&problem.c()[range.clone()]);
            r.copy_from_slice(&lambda[range.clone()]);
            // Velocity without the contact's own percussion.
            lambda[range.clone()].fill(0.0);
            delassus.add_row_product(index, lambda, q);
            if relaxation != 1.0 {
                self.old[..contact.dim].copy_from_slice(r);
            }
            self.local.solve(problem, index, q, r);
            if relaxation != 1.0 {
                for (new, old) in r.iter_mut().zip(&self.old) {
                    *new = old + relaxation * (*new - old);
                }
            }
            lambda[range].copy_from_slice(r);
        }
    }
}

/// Solves a contact of Signorini and Coulomb in space, the most frequent of all. False if it is another.
#[inline]
fn sweep_spatial(problem: &InclusionProblem, index: usize, lambda: &mut [f64]) -> bool {
    let contact = &problem.contacts()[index];
    let Some(mu) = contact.coulomb.filter(|_| contact.dim == 3 && contact.laws.len() == 2) else {
        return false;
    };
    let delassus = problem.delassus();
    let (Some(a), Some(c), Some(own)) = (
        delassus.diagonal(index).first_chunk::<9>(),
        problem.c()[contact.range()].first_chunk::<3>(),
        lambda[contact.range()].first_chunk_mut::<3>(),
    ) else {
        return false;
    };
    let (start, mut q) = (*own, *c);
    // Velocity without the contact's own percussion.
    *own = [0.0; 3];
    delassus.add_row_product(index, lambda, &mut q);
    lambda[contact.range()].copy_from_slice(&solve_spatial(a, &q, mu, &start));
    true
}

impl Solver for GaussSeidel {
    fn name(&self) -> &'static str {
        "gauss-seidel"
    }

    fn limits(&self) -> Limits {
        self.options.limits
    }

    fn set_limits(&mut self, limits: Limits) {
        self.options.limits = limits;
    }

    fn solve(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        check_start(problem, lambda)?;
        let limits = self.options.limits;
        self.monitor.begin(&limits, problem, lambda);
        if self.monitor.stops(0) {
            return Ok(self.monitor.end(lambda, 0, Status::Solved));
        }
        let mut relaxation = self.options.relaxation;
        let mut mark = self.monitor.best();
        let mut window_end = FIRST_WINDOW;
        self.begin(problem, lambda);
        let mut sweep = 0;
        while sweep < limits.max_iterations {
            let goal = (sweep, limits.max_iterations);
            sweep = self.advance(problem, lambda, relaxation, goal, &limits);
            let step = self.step(lambda);
            if self.is_due(sweep, step, &limits) {
                self.show(lambda);
                let residual = self.monitor.judge(problem, lambda).value;
                self.judged(sweep, step, residual, &limits);
                if self.monitor.stops(sweep) {
                    return Ok(self.monitor.end(lambda, sweep, Status::Solved));
                }
                if self.monitor.out_of_time() {
                    return Ok(self.monitor.end(lambda, sweep, Status::TimeLimit));
                }
                if sweep >= window_end {
                    if self.monitor.best() > PROGRESS * mark && relaxation > LEAST_RELAXATION {
                        relaxation *= 0.5;
                        lambda.copy_from_slice(self.monitor.best_lambda());
                        self.restart(problem, lambda);
                    }
                    mark = self.monitor.best();
                    window_end = sweep + FIRST_WINDOW + sweep / 2;
                }
            }
            self.carry(lambda, step);
        }
        Ok(self.monitor.end(lambda, limits.max_iterations, Status::MaxIterations))
    }
}
