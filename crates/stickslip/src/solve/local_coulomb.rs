//! The exact solution of one contact with Signorini contact and isotropic Coulomb friction.
//!
//! ```text
//! u = A r + q,      0 ≤ u_N ⟂ r_N ≥ 0,      −u_T ∈ N_{|·| ≤ μ r_N}(r_T)
//! ```
//!
//! A prox iteration on this problem cycles as soon as μ|A_NT| > A_NN; taking the cases one by
//! one does not. Take-off: r = 0. Stick: u = 0. Slip: u_T = −α r_T with α > 0, u_N = 0 and
//! |r_T| = μ r_N, which is one scalar equation for α: eliminating r_N,
//!
//! ```text
//! (B + α I) r_T = −d,      B = A_TT − A_TN A_NT / A_NN,      d = q_T − A_TN q_N / A_NN
//! r_N = −(q_N + A_NT r_T) / A_NN
//! ```
//!
//! For q_N < 0 the excess |r_T| − μ r_N is negative for α → ∞ and positive at α = 0 unless the
//! contact sticks, so a bracketed Newton iteration always ends.

/// Newton steps after which only bisection is left to end the search.
const MAX_STEPS: usize = 120;

/// Contact with two tangential directions; `a` is 3×3 row-major, positive diagonal. `r` is a start:
/// a solution near it is found faster.
pub(crate) fn solve_spatial(a: &[f64; 9], q: &[f64; 3], mu: f64, r: &[f64; 3]) -> [f64; 3] {
    if q[0] >= 0.0 {
        return [0.0; 3];
    }
    let (a_size, q_size) = (a[0] + a[4] + a[8], q[0].abs() + q[1].abs() + q[2].abs());
    if ORDINARY.contains(&a_size) && ORDINARY.contains(&q_size) {
        return solve_ordinary(a, q, mu, r);
    }
    // Products would overflow or vanish: units in which both are one.
    let (a, q) = (a.map(|v| v / a_size), q.map(|v| v / q_size));
    solve_ordinary(&a, &q, mu, &[0.0; 3]).map(|v| v * q_size / a_size)
}

fn solve_ordinary(a: &[f64; 9], q: &[f64; 3], mu: f64, r: &[f64; 3]) -> [f64; 3] {
    let a_nn = a[0];
    if mu == 0.0 {
        return [-q[0] / a_nn, 0.0, 0.0];
    }
    // Schur complement of the normal direction.
    let per_nn = 1.0 / a_nn;
    let (f1, f2) = (a[3] * per_nn, a[6] * per_nn);
    let b = [a[4] - f1 * a[1], a[5] - f1 * a[2], a[7] - f2 * a[1], a[8] - f2 * a[2]];
    let d = [q[1] - f1 * q[0], q[2] - f2 * q[0]];
    let size = b[0].abs() + b[3].abs() + f64::MIN_POSITIVE;
    // (B + α I)⁻¹ x, given the shifted diagonal and one over the determinant.
    let solve = |m0: f64, m3: f64, per_det: f64, x: [f64; 2]| {
        [(x[0] * m3 - x[1] * b[1]) * per_det, (x[1] * m0 - x[0] * b[2]) * per_det]
    };
    let normal = |t: [f64; 2]| -(q[0] + a[1] * t[0] + a[2] * t[1]) * per_nn;
    // Stick, unless B is singular to working precision.
    let det = b[0] * b[3] - b[1] * b[2];
    if det > 1e-14 * size * size {
        let t = solve(b[0], b[3], 1.0 / det, [-d[0], -d[1]]);
        let n = normal(t);
        if n >= 0.0 && t[0] * t[0] + t[1] * t[1] <= mu * n * (mu * n) {
            return [n, t[0], t[1]];
        }
    }
    if length(d) > 0.0 && is_isotropic(a, &b, size) {
        // (b + α) r_T = −d has the direction of d, and its length is known.
        let n = -q[0] / a_nn;
        let factor = -mu * n / length(d);
        return [n, factor * d[0], factor * d[1]];
    }
    // Slip: bracket [low, high] for alpha with positive excess at low and negative at high.
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut alpha = start_of_slip(&b, d, mu * -q[0] / a_nn, size, [r[1], r[2]]);
    let mut best = [0.0; 3];
    let mut is_last = false;
    for _ in 0..MAX_STEPS {
        let (m0, m3) = (b[0] + alpha, b[3] + alpha);
        let per_det = 1.0 / (m0 * m3 - b[1] * b[2]);
        let t = solve(m0, m3, per_det, [-d[0], -d[1]]);
        let n = normal(t);
        let size_t = length(t);
        best = [n, t[0], t[1]];
        let excess = size_t - mu * n;
        if is_last || excess.abs() <= 2e-16 * size_t {
            break;
        }
        if excess > 0.0 {
            low = alpha;
        } else {
            high = alpha;
        }
        if high.is_finite() && high - low <= 2e-16 * high {
            break;
        }
        // Newton on 1/|r_T| − 1/(μ r_N), which is nearly linear in alpha.
        let dt = solve(m0, m3, per_det, [-t[0], -t[1]]);
        let (per_t, per_n) = (1.0 / size_t, 1.0 / (mu * n));
        let slope = (t[0] * dt[0] + t[1] * dt[1]) * (per_t * per_t * per_t);
        let n_slope = -(a[1] * dt[0] + a[2] * dt[1]) * per_nn;
        let h_slope = mu * n_slope * (per_n * per_n) - slope;
        let newton = alpha - (per_t - per_n) / h_slope;
        let inside = n > 0.0 && newton > low && newton < high;
        let step = (newton - alpha).abs();
        // A step in the last place: rounding has the word, and bisection would only waste time.
        if n > 0.0 && step <= 4e-16 * alpha {
            break;
        }
        // The step after this one would be lost in rounding: errors are squared.
        is_last = inside && step <= 1e-9 * alpha;
        alpha = if inside {
            newton
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            4.0 * alpha + size
        };
    }
    onto_cone(best, mu)
}

