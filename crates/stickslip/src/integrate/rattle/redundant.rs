//! Joints that depend on each other: mechanisms that move although they are held more than once.
//!
//! Their percussions are not unique, and without a choice they grow from step to step. A row that
//! depends on others gets a compliance of its own: where the others hold, nothing is left for it to do,
//! so it bears nothing, and the motion is the same.

use super::active::{ActiveSet, Level};
use super::islands::Islands;
use crate::problem::InclusionProblem;

/// Pivot over diagonal entry below which a row depends on those before it.
const DEPENDENT: f64 = 1e-8;
/// Most rows that are looked at together.
const MOST_ROWS: usize = 400;

/// Finds dependent rows. Memory is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Redundant {
    /// Compliance by component of the active contacts; 0 for those that bear their load.
    pub(super) compliance: Vec<f64>,
    /// Rows of joints by island, and the velocities of its blocks.
    counts: Vec<[usize; 2]>,
    /// Contact, row in the contact, and component of the rows of one island.
    rows: Vec<(usize, usize, usize)>,
    matrix: Vec<f64>,
    sizes: Vec<f64>,
    /// Rows that are not eliminated yet.
    left: Vec<usize>,
}

impl Redundant {
    /// Looks at islands whose joints have as many rows as their bodies have velocities; at all of
    /// them where `everywhere`.
    pub(super) fn find(
        &mut self,
        problem: &InclusionProblem,
        active: &ActiveSet,
        islands: &Islands,
        sizes: &[usize],
        everywhere: bool,
    ) {
        self.compliance.clear();
        self.compliance.resize(active.components(), 0.0);
        self.counts.clear();
        self.counts.resize(sizes.len(), [0; 2]);
        for (block, size) in sizes.iter().enumerate() {
            self.counts[islands.of(block)][1] += size;
        }
        for contact in active.list.iter().filter(|contact| contact.level == Level::Position) {
            self.counts[islands.of(contact.rows.blocks[0])][0] += contact.rows.dim;
        }
        for island in 0..sizes.len() {
            let [rows, velocities] = self.counts[island];
            if rows > 1 && rows <= MOST_ROWS && (everywhere || rows >= velocities) {
                self.look_at(island, problem, active, islands);
            }
        }
    }

    /// Eliminates the rows of one island by the others.
    fn look_at(
        &mut self,
        island: usize,
        problem: &InclusionProblem,
        active: &ActiveSet,
        islands: &Islands,
    ) {
        self.rows.clear();
        for (index, contact) in active.list.iter().enumerate() {
            if contact.level == Level::Position && islands.of(contact.rows.blocks[0]) == island {
                self.rows.extend((0..contact.rows.dim).map(|k| (index, k, contact.offset + k)));
            }
        }
        let n = self.rows.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        let mut row = 0;
        while row < n {
            let (index, ..) = self.rows[row];
            let dim = active.list[index].rows.dim;
            for (other, block) in problem.delassus().row(index) {
                let Some(column) = self.rows.iter().position(|entry| entry.0 == other) else {
                    continue;
                };
                let width = active.list[other].rows.dim;
                for i in 0..dim {
                    for j in 0..width {
                        self.matrix[(row + i) * n + column + j] = block[i * width + j];
                    }
                }
            }
            row += dim;
        }
        // The row with the largest share left comes next, so that what is left over at the end
        // depends on rows that are safe to rely on.
        self.sizes.clear();
        self.sizes.extend((0..n).map(|i| self.matrix[i * n + i]));
        self.left.clear();
        self.left.extend(0..n);
        while !self.left.is_empty() {
            let share = |i: &usize| self.matrix[i * n + i] / self.sizes[*i];
            let best = (0..self.left.len())
                .max_by(|a, b| share(&self.left[*a]).total_cmp(&share(&self.left[*b])));
            let Some(best) = best else { break };
            let pivot = self.left[best];
            if !(share(&pivot) > DEPENDENT) {
                break;
            }
            self.left.swap_remove(best);
            let a = &mut self.matrix;
            for &i in &self.left {
                let factor = a[i * n + pivot] / a[pivot * n + pivot];
                if factor != 0.0 {
                    for &j in &self.left {
                        a[i * n + j] -= factor * a[pivot * n + j];
                    }
                }
            }
        }
        for &row in &self.left {
            self.compliance[self.rows[row].2] = self.sizes[row];
        }
    }
}
