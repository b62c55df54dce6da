//! Groups of laws that act together at a contact.

use super::{ForceLaw, ForceReservoir, ImpactLaw};
use crate::convex::Set;
use crate::linear::length;

/// A law with the name under which reports book its work.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedLaw {
    /// What it is: "normal", "friction", "contour", ...
    pub name: &'static str,
    /// The law.
    pub law: ForceLaw,
}

/// The laws of one kind of contact, in the order of their components.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LawGroup {
    /// The laws; the normal one first where there is one.
    pub laws: Vec<NamedLaw>,
    /// Number of components of all laws.
    pub dim: usize,
}

impl LawGroup {
    /// A group of the given laws.
    pub fn new(laws: impl IntoIterator<Item = (&'static str, ForceLaw)>) -> Self {
        let laws: Vec<NamedLaw> =
            laws.into_iter().map(|(name, law)| NamedLaw { name, law }).collect();
        let dim = laws.iter().map(|l| l.law.dim()).sum();
        Self { laws, dim }
    }

    /// Pull, N, that the contact bears while it is closed.
    pub fn adhesion(&self) -> f64 {
        self.laws.first().map_or(0.0, |named| named.law.adhesion)
    }

    /// ε by which the velocity before an impact counts in law number `index`, for a speed of approach of
    /// the contact: by Moreau's law of impact that of the normal law counts for all that are not viscous.
    pub fn velocity_restitution(&self, index: usize, approach: f64, t: f64) -> f64 {
        let law = &self.laws[index].law;
        match self.laws.first().map(|first| &first.law) {
            Some(normal)
                if normal.impact == ImpactLaw::Moreau
                    && normal.restitution_curve.is_some()
                    && law.viscosity.is_none() =>
            {
                normal.restitution_at(approach, t)
            }
            _ => law.velocity_restitution(approach, t),
        }
    }

    /// Number of the law that rubs: the one next to the normal law, or the friction of a joint.
    pub(crate) fn rubbing(&self) -> Option<usize> {
        match self.laws.as_slice() {
            [_, _, ..] => Some(1),
            [only] if matches!(only.law.reservoir, ForceReservoir::Force(_)) => Some(0),
            _ => None,
        }
    }

    /// Velocity of the law that rubs, of that of a component: signed in one direction, otherwise its
    /// magnitude.
    pub(crate) fn slip(&self, velocity: impl Fn(usize) -> f64) -> f64 {
        // Laws next to a normal law begin behind its one component.
        match self.rubbing().map(|first| (first, self.laws[first].law.dim())) {
            Some((first, 1)) => velocity(first),
            Some((first, 2..)) => length(velocity(first), velocity(first + 1)),
            _ => 0.0,
        }
    }

    /// Whether nothing but the normal law holds a contact.
    pub(crate) fn is_smooth(&self) -> bool {
        self.rubbing() == Some(1)
            && matches!(&self.laws[1].law.set, Set::Ball(ball) if ball.radius == 0.0)
    }

    /// Units of the forces of all components.
    pub fn component_units(&self) -> Vec<&'static str> {
        let laws = self.laws.iter().map(|named| &named.law);
        laws.flat_map(|law| (0..law.dim()).map(|k| law.component_unit(k))).collect()
    }
}
