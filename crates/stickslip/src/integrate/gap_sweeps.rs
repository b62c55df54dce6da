//! Projection of many gaps by sweeps, for piles: cost and memory grow with the number of contacts.

use super::gap_slabs::GapSlabs;
use super::mass::MassInverse;
use super::rows::product;
use crate::memory::Tape;
use crate::system::{ContactSet, MechanicalSystem, State};

/// Most sweeps of one projection: enough to spread a push over some ten layers; the rest is left to
/// the next steps.
const SWEEPS: usize = 30;
/// Sweeps end where the last one moved nothing by more than this part of the violation.
const SETTLED: f64 = 1e-3;
/// Finds the smallest shift of the bodies, measured by the mass matrix, that opens all negative
/// gaps to first order and closes all joints that have drifted apart: with δ the shift, Λ its
/// multipliers, g the gaps plus the penetration that is left, and e the errors of joints,
///
/// ```text
/// δ = M⁻¹ W Λ,      0 ≤ g + W_Nᵀ δ  ⊥  Λ_N ≥ 0,      e + W_Jᵀ δ = 0
/// ```
///
/// by projected Gauss-Seidel sweeps. Gaps that are open by no more than the deepest penetration
/// count too, so that a push does not close them.
///
/// The penetration that is left is the way a Δt² of the free acceleration a at the contacts in a
/// step. A gap that were opened to zero would be open or closed by chance in the next step, and a
/// pile that loses and finds its contacts again in every step never comes to rest: with a twentieth
/// of this way it still does not.
#[derive(Clone, Debug, Default)]
pub(super) struct GapSweeps {
    contacts: ContactSet,
    /// Largest gap to list at first: the deepest penetration of the last projection, m.
    margin: f64,
    mass_inverse: MassInverse,
    mass: Vec<f64>,
    forces: Vec<f64>,
    shift: Vec<f64>,
    rate: Vec<f64>,
    rows: Vec<GapRow>,
    /// M⁻¹ W of every row, one after the other.
    pushes: Vec<f64>,
    slabs: GapSlabs,
}

/// A gap or an error of a joint that is watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct GapRow {
    pub(super) candidate: usize,
    pub(super) component: usize,
    /// Where its push begins.
    pub(super) push: usize,
    /// What is to become at least zero, or zero: m or rad.
    pub(super) value: f64,
    pub(super) bilateral: bool,
    /// W_Nᵀ M⁻¹ W_N, 1/kg.
    pub(super) diagonal: f64,
    multiplier: f64,
}

impl GapSweeps {
    /// Writes the deepest penetration of the last projection, or reads it.
    pub(super) fn keep(&mut self, tape: &mut Tape) {
        tape.real(&mut self.margin);
    }

