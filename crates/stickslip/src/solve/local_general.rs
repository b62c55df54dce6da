//! One contact with any laws: Newton on the prox equations, and a slow method that cannot fail
//! behind it.
//!
//! Components of different kinds (a force, a torque) are brought to one scale first, Λ̂ = S Λ with
//! unit diagonal of Â = S⁻¹ A S⁻¹; the sets follow (Möller 2009, sec. 5). For the Tippe-Top the
//! unscaled axes differ by a factor of about 31.

use super::equations::{self, LawView, Scratch};
use crate::convex::{ConvexSet, Set};
use crate::linear::solve_in_place;
use crate::problem::{Law, Reservoir, equilibrating_factors, largest, unit_of_squares};

/// Relative size of |F| at which Newton stops (a unit of rounding), and the one that is
/// accepted where rounding prevents more.
const GOAL: f64 = 4e-16;
const ACCEPTED_MERIT: f64 = 1e-13;
const NEWTON_STEPS: usize = 30;

/// A law in the scaled coordinates of the contact.
#[derive(Clone, Debug)]
struct ScaledLaw {
    set: Set,
    reservoir: Reservoir,
    gain: f64,
    first: usize,
    dim: usize,
}

impl ScaledLaw {
    fn view(&self) -> LawView<'_> {
        LawView {
            set: &self.set,
            reservoir: self.reservoir,
            gain: self.gain,
            first: self.first,
            dim: self.dim,
        }
    }
}

/// Memory and method for contacts with general laws.
#[derive(Clone, Debug, Default)]
pub(crate) struct GeneralContact {
    laws: Vec<ScaledLaw>,
    factors: Vec<f64>,
    ones: Vec<f64>,
    a: Vec<f64>,
    q: Vec<f64>,
    lambda: Vec<f64>,
    xi: Vec<f64>,
    f: Vec<f64>,
    block_a: Vec<f64>,
    block_b: Vec<f64>,
    jacobian: Vec<f64>,
    step: Vec<f64>,
    start: Vec<f64>,
    scratch: Scratch,
    /// Factor on Λ̂ and q̂ before they are squared.
    unit: f64,
}

impl GeneralContact {
    /// Solves the contact for r (in: the start); see [`super::local::LocalSolver::solve`].
    pub(crate) fn solve(
        &mut self,
        laws: &[Law],
        offset: usize,
        a: &[f64],
        q: &[f64],
        r: &mut [f64],
    ) {
        self.scale(laws, offset, a, q, r);
        let newton = self.newton();
        if newton > ACCEPTED_MERIT {
            // Keep the better of the two answers.
            self.start.copy_from_slice(&self.lambda);
            let nested = self.nested();
            if nested > newton {
                self.lambda.copy_from_slice(&self.start);
            }
        }
        for (i, x) in r.iter_mut().enumerate() {
            *x = self.lambda[i] / self.factors[i];
        }
    }

    /// Makes room for contacts of this dimension.
    pub(crate) fn reserve(&mut self, dim: usize) {
        if self.laws.capacity() >= dim {
            return;
        }
        for buffer in [
            &mut self.factors,
            &mut self.ones,
            &mut self.q,
            &mut self.lambda,
            &mut self.xi,
            &mut self.f,
            &mut self.step,
            &mut self.start,
        ] {
            buffer.reserve(dim);
        }
        for buffer in [&mut self.a, &mut self.block_a, &mut self.block_b, &mut self.jacobian] {
            buffer.reserve(dim * dim);
        }
        self.scratch.reserve(dim);
        self.laws.reserve(dim);
    }

    fn scale(&mut self, laws: &[Law], offset: usize, a: &[f64], q: &[f64], r: &[f64]) {
        let n = q.len();
        for buffer in [
            &mut self.factors,
            &mut self.q,
            &mut self.lambda,
            &mut self.xi,
            &mut self.f,
            &mut self.step,
            &mut self.start,
        ] {
            buffer.resize(n, 0.0);
        }
        self.ones.resize(n, 1.0);
        for buffer in [&mut self.a, &mut self.block_a, &mut self.block_b, &mut self.jacobian] {
            buffer.resize(n * n, 0.0);
        }
        self.laws.clear();
        for i in 0..n {
            self.step[i] = a[i * n + i];
        }
        for law in laws {
            let first = law.offset - offset;
            let range = first..first + law.dim;
            let factors = &mut self.factors[range.clone()];
            equilibrating_factors(&law.set, &self.step[range], factors);
            // A set without a stretched form keeps its shape: its factors are equal.
            let (set, gain) = match law.set.stretched(factors) {
                Some(set) => (set, 1.0),
                None => (law.set.clone(), factors[0]),
            };
            self.scratch.reserve(law.dim);
            self.laws.push(ScaledLaw { set, reservoir: law.reservoir, gain, first, dim: law.dim });
        }
        // The reservoir is the unscaled normal percussion.
        let normal = self.factors[0];
        for law in &mut self.laws {
            if law.reservoir.takes_normal() {
                law.gain /= normal;
            }
            if let Reservoir::NormalPlus(s) = &mut law.reservoir {
                *s *= normal;
            }
        }
        for i in 0..n {
            self.step[i] = 1.0 / self.factors[i];
        }
        let inverse = &self.step;
        for i in 0..n {
            self.q[i] = q[i] * inverse[i];
            self.lambda[i] = r[i] * self.factors[i];
        }
        for ((row, a_row), f) in self.a.chunks_exact_mut(n).zip(a.chunks_exact(n)).zip(inverse) {
            for ((out, a), g) in row.iter_mut().zip(a_row).zip(inverse) {
                *out = a * f * g;
            }
        }
        self.unit = unit_of_squares(largest(&self.q).max(largest(&self.lambda)));
    }

