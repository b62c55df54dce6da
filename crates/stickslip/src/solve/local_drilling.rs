//! One contact with Signorini contact and a three-dimensional friction set (sliding and drilling):
//! the inner loop of every spinning top.
//!
//! As long as the contact is closed its normal velocity vanishes, which gives the normal percussion
//! as a linear function of the friction percussion, as in [`super::local_coulomb`]:
//!
//! ```text
//! r_N = n₀ − n·r_F,      ξ_F = B r_F + d,      B = A_FF − A_FN A_NF/A_NN,      d = q_F − A_FN q_N/A_NN
//! ```
//!
//! What is left is a Newton iteration in three unknowns for F(r_F) = r_F − prox_{C(r_N)}(r_F − ξ_F),
//! in units in which the diagonal of A_FF is one.

use crate::convex::{ConvexSet, Set};
use crate::problem::equilibrating_factors;

/// Newton steps, and the relative size of |F| that counts as solved.
const MAX_STEPS: usize = 20;
const GOAL: f64 = 4e-16;
/// Accepted where rounding prevents more.
const ACCEPTED_MERIT: f64 = 1e-13;
/// Size of |F| over what is left by percussions that fulfil every law to the tolerance in its own scale, from which on
/// they certainly do not; and what rounding leaves in it.
const CERTAIN_RATIO: f64 = 100.0;
const ROUNDING: f64 = 1000.0 * f64::EPSILON;

/// Solves the contact for r (in: the start); `a` is 4×4 row-major. False if the iteration did not
/// settle, or if the start may fulfil all laws to the tolerance `unless_solved`: r is then as it was.
pub(crate) fn solve(
    set: &Set,
    a: &[f64],
    q: &[f64],
    r: &mut [f64],
    unless_solved: Option<f64>,
) -> bool {
    let a_nn = a[0];
    if q[0] >= 0.0 {
        r.fill(0.0);
        return true;
    }
    let mut factors = [0.0; 3];
    equilibrating_factors(set, &[a[5], a[10], a[15]], &mut factors);
    let Some(set) = set.stretched(&factors) else { return false };
    let inverse = factors.map(|f| 1.0 / f);
    let n0 = -q[0] / a_nn;
    let n: [f64; 3] = std::array::from_fn(|i| a[1 + i] / a_nn * inverse[i]);
    let column: [f64; 3] = std::array::from_fn(|i| a[4 * (i + 1)] * inverse[i]);
    let b: [[f64; 3]; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|j| a[4 * (i + 1) + j + 1] * inverse[i] * inverse[j] - column[i] * n[j])
    });
    let d: [f64; 3] = std::array::from_fn(|i| q[i + 1] * inverse[i] + column[i] * n0);
    let mut x: [f64; 3] = std::array::from_fn(|i| r[i + 1] * factors[i]);
    let size_d = dot(&d, &d);
    let (mut d_x, mut d_scale) = ([0.0; 9], [0.0; 3]);
    let mut best = (f64::INFINITY, x);
    let mut step = [0.0; 3];
    let mut length = 1.0;
    for _ in 0..MAX_STEPS {
        let normal = n0 - dot(&n, &x);
        if normal <= 0.0 {
            return false;
        }
        // z = x − ξ becomes prox(z).
        let mut z: [f64; 3] = std::array::from_fn(|i| x[i] - d[i] - dot(&b[i], &x));
        set.prox_and_derivative(normal, &mut z, &mut d_x, &mut d_scale);
        let f: [f64; 3] = std::array::from_fn(|i| x[i] - z[i]);
        let merit = (dot(&f, &f) / (dot(&x, &x) + size_d)).sqrt();
        if merit.is_nan() {
            return false;
        }
        if let (Some(tolerance), f64::INFINITY) = (unless_solved, best.0) {
            let size = (dot(&x, &x) + a_nn * normal * normal).sqrt();
            let least = CERTAIN_RATIO * tolerance * size + ROUNDING * (size + size_d.sqrt());
            if dot(&f, &f) <= least * least {
                return false;
            }
        }
        if merit < best.0 {
            best = (merit, x);
            length = 1.0;
            if merit <= GOAL {
                break;
            }
            // J = I − D (I − B) + (∂prox/∂s) nᵀ.
            let jacobian: [[f64; 3]; 3] = std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    let through: f64 = (0..3).map(|k| d_x[3 * i + k] * b[k][j]).sum();
                    let unit = if i == j { 1.0 } else { 0.0 };
                    unit - d_x[3 * i + j] + through + d_scale[i] * n[j]
                })
            });
            let Some(direction) = solve_three(&jacobian, &f) else { return false };
            step = direction;
        } else if best.0 <= ACCEPTED_MERIT {
            break;
        } else if length < 1e-3 {
            return false;
        } else {
            length *= 0.5;
        }
        x = std::array::from_fn(|i| best.1[i] - length * step[i]);
    }
    let (merit, x) = best;
    let normal = n0 - dot(&n, &x);
    if merit > ACCEPTED_MERIT || normal <= 0.0 {
        return false;
    }
    r[0] = normal;
    for i in 0..3 {
        r[i + 1] = x[i] * inverse[i];
    }
    true
}

#[inline]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Solution of a 3×3 system by cofactors; none if it is singular to working precision.
fn solve_three(m: &[[f64; 3]; 3], rhs: &[f64; 3]) -> Option<[f64; 3]> {
    let cross = |a: &[f64; 3], b: &[f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let c = [cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1])];
    let determinant = dot(&m[0], &c[0]);
    let size = m.iter().map(|row| dot(row, row)).fold(0.0, f64::max);
    // Written so that a NaN counts as singular.
    if !(determinant.abs() > 1e-13 * size * size.sqrt()) {
        return None;
    }
    let scale = 1.0 / determinant;
    Some(std::array::from_fn(|i| (0..3).map(|k| c[k][i] * rhs[k]).sum::<f64>() * scale))
}
