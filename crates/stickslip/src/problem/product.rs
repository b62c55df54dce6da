//! Products of the Delassus matrix with percussions, shared by threads where it is large.

use super::BlockSparse;
use crate::threads;
use std::ops::Range;

/// Block rows from which the halves of a product are computed apart.
const SHARED_FROM: usize = 2048;

impl BlockSparse {
    /// y = A x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        self.multiply_rows(0..self.block_count(), x, &mut y[..self.dim()]);
    }

    /// The same for some of the block rows, with y as long as they are high.
    fn multiply_rows(&self, rows: Range<usize>, x: &[f64], y: &mut [f64]) {
        let start = rows.start;
        if rows.len() >= SHARED_FROM {
            let middle = start + rows.len() / 2;
            let (first, second) = y.split_at_mut(self.offset(middle) - self.offset(start));
            return threads::join(
                || self.multiply_rows(start..middle, x, first),
                || self.multiply_rows(middle..rows.end, x, second),
            );
        }
        let mut rest = y;
        for row in rows {
            let height = self.offset(row + 1) - self.offset(row);
            let (out, below) = rest.split_at_mut(height);
            rest = below;
            out.fill(0.0);
            self.add_row_product(row, x, out);
        }
    }
}
