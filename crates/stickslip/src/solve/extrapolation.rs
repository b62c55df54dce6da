//! Sweeps carried on along their last steps.

use crate::problem::InclusionProblem;

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

    /// |step|² of the sweep that led to `lambda`.
    pub(crate) fn step(&self, lambda: &[f64]) -> f64 {
        let steps = lambda.iter().zip(&self.before).zip(&self.weights);
        steps.map(|((new, old), weight)| weight * (new - old) * (new - old)).sum()
    }

    /// Carries `lambda`, the result of a sweep with this |step|², on.
    pub(crate) fn carry(&mut self, lambda: &mut [f64], size: f64) {
        let Self { weights, before, last_step, last_result, last_size, sweeps } = self;
        *sweeps += 1;
        let mut b = 0.0;
        if *sweeps > PLAIN && size <= *last_size {
            let (mut along, mut square) = (0.0, 0.0);
            for k in 0..lambda.len() {
                let step = lambda[k] - before[k];
                let change = step - last_step[k];
                along += weights[k] * change * step;
                square += weights[k] * change * change;
            }
            b = along / square;
        }
        if !b.is_finite() {
            b = 0.0;
        }
        for k in 0..lambda.len() {
            let result = lambda[k];
            last_step[k] = result - before[k];
            lambda[k] -= b * (result - last_result[k]);
            last_result[k] = result;
            before[k] = lambda[k];
        }
        *last_size = size;
    }
}
