//! Projection of constraint violation after a step (Le Saux 2005, sec. 3.3).

use super::mass::MassInverse;
use super::velocity_step::product;
use crate::system::{Candidate, ContactSet, MechanicalSystem, State};

/// In which metric the nearest admissible configuration is sought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProjectionMetric {
    /// No projection.
    #[default]
    None,
    /// The Euclidean metric of the coordinates q, as in Le Saux 2005.
    Identity,
    /// The mass matrix: the shift that a percussion would make.
    Mass,
}

/// Newton steps of one projection.
const MAX_STEPS: usize = 10;
/// Violation that is left alone, relative to the size of the terms of a gap: rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Part of a violation that may be left where rounding ends the iteration.
const LEFT: f64 = 1e-10;

/// Moves a configuration with negative gaps to the nearest one without.
///
/// ```text
/// Δq = −A⁻¹ ∂gᵀ (∂g A⁻¹ ∂gᵀ)⁻¹ g,      ∂g/∂q = W_Nᵀ F⁺        (Le Saux 2005, eqs. 3.9–3.14)
/// ```
///
/// with the corrected derivative: ∂g/∂q has as many columns as there are coordinates. Where the
/// iteration does not converge the system's own way is taken
/// ([`MechanicalSystem::restore_gaps`]).
#[derive(Clone, Debug, Default)]
pub struct Projection {
    metric: ProjectionMetric,
    contacts: ContactSet,
    mass_inverse: MassInverse,
    mass: Vec<f64>,
    forces: Vec<f64>,
    violating: Vec<usize>,
    gradient: Vec<f64>,
    shift: Vec<f64>,
    gradients: Vec<f64>,
    shifts: Vec<f64>,
    matrix: Vec<f64>,
    multipliers: Vec<f64>,
    start: Vec<f64>,
}

impl Projection {
    /// A projection in the given metric.
    pub fn new(metric: ProjectionMetric) -> Self {
        Self { metric, ..Self::default() }
    }

    /// Projects the state. Returns the energy that this put in, J.
    pub(crate) fn apply(&mut self, system: &dyn MechanicalSystem, state: &mut State) -> f64 {
        if self.metric == ProjectionMetric::None {
            return 0.0;
        }
        let first = self.find_violations(system, state);
        if self.violating.is_empty() {
            return 0.0;
        }
        let before = system.energy(state).total();
        self.start.clone_from(&state.q);
        let mut last = first;
        for _ in 0..MAX_STEPS {
            if !self.newton_step(system, state) {
                break;
            }
            system.normalize(&mut state.q);
            let violation = self.find_violations(system, state);
            if self.violating.is_empty() {
                return system.energy(state).total() - before;
            }
            if violation.is_nan() || violation > 0.5 * last {
                break;
            }
            last = violation;
        }
        // Rounding is the end of a good iteration; anything else is a failed one.
        if self.find_violations(system, state) > LEFT * first {
            state.q.clone_from(&self.start);
            if !system.restore_gaps(state) {
                return 0.0;
            }
        }
        system.energy(state).total() - before
    }

    /// Lists the contacts whose gap is negative beyond rounding. Returns the largest violation, m.
    fn find_violations(&mut self, system: &dyn MechanicalSystem, state: &State) -> f64 {
        self.contacts.clear();
        system.contacts(state, &mut self.contacts);
        self.violating.clear();
        let mut largest = 0.0_f64;
        for (index, candidate) in self.contacts.candidates().iter().enumerate() {
            if candidate.gap < 0.0 && candidate.gap.is_finite() && candidate.has_directions() {
                self.violating.push(index);
            }
        }
        if self.violating.is_empty() {
            return 0.0;
        }
        self.mass_inverse.shape(system.blocks());
        self.gradient.resize(state.u.len(), 0.0);
        self.shift.resize(state.q.len(), 0.0);
        let Self { violating, contacts, mass_inverse, gradient, shift, .. } = self;
        violating.retain(|index| {
            let candidate = &contacts.candidates()[*index];
            gradient.fill(0.0);
            spread(mass_inverse, contacts, candidate, gradient);
            // A gap is a sum of lengths like (∂g/∂q_k) q_k; its rounding error scales with them.
            system.coordinate_gradient(state, gradient, shift);
            let size: f64 = shift.iter().zip(&state.q).map(|(d, q)| (d * q).abs()).sum();
            let violates = -candidate.gap > ROUNDING * size;
            if violates {
                largest = largest.max(-candidate.gap);
            }
            violates
        });
        largest
    }

