//! Sparse LU factors of matrices in blocks whose pattern is symmetric, analysed once for a pattern.
//!
//! Rows are exchanged within the blocks on the diagonal only. That is enough for the matrices of an
//! interior point, which are a positive definite one and a little more; what rounding adds is taken away
//! by refinement.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Where a block is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slot {
    Diagonal(usize),
    Lower(usize),
    Upper(usize),
}

/// The factors A = L U and their pattern. All blocks are row-major.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu {
    /// The pattern that was analysed.
    sizes: Vec<usize>,
    starts: Vec<usize>,
    neighbours: Vec<usize>,
    /// Place of each block in the order of elimination.
    place: Vec<usize>,
    /// The size of all blocks; 0 if they differ.
    common: usize,
    /// By place: size, first row, first block below the diagonal, first entry of the diagonal block.
    size: Vec<usize>,
    begin: Vec<usize>,
    columns: Vec<usize>,
    diagonals: Vec<usize>,
    /// Places of the blocks below the diagonal, column by column and ascending, and their first entries.
    rows: Vec<usize>,
    entries: Vec<usize>,
    diagonal: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    scratch: Vec<f64>,
    permuted: Vec<f64>,
    pattern: Pattern,
}

/// Sizes of blocks by place: N if that is not 0.
#[derive(Clone, Copy)]
struct Sizes<'a, const N: usize>(&'a [usize]);

impl<const N: usize> Sizes<'_, N> {
    #[inline(always)]
    fn of(self, place: usize) -> usize {
        if N > 0 { N } else { self.0[place] }
    }
}

/// Memory of the analysis.
#[derive(Clone, Debug, Default)]
struct Pattern {
    /// Places that each place is coupled with behind it.
    below: Vec<usize>,
    starts: Vec<usize>,
    /// Column in which a row was last put.
    marks: Vec<usize>,
    /// Columns whose first entry below the diagonal is this one: a list of first and next.
    first: Vec<usize>,
    next: Vec<usize>,
}

/// No place.
const NONE: usize = usize::MAX;
/// Blocks up to which they are eliminated as they stand: there is little to save.
pub(crate) const IN_ORDER: usize = 16;

/// Other values in the same memory.
fn refill<T>(list: &mut Vec<T>, values: impl Iterator<Item = T>) {
    list.clear();
    list.extend(values);
}

impl BlockLu {
    /// Takes a pattern: the size of each block row and, row by row, the columns that it is coupled
    /// with. Does nothing, and returns false, if it is that of the last time.
    pub(crate) fn analyse(
        &mut self,
        sizes: &[usize],
        starts: &[usize],
        neighbours: &[usize],
    ) -> bool {
        if self.sizes == sizes && self.starts == starts && self.neighbours == neighbours {
            return false;
        }
        refill(&mut self.sizes, sizes.iter().copied());
        refill(&mut self.starts, starts.iter().copied());
        refill(&mut self.neighbours, neighbours.iter().copied());
        let count = sizes.len();
        if count <= IN_ORDER {
            refill(&mut self.place, 0..count);
        } else {
            self.place = order(starts, neighbours);
        }
        refill(&mut self.size, std::iter::repeat_n(0, count));
        for (size, place) in sizes.iter().zip(&self.place) {
            self.size[*place] = *size;
        }
        let Self { size, begin, diagonals, .. } = &mut *self;
        let mut row = 0;
        refill(begin, std::iter::once(0));
        begin.extend(size.iter().map(|n| {
            row += n;
            row
        }));
        let mut entry = 0;
        refill(diagonals, std::iter::once(0));
        diagonals.extend(size.iter().map(|n| {
            entry += n * n;
            entry
        }));
        self.permuted.resize(row, 0.0);
        let first = sizes.first().copied().unwrap_or(0);
        self.common = if sizes.iter().all(|n| *n == first) { first } else { 0 };
        let largest = sizes.iter().copied().max().unwrap_or(0);
        self.scratch.resize(2 * largest * largest, 0.0);
        self.fill_pattern();
        true
    }

