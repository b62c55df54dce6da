//! Rows of W of the closed contacts, and the Delassus matrix that follows from them.
//!
//! ```text
//! G = W_vᵀ A⁻¹ W_f,      u ← u + A⁻¹ W_f Λ
//! ```
//!
//! The rows through which velocities are seen (W_v) and those along which percussions act (W_f) are
//! the same for Moreau's rule; RATTLE takes them at different places of a step.

use super::mass::MassInverse;
use crate::problem::{BlockSparse, InclusionProblem};

/// Where the rows of one contact are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RowBlock {
    /// Mass blocks that it touches; the second equals the first for a single block.
    pub(crate) blocks: [usize; 2],
    /// Number of rows.
    pub(crate) dim: usize,
    /// Entries of a row.
    pub(crate) width: usize,
    /// First entry.
    pub(crate) start: usize,
}

impl RowBlock {
    /// The entries of all its rows.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.dim * self.width
    }

    /// The entries of row k.
    pub(crate) fn row(&self, k: usize) -> std::ops::Range<usize> {
        self.start + k * self.width..self.start + (k + 1) * self.width
    }

    fn touched(&self) -> impl Iterator<Item = usize> {
        let single = self.blocks[0] == self.blocks[1];
        self.blocks.into_iter().take(if single { 1 } else { 2 })
    }
}

/// The rows of all contacts of a problem. Memory is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactRows {
    pub(crate) contacts: Vec<RowBlock>,
    /// A⁻¹ W_f, row by row.
    pub(crate) response: Vec<f64>,
    /// Contacts that touch each mass block: counting sort by block.
    touching: Vec<usize>,
    touching_starts: Vec<usize>,
    neighbours: Vec<usize>,
    /// Blocks and dimensions of the contacts whose pattern the matrix has.
    posed: Vec<([usize; 2], usize)>,
}

