//! Small dense systems whose equations may be redundant.

/// Pivots below this share of the scaled diagonal count as zero.
const PIVOT: f64 = 1e-11;
/// Shift of the diagonal for redundant equations, and the rounds that take its effect out again.
/// at most. The shift must not be small: rounding grows by its inverse where nothing else holds.
const SHIFT: f64 = 1e-4;
const ROUNDS: usize = 60;
/// Residual that ends the rounds, relative.
const ENOUGH: f64 = 1e-15;

/// Memory of the solver.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    scaled: Vec<f64>,
    lu: Vec<f64>,
    pivots: Vec<usize>,
    scale: Vec<f64>,
    target: Vec<f64>,
    step: Vec<f64>,
}

impl Linear {
    /// Solves A x = b (A row-major); b becomes x. Redundant but consistent equations, as of two
    /// corners that stick on one straight guide, get a solution of about least norm by
    /// proximal iterations (A + δ) x⁺ = b + δ x. False if there is no solution.
    pub(super) fn solve(&mut self, a: &[f64], b: &mut [f64]) -> bool {
        let n = b.len();
        if n == 0 {
            return true;
        }
        // Unit diagonal: forces and moments get comparable numbers.
        self.scale.clear();
        self.scale.extend((0..n).map(|i| {
            let d = a[i * n + i].abs().sqrt();
            if d > 0.0 && d.is_finite() { 1.0 / d } else { 1.0 }
        }));
        self.scaled.clear();
        for i in 0..n {
            for j in 0..n {
                self.scaled.push(a[i * n + j] * self.scale[i] * self.scale[j]);
            }
        }
        self.target.clear();
        self.target.extend(b.iter().zip(&self.scale).map(|(b, s)| b * s));
        self.lu.clone_from(&self.scaled);
        let shift = if self.factor(n) {
            0.0
        } else {
            self.lu.clone_from(&self.scaled);
            (0..n).for_each(|i| self.lu[i * n + i] += SHIFT);
            if !self.factor(n) {
                return false;
            }
            SHIFT
        };
        let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let target = size(&self.target);
        b.fill(0.0);
        // A regular system takes one solve and one correction of its rounding.
        for _ in 0..if shift == 0.0 { 2 } else { ROUNDS } {
            self.residual(b);
            if size(&self.step) <= ENOUGH * target {
                break;
            }
            self.back(n);
            b.iter_mut().zip(&self.step).for_each(|(x, s)| *x += s);
        }
        self.residual(b);
        let good = shift == 0.0 || size(&self.step) <= 1e-8 * target;
        b.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        good && b.iter().all(|x| x.is_finite())
    }

    /// step ← target − A x.
    fn residual(&mut self, x: &[f64]) {
        let n = x.len();
        self.step.clear();
        for i in 0..n {
            let row = &self.scaled[i * n..(i + 1) * n];
            self.step.push(self.target[i] - row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>());
        }
    }

    fn factor(&mut self, n: usize) -> bool {
        self.pivots.clear();
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if self.lu[i * n + k].abs() > self.lu[pivot * n + k].abs() {
                    pivot = i;
                }
            }
            // Written so that a NaN counts as zero.
            if !(self.lu[pivot * n + k].abs() > PIVOT) {
                return false;
            }
            self.pivots.push(pivot);
            for j in 0..n {
                self.lu.swap(k * n + j, pivot * n + j);
            }
            for i in k + 1..n {
                let factor = self.lu[i * n + k] / self.lu[k * n + k];
                self.lu[i * n + k] = factor;
                for j in k + 1..n {
                    self.lu[i * n + j] -= factor * self.lu[k * n + j];
                }
            }
        }
        true
    }

    /// step ← (LU)⁻¹ step.
    fn back(&mut self, n: usize) {
        for k in 0..n {
            self.step.swap(k, self.pivots[k]);
        }
        for i in 0..n {
            for k in 0..i {
                self.step[i] -= self.lu[i * n + k] * self.step[k];
            }
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                self.step[i] -= self.lu[i * n + k] * self.step[k];
            }
            self.step[i] /= self.lu[i * n + i];
        }
    }
}
