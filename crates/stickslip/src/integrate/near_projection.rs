//! Projection of the little that a step leaves, by what the step itself knows.
//!
//! Half a step before its end the step has listed its contacts with their directions W, and posed G = Wᵀ M⁻¹ W. At its
//! end joints have drifted apart by a part of Δt³, and W has turned by a part of Δt. So
//!
//! ```text
//! Δq = −F M⁻¹ W G⁻¹ g,      with F at the end, g the errors there, and all else of the step
//! ```
//!
//! leaves the part ½Δt|Ω| of the errors each time it is done: what [`super::projection`] does, with a matrix that is there.
//! In the metric of the coordinates the gradients F⁺ᵀ W stand for W, and the unit matrix for M. Only errors and gaps are
//! looked at, no directions. What the step does not know is left to that projection, and so are negative gaps in the metric
//! of the coordinates.

use super::near_constraint::{Gradient, Held, Kind, Look, MOST_COORDINATES, is_plain, left_closed};
use super::projection::{
    CLEAR, DEPENDENT, EXPECTED, MOST_FOR_NEWTON, Projection, ProjectionMetric,
};
use super::rows::scatter;
use super::velocity_step::VelocityStep;
use crate::linear::{Skyline, zeros};
use crate::solve::Solver;
use crate::system::{Candidate, ContactSet, MechanicalSystem, Near, State, left_at};

/// Looks at errors before the general projection is asked.
const MOST_LOOKS: usize = 4;
/// Part of the errors that a shift may leave: more means that the step knows too little.
const SLOW: f64 = 0.1;
/// A contact of the step that rests, and whether a constraint keeps it so: only what hangs together with joints that move
/// needs one.
#[derive(Clone, Copy, Debug)]
struct Resting {
    contact: usize,
    key: u64,
    is_held: bool,
}

/// Memory of this projection.
#[derive(Clone, Debug, Default)]
pub(super) struct NearProjection {
    /// Gaps and errors of the joints at the end of the step.
    gaps: ContactSet,
    errors: Vec<f64>,
    /// Penetration that is left so that resting contacts stay closed, m.
    left: f64,
    held: Vec<Held>,
    gradients: Vec<Gradient>,
    /// Contacts that rest.
    resting: Vec<Resting>,
    /// Blocks that are moved.
    moved: Vec<bool>,
    /// Whether the metric is that of the masses, or of the coordinates.
    by_mass: bool,
    /// Whether the solver of the step has the factors.
    by_solver: bool,
    /// First constraint of each contact of the step.
    firsts_of: Vec<usize>,
    matrix: Skyline,
    multipliers: Vec<f64>,
    displacement: Vec<f64>,
    shift: Vec<f64>,
    /// The same without a displacement: what is prescribed.
    prescribed: Vec<f64>,
    start: Vec<f64>,
}

impl Projection {
    /// Projects the state at the end of a step that made it: by what the step knows, where that is enough. Returns the
    /// energy that this put in, J.
    pub(crate) fn apply_behind(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
        step: &VelocityStep,
        solver: &dyn Solver,
    ) -> f64 {
        let metric = self.metric();
        self.near.by_mass = metric == ProjectionMetric::Mass;
        if (self.near.by_mass || metric == ProjectionMetric::Identity)
            && let Some(work) = self.near.apply(system, state, dt, (step, solver))
        {
            return work;
        }
        self.apply(system, state, dt)
    }
}

