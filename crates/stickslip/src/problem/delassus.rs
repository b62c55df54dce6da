//! Block-sparse square matrices with one block row per contact.

use crate::linear::zeros;

/// Why block data do not form a matrix.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub struct StructureError(pub String);

/// Square matrix in block rows of possibly different heights; dense is the special case in which
/// every block is stored. Each diagonal block is stored; blocks are dense and row-major.
#[derive(Debug, Default)]
pub struct BlockSparse {
    /// First scalar row of each block row; one more entry than block rows.
    offsets: Vec<usize>,
    /// First stored block of each block row; one more entry than block rows.
    rows: Vec<usize>,
    /// Block column of each stored block, ascending within a row.
    columns: Vec<usize>,
    /// Where the entries of each stored block begin; one more entry than blocks.
    starts: Vec<usize>,
    /// Index of the diagonal block of each block row.
    diagonal: Vec<usize>,
    /// Entries of all stored blocks.
    data: Vec<f64>,
    /// Height and width of all blocks, 3 for spatial contacts with Coulomb friction and 2 for planar ones; 0
    /// if they differ.
    side: usize,
    /// The same of each block row: one contact of another kind must not slow down all others.
    sides: Vec<usize>,
    /// Whether it is known to be symmetric, to the last bit.
    symmetric: bool,
}

/// By the entries: what is known of the matrix beside them does not count.
impl PartialEq for BlockSparse {
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets
            && self.rows == other.rows
            && self.columns == other.columns
            && self.data == other.data
    }
}

impl Clone for BlockSparse {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Field by field, into the memory that is there.
    fn clone_from(&mut self, other: &Self) {
        let Self { offsets, rows, columns, starts, diagonal, data, side, sides, symmetric } = self;
        offsets.clone_from(&other.offsets);
        rows.clone_from(&other.rows);
        columns.clone_from(&other.columns);
        starts.clone_from(&other.starts);
        diagonal.clone_from(&other.diagonal);
        data.clone_from(&other.data);
        *side = other.side;
        sides.clone_from(&other.sides);
        *symmetric = other.symmetric;
    }
}

impl BlockSparse {
    /// Matrix with every block stored, from dense row-major data.
    pub fn dense(dims: &[usize], dense: &[f64]) -> Self {
        let mut matrix = Self::default();
        let count = dims.len();
        let n: usize = dims.iter().sum();
        for i in 0..count {
            matrix.push_row(dims[i], (0..count).map(|j| (j, dims[j])));
        }
        matrix.finish();
        for row in 0..count {
            for block in matrix.rows[row]..matrix.rows[row + 1] {
                let (r0, c0) = (matrix.offsets[row], matrix.offsets[matrix.columns[block]]);
                let width = dims[matrix.columns[block]];
                let start = matrix.starts[block];
                for i in 0..dims[row] {
                    for j in 0..width {
                        matrix.data[start + i * width + j] = dense[(r0 + i) * n + c0 + j];
                    }
                }
            }
        }
        matrix
    }

    /// Matrix from scalar compressed sparse rows; blocks without any entry are not stored, entries
    /// given twice are added.
    pub fn from_csr(
        dims: &[usize],
        indptr: &[usize],
        indices: &[usize],
        values: &[f64],
    ) -> Result<Self, StructureError> {
        let n: usize = dims.iter().sum();
        let fail = |text: String| Err(StructureError(text));
        if indptr.len() != n + 1 {
            return fail(format!("indptr has {} entries, {} rows need {}", indptr.len(), n, n + 1));
        }
        if indptr[0] != 0 || indptr.windows(2).any(|w| w[0] > w[1]) {
            return fail("indptr must begin with 0 and never fall".into());
        }
        if indices.len() != values.len() || indptr[n] != indices.len() {
            return fail(format!(
                "indptr ends with {}, indices has {} and data {} entries: they must agree",
                indptr[n],
                indices.len(),
                values.len()
            ));
        }
        if let Some(column) = indices.iter().find(|j| **j >= n) {
            return fail(format!("column index {column} is outside the {n} components"));
        }
        let mut block_of = Vec::with_capacity(n);
        for (block, dim) in dims.iter().enumerate() {
            block_of.extend(std::iter::repeat_n(block, *dim));
        }
        let mut matrix = Self::default();
        let mut row = 0;
        let mut present = Vec::new();
        for (i, dim) in dims.iter().enumerate() {
            present.clear();
            present.push(i);
            for k in indptr[row]..indptr[row + dim] {
                present.push(block_of[indices[k]]);
            }
            present.sort_unstable();
            present.dedup();
            matrix.push_row(*dim, present.iter().map(|j| (*j, dims[*j])));
            row += dim;
        }
        matrix.finish();
        for row in 0..n {
            for k in indptr[row]..indptr[row + 1] {
                matrix.add_entry(block_of[row], row, block_of[indices[k]], indices[k], values[k]);
            }
        }
        Ok(matrix)
    }

