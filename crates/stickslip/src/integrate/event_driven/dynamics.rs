//! Accelerations and contact forces in a given mode: index reduction.
//!
//! ```text
//! M u̇ = h + W λ,      γ̇ = Wᵀ u̇ + b
//! constrained:  γ̇ = 0          slip:  λ = λ_N · argmax { ⟨y, −γ⟩ : y ∈ C(1) }
//! ```

use super::bias::Bias;
use super::linear::{Linear, Nearest};
use super::mode::{ActiveContact, Mode, Motion};
use super::plan::{Element, Kind, Plan};
use crate::convex::ConvexSet;
use crate::integrate::mass::MassInverse;
use crate::integrate::{StepError, check_finite, names};
use crate::system::{ContactSet, MechanicalSystem, State};

/// A normal direction whose own force pushes it less than this share of what it would without
/// friction counts as not determined (Painlevé).
const PUSH: f64 = 1e-9;
/// Rounds for limited dampers, whose force depends on the normal force in a nonlinear way.
const DAMPER_ROUNDS: usize = 50;

/// Memory and results of the last evaluation. Components are those of the mode.
#[derive(Clone, Debug, Default)]
pub(super) struct Dynamics {
    pub(super) plans: Vec<Plan>,
    pub(super) mass_inverse: MassInverse,
    mass: Vec<f64>,
    /// M⁻¹ h.
    pub(super) free: Vec<f64>,
    /// The part of h that has no potential.
    pub(super) applied: Vec<f64>,
    /// Whether nobody asks for gaps in the next evaluations: in a mode without contacts candidates are not listed then.
    pub(super) skips_gaps: bool,
    /// All candidates with directions.
    pub(super) contacts: ContactSet,
    /// Directions w and M⁻¹ w, dense, one row per component.
    pub(super) rows: Vec<f64>,
    pub(super) mass_rows: Vec<f64>,
    /// Blocks of the mass matrix that each component of the mode acts on, ascending; one is named twice.
    touched: Vec<[usize; 2]>,
    pub(super) rheonomic: Vec<f64>,
    pub(super) gamma: Vec<f64>,
    pub(super) bias: Vec<f64>,
    /// Forces of slipping laws at unit reservoir.
    pub(super) slip: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    /// u̇.
    pub(super) acceleration: Vec<f64>,
    pub(super) unknown: Vec<usize>,
    pub(super) matrix: Vec<f64>,
    pub(super) rhs: Vec<f64>,
    column: Vec<f64>,
    pub(super) velocity: Vec<f64>,
    known: Vec<f64>,
    /// What is wanted of the unknown forces where they are not unique.
    reference: Vec<f64>,
    size: Vec<f64>,
    /// Whether the forces of the last evaluation were not unique.
    pub(super) redundant: bool,
    pub(super) differences: Bias,
    pub(super) linear: Linear,
}

/// Elements of a contact with their motions.
pub(super) fn elements<'a>(
    plans: &'a [Plan],
    contact: &'a ActiveContact,
) -> impl Iterator<Item = (usize, &'a Element, Motion)> {
    let motions = &contact.motions;
    plans[contact.group].elements.iter().enumerate().map(|(i, e)| (i, e, motions[i]))
}

impl Dynamics {
    /// Lists the candidates of a configuration with their gaps and directions.
    pub(super) fn list(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
    ) -> Result<(), StepError> {
        check_finite(at.t, "q", &at.q)?;
        check_finite(at.t, "u", &at.u)?;
        self.contacts.clear();
        self.contacts.margin = f64::INFINITY;
        system.contacts(at, &mut self.contacts);
        match self.contacts.candidates().iter().position(|c| c.gap.is_nan()) {
            Some(index) => {
                Err(StepError::NotFinite { t: at.t, quantity: "gap", index, value: f64::NAN })
            }
            None => Ok(()),
        }
    }

