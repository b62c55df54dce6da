//! Sweeps carried on along their last steps.

use crate::problem::InclusionProblem;

/// Products of the last two steps f and f′ of an iteration, in the norm of [`Extrapolation`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    /// |f|².
    pub(crate) size: f64,
    /// ⟨f − f′, f⟩.
    pub(crate) along: f64,
    /// |f − f′|².
    pub(crate) square: f64,
}

impl Sums {
    /// Adds those of components with this weight.
    #[inline(always)]
    pub(crate) fn add(&mut self, weight: f64, step: f64, last: f64) {
        let change = step - last;
        self.size += weight * step * step;
        self.along += weight * change * step;
        self.square += weight * change * change;
    }
}

/// Sweeps that are left as they are: a problem that ends within them needs no help.
const PLAIN: usize = 16;

/// Speeds up an iteration Λ ← S(Λ) by a secant through its last two steps.
///
/// Anderson's acceleration (Anderson 1965, "Iterative procedures for nonlinear integral equations")
/// of depth one: with the step f_k = S(Λ_k) − Λ_k,
///
/// ```text
/// Λ_{k+1} = S(Λ_k) − b (S(Λ_k) − S(Λ_{k−1})),      b minimises |f_k − b (f_k − f_{k−1})|
/// ```
///
/// As soon as a step is longer than the one before it starts anew from the plain sweep: contacts
/// have changed their state, and the secant means nothing. Norms are weighted by the diagonal of
/// G, which makes them energies whatever the units of a component are. Greater depth was tried on
/// piles of spheres; it saves a twentieth of the sweeps, and this one halves them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extrapolation {
    weights: Vec<f64>,
    /// Λ before the sweep.
    before: Vec<f64>,
    /// Step and result of the sweep before.
    last_step: Vec<f64>,
    last_result: Vec<f64>,
    /// |last step|²; infinite where there is none.
    last_size: f64,
    sweeps: usize,
}

impl Extrapolation {
    /// Begins anew at `lambda`.
    pub(crate) fn begin(&mut self, problem: &InclusionProblem, lambda: &[f64]) {
        self.weights.clear();
        for (index, contact) in problem.contacts().iter().enumerate() {
            let entry = |k| problem.delassus().diagonal_entry(index, k);
            self.weights.extend((0..contact.dim).map(entry));
        }
        for buffer in [&mut self.before, &mut self.last_step, &mut self.last_result] {
            buffer.clear();
            buffer.extend_from_slice(lambda);
        }
        self.last_size = f64::INFINITY;
        self.sweeps = 0;
    }

    /// The sums of the sweep that led to `lambda`.
    pub(crate) fn sums(&self, lambda: &[f64]) -> Sums {
        let mut sums = Sums::default();
        for k in 0..lambda.len() {
            sums.add(self.weights[k], lambda[k] - self.before[k], self.last_step[k]);
        }
        sums
    }

    /// Step of the sweep before, for sweeps that make the sums themselves on their way.
    pub(crate) fn last_step(&self) -> &[f64] {
        &self.last_step
    }

    /// Carries `lambda`, the result of a sweep with these sums, on.
    pub(crate) fn carry(&mut self, lambda: &mut [f64], sums: &Sums) {
        let Self { before, last_step, last_result, last_size, sweeps, .. } = self;
        *sweeps += 1;
        let mut b = 0.0;
        if *sweeps > PLAIN && sums.size <= *last_size {
            b = sums.along / sums.square;
        }
        if !b.is_finite() {
            b = 0.0;
        }
        let kept = last_step.iter_mut().zip(last_result).zip(before);
        for (lambda, ((last_step, last_result), before)) in lambda.iter_mut().zip(kept) {
            let result = *lambda;
            *last_step = result - *before;
            *lambda -= b * (result - *last_result);
            *last_result = result;
            *before = *lambda;
        }
        *last_size = sums.size;
    }
}
