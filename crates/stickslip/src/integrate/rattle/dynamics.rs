//! Mass and smooth forces at one place of a step.

use super::super::mass::{MassInverse, multiply};
use super::super::rows::{dot, scatter};
use super::super::{StepError, check_finite};
use super::active::Active;
use crate::system::{MechanicalSystem, State};

/// M, its factors, and h at one state.
#[derive(Clone, Debug, Default)]
pub(super) struct Dynamics {
    pub(super) inverse: MassInverse,
    pub(super) mass: Vec<f64>,
    pub(super) forces: Vec<f64>,
    /// Where the entries of the mass blocks begin.
    starts: Vec<usize>,
}

impl Dynamics {
    /// Evaluates the system at a state.
    pub(super) fn evaluate(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
    ) -> Result<(), StepError> {
        self.inverse.shape(system.blocks());
        self.starts.clear();
        let mut start = 0;
        for size in system.blocks() {
            self.starts.push(start);
            start += size * size;
        }
        self.mass.resize(self.inverse.entries(), 0.0);
        self.forces.resize(self.inverse.dim(), 0.0);
        system.mass_and_forces(at, &mut self.mass, &mut self.forces);
        check_finite(at.t, "smooth_forces", &self.forces)?;
        self.inverse.factor(&self.mass).map_err(|block| StepError::Mass { t: at.t, block })
    }

    /// Adds the adhesion of contacts along their normal rows.
    pub(super) fn pull<'a>(&mut self, contacts: impl Iterator<Item = &'a Active>, rows: &[f64]) {
        for contact in contacts.filter(|contact| contact.pull > 0.0) {
            let (row, blocks) = (&rows[contact.rows.row(0)], contact.rows.blocks);
            scatter(&self.inverse, blocks, -contact.pull, row, &mut self.forces);
        }
    }

    /// The velocities of a mass block.
    pub(super) fn range(&self, block: usize) -> std::ops::Range<usize> {
        let first = self.inverse.offset(block);
        first..first + self.inverse.size(block)
    }

    /// xᵀ M x of one block.
    pub(super) fn twice_energy(&self, block: usize, x: &[f64]) -> f64 {
        let rows = self.mass[self.starts[block]..].chunks_exact(x.len());
        x.iter().zip(rows).map(|(x_i, row)| x_i * dot(row, x)).sum()
    }

    /// out ← factor · M⁻¹ h.
    pub(super) fn kick(&self, factor: f64, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.forces.iter().map(|h| factor * h));
        solve(&self.inverse, out);
    }

    /// out ← M x.
    pub(super) fn momentum(&self, system: &dyn MechanicalSystem, x: &[f64], out: &mut Vec<f64>) {
        out.resize(x.len(), 0.0);
        multiply(system.blocks(), &self.mass, x, out);
    }
}

/// x ← A⁻¹ x for all blocks.
pub(super) fn solve(inverse: &MassInverse, x: &mut [f64]) {
    for block in 0..inverse.block_count() {
        let first = inverse.offset(block);
        inverse.apply(block, &mut x[first..first + inverse.size(block)]);
    }
}
