//! Factors of a matrix within the envelope of its pattern.

use crate::linear::{dot, zeros};

/// Factors L (unit diagonal) and U of a matrix whose pattern is symmetric: row i of L and column i of U
/// begin at `first[i]`. Without pivots: the symmetric part of the matrix is positive definite.
///
/// A symmetric matrix has U = D Lᵀ with the pivots D, and U is not kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Envelope {
    first: Vec<usize>,
    /// Where the entries of each row begin; one more than rows.
    starts: Vec<usize>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pivots: Vec<f64>,
    is_symmetric: bool,
}

/// A pivot this small against its diagonal entry belongs to a row that depends on others.
const DEPENDENT: f64 = 1e-9;

impl Envelope {
    /// Begins a matrix.
    pub(super) fn clear(&mut self, is_symmetric: bool) {
        self.first.clear();
        self.starts.clear();
        self.starts.push(0);
        self.is_symmetric = is_symmetric;
    }

    /// Adds a row whose first entry stands in column `first`.
    pub(super) fn push_row(&mut self, first: usize) {
        let row = self.first.len();
        let first = first.min(row);
        self.starts.push(self.starts[row] + row - first);
        self.first.push(first);
    }

    /// Entries of a triangle.
    pub(super) fn entries(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Makes room behind the last row: zeros.
    pub(super) fn finish(&mut self) {
        let (entries, rows) = (self.entries(), self.first.len());
        zeros(&mut self.lower, entries);
        zeros(&mut self.upper, if self.is_symmetric { 0 } else { entries });
        zeros(&mut self.pivots, rows);
    }

    /// Whether only the lower triangle is asked for.
    pub(super) fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }

    /// The pivots, once it is factored.
    pub(super) fn pivots(&self) -> &[f64] {
        &self.pivots
    }

    /// Sets an entry; above the diagonal it is ignored if the matrix is symmetric.
    pub(super) fn put(&mut self, i: usize, j: usize, value: f64) {
        if i == j {
            self.pivots[i] = value;
        } else if i > j {
            self.lower[self.starts[i] + j - self.first[i]] = value;
        } else if !self.is_symmetric {
            self.upper[self.starts[j] + i - self.first[j]] = value;
        }
    }