    /// Empties the matrix and keeps its memory.
    pub fn clear(&mut self) {
        self.offsets.clear();
        self.rows.clear();
        self.columns.clear();
        self.starts.clear();
        self.diagonal.clear();
        self.data.clear();
        self.sides.clear();
        self.symmetric = false;
    }

    /// Appends a block row of the given height whose stored blocks are `(column, width)` in
    /// ascending order, the diagonal among them; entries are zero. Call
    /// [`finish`](Self::finish) after the last row.
    pub fn push_row(&mut self, height: usize, blocks: impl IntoIterator<Item = (usize, usize)>) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
            self.rows.push(0);
            self.starts.push(0);
        }
        let row = self.rows.len() - 1;
        let mut side = height;
        let mut end = self.starts[self.starts.len() - 1];
        for (column, width) in blocks {
            side = if width == height { side } else { 0 };
            if column == row {
                self.diagonal.push(self.columns.len());
            }
            self.columns.push(column);
            end += height * width;
            self.starts.push(end);
        }
        debug_assert_eq!(self.diagonal.len(), row + 1, "a diagonal block per row");
        self.side = if row == 0 || self.side == side { side } else { 0 };
        self.sides.push(side);
        self.rows.push(self.columns.len());
        self.offsets.push(self.offsets[row] + height);
    }

    /// Ends the construction by [`push_row`](Self::push_row): makes room for the entries.
    pub fn finish(&mut self) {
        zeros(&mut self.data, self.starts.last().copied().unwrap_or(0));
    }

    /// Number of block rows.
    pub fn block_count(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of scalar rows.
    pub fn dim(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Heights of the block rows.
    pub fn block_dims(&self) -> impl Iterator<Item = usize> + '_ {
        self.offsets.windows(2).map(|w| w[1] - w[0])
    }

    /// All stored entries.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// First scalar row of a block row.
    #[inline]
    pub fn offset(&self, block: usize) -> usize {
        self.offsets[block]
    }

    /// Stored blocks of a block row: block column and entries (row-major).
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &[f64])> + '_ {
        (self.rows[row]..self.rows[row + 1])
            .map(|b| (self.columns[b], &self.data[self.starts[b]..self.starts[b + 1]]))
    }

    /// Stored blocks of a block row, to be filled one by one.
    pub fn row_mut(&mut self, row: usize) -> impl Iterator<Item = (usize, &mut [f64])> + '_ {
        self.symmetric = false;
        let (first, last) = (self.rows[row], self.rows[row + 1]);
        let mut rest = &mut self.data[self.starts[first]..self.starts[last]];
        let (columns, starts) = (&self.columns, &self.starts);
        (first..last).map(move |b| {
            let (head, tail) = std::mem::take(&mut rest).split_at_mut(starts[b + 1] - starts[b]);
            rest = tail;
            (columns[b], head)
        })
    }

    /// Fills a symmetric matrix: `fill(row, column, block)` is asked for the blocks on the diagonal and right
    /// of it, row after row, and finds zeros. `next` is memory.
    pub(crate) fn fill_symmetric(
        &mut self,
        next: &mut Vec<usize>,
        mut fill: impl FnMut(usize, usize, &mut [f64]),
    ) {
        // In a row that is filled from above the next block is that of the next row above.
        next.clear();
        next.extend_from_slice(&self.rows[..self.diagonal.len()]);
        for row in 0..self.diagonal.len() {
            let height = self.offsets[row + 1] - self.offsets[row];
            for b in self.diagonal[row]..self.rows[row + 1] {
                let (column, start) = (self.columns[b], self.starts[b]);
                fill(row, column, &mut self.data[start..self.starts[b + 1]]);
                if column == row {
                    continue;
                }
                let width = self.offsets[column + 1] - self.offsets[column];
                let below = self.starts[next[column]];
                next[column] += 1;
                let (above, rest) = self.data.split_at_mut(below);
                let (above, below) = (&above[start..], &mut rest[..height * width]);
                if let (3, 3, Some(a), Some(b)) =
                    (height, width, above.first_chunk::<9>(), below.first_chunk_mut::<9>())
                {
                    *b = [a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]];
                    continue;
                }
                for i in 0..height {
                    for j in 0..width {
                        below[j * height + i] = above[i * width + j];
                    }
                }
            }
        }
        self.symmetric = true;
    }

    /// Whether it was filled as a symmetric matrix, and nothing but its diagonal blocks was changed since.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// The stored block of a row and a column, if there is one.
    pub(crate) fn block(&self, row: usize, column: usize) -> Option<&[f64]> {
        let first = self.rows[row];
        let found = self.columns[first..self.rows[row + 1]].binary_search(&column).ok()?;
        Some(&self.data[self.starts[first + found]..self.starts[first + found + 1]])
    }

    /// The diagonal block of a block row (row-major).
    #[inline]
    pub fn diagonal(&self, row: usize) -> &[f64] {
        let b = self.diagonal[row];
        &self.data[self.starts[b]..self.starts[b + 1]]
    }

    /// The diagonal block of a block row, to be filled.
    pub fn diagonal_mut(&mut self, row: usize) -> &mut [f64] {
        let b = self.diagonal[row];
        &mut self.data[self.starts[b]..self.starts[b + 1]]
    }

    /// Entry (component, component) of a diagonal block.
    #[inline]
    pub fn diagonal_entry(&self, row: usize, component: usize) -> f64 {
        let dim = self.offsets[row + 1] - self.offsets[row];
        self.data[self.starts[self.diagonal[row]] + component * dim + component]
    }

    /// The diagonal, entry by entry.
    pub(crate) fn diagonal_entries(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.block_count()).flat_map(|row| {
            let height = self.offsets[row + 1] - self.offsets[row];
            self.diagonal(row).iter().step_by(height + 1).copied()
        })
    }

    /// Mean of the diagonal, trace/n; 0 without rows.
    pub fn mean_diagonal(&self) -> f64 {
        let trace: f64 = self.diagonal_entries().sum();
        if self.dim() == 0 { 0.0 } else { trace / self.dim() as f64 }
    }

    /// out += (block row) · x, with out as long as the block row is high.
    #[inline]
    pub fn add_row_product(&self, row: usize, x: &[f64], out: &mut [f64]) {
        if self.side == 3
            && let Some(out) = out.first_chunk_mut()
        {
            return self.add_spatial_row_product(row, x, out);
        }
        match self.sides[row] {
            2 => self.add_equal_row_product::<2, 4>(row, x, out),
            3 => self.add_equal_row_product::<3, 9>(row, x, out),
            _ => self.add_any_row_product(row, x, out),
        }
    }

    /// The same for blocks of any kind.
    fn add_any_row_product(&self, row: usize, x: &[f64], out: &mut [f64]) {
        for (column, block) in self.row(row) {
            let x_block = &x[self.offsets[column]..self.offsets[column + 1]];
            add_product(block, x_block, out);
        }
    }

    /// The same where all blocks of the row are N×N, with M = N² entries.
    #[inline]
    fn add_equal_row_product<const N: usize, const M: usize>(
        &self,
        row: usize,
        x: &[f64],
        out: &mut [f64],
    ) {
        let (first, last) = (self.rows[row], self.rows[row + 1]);
        let (blocks, _) = self.data[self.starts[first]..self.starts[last]].as_chunks::<M>();
        for (column, block) in self.columns[first..last].iter().zip(blocks) {
            let Some(x) = x[self.offsets[*column]..].first_chunk::<N>() else { continue };
            for (out, row) in out.iter_mut().zip(block.as_chunks::<N>().0) {
                *out += (0..N).map(|k| row[k] * x[k]).sum::<f64>();
            }
        }
    }

    /// The same where all blocks of the matrix are 3×3: the inner loop of every large problem.
    #[inline]
    fn add_spatial_row_product(&self, row: usize, x: &[f64], out: &mut [f64; 3]) {
        let (first, last) = (self.rows[row], self.rows[row + 1]);
        let columns = &self.columns[first..last];
        let (blocks, _) = self.data[9 * first..9 * last].as_chunks::<9>();
        let (x, _) = x.as_chunks::<3>();
        // Products are summed place by place: nine sums that do not wait for each other, two to a register.
        let mut sums = [0.0; 9];
        for (column, block) in columns.iter().zip(blocks) {
            let [x, y, z] = x[*column];
            let factors = [x, y, z, x, y, z, x, y, z];
            for k in 0..9 {
                sums[k] += block[k] * factors[k];
            }
        }
        for k in 0..3 {
            out[k] += sums[3 * k] + sums[3 * k + 1] + sums[3 * k + 2];
        }
    }

    /// Its rows if all blocks are N×N, with M = N² entries.
    pub(crate) fn uniform_rows<const N: usize, const M: usize>(
        &self,
    ) -> Option<UniformRows<'_, M>> {
        let Self { rows, columns, diagonal, data, .. } = self;
        let blocks = data.as_chunks().0;
        let is_so = self.side == N && M == N * N && !diagonal.is_empty();
        is_so.then_some(UniformRows { rows, columns, diagonal, blocks })
    }

    /// Dense row-major copy.
    pub fn to_dense(&self) -> Vec<f64> {
        let n = self.dim();
        let mut dense = vec![0.0; n * n];
        self.for_each(|i, j, value| dense[i * n + j] = value);
        dense
    }

    /// Calls `visit(row, column, value)` for every stored entry.
    pub fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for row in 0..self.block_count() {
            let height = self.offsets[row + 1] - self.offsets[row];
            for (column, block) in self.row(row) {
                let width = self.offsets[column + 1] - self.offsets[column];
                for i in 0..height {
                    for j in 0..width {
                        visit(
                            self.offsets[row] + i,
                            self.offsets[column] + j,
                            block[i * width + j],
                        );
                    }
                }
            }
        }
    }

    fn add_entry(&mut self, row: usize, i: usize, column: usize, j: usize, value: f64) {
        let blocks = &self.columns[self.rows[row]..self.rows[row + 1]];
        if let Ok(position) = blocks.binary_search(&column) {
            let width = self.offsets[column + 1] - self.offsets[column];
            let start = self.starts[self.rows[row] + position];
            self.data[start + (i - self.offsets[row]) * width + (j - self.offsets[column])] +=
                value;
        }
    }
}

