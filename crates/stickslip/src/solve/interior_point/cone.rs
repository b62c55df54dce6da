//! The second-order cone Q = { x : |x_T| ≤ x_N } and its scaling by Nesterov and Todd.
//!
//! A contact with friction is, in stretched components x = (μ Λ_N, Λ_T) and v = (ξ_N/μ, ξ_T),
//!
//! ```text
//! x ∈ Q,   u = (v_N + |v_T|, v_T) ∈ Q,   x · u = 0                              (De Saxcé)
//! ```
//!
//! and v_N > 0 says that u is inside: no digits are lost where u is near the mantle.

/// A vector of at most three components, normal first; those beyond the dimension are zero.
pub(crate) type Vector = [f64; 3];

/// Length of the tangential part.
pub(crate) fn tangential(x: &Vector) -> f64 {
    (x[1] * x[1] + x[2] * x[2]).sqrt()
}

pub(crate) fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// u of v.
pub(crate) fn lifted(v: &Vector) -> Vector {
    [v[0] + tangential(v), v[1], v[2]]
}

/// Direction of the tangential part; zero if there is none.
pub(crate) fn direction(v: &Vector) -> [f64; 2] {
    let length = tangential(v);
    if length > 0.0 { [v[1] / length, v[2] / length] } else { [0.0; 2] }
}

/// The Jordan product a ∘ b.
pub(crate) fn product(a: &Vector, b: &Vector) -> Vector {
    [dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// x_N² − |x_T|².
pub(crate) fn determinant(x: &Vector) -> f64 {
    let t = tangential(x);
    (x[0] - t) * (x[0] + t)
}

/// The same of u of v.
pub(crate) fn lifted_determinant(v: &Vector) -> f64 {
    v[0] * (v[0] + 2.0 * tangential(v))
}

/// Solves a ∘ y = d.
pub(crate) fn divided(d: &Vector, a: &Vector) -> Vector {
    let first = (a[0] * d[0] - a[1] * d[1] - a[2] * d[2]) / determinant(a);
    [first, (d[1] - first * a[1]) / a[0], (d[2] - first * a[2]) / a[0]]
}

/// Smallest eigenvalue of x ∘ u after scaling, which is x · u on the central path.
pub(crate) fn least_eigenvalue(x: &Vector, v: &Vector) -> f64 {
    let sum = dot(x, &lifted(v));
    let squared = determinant(x) * lifted_determinant(v);
    squared / (sum + (sum * sum - squared).max(0.0).sqrt())
}

/// Largest t ≤ 1 with x + t dx in Q.
pub(crate) fn step_to_mantle(x: &Vector, dx: &Vector) -> f64 {
    // (x_N + t dx_N)² = |x_T + t dx_T|²: a t² + 2 b t + c = 0, c > 0; the smallest positive root.
    let a = determinant_signed(dx);
    let b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
    let c = determinant(x);
    let discriminant = b * b - a * c;
    let mut step: f64 = if dx[0] < 0.0 { (-x[0] / dx[0]).min(1.0) } else { 1.0 };
    if discriminant >= 0.0 {
        // Both roots without cancellation.
        let root = discriminant.sqrt();
        let far = if b >= 0.0 { -(b + root) } else { root - b };
        for t in [c / far, far / a] {
            if t > 0.0 && t < step {
                step = t;
            }
        }
    }
    step
}

fn determinant_signed(x: &Vector) -> f64 {
    x[0] * x[0] - x[1] * x[1] - x[2] * x[2]
}

/// W with W x = W⁻¹ u = λ, and D = W².
///
/// D = η² (2 w wᵀ − J), J = diag(1, −1, −1), has the eigenvalues η² p², η² p⁻² and η² along (1, ŵ), (1, −ŵ)
/// and across, with w_N = √(1 + |w_T|²) and p = w_N + |w_T|. Near slip they differ by many orders: only by
/// its eigenvectors is it applied without losing the smallest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scaling {
    eta: f64,
    p: f64,
    along: [f64; 2],
}

impl Scaling {
    /// The scaling at x and v, both inside.
    pub(crate) fn new(x: &Vector, v: &Vector) -> Self {
        let (root_x, root_u) = (determinant(x).sqrt(), lifted_determinant(v).sqrt());
        let x = x.map(|k| k / root_x);
        let u = lifted(v).map(|k| k / root_u);
        let gamma = ((1.0 + dot(&x, &u)) / 2.0).sqrt();
        let w = [0.0, (u[1] - x[1]) / (2.0 * gamma), (u[2] - x[2]) / (2.0 * gamma)];
        let length = tangential(&w);
        let along = if length > 0.0 { [w[1] / length, w[2] / length] } else { [1.0, 0.0] };
        let p = (1.0 + length * length).sqrt() + length;
        Self { eta: (root_u / root_x).sqrt(), p, along }
    }

    /// W y.
    pub(crate) fn apply(&self, y: &Vector) -> Vector {
        self.spectral(self.eta, self.p, y)
    }

    /// W⁻¹ y.
    pub(crate) fn apply_inverse(&self, y: &Vector) -> Vector {
        self.spectral(1.0 / self.eta, 1.0 / self.p, y)
    }

    /// D y.
    pub(crate) fn square(&self, y: &Vector) -> Vector {
        self.spectral(self.eta * self.eta, self.p * self.p, y)
    }

    /// D⁻¹ y.
    pub(crate) fn inverse_square(&self, y: &Vector) -> Vector {
        self.spectral(1.0 / (self.eta * self.eta), 1.0 / (self.p * self.p), y)
    }

    /// y with its parts along the eigenvectors multiplied by factor · p, factor / p and factor.
    fn spectral(&self, factor: f64, p: f64, y: &Vector) -> Vector {
        let [a, b] = self.along;
        let along = a * y[1] + b * y[2];
        let across = a * y[2] - b * y[1];
        let (plus, minus) = (0.5 * p * (y[0] + along), 0.5 / p * (y[0] - along));
        let (first, along) = (plus + minus, plus - minus);
        [factor * first, factor * (a * along - b * across), factor * (b * along + a * across)]
    }
}
