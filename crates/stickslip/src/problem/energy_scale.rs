//! The second measure: every component in its own scale.
//!
//! The residual e is relative to the largest velocity of the problem. Where rad/s stand beside m/s a
//! component of sliding can be wrong altogether and still be small against a spin. So percussions
//! are also compared with percussions, in units of energy,
//!
//! ```text
//! Λ̂ = S Λ,      ξ̂ = S⁻¹ ξ,      S² = diag G,      |Λ̂_i − prox_Ĉ(Λ̂_i − ξ̂_i)| ≤ tolerance · |Λ̂|
//! ```
//!
//! law by law, with |Λ̂| the largest of all contacts. It does not depend on units, nor on the length of
//! a time step: as steps get shorter percussions do, while velocities stay.

use super::{Contact, InclusionProblem, Reservoir};
use crate::convex::{ConvexSet, Set};

/// Largest dimension of a law that is looked at; larger ones are joints of one kind.
const INLINE: usize = 8;

/// What rounding leaves in the velocity of a component, relative to the terms in it.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Factors that make the diagonal of a contact's Delassus block one, as far as the symmetry of the
/// set allows: a set that is a body of revolution must stay one.
pub(crate) fn equilibrating_factors(set: &Set, diagonal: &[f64], factors: &mut [f64]) {
    let mean = |d: &[f64]| (d.iter().sum::<f64>() / d.len() as f64).sqrt();
    match set {
        Set::Ellipsoid(_) => {
            for (factor, d) in factors.iter_mut().zip(diagonal) {
                *factor = d.sqrt();
            }
        }
        Set::Contensou(_) | Set::Cylinder(_) => {
            factors[..2].fill(mean(&diagonal[..2]));
            factors[2] = diagonal[2].sqrt();
        }
        _ => factors.fill(mean(diagonal)),
    }
}

impl InclusionProblem {
    /// Whether every law is fulfilled to `tolerance` in its own scale, or as well as rounding
    /// allows; ξ = G Λ + c must be given. A NaN is never fulfilled.
    pub fn is_exact_by_component(&self, lambda: &[f64], xi: &[f64], tolerance: f64) -> bool {
        let mut largest = 0.0_f64;
        for (index, contact) in self.contacts().iter().enumerate() {
            largest = largest.max(self.energy(index, contact, lambda));
        }
        let allowed = (tolerance + ROUNDING) * largest.sqrt();
        self.contacts().iter().enumerate().all(|(index, contact)| {
            self.laws_of(contact).iter().all(|law| {
                let (n, first) = (law.dim, law.offset - contact.offset);
                if n > INLINE {
                    return true;
                }
                if matches!(law.set, Set::HalfLine(_)) {
                    let factor = self.delassus().diagonal_entry(index, first).sqrt();
                    let k = law.offset;
                    let (l, x) = (lambda[k] * factor, xi[k] / factor);
                    let terms = (self.c()[k] / factor).abs();
                    return (l - (l - x).max(0.0)).abs() <= allowed + ROUNDING * terms;
                }
                let (mut diagonal, mut factors) = ([0.0; INLINE], [0.0; INLINE]);
                for (k, d) in diagonal[..n].iter_mut().enumerate() {
                    *d = self.delassus().diagonal_entry(index, first + k);
                }
                let factors = &mut factors[..n];
                equilibrating_factors(&law.set, &diagonal[..n], factors);
                let range = law.range();
                let (l, x) = (&lambda[range.clone()], &xi[range.clone()]);
                let (mut z, mut terms) = ([0.0; INLINE], 0.0);
                for k in 0..n {
                    z[k] = l[k] * factors[k] - x[k] / factors[k];
                    terms += (self.c()[range.start + k] / factors[k]).abs();
                }
                if matches!(law.set, Set::FreeSpace(_)) {
                    // Its prox changes nothing.
                    let error: f64 = (0..n).map(|k| (l[k] * factors[k] - z[k]).powi(2)).sum();
                    return error.sqrt() <= allowed + ROUNDING * terms;
                }
                let scale = match law.reservoir {
                    Reservoir::Unbounded => 1.0,
                    _ => self.scale(contact, law, lambda),
                };
                match law.set.stretched(factors) {
                    Some(set) => set.prox(scale, &mut z[..n]),
                    // Such a set has equal factors.
                    None => law.set.prox(scale * factors[0], &mut z[..n]),
                }
                let error: f64 = (0..n).map(|k| (l[k] * factors[k] - z[k]).powi(2)).sum();
                error.sqrt() <= allowed + ROUNDING * terms
            })
        })
    }

    /// Σ G_kk Λ_k² of a contact, J.
    fn energy(&self, index: usize, contact: &Contact, lambda: &[f64]) -> f64 {
        let entry = |k: usize| {
            self.delassus().diagonal_entry(index, k) * lambda[contact.offset + k].powi(2)
        };
        (0..contact.dim).map(entry).sum()
    }
}
