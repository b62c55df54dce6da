//! The linear equations of a step: (G + K) dx = q with K contact by contact.
//!
//! With the bodies at hand, G = Wᵀ M⁻¹ W, they are solved in the space of the velocities,
//!
//! ```text
//! (M + W B Wᵀ) y = W B q,      dx = B (q − Wᵀ y),      B = K⁻¹,
//! ```
//!
//! otherwise as they stand. Near slip the eigenvalues of K differ by many orders. As a matrix of numbers K
//! loses the small ones, which stand beside G, and B those which stand beside M: that does no harm, but
//! dx = B (...) needs B by its eigenvectors.

use super::super::block_lu::{BlockLu, Slot};
use crate::problem::InclusionProblem;

/// Factors and the space for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equations {
    lu: BlockLu,
    /// Where each block is added: of G, or of (contact, body, body).
    slots: Vec<Slot>,
    by_bodies: bool,
    /// First entry of B and first component of each contact.
    starts: Vec<usize>,
    offsets: Vec<usize>,
    y: Vec<f64>,
    product: Vec<f64>,
}

/// Numbers by which G is multiplied: G' = P G P / s with P on the diagonal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'a> {
    pub(crate) by: &'a [f64],
    pub(crate) mean: f64,
}

impl Equations {
    /// Analyses the pattern.
    pub(crate) fn prepare(&mut self, problem: &InclusionProblem) {
        self.starts.clear();
        self.offsets.clear();
        let mut entries = 0;
        for contact in problem.contacts() {
            self.starts.push(entries);
            self.offsets.push(contact.offset);
            entries += contact.dim * contact.dim;
        }
        self.starts.push(entries);
        self.offsets.push(problem.dim());
        self.slots.clear();
        let dims: Vec<usize> = problem.contacts().iter().map(|k| k.dim).collect();
        let (mut starts, mut columns) = (vec![0], Vec::new());
        self.by_bodies = false;
        if let Some(bodies) = problem.bodies() {
            self.by_bodies = true;
            let mut coupled: Vec<Vec<usize>> = (0..bodies.count()).map(|k| vec![k]).collect();
            for [a, b] in &bodies.touched {
                coupled[*a].push(*b);
                coupled[*b].push(*a);
            }
            for mut row in coupled {
                row.sort_unstable();
                row.dedup();
                columns.extend_from_slice(&row);
                starts.push(columns.len());
            }
            self.lu.analyse(&vec![bodies.size; bodies.count()], &starts, &columns);
            for contact in 0..dims.len() {
                for a in bodies.touched_by(contact) {
                    let row = bodies.touched_by(contact).iter();
                    self.slots.extend(row.filter_map(|b| self.lu.slot(*a, *b)));
                }
            }
            self.y.resize(bodies.count() * bodies.size, 0.0);
        } else {
            for row in 0..dims.len() {
                columns.extend(problem.delassus().row(row).map(|block| block.0));
                starts.push(columns.len());
            }
            self.lu.analyse(&dims, &starts, &columns);
            for row in 0..dims.len() {
                let blocks = problem.delassus().row(row);
                self.slots.extend(blocks.filter_map(|(column, _)| self.lu.slot(row, column)));
            }
        }
    }