    /// Normal velocity of a candidate of the last [`list`](Self::list).
    pub(super) fn gap_rate(&self, index: usize, u: &[f64]) -> f64 {
        let candidate = &self.contacts.candidates()[index];
        let Some(row) = self.contacts.directions(candidate).get(..candidate.width()) else {
            return 0.0;
        };
        super::super::rows::product(&self.mass_inverse, candidate.blocks, row, u)
            + self.contacts.rheonomic(candidate)[0]
    }

    /// Acceleration of the first component of a candidate by the smooth forces alone, after
    /// [`prepare`](Self::prepare).
    pub(super) fn gap_acceleration(&self, index: usize) -> f64 {
        let candidate = &self.contacts.candidates()[index];
        let Some(row) = self.contacts.directions(candidate).get(..candidate.width()) else {
            return 0.0;
        };
        let blocks = candidate.blocks;
        super::super::rows::product(&self.mass_inverse, blocks, row, &self.free)
    }

    /// Fastest velocity of the rigid constraints of positions and velocities (joints, motors), which
    /// is zero unless the motion contradicts them; after [`list`](Self::list).
    pub(super) fn constraint_speed(&self, u: &[f64]) -> f64 {
        let mut fastest = 0.0_f64;
        for candidate in self.contacts.candidates() {
            let w = self.contacts.directions(candidate);
            if candidate.gap != f64::NEG_INFINITY || w.is_empty() {
                continue;
            }
            let w_tilde = self.contacts.rheonomic(candidate);
            let rigid =
                self.plans[candidate.group].elements.iter().filter(|e| e.kind == Kind::Bilateral);
            for k in rigid.flat_map(|e| e.first..e.first + e.dim) {
                let row = &w[k * candidate.width()..(k + 1) * candidate.width()];
                let velocity =
                    super::super::rows::product(&self.mass_inverse, candidate.blocks, row, u)
                        + w_tilde[k];
                fastest = fastest.max(velocity.abs());
            }
        }
        fastest
    }

    /// Mass, free acceleration, directions, velocities at a state, for the contacts of a mode.
    pub(super) fn prepare(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        mode: &Mode,
    ) -> Result<(), StepError> {
        self.mass_inverse.shape(system.blocks());
        let n = self.mass_inverse.dim();
        self.mass.resize(self.mass_inverse.entries(), 0.0);
        self.free.resize(n, 0.0);
        self.applied.resize(n, 0.0);
        if self.skips_gaps && mode.contacts.is_empty() {
            check_finite(at.t, "q", &at.q)?;
            check_finite(at.t, "u", &at.u)?;
        } else {
            self.list(system, at)?;
        }
        self.take_time(at.t);
        system.mass_and_all_forces(at, &mut self.mass, &mut self.free, &mut self.applied);
        check_finite(at.t, "smooth_forces", &self.free)?;
        self.mass_inverse.factor(&self.mass).map_err(|block| StepError::Mass { t: at.t, block })?;
        apply_inverse(&self.mass_inverse, &mut self.free);
        self.rows.clear();
        self.rows.resize(mode.dim * n, 0.0);
        self.rheonomic.clear();
        self.touched.clear();
        for contact in &mode.contacts {
            let candidates = self.contacts.candidates();
            let listed = candidates.iter().find(|c| c.key == contact.key);
            let dim = self.plans[contact.group].dim;
            let Some(candidate) = listed.filter(|c| c.group == contact.group && c.dim == dim)
            else {
                let contact = system.contact_name(contact.key);
                return Err(StepError::ContactChanged { t: at.t, contact });
            };
            let (first, second) = (candidate.blocks[0], candidate.blocks[1]);
            let size = self.mass_inverse.size(first);
            let places = (self.mass_inverse.offset(first), self.mass_inverse.offset(second));
            let other = if candidate.width() > size { second } else { first };
            let touched = [first.min(other), first.max(other)];
            self.touched.extend((0..dim).map(|_| touched));
            let directions = self.contacts.directions(candidate);
            for (k, row) in directions.chunks_exact(candidate.width()).enumerate() {
                let out = &mut self.rows[(contact.first + k) * n..][..n];
                let (a, b) = row.split_at(size);
                out[places.0..places.0 + a.len()].copy_from_slice(a);
                for (o, v) in out[places.1..].iter_mut().zip(b) {
                    *o += v;
                }
            }
            self.rheonomic.extend_from_slice(self.contacts.rheonomic(candidate));
        }
        self.mass_rows.clone_from(&self.rows);
        self.gamma.clear();
        for k in 0..mode.dim {
            let row = &mut self.mass_rows[k * n..(k + 1) * n];
            for block in blocks_of(self.touched[k]) {
                let first = self.mass_inverse.offset(block);
                let size = self.mass_inverse.size(block);
                self.mass_inverse.apply(block, &mut row[first..first + size]);
            }
            self.gamma.push(dot(&self.rows[k * n..(k + 1) * n], &at.u) + self.rheonomic[k]);
        }
        // Adhesion pulls what is closed as a force would; what is left to the contact is not negative.
        for contact in &mode.contacts {
            let row = contact.first * n..(contact.first + 1) * n;
            let pull = self.pull(contact);
            add(&mut self.free, -pull, &self.mass_rows[row]);
        }
        Ok(())
    }

