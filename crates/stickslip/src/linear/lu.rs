//! Elimination with pivoting: partial for speed, complete to see the rank.

/// LU factorisation with partial pivoting of a small dense matrix; memory is kept between uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lu {
    k: usize,
    lu: Vec<f64>,
    /// Row of the matrix that stands in each row of the factors.
    rows: Vec<usize>,
    permuted: Vec<f64>,
}

impl Lu {
    /// Makes room for a k × k matrix and hands out its entries (row-major) to be filled.
    pub fn entries(&mut self, k: usize) -> &mut [f64] {
        self.k = k;
        if self.lu.len() < k * k {
            self.lu.resize(k * k, 0.0);
        }
        if self.permuted.len() < k {
            self.permuted.resize(k, 0.0);
            self.rows.resize(k, 0);
        }
        &mut self.lu[..k * k]
    }

    /// Factorises; false if a pivot vanishes or is not finite.
    pub fn factorise(&mut self) -> bool {
        let k = self.k;
        let lu = &mut self.lu[..k * k];
        let rows = &mut self.rows[..k];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = i;
        }
        for p in 0..k {
            let (mut best, mut size) = (p, lu[p * k + p].abs());
            for i in p + 1..k {
                let candidate = lu[i * k + p].abs();
                if candidate > size {
                    (best, size) = (i, candidate);
                }
            }
            if !(size > 0.0 && size.is_finite()) {
                return false;
            }
            if best != p {
                let (upper, lower) = lu.split_at_mut(best * k);
                upper[p * k..(p + 1) * k].swap_with_slice(&mut lower[..k]);
                rows.swap(p, best);
            }
            let (upper, lower) = lu.split_at_mut((p + 1) * k);
            let pivot_row = &upper[p * k..];
            for row in lower.chunks_exact_mut(k) {
                let factor = row[p] / pivot_row[p];
                row[p] = factor;
                if factor != 0.0 {
                    for (v, u) in row[p + 1..].iter_mut().zip(&pivot_row[p + 1..]) {
                        *v -= factor * u;
                    }
                }
            }
        }
        true
    }

    /// Replaces the right-hand side by the solution.
    pub fn solve(&mut self, rhs: &mut [f64]) {
        let k = self.k;
        let lu = &self.lu[..k * k];
        let z = &mut self.permuted[..k];
        for i in 0..k {
            let row = &lu[i * k..i * k + i];
            let sum: f64 = row.iter().zip(&z[..i]).map(|(l, z)| l * z).sum();
            z[i] = rhs[self.rows[i]] - sum;
        }
        for i in (0..k).rev() {
            let row = &lu[i * k..(i + 1) * k];
            let sum: f64 = row[i + 1..].iter().zip(&rhs[i + 1..k]).map(|(u, x)| u * x).sum();
            rhs[i] = (z[i] - sum) / row[i];
        }
    }
}

/// LU factorisation with complete pivoting: rank, a particular solution and the null space.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankLu {
    k: usize,
    rank: usize,
    lu: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    work: Vec<f64>,
}

impl RankLu {
    /// Makes room for a k × k matrix and hands out its entries (row-major) to be filled.
    pub fn entries(&mut self, k: usize) -> &mut [f64] {
        self.k = k;
        self.lu.clear();
        self.lu.resize(k * k, 0.0);
        self.work.resize(k, 0.0);
        &mut self.lu
    }

