//! Bookkeeping that all iterative solvers share: best iterate, stopping, stalling, time.

use super::{Limits, SolveReport, Status};
use crate::problem::{InclusionProblem, Residual, largest};
use std::time::Instant;

/// Percussions, as velocities relative to the data, that no stack or wedge needs.
pub(crate) const MOST_PERCUSSION: f64 = 1e5;
/// Error relative to the data that is asked of percussions above that.
const ERROR_OF_LARGE: f64 = 1e-3;
/// Percussions beside which rounding hides the data.
const PERCUSSION_OF_ROUNDING: f64 = 1e10;

/// Iterations that exactness by component is worth at least, and components from which it is fewer: in a
/// small problem they cost next to nothing.
const PATIENCE: usize = 10;
const PATIENT_UP_TO: usize = 48;

/// Watches one solve: judges iterates by the problem's residual and keeps the best of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Monitor {
    limits: Limits,
    start: Option<Instant>,
    best: Vec<f64>,
    best_residual: Residual,
    /// Relative velocities of the last judged iterate.
    pub(crate) xi: Vec<f64>,
    /// Diagonal of G, and its mean.
    diagonal: Vec<f64>,
    mean: f64,
    /// |c|, a velocity.
    data: f64,
    /// A velocity that iterates are not infinitely larger than: |c| or the size of the start, whichever
    /// is larger.
    reference: f64,
    /// Size of the best iterate, and of the last that was judged; see [`scaled_size`].
    best_size: f64,
    last_size: f64,
    /// Whether the best iterate fulfils every law in its own scale.
    is_exact: bool,
    /// Iteration up to which that is worth waiting for.
    patience: Option<usize>,
}

impl Monitor {
    /// Begins a solve and judges the start. Returns its residual.
    pub(crate) fn begin(
        &mut self,
        limits: &Limits,
        problem: &InclusionProblem,
        lambda: &[f64],
    ) -> Residual {
        self.set_out(limits);
        self.judge_start(problem, lambda)
    }

    /// Begins a solve whose start is judged later: time counts from now on.
    pub(crate) fn set_out(&mut self, limits: &Limits) {
        self.limits = *limits;
        self.start = limits.max_time.map(|_| Instant::now());
    }

    /// Judges the start of a solve that has begun. Returns its residual.
    pub(crate) fn judge_start(&mut self, problem: &InclusionProblem, lambda: &[f64]) -> Residual {
        let residual = self.judge_end(problem, lambda);
        self.is_exact = self.is_exact(problem, lambda, &residual);
        residual
    }

    /// The same for a result that no iteration follows, so that nothing has to be exact by component.
    pub(crate) fn judge_end(&mut self, problem: &InclusionProblem, lambda: &[f64]) -> Residual {
        self.best.clear();
        self.best.extend_from_slice(lambda);
        self.xi.resize(lambda.len(), 0.0);
        self.diagonal.clear();
        self.diagonal.extend(problem.delassus().diagonal_entries());
        let count = self.diagonal.len().max(1) as f64;
        self.mean = self.diagonal.iter().sum::<f64>() / count;
        self.best_residual = problem.residual_by(self.mean, lambda, &mut self.xi);
        if !self.best_residual.value.is_finite() {
            self.best_residual.value = f64::INFINITY;
        }
        self.last_size = largest_product(&self.diagonal, lambda);
        self.best_size = self.last_size;
        self.data = largest(problem.c());
        self.reference = self.best_size.max(self.data);
        self.patience = None;
        self.is_exact = false;
        self.best_residual
    }

    /// Whether an iterate whose residual is small enough is so by component, too.
    fn is_exact(&self, problem: &InclusionProblem, lambda: &[f64], residual: &Residual) -> bool {
        residual.value <= self.limits.tolerance
            && problem.is_exact_by_component(lambda, &self.xi, self.limits.tolerance)
    }

    /// Judges an iterate; keeps it if it is the best so far.
    pub(crate) fn judge(&mut self, problem: &InclusionProblem, lambda: &[f64]) -> Residual {
        let residual = problem.residual_by(self.mean, lambda, &mut self.xi);
        self.last_size = largest_product(&self.diagonal, lambda);
        if self.diverged() {
            return residual;
        }
        let is_exact = self.is_exact(problem, lambda, &residual);
        // A NaN compares false and is never kept.
        if (residual.value < self.best_residual.value && is_exact >= self.is_exact)
            || (is_exact && !self.is_exact)
        {
            self.best_residual = residual;
            self.best.copy_from_slice(lambda);
            self.best_size = self.last_size;
            self.is_exact = is_exact;
        }
        residual
    }

