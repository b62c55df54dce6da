//! Linear images of sets, and the nearest point in other norms (Möller 2009, sec. 4).

use super::ball::norm;
use super::rotated::RotatedEllipsoid;
use super::secular::MAX_DIM;
use super::small::{
    Matrix, Vector, cholesky, compose, inverse, multiply, multiply_transposed, principal_axes,
    solve, transposed,
};
use super::{ConvexSet, Set};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Largest condition number |A||A⁻¹| of the map.
const MAX_CONDITION: f64 = 1e12;

/// A C(s) = { A x : x ∈ C(s) } with a regular matrix A of at most four rows.
///
/// The nearest point of A C is A times the nearest point of C in the norm |·|_R, R = AᵀA (Möller
/// 2009, eq. 23). Images of balls and ellipsoids are ellipsoids and are treated as such; for other
/// sets a Newton iteration with the prox of C runs to round-off. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "LinearImageRecord", into = "LinearImageRecord")]
pub struct LinearImage(Arc<Image>);

/// How files name a linear image: the rows of A, and C.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinearImageRecord {
    map: Vec<Vec<f64>>,
    set: Box<Set>,
}

impl TryFrom<LinearImageRecord> for LinearImage {
    type Error = String;
    fn try_from(record: LinearImageRecord) -> Result<Self, String> {
        let dim = record.map.len();
        if let Some(row) = record.map.iter().position(|row| row.len() != dim) {
            let found = record.map[row].len();
            return Err(format!("map[{row}] has {found} entries, {dim} rows need {dim}"));
        }
        Self::new(&record.map.concat(), *record.set)
    }
}