    /// Rate of the velocity of a component of the mode, after [`evaluate`](Self::evaluate).
    pub(super) fn velocity_rate(&self, component: usize) -> f64 {
        let n = self.free.len();
        dot(&self.rows[component * n..(component + 1) * n], &self.acceleration)
            + self.bias[component]
    }

    /// Force of adhesion, N, of a contact of the mode.
    pub(super) fn pull(&self, contact: &ActiveContact) -> f64 {
        let plan = &self.plans[contact.group];
        if contact.has_gap(plan) { plan.adhesion } else { 0.0 }
    }

    /// Takes the length of the system, m.
    pub(super) fn set_length(&mut self, length: f64) {
        self.differences.length = length;
    }

    /// How far [`bias`](Self::bias) looks, as a share of what the rates allow: steps that are subtracted from each other
    /// must begin with the same, for what it leaves is much more than rounding.
    pub(super) fn share(&mut self) -> &mut f64 {
        &mut self.differences.shortened
    }

    /// Computes [`bias`](Self::bias) after [`prepare`](Self::prepare).
    pub(super) fn find_bias(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        mode: &Mode,
    ) -> Result<(), StepError> {
        self.bias.clear();
        self.bias.resize(mode.dim, 0.0);
        if !self.differences.compute(system, at, mode, &mut self.bias) {
            let contact = names(system, self.differences.missing.iter().copied());
            return Err(StepError::ContactChanged { t: at.t, contact });
        }
        check_finite(at.t, "contact_acceleration", &self.bias)
    }

    /// Forces and accelerations in a mode.
    pub(super) fn evaluate(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        mode: &Mode,
    ) -> Result<(), StepError> {
        self.prepare(system, at, mode)?;
        self.find_bias(system, at, mode)?;
        self.find_slip(system, at.t, mode)?;
        self.unknown.clear();
        let mut rounds = 1;
        for contact in &mode.contacts {
            for (_, element, motion) in elements(&self.plans, contact) {
                match motion {
                    Motion::Constrained => {
                        let first = contact.first + element.first;
                        let carries = (0..element.dim).filter(|k| element.weights[*k] > 0.0);
                        self.unknown.extend(carries.map(|k| first + k));
                    }
                    Motion::Viscous if element.needs_normal() => rounds = DAMPER_ROUNDS,
                    _ => {}
                }
            }
        }
        self.lambda.clear();
        self.lambda.resize(mode.dim, 0.0);
        self.fill_matrix(mode);
        self.check_push(system, at.t, mode)?;
        self.reference.clear();
        self.size.clear();
        for &component in &self.unknown {
            let after = mode.contacts.partition_point(|c| c.first <= component);
            let contact = &mode.contacts[after - 1];
            self.reference.push(contact.reference[component - contact.first]);
            self.size.push(contact.size[component - contact.first]);
        }
        for _ in 0..rounds {
            let change = self.solve(system, at.t, mode)?;
            if change <= 1e-14 {
                break;
            }
        }
        Ok(())
    }