impl ContactRows {
    /// Forgets all contacts.
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.response.clear();
    }

    /// Adds a contact whose percussions act along the rows `force`.
    pub(crate) fn push(
        &mut self,
        inverse: &MassInverse,
        blocks: [usize; 2],
        width: usize,
        force: &[f64],
    ) {
        let start = self.response.len();
        self.response.extend_from_slice(force);
        self.contacts.push(RowBlock { blocks, dim: force.len() / width, width, start });
        for row in self.response[start..].chunks_exact_mut(width) {
            respond(inverse, blocks, row);
        }
    }

    /// Poses the Delassus matrix of the contacts; `velocity(contact)` are the rows W_v.
    pub(crate) fn fill<'a>(
        &mut self,
        inverse: &MassInverse,
        problem: &mut InclusionProblem,
        velocity: impl Fn(usize) -> &'a [f64],
    ) {
        let delassus = problem.delassus_mut();
        self.structure(inverse.block_count(), delassus);
        let block = self.kernel(inverse);
        for row in 0..self.contacts.len() {
            for (column, entries) in delassus.row_mut(row) {
                block(self, inverse, (row, velocity(row)), column, entries);
            }
        }
    }

    /// The same where W_v = W_f and A is symmetric: so is the matrix, and half of it is computed.
    pub(crate) fn fill_symmetric<'a>(
        &mut self,
        inverse: &MassInverse,
        problem: &mut InclusionProblem,
        velocity: impl Fn(usize) -> &'a [f64],
    ) {
        let delassus = problem.delassus_mut();
        self.structure(inverse.block_count(), delassus);
        let block = self.kernel(inverse);
        let mut neighbours = std::mem::take(&mut self.neighbours);
        delassus.fill_symmetric(&mut neighbours, |row, column, entries| {
            block(self, inverse, (row, velocity(row)), column, entries);
        });
        self.neighbours = neighbours;
    }

    /// What computes a block of the matrix: with rows of fixed length if all bodies have as many velocities.
    fn kernel(&self, inverse: &MassInverse) -> Kernel {
        match inverse.common_size() {
            Some(6) => Self::block::<6>,
            Some(3) => Self::block::<3>,
            _ => Self::any_block,
        }
    }

    /// Adds W_vᵀ A⁻¹ W_f of two contacts whose bodies have N velocities each.
    fn block<const N: usize>(
        &self,
        _inverse: &MassInverse,
        (row, w): (usize, &[f64]),
        column: usize,
        entries: &mut [f64],
    ) {
        let (a, b) = (&self.contacts[row], &self.contacts[column]);
        let response = &self.response[b.range()];
        for (part_a, block_a) in a.touched().enumerate() {
            for (part_b, block_b) in b.touched().enumerate() {
                if block_a != block_b {
                    continue;
                }
                let (first_a, first_b) = (N * part_a, N * part_b);
                if let (3, 3, Some(out), Some(rows_a), Some(rows_b)) = (
                    a.dim,
                    b.dim,
                    entries.first_chunk_mut::<9>(),
                    three::<N>(w, a.width, first_a),
                    three::<N>(response, b.width, first_b),
                ) {
                    add_products(rows_a, rows_b, out);
                    continue;
                }
                for (row_a, entries) in w.chunks_exact(a.width).zip(entries.chunks_exact_mut(b.dim))
                {
                    let Some(row_a) = row_a[first_a..].first_chunk::<N>() else { continue };
                    for (row_b, entry) in response.chunks_exact(b.width).zip(entries) {
                        let row_b = row_b[first_b..].first_chunk::<N>();
                        *entry += row_b.map_or(0.0, |row_b| along(row_a, row_b));
                    }
                }
            }
        }
    }

    /// The same for bodies of any kind.
    fn any_block(
        &self,
        inverse: &MassInverse,
        (row, w): (usize, &[f64]),
        column: usize,
        entries: &mut [f64],
    ) {
        let (a, b) = (&self.contacts[row], &self.contacts[column]);
        let response = &self.response[b.range()];
        for i in 0..a.dim {
            let row_a = &w[i * a.width..(i + 1) * a.width];
            for j in 0..b.dim {
                let row_b = &response[j * b.width..(j + 1) * b.width];
                entries[i * b.dim + j] += shared(inverse, (a.blocks, row_a), (b.blocks, row_b));
            }
        }
    }

    /// Which contacts share a mass block: the block structure of G.
    fn structure(&mut self, blocks: usize, delassus: &mut BlockSparse) {
        let Self { contacts, touching, touching_starts, neighbours, posed, .. } = self;
        let keys = contacts.iter().map(|rows| (rows.blocks, rows.dim));
        if delassus.block_count() == contacts.len() && posed.iter().copied().eq(keys.clone()) {
            // Contacts are mostly those of the last step.
            return delassus.finish();
        }
        posed.clear();
        posed.extend(keys);
        // Counting sort of (block, contact) pairs.
        touching_starts.clear();
        touching_starts.resize(blocks + 2, 0);
        for block in contacts.iter().flat_map(RowBlock::touched) {
            touching_starts[block + 2] += 1;
        }
        for block in 2..blocks + 2 {
            touching_starts[block] += touching_starts[block - 1];
        }
        touching.clear();
        touching.resize(touching_starts[blocks + 1], 0);
        for (contact, rows) in contacts.iter().enumerate() {
            for block in rows.touched() {
                let slot = &mut touching_starts[block + 1];
                touching[*slot] = contact;
                *slot += 1;
            }
        }
        delassus.clear();
        for rows in contacts.iter() {
            let [first, second] = rows
                .blocks
                .map(|block| &touching[touching_starts[block]..touching_starts[block + 1]]);
            neighbours.clear();
            if rows.blocks[0] == rows.blocks[1] {
                neighbours.extend_from_slice(first);
            } else {
                merge(first, second, neighbours);
            }
            delassus.push_row(rows.dim, neighbours.iter().map(|j| (*j, contacts[*j].dim)));
        }
        delassus.finish();
    }

    /// u ← u + A⁻¹ W_f Λ.
    pub(crate) fn apply(
        &self,
        inverse: &MassInverse,
        problem: &InclusionProblem,
        lambda: &[f64],
        u: &mut [f64],
    ) {
        for (rows, contact) in self.contacts.iter().zip(problem.contacts()) {
            self.add(inverse, rows, &lambda[contact.range()], u);
        }
    }

    /// Adds the response to the percussions of one contact.
    pub(crate) fn add(
        &self,
        inverse: &MassInverse,
        rows: &RowBlock,
        lambda: &[f64],
        u: &mut [f64],
    ) {
        let [first, second] = rows.blocks.map(|block| inverse.offset(block));
        let size = inverse.size(rows.blocks[0]);
        for (row, &lambda) in self.response[rows.range()].chunks_exact(rows.width).zip(lambda) {
            if lambda == 0.0 {
                continue;
            }
            let (of_first, of_second) = row.split_at(size);
            axpy(&mut u[first..], lambda, of_first);
            if !of_second.is_empty() {
                axpy(&mut u[second..], lambda, of_second);
            }
        }
    }
}

/// Computes a block of the Delassus matrix, of zeros before: contact and its rows W_v, the other contact.
type Kernel = fn(&ContactRows, &MassInverse, (usize, &[f64]), usize, &mut [f64]);

/// The parts of three rows that begin at `first`.
#[inline]
fn three<const N: usize>(rows: &[f64], width: usize, first: usize) -> Option<[&[f64; N]; 3]> {
    let rows = rows.get(first..2 * width + first + N)?;
    Some([rows.first_chunk()?, rows[width..].first_chunk()?, rows[2 * width..].first_chunk()?])
}

