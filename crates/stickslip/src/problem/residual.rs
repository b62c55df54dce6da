//! The residual that judges every solver.

use super::{Contact, InclusionProblem};
use crate::convex::{ConvexSet, Set};
use crate::threads;

/// How far percussions are from a solution, measured by the problem and by no solver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// The dimensionless residual e; 0 exactly at a solution. See [`InclusionProblem::residual`].
    pub value: f64,
    /// Largest penetration velocity max(0, −ξ_N) of all unilateral contacts, m/s.
    pub penetration: f64,
    /// Largest distance of a percussion from its set, N s.
    pub set_violation: f64,
    /// Largest |Λ_N ξ_N| of all unilateral contacts, J.
    pub complementarity: f64,
    /// The velocity max(|c|, |Λ'|, |ξ|) that the residual is relative to, m/s.
    pub size: f64,
}

impl Residual {
    /// The residual as a velocity, m/s: while an iteration goes on it tells whether it comes
    /// closer, which the relative value does not where the percussions themselves fall.
    pub fn absolute(&self) -> f64 {
        self.value * self.size
    }

    /// The error over |c| alone; none without data. The residual itself is relative to percussions, too,
    /// and where these hold each other, as in a packing that is jammed, it flatters.
    pub fn by_data(&self, c: &[f64]) -> Option<f64> {
        let data = length(c);
        (data > 0.0).then(|| self.absolute() / data)
    }
}

/// Largest dimension of a law that the residual projects without a heap allocation.
const INLINE: usize = 8;

/// Contacts from which halves of them are judged apart, by threads if there are several.
const SHARED_FROM: usize = 2048;

/// Relative error of a law below which only rounding is left.
const ROUNDING: f64 = 1e-12;

/// Velocity, m/s, below which there is none: it is too near to the least of all numbers.
const ALMOST_NONE: f64 = 1e-290;

impl InclusionProblem {
    /// Residual of the percussions Λ, independent of units and of any solver.
    ///
    /// With s = trace(G)/n and Λ' = s Λ (a velocity), collect
    ///
    /// - for every contact with Coulomb friction the cone form Λ' − P_K(Λ' − ξ̂) with
    ///   ξ̂_N = ξ_N + μ|ξ_T| (De Saxcé) and K = { |Λ_T| ≤ μ Λ_N };
    /// - for every other law the split form Λ'_i − prox_{C_i}(Λ'_i − ξ_i), the set scaled by
    ///   the scaled reservoir;
    ///
    /// then e = |all of these| / max(|c|, |Λ'|, |ξ|).
    pub fn residual(&self, lambda: &[f64]) -> Residual {
        let mut xi = vec![0.0; self.dim()];
        self.residual_into(lambda, &mut xi)
    }

    /// The same as [`residual`](Self::residual) without allocation; `xi` receives ξ = G Λ + c.
    pub fn residual_into(&self, lambda: &[f64], xi: &mut [f64]) -> Residual {
        self.residual_by(self.delassus().mean_diagonal(), lambda, xi)
    }

    /// The same with s = trace(G)/n, which is known.
    pub(crate) fn residual_by(&self, s: f64, lambda: &[f64], xi: &mut [f64]) -> Residual {
        self.relative_velocities(lambda, xi);
        let squares = |unit| {
            [
                norm_squared(self.c(), 1.0, unit),
                norm_squared(lambda, s, unit),
                norm_squared(xi, 1.0, unit),
            ]
        };
        let mut sizes = squares(1.0);
        // Factor on all velocities, so that squares neither overflow nor vanish. Within this range no single one does.
        let mut unit = 1.0;
        if !(1e-150..=1e150).contains(&sizes.iter().sum::<f64>()) {
            unit = unit_of_squares(largest(self.c()).max(s * largest(lambda)).max(largest(xi)));
            sizes = squares(unit);
        }
        let (sum, mut result) = self.errors(self.contacts(), (s, unit), lambda, xi);
        let size = sizes[0].max(sizes[1]).max(sizes[2]);
        // sqrt(sum/size) would hide a NaN in `sum` behind size = 0: keep it visible.
        result.size = size.sqrt() / unit;
        result.value = if sum == 0.0 { 0.0 } else { (sum / size).sqrt() };
        if result.size <= ALMOST_NONE {
            // Numbers near the denormals have no digits left to be relative to.
            result.value = 0.0;
        }
        result
    }