impl NearProjection {
    /// Projects the state at the end of a step of length dt. Returns the energy that this put in, J; none, and the state is
    /// as it was, where the step does not know enough.
    fn apply(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
        (step, solver): (&VelocityStep, &dyn Solver),
    ) -> Option<f64> {
        system.coordinates_of_block().filter(|count| *count <= MOST_COORDINATES)?;
        if !is_plain(step) {
            return None;
        }
        self.left = left_closed(step, dt);
        if !system.joint_errors(state, &mut self.errors) {
            return None;
        }
        // In the metric of the coordinates joints alone are moved here.
        if self.errors.is_empty() && !self.by_mass {
            return None;
        }
        // Gaps that are open by much more than the errors of joints, and those of what rests, are not looked at.
        let apart =
            2.0 * CLEAR * self.errors.iter().fold(0.0, |most: f64, error| most.max(error.abs()));
        self.gaps.near = Some(Near { limit: apart, depth: self.left });
        self.look_at_gaps(system, state);
        let first = self.list(system, state, step)?;
        if first.largest == 0.0 {
            return Some(0.0);
        }
        // A step of joints alone has its factors already.
        let is_whole = self.by_mass && self.held.len() == step.problem.dim();
        self.multipliers.clear();
        self.multipliers.resize(self.held.len(), 0.0);
        self.by_solver = is_whole && solver.solve_joints_again(&mut self.multipliers);
        if !self.by_solver && (self.held.len() > MOST_FOR_NEWTON || !self.factor(step)) {
            return None;
        }
        let before = system.energy(state).total();
        self.start.clone_from(&state.q);
        if self.restore(system, state, (step, solver), first).is_none() {
            state.q.clone_from(&self.start);
            return None;
        }
        Some(system.energy(state).total() - before)
    }

    /// Moves the state until only rounding is left; none if that fails.
    fn restore(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        step: (&VelocityStep, &dyn Solver),
        first: Look,
    ) -> Option<()> {
        let Look { largest: mut last, mut clearance, .. } = first;
        let moves_gaps = self.held.iter().any(|held| matches!(held.kind, Kind::Gap(_)));
        for _ in 0..MOST_LOOKS {
            self.shift(system, state, step);
            // Where no gap is near, joints alone are looked at.
            let far = !moves_gaps && clearance > CLEAR * last;
            let next = self.measure(system, state, !far)?;
            clearance = if far { clearance - CLEAR * last } else { next.clearance };
            if !(next.largest <= SLOW * last && clearance >= 0.0) {
                return None;
            }
            if next.largest == 0.0 {
                return Some(());
            }
            // The next shift leaves as large a part as this one; it is not looked at if that is less than rounding.
            let left = next.largest * (next.largest / last);
            if left <= EXPECTED * next.rounding && clearance > CLEAR * next.largest {
                self.shift(system, state, step);
                return Some(());
            }
            last = next.largest;
        }
        None
    }

    fn look_at_gaps(&mut self, system: &dyn MechanicalSystem, state: &State) {
        self.gaps.ask_for_gaps();
        self.gaps.clear();
        system.contacts(state, &mut self.gaps);
    }

    /// Lists the constraints: joints, gaps that are negative, what rests, the last so that it gives way where it depends
    /// on the others. None if the step does not know all of them.
    fn list(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &State,
        step: &VelocityStep,
    ) -> Option<Look> {
        let Self { gaps, errors, left, held, gradients, resting, by_mass, .. } = self;
        held.clear();
        gradients.clear();
        resting.clear();
        // Room for all, so that no later step needs more.
        held.reserve(errors.len() + gaps.candidates().len());
        gradients.reserve(held.capacity());
        resting.reserve(gaps.candidates().len());
        let mut look = Look::NOTHING;
        let at = (system, state, step);
        let mut hold = |contact: usize, component: usize, kind: Kind, value: f64| {
            let constraint = Held::new(at, contact, component, kind, value, gradients)?;
            held.push(constraint);
            look.add(&constraint)
        };
        let known = |contact: usize| &step.contacts.candidates()[step.active[contact]];
        let mut number = 0;
        for contact in 0..step.active.len() {
            for component in 0..step.contacts.position_error(known(contact)).len() {
                hold(contact, component, Kind::Joint(number), *errors.get(number)?)?;
                number += 1;
            }
        }
        if number != errors.len() {
            return None;
        }
        let limit = gaps.near.map_or(f64::INFINITY, |near| near.limit);
        let (mut next, mut clearance) = (0, limit);
        for candidate in gaps.candidates().iter().filter(|c| !(c.gap == f64::NEG_INFINITY)) {
            let value = candidate.gap + left_at(*left, candidate.closed_at);
            // Both lists are mostly in the same order.
            let is_same = |contact: &usize| known(*contact).key == candidate.key;
            let all = 0..step.active.len();
            let contact =
                all.clone().nth(next).filter(is_same).or_else(|| all.clone().find(is_same));
            next = contact.map_or(next, |contact| contact + 1);
            if !(value >= 0.0) {
                // A gap is wider than what joints drift apart: the nearest place is asked for, not one that is nearly so.
                if !*by_mass {
                    return None;
                }
                hold(contact?, 0, Kind::Gap(candidate.key), value)?;
            } else if let Some(contact) = contact
                && candidate.closed_at > 0.0
                && candidate.stays_closed()
            {
                resting.push(Resting { contact, key: candidate.key, is_held: false });
            } else {
                clearance = clearance.min(value);
            }
        }
        look.clearance = clearance;
        if look.largest > 0.0 {
            self.hold_resting(at)?;
        }
        Some(look)
    }