/// Whether normal and tangential directions are not coupled and B is a multiple of the identity, to
/// rounding: two spheres, or a sphere on a plane.
#[inline]
pub(super) fn is_isotropic(a: &[f64; 9], b: &[f64; 4], size: f64) -> bool {
    let coupling = a[1].abs() + a[2].abs() + a[3].abs() + a[6].abs();
    coupling + b[1].abs() + b[2].abs() + (b[0] - b[3]).abs() <= 4e-16 * size
}

/// Sizes whose squares and products stay within the range of numbers.
pub(super) const ORDINARY: std::ops::RangeInclusive<f64> = 1e-70..=1e70;

#[inline]
fn length(t: [f64; 2]) -> f64 {
    (t[0] * t[0] + t[1] * t[1]).sqrt()
}

/// First guess of alpha: that of the last percussion, u_T = −α r_T; without one that of the
/// isotropic problem without coupling, |d|/α ≈ μ r_N.
fn start_of_slip(b: &[f64; 4], d: [f64; 2], limit: f64, size: f64, last: [f64; 2]) -> f64 {
    let velocity = [d[0] + b[0] * last[0] + b[1] * last[1], d[1] + b[2] * last[0] + b[3] * last[1]];
    let guess = length(velocity) / length(last);
    if guess.is_finite() && guess > 1e-12 * size && guess < 1e12 * size {
        return guess;
    }
    let guess = length(d) / limit - 0.5 * size;
    if guess.is_finite() && guess > 0.0 { guess } else { 1e-3 * size }
}

/// Removes the last rounding error of a slipping contact: |r_T| = μ r_N exactly.
fn onto_cone(r: [f64; 3], mu: f64) -> [f64; 3] {
    let n = r[0].max(0.0);
    let length = length([r[1], r[2]]);
    if length == 0.0 {
        return [n, 0.0, 0.0];
    }
    let factor = mu * n / length;
    [n, factor * r[1], factor * r[2]]
}

/// Contact with one tangential direction; `a` is 2×2 row-major, positive diagonal.
pub(crate) fn solve_planar(a: &[f64], q: &[f64], mu: f64) -> [f64; 2] {
    if q[0] >= 0.0 {
        return [0.0; 2];
    }
    let b = a[3] - a[2] * a[1] / a[0];
    let d = q[1] - a[2] / a[0] * q[0];
    // Stick, unless B is singular to working precision.
    if b > 1e-14 * a[3] {
        let t = -d / b;
        let n = -(q[0] + a[1] * t) / a[0];
        if t.abs() <= mu * n {
            return [n, t];
        }
    }
    // Slip against the velocity: r_T = σ μ r_N with −σ the sign of u_T. Of two candidates the one
    // whose velocity has the right sign; the sign of d decides where the coupling is weak.
    let first = if d > 0.0 { -1.0 } else { 1.0 };
    for sigma in [first, -first] {
        let stiffness = a[0] + sigma * mu * a[1];
        if stiffness <= 0.0 {
            continue;
        }
        let n = -q[0] / stiffness;
        let u_t = a[2] * n + a[3] * sigma * mu * n + q[1];
        if sigma * u_t <= 0.0 {
            return [n, sigma * mu * n];
        }
    }
    // Only rounding leads here (u_T of both candidates is noise): slip on the first side.
    let stiffness = (a[0] + first * mu * a[1]).max(1e-3 * a[0]);
    let n = -q[0] / stiffness;
    [n, first * mu * n]
}