    /// Moves the state at the end of a step of length dt. Returns the energy that this put in, J.
    pub(super) fn apply(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
    ) -> f64 {
        self.list(system, state, self.margin);
        if self.contacts.candidates().iter().all(|c| c.gap > 0.0) || !self.factor(system, state) {
            return 0.0;
        }
        let left = dt * dt * self.free_acceleration();
        let mut violation = 0.0_f64;
        let mut deepest = 0.0_f64;
        for candidate in self.contacts.candidates() {
            if candidate.gap.is_finite() {
                deepest = deepest.max(-candidate.gap - left);
            }
            let errors = self.contacts.position_error(candidate);
            violation = errors.iter().fold(violation, |m, e| m.max(e.abs()));
        }
        violation = violation.max(deepest);
        if !(violation > 0.0) {
            return 0.0;
        }
        let before = system.energy(state).total();
        if deepest > self.margin {
            self.list(system, state, deepest);
        }
        self.margin = deepest;
        self.prepare(left, deepest);
        let by_slabs =
            self.slabs.prepare(&self.rows, &self.contacts, &self.mass_inverse, &self.pushes);
        for _ in 0..SWEEPS {
            let moved = if by_slabs { self.slabs.sweep() } else { self.sweep() };
            if moved <= SETTLED * violation {
                break;
            }
        }
        if by_slabs {
            self.slabs.write(&mut self.shift);
        }
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

    /// Factors the mass matrix and takes the free acceleration M⁻¹ h for the shift. False if this
    /// cannot be done.
    fn factor(&mut self, system: &dyn MechanicalSystem, state: &State) -> bool {
        let Self { mass_inverse, mass, forces, shift, .. } = self;
        mass_inverse.shape(system.blocks());
        mass.resize(mass_inverse.entries(), 0.0);
        forces.resize(state.u.len(), 0.0);
        system.mass_and_forces(state, mass, forces);
        if mass_inverse.factor(mass).is_err() {
            return false;
        }
        shift.clone_from(forces);
        for block in 0..mass_inverse.block_count() {
            let first = mass_inverse.offset(block);
            mass_inverse.apply(block, &mut shift[first..first + mass_inverse.size(block)]);
        }
        true
    }

    /// Largest free acceleration |W_Nᵀ M⁻¹ h| at a closed contact, m/s².
    fn free_acceleration(&self) -> f64 {
        let Self { contacts, mass_inverse, shift, .. } = self;
        let closed = contacts.candidates().iter().filter(|c| c.gap <= 0.0 && c.gap.is_finite());
        closed
            .filter(|c| c.has_directions())
            .map(|c| {
                let direction = &contacts.directions(c)[..c.width()];
                product(mass_inverse, c.blocks, direction, shift).abs()
            })
            .filter(|a| a.is_finite())
            .fold(0.0, f64::max)
    }

    /// Pushes and diagonal of all watched gaps and joints.
    fn prepare(&mut self, left: f64, deepest: f64) {
        let Self { contacts, mass_inverse, shift, rows, pushes, .. } = self;
        shift.fill(0.0);
        rows.clear();
        pushes.clear();
        for (index, candidate) in contacts.candidates().iter().enumerate() {
            if !candidate.has_directions() || candidate.gap > deepest {
                continue;
            }
            let width = candidate.width();
            let gap = [candidate.gap + left];
            let bilateral = !candidate.gap.is_finite();
            let values = if bilateral { contacts.position_error(candidate) } else { &gap };
            for (component, &value) in values.iter().enumerate() {
                let push = pushes.len();
                let direction = &contacts.directions(candidate)[component * width..][..width];
                pushes.extend_from_slice(direction);
                let size = mass_inverse.size(candidate.blocks[0]);
                let (first, second) = pushes[push..].split_at_mut(size);
                mass_inverse.apply(candidate.blocks[0], first);
                if !second.is_empty() {
                    mass_inverse.apply(candidate.blocks[1], second);
                }
                let diagonal = pushes[push..].iter().zip(direction).map(|(a, b)| a * b).sum();
                if diagonal > 0.0 {
                    let candidate = index;
                    let multiplier = 0.0;
                    rows.push(GapRow {
                        candidate,
                        component,
                        push,
                        value,
                        bilateral,
                        diagonal,
                        multiplier,
                    });
                }
            }
        }
    }

    /// One sweep over all rows. Returns the largest change of a gap, m.
    fn sweep(&mut self) -> f64 {
        let Self { contacts, mass_inverse, shift, rows, pushes, .. } = self;
        let mut largest = 0.0_f64;
        for row in rows {
            let candidate = &contacts.candidates()[row.candidate];
            let width = candidate.width();
            let direction = &contacts.directions(candidate)[row.component * width..][..width];
            let value = row.value + product(mass_inverse, candidate.blocks, direction, shift);
            let mut multiplier = row.multiplier - value / row.diagonal;
            if !row.bilateral {
                multiplier = multiplier.max(0.0);
            }
            let change = multiplier - row.multiplier;
            if change == 0.0 {
                continue;
            }
            largest = largest.max(change.abs() * row.diagonal);
            row.multiplier = multiplier;
            let push = &pushes[row.push..row.push + width];
            let (first, second) = push.split_at(mass_inverse.size(candidate.blocks[0]));
            for (block, part) in candidate.blocks.into_iter().zip([first, second]) {
                let place = mass_inverse.offset(block);
                let moved = &mut shift[place..place + part.len()];
                moved.iter_mut().zip(part).for_each(|(s, p)| *s += change * p);
            }
        }
        largest
    }
}