    /// ξ and F at Λ̂; returns |F| relative to the size of the terms in it.
    fn evaluate(&mut self) -> f64 {
        let n = self.q.len();
        let mut size = 0.0;
        for ((xi, q), row) in self.xi.iter_mut().zip(&self.q).zip(self.a.chunks_exact(n)) {
            *xi = row.iter().zip(&self.lambda).fold(*q, |sum, (a, l)| sum + a * l);
            size += (q * self.unit).powi(2);
        }
        size += self.lambda.iter().map(|l| (l * self.unit).powi(2)).sum::<f64>();
        for law in &self.laws {
            equations::residual(
                &law.view(),
                &self.ones,
                &self.lambda,
                &self.xi,
                &mut self.f,
                &mut self.scratch,
            );
        }
        let sum: f64 = self.f.iter().map(|v| (v * self.unit).powi(2)).sum();
        if sum == 0.0 { 0.0 } else { (sum / size).sqrt() }
    }

    /// Semismooth Newton with line search. Returns the relative |F| reached.
    fn newton(&mut self) -> f64 {
        let n = self.q.len();
        let mut merit = self.evaluate();
        for _ in 0..NEWTON_STEPS {
            if merit <= GOAL {
                break;
            }
            self.block_a.fill(0.0);
            self.block_b.fill(0.0);
            for law in &self.laws {
                equations::derivative(
                    &law.view(),
                    &self.ones,
                    &self.lambda,
                    &self.xi,
                    &mut self.block_a,
                    &mut self.block_b,
                    &mut self.scratch,
                );
            }
            self.jacobian.copy_from_slice(&self.block_a);
            for (row, b_row) in self.jacobian.chunks_exact_mut(n).zip(self.block_b.chunks_exact(n))
            {
                for (b, a_row) in b_row.iter().zip(self.a.chunks_exact(n)) {
                    // Laws do not mix their components: most of B is zero.
                    if *b != 0.0 {
                        for (j, a) in row.iter_mut().zip(a_row) {
                            *j += b * a;
                        }
                    }
                }
            }
            for (step, f) in self.step.iter_mut().zip(&self.f) {
                *step = -f;
            }
            if !solve_in_place(&mut self.jacobian, &mut self.step) {
                return merit;
            }
            self.start.copy_from_slice(&self.lambda);
            let before = merit;
            let mut length = 1.0;
            for _ in 0..8 {
                for i in 0..n {
                    self.lambda[i] = self.start[i] + length * self.step[i];
                }
                merit = self.evaluate();
                if merit < before || before <= ACCEPTED_MERIT {
                    break;
                }
                length *= 0.5;
            }
            // Not better, also where it is NaN: stay.
            if merit.is_nan() || merit >= before {
                self.lambda.copy_from_slice(&self.start);
                return self.evaluate();
            }
        }
        merit
    }

    /// Root search for the normal percussion, with the friction problem solved at each trial: for
    /// a given normal percussion it is monotone. Returns the relative |F| reached.
    fn nested(&mut self) -> f64 {
        let depends = self.laws.iter().any(|law| law.reservoir.takes_normal());
        if !depends {
            self.friction(0, 0.0);
            return self.evaluate();
        }
        // Velocity ξ̂_N rises from a negative value at `low`; find where it is positive.
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut trial = 0.0;
        let largest = self.q.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        for _ in 0..200 {
            let velocity = self.friction(1, trial);
            if trial == 0.0 && velocity >= 0.0 {
                break;
            }
            if velocity < 0.0 {
                low = trial;
            } else {
                high = trial;
            }
            if high.is_finite() && high - low <= 4e-16 * high {
                break;
            }
            trial = if high.is_finite() {
                0.5 * (low + high)
            } else if trial < 1e12 * largest {
                4.0 * trial + largest
            } else {
                break; // the contact jams: no percussion opens it
            };
        }
        self.evaluate()
    }

    /// Projected gradient for the components from `first` on at a given normal percussion.
    /// Returns ξ̂_N.
    fn friction(&mut self, first: usize, normal: f64) -> f64 {
        let n = self.q.len();
        if first == 1 {
            self.lambda[0] = normal;
        }
        let norm = (0..n)
            .map(|i| self.a[i * n..(i + 1) * n].iter().map(|v| v.abs()).sum::<f64>())
            .fold(0.0, f64::max);
        let row =
            |s: &Self, i: usize| s.q[i] + (0..n).map(|j| s.a[i * n + j] * s.lambda[j]).sum::<f64>();
        for _ in 0..2000 {
            for i in first..n {
                self.xi[i] = row(self, i);
            }
            let mut change = 0.0_f64;
            let mut size = 0.0_f64;
            for index in 0..self.laws.len() {
                let law = &self.laws[index];
                if law.first < first {
                    continue;
                }
                let scale = match law.reservoir {
                    Reservoir::Unbounded => 1.0,
                    other => law.gain * other.scale(normal),
                };
                let range = law.first..law.first + law.dim;
                for i in range.clone() {
                    self.step[i] = self.lambda[i] - self.xi[i] / norm;
                }
                law.set.prox(scale, &mut self.step[range.clone()]);
                for i in range {
                    change = change.max((self.step[i] - self.lambda[i]).abs());
                    size = size.max(self.step[i].abs());
                    self.lambda[i] = self.step[i];
                }
            }
            if change <= 1e-16 * size {
                break;
            }
        }
        row(self, 0)
    }
}