    /// Factorises and returns the rank: pivots count as zero below `relative` times the largest
    /// entry, or below `absolute`.
    pub fn factorise(&mut self, relative: f64, absolute: f64) -> usize {
        let k = self.k;
        self.rows.clear();
        self.rows.extend(0..k);
        self.columns.clear();
        self.columns.extend(0..k);
        let largest = self.lu.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let threshold = (relative * largest).max(absolute);
        self.rank = 0;
        for p in 0..k {
            let (mut best, mut size) = ((p, p), 0.0);
            for i in p..k {
                for j in p..k {
                    if self.lu[i * k + j].abs() > size {
                        (best, size) = ((i, j), self.lu[i * k + j].abs());
                    }
                }
            }
            if !(size > threshold && size.is_finite()) {
                break;
            }
            self.rank = p + 1;
            for j in 0..k {
                self.lu.swap(p * k + j, best.0 * k + j);
            }
            self.rows.swap(p, best.0);
            for i in 0..k {
                self.lu.swap(i * k + p, i * k + best.1);
            }
            self.columns.swap(p, best.1);
            for i in p + 1..k {
                let factor = self.lu[i * k + p] / self.lu[p * k + p];
                self.lu[i * k + p] = factor;
                for j in p + 1..k {
                    self.lu[i * k + j] -= factor * self.lu[p * k + j];
                }
            }
        }
        self.rank
    }

    /// Lowers the rank to the number of pivots above `relative` times the largest; returns it.
    pub fn truncate(&mut self, relative: f64) -> usize {
        let k = self.k;
        let threshold = relative * self.lu.first().map_or(0.0, |v| v.abs());
        self.rank =
            (0..self.rank).position(|i| self.lu[i * k + i].abs() <= threshold).unwrap_or(self.rank);
        self.rank
    }

    /// Solution with zeros in the dependent columns; a solution at all only if the right-hand
    /// side lies in the range, which the caller checks.
    pub fn particular(&mut self, rhs: &[f64], x: &mut [f64]) {
        let (k, rank) = (self.k, self.rank);
        for i in 0..rank {
            let mut z = rhs[self.rows[i]];
            for j in 0..i {
                z -= self.lu[i * k + j] * self.work[j];
            }
            self.work[i] = z;
        }
        self.back_substitute();
        x.fill(0.0);
        for i in 0..rank {
            x[self.columns[i]] = self.work[i];
        }
    }

    /// Null vector that belongs to the dependent column `index` of `k − rank`.
    pub fn null_vector(&mut self, index: usize, x: &mut [f64]) {
        let (k, rank) = (self.k, self.rank);
        let column = rank + index;
        for i in 0..rank {
            self.work[i] = -self.lu[i * k + column];
        }
        self.back_substitute();
        x.fill(0.0);
        for i in 0..rank {
            x[self.columns[i]] = self.work[i];
        }
        x[self.columns[column]] = 1.0;
    }

    fn back_substitute(&mut self) {
        let (k, rank) = (self.k, self.rank);
        for i in (0..rank).rev() {
            let mut z = self.work[i];
            for j in i + 1..rank {
                z -= self.lu[i * k + j] * self.work[j];
            }
            self.work[i] = z / self.lu[i * k + i];
        }
    }
}

/// Solves A x = b by Gaussian elimination with partial pivoting; A (row-major) is destroyed, b
/// becomes x. False if A is singular to working precision.
pub(crate) fn solve_in_place(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    let size = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[pivot * n + k].abs() {
                pivot = i;
            }
        }
        // Written so that a NaN counts as singular.
        if !(a[pivot * n + k].abs() > 1e-14 * size) {
            return false;
        }
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let row = &mut upper[k * n..];
        if pivot != k {
            let start = (pivot - k - 1) * n;
            row.swap_with_slice(&mut lower[start..start + n]);
            b.swap(k, pivot);
        }
        let (inverse, b_k) = (1.0 / row[k], b[k]);
        for (other, b_i) in lower.chunks_exact_mut(n).zip(&mut b[k + 1..]) {
            let factor = other[k] * inverse;
            if factor != 0.0 {
                for (x, y) in other[k + 1..].iter_mut().zip(&row[k + 1..]) {
                    *x -= factor * y;
                }
                *b_i -= factor * b_k;
            }
        }
    }
    for i in (0..n).rev() {
        let row = &a[i * n..(i + 1) * n];
        let (head, tail) = b.split_at_mut(i + 1);
        let sum = row[i + 1..].iter().zip(tail.iter()).fold(head[i], |s, (x, y)| s - x * y);
        head[i] = sum / row[i];
    }
    true
}