    /// The pattern of L: each column has what is below in A and in the columns whose first entry it is.
    fn fill_pattern(&mut self) {
        let count = self.sizes.len();
        let Self { pattern, place, neighbours, starts, columns, rows, entries, size, .. } = self;
        let Pattern { below, starts: below_starts, marks, first, next } = pattern;
        // Both halves, so that a pattern that is not symmetric is taken as if it were: counting sort.
        let pairs = (0..count).flat_map(|block| {
            let own = place[block];
            let others = neighbours[starts[block]..starts[block + 1]].iter().map(|k| place[*k]);
            others.filter(move |other| *other != own).map(move |k| (own.min(k), own.max(k)))
        });
        refill(below_starts, std::iter::repeat_n(0, count + 2));
        for (a, _) in pairs.clone() {
            below_starts[a + 2] += 1;
        }
        for k in 2..count + 2 {
            below_starts[k] += below_starts[k - 1];
        }
        refill(below, std::iter::repeat_n(0, below_starts[count + 1]));
        for (a, b) in pairs {
            below[below_starts[a + 1]] = b;
            below_starts[a + 1] += 1;
        }
        for list in [&mut *marks, &mut *first, &mut *next] {
            refill(list, std::iter::repeat_n(NONE, count));
        }
        refill(columns, std::iter::once(0));
        rows.clear();
        entries.clear();
        let mut entry = 0;
        for place in 0..count {
            let begin = rows.len();
            for row in &below[below_starts[place]..below_starts[place + 1]] {
                if std::mem::replace(&mut marks[*row], place) != place {
                    rows.push(*row);
                }
            }
            let mut child = first[place];
            while child != NONE {
                for k in columns[child]..columns[child + 1] {
                    let row = rows[k];
                    if row > place && std::mem::replace(&mut marks[row], place) != place {
                        rows.push(row);
                    }
                }
                child = next[child];
            }
            rows[begin..].sort_unstable();
            if let Some(parent) = rows.get(begin) {
                next[place] = std::mem::replace(&mut first[*parent], place);
            }
            for row in &rows[begin..] {
                entries.push(entry);
                entry += size[*row] * size[place];
            }
            columns.push(rows.len());
        }
        entries.push(entry);
        self.diagonal.resize(self.diagonals[count], 0.0);
        self.lower.resize(entry, 0.0);
        self.upper.resize(entry, 0.0);
    }

    /// Operations of one factorisation.
    pub(crate) fn work(&self) -> f64 {
        let mut work = 0.0;
        for (place, own) in self.size.iter().enumerate() {
            let rows = &self.rows[self.columns[place]..self.columns[place + 1]];
            let height: usize = rows.iter().map(|row| self.size[*row]).sum();
            let (own, height) = (*own as f64, height as f64);
            work += own * own * own + 2.0 * own * own * height + 2.0 * own * height * height;
        }
        work
    }

    /// Sets all entries to zero, to be filled.
    pub(crate) fn clear(&mut self) {
        self.diagonal.fill(0.0);
        self.lower.fill(0.0);
        self.upper.fill(0.0);
    }

    /// Where the block (row, column) of the pattern is stored.
    pub(crate) fn slot(&self, row: usize, column: usize) -> Option<Slot> {
        let (i, j) = (self.place[row], self.place[column]);
        if i == j {
            return Some(Slot::Diagonal(self.diagonals[i]));
        }
        let range = self.columns[i.min(j)]..self.columns[i.min(j) + 1];
        let found = self.rows[range.clone()].binary_search(&i.max(j)).ok()?;
        let entry = self.entries[range.start + found];
        Some(if i > j { Slot::Lower(entry) } else { Slot::Upper(entry) })
    }

    /// The entries from a slot on.
    pub(crate) fn block_mut(&mut self, slot: Slot) -> &mut [f64] {
        match slot {
            Slot::Diagonal(entry) => &mut self.diagonal[entry..],
            Slot::Lower(entry) => &mut self.lower[entry..],
            Slot::Upper(entry) => &mut self.upper[entry..],
        }
    }

    /// Factorises what was filled in. False where a diagonal block is singular.
    pub(crate) fn factorise(&mut self) -> bool {
        match self.common {
            2 => self.factorise_blocks::<2>(),
            3 => self.factorise_blocks::<3>(),
            6 => self.factorise_blocks::<6>(),
            _ => self.factorise_blocks::<0>(),
        }
    }

