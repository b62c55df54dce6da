//! Projection of constraint violation after a step (Le Saux 2005, sec. 3.3).

use super::gap_gradients::GapGradients;
use super::gap_sweeps::GapSweeps;
use super::mass::MassInverse;
use super::near_projection::NearProjection;
use super::rows::{product, respond, scatter, shared};
use crate::linear::{semidefinite_factor, semidefinite_solve, zeros};
use crate::memory::Tape;
use crate::system::{Candidate, ContactSet, MechanicalSystem, State, left_at};

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
    /// The mass matrix, by sweeps over gaps and joints: for many contacts. It goes part of the way in
    /// each step, and leaves as much penetration as keeps resting contacts closed.
    Sweeps,
}

/// Newton steps of one projection.
const MAX_STEPS: usize = 10;
/// Violation that is left alone, relative to the size of the terms of a gap: rounding.
pub(super) const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Constraints beyond which the sweeps are taken: the cost of Newton's method grows with the third
/// power of their number.
pub(super) const MOST_FOR_NEWTON: usize = 200;
/// Part of a violation that may be left where rounding ends the iteration.
const REMAINING_PART: f64 = 1e-10;

/// A last step with the factors of the one before is enough where it is expected to leave this part of
/// what counts as rounding.
pub(super) const EXPECTED: f64 = 0.1;
/// What a Newton step may leave, relative to the size of the terms of a gap, if it is not looked at. It is no
/// error that grows: the next step finds it with its own, and removes both.
const UNSEEN: f64 = 1e-14;
/// How far gaps that are not in the list must be open then, over the violation that this step removes. Where a lever
/// closes one all the same, the next step finds it.
pub(super) const CLEAR: f64 = 30.0;

/// A constraint that a projection restores: the component of a candidate, and its value, m or rad.
#[derive(Clone, Copy, Debug)]
struct Constraint {
    candidate: usize,
    key: u64,
    component: usize,
    /// Mass blocks that it touches.
    blocks: [usize; 2],
    value: f64,
    /// Up to this value it counts as restored: rounding.
    rounding: f64,
}

/// Moves a configuration with negative gaps, or with joints that have drifted apart, to the
/// nearest one without.
///
/// ```text
/// Δq = −A⁻¹ ∂gᵀ (∂g A⁻¹ ∂gᵀ)⁻¹ g,      ∂g/∂q = W_Nᵀ F⁺        (Le Saux 2005, eqs. 3.9–3.14)
/// ```
///
/// with the corrected derivative: ∂g/∂q has as many columns as there are coordinates. g holds the
/// errors of all joints and every gap that was negative at any time of the iteration: two corners
/// of a face would otherwise push each other back into the wall for ever. Where the system says up to
/// which gap a contact is closed ([`crate::system::Candidate::closed_at`]) a penetration of a Δt² is
/// left, a the largest free acceleration at the closed contacts: a gap that were opened to zero would
/// be open or closed by chance in the next step, and what rests would chatter. Constraints that depend
/// on others in the list are left out. Where the iteration does not converge the system's own way is taken
/// ([`MechanicalSystem::restore_gaps`]).
#[derive(Clone, Debug, Default)]
pub struct Projection {
    metric: ProjectionMetric,
    contacts: ContactSet,
    /// The same after a Newton step, without directions of the gaps.
    looked: ContactSet,
    mass_inverse: MassInverse,
    mass: Vec<f64>,
    forces: Vec<f64>,
    constraints: Vec<Constraint>,
    /// Keys of the gaps that were negative, in order.
    held: Vec<u64>,
    /// Penetration that is left so that resting contacts stay closed, m.
    left: f64,
    /// Largest size of the terms of a constraint: its rounding error scales with it.
    size: f64,
    gradients: GapGradients,
    /// M⁻¹ W of one constraint.
    response: Vec<f64>,
    shift: Vec<f64>,
    start_rate: Vec<f64>,
    matrix: Vec<f64>,
    /// First entry of each row of the matrix that is not zero.
    firsts: Vec<usize>,
    multipliers: Vec<f64>,
    start: Vec<f64>,
    sweeps: GapSweeps,
    pub(super) near: NearProjection,
}