    /// Row i of a triangle.
    fn row<'a>(&self, of: &'a [f64], i: usize) -> &'a [f64] {
        &of[self.starts[i]..self.starts[i + 1]]
    }

    /// Factors in place. False if a row depends on those before it.
    pub(super) fn factor(&mut self) -> bool {
        (0..self.pivots.len()).all(|i| {
            let product =
                if self.is_symmetric { self.factor_row(i) } else { self.factor_row_and_column(i) };
            let pivot = self.pivots[i] - product;
            let is_positive = pivot > DEPENDENT * self.pivots[i];
            self.pivots[i] = pivot;
            is_positive
        })
    }

    /// Row i of L of a symmetric matrix; what is to be taken from its diagonal entry.
    fn factor_row(&mut self, i: usize) -> f64 {
        let (first, start) = (self.first[i], self.starts[i]);
        let (done, row) = self.lower.split_at_mut(start);
        let row = &mut row[..i - first];
        // First L D, entry by entry.
        for j in first..i {
            let (first_j, start_j) = (self.first[j], self.starts[j]);
            let from = first.max(first_j);
            let other = &done[start_j + from - first_j..start_j + j - first_j];
            row[j - first] -= dot(&row[from - first..j - first], other);
        }
        let mut product = 0.0;
        for (entry, pivot) in row.iter_mut().zip(&self.pivots[first..i]) {
            let scaled = *entry / pivot;
            product += *entry * scaled;
            *entry = scaled;
        }
        product
    }

    fn factor_row_and_column(&mut self, i: usize) -> f64 {
        let (first, start) = (self.first[i], self.starts[i]);
        for j in first..i {
            let (first_j, start_j) = (self.first[j], self.starts[j]);
            let from = first.max(first_j);
            let own = start + from - first..start + j - first;
            let other = start_j + from - first_j..start_j + j - first_j;
            let lower = dot(&self.lower[own.clone()], &self.upper[other.clone()]);
            let upper = dot(&self.upper[own], &self.lower[other]);
            let at = start + j - first;
            self.lower[at] = (self.lower[at] - lower) / self.pivots[j];
            self.upper[at] -= upper;
        }
        dot(self.row(&self.lower, i), self.row(&self.upper, i))
    }

    /// x ← L⁻¹ x, where x is zero before `begin`.
    pub(super) fn lower_solve(&self, begin: usize, x: &mut [f64]) {
        for i in begin..x.len() {
            let from = self.first[i].max(begin);
            if from < i {
                let row = &self.row(&self.lower, i)[from - self.first[i]..];
                x[i] -= dot(row, &x[from..i]);
            }
        }
    }

    /// x ← U⁻ᵀ x, that is x ← x U⁻¹ for a row, where x is zero before `begin`.
    pub(super) fn upper_solve_left(&self, begin: usize, x: &mut [f64]) {
        if self.is_symmetric {
            self.lower_solve(begin, x);
            x.iter_mut().zip(&self.pivots).for_each(|(x, pivot)| *x /= pivot);
            return;
        }
        for i in begin..x.len() {
            let from = self.first[i].max(begin);
            let mut sum = 0.0;
            if from < i {
                sum = dot(&self.row(&self.upper, i)[from - self.first[i]..], &x[from..i]);
            }
            x[i] = (x[i] - sum) / self.pivots[i];
        }
    }

    /// x ← U⁻¹ x.
    pub(super) fn upper_solve(&self, x: &mut [f64]) {
        if self.is_symmetric {
            x.iter_mut().zip(&self.pivots).for_each(|(x, pivot)| *x /= pivot);
        }
        for i in (0..x.len()).rev() {
            let column = if self.is_symmetric {
                &self.lower
            } else {
                x[i] /= self.pivots[i];
                &self.upper
            };
            let (value, first) = (x[i], self.first[i]);
            let column = self.row(column, i);
            x[first..i].iter_mut().zip(column).for_each(|(x, u)| *x -= value * u);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix with symmetric pattern, and its envelope.
    fn matrix(is_symmetric: bool) -> (Vec<[f64; 5]>, Envelope) {
        let mut a = vec![
            [4.0, 1.0, 0.0, 0.0, 0.5],
            [1.0, 5.0, -1.0, 0.0, 0.0],
            [0.0, -1.0, 3.0, 0.0, 0.2],
            [0.0, 0.0, 0.0, 2.0, 1.0],
            [0.5, 0.0, 0.2, 1.0, 6.0],
        ];
        if !is_symmetric {
            (a[0][1], a[4][2], a[3][4]) = (-0.7, -0.4, 0.3);
        }
        let mut envelope = Envelope::default();
        envelope.clear(is_symmetric);
        [0, 0, 1, 3, 0].into_iter().for_each(|first| envelope.push_row(first));
        envelope.finish();
        for i in 0..5 {
            for j in 0..5 {
                if a[i][j] != 0.0 {
                    envelope.put(i, j, a[i][j]);
                }
            }
        }
        (a, envelope)
    }

    #[test]
    fn solves_what_it_has_factored() {
        for is_symmetric in [true, false] {
            let (a, mut envelope) = matrix(is_symmetric);
            assert!(envelope.factor());
            let x = [1.0, -2.0, 0.5, 3.0, -0.25];
            let mut b = [0, 1, 2, 3, 4].map(|i| (0..5).map(|k| a[i][k] * x[k]).sum::<f64>());
            envelope.lower_solve(0, &mut b);
            envelope.upper_solve(&mut b);
            for (found, x) in b.iter().zip(&x) {
                assert!((found - x).abs() < 1e-14, "{is_symmetric}: {b:?}");
            }
            // (x U⁻¹) (L⁻¹ b) is x A⁻¹ b, whatever zeros they begin with.
            let (mut row, mut column) = ([0.0, 0.0, 2.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0, 4.0]);
            let mut whole = column;
            envelope.lower_solve(0, &mut whole);
            envelope.upper_solve(&mut whole);
            let expected = 2.0 * whole[2] + whole[3];
            envelope.upper_solve_left(2, &mut row);
            envelope.lower_solve(1, &mut column);
            assert!((dot(&row, &column) - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn a_row_that_depends_on_others_is_seen() {
        let mut envelope = Envelope::default();
        envelope.clear(true);
        [0, 0].into_iter().for_each(|first| envelope.push_row(first));
        envelope.finish();
        [(0, 0), (1, 0), (1, 1)].into_iter().for_each(|(i, j)| envelope.put(i, j, 2.0));
        assert!(!envelope.factor());
    }
}