/// The block rows of a matrix of equal blocks of M entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniformRows<'a, const M: usize> {
    rows: &'a [usize],
    columns: &'a [usize],
    diagonal: &'a [usize],
    blocks: &'a [[f64; M]],
}

impl<'a, const M: usize> UniformRows<'a, M> {
    /// Block columns of a row, ascending.
    #[inline]
    pub(crate) fn columns(&self, row: usize) -> &'a [usize] {
        &self.columns[self.rows[row]..self.rows[row + 1]]
    }

    /// Its blocks.
    #[inline]
    pub(crate) fn blocks(&self, row: usize) -> &'a [[f64; M]] {
        &self.blocks[self.rows[row]..self.rows[row + 1]]
    }

    /// Its block on the diagonal.
    #[inline]
    pub(crate) fn diagonal(&self, row: usize) -> &'a [f64; M] {
        &self.blocks[self.diagonal[row]]
    }
}

/// out += block · x for a dense row-major block; the small sizes of contacts are unrolled.
#[inline]
fn add_product(block: &[f64], x: &[f64], out: &mut [f64]) {
    match (out, x) {
        ([y0, y1], [x0, x1]) if block.len() == 4 => {
            *y0 += block[0] * x0 + block[1] * x1;
            *y1 += block[2] * x0 + block[3] * x1;
        }
        ([y0, y1, y2], [x0, x1, x2]) if block.len() == 9 => {
            *y0 += block[0] * x0 + block[1] * x1 + block[2] * x2;
            *y1 += block[3] * x0 + block[4] * x1 + block[5] * x2;
            *y2 += block[6] * x0 + block[7] * x1 + block[8] * x2;
        }
        ([y0, y1, y2, y3], [x0, x1, x2, x3]) if block.len() == 16 => {
            *y0 += block[0] * x0 + block[1] * x1 + block[2] * x2 + block[3] * x3;
            *y1 += block[4] * x0 + block[5] * x1 + block[6] * x2 + block[7] * x3;
            *y2 += block[8] * x0 + block[9] * x1 + block[10] * x2 + block[11] * x3;
            *y3 += block[12] * x0 + block[13] * x1 + block[14] * x2 + block[15] * x3;
        }
        (out, x) => {
            for (y, row) in out.iter_mut().zip(block.chunks_exact(x.len())) {
                *y += row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
            }
        }
    }
}
