//! The prox equations of a contact of Signorini and Coulomb, written out: those of [`super::equations`] for the
//! contacts that large problems are made of.
//!
//! ```text
//! F_N = Λ_N − max(0, z_N),      F_T = Λ_T − z_T min(1, μ max(0, z_N) / |z_T|),      z = Λ − r ξ
//! ```

use crate::linear::length;
use crate::problem::Contact;

/// Friction coefficient of a contact that has these two laws and no other.
#[inline]
pub(super) fn of(contact: &Contact) -> Option<f64> {
    contact.coulomb.filter(|_| contact.laws.len() == 2)
}

/// z_N, the limit μ max(0, z_N), z_T and its length.
#[inline(always)]
fn state(mu: f64, r: &[f64], lambda: &[f64], xi: &[f64]) -> (f64, f64, [f64; 2], f64) {
    let z = |k: usize| lambda[k] - r[k] * xi[k];
    let z_n = z(0);
    let z_t = if lambda.len() == 3 { [z(1), z(2)] } else { [z(1), 0.0] };
    (z_n, mu * z_n.max(0.0), z_t, length(z_t[0], z_t[1]))
}

/// F.
#[inline]
pub(super) fn residual(mu: f64, r: &[f64], lambda: &[f64], xi: &[f64], f: &mut [f64]) {
    let (z_n, limit, z_t, length) = state(mu, r, lambda, xi);
    f[0] = lambda[0] - z_n.max(0.0);
    // What is so small that its length has no digits counts as inside.
    let factor = if length > limit && length.is_normal() { limit / length } else { 1.0 };
    for (k, z) in z_t[..lambda.len() - 1].iter().enumerate() {
        f[k + 1] = lambda[k + 1] - factor * z;
    }
}

/// The blocks A and B of dF = A dΛ + B dξ, row-major, of zeros before.
#[inline]
pub(super) fn derivative(
    mu: f64,
    r: &[f64],
    lambda: &[f64],
    xi: &[f64],
    a: &mut [f64],
    b: &mut [f64],
) {
    let (z_n, limit, z_t, length) = state(mu, r, lambda, xi);
    let (n, presses) = (lambda.len(), z_n > 0.0);
    if presses {
        b[0] = r[0];
    } else {
        a[0] = 1.0;
    }
    if length <= limit && limit > 0.0 {
        for k in 1..n {
            b[k * n + k] = r[k];
        }
        return;
    }
    // At its limit the percussion follows the direction of z_T, and the limit.
    for k in 1..n {
        a[k * n + k] = 1.0;
    }
    if length <= limit || !presses {
        return;
    }
    let part = limit / length;
    let e = z_t.map(|z| z / length);
    for i in 1..n {
        a[i * n] = -mu * e[i - 1];
        b[i * n] = mu * e[i - 1] * r[0];
        if n == 2 {
            continue;
        }
        for j in 1..n {
            // 1 − e_i² as the other one: without cancellation.
            let across = if i == j { e[2 - i].powi(2) } else { -e[i - 1] * e[j - 1] };
            a[i * n + j] -= part * across;
            b[i * n + j] += part * across * r[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::equations::{self, LawView, Scratch};
    use super::*;
    use crate::convex::{Ball, HalfLine, Set};
    use crate::problem::Reservoir;

    #[test]
    fn they_are_those_of_the_laws_one_by_one() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut scratch = Scratch::default();
        scratch.reserve(2);
        let mut seen = [0; 3];
        for trial in 0..3000 {
            let n = 2 + trial % 2;
            let mu = if trial % 7 == 0 { 0.0 } else { random.f64() };
            let ball = Set::Ball(Ball { dim: n - 1, radius: mu });
            let laws = [
                (Set::HalfLine(HalfLine), Reservoir::Unbounded, 0, 1),
                (ball, Reservoir::Normal, 1, n - 1),
            ];
            let mut numbers = || -> Vec<f64> { (0..n).map(|_| 2.0 * random.f64() - 1.0).collect() };
            let (lambda, xi) = (numbers(), numbers());
            // Equal within a law.
            let r: Vec<f64> = (0..n).map(|k| if k == 0 { 0.7 } else { 1.3 }).collect();
            let (mut f, mut a, mut b) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n * n]);
            let (mut f_0, mut a_0, mut b_0) = (f.clone(), a.clone(), b.clone());
            residual(mu, &r, &lambda, &xi, &mut f);
            derivative(mu, &r, &lambda, &xi, &mut a, &mut b);
            for (set, reservoir, first, dim) in &laws {
                let law =
                    LawView { set, reservoir: *reservoir, gain: 1.0, first: *first, dim: *dim };
                equations::residual(&law, &r, &lambda, &xi, &mut f_0, &mut scratch);
                equations::derivative(&law, &r, &lambda, &xi, &mut a_0, &mut b_0, &mut scratch);
            }
            let all = f.iter().chain(&a).chain(&b).zip(f_0.iter().chain(&a_0).chain(&b_0));
            assert!(all.clone().all(|(x, y)| (x - y).abs() < 1e-14), "{trial}");
            seen[if a[0] == 1.0 { 0 } else { 1 + usize::from(a[n] != 0.0) }] += 1;
        }
        assert!(seen.iter().all(|count| *count > 300), "{seen:?}");
    }
}