    /// The same where all blocks have N rows, which the compiler knows then; 0: any.
    fn factorise_blocks<const N: usize>(&mut self) -> bool {
        let Self {
            size, columns, rows, entries, diagonals, diagonal, lower, upper, scratch, ..
        } = self;
        let size = Sizes::<N>(size);
        for place in 0..size.0.len() {
            let n = size.of(place);
            let (head, tail) = diagonal.split_at_mut(diagonals[place + 1]);
            let own = &mut head[diagonals[place]..];
            let (inverse, product) = scratch.split_at_mut(n * n);
            if !invert(n, own, inverse) {
                return false;
            }
            own.copy_from_slice(inverse);
            let range = columns[place]..columns[place + 1];
            // L = (A below) D⁻¹.
            for b in range.clone() {
                let block = &mut lower[entries[b]..entries[b + 1]];
                let product = &mut product[..block.len()];
                product.fill(0.0);
                subtract_product(size.of(rows[b]), n, n, block, own, product);
                for (to, from) in block.iter_mut().zip(product.iter()) {
                    *to = -from;
                }
            }
            // What is left: A_ij − L_i U_j.
            let split = entries[range.end];
            let (left, lower_rest) = lower.split_at_mut(split);
            let (above, upper_rest) = upper.split_at_mut(split);
            let offset = diagonals[place + 1];
            for a in range.clone() {
                let i = rows[a];
                let (l_a, u_a) =
                    (&left[entries[a]..entries[a + 1]], &above[entries[a]..entries[a + 1]]);
                let target = &mut tail[diagonals[i] - offset..diagonals[i + 1] - offset];
                subtract_product(size.of(i), n, size.of(i), l_a, u_a, target);
                let mut p = columns[i];
                for b in a + 1..range.end {
                    let j = rows[b];
                    while rows[p] < j {
                        p += 1;
                    }
                    let target = entries[p] - split..entries[p + 1] - split;
                    let (l_b, u_b) =
                        (&left[entries[b]..entries[b + 1]], &above[entries[b]..entries[b + 1]]);
                    let (below, beyond) =
                        (&mut lower_rest[target.clone()], &mut upper_rest[target]);
                    subtract_product(size.of(j), n, size.of(i), l_b, u_a, below);
                    subtract_product(size.of(i), n, size.of(j), l_a, u_b, beyond);
                }
            }
        }
        true
    }

    /// x ← A⁻¹ x.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        match self.common {
            2 => self.solve_blocks::<2>(x),
            3 => self.solve_blocks::<3>(x),
            6 => self.solve_blocks::<6>(x),
            _ => self.solve_blocks::<0>(x),
        }
    }

    /// The same where all blocks have N rows; 0: any.
    fn solve_blocks<const N: usize>(&mut self, x: &mut [f64]) {
        let Self { size, begin, columns, rows, entries, diagonals, permuted, scratch, .. } = self;
        let size = Sizes::<N>(size);
        let mut from = 0;
        for (n, place) in self.sizes.iter().zip(&self.place) {
            permuted[begin[*place]..begin[*place] + n].copy_from_slice(&x[from..from + n]);
            from += n;
        }
        for k in 0..size.0.len() {
            let (head, tail) = permuted.split_at_mut(begin[k + 1]);
            for b in columns[k]..columns[k + 1] {
                let i = rows[b];
                let target = &mut tail[begin[i] - begin[k + 1]..begin[i + 1] - begin[k + 1]];
                let block = &self.lower[entries[b]..entries[b + 1]];
                subtract_product(size.of(i), size.of(k), 1, block, &head[begin[k]..], target);
            }
        }
        for k in (0..size.0.len()).rev() {
            let (head, tail) = permuted.split_at_mut(begin[k + 1]);
            let own = &mut head[begin[k]..];
            for b in columns[k]..columns[k + 1] {
                let i = rows[b];
                let other = &tail[begin[i] - begin[k + 1]..begin[i + 1] - begin[k + 1]];
                let block = &self.upper[entries[b]..entries[b + 1]];
                subtract_product(size.of(k), size.of(i), 1, block, other, own);
            }
            let n = size.of(k);
            scratch[..n].fill(0.0);
            let inverse = &self.diagonal[diagonals[k]..diagonals[k + 1]];
            subtract_product(n, n, 1, inverse, own, &mut scratch[..n]);
            for (to, from) in own.iter_mut().zip(&scratch[..n]) {
                *to = -from;
            }
        }
        let mut to = 0;
        for (n, place) in self.sizes.iter().zip(&self.place) {
            x[to..to + n].copy_from_slice(&permuted[begin[*place]..begin[*place] + n]);
            to += n;
        }
    }
}