    /// Direction in which an unknown force acts: M⁻¹ w, for a normal force together with the slip
    /// forces that it feeds.
    pub(super) fn fill_column(&mut self, mode: &Mode, component: usize) {
        let n = self.free.len();
        self.column.clear();
        self.column.extend_from_slice(&self.mass_rows[component * n..(component + 1) * n]);
        let Some(contact) = mode.contacts.iter().find(|c| c.first == component) else { return };
        for (_, element, motion) in elements(&self.plans, contact) {
            if motion == Motion::Slip && element.needs_normal() {
                for k in 0..element.dim {
                    let place = contact.first + element.first + k;
                    let row = &self.mass_rows[place * n..(place + 1) * n];
                    add(&mut self.column, self.slip[place], row);
                }
            }
        }
    }

    /// The matrix of the unknown forces: accelerations along the rows per unit force.
    pub(super) fn fill_matrix(&mut self, mode: &Mode) {
        let (n, m) = (self.free.len(), self.unknown.len());
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        for j in 0..m {
            self.fill_column(mode, self.unknown[j]);
            let own = self.touched[self.unknown[j]];
            for i in 0..m {
                let row = self.unknown[i];
                // A force moves the bodies that it acts on, and no others.
                let blocks = blocks_of(self.touched[row]).filter(|b| own.contains(b));
                for block in blocks {
                    let first = self.mass_inverse.offset(block);
                    let range = first..first + self.mass_inverse.size(block);
                    let direction = &self.rows[row * n..(row + 1) * n];
                    self.matrix[i * m + j] += dot(&direction[range.clone()], &self.column[range]);
                }
            }
        }
    }

    /// In a mode of slip every normal force must push its own contact open.
    fn check_push(
        &self,
        system: &dyn MechanicalSystem,
        t: f64,
        mode: &Mode,
    ) -> Result<(), StepError> {
        let (n, m) = (self.free.len(), self.unknown.len());
        for contact in mode.contacts.iter().filter(|c| c.has_gap(&self.plans[c.group])) {
            let Some(i) = self.unknown.iter().position(|k| *k == contact.first) else { continue };
            let range = contact.first * n..(contact.first + 1) * n;
            let alone = dot(&self.rows[range.clone()], &self.mass_rows[range]);
            if self.matrix[i * m + i] <= PUSH * alone {
                let contact = system.contact_name(contact.key);
                return Err(StepError::Painleve { t, contact, solutions: "no" });
            }
        }
        Ok(())
    }

    /// Known acceleration: free, slip of constant strength, dampers at the present forces.
    pub(super) fn fill_known(&mut self, mode: &Mode) {
        let n = self.free.len();
        self.known.clone_from(&self.free);
        for contact in &mode.contacts {
            let normal = self.lambda.get(contact.first).copied().unwrap_or(0.0);
            for (_, element, motion) in elements(&self.plans, contact) {
                let first = contact.first + element.first;
                let range = first..first + element.dim;
                match motion {
                    Motion::Constrained => continue,
                    Motion::Slip => {
                        for k in range.clone() {
                            self.lambda[k] = element.constant() * self.slip[k];
                        }
                    }
                    Motion::Viscous => {
                        let lambda = &mut self.lambda[range.clone()];
                        for (l, g) in lambda.iter_mut().zip(&self.gamma[range.clone()]) {
                            *l = -element.viscosity * g;
                        }
                        element.set.prox(element.scale(normal), lambda);
                    }
                }
                for k in range {
                    add(&mut self.known, self.lambda[k], &self.mass_rows[k * n..(k + 1) * n]);
                }
            }
        }
    }