    /// Adds what rests and hangs together with what is moved.
    fn hold_resting(&mut self, at: (&dyn MechanicalSystem, &State, &VelocityStep)) -> Option<()> {
        let Self { held, gradients, resting, moved, .. } = self;
        moved.clear();
        moved.resize(at.2.mass_inverse.block_count(), false);
        held.iter().flat_map(|held| held.blocks).for_each(|block| moved[block] = true);
        let blocks_of = |contact: usize| at.2.contacts.candidates()[at.2.active[contact]].blocks;
        loop {
            let before = held.len();
            for Resting { contact, is_held, .. } in resting.iter_mut().filter(|rest| !rest.is_held)
            {
                let blocks = blocks_of(*contact);
                if !blocks.iter().any(|block| moved[*block]) {
                    continue;
                }
                *is_held = true;
                blocks.iter().for_each(|block| moved[*block] = true);
                let constraint = Held::new(at, *contact, 0, Kind::Rest, 0.0, gradients)?;
                held.push(Held { rounding: f64::INFINITY, ..constraint });
            }
            if held.len() == before {
                return Some(());
            }
        }
    }

    /// Values of the constraints after a shift, those of gaps only where these are looked at. None if what is listed now is
    /// something else than before.
    fn measure(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &State,
        with_gaps: bool,
    ) -> Option<Look> {
        if with_gaps {
            self.look_at_gaps(system, state);
        }
        if !system.joint_errors(state, &mut self.errors) {
            return None;
        }
        let Self { gaps, errors, held, resting, left, .. } = self;
        let mut look = Look::NOTHING;
        for constraint in held.iter_mut() {
            match constraint.kind {
                Kind::Joint(number) => constraint.value = *errors.get(number)?,
                Kind::Gap(key) => {
                    let candidate = gaps.candidates().iter().find(|c| c.key == key)?;
                    constraint.value = candidate.gap + left_at(*left, candidate.closed_at);
                }
                Kind::Rest => {}
            }
            look.add(constraint)?;
        }
        if with_gaps {
            let is_known = |candidate: &Candidate| {
                resting.iter().any(|rest| rest.key == candidate.key)
                    || held.iter().any(|held| held.kind == Kind::Gap(candidate.key))
            };
            let open = gaps.candidates().iter().filter(|c| c.gap.is_finite() && !is_known(c));
            let values = open.map(|candidate| candidate.gap + left_at(*left, candidate.closed_at));
            let limit = gaps.near.map_or(f64::INFINITY, |near| near.limit);
            look.clearance = values.fold(limit, f64::min);
        }
        Some(look)
    }