impl From<LinearImage> for LinearImageRecord {
    fn from(image: LinearImage) -> Self {
        let n = image.0.dim;
        let map = (0..n).map(|i| image.0.map[i][..n].to_vec()).collect();
        LinearImageRecord { map, set: Box::new(image.0.set.clone()) }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Image {
    dim: usize,
    map: Matrix,
    inverse: Matrix,
    /// AᵀA times `step`, and a step length that makes y − step·AᵀA y a contraction.
    curvature: Matrix,
    step: f64,
    set: Set,
    /// The image itself, where it is an ellipsoid.
    ellipsoid: Option<RotatedEllipsoid>,
}

/// A point on the way to the preimage of the nearest point.
struct Iterate {
    y: Vector,
    /// y − r AᵀA y + r Aᵀx.
    z: Vector,
    /// prox_C(z).
    next: Vector,
    /// |next − y|.
    residual: f64,
    /// r φ(y), up to a constant.
    envelope: f64,
}

impl LinearImage {
    /// Image of `set` under the regular matrix `map` (row-major, one to four rows). An image of an
    /// image is stored as one image.
    pub fn new(map: &[f64], set: Set) -> Result<Self, String> {
        let n = set.dim();
        if !(1..=MAX_DIM).contains(&n) {
            return Err(format!("set has dimension {n}, a linear image takes 1 to {MAX_DIM}"));
        }
        if map.len() != n * n {
            return Err(format!("map has {} entries, dimension {n} needs {}", map.len(), n * n));
        }
        let mut a = [[0.0; MAX_DIM]; MAX_DIM];
        for i in 0..n {
            a[i][..n].copy_from_slice(&map[i * n..(i + 1) * n]);
        }
        Ok(Self(Arc::new(Image::new(n, a, set)?)))
    }

    /// The image of factor·C.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self::new(&self.map(), self.set().scaled(factor)).unwrap_or_else(|_| self.clone())
    }

    /// The set C.
    pub fn set(&self) -> &Set {
        &self.0.set
    }

    /// The matrix A, row-major.
    pub fn map(&self) -> Vec<f64> {
        (0..self.0.dim).flat_map(|i| self.0.map[i][..self.0.dim].iter().copied()).collect()
    }
}

/// Replaces x by its nearest point of `set`(`scale`) in the norm |z|_R = √(zᵀ R z), for a symmetric
/// positive definite R (row-major): prox_C^R(x) of Möller 2009, eq. 4.
///
/// With R = UᵀU this is U⁻¹ prox_{U C}(U x) (eq. 23).
pub fn prox_in_norm(set: &Set, scale: f64, r: &[f64], x: &mut [f64]) -> Result<(), String> {
    let n = set.dim();
    if !(1..=MAX_DIM).contains(&n) || x.len() != n || r.len() != n * n {
        return Err(format!(
            "set has dimension {n} (1 to {MAX_DIM} are allowed), x has {} entries, R has {}",
            x.len(),
            r.len()
        ));
    }
    let mut matrix = [[0.0; MAX_DIM]; MAX_DIM];
    for i in 0..n {
        matrix[i][..n].copy_from_slice(&r[i * n..(i + 1) * n]);
    }
    let factors = cholesky(n, &matrix).and_then(|u| inverse(n, &u).map(|inverse| (u, inverse)));
    let (u, u_inverse) = factors.ok_or("R must be symmetric and positive definite")?;
    let image = Image::new(n, u, set.clone())?;
    let before = multiply(&u, x);
    let mut after = before;
    image.prox(scale, &mut after[..n]);
    if after != before {
        x.copy_from_slice(&multiply(&u_inverse, &after[..n])[..n]);
    }
    Ok(())
}

impl Image {
    fn new(dim: usize, map: Matrix, set: Set) -> Result<Self, String> {
        set.validate()?;
        if let Set::LinearImage(inner) = &set {
            let composed = compose(dim, &map, &inner.0.map);
            return Self::new(dim, composed, inner.0.set.clone());
        }
        let size = |m: &Matrix| norm(m.as_flattened());
        let inverse = inverse(dim, &map)
            .filter(|inverse| size(&map) * size(inverse) <= MAX_CONDITION)
            .ok_or_else(|| {
                let rows: Vec<&[f64]> = map[..dim].iter().map(|row| &row[..dim]).collect();
                format!("map is {rows:?}, it must be regular with a condition number of at most {MAX_CONDITION:e}")
            })?;
        // The Frobenius norm bounds the largest singular value.
        let step = 1.0 / (size(&map) * size(&map));
        let mut curvature = compose(dim, &transposed(&map), &map);
        curvature.as_flattened_mut().iter_mut().for_each(|v| *v *= step);
        let ellipsoid = ball_map(dim, &set).map(|ball_map| {
            let (rotation, axes) = principal_axes(dim, &compose(dim, &map, &ball_map));
            RotatedEllipsoid { dim, rotation, axes }
        });
        Ok(Self { dim, map, inverse, curvature, step, set, ellipsoid })
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        let n = self.dim;
        if let Some(ellipsoid) = &self.ellipsoid {
            return ellipsoid.prox(scale, x);
        }
        let mut scaled = [0.0; MAX_DIM];
        scaled[..n].copy_from_slice(x);
        let (scale, power) = normalise(scale, &mut scaled[..n]);
        if let Some(y) = self.preimage(scale, &scaled[..n]) {
            let p = multiply(&self.map, &y[..n]);
            for i in 0..n {
                x[i] = p[i] / power;
            }
        }
    }

    /// The y ∈ C with A y nearest to x; none if x itself is an image.
    ///
    /// y solves F(y) = y − prox_C(z) = 0, z = y − r AᵀA (y − A⁻¹x). Newton's direction for F is a
    /// direction of descent of the envelope
    ///
    /// ```text
    /// φ(y) = min { q(y) + ⟨∇q(y), w − y⟩ + |w − y|²/2r : w ∈ C },      q(y) = |A y − x|²/2
    /// ```
    ///
    /// which is smooth and convex with its minimum at the solution: with a line search on φ the
    /// iteration converges from everywhere, and quadratically in the end.
    fn preimage(&self, scale: f64, x: &[f64]) -> Option<Vector> {
        let n = self.dim;
        let target = multiply(&self.inverse, x);
        let mut y = target;
        self.set.prox(scale, &mut y[..n]);
        if y == target {
            return None;
        }
        // In one dimension all norms agree.
        if n == 1 {
            return Some(y);
        }
        let pull = multiply_transposed(&self.map, x).map(|v| v * self.step);
        let mut now = self.iterate(scale, &pull, y);
        let mut stalled = 0;
        for _ in 0..1000 {
            if now.residual <= 2.0 * f64::EPSILON * norm(&now.next) || stalled == 4 {
                break;
            }
            if let Some(better) = self.newton(scale, &pull, &now) {
                now = better;
                continue;
            }
            // Where the line search ends in rounding, the plain iteration still contracts; only
            // rounding keeps it from doing so.
            let plain = self.iterate(scale, &pull, now.next);
            stalled = if plain.residual < now.residual { 0 } else { stalled + 1 };
            now = plain;
        }
        Some(now.next)
    }