    /// Right-hand side −(wᵀ known + b) of the unknown forces.
    pub(super) fn fill_rhs(&mut self) {
        let n = self.free.len();
        self.rhs.clear();
        for row in &self.unknown {
            let known = dot(&self.rows[row * n..(row + 1) * n], &self.known);
            self.rhs.push(-(known + self.bias[*row]));
        }
    }

    /// One solve for all forces; returns their relative change where dampers ask for more.
    fn solve(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        mode: &Mode,
    ) -> Result<f64, StepError> {
        self.fill_known(mode);
        self.fill_rhs();
        let wanted = Nearest { reference: &self.reference, size: &self.size };
        let solved = self.linear.solve(&self.matrix, &mut self.rhs, Some(wanted));
        self.redundant = self.linear.redundant > 0;
        if !solved {
            return Err(self.contradiction(system, t, mode));
        }
        let (mut change, mut size) = (0.0_f64, 0.0_f64);
        for (k, force) in self.unknown.iter().zip(&self.rhs) {
            change = change.max((self.lambda[*k] - force).abs());
            size = size.max(force.abs());
            self.lambda[*k] = *force;
        }
        self.spread(mode);
        Ok(if size > 0.0 { change / size } else { 0.0 })
    }

    /// The error for equations of the last solve that contradict each other.
    pub(super) fn contradiction(
        &self,
        system: &dyn MechanicalSystem,
        t: f64,
        mode: &Mode,
    ) -> StepError {
        let component = self.unknown.get(self.linear.worst).copied().unwrap_or(0);
        let worst = mode.contacts.iter().rfind(|c| c.first <= component).map(|c| c.key);
        let constrained = mode.contacts.iter().filter(|c| c.motions.contains(&Motion::Constrained));
        let others = constrained.map(|c| c.key).filter(|key| Some(*key) != worst);
        StepError::Constraints { t, contacts: names(system, worst.into_iter().chain(others)) }
    }

    /// Slip forces from the normal forces, and the accelerations.
    pub(super) fn spread(&mut self, mode: &Mode) {
        let n = self.free.len();
        for contact in &mode.contacts {
            for (_, element, motion) in elements(&self.plans, contact) {
                if motion == Motion::Slip && element.needs_normal() {
                    for k in 0..element.dim {
                        let place = contact.first + element.first + k;
                        let scale = self.lambda[contact.first] + element.constant();
                        self.lambda[place] = scale * self.slip[place];
                    }
                }
            }
        }
        self.acceleration.clone_from(&self.free);
        for k in 0..mode.dim {
            add(&mut self.acceleration, self.lambda[k], &self.mass_rows[k * n..(k + 1) * n]);
        }
    }

    /// Relative acceleration of a component after [`evaluate`](Self::evaluate) or a decision.
    pub(super) fn relative_acceleration(&self, component: usize) -> f64 {
        let n = self.free.len();
        dot(&self.rows[component * n..(component + 1) * n], &self.acceleration)
            + self.bias[component]
    }
}

/// The one or two blocks of a component.
fn blocks_of([first, second]: [usize; 2]) -> impl Iterator<Item = usize> {
    std::iter::once(first).chain((second != first).then_some(second))
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub(super) fn add(out: &mut [f64], factor: f64, x: &[f64]) {
    if factor != 0.0 {
        out.iter_mut().zip(x).for_each(|(o, v)| *o += factor * v);
    }
}

fn apply_inverse(mass: &MassInverse, x: &mut [f64]) {
    for block in 0..mass.block_count() {
        let first = mass.offset(block);
        mass.apply(block, &mut x[first..first + mass.size(block)]);
    }
}