    /// The factored matrix of the constraints. Those of neighbouring bodies stand together, so that there is little fill, and
    /// what rests behind the others. Where one of these depends on what rests before it, all that rests stands last.
    fn factor(&mut self, step: &VelocityStep) -> bool {
        let rank = |held: &Held| match held.kind {
            Kind::Joint(_) => 0,
            Kind::Gap(_) => 1,
            Kind::Rest => 2,
        };
        for by_blocks in [true, false] {
            self.held.sort_unstable_by_key(|held| {
                let block = if by_blocks { held.blocks[0].min(held.blocks[1]) } else { 0 };
                (block, rank(held), held.contact, held.component)
            });
            self.fill_matrix(step);
            if !self.matrix.factor(DEPENDENT) {
                return false;
            }
            let rests = |held: &Held| matches!(held.kind, Kind::Rest);
            let dropped = |(row, held)| self.matrix.is_dropped(row) && !rests(held);
            if !self.held.iter().enumerate().any(dropped) {
                return true;
            }
        }
        true
    }

    /// The lower half of the matrix: out of G, or of gradients.
    fn fill_matrix(&mut self, step: &VelocityStep) {
        let Self { held, gradients, matrix, firsts_of, by_mass, .. } = self;
        firsts_of.clear();
        firsts_of.resize(step.active.len(), usize::MAX);
        for (place, constraint) in held.iter().enumerate().rev() {
            firsts_of[constraint.contact] = place;
        }
        matrix.clear();
        let (contacts, delassus) = (step.problem.contacts(), step.problem.delassus());
        for (row, constraint) in held.iter().enumerate() {
            let neighbours = delassus.row(constraint.contact);
            let begin = neighbours.map(|(other, _)| firsts_of[other]).fold(row, usize::min);
            let entries = matrix.push_row(begin);
            for (other, block) in delassus.row(constraint.contact) {
                let (first, dim) = (firsts_of[other], contacts[other].dim);
                if first > row {
                    continue;
                }
                let of_row = &block[constraint.component * dim..(constraint.component + 1) * dim];
                let same = held[first..].iter().take_while(|held| held.contact == other);
                for (entry, held) in entries[first - begin..].iter_mut().zip(same) {
                    let by_g = of_row[held.component];
                    *entry = if *by_mass { by_g } else { constraint.product(held, gradients) };
                }
            }
        }
    }

    /// Moves the state by what the values of the constraints say.
    fn shift(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        (step, solver): (&VelocityStep, &dyn Solver),
    ) {
        let Self { held, gradients, multipliers, displacement, shift, prescribed, .. } = self;
        multipliers.clear();
        multipliers.extend(held.iter().map(|held| -held.value));
        if !self.by_solver || !solver.solve_joints_again(multipliers) {
            self.matrix.solve(multipliers);
        }
        if !self.by_mass {
            let per_block = system.coordinates_of_block().unwrap_or(0);
            for (held, multiplier) in held.iter().zip(&*multipliers) {
                let single = held.blocks[0] == held.blocks[1];
                let parts = held.blocks.iter().zip(&gradients[held.number]);
                for (block, gradient) in parts.take(if single { 1 } else { 2 }) {
                    let q = &mut state.q[block * per_block..(block + 1) * per_block];
                    q.iter_mut().zip(gradient).for_each(|(q, entry)| *q += multiplier * entry);
                }
            }
            return system.normalize(&mut state.q);
        }
        // F M⁻¹ W Λ: a displacement, not a rate, so that what is prescribed is taken out again.
        for list in [&mut *shift, &mut *prescribed] {
            list.resize(state.q.len(), 0.0);
        }
        zeros(displacement, state.u.len());
        system.coordinate_rate(state, displacement, prescribed);
        for (held, multiplier) in held.iter().zip(&*multipliers) {
            let rows = &step.rows.contacts[held.contact];
            let response = &step.rows.response[rows.row(held.component)];
            scatter(&step.mass_inverse, rows.blocks, *multiplier, response, displacement);
        }
        system.coordinate_rate(state, displacement, shift);
        for (q, (shift, prescribed)) in state.q.iter_mut().zip(shift.iter().zip(&*prescribed)) {
            *q += shift - prescribed;
        }
        system.normalize(&mut state.q);
    }
}
