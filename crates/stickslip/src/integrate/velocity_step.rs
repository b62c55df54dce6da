//! The kernel of all integrators: contact problem and end velocity at one configuration.
//!
//! ```text
//! γ_A = Wᵀ u_A + w̃,      G = Wᵀ M⁻¹ W,      c = Wᵀ M⁻¹ h Δt + (1 + ε) γ_A      (Möller 2009, eq. 16)
//! u_E = u_A + M⁻¹ (h Δt + W Λ)                                               (Möller 2009, eq. 18)
//! ```

use super::hold::{HELD_AFTER, hold};
use super::mass::MassInverse;
use super::poisson::{Poisson, check_restitution};
use super::problem_bodies::list_bodies;
use super::record::{ContactRecord, ContactState, StepRecord, rubs};
use super::rows::{ContactRows, dot, product, respond, scatter, terms};
use super::sliding::Sliding;
use super::transmission::Directions;
use super::warm_start::WarmStart;
use super::{StepError, check_finite, worse};
use crate::convex::{Ball, Set};
use crate::linear::length;
use crate::problem::{Bodies, InclusionProblem, Reservoir, Residual, largest};
use crate::slabs::BY_SLABS;
use crate::solve::{MOST_PERCUSSION, SolveReport, Solver, Status, scaled_size};
use crate::system::{ContactSet, ImpactLaw, LawGroup, MechanicalSystem, State};
use crate::threads;

/// Velocity, relative to the largest of the step, below which there is none. No two motions of one
/// system differ so much; what decays further ends among the denormals, which have no digits.
const NO_MOTION: f64 = 1e-40;
/// What rounding leaves in the velocity of a joint, relative to the terms in it. Constraints that
/// depend on each other must not be asked to agree on it.
const NOISE: f64 = 4.0 * f64::EPSILON;

/// Relative velocities over those that forces alone would give in the step, below which contacts rest.
const AT_REST: f64 = 1e-5;
/// Memory of the kernel, and the results of its last run.
#[derive(Clone, Debug, Default)]
pub(crate) struct VelocityStep {
    pub(crate) mass_inverse: MassInverse,
    mass: Vec<f64>,
    forces: Vec<f64>,
    /// Forces without a potential, and the length of the step.
    applied: Vec<f64>,
    dt: f64,
    pub(crate) contacts: ContactSet,
    /// Candidates count as closed up to this gap, m; 0 for time stepping.
    pub(crate) closed_gap: f64,
    /// Keys of the candidates that count as closed, whatever their gaps are; none: by the gaps.
    pub(crate) only: Option<Vec<u64>>,
    /// Indices of the closed candidates, in the order of the problem's contacts.
    pub(crate) active: Vec<usize>,
    pub(crate) problem: InclusionProblem,
    /// Memory for its bodies.
    bodies: Bodies,
    pub(crate) lambda: Vec<f64>,
    pub(super) rows: ContactRows,
    /// Percussion of adhesion of each closed candidate, N s, and room for a row.
    pub(super) pulls: Vec<f64>,
    row: Vec<f64>,
    sliding: Sliding,
    poisson: Poisson,
    xi: Vec<f64>,
    /// Whether nothing moves at the contacts but by what solvers leave.
    rests: bool,
    /// Whether a law is compliant, and so G more than Wᵀ M⁻¹ W.
    pub(super) is_compliant: bool,
    /// Relative velocities of all components: at the start of the step, with its smooth forces and without its
    /// percussions, and at its end; the last once it is booked.
    pub(super) gamma_a: Vec<f64>,
    pub(super) gamma_free: Vec<f64>,
    gamma_e: Vec<f64>,
    pub(crate) u_e: Vec<f64>,
}

