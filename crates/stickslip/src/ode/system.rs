//! The right-hand side of a regularised system.

use super::layout::{Layout, Slot};
use super::{Element, Regularisation};
use crate::memory::Tape;
use crate::system::mass::MassInverse;
use crate::system::{Candidate, ContactSet, MechanicalSystem, State};

/// Why a right-hand side has no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum RateError {
    #[error("at t = {t} s: block {block} of the mass matrix is not positive definite")]
    Mass { t: f64, block: usize },
    #[error("at t = {t} s: component {index} of the state is {value}, it must be finite")]
    NotFinite { t: f64, index: usize, value: f64 },
    #[error("group {group} has no elements: the regularisation belongs to another system")]
    NoElements { group: usize },
    #[error("at t = {t} s: stopped from outside")]
    Stopped { t: f64 },
}

/// A contact in the last evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OdeContact {
    /// Key of the candidate.
    pub key: u64,
    /// Gap, m.
    pub gap: f64,
    /// Force of the first component, N: the normal force where there is one.
    pub force: f64,
    /// Whether the contact transmits a force.
    pub closed: bool,
    /// Whether its friction holds.
    pub sticks: bool,
    /// Velocity of its friction law, m/s: signed in one direction, otherwise its magnitude.
    pub slip: f64,
}

/// A mechanical system whose set-valued laws are replaced by elements (Xiong 2013, sec. 4.4):
///
/// ```text
/// q̇ = F u,      M u̇ = h + Σ W λ(g, γ, e, a),      ė, ȧ by the elements         (eq. 32)
/// ```
///
/// The vector y of the equation is (q, u, internal states, sums). The sums integrate the force of
/// the first component of every contact, the work of every law and the work of prescribed motion and
/// of forces without a potential: nothing depends on them. The internal states live in [`State::memory`], behind what the system
/// itself remembers. Scratch memory belongs to this object; an evaluation allocates nothing.
#[derive(Clone, Debug)]
pub struct OdeSystem {
    pub(crate) regularisation: Regularisation,
    pub(crate) layout: Layout,
    own_memory: usize,
    n_q: usize,
    n_u: usize,
    at: State,
    pub(crate) contacts: ContactSet,
    pub(crate) mass_inverse: MassInverse,
    mass: Vec<f64>,
    forces: Vec<f64>,
    applied: Vec<f64>,
    gamma: Vec<f64>,
    lambda: Vec<f64>,
    reports: Vec<OdeContact>,
    /// Forces of all contacts, in the order of the slots.
    all_forces: Vec<f64>,
    force_starts: Vec<usize>,
    /// States and rates of a contact that has none of its own.
    spare: [Vec<f64>; 2],
}

impl OdeSystem {
    /// The equations with these elements.
    pub fn new(regularisation: Regularisation) -> Self {
        Self {
            regularisation,
            layout: Layout::default(),
            own_memory: 0,
            n_q: 0,
            n_u: 0,
            at: State::default(),
            contacts: ContactSet::default(),
            mass_inverse: MassInverse::default(),
            mass: Vec::new(),
            forces: Vec::new(),
            applied: Vec::new(),
            gamma: Vec::new(),
            lambda: Vec::new(),
            reports: Vec::new(),
            all_forces: Vec::new(),
            force_starts: Vec::new(),
            spare: Default::default(),
        }
    }

    /// Which element stands for which law.
    pub fn regularisation(&self) -> &Regularisation {
        &self.regularisation
    }

