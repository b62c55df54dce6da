//! Sweeps carried on along their last steps.

use super::momentum::{self, Carried, Momentum};
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
pub(super) const PLAIN: usize = 16;
/// Contacts from which sweeps have momentum. Fewer have few slow modes, which a secant finds.
const MANY: usize = 400;
/// Sweeps of a window, beside a quarter of all, and what it must bring the residual to, relative to its start.
const WINDOW: usize = 32;
const PROGRESS: f64 = 0.7;

/// How sweeps are carried on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    #[default]
    Secant,
    Momentum,
}

/// Speeds up an iteration Λ ← S(Λ) by a secant through its last two steps, or by momentum.
///
/// The secant is Anderson's acceleration (Anderson 1965, "Iterative procedures for nonlinear integral equations")
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
///
/// Many contacts change their states in nearly every sweep, which makes a secant start anew again and again: they are
/// carried on by momentum ([`Momentum`]), which halves the sweeps of piles once more. Where the residual does not
/// fall by it the other way is tried, and the better one kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extrapolation {
    weights: Vec<f64>,
    /// Where the components of each contact end; none if each contact has three.
    ends: Vec<usize>,
    /// Λ before the sweep.
    before: Vec<f64>,
    /// Step and result of the sweep before.
    last_step: Vec<f64>,
    last_result: Vec<f64>,
    /// |last step|² of the secant; none if no secant can be drawn through it.
    last_size: Option<f64>,
    momentum: Momentum,
    way: Way,
    contacts: usize,
    sweeps: usize,
    /// Least residual so far; sweeps and that at the start of the window.
    least: f64,
    mark: (usize, f64),
    /// By how much its logarithm fell in a sweep by secant and by momentum; infinite where it is not known.
    rates: [f64; 2],
}

impl Extrapolation {
    /// Begins anew at `lambda`.
    pub(crate) fn begin(&mut self, problem: &InclusionProblem, lambda: &[f64]) {
        let Self { weights, ends, .. } = self;
        weights.clear();
        ends.clear();
        for (contact, of) in problem.contacts().iter().enumerate() {
            let entry = |k| problem.delassus().diagonal_entry(contact, k);
            weights.extend((0..of.dim).map(entry));
            ends.push(weights.len());
        }
        if ends.iter().enumerate().all(|(contact, end)| *end == 3 * (contact + 1)) {
            ends.clear();
        }
        for buffer in [&mut self.before, &mut self.last_step, &mut self.last_result] {
            buffer.clear();
            buffer.extend_from_slice(lambda);
        }
        self.plan(problem.contacts().len());
    }

    /// Begins anew for so many contacts whose percussions are carried on by others, as it is told by
    /// [`next`](Self::next).
    pub(crate) fn plan(&mut self, contacts: usize) {
        self.contacts = contacts;
        self.way = if contacts >= MANY { Way::Momentum } else { Way::Secant };
        self.last_size = Some(f64::INFINITY);
        self.momentum = Momentum::default();
        self.sweeps = 0;
        (self.least, self.mark) = (f64::INFINITY, (0, f64::INFINITY));
        self.rates = [f64::INFINITY; 2];
    }

    /// Takes note of the residual after the last sweep. Where it falls slowly the other way is tried, unless it is known
    /// to be slower.
    pub(crate) fn judged(&mut self, residual: f64) {
        self.least = self.least.min(residual);
        if self.contacts < MANY || self.sweeps < self.mark.0 + WINDOW + self.sweeps / 4 {
            return;
        }
        let (start, before) = self.mark;
        self.mark = (self.sweeps, self.least);
        if before == f64::INFINITY {
            return;
        }
        let falls = self.least <= PROGRESS * before;
        let rate = (before / self.least).ln() / (self.sweeps - start) as f64;
        let (own, other) = match self.way {
            Way::Secant => (0, 1),
            Way::Momentum => (1, 0),
        };
        self.rates[own] = rate;
        self.momentum.judged(falls);
        if !falls && self.rates[other] > rate {
            self.way = if self.way == Way::Secant { Way::Momentum } else { Way::Secant };
            self.momentum.restart();
            self.last_size = None;
        }
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

    /// How far percussions are to be carried on behind a sweep with these sums, over the way from the result before.
    pub(crate) fn next(&mut self, sums: &Sums) -> f64 {
        self.sweeps += 1;
        if self.way == Way::Momentum {
            return self.momentum.factor(self.sweeps, sums.size);
        }
        let mut b = 0.0;
        if self.sweeps > PLAIN && self.last_size.is_some_and(|last| sums.size <= last) {
            b = sums.along / sums.square;
        }
        self.last_size = Some(sums.size);
        if b.is_finite() { -b } else { 0.0 }
    }

    /// Whether what turns back is carried on too.
    pub(crate) fn goes_all_ways(&self) -> bool {
        self.way == Way::Secant
    }

    /// Carries `lambda`, the result of a sweep with these sums, on.
    pub(crate) fn carry(&mut self, lambda: &mut [f64], sums: &Sums) {
        let factor = self.next(sums);
        let Self { weights, ends, before, last_step, last_result, .. } = self;
        if self.way == Way::Momentum {
            let of = Carried { lambda, before, last: last_result, weights };
            return momentum::carry(factor, of, ends);
        }
        let kept = last_step.iter_mut().zip(last_result).zip(before);
        for (lambda, ((last_step, last_result), before)) in lambda.iter_mut().zip(kept) {
            let result = *lambda;
            *last_step = result - *before;
            *lambda += factor * (result - *last_result);
            *last_result = result;
            *before = *lambda;
        }
    }
}