/// The mean velocity of a step, by which work is booked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mean<'a> {
    /// That of the velocities at the start and at the end of this step.
    Own(&'a [f64]),
    /// Another one: that of a step of which this one is a stage.
    Whole(&'a [f64]),
}

impl VelocityStep {
    /// Poses and solves the contact problem at the configuration `at` (t, q of the evaluation
    /// point, u at the start of the step) for a step of length dt. The end velocity is in `u_e`.
    pub(crate) fn run(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        warm: &WarmStart,
        warm_factor: f64,
        solver: &mut dyn Solver,
    ) -> Result<SolveReport, StepError> {
        self.mass_inverse.shape(system.blocks());
        self.mass.resize(self.mass_inverse.entries(), 0.0);
        self.forces.resize(self.mass_inverse.dim(), 0.0);
        self.applied.resize(self.forces.len(), 0.0);
        let Self { mass, forces, applied, .. } = &mut *self;
        system.mass_and_all_forces(at, mass, forces, applied);
        check_finite(at.t, "smooth_forces", &self.forces)?;
        self.dt = dt;
        self.mass_inverse.factor(&self.mass).map_err(|block| StepError::Mass { t: at.t, block })?;
        // Velocity without contacts.
        self.u_e.clear();
        self.u_e.extend_from_slice(&self.forces);
        for block in 0..self.mass_inverse.block_count() {
            let first = self.mass_inverse.offset(block);
            let range = first..first + self.mass_inverse.size(block);
            self.mass_inverse.apply(block, &mut self.u_e[range]);
        }
        for (u_e, u_a) in self.u_e.iter_mut().zip(&at.u) {
            *u_e = u_a + dt * *u_e;
        }
        check_finite(at.t, "u", &self.u_e)?;
        self.contacts.clear();
        system.contacts(at, &mut self.contacts);
        self.active.clear();
        for (index, candidate) in self.contacts.candidates().iter().enumerate() {
            let was_closed = || warm.get(candidate.key, candidate.dim).is_some();
            let closed = match &self.only {
                Some(keys) => keys.contains(&candidate.key),
                None => {
                    candidate.is_closed()
                        || candidate.gap <= self.closed_gap
                        || (candidate.stays_closed() && candidate.has_directions() && was_closed())
                }
            };
            if closed {
                self.active.push(index);
            } else if candidate.gap.is_nan() {
                return Err(StepError::NotFinite {
                    t: at.t,
                    quantity: "gap",
                    index,
                    value: candidate.gap,
                });
            }
        }
        self.pull(system, dt, warm);
        if self.active.is_empty() {
            self.problem.clear();
            self.sliding.clear();
            self.lambda.clear();
            let residual = Residual::default();
            return Ok(SolveReport { status: Status::Solved, iterations: 0, residual });
        }
        self.assemble(system, at, dt, warm, warm_factor)?;
        if scaled_size(&self.problem, &self.lambda) > MOST_PERCUSSION * largest(self.problem.c()) {
            // Nothing in this step needs such percussions: the last one ended astray.
            self.lambda.fill(0.0);
        }
        let (problem, lambda) = (&mut self.problem, &mut self.lambda);
        let mut report = self.sliding.solve(system, at.t, problem, lambda, solver)?;
        if self.rests && report.status == Status::Solved && report.iterations > HELD_AFTER {
            report = hold(at.t, problem, lambda, solver, report)?;
        }
        if let Some(second) = self.poisson.expand(at.t, problem, lambda, solver)? {
            report = worse(report, second);
        }
        self.rows.apply(&self.mass_inverse, &self.problem, &self.lambda, &mut self.u_e);
        check_finite(at.t, "u", &self.u_e)?;
        Ok(report)
    }

    /// Adhesion pulls closed contacts together as a force would: what pushes them apart is then not negative,
    /// and friction is measured from it. What let go in the last step is free, however small its gap still is.
    fn pull(&mut self, system: &dyn MechanicalSystem, dt: f64, warm: &WarmStart) {
        self.pulls.clear();
        for &index in &self.active {
            let candidate = &self.contacts.candidates()[index];
            let adhesion = system.law_groups()[candidate.group].adhesion();
            let holds = adhesion > 0.0 && !warm.let_go(candidate.key, candidate.dim);
            let pull = if holds { dt * adhesion } else { 0.0 };
            self.pulls.push(pull);
            if pull > 0.0 {
                let directions = self.contacts.directions(candidate);
                self.row.clear();
                self.row.extend_from_slice(&directions[..candidate.width()]);
                respond(&self.mass_inverse, candidate.blocks, &mut self.row);
                scatter(&self.mass_inverse, candidate.blocks, -pull, &self.row, &mut self.u_e);
            }
        }
    }

    fn assemble(
        &mut self,
        system: &dyn MechanicalSystem,
        at: &State,
        dt: f64,
        warm: &WarmStart,
        warm_factor: f64,
    ) -> Result<(), StepError> {
        let groups = system.law_groups();
        if let Some(bodies) = self.problem.take_bodies() {
            self.bodies = bodies;
        }
        self.problem.clear_contacts();
        self.lambda.clear();
        self.rows.clear();
        self.sliding.clear();
        self.poisson.clear();
        self.gamma_a.clear();
        self.gamma_free.clear();
        for &index in &self.active {
            let candidate = &self.contacts.candidates()[index];
            let laws = &groups[candidate.group].laws;
            self.problem.push_contact(laws.iter().map(|l| match l.law.viscosity {
                // An impact takes no time, and a damper gives no percussion in it.
                Some(_) if dt == 0.0 => {
                    let dim = l.law.dim();
                    (Set::Ball(Ball { dim, radius: 0.0 }), Reservoir::Constant(0.0))
                }
                _ => (l.law.set.clone(), l.law.reservoir(dt)),
            }));
            for (position, _) in laws.iter().enumerate().filter(|(_, l)| l.law.curve.is_some()) {
                let law = (candidate.group, position);
                self.sliding.push(&self.problem, position, law, candidate.key, 0.0);
            }
            match warm.get(candidate.key, candidate.dim) {
                Some(last) => self.lambda.extend(last.iter().map(|v| v * warm_factor)),
                None => self.lambda.resize(self.lambda.len() + candidate.dim, 0.0),
            }
            self.rows.push(
                &self.mass_inverse,
                candidate.blocks,
                candidate.width(),
                self.contacts.directions(candidate),
            );
        }
        let (mut bodies, mut are_listed) = (std::mem::take(&mut self.bodies), false);
        let Self { rows, contacts, active, mass, mass_inverse, problem, .. } = self;
        let directions =
            |contact: usize| contacts.directions(&contacts.candidates()[active[contact]]);
        let fill = || match mass_inverse.is_symmetric() {
            true => rows.fill_symmetric(mass_inverse, problem, directions),
            false => rows.fill(mass_inverse, problem, directions),
        };
        let mut list = || list_bodies(mass, mass_inverse, contacts, active, &mut bodies);
        threads::join(fill, || are_listed = active.len() >= BY_SLABS && list());
        let (mut moving, mut data) = (0.0, 0.0);
        // c = Wᵀ (u_free − u_A) + (1 + ε) γ_A, and the compliance of viscous laws on the diagonal.
        let contacts = &self.contacts;
        let mut curves = 0;
        self.is_compliant = false;
        let fastest = largest(&at.u).max(largest(&self.u_e));
        self.problem.c_mut().clear();
        for (row, &index) in self.active.iter().enumerate() {
            let candidate = &contacts.candidates()[index];
            let (w, w_tilde) = (contacts.directions(candidate), contacts.rheonomic(candidate));
            let width = candidate.width();
            let (mut k, mut approach) = (0, 0.0);
            let group = &groups[candidate.group];
            for (law, named) in group.laws.iter().enumerate() {
                let compliance = if dt == 0.0 { 0.0 } else { named.law.compliance(dt) };
                let has_curve = named.law.curve.is_some();
                let is_joint = matches!(named.law.set, Set::FreeSpace(_));
                let (first, mut speed_a, mut restitution) = (k, 0.0_f64, 0.0);
                for _ in 0..named.law.dim() {
                    let direction = &w[k * width..(k + 1) * width];
                    let gamma_a = product(&self.mass_inverse, candidate.blocks, direction, &at.u)
                        + w_tilde[k];
                    let free = product(&self.mass_inverse, candidate.blocks, direction, &self.u_e)
                        + w_tilde[k];
                    self.gamma_a.push(gamma_a);
                    self.gamma_free.push(free);
                    if k == 0 {
                        approach = -gamma_a;
                        check_restitution(system, candidate.group, candidate.key, approach, at.t)?;
                        if named.law.impact == ImpactLaw::Poisson {
                            self.poisson.push(row, named.law.restitution_at(approach, at.t));
                        }
                    }
                    if k == first {
                        restitution = group.velocity_restitution(law, approach, at.t);
                    }
                    self.poisson.before.push((1.0 + restitution) * gamma_a);
                    if has_curve && k < first + 2 {
                        speed_a = length(speed_a, gamma_a);
                    }
                    let mut c = free + restitution * gamma_a;
                    let speed = fastest * largest(direction) + w_tilde[k].abs();
                    let mut floor = NO_MOTION * speed;
                    if is_joint && c.abs() <= 1e-12 * speed {
                        let terms =
                            terms(&self.mass_inverse, candidate.blocks, direction, &self.u_e);
                        floor = floor.max(NOISE * (terms + w_tilde[k].abs()));
                    }
                    if c.abs() <= floor {
                        c = 0.0;
                    }
                    self.problem.c_mut().push(c);
                    moving += gamma_a * gamma_a;
                    data += c * c;
                    if compliance != 0.0 {
                        self.is_compliant = true;
                        let dim = candidate.dim;
                        self.problem.delassus_mut().diagonal_mut(row)[k * dim + k] += compliance;
                    }
                    k += 1;
                }
                if has_curve {
                    self.sliding.set_speed(curves, speed_a);
                    curves += 1;
                }
            }
        }
        debug_assert_eq!(self.gamma_a.len(), self.problem.dim());
        self.rests = moving <= AT_REST * AT_REST * data;
        if are_listed && !self.is_compliant {
            self.problem.carry_bodies(bodies);
        } else {
            self.bodies = bodies;
        }
        Ok(())
    }

    /// Adds what happened to the record, with `weight` on the percussions: work of the laws
    /// and of the applied forces with the mean velocity, which makes the energy book exact for
    /// constant M.
    pub(crate) fn book(
        &mut self,
        system: &dyn MechanicalSystem,
        weight: f64,
        mean: Mean<'_>,
        record: &mut StepRecord,
    ) {
        let (groups, translations) = (system.law_groups(), system.translations());
        self.measure_end();
        let (Mean::Own(u_mean) | Mean::Whole(u_mean)) = mean;
        // Room for all laws, so that no later step needs more.
        let laws: usize = groups.iter().map(|group| group.laws.len()).sum();
        record.works.reserve(laws.saturating_sub(record.works.len()));
        record.drive_work += weight * self.dt * dot(&self.applied, u_mean);
        let (mut total, mut size) = (0.0, 0.0);
        let mut most = (0.0, 0);
        for (contact, &index) in self.active.iter().enumerate() {
            let candidate = &self.contacts.candidates()[index];
            let (w, w_tilde) =
                (self.contacts.directions(candidate), self.contacts.rheonomic(candidate));
            let (width, offset) = (candidate.width(), self.problem.contacts()[contact].offset);
            // What an ideal joint does is the error of the scheme, not a gain.
            let counts = f64::from(u8::from(candidate.gap.is_finite()));
            let block = candidate.blocks[0];
            let size_of = self.mass_inverse.size(block);
            let directions = Directions { block, rows: w, width, size: size_of, translations };
            let percussion = self.lambda[offset..offset + candidate.dim].iter();
            let percussions = &mut record.percussions;
            let pull = self.pulls[contact];
            let net = |k: usize, lambda: f64| if k == 0 { lambda - pull } else { lambda };
            let weighted = percussion.enumerate().map(|(k, lambda)| weight * net(k, *lambda));
            percussions.push(candidate.key, candidate.group, directions, weighted);
            let (mut k, before) = (0, total);
            for (law, named) in groups[candidate.group].laws.iter().enumerate() {
                let mut work = 0.0;
                for _ in 0..named.law.dim() {
                    let lambda = weight * net(k, self.lambda[offset + k]);
                    let gamma_e = self.gamma_e[offset + k];
                    let through = match mean {
                        Mean::Own(_) => 0.5 * (self.gamma_a[offset + k] + gamma_e),
                        Mean::Whole(u_mean) => {
                            let direction = &w[k * width..(k + 1) * width];
                            product(&self.mass_inverse, candidate.blocks, direction, u_mean)
                                + w_tilde[k]
                        }
                    };
                    work += lambda * through;
                    record.percussions.works.push(lambda * through);
                    record.drive_work -= lambda * w_tilde[k];
                    // What percussions alone do to the kinetic energy is their work on ½(γ_free + γ_E):
                    // without restitution it is never positive. The work on ½(γ_A + γ_E) may be, because the
                    // smooth forces of the step are in it too, and that is the error of the scheme.
                    let alone = 0.5 * counts * lambda * (self.gamma_free[offset + k] + gamma_e);
                    total += alone;
                    size += alone.abs();
                    k += 1;
                }
                record.book(candidate.group, law, work);
            }
            if total - before > most.0 {
                most = (total - before, candidate.key);
            }
        }
        record.contact_work += total;
        record.friction_choices += self.sliding.choices;
        // A gain counts where it is more than rounding and solver tolerance leave. One of several
        // contacts may well put in what others take out.
        if total > 1e-6 * size {
            record.energy_gains += 1;
            if total > record.energy_gained {
                record.gaining_contact = most.1;
            }
            record.energy_gained += total;
        }
    }

    /// The relative velocities at the end of the step.
    fn measure_end(&mut self) {
        self.gamma_e.clear();
        for &index in &self.active {
            let candidate = &self.contacts.candidates()[index];
            let w = self.contacts.directions(candidate).chunks_exact(candidate.width());
            for (direction, w_tilde) in w.zip(self.contacts.rheonomic(candidate)) {
                let moved = product(&self.mass_inverse, candidate.blocks, direction, &self.u_e);
                self.gamma_e.push(moved + w_tilde);
            }
        }
    }

    /// Whether a rigid joint or a contact with restitution was active.
    pub(crate) fn holds_or_rebounds(&self, system: &dyn MechanicalSystem) -> bool {
        let laws = |&index: &usize| {
            let group = self.contacts.candidates()[index].group;
            system.law_groups()[group].laws.iter().map(|named| &named.law)
        };
        self.active.iter().flat_map(laws).any(|law| law.rebounds() || law.is_rigid())
    }

    /// Lists all candidates with state and normal percussion (times `weight`).
    pub(crate) fn list_contacts(&mut self, weight: f64, out: &mut Vec<ContactRecord>) {
        out.clear();
        out.extend(self.contacts.candidates().iter().map(|c| ContactRecord {
            key: c.key,
            gap: c.gap,
            ..ContactRecord::default()
        }));
        if self.active.is_empty() {
            return;
        }
        self.xi.resize(self.problem.dim(), 0.0);
        self.problem.relative_velocities(&self.lambda, &mut self.xi);
        for (position, &index) in self.active.iter().enumerate() {
            let contact = &self.problem.contacts()[position];
            let normal = self.lambda[contact.offset];
            out[index].normal_percussion = weight * (normal - self.pulls[position]);
            if normal <= 0.0 && self.problem.laws_of(contact).len() > 1 {
                continue;
            }
            if let [_, friction, ..] = self.problem.laws_of(contact) {
                let percussion = &self.lambda[friction.range()];
                out[index].tangential_percussion = weight * size(percussion);
            }
            let slides = rubs(&self.problem, position, &self.lambda, &self.xi);
            out[index].state = if slides { ContactState::Slip } else { ContactState::Stick };
        }
    }

    /// Whether friction holds some contact that is pressed together.
    pub(crate) fn sticks(&mut self) -> bool {
        self.xi.resize(self.problem.dim(), 0.0);
        self.problem.relative_velocities(&self.lambda, &mut self.xi);
        (0..self.active.len()).any(|position| {
            let contact = &self.problem.contacts()[position];
            let [_, friction, ..] = self.problem.laws_of(contact) else { return false };
            let strength = self.problem.scale(contact, friction, &self.lambda);
            self.lambda[contact.offset] > 0.0
                && strength > 0.0
                && !rubs(&self.problem, position, &self.lambda, &self.xi)
        })
    }

    /// Adds the normal and tangential velocities at the closed contacts before and after the step, which is booked, to
    /// their list; those of a whole step of which this one is a stage, if they are given.
    pub(crate) fn list_velocities(
        &self,
        groups: &[LawGroup],
        whole: Option<[&[f64]; 2]>,
        out: &mut [ContactRecord],
    ) {
        for (contact, &index) in self.active.iter().enumerate() {
            let candidate = &self.contacts.candidates()[index];
            let group = &groups[candidate.group];
            let (w, w_tilde) =
                (self.contacts.directions(candidate), self.contacts.rheonomic(candidate));
            let (width, offset) = (candidate.width(), self.problem.contacts()[contact].offset);
            let own = [&self.gamma_a, &self.gamma_e];
            let velocity = |slot: usize, k: usize| match whole {
                None => own[slot][offset + k],
                Some(of_step) => {
                    let (direction, u) = (&w[k * width..(k + 1) * width], of_step[slot]);
                    product(&self.mass_inverse, candidate.blocks, direction, u) + w_tilde[k]
                }
            };
            for slot in 0..2 {
                out[index].normal_velocity[slot] = velocity(slot, 0);
                out[index].tangential_velocity[slot] = group.slip(|k| velocity(slot, k));
            }
            out[index].slides_freely(group);
        }
    }
}

/// Signed value of one component, magnitude of the sliding part of several.
fn size(tangential: &[f64]) -> f64 {
    match tangential {
        [value] => *value,
        [x, y, ..] => length(*x, *y),
        [] => 0.0,
    }
}
