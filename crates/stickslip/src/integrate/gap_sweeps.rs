//! Projection of many gaps by sweeps, for piles: cost and memory grow with the number of contacts.

use super::mass::MassInverse;
use super::velocity_step::product;
use crate::system::{ContactSet, MechanicalSystem, State};

/// Sweeps of one projection: enough to spread a push over some ten layers; the rest is left to the
/// next steps.
const SWEEPS: usize = 30;

/// Finds the smallest shift of the bodies, measured by the mass matrix, that opens all negative
/// gaps to first order: with δ the shift and Λ its multipliers,
///
/// ```text
/// δ = M⁻¹ W_N Λ,      0 ≤ g + W_Nᵀ δ  ⊥  Λ ≥ 0
/// ```
///
/// by projected Gauss-Seidel sweeps. Gaps that are open by no more than the deepest penetration
/// count too, so that a push does not close them. Joints are left as they are.
#[derive(Clone, Debug, Default)]
pub(super) struct GapSweeps {
    contacts: ContactSet,
    mass_inverse: MassInverse,
    mass: Vec<f64>,
    forces: Vec<f64>,
    shift: Vec<f64>,
    rate: Vec<f64>,
    rows: Vec<Row>,
    /// M⁻¹ W_N of every row, one after the other.
    pushes: Vec<f64>,
}

/// A gap that is watched.
#[derive(Clone, Copy, Debug)]
struct Row {
    candidate: usize,
    /// Where its push begins.
    push: usize,
    /// W_Nᵀ M⁻¹ W_N, 1/kg.
    diagonal: f64,
    multiplier: f64,
}

impl GapSweeps {
    /// Moves the state. Returns the energy that this put in, J.
    pub(super) fn apply(&mut self, system: &dyn MechanicalSystem, state: &mut State) -> f64 {
        self.list(system, state, 0.0);
        let gaps = self.contacts.candidates().iter().map(|c| c.gap).filter(|g| g.is_finite());
        let deepest = gaps.fold(0.0_f64, |m, gap| m.max(-gap));
        if !(deepest > 0.0) {
            return 0.0;
        }
        let before = system.energy(state).total();
        self.list(system, state, deepest);
        if !self.prepare(system, state) {
            return 0.0;
        }
        (0..SWEEPS).for_each(|_| self.sweep());
        self.rate.resize(state.q.len(), 0.0);
        system.coordinate_rate(state, &self.shift, &mut self.rate);
        if self.rate.iter().any(|v| !v.is_finite()) {
            return 0.0;
        }
        state.q.iter_mut().zip(&self.rate).for_each(|(q, shift)| *q += shift);
        system.normalize(&mut state.q);
        system.energy(state).total() - before
    }

    fn list(&mut self, system: &dyn MechanicalSystem, state: &State, margin: f64) {
        self.contacts.clear();
        self.contacts.margin = margin;
        system.contacts(state, &mut self.contacts);
    }

    /// Pushes and diagonal of all watched gaps. False if the mass matrix cannot be factored.
    fn prepare(&mut self, system: &dyn MechanicalSystem, state: &State) -> bool {
        let Self { contacts, mass_inverse, mass, forces, shift, rows, pushes, .. } = self;
        mass_inverse.shape(system.blocks());
        mass.resize(mass_inverse.entries(), 0.0);
        forces.resize(state.u.len(), 0.0);
        system.mass_and_forces(state, mass, forces);
        if mass_inverse.factor(mass).is_err() {
            return false;
        }
        shift.clear();
        shift.resize(state.u.len(), 0.0);
        rows.clear();
        pushes.clear();
        for (index, candidate) in contacts.candidates().iter().enumerate() {
            if !candidate.gap.is_finite() || !candidate.has_directions() {
                continue;
            }
            let start = pushes.len();
            let direction = &contacts.directions(candidate)[..candidate.width()];
            pushes.extend_from_slice(direction);
            let (first, second) =
                pushes[start..].split_at_mut(mass_inverse.size(candidate.blocks[0]));
            mass_inverse.apply(candidate.blocks[0], first);
            if !second.is_empty() {
                mass_inverse.apply(candidate.blocks[1], second);
            }
            let diagonal = pushes[start..].iter().zip(direction).map(|(a, b)| a * b).sum();
            if diagonal > 0.0 {
                rows.push(Row { candidate: index, push: start, diagonal, multiplier: 0.0 });
            }
        }
        true
    }

    fn sweep(&mut self) {
        let Self { contacts, mass_inverse, shift, rows, pushes, .. } = self;
        for row in rows {
            let candidate = &contacts.candidates()[row.candidate];
            let direction = &contacts.directions(candidate)[..candidate.width()];
            let gap = candidate.gap + product(mass_inverse, candidate.blocks, direction, shift);
            let multiplier = (row.multiplier - gap / row.diagonal).max(0.0);
            let change = multiplier - row.multiplier;
            if change == 0.0 {
                continue;
            }
            row.multiplier = multiplier;
            let push = &pushes[row.push..row.push + candidate.width()];
            let (first, second) = push.split_at(mass_inverse.size(candidate.blocks[0]));
            for (block, part) in candidate.blocks.into_iter().zip([first, second]) {
                let place = mass_inverse.offset(block);
                let moved = &mut shift[place..place + part.len()];
                moved.iter_mut().zip(part).for_each(|(s, p)| *s += change * p);
            }
        }
    }
}
