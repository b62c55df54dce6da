//! How far a turn of stage 1 has come: what changed in it, and what rounding leaves.

use super::super::StepError;
use super::active::ActiveSet;
use super::stage_one::StageOne;
use crate::problem::largest;
use crate::system::{ContactSet, MechanicalSystem, State};

impl StageOne {
    /// Residual that rounding of gaps leaves: they are differences of coordinates.
    pub(super) fn rounding(&self, dt: f64) -> f64 {
        let size = largest(&self.end.q);
        let data = largest(self.problem.c());
        let scale = self.problem.delassus().mean_diagonal();
        let forces = self.lambda.iter().fold(data, |m, l| m.max(scale * l.abs()));
        if forces > 0.0 { (64.0 * f64::EPSILON * size / dt / forces).min(1e-4) } else { 1e-4 }
    }

    /// Takes the new u_½. Returns its relative change: the largest of all blocks with contacts, and of
    /// those without.
    pub(super) fn accept(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        active: &ActiveSet,
    ) -> (f64, f64) {
        self.touched.clear();
        self.touched.resize(system.blocks().len(), false);
        for contact in &active.list {
            contact.rows.blocks.iter().for_each(|block| self.touched[*block] = true);
        }
        let u = &mut self.middle.u;
        self.shift.clear();
        self.shift.extend(self.free.iter().zip(u.iter()).map(|(new, old)| new - old));
        u.copy_from_slice(&self.free);
        let mut worst = [0.0_f64; 2];
        for block in 0..system.blocks().len() {
            let energy = |x: &[f64]| self.dynamics.twice_energy(block, x);
            let range = self.dynamics.range(block);
            self.momentum.clear();
            self.momentum.extend(self.dynamics.forces[range.clone()].iter().map(|h| dt * h));
            self.dynamics.inverse.apply(block, &mut self.momentum);
            let size = energy(&at.u[range.clone()])
                .max(energy(&self.middle.u[range.clone()]))
                .max(energy(&self.momentum));
            let change = energy(&self.shift[range]);
            if change > 0.0 {
                let relative = if size > 0.0 { (change / size).sqrt() } else { 1.0 };
                let slot = &mut worst[usize::from(!self.touched[block])];
                *slot = slot.max(relative);
            }
        }
        (worst[0], worst[1])
    }
}

/// An error if a gap is not a number.
pub(super) fn check_gaps(t: f64, contacts: &ContactSet) -> Result<(), StepError> {
    match contacts.candidates().iter().position(|c| c.gap.is_nan()) {
        Some(index) => Err(StepError::NotFinite { t, quantity: "gap", index, value: f64::NAN }),
        None => Ok(()),
    }
}