    /// Writes where the internal states of which contact stand, or reads it.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("internal states");
        let slots = self.layout.slots.iter().map(|slot| [slot.key, slot.group as u64]);
        let mut list: Vec<[u64; 2]> = slots.collect();
        tape.list(&mut list, |tape, entry| entry.iter_mut().for_each(|word| tape.whole(word)));
        if tape.reads() {
            let groups = self.regularisation.groups.len();
            let known = list.iter().map(|[key, group]| (*key, *group as usize));
            self.layout.set(&self.regularisation, known.filter(|(_, group)| *group < groups));
        }
    }

    /// Takes the present contact candidates and makes room for their internal states in the memory
    /// of the state. To be called before a step.
    pub fn prepare(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
    ) -> Result<(), RateError> {
        self.own_memory = system.memory_count();
        self.n_q = state.q.len();
        self.n_u = state.u.len();
        self.mass_inverse.shape(system.blocks());
        self.mass.resize(self.mass_inverse.entries(), 0.0);
        self.forces.resize(self.n_u, 0.0);
        self.applied.resize(self.n_u, 0.0);
        self.contacts.clear();
        self.contacts.margin = f64::NEG_INFINITY;
        system.contacts(state, &mut self.contacts);
        for candidate in self.contacts.candidates() {
            if candidate.group >= self.regularisation.groups.len() {
                return Err(RateError::NoElements { group: candidate.group });
            }
        }
        let candidates = self.contacts.candidates();
        self.layout.update(&self.regularisation, candidates, self.own_memory, state);
        self.force_starts.clear();
        let mut start = 0;
        for slot in &self.layout.slots {
            self.force_starts.push(start);
            start += self.regularisation.groups[slot.group].iter().map(|l| l.dim).sum::<usize>();
        }
        self.force_starts.push(start);
        self.all_forces.resize(start, 0.0);
        let largest = self.regularisation.groups.iter().map(|g| g.iter().map(|l| l.dim).sum());
        let largest: usize = largest.max().unwrap_or(0);
        self.gamma.resize(largest, 0.0);
        self.lambda.resize(largest, 0.0);
        self.at.clone_from(state);
        self.at.memory.truncate(self.own_memory);
        Ok(())
    }

    /// Length of (q, u, internal states).
    pub fn dynamic_dim(&self) -> usize {
        self.n_q + self.n_u + self.layout.total
    }

    /// Length of y: the dynamic part and the sums.
    pub fn dim(&self) -> usize {
        self.dynamic_dim() + self.layout.slots.len() + self.regularisation.law_count() + 1
    }

    /// Writes the state into y, with sums of zero.
    pub fn pack(&self, state: &State, y: &mut Vec<f64>) {
        y.clear();
        y.extend_from_slice(&state.q);
        y.extend_from_slice(&state.u);
        y.extend_from_slice(&state.memory[self.own_memory..]);
        y.resize(self.dim(), 0.0);
    }

    /// Writes y into the state.
    pub fn unpack(&self, y: &[f64], state: &mut State) {
        let (q, rest) = y.split_at(self.n_q);
        let (u, rest) = rest.split_at(self.n_u);
        state.q.copy_from_slice(q);
        state.u.copy_from_slice(u);
        state.memory[self.own_memory..].copy_from_slice(&rest[..self.layout.total]);
    }

    /// The internal states in y.
    pub fn internal<'a>(&self, y: &'a [f64]) -> &'a [f64] {
        &y[self.n_q + self.n_u..self.dynamic_dim()]
    }

    /// The absolute tolerances of the dynamic part for a tolerance in SI units.
    pub(crate) fn tolerances(&self, absolute: f64, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.n_q + self.n_u, absolute);
        for slot in &self.layout.slots {
            for law in &self.regularisation.groups[slot.group] {
                let factor = (100.0 / law.stiffness().max(1e-300)).min(1.0);
                out.resize(out.len() + law.states, absolute * factor);
            }
        }
    }

    /// Sums at the end of a step: forces of the first components (N s), works of the laws in the
    /// order of groups and laws (J), work of prescribed motion and of forces without a potential (J).
    pub fn sums<'a>(&self, y: &'a [f64]) -> (&'a [f64], &'a [f64], f64) {
        let (forces, works) = y[self.dynamic_dim()..].split_at(self.layout.slots.len());
        (forces, &works[..works.len() - 1], works[works.len() - 1])
    }

    /// The contacts in the last evaluation.
    pub fn contacts(&self) -> &[OdeContact] {
        &self.reports
    }

    /// Forces λ of all components of a contact (by position) in the last evaluation.
    pub fn contact_forces(&self, position: usize) -> &[f64] {
        &self.all_forces[self.force_starts[position]..self.force_starts[position + 1]]
    }

    /// The right-hand side: writes ẏ at (t, y).
    pub fn rate(
        &mut self,
        system: &dyn MechanicalSystem,
        t: f64,
        y: &[f64],
        y_dot: &mut [f64],
    ) -> Result<(), RateError> {
        if let Some(index) = y.iter().position(|v| !v.is_finite()) {
            return Err(RateError::NotFinite { t, index, value: y[index] });
        }
        let (n_q, n_u, total) = (self.n_q, self.n_u, self.layout.total);
        self.at.t = t;
        self.at.q.copy_from_slice(&y[..n_q]);
        self.at.u.copy_from_slice(&y[n_q..n_q + n_u]);
        let internal = &y[n_q + n_u..n_q + n_u + total];
        system.mass_and_forces(&self.at, &mut self.mass, &mut self.forces);
        self.mass_inverse.factor(&self.mass).map_err(|block| RateError::Mass { t, block })?;
        system.coordinate_rate(&self.at, &self.at.u, &mut y_dot[..n_q]);
        y_dot[n_q + n_u..].fill(0.0);
        // Open contacts need no directions; the elements say how far they reach.
        self.contacts.clear();
        self.contacts.margin = self.reach(internal);
        system.contacts(&self.at, &mut self.contacts);
        self.open_all(internal, &mut y_dot[n_q + n_u..n_q + n_u + total]);
        for index in 0..self.contacts.candidates().len() {
            let candidate = self.contacts.candidates()[index];
            let (rates, sums) = y_dot[n_q + n_u..].split_at_mut(total);
            match self.layout.find(index, candidate.key) {
                Some(position) => {
                    let slot = self.layout.slots[position];
                    self.contact(&candidate, &slot, Some(position), internal, rates, sums);
                }
                None if candidate.has_directions() => self.unlisted(&candidate, sums),
                None => {}
            }
        }
        system.applied_forces(&self.at, &mut self.applied);
        if let Some(drive) = y_dot.last_mut() {
            *drive += dot(&self.applied, &self.at.u);
        }
        // u̇ = M⁻¹ (h + W λ)
        y_dot[n_q..n_q + n_u].copy_from_slice(&self.forces);
        for block in 0..self.mass_inverse.block_count() {
            let first = n_q + self.mass_inverse.offset(block);
            let range = first..first + self.mass_inverse.size(block);
            self.mass_inverse.apply(block, &mut y_dot[range]);
        }
        Ok(())
    }

    /// Largest gap at which some contact has a force, m.
    fn reach(&self, internal: &[f64]) -> f64 {
        let mut reach = 0.0_f64;
        for slot in &self.layout.slots {
            if let Some(law) = self.regularisation.groups[slot.group].first()
                && let Element::Contact(element) = &law.element
            {
                reach = reach.max(element.reach(&internal[slot.first..slot.first + law.states]));
            }
        }
        reach
    }

    /// What holds of a contact that is not listed: no force, and everything relaxes.
    fn open_all(&mut self, internal: &[f64], rates: &mut [f64]) {
        self.reports.clear();
        self.all_forces.fill(0.0);
        for slot in &self.layout.slots {
            self.reports.push(OdeContact {
                key: slot.key,
                gap: f64::INFINITY,
                force: 0.0,
                closed: false,
                sticks: false,
                slip: 0.0,
            });
            let mut first = slot.first;
            for law in &self.regularisation.groups[slot.group] {
                let range = first..first + law.states;
                law.relax(f64::MAX, &internal[range.clone()], &mut rates[range]);
                first += law.states;
            }
        }
    }

    /// A contact that was not listed when the step began (faces of polygons change their points): it
    /// has no states to integrate. It acts with its spring alone, e = −g, as it will begin to do.
    fn unlisted(&mut self, candidate: &Candidate, sums: &mut [f64]) {
        let Candidate { key, group, gap, .. } = *candidate;
        if group >= self.regularisation.groups.len() {
            return;
        }
        let states = self.regularisation.states(group);
        let slot = Slot { key, group, first: 0, states, scales: None };
        let [mut internal, mut rates] = std::mem::take(&mut self.spare);
        internal.clear();
        internal.resize(states, 0.0);
        rates.resize(states, 0.0);
        self.regularisation.settle(group, gap, &mut internal);
        self.contact(candidate, &slot, None, &internal, &mut rates[..states], sums);
        self.spare = [internal, rates];
    }

    /// Forces of one contact, added to h; rates of its states and sums.
    fn contact(
        &mut self,
        candidate: &Candidate,
        slot: &Slot,
        position: Option<usize>,
        internal: &[f64],
        tail: &mut [f64],
        sums: &mut [f64],
    ) {
        let group_start = self.group_start(slot.group);
        let laws = &self.regularisation.groups[slot.group];
        if let Some(position) = position {
            self.reports[position].gap = candidate.gap;
        }
        let has_normal = matches!(laws.first().map(|l| &l.element), Some(Element::Contact(_)));
        if !candidate.has_directions() {
            if has_normal {
                let range = slot.first..slot.first + laws[0].states;
                laws[0].relax(candidate.gap, &internal[range.clone()], &mut tail[range]);
            }
            return;
        }
        if !has_normal && candidate.gap > 0.0 {
            return;
        }
        let (w, w_tilde) =
            (self.contacts.directions(candidate), self.contacts.rheonomic(candidate));
        let width = candidate.width();
        let first_size = self.mass_inverse.size(candidate.blocks[0]);
        let offsets = candidate.blocks.map(|block| self.mass_inverse.offset(block));
        for k in 0..candidate.dim {
            let (a, b) = w[k * width..(k + 1) * width].split_at(first_size);
            self.gamma[k] = dot(a, &self.at.u[offsets[0]..])
                + if b.is_empty() { 0.0 } else { dot(b, &self.at.u[offsets[1]..]) }
                + w_tilde[k];
        }
        // The laws in their order; the first gives the normal force.
        let (mut component, mut state, mut normal) = (0, slot.first, 0.0);
        let (mut slides, mut slip) = (false, 0.0);
        for (index, law) in laws.iter().enumerate() {
            let range = component..component + law.dim;
            let states = state..state + law.states;
            // Within a step a contact may go over to laws without the last ones (a disk that comes
            // to lie flat): what it no longer has relaxes.
            if range.end > candidate.dim {
                law.relax(f64::MAX, &internal[states.clone()], &mut tail[states]);
                state += law.states;
                continue;
            }
            let (gamma, lambda) = (&self.gamma[range.clone()], &mut self.lambda[range.clone()]);
            if let Element::Contact(element) = &law.element {
                let (states, rates) = (&internal[states.clone()], &mut tail[states]);
                normal = element.evaluate(candidate.gap, gamma[0], states, rates);
                normal *= self.layout.scale(slot, component);
                lambda[0] = normal;
            } else if let Element::Joint(constants) = &law.element {
                let errors = self.contacts.position_error(candidate);
                for (k, l) in lambda.iter_mut().enumerate() {
                    let error = errors.get(component + k).copied().unwrap_or(0.0);
                    let deflection = error + constants.relaxation_time * gamma[k];
                    *l = -self.layout.scale(slot, component + k) * constants.stiffness * deflection;
                }
            } else if has_normal && normal <= 0.0 {
                law.relax(candidate.gap, &internal[states.clone()], &mut tail[states]);
                lambda.fill(0.0);
            } else {
                let (states, rates) = (&internal[states.clone()], &mut tail[states]);
                let scale = self.layout.scale(slot, component);
                let holds = law.evaluate(self.at.t, normal, scale, gamma, states, lambda, rates);
                if index == usize::from(has_normal) {
                    slides = !holds;
                    slip = if let [along] = gamma { *along } else { gamma[0].hypot(gamma[1]) };
                }
            }
            component += law.dim;
            state += law.states;
        }
        // h ← h + W λ, works, sums.
        let slots = self.layout.slots.len();
        let mut k = 0;
        for (index, law) in laws.iter().enumerate() {
            let mut work = 0.0;
            if k + law.dim > candidate.dim {
                break;
            }
            for _ in 0..law.dim {
                let lambda = self.lambda[k];
                if lambda != 0.0 {
                    let (a, b) = w[k * width..(k + 1) * width].split_at(first_size);
                    add(&mut self.forces[offsets[0]..], lambda, a);
                    if !b.is_empty() {
                        add(&mut self.forces[offsets[1]..], lambda, b);
                    }
                }
                work += lambda * self.gamma[k];
                let last = sums.len() - 1;
                sums[last] -= lambda * w_tilde[k];
                k += 1;
            }
            sums[slots + group_start + index] += work;
        }
        let Some(position) = position else { return };
        sums[position] = self.lambda[0];
        let start = self.force_starts[position];
        self.all_forces[start..start + k].copy_from_slice(&self.lambda[..k]);
        let report = &mut self.reports[position];
        report.force = self.lambda[0];
        report.closed = !has_normal || normal > 0.0;
        report.sticks = report.closed && !slides;
        report.slip = slip;
    }

    fn group_start(&self, group: usize) -> usize {
        self.regularisation.groups[..group].iter().map(Vec::len).sum()
    }
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[inline]
fn add(out: &mut [f64], factor: f64, x: &[f64]) {
    for (o, v) in out.iter_mut().zip(x) {
        *o += factor * v;
    }
}