    /// Whether to stop after so many iterations: the best iterate is good enough, and exact by
    /// component, or that has been waited for in vain. The residual is what a solve is judged by;
    /// what is beyond it must not cost more than half of the work again, or a quarter in larger problems.
    pub(crate) fn stops(&mut self, iteration: usize) -> bool {
        if !self.solved() {
            return false;
        }
        let more = if self.best.len() <= PATIENT_UP_TO {
            PATIENCE + iteration / 2
        } else {
            2 + (iteration / 4).min(PATIENCE)
        };
        let end = *self.patience.get_or_insert(iteration + more);
        self.is_exact || iteration >= end
    }

    /// Whether the best iterate is good enough.
    ///
    /// A problem without solution has a sequence of ever larger percussions along which the
    /// residual, which is relative to them, tends to zero, but not the error itself. So where
    /// percussions are huge the error must also be small against the data.
    pub(crate) fn solved(&self) -> bool {
        let residual = self.best_residual.value;
        residual <= self.limits.tolerance
            && (self.best_size <= MOST_PERCUSSION * self.data
                || residual * self.best_size <= ERROR_OF_LARGE * self.data)
    }

    /// Whether the last percussions that were judged are so large that rounding hides the data.
    pub(crate) fn diverged(&self) -> bool {
        self.last_size > PERCUSSION_OF_ROUNDING * self.reference
    }

    /// Residual of the best iterate.
    pub(crate) fn best(&self) -> f64 {
        self.best_residual.value
    }

    /// The whole residual of the best iterate.
    pub(crate) fn best_residual(&self) -> Residual {
        self.best_residual
    }

    /// The best iterate.
    pub(crate) fn best_lambda(&self) -> &[f64] {
        &self.best
    }

    /// Whether the time has run out, or the solve is asked to end.
    pub(crate) fn out_of_time(&self) -> bool {
        self.deadline().is_some_and(|end| Instant::now() >= end) || crate::stop::requested()
    }

    /// When the time will have run out.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.start?.checked_add(self.limits.max_time?)
    }

    /// Time that is left, if it is limited.
    pub(crate) fn time_left(&self) -> Option<std::time::Duration> {
        match (self.start, self.limits.max_time) {
            (Some(start), Some(limit)) => Some(limit.saturating_sub(start.elapsed())),
            _ => None,
        }
    }

    /// Ends the solve: `lambda` receives the best iterate. `otherwise` is the status if the
    /// tolerance was not reached.
    pub(crate) fn end(
        &mut self,
        lambda: &mut [f64],
        iterations: usize,
        otherwise: Status,
    ) -> SolveReport {
        lambda.copy_from_slice(&self.best);
        let status = if self.solved() { Status::Solved } else { otherwise };
        SolveReport { status, iterations, residual: self.best_residual }
    }
}

/// Largest G_kk |Λ_k|, a velocity: what one component alone does. Components may differ in scale by
/// many orders, as that of contour friction of a disk that is nearly flat does.
pub(crate) fn scaled_size(problem: &InclusionProblem, lambda: &[f64]) -> f64 {
    let products = problem.delassus().diagonal_entries().zip(lambda);
    products.fold(0.0, |size: f64, (entry, percussion)| size.max((entry * percussion).abs()))
}

/// The same with the diagonal in a list: two numbers at a time.
fn largest_product(diagonal: &[f64], lambda: &[f64]) -> f64 {
    let (fours, rest) = diagonal.as_chunks::<4>();
    let (of_fours, of_rest) = lambda.as_chunks::<4>();
    let mut sizes = [0.0_f64; 4];
    for (entries, percussions) in fours.iter().zip(of_fours) {
        for k in 0..4 {
            sizes[k] = sizes[k].max((entries[k] * percussions[k]).abs());
        }
    }
    let all = rest.iter().zip(of_rest).map(|(entry, percussion)| (entry * percussion).abs());
    all.chain(sizes).fold(0.0, f64::max)
}