impl Projection {
    /// A projection in the given metric.
    pub fn new(metric: ProjectionMetric) -> Self {
        Self { metric, ..Self::default() }
    }

    /// How violations are measured.
    pub(crate) fn metric(&self) -> ProjectionMetric {
        self.metric
    }

    /// Writes what is known of the last projection, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("projection");
        self.sweeps.keep(tape);
    }

    /// Projects the state at the end of a step of length dt. Returns the energy that this put in, J.
    pub(crate) fn apply(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
    ) -> f64 {
        if self.metric == ProjectionMetric::None {
            return 0.0;
        }
        if self.metric == ProjectionMetric::Sweeps {
            return self.sweeps.apply(system, state, dt);
        }
        self.held.clear();
        self.contacts.margin = 0.0;
        self.left = dt * dt * self.free_acceleration(system, state);
        let first = self.judge_violations(system, state);
        if first == 0.0 {
            return 0.0;
        }
        if self.constraints.len() > MOST_FOR_NEWTON {
            return self.sweeps.apply(system, state, dt);
        }
        let before = system.energy(state).total();
        self.start.clone_from(&state.q);
        let mut last = first;
        for _ in 0..MAX_STEPS {
            if !self.newton_step(system, state) {
                break;
            }
            system.normalize(&mut state.q);
            if self.leaves_little(last) {
                return system.energy(state).total() - before;
            }
            let held = self.held.len();
            self.looked.margin = f64::NEG_INFINITY;
            self.looked.only_joints = self.moves_joints_alone(last);
            self.looked.clear();
            system.contacts(state, &mut self.looked);
            if self.finishes(system, state, last) {
                return system.energy(state).total() - before;
            }
            let mut violation = self.find_violations(system, state);
            if violation == 0.0 {
                return system.energy(state).total() - before;
            }
            if self.contacts.margin == 0.0 && self.held.len() > held {
                // Directions are needed at gaps that another one has opened a little.
                self.contacts.margin = 4.0 * first;
                violation = self.find_violations(system, state);
            }
            // A new gap in the list is a new start.
            if violation.is_nan() || (violation > 0.5 * last && self.held.len() == held) {
                break;
            }
            last = violation;
        }
        // Rounding is the end of a good iteration; anything else is a failed one.
        let left = self.find_violations(system, state);
        if left.is_nan() || left > (REMAINING_PART * first).max(8.0 * ROUNDING * self.size) {
            state.q.clone_from(&self.start);
            if !system.restore_gaps(state) {
                return 0.0;
            }
        }
        system.energy(state).total() - before
    }

    /// Lists the contacts. Returns the largest free acceleration |W_Nᵀ M⁻¹ h| at those that are closed
    /// and say up to which gap they are so, m/s²; 0 if there is none.
    fn free_acceleration(&mut self, system: &dyn MechanicalSystem, state: &State) -> f64 {
        self.contacts.clear();
        system.contacts(state, &mut self.contacts);
        if !self.contacts.candidates().iter().any(|c| self.rests(c)) || !self.factor(system, state)
        {
            return 0.0;
        }
        let Self { mass_inverse, forces, .. } = self;
        for block in 0..mass_inverse.block_count() {
            let first = mass_inverse.offset(block);
            mass_inverse.apply(block, &mut forces[first..first + mass_inverse.size(block)]);
        }
        let along = |c: &Candidate| {
            let direction = &self.contacts.directions(c)[..c.width()];
            product(&self.mass_inverse, c.blocks, direction, &self.forces).abs()
        };
        let found = self.contacts.candidates().iter().filter(|c| self.rests(c)).map(along);
        found.filter(|a| a.is_finite()).fold(0.0, f64::max)
    }

    /// Whether it is closed, and says up to which gap it is so.
    fn rests(&self, candidate: &Candidate) -> bool {
        candidate.is_closed()
            && candidate.closed_at > 0.0
            && candidate.gap.is_finite()
            && candidate.has_directions()
    }

    /// Penetration that is left at a candidate, m.
    fn left_at(&self, candidate: &Candidate) -> f64 {
        left_at(self.left, candidate.closed_at)
    }

    /// Factors the mass matrix; the forces are in `forces`. False if this cannot be done.
    fn factor(&mut self, system: &dyn MechanicalSystem, state: &State) -> bool {
        self.mass_inverse.shape(system.blocks());
        self.mass.resize(self.mass_inverse.entries(), 0.0);
        self.forces.resize(state.u.len(), 0.0);
        system.mass_and_forces(state, &mut self.mass, &mut self.forces);
        self.mass_inverse.factor(&self.mass).is_ok()
    }

    /// Lists the gaps that are negative, or were so before, and the components of all joints.
    /// Returns the largest violation beyond rounding, m; 0 if there is none.
    fn find_violations(&mut self, system: &dyn MechanicalSystem, state: &State) -> f64 {
        self.contacts.clear();
        system.contacts(state, &mut self.contacts);
        self.judge_violations(system, state)
    }

    /// The same for contacts that are listed already.
    fn judge_violations(&mut self, system: &dyn MechanicalSystem, state: &State) -> f64 {
        self.constraints.clear();
        // Room for all gaps, so that no later step needs more.
        let candidates = self.contacts.candidates().len();
        self.constraints.reserve(candidates);
        self.held.reserve(candidates.saturating_sub(self.held.len()));
        for (index, candidate) in self.contacts.candidates().iter().enumerate() {
            let value = candidate.gap + self.left_at(candidate);
            if candidate.gap.is_finite()
                && candidate.has_directions()
                && (value < 0.0 || self.held.binary_search(&candidate.key).is_ok())
            {
                self.constraints.push(Constraint::new(index, candidate, 0, value));
            }
            for (component, value) in self.contacts.position_error(candidate).iter().enumerate() {
                self.constraints.push(Constraint::new(index, candidate, component, *value));
            }
        }
        if self.constraints.is_empty() {
            return 0.0;
        }
        if self.constraints.len() > MOST_FOR_NEWTON {
            return f64::INFINITY; // for the sweeps
        }
        self.mass_inverse.shape(system.blocks());
        self.fill_gradients(system, state);
        self.size = 0.0;
        let mut largest = 0.0_f64;
        let Self { constraints, contacts, gradients, held, size, .. } = self;
        for (index, constraint) in constraints.iter_mut().enumerate() {
            // A gap is a sum of lengths like (∂g/∂q_k) q_k; its rounding error scales with them.
            let terms = gradients.terms(index, &state.q);
            *size = size.max(terms);
            constraint.rounding = ROUNDING * terms;
            let candidate = &contacts.candidates()[constraint.candidate];
            let unilateral = candidate.gap.is_finite();
            if constraint.value.is_nan() {
                return f64::NAN;
            }
            if constraint.is_restored(unilateral) {
                continue;
            }
            largest = largest.max(constraint.value.abs());
            if unilateral && let Err(place) = held.binary_search(&candidate.key) {
                held.insert(place, candidate.key);
            }
        }
        if largest > 0.0 {
            self.keep_resting();
        }
        largest
    }

    /// Lists what is closed and deep enough to stay as it is, while others move. Last in the list, so
    /// that it is left out where it depends on the others.
    fn keep_resting(&mut self) {
        for (index, candidate) in self.contacts.candidates().iter().enumerate() {
            let rests = self.rests(candidate) && self.held.binary_search(&candidate.key).is_err();
            if rests && candidate.gap + self.left_at(candidate) >= 0.0 {
                self.constraints.push(Constraint::new(index, candidate, 0, 0.0));
            }
        }
    }

    /// Whether the projection ends here: the contacts are looked at after a Newton step that began at the
    /// violation `last`. Where what is left is so small that one more step with the same directions and factors
    /// removes it, that is made, without looking at its result.
    fn finishes(&mut self, system: &dyn MechanicalSystem, state: &mut State, last: f64) -> bool {
        let Self { constraints, contacts, looked, held, left, .. } = &mut *self;
        let (mut largest, mut rounding) = (0.0_f64, f64::INFINITY);
        // What was not asked for stands before the joints.
        let fewer = contacts.candidates().len().saturating_sub(looked.candidates().len());
        let missing = if looked.only_joints { fewer } else { 0 };
        for constraint in constraints.iter_mut() {
            let place = constraint.candidate.checked_sub(missing);
            let same = place.and_then(|place| looked.candidates().get(place));
            let Some(candidate) = same.filter(|c| c.key == constraint.key) else { return false };
            let unilateral = candidate.gap.is_finite();
            if unilateral {
                // What rests stays as it is.
                if held.binary_search(&candidate.key).is_err() {
                    continue;
                }
                constraint.value = candidate.gap + left_at(*left, candidate.closed_at);
            } else {
                let errors = looked.position_error(candidate);
                let Some(error) = errors.get(constraint.component) else { return false };
                constraint.value = *error;
            }
            if constraint.value.is_nan() {
                return false;
            }
            if !constraint.is_restored(unilateral) {
                largest = largest.max(constraint.value.abs());
            }
            rounding = rounding.min(constraint.rounding);
        }
        // Newton's method leaves C last²; with the factors of that step C last · largest is left of the next.
        if largest * (largest / last) > EXPECTED * rounding {
            return false;
        }
        if !self.others_are_clear(&self.looked, largest) {
            return false;
        }
        if largest > 0.0 {
            self.shift_by_factors(system, state);
            system.normalize(&mut state.q);
        }
        true
    }

    /// Whether a Newton step from the violation `last` need not be looked at: it leaves about last²/size, and
    /// has met no other gap.
    fn leaves_little(&self, last: f64) -> bool {
        let least = self.constraints.iter().map(|c| c.rounding).filter(|r| *r > 0.0);
        let least = least.fold(f64::INFINITY, f64::min) / ROUNDING;
        last * (last / least) <= UNSEEN * least && self.others_are_clear(&self.contacts, last)
    }

    /// Whether all gaps that are not in the list are open by much more than this, m.
    fn others_are_clear(&self, contacts: &ContactSet, moved: f64) -> bool {
        let is_clear = |(index, candidate): (usize, &Candidate)| {
            !candidate.gap.is_finite()
                || candidate.gap + self.left_at(candidate) > CLEAR * moved
                || self.constraints.iter().any(|constraint| constraint.candidate == index)
        };
        contacts.candidates().iter().enumerate().all(is_clear)
    }

    /// Whether a Newton step from the violation `last` closes joints alone, and has met no gap.
    fn moves_joints_alone(&self, last: f64) -> bool {
        let gap_of = |constraint: &Constraint| self.contacts.candidates()[constraint.candidate].gap;
        self.constraints.iter().all(|constraint| !gap_of(constraint).is_finite())
            && self.others_are_clear(&self.contacts, last)
    }

    fn fill_gradients(&mut self, system: &dyn MechanicalSystem, state: &State) {
        let Self { gradients, contacts, constraints, mass_inverse, .. } = self;
        let directions = constraints.iter().map(|constraint| direction(contacts, constraint));
        gradients.fill(system, state, mass_inverse, directions);
    }

    /// One Newton step for the constraints. False if it could not be done.
    fn newton_step(&mut self, system: &dyn MechanicalSystem, state: &mut State) -> bool {
        if self.gradients.len() < self.constraints.len() {
            // What rests has joined the list.
            self.fill_gradients(system, state);
        }
        let by_mass = self.metric == ProjectionMetric::Mass;
        if by_mass && !self.factor(system, state) {
            return false;
        }
        self.fill_matrix(by_mass);
        let Self { matrix, firsts, .. } = self;
        if !semidefinite_factor(self.constraints.len(), matrix, DEPENDENT, firsts) {
            return false;
        }
        self.shift_by_factors(system, state);
        true
    }

    /// Moves the state by what the values of the constraints and the factored matrix say.
    fn shift_by_factors(&mut self, system: &dyn MechanicalSystem, state: &mut State) {
        self.multipliers.clear();
        self.multipliers.extend(self.constraints.iter().map(|c| -c.value));
        semidefinite_solve(&self.matrix, &self.firsts, &mut self.multipliers);
        if self.metric != ProjectionMetric::Mass {
            for (row, multiplier) in self.multipliers.iter().enumerate() {
                self.gradients.add(row, *multiplier, &mut state.q);
            }
            return;
        }
        // F M⁻¹ W Λ: a displacement, not a rate, so that what is prescribed is taken out again.
        self.forces.fill(0.0);
        for (constraint, multiplier) in self.constraints.iter().zip(&self.multipliers) {
            let (direction, blocks) = direction(&self.contacts, constraint);
            scatter(&self.mass_inverse, blocks, *multiplier, direction, &mut self.forces);
        }
        for block in 0..self.mass_inverse.block_count() {
            let first = self.mass_inverse.offset(block);
            let range = first..first + self.mass_inverse.size(block);
            self.mass_inverse.apply(block, &mut self.forces[range]);
        }
        self.start_rate.resize(state.q.len(), 0.0);
        self.shift.resize(state.q.len(), 0.0);
        system.coordinate_rate(state, &self.forces, &mut self.shift);
        self.forces.fill(0.0);
        system.coordinate_rate(state, &self.forces, &mut self.start_rate);
        for (q, (shift, start)) in state.q.iter_mut().zip(self.shift.iter().zip(&self.start_rate)) {
            *q += shift - start;
        }
    }

    /// The lower half of ∂g A⁻¹ ∂gᵀ, where constraints share a block.
    fn fill_matrix(&mut self, by_mass: bool) {
        let Self { matrix, constraints, contacts, mass_inverse, response, gradients, .. } = self;
        let m = constraints.len();
        zeros(matrix, m * m);
        for row in 0..m {
            let (direction_a, blocks) = direction(contacts, &constraints[row]);
            if by_mass {
                response.clear();
                response.extend_from_slice(direction_a);
                respond(mass_inverse, blocks, response);
            }
            let entries = matrix[row * m..=row * m + row].iter_mut();
            for (column, entry) in entries.enumerate() {
                let others = constraints[column].blocks;
                if !others.contains(&blocks[0]) && !others.contains(&blocks[1]) {
                    continue;
                }
                *entry = if by_mass {
                    let (direction_b, _) = direction(contacts, &constraints[column]);
                    shared(mass_inverse, (blocks, response), (others, direction_b))
                } else {
                    gradients.product(row, column)
                };
            }
        }
    }
}

impl Constraint {
    fn new(index: usize, candidate: &Candidate, component: usize, value: f64) -> Self {
        let Candidate { key, blocks, .. } = *candidate;
        Self { candidate: index, key, component, blocks, value, rounding: 0.0 }
    }

    /// Whether only rounding is left of it, or a gap is open.
    fn is_restored(&self, unilateral: bool) -> bool {
        self.value.abs() <= self.rounding || (unilateral && self.value > 0.0)
    }
}

/// Direction of a constraint, and the mass blocks that it touches.
fn direction<'a>(contacts: &'a ContactSet, constraint: &Constraint) -> (&'a [f64], [usize; 2]) {
    let candidate = &contacts.candidates()[constraint.candidate];
    let width = candidate.width();
    let first = constraint.component * width;
    (&contacts.directions(candidate)[first..first + width], candidate.blocks)
}

/// A row whose pivot is this small against its diagonal entry depends on the rows before it. A
/// constraint that is redundant where all joints are closed is so no more where they are apart by a
/// part d of their size, and its pivot is of the order of d²: if it counted, Newton's method would
/// close it by the one motion that the mechanism has.
pub(super) const DEPENDENT: f64 = 1e-8;