    /// One Newton step for the violating gaps. False if the gaps are not independent.
    fn newton_step(&mut self, system: &dyn MechanicalSystem, state: &mut State) -> bool {
        let (n_q, n_u) = (state.q.len(), state.u.len());
        let m = self.violating.len();
        self.gradients.clear();
        self.gradients.resize(m * n_u, 0.0);
        self.shifts.clear();
        self.shifts.resize(m * n_q, 0.0);
        // Gradients of the gaps with respect to the velocities' directions: W_N.
        for (row, &index) in self.violating.iter().enumerate() {
            let candidate = &self.contacts.candidates()[index];
            let out = &mut self.gradients[row * n_u..(row + 1) * n_u];
            spread(&self.mass_inverse, &self.contacts, candidate, out);
        }
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        match self.metric {
            ProjectionMetric::Mass => self.mass_shifts(system, state, m),
            _ => self.identity_shifts(system, state, m),
        }
        self.multipliers.clear();
        self.multipliers.extend(self.violating.iter().map(|i| -self.contacts.candidates()[*i].gap));
        if !cholesky_solve(&mut self.matrix, &mut self.multipliers) {
            return false;
        }
        for (row, multiplier) in self.multipliers.iter().enumerate() {
            for (q, shift) in state.q.iter_mut().zip(&self.shifts[row * n_q..(row + 1) * n_q]) {
                *q += multiplier * shift;
            }
        }
        true
    }

    /// Shifts of q along the gradients ∂g/∂q, and the matrix ∂g ∂gᵀ.
    fn identity_shifts(&mut self, system: &dyn MechanicalSystem, state: &State, m: usize) {
        let (n_q, n_u) = (state.q.len(), state.u.len());
        for row in 0..m {
            system.coordinate_gradient(
                state,
                &self.gradients[row * n_u..(row + 1) * n_u],
                &mut self.shifts[row * n_q..(row + 1) * n_q],
            );
        }
        for i in 0..m {
            for j in 0..m {
                self.matrix[i * m + j] =
                    (0..n_q).map(|k| self.shifts[i * n_q + k] * self.shifts[j * n_q + k]).sum();
            }
        }
    }

    /// Shifts F M⁻¹ W_N of q, and the matrix W_Nᵀ M⁻¹ W_N.
    fn mass_shifts(&mut self, system: &dyn MechanicalSystem, state: &State, m: usize) {
        let (n_q, n_u) = (state.q.len(), state.u.len());
        self.mass.resize(self.mass_inverse.entries(), 0.0);
        self.forces.resize(n_u, 0.0);
        system.mass_and_forces(state, &mut self.mass, &mut self.forces);
        if self.mass_inverse.factor(&self.mass).is_err() {
            return; // the matrix stays zero and the step is refused
        }
        for row in 0..m {
            self.forces.copy_from_slice(&self.gradients[row * n_u..(row + 1) * n_u]);
            for block in 0..self.mass_inverse.block_count() {
                let first = self.mass_inverse.offset(block);
                let range = first..first + self.mass_inverse.size(block);
                self.mass_inverse.apply(block, &mut self.forces[range]);
            }
            for other in 0..m {
                let candidate = &self.contacts.candidates()[self.violating[other]];
                let direction = &self.contacts.directions(candidate)[..candidate.width()];
                self.matrix[other * m + row] =
                    product(&self.mass_inverse, candidate.blocks, direction, &self.forces);
            }
            // A displacement, not a rate: take the rate at the shift and at zero.
            let shift = &mut self.shifts[row * n_q..(row + 1) * n_q];
            system.coordinate_rate(state, &self.forces, shift);
        }
    }
}

/// Writes the normal direction of a candidate into the velocities of all blocks, zero before.
fn spread(mass: &MassInverse, contacts: &ContactSet, candidate: &Candidate, out: &mut [f64]) {
    let direction = &contacts.directions(candidate)[..candidate.width()];
    let (first, second) = direction.split_at(mass.size(candidate.blocks[0]));
    let place = mass.offset(candidate.blocks[0]);
    out[place..place + first.len()].copy_from_slice(first);
    if !second.is_empty() {
        let place = mass.offset(candidate.blocks[1]);
        out[place..place + second.len()].copy_from_slice(second);
    }
}

/// Solves A x = b for a symmetric positive definite A (destroyed); b becomes x. False if A is
/// not positive definite to working precision.
fn cholesky_solve(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    let size = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if i == j {
                if sum.is_nan() || sum <= 1e-14 * size {
                    return false;
                }
                a[i * n + i] = sum.sqrt();
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i * n + k] * b[k];
        }
        b[i] /= a[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= a[k * n + i] * b[k];
        }
        b[i] /= a[i * n + i];
    }
    true
}