/// Place of each block in an order of elimination with little fill.
fn order(starts: &[usize], neighbours: &[usize]) -> Vec<usize> {
    let count = starts.len() - 1;
    let mut place: Vec<usize> = (0..count).collect();
    let mut by_place = place.clone();
    let pattern = SymbolicSparseColMatRef::new_checked(count, count, starts, None, neighbours);
    let space = amd::order_scratch::<usize>(count, neighbours.len());
    let mut buffer = MemBuffer::new(space);
    let stack = MemStack::new(&mut buffer);
    let done = amd::order(&mut by_place, &mut place, pattern, amd::Control::default(), stack);
    if done.is_err() {
        // Too many entries for its indices: any order is right.
        return (0..count).collect();
    }
    place
}

/// C ← C − A B for A of m × k, B of k × n entries.
#[inline(always)]
pub(crate) fn subtract_product(m: usize, k: usize, n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    match (m, k, n) {
        (6, 6, 6) => subtract_fixed::<6, 6, 6>(a, b, c),
        (3, 3, 3) => subtract_fixed::<3, 3, 3>(a, b, c),
        (6, 6, 1) => subtract_fixed::<6, 6, 1>(a, b, c),
        (3, 3, 1) => subtract_fixed::<3, 3, 1>(a, b, c),
        (2, 2, 2) => subtract_fixed::<2, 2, 2>(a, b, c),
        (2, 2, 1) => subtract_fixed::<2, 2, 1>(a, b, c),
        _ => {
            for i in 0..m {
                for l in 0..k {
                    let factor = a[i * k + l];
                    for j in 0..n {
                        c[i * n + j] -= factor * b[l * n + j];
                    }
                }
            }
        }
    }
}

/// The same with sizes that the compiler knows.
#[inline]
fn subtract_fixed<const M: usize, const K: usize, const N: usize>(
    a: &[f64],
    b: &[f64],
    c: &mut [f64],
) {
    let (a, _) = a.as_chunks::<K>();
    let (b, _) = b.as_chunks::<N>();
    let (c, _) = c.as_chunks_mut::<N>();
    let (Some(a), Some(b), Some(c)) =
        (a.first_chunk::<M>(), b.first_chunk::<K>(), c.first_chunk_mut::<M>())
    else {
        return;
    };
    for i in 0..M {
        let mut row = c[i];
        for l in 0..K {
            for j in 0..N {
                row[j] -= a[i][l] * b[l][j];
            }
        }
        c[i] = row;
    }
}

/// The inverse of a block by Gauss-Jordan with exchange of rows; false if it is singular.
#[inline(always)]
fn invert(n: usize, a: &mut [f64], inverse: &mut [f64]) -> bool {
    inverse.fill(0.0);
    for k in 0..n {
        inverse[k * n + k] = 1.0;
    }
    for k in 0..n {
        let pivot = (k..n)
            .fold(k, |best, i| if a[i * n + k].abs() > a[best * n + k].abs() { i } else { best });
        let value = a[pivot * n + k];
        if !(value.abs() > 0.0 && value.is_finite()) {
            return false;
        }
        for j in 0..n {
            a.swap(k * n + j, pivot * n + j);
            inverse.swap(k * n + j, pivot * n + j);
        }
        let scale = 1.0 / value;
        for j in 0..n {
            a[k * n + j] *= scale;
            inverse[k * n + j] *= scale;
        }
        for i in 0..n {
            let factor = a[i * n + k];
            if i == k || factor == 0.0 {
                continue;
            }
            for j in 0..n {
                a[i * n + j] -= factor * a[k * n + j];
                inverse[i * n + j] -= factor * inverse[k * n + j];
            }
        }
    }
    true
}
