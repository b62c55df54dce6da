//! Cholesky factors of a semidefinite matrix within the envelope of its rows.

use super::dot;

/// Rows up to this length are multiplied entry by entry.
const SHORT: usize = 8;

/// The lower half of a symmetric positive semidefinite matrix, each row from its first entry that is not zero; then its
/// factor. Memory is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skyline {
    firsts: Vec<usize>,
    /// Where the entries of each row begin; one more than rows.
    starts: Vec<usize>,
    entries: Vec<f64>,
}

impl Skyline {
    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        self.firsts.clear();
        self.entries.clear();
        self.starts.clear();
        self.starts.push(0);
    }

    /// Adds a row of zeros that begins in column `first`. Returns it, up to the diagonal.
    pub(crate) fn push_row(&mut self, first: usize) -> &mut [f64] {
        let (row, start) = (self.firsts.len(), self.entries.len());
        self.entries.resize(start + row + 1 - first, 0.0);
        self.firsts.push(first);
        self.starts.push(self.entries.len());
        &mut self.entries[start..]
    }

    /// Whether a row of the factor is zero, since it depends on those before it.
    pub(crate) fn is_dropped(&self, row: usize) -> bool {
        self.entries[self.starts[row + 1] - 1] == 0.0
    }

    /// Factors in place. Rows of which less than the part `dependent` of their diagonal entry is left by those before them
    /// become zero. False if all are, or if one is not a number.
    pub(crate) fn factor(&mut self, dependent: f64) -> bool {
        let Self { firsts, starts, entries } = self;
        let mut rank = 0;
        for i in 0..firsts.len() {
            let first = firsts[i];
            let (above, row) = entries.split_at_mut(starts[i]);
            let row = &mut row[..=i - first];
            for j in first..i {
                let from = first.max(firsts[j]);
                let other = &above[starts[j] + from - firsts[j]..starts[j + 1]];
                let (pivot, other) = (other[j - from], &other[..j - from]);
                let done = product(&row[from - first..j - first], other);
                row[j - first] = if pivot > 0.0 { (row[j - first] - done) / pivot } else { 0.0 };
            }
            let (row, last) = row.split_at_mut(i - first);
            let left = last[0] - product(row, row);
            if left > dependent * last[0] {
                last[0] = left.sqrt();
                rank += 1;
            } else if left.is_nan() {
                return false;
            } else {
                row.fill(0.0);
                last[0] = 0.0;
            }
        }
        rank > 0
    }

    /// b ← A⁻¹ b; 0 in the rows that are zero.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let divide = |x: f64, pivot: f64| if pivot > 0.0 { x / pivot } else { 0.0 };
        let row = |i: usize| self.entries[self.starts[i]..self.starts[i + 1]].split_last();
        for (i, first) in self.firsts.iter().enumerate() {
            let Some((pivot, row)) = row(i) else { continue };
            b[i] = divide(b[i] - product(row, &b[*first..i]), *pivot);
        }
        for (i, first) in self.firsts.iter().enumerate().rev() {
            let Some((pivot, row)) = row(i) else { continue };
            let value = divide(b[i], *pivot);
            b[i] = value;
            b[*first..i].iter_mut().zip(row).for_each(|(b, x)| *b -= value * x);
        }
    }
}

/// Σ a_k b_k where most rows are short.
#[inline]
fn product(a: &[f64], b: &[f64]) -> f64 {
    if a.len() > SHORT {
        return dot(a, b);
    }
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_with_the_rows_that_do_not_depend_on_others() {
        // The third row is the sum of the first two.
        let rows: [(usize, &[f64]); 4] =
            [(0, &[4.0]), (0, &[1.0, 3.0]), (0, &[5.0, 4.0, 9.0]), (1, &[1.0, 1.0, 6.0])];
        let mut skyline = Skyline::default();
        skyline.clear();
        for (first, entries) in rows {
            skyline.push_row(first).copy_from_slice(entries);
        }
        assert!(skyline.factor(1e-10));
        assert_eq!([0, 1, 2, 3].map(|row| skyline.is_dropped(row)), [false, false, true, false]);
        // What is left: rows 0, 1 and 3.
        let x = [0.5, -2.0, 1.5];
        let mut b = [4.0 * x[0] + x[1], x[0] + 3.0 * x[1] + x[2], 7.0, x[1] + 6.0 * x[2]];
        skyline.solve(&mut b);
        for (found, expected) in b.iter().zip([x[0], x[1], 0.0, x[2]]) {
            assert!((found - expected).abs() < 1e-14, "{b:?}");
        }
    }
}