/// Adds the products of three parts of rows with three others, each in the order of its entries; two of them at once.
#[inline]
fn add_products<const N: usize>(a: [&[f64; N]; 3], b: [&[f64; N]; 3], out: &mut [f64; 9]) {
    let pairs: [[f64; 2]; N] = std::array::from_fn(|k| [b[0][k], b[1][k]]);
    for i in 0..3 {
        let (mut pair, mut third) = ([0.0; 2], 0.0);
        for k in 0..N {
            let factor = a[i][k];
            pair = [pair[0] + factor * pairs[k][0], pair[1] + factor * pairs[k][1]];
            third += factor * b[2][k];
        }
        out[3 * i] += pair[0];
        out[3 * i + 1] += pair[1];
        out[3 * i + 2] += third;
    }
}

/// Product of two parts of rows.
#[inline]
fn along<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    (0..N).map(|k| a[k] * b[k]).sum()
}

/// Appends two ascending lists as one; what is in both once.
fn merge(mut a: &[usize], mut b: &[usize], out: &mut Vec<usize>) {
    while let ([first_a, rest_a @ ..], [first_b, rest_b @ ..]) = (a, b) {
        out.push(*first_a.min(first_b));
        if first_a <= first_b {
            a = rest_a;
        }
        if first_b <= first_a {
            b = rest_b;
        }
    }
    out.extend_from_slice(a);
    out.extend_from_slice(b);
}

/// row ← A⁻¹ row, where the row holds the velocities of one or two blocks.
#[inline]
pub(crate) fn respond(inverse: &MassInverse, blocks: [usize; 2], row: &mut [f64]) {
    let (first, second) = row.split_at_mut(inverse.size(blocks[0]));
    inverse.apply(blocks[0], first);
    if !second.is_empty() {
        inverse.apply(blocks[1], second);
    }
}

/// u ← u + factor · row.
#[inline]
pub(crate) fn scatter(
    inverse: &MassInverse,
    blocks: [usize; 2],
    factor: f64,
    row: &[f64],
    u: &mut [f64],
) {
    let (first, second) = row.split_at(inverse.size(blocks[0]));
    axpy(&mut u[inverse.offset(blocks[0])..], factor, first);
    if !second.is_empty() {
        axpy(&mut u[inverse.offset(blocks[1])..], factor, second);
    }
}

#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Most rows are those of one body, in space or in the plane.
    if let (6, Some(a), Some(b)) = (a.len(), a.first_chunk::<6>(), b.first_chunk::<6>()) {
        return along(a, b);
    }
    if let (3, Some(a), Some(b)) = (a.len(), a.first_chunk::<3>(), b.first_chunk::<3>()) {
        return along(a, b);
    }
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// out ← out + factor · x.
#[inline]
pub(crate) fn axpy(out: &mut [f64], factor: f64, x: &[f64]) {
    if let (6, Some(out), Some(x)) = (x.len(), out.first_chunk_mut::<6>(), x.first_chunk::<6>()) {
        (0..6).for_each(|k| out[k] += factor * x[k]);
        return;
    }
    if let (3, Some(out), Some(x)) = (x.len(), out.first_chunk_mut::<3>(), x.first_chunk::<3>()) {
        (0..3).for_each(|k| out[k] += factor * x[k]);
        return;
    }
    for (o, v) in out.iter_mut().zip(x) {
        *o += factor * v;
    }
}

/// Row · u, where the row holds the velocities of one or two blocks.
#[inline]
pub(crate) fn product(mass: &MassInverse, blocks: [usize; 2], row: &[f64], u: &[f64]) -> f64 {
    let (first, second) = row.split_at(mass.size(blocks[0]));
    let mut sum = dot(first, &u[mass.offset(blocks[0])..]);
    if !second.is_empty() {
        sum += dot(second, &u[mass.offset(blocks[1])..]);
    }
    sum
}

/// Σ |direction_i u_i|: what the rounding error of [`product`] scales with.
pub(crate) fn terms(mass: &MassInverse, blocks: [usize; 2], direction: &[f64], u: &[f64]) -> f64 {
    let (first, second) = direction.split_at(mass.size(blocks[0]));
    let sum = |part: &[f64], block: usize| -> f64 {
        part.iter().zip(&u[mass.offset(block)..]).map(|(w, v)| (w * v).abs()).sum()
    };
    sum(first, blocks[0]) + if second.is_empty() { 0.0 } else { sum(second, blocks[1]) }
}

/// Product of two rows over the blocks that they share.
pub(crate) fn shared(
    mass: &MassInverse,
    (blocks_a, a): ([usize; 2], &[f64]),
    (blocks_b, b): ([usize; 2], &[f64]),
) -> f64 {
    if blocks_a == blocks_b {
        return dot(a, b);
    }
    let (a0, a1) = a.split_at(mass.size(blocks_a[0]));
    let (b0, b1) = b.split_at(mass.size(blocks_b[0]));
    let mut sum = 0.0;
    for (block_a, part_a) in [(blocks_a[0], a0), (blocks_a[1], a1)] {
        for (block_b, part_b) in [(blocks_b[0], b0), (blocks_b[1], b1)] {
            if block_a == block_b && !part_a.is_empty() && !part_b.is_empty() {
                sum += dot(part_a, part_b);
            }
        }
    }
    sum
}