    /// All that depends on y: see [`Iterate`].
    fn iterate(&self, scale: f64, pull: &Vector, y: Vector) -> Iterate {
        let n = self.dim;
        let turned = multiply(&self.curvature, &y[..n]);
        let mut z = [0.0; MAX_DIM];
        for i in 0..n {
            z[i] = y[i] - turned[i] + pull[i];
        }
        let mut next = z;
        self.set.prox(scale, &mut next[..n]);
        let mut envelope = 0.0;
        let mut step = [0.0; MAX_DIM];
        for i in 0..n {
            step[i] = next[i] - y[i];
            envelope += y[i] * (0.5 * turned[i] - pull[i])
                + step[i] * (turned[i] - pull[i])
                + 0.5 * step[i] * step[i];
        }
        Iterate { y, z, next, residual: norm(&step), envelope }
    }

    /// I − P (I − r AᵀA): the derivative of the residual y − prox_C(z), P the derivative of the
    /// prox at z. Regular because 0 ≤ P ≤ I and AᵀA is positive definite.
    fn residual_derivative(&self, p: &[f64]) -> Matrix {
        let n = self.dim;
        let mut matrix = [[0.0; MAX_DIM]; MAX_DIM];
        for i in 0..n {
            for j in 0..n {
                let own = if i == j { 1.0 } else { 0.0 };
                let turned: f64 = (0..n).map(|k| p[i * n + k] * self.curvature[k][j]).sum();
                matrix[i][j] = own - p[i * n + j] + turned;
            }
        }
        matrix
    }

    /// A damped Newton step from `now`; none if rounding hides the descent.
    fn newton(&self, scale: f64, pull: &Vector, now: &Iterate) -> Option<Iterate> {
        let n = self.dim;
        let mut p = [0.0; MAX_DIM * MAX_DIM];
        let mut p_scale = [0.0; MAX_DIM];
        self.set.prox_derivative(scale, &now.z[..n], &mut p[..n * n], &mut p_scale[..n]);
        let mut columns = [[0.0; MAX_DIM]; MAX_DIM];
        let mut residual = [0.0; MAX_DIM];
        for i in 0..n {
            residual[i] = now.y[i] - now.next[i];
            columns[i][0] = -residual[i];
        }
        if !solve(n, self.residual_derivative(&p), &mut columns) {
            return None;
        }
        // r∇φ = (I − r AᵀA) F
        let turned = multiply(&self.curvature, &residual[..n]);
        let slope: f64 = (0..n).map(|i| (residual[i] - turned[i]) * columns[i][0]).sum();
        let mut t = 1.0;
        for _ in 0..30 {
            let mut y = now.y;
            (0..n).for_each(|i| y[i] += t * columns[i][0]);
            let new = self.iterate(scale, pull, y);
            let halved = t == 1.0 && new.residual <= 0.5 * now.residual;
            if halved || new.envelope < now.envelope + 1e-4 * t * slope {
                return Some(new);
            }
            t *= 0.5;
        }
        None
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        let n = self.dim;
        if let Some(ellipsoid) = &self.ellipsoid {
            return ellipsoid.prox_derivative(scale, x, d_x, d_scale);
        }
        let mut scaled_x = [0.0; MAX_DIM];
        scaled_x[..n].copy_from_slice(x);
        let (scale, _) = normalise(scale, &mut scaled_x[..n]);
        let x = &scaled_x[..n];
        d_x.fill(0.0);
        d_scale.fill(0.0);
        let Some(y) = self.preimage(scale, x) else {
            for i in 0..n {
                d_x[i * n + i] = 1.0;
            }
            return;
        };
        let pull = multiply_transposed(&self.map, x).map(|v| v * self.step);
        let z = self.iterate(scale, &pull, y).z;
        let mut p = [0.0; MAX_DIM * MAX_DIM];
        let mut p_scale = [0.0; MAX_DIM];
        self.set.prox_derivative(scale, &z[..n], &mut p[..n * n], &mut p_scale[..n]);
        // (I − P(I − r AᵀA)) dy = r P Aᵀ dx + (∂prox/∂s) ds
        let mut d_y = [[0.0; MAX_DIM]; MAX_DIM];
        let mut d_y_scale = [[0.0; MAX_DIM]; MAX_DIM];
        for i in 0..n {
            d_y_scale[i][0] = p_scale[i];
            for j in 0..n {
                d_y[i][j] = self.step * (0..n).map(|k| p[i * n + k] * self.map[j][k]).sum::<f64>();
            }
        }
        let derivative = self.residual_derivative(&p);
        if !(solve(n, derivative, &mut d_y) && solve(n, derivative, &mut d_y_scale)) {
            return;
        }
        let d_p = compose(n, &self.map, &d_y);
        let d_p_scale = compose(n, &self.map, &d_y_scale);
        for i in 0..n {
            d_scale[i] = d_p_scale[i][0];
            d_x[i * n..(i + 1) * n].copy_from_slice(&d_p[i][..n]);
        }
    }
}

/// B with C(1) = B · unit ball, where C is such a set.
fn ball_map(dim: usize, set: &Set) -> Option<Matrix> {
    let mut map = [[0.0; MAX_DIM]; MAX_DIM];
    match set {
        Set::Ball(ball) => (0..dim).for_each(|i| map[i][i] = ball.radius),
        Set::Ellipsoid(set) => (0..dim).for_each(|i| map[i][i] = set.semi_axes()[i]),
        Set::OrthotropicEllipse(set) if set.is_symmetric() => {
            let ([c, s], [along, across]) = (set.axis(), set.friction());
            map[0][..2].copy_from_slice(&[c * along, -s * across]);
            map[1][..2].copy_from_slice(&[s * along, c * across]);
        }
        _ => return None,
    }
    Some(map)
}

/// Multiplies x and the scale by a power of two so that products with the map neither overflow
/// nor underflow: the prox is homogeneous.
pub(super) fn normalise(scale: f64, x: &mut [f64]) -> (f64, f64) {
    let size = x.iter().fold(scale, |m, v| m.max(v.abs()));
    let power = if size > 1e150 {
        2.0_f64.powi(-600)
    } else if size < 1e-150 {
        2.0_f64.powi(600)
    } else {
        1.0
    };
    x.iter_mut().for_each(|v| *v *= power);
    (scale * power, power)
}

impl ConvexSet for LinearImage {
    fn dim(&self) -> usize {
        self.0.dim
    }

