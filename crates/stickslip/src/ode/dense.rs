//! Dense linear systems with one matrix and many right-hand sides.

/// LU factors with partial pivoting, row-major.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lu {
    n: usize,
    factors: Vec<f64>,
    pivots: Vec<usize>,
}

impl Lu {
    /// Room for the n×n matrix that [`factor`](Self::factor) takes.
    pub(crate) fn matrix(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.factors.clear();
        self.factors.resize(n * n, 0.0);
        &mut self.factors
    }

    /// Factors the matrix; false if it is singular or not finite.
    pub(crate) fn factor(&mut self) -> bool {
        let n = self.n;
        self.pivots.clear();
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if self.factors[i * n + k].abs() > self.factors[pivot * n + k].abs() {
                    pivot = i;
                }
            }
            let value = self.factors[pivot * n + k];
            // Written so that a NaN counts as singular.
            if !(value.abs() > 0.0 && value.is_finite()) {
                return false;
            }
            self.pivots.push(pivot);
            if pivot != k {
                for j in 0..n {
                    self.factors.swap(k * n + j, pivot * n + j);
                }
            }
            for i in k + 1..n {
                let factor = self.factors[i * n + k] / value;
                self.factors[i * n + k] = factor;
                if factor != 0.0 {
                    for j in k + 1..n {
                        self.factors[i * n + j] -= factor * self.factors[k * n + j];
                    }
                }
            }
        }
        true
    }

    /// Replaces b by the solution.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for (k, pivot) in self.pivots.iter().enumerate() {
            b.swap(k, *pivot);
        }
        for i in 0..n {
            let mut sum = b[i];
            for j in 0..i {
                sum -= self.factors[i * n + j] * b[j];
            }
            b[i] = sum;
        }
        for i in (0..n).rev() {
            let mut sum = b[i];
            for j in i + 1..n {
                sum -= self.factors[i * n + j] * b[j];
            }
            b[i] = sum / self.factors[i * n + i];
        }
    }
}
