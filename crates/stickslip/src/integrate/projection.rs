//! Projection of constraint violation after a step (Le Saux 2005, sec. 3.3).

use super::mass::MassInverse;
use super::velocity_step::product;
use crate::system::{ContactSet, MechanicalSystem, State};

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

/// Newton steps of one projection, and the violation that is left alone, m.
const MAX_STEPS: usize = 10;
const TOLERANCE: f64 = 1e-15;
/// Violation that rounding leaves in coordinates of the order of 1, m: no failure.
const ROUNDING: f64 = 1e-13;

/// A constraint that a projection must restore: component of a candidate, and its value, m.
#[derive(Clone, Copy, Debug)]
struct Violation {
    candidate: usize,
    component: usize,
    value: f64,
}

/// Moves a configuration with negative gaps, or with joints that have drifted apart, to the
/// nearest one without.
///
/// ```text
/// Δq = −A⁻¹ ∂gᵀ (∂g A⁻¹ ∂gᵀ)⁻¹ g,      ∂g/∂q = W_Nᵀ F⁺        (Le Saux 2005, eqs. 3.9–3.14)
/// ```
///
/// with the corrected derivative: ∂g/∂q has as many columns as there are coordinates. g holds the
/// negative gaps and the errors of all joints; constraints that depend on others in the list are
/// left out. Where the
/// iteration does not converge the system's own way is taken
/// ([`MechanicalSystem::restore_gaps`]).
#[derive(Clone, Debug, Default)]
pub struct Projection {
    metric: ProjectionMetric,
    contacts: ContactSet,
    mass_inverse: MassInverse,
    mass: Vec<f64>,
    forces: Vec<f64>,
    violating: Vec<Violation>,
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
        if first <= TOLERANCE {
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
            if violation <= TOLERANCE {
                return system.energy(state).total() - before;
            }
            if violation.is_nan() || violation > 0.5 * last {
                break;
            }
            last = violation;
        }
        // Rounding is the end of a good iteration; anything else is a failed one.
        if !(self.find_violations(system, state) <= ROUNDING.max(1e-10 * first)) {
            state.q.clone_from(&self.start);
            if !system.restore_gaps(state) {
                return 0.0;
            }
        }
        system.energy(state).total() - before
    }

    /// Lists the contacts with a negative gap and the components of all joints. Returns the
    /// largest violation, m.
    fn find_violations(&mut self, system: &dyn MechanicalSystem, state: &State) -> f64 {
        self.contacts.clear();
        system.contacts(state, &mut self.contacts);
        self.violating.clear();
        let mut largest = 0.0_f64;
        for (index, candidate) in self.contacts.candidates().iter().enumerate() {
            if candidate.gap < 0.0 && candidate.gap.is_finite() && candidate.has_directions() {
                let value = candidate.gap;
                self.violating.push(Violation { candidate: index, component: 0, value });
                largest = largest.max(-value);
            }
            // All components, good ones too: the shift of the others must not spoil them.
            for (component, value) in self.contacts.position_error(candidate).iter().enumerate() {
                let value = *value;
                self.violating.push(Violation { candidate: index, component, value });
                largest = if value.is_nan() { value } else { largest.max(value.abs()) };
            }
        }
        largest
    }

    /// Direction of the constraint in a row of the linear problem, with its mass blocks.
    fn direction(&self, row: usize) -> (&[f64], [usize; 2]) {
        let Violation { candidate, component, .. } = self.violating[row];
        let candidate = &self.contacts.candidates()[candidate];
        let width = candidate.width();
        let rows = self.contacts.directions(candidate);
        (&rows[component * width..(component + 1) * width], candidate.blocks)
    }

    /// One Newton step for the violated constraints. False if it could not be done.
    fn newton_step(&mut self, system: &dyn MechanicalSystem, state: &mut State) -> bool {
        let (n_q, n_u) = (state.q.len(), state.u.len());
        let m = self.violating.len();
        self.gradients.clear();
        self.gradients.resize(m * n_u, 0.0);
        self.shifts.clear();
        self.shifts.resize(m * n_q, 0.0);
        self.mass_inverse.shape(system.blocks());
        // Gradients of the constraints with respect to the velocities' directions: W_N.
        let mut gradients = std::mem::take(&mut self.gradients);
        for (row, out) in gradients.chunks_exact_mut(n_u).enumerate() {
            let (direction, blocks) = self.direction(row);
            let (first, second) = direction.split_at(self.mass_inverse.size(blocks[0]));
            let place = self.mass_inverse.offset(blocks[0]);
            out[place..place + first.len()].copy_from_slice(first);
            if !second.is_empty() {
                let place = self.mass_inverse.offset(blocks[1]);
                out[place..place + second.len()].copy_from_slice(second);
            }
        }
        self.gradients = gradients;
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        match self.metric {
            ProjectionMetric::Mass => self.mass_shifts(system, state, m),
            _ => self.identity_shifts(system, state, m),
        }
        self.multipliers.clear();
        self.multipliers.extend(self.violating.iter().map(|v| -v.value));
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
                let (direction, blocks) = self.direction(other);
                let entry = product(&self.mass_inverse, blocks, direction, &self.forces);
                self.matrix[other * m + row] = entry;
            }
            // A displacement, not a rate: take the rate at the shift and at zero.
            let shift = &mut self.shifts[row * n_q..(row + 1) * n_q];
            system.coordinate_rate(state, &self.forces, shift);
        }
    }
}

/// A row whose pivot is this small against its diagonal entry depends on the rows before it.
const DEPENDENT: f64 = 1e-12;

/// Solves A x = b for a symmetric positive semidefinite A (destroyed); b becomes x. Rows that
/// depend on those before them get x = 0. False if A is zero or not positive semidefinite.
fn cholesky_solve(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    let mut rank = 0;
    for i in 0..n {
        let size = a[i * n + i];
        for j in 0..=i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if i != j {
                let pivot = a[j * n + j];
                a[i * n + j] = if pivot > 0.0 { sum / pivot } else { 0.0 };
            } else if sum > DEPENDENT * size {
                a[i * n + i] = sum.sqrt();
                rank += 1;
            } else if sum.is_nan() {
                return false;
            } else {
                a[i * n..=i * n + i].fill(0.0);
            }
        }
    }
    let divide = |x: f64, pivot: f64| if pivot > 0.0 { x / pivot } else { 0.0 };
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i * n + k] * b[k];
        }
        b[i] = divide(b[i], a[i * n + i]);
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= a[k * n + i] * b[k];
        }
        b[i] = divide(b[i], a[i * n + i]);
    }
    rank > 0
}
