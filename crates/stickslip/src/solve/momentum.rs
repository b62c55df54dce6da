//! Momentum of sweeps over many contacts.

use super::extrapolation::PLAIN;

/// Most momentum: as measured on piles, where more of it excites contacts faster than it helps. In a long solve nearly
/// all contacts have found their state, and what is left is slow: it may grow to 1 − GROWS/sweeps.
const MOST: f64 = 0.85;
const GROWS: f64 = 40.0;
/// A step this much longer (as a square) than the one before ends all momentum.
const ASTRAY: f64 = 2.0;
/// What momentum is multiplied with where the residual has not fallen.
const LESS: f64 = 0.7;

/// How much momentum there is (Nesterov 1983):
///
/// ```text
/// Λ_{k+1} = X_k + β (X_k − X_{k−1}),      X_k = S(Λ_k)
/// ```
///
/// Friction makes the problem unsymmetric, and contacts change between open, sticking and slipping. Started anew where the
/// step of all contacts turns back (O'Donoghue and Candès 2015), momentum ends in cycles, whose residual some ten contacts
/// make up. So each contact loses its own as soon as its own step points back ([`carry`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct Momentum {
    /// Nesterov's t, which momentum grows by.
    t: f64,
    /// |last step|².
    last_size: f64,
    /// Part that is left where the residual has not fallen.
    share: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { t: 1.0, last_size: f64::INFINITY, share: 1.0 }
    }
}

impl Momentum {
    /// Starts anew.
    pub(super) fn restart(&mut self) {
        (self.t, self.last_size) = (1.0, f64::INFINITY);
    }

    /// Takes note of whether the residual falls.
    pub(super) fn judged(&mut self, falls: bool) {
        self.share = if falls { (self.share / LESS).min(1.0) } else { self.share * LESS };
    }

    /// β after so many sweeps, the last with this |step|².
    pub(super) fn factor(&mut self, sweeps: usize, size: f64) -> f64 {
        // A NaN takes the careful branch.
        if sweeps <= PLAIN || !(size <= ASTRAY * self.last_size) {
            self.t = 1.0;
        }
        self.last_size = size;
        let t = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let most = self.share * MOST.max(1.0 - GROWS / sweeps as f64);
        let factor = ((self.t - 1.0) / t).min(most);
        self.t = t;
        factor
    }
}

/// Percussions of a sweep, and what momentum needs to know of each.
pub(super) struct Carried<'a> {
    /// The result of the sweep; it is carried on.
    pub(super) lambda: &'a mut [f64],
    /// What the sweep began with; what the next one does then.
    pub(super) before: &'a mut [f64],
    /// The result of the sweep before; this one's then.
    pub(super) last: &'a mut [f64],
    /// Diagonal of G: products are energies then, whatever the units of a component are.
    pub(super) weights: &'a [f64],
}

/// Carries on contacts whose components end at `ends`; with three components each if there are none.
pub(super) fn carry(momentum: f64, of: Carried<'_>, ends: &[usize]) {
    let Carried { lambda, before, last, weights } = of;
    if ends.is_empty() {
        let (lambda, before) = (lambda.as_chunks_mut().0, before.as_chunks_mut().0);
        let (last, weights) = (last.as_chunks_mut().0, weights.as_chunks().0);
        return carry_spatial(momentum, lambda, before, last, weights);
    }
    let mut start = 0;
    for &end in ends {
        let own = start..end;
        start = end;
        let (lambda, before) = (&mut lambda[own.clone()], &mut before[own.clone()]);
        carry_contact(momentum, lambda, before, &mut last[own.clone()], &weights[own]);
    }
}

fn carry_spatial(
    momentum: f64,
    lambda: &mut [[f64; 3]],
    before: &mut [[f64; 3]],
    last: &mut [[f64; 3]],
    weights: &[[f64; 3]],
) {
    let kept = before.iter_mut().zip(last).zip(weights);
    for (lambda, ((before, last), weights)) in lambda.iter_mut().zip(kept) {
        carry_contact(momentum, lambda, before, last, weights);
    }
}

/// Carries on one contact, unless its step points back.
#[inline(always)]
fn carry_contact(
    momentum: f64,
    lambda: &mut [f64],
    before: &mut [f64],
    last: &mut [f64],
    weights: &[f64],
) {
    let mut along = 0.0;
    for k in 0..lambda.len() {
        along += weights[k] * (lambda[k] - before[k]) * (lambda[k] - last[k]);
    }
    let momentum = if along > 0.0 { momentum } else { 0.0 };
    for k in 0..lambda.len() {
        let result = lambda[k];
        lambda[k] += momentum * (result - last[k]);
        last[k] = result;
        before[k] = lambda[k];
    }
}