    /// The square of the errors of some contacts, and the largest of each kind among them.
    fn errors(
        &self,
        contacts: &[Contact],
        (s, unit): (f64, f64),
        lambda: &[f64],
        xi: &[f64],
    ) -> (f64, Residual) {
        if contacts.len() >= SHARED_FROM {
            let (first, second) = contacts.split_at(contacts.len() / 2);
            let (mut a, mut b) = Default::default();
            threads::join(
                || a = self.errors(first, (s, unit), lambda, xi),
                || b = self.errors(second, (s, unit), lambda, xi),
            );
            let ((sum_a, mut all), (sum_b, b)) = (a, b);
            all.penetration = all.penetration.max(b.penetration);
            all.set_violation = all.set_violation.max(b.set_violation);
            all.complementarity = all.complementarity.max(b.complementarity);
            return (sum_a + sum_b, all);
        }
        let mut result = Residual::default();
        let mut sum = 0.0;
        for contact in contacts {
            let mut laws = self.laws_of(contact);
            if let Some(mu) = contact.coulomb {
                sum += cone_form(mu, (s, unit), contact, laws[1].dim, lambda, xi);
                self.describe_normal(contact.offset, lambda, xi, &mut result);
                let limit = mu * lambda[contact.offset].max(0.0);
                let tangential = &lambda[laws[1].range()];
                // The root only where it may matter.
                let least = result.set_violation + limit;
                if !(norm_squared(tangential, 1.0, 1.0) <= least * least) {
                    result.set_violation = result.set_violation.max(length(tangential) - limit);
                }
                laws = &laws[2..];
            }
            for law in laws {
                if matches!(law.set, Set::HalfLine(_)) {
                    let (l, x) = (s * lambda[law.offset] * unit, xi[law.offset] * unit);
                    sum += (l - (l - x).max(0.0)).powi(2);
                    self.describe_normal(law.offset, lambda, xi, &mut result);
                    continue;
                }
                let (l, x) = (&lambda[law.range()], &xi[law.range()]);
                if matches!(law.set, Set::FreeSpace(_)) {
                    // Its prox changes nothing, so that only rounding is outside of it.
                    let of = |(l, x): (&f64, &f64)| (s * l * unit - (s * l - x) * unit).powi(2);
                    let error = l.iter().zip(x).map(of).sum::<f64>();
                    sum += error;
                    let bound = error.sqrt() / (s * unit);
                    if bound > result.set_violation && bound <= ROUNDING * length(l) {
                        result.set_violation = bound;
                    }
                    continue;
                }
                let scale = self.scale(contact, law, lambda);
                let mut inline = [0.0; INLINE];
                let mut heap = Vec::new();
                let z = if law.dim <= INLINE {
                    &mut inline[..law.dim]
                } else {
                    heap.resize(law.dim, 0.0);
                    &mut heap[..]
                };
                for k in 0..law.dim {
                    z[k] = (s * l[k] - x[k]) * unit;
                }
                law.set.prox(s * scale * unit, z);
                let error: f64 =
                    (0..law.dim).map(|k| (s * l[k] * unit - z[k]).powi(2)).sum::<f64>();
                sum += error;
                // Distance from the set, in the units of the percussion. The prox lies in the set,
                // so the error bounds it; a second prox is only worth its time above rounding.
                let bound = error.sqrt() / (s * unit);
                let distance = if bound <= ROUNDING * length(l) {
                    bound
                } else {
                    z.copy_from_slice(l);
                    law.set.prox(scale, z);
                    for (z, l) in z.iter_mut().zip(l) {
                        *z = l - *z;
                    }
                    length(z)
                };
                result.set_violation = result.set_violation.max(distance);
            }
        }
        (sum, result)
    }

    /// Notes what a unilateral contact, whose normal is component number `normal`, leaves to be desired.
    fn describe_normal(&self, normal: usize, lambda: &[f64], xi: &[f64], out: &mut Residual) {
        let (l, x) = (lambda[normal], xi[normal]);
        out.penetration = out.penetration.max(-x);
        out.complementarity = out.complementarity.max((l * x).abs());
        out.set_violation = out.set_violation.max(-l);
    }
}

/// Largest magnitude.
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// Factor on velocities whose largest is `largest`, so that their squares, and those of errors
/// down to round-off, neither overflow nor vanish. Usually 1.
pub(crate) fn unit_of_squares(largest: f64) -> f64 {
    if (1e-100..=1e100).contains(&largest) || largest == 0.0 || !largest.is_finite() {
        return 1.0;
    }
    // The inverse of a denormal number is infinite.
    (1.0 / largest).min(f64::MAX)
}

/// |unit · factor · x|².
fn norm_squared(x: &[f64], factor: f64, unit: f64) -> f64 {
    x.iter().map(|v| (factor * v * unit).powi(2)).sum()
}

/// |x| without overflow or loss of small components.
fn length(x: &[f64]) -> f64 {
    let unit = unit_of_squares(largest(x));
    norm_squared(x, 1.0, unit).sqrt() / unit
}

/// |unit (Λ' − P_K(Λ' − ξ̂))|² of a contact with Coulomb friction.
fn cone_form(
    mu: f64,
    (s, unit): (f64, f64),
    contact: &Contact,
    tangents: usize,
    lambda: &[f64],
    xi: &[f64],
) -> f64 {
    let n = contact.offset;
    // Scaled percussion and velocity of component k.
    let at = |k: usize| (s * lambda[k] * unit, xi[k] * unit);
    let mut xi_t = 0.0;
    let mut z_t = 0.0;
    for k in n + 1..=n + tangents {
        let (l, x) = at(k);
        xi_t += x * x;
        z_t += (l - x).powi(2);
    }
    let (xi_t, z_t) = (xi_t.sqrt(), z_t.sqrt());
    let (l_n, x_n) = at(n);
    let z_n = l_n - (x_n + mu * xi_t);
    // P_K of (z_n, z_t): z inside K, or in the polar cone (mu z_t ≤ −z_n), or onto the mantle.
    // Without friction K is a half line, and z_t ≤ μ z_n alone would hold for z_n < 0, z_t = 0.
    let (p_n, factor) = if z_n >= 0.0 && z_t <= mu * z_n {
        (z_n, 1.0)
    } else if mu * z_t <= -z_n {
        (0.0, 0.0)
    } else {
        let p_n = (z_n + mu * z_t) / (1.0 + mu * mu);
        (p_n, mu * p_n / z_t)
    };
    let mut sum = (l_n - p_n).powi(2);
    for k in n + 1..=n + tangents {
        let (l, x) = at(k);
        sum += (l - factor * (l - x)).powi(2);
    }
    sum
}