    /// Number of entries of all blocks B.
    pub(crate) fn entries(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The block B of a contact.
    pub(crate) fn block(&self, contact: usize) -> std::ops::Range<usize> {
        self.starts[contact]..self.starts[contact + 1]
    }

    /// The components of a contact.
    pub(crate) fn components(&self, contact: usize) -> std::ops::Range<usize> {
        self.offsets[contact]..self.offsets[contact + 1]
    }

    /// Operations of one factorisation.
    pub(crate) fn work(&self) -> f64 {
        self.lu.work()
    }

    /// Whether the blocks that [`factorise`](Self::factorise) takes are those of B, not of K.
    pub(crate) fn by_bodies(&self) -> bool {
        self.by_bodies
    }

    /// Factorises with the blocks of B or K. False if that is singular.
    pub(crate) fn factorise(
        &mut self,
        problem: &InclusionProblem,
        stretch: Stretch,
        blocks: &[f64],
    ) -> bool {
        self.lu.clear();
        match self.by_bodies {
            true => self.add_bodies(problem, stretch, blocks),
            false => self.add_delassus(problem, stretch, blocks),
        }
        self.lu.factorise()
    }

    fn add_delassus(&mut self, problem: &InclusionProblem, stretch: Stretch, k: &[f64]) {
        let contacts = problem.contacts();
        let mut slots = self.slots.iter();
        for (row, contact) in contacts.iter().enumerate() {
            for ((column, block), slot) in problem.delassus().row(row).zip(&mut slots) {
                let (width, offset) = (contacts[column].dim, contacts[column].offset);
                let target = self.lu.block_mut(*slot);
                for i in 0..contact.dim {
                    let factor = stretch.by[contact.offset + i] / stretch.mean;
                    for j in 0..width {
                        target[i * width + j] =
                            factor * block[i * width + j] * stretch.by[offset + j];
                    }
                }
                if row == column {
                    for (to, own) in
                        target.iter_mut().zip(&k[self.starts[row]..self.starts[row + 1]])
                    {
                        *to += own;
                    }
                }
            }
        }
    }

    fn add_bodies(&mut self, problem: &InclusionProblem, stretch: Stretch, b: &[f64]) {
        let Some(bodies) = problem.bodies() else { return };
        let n = bodies.size;
        for body in 0..bodies.count() {
            if let Some(slot) = self.lu.slot(body, body) {
                let mass = &bodies.mass[body * n * n..(body + 1) * n * n];
                for (to, from) in self.lu.block_mut(slot).iter_mut().zip(mass) {
                    *to += stretch.mean * from;
                }
            }
        }
        let mut slots = self.slots.iter();
        let mut start = 0;
        for (index, contact) in problem.contacts().iter().enumerate() {
            let (dim, b) = (contact.dim, &b[self.starts[index]..self.starts[index + 1]]);
            let by = &stretch.by[contact.range()];
            let count = bodies.touched_by(index).len();
            let rows = |k: usize| &bodies.rows[start + k * dim * n..start + (k + 1) * dim * n];
            for p in 0..count {
                for q in 0..count {
                    let Some(slot) = slots.next() else { return };
                    let target = self.lu.block_mut(*slot);
                    // B Wᵀ of the second body, then W of the first.
                    self.product.clear();
                    self.product.resize(dim * n, 0.0);
                    let product = &mut self.product;
                    for i in 0..dim {
                        for k in 0..dim {
                            let factor = by[i] * b[i * dim + k] * by[k];
                            for j in 0..n {
                                product[i * n + j] += factor * rows(q)[k * n + j];
                            }
                        }
                    }
                    for i in 0..dim {
                        for k in 0..n {
                            let factor = rows(p)[i * n + k];
                            for j in 0..n {
                                target[k * n + j] += factor * product[i * n + j];
                            }
                        }
                    }
                }
            }
            start += count * dim * n;
        }
    }

    /// x ← dx for the right-hand side x = q; `times_b` multiplies by B.
    pub(crate) fn solve(
        &mut self,
        problem: &InclusionProblem,
        stretch: Stretch,
        times_b: impl Fn(&mut [f64]),
        x: &mut [f64],
    ) {
        let Some(bodies) = problem.bodies() else {
            self.lu.solve(x);
            return;
        };
        let n = bodies.size;
        let contacts = problem.contacts();
        self.y.fill(0.0);
        self.product.clear();
        self.product.extend_from_slice(x);
        times_b(&mut self.product);
        let (y, product) = (&mut self.y, &self.product);
        bodies.for_each(contacts.iter().map(|k| k.dim), |index, body, rows| {
            for (row, i) in rows.chunks_exact(n).zip(contacts[index].range()) {
                let factor = product[i] * stretch.by[i];
                for (y, entry) in y[body * n..(body + 1) * n].iter_mut().zip(row) {
                    *y += factor * entry;
                }
            }
        });
        self.lu.solve(y);
        bodies.for_each(contacts.iter().map(|k| k.dim), |index, body, rows| {
            for (row, i) in rows.chunks_exact(n).zip(contacts[index].range()) {
                let seen = row.iter().zip(&y[body * n..(body + 1) * n]).map(|(a, b)| a * b);
                x[i] -= stretch.by[i] * seen.sum::<f64>();
            }
        });
        times_b(x);
    }
}
