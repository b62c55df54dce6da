//! Constraints of a projection by what a step knows ([`super::near_projection`]).

use super::projection::ROUNDING;
use super::velocity_step::VelocityStep;
use crate::system::{MechanicalSystem, State};

/// Coordinates of a body in space, the most of all that stand apart.
pub(super) const MOST_COORDINATES: usize = 7;

/// Gradient of a constraint in the coordinates of its two bodies; zeros where there is no second one.
pub(super) type Gradient = [[f64; MOST_COORDINATES]; 2];

/// A constraint that is restored: a component of a contact of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// Contact of the step, and the component.
    pub(super) contact: usize,
    pub(super) component: usize,
    pub(super) kind: Kind,
    /// Its value, m or rad: 0 for what rests and is only kept where it is.
    pub(super) value: f64,
    /// Up to this value it counts as restored.
    pub(super) rounding: f64,
    /// Mass blocks that it touches, and the number of its gradient there.
    pub(super) blocks: [usize; 2],
    pub(super) number: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A joint, with the number of its error.
    Joint(usize),
    /// A gap that was negative, with its key.
    Gap(u64),
    /// A gap that stays as it is.
    Rest,
}

impl Held {
    /// A component of a contact of the step at the state; none if the system does not keep blocks apart.
    pub(super) fn new(
        (system, state, step): (&dyn MechanicalSystem, &State, &VelocityStep),
        contact: usize,
        component: usize,
        kind: Kind,
        value: f64,
        gradients: &mut Vec<Gradient>,
    ) -> Option<Self> {
        let candidate = &step.contacts.candidates()[step.active[contact]];
        let (blocks, width) = (candidate.blocks, candidate.width());
        let direction = &step.contacts.directions(candidate)[component * width..][..width];
        let (first, second) = direction.split_at(step.mass_inverse.size(blocks[0]));
        let per_block = system.coordinates_of_block()?;
        let mut gradient = Gradient::default();
        // Size of the terms (∂g/∂q_k) q_k, with which rounding scales.
        let mut terms = 0.0;
        for ((block, part), own) in blocks.into_iter().zip([first, second]).zip(&mut gradient) {
            if part.is_empty() {
                continue;
            }
            let own = own.get_mut(..per_block)?;
            if !system.block_gradient(state, block, part, own) {
                return None;
            }
            let q = &state.q[block * per_block..];
            terms += own.iter().zip(q).map(|(d, q)| (d * q).abs()).sum::<f64>();
        }
        let rounding = ROUNDING * terms;
        gradients.push(gradient);
        let number = gradients.len() - 1;
        Some(Self { contact, component, kind, value, rounding, blocks, number })
    }

    /// ∂g/∂q · ∂g/∂q of two constraints.
    pub(super) fn product(&self, other: &Self, gradients: &[Gradient]) -> f64 {
        let mut sum = 0.0;
        for (block, own) in self.blocks.iter().zip(&gradients[self.number]) {
            for (same, theirs) in other.blocks.iter().zip(&gradients[other.number]) {
                if block == same {
                    sum += own.iter().zip(theirs).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        sum
    }

    /// Whether only rounding is left of it, or a gap is open.
    pub(super) fn is_restored(&self) -> bool {
        self.value.abs() <= self.rounding || (matches!(self.kind, Kind::Gap(_)) && self.value > 0.0)
    }
}

/// What a look at the end of a step has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Largest violation beyond rounding, and the least rounding.
    pub(super) largest: f64,
    pub(super) rounding: f64,
    /// Least value of the gaps that are not held.
    pub(super) clearance: f64,
}

impl Look {
    pub(super) const NOTHING: Self =
        Self { largest: 0.0, rounding: f64::INFINITY, clearance: f64::INFINITY };

    /// Adds a constraint; none if its value is no number.
    pub(super) fn add(&mut self, held: &Held) -> Option<()> {
        if !held.is_restored() {
            self.largest = self.largest.max(held.value.abs());
        }
        self.rounding = self.rounding.min(held.rounding);
        (!held.value.is_nan()).then_some(())
    }
}

/// Whether G of a step is Wᵀ M⁻¹ W of its rows, and nothing but forces presses its contacts.
pub(super) fn is_plain(step: &VelocityStep) -> bool {
    let is_free = step.pulls.iter().all(|pull| *pull == 0.0);
    step.mass_inverse.is_symmetric() && !step.is_compliant && is_free
}

/// Penetration that is left: a Δt² with a the largest free acceleration of what is closed.
pub(super) fn left_closed(step: &VelocityStep, dt: f64) -> f64 {
    let all = step.contacts.candidates();
    let closed = step.active.iter().zip(step.problem.contacts()).filter(|(index, _)| {
        let candidate = &all[**index];
        candidate.is_closed() && candidate.closed_at > 0.0 && candidate.gap.is_finite()
    });
    let gained = closed
        .map(|(_, contact)| (step.gamma_free[contact.offset] - step.gamma_a[contact.offset]).abs());
    dt * gained.filter(|gained| gained.is_finite()).fold(0.0, f64::max)
}