    fn validate(&self) -> Result<(), String> {
        self.0.set.validate()
    }

    fn prox(&self, scale: f64, x: &mut [f64]) {
        self.0.prox(scale, x);
    }

    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        self.0.prox_derivative(scale, x, d_x, d_scale);
    }

    fn support(&self, scale: f64, velocity: &[f64]) -> f64 {
        let v = multiply_transposed(&self.0.map, velocity);
        self.0.set.support(scale, &v[..self.0.dim])
    }

    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]) {
        let n = self.0.dim;
        let mut v = multiply_transposed(&self.0.map, velocity);
        if v.iter().any(|x| !x.is_finite()) {
            // Only the direction counts: shorten what overflows.
            let size = velocity
                .iter()
                .chain(self.0.map.as_flattened())
                .fold(1.0_f64, |m, x| m.max(x.abs()));
            let mut short = [0.0; MAX_DIM];
            short.iter_mut().zip(velocity).for_each(|(s, x)| *s = x / size / size);
            v = multiply_transposed(&self.0.map, &short[..n]);
        }
        let mut point = [0.0; MAX_DIM];
        self.0.set.support_point(scale, &v[..n], &mut point[..n]);
        out.copy_from_slice(&multiply(&self.0.map, &point[..n])[..n]);
    }

    fn gauge(&self, x: &[f64]) -> f64 {
        let y = multiply(&self.0.inverse, x);
        self.0.set.gauge(&y[..self.0.dim])
    }

    fn contains(&self, scale: f64, x: &[f64], tolerance: f64) -> bool {
        if self.gauge(x) <= scale * (1.0 + tolerance) {
            return true;
        }
        // Across a flat ellipsoid the gauge has no finite value for a rounding error: measure the
        // distance instead.
        let Some(ellipsoid) = &self.0.ellipsoid else { return false };
        let n = self.0.dim;
        let mut p = [0.0; MAX_DIM];
        p[..n].copy_from_slice(x);
        self.prox(scale, &mut p[..n]);
        (0..n).for_each(|i| p[i] -= x[i]);
        norm(&p) <= tolerance * scale * ellipsoid.axes[0]
    }
}
