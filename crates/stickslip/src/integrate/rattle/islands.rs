//! Bodies that are connected by the active contacts of a step.

use super::active::ActiveSet;

/// A partition of the mass blocks: which of them feel each other within a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    parents: Vec<usize>,
}

impl Islands {
    /// The islands of the active contacts.
    pub(super) fn find(&mut self, blocks: usize, active: &ActiveSet) {
        self.parents.clear();
        self.parents.extend(0..blocks);
        for contact in &active.list {
            let [a, b] = contact.rows.blocks.map(|block| self.root(block));
            self.parents[a.max(b)] = a.min(b);
        }
        for block in 0..blocks {
            self.parents[block] = self.root(block);
        }
    }

    fn root(&self, mut block: usize) -> usize {
        while self.parents[block] != block {
            block = self.parents[block];
        }
        block
    }

    /// Number of mass blocks.
    pub(super) fn blocks(&self) -> usize {
        self.parents.len()
    }

    /// The island of a block: the first block that belongs to it.
    pub(super) fn of(&self, block: usize) -> usize {
        self.parents[block]
    }
}
