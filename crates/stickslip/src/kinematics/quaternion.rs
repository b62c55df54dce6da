//! Unit quaternions (Euler parameters), Le Saux 2005 sec. 2.1.
//!
//! ```text
//! p = (e₀, e),   e₀ = cos(χ/2),  e = n sin(χ/2)        turn by χ about the unit vector n
//! H̄ = [−e   −ẽ + e₀ I],   Ω = 2 H̄ ṗ,   ṗ = ½ H̄ᵀ Ω                         (2.2), (2.9)
//! ```
//!
//! Ω is the angular velocity in the *body* frame. A midpoint of two unit quaternions is a little
//! shorter than one; every function here that speaks of a rotation means the one of p/|p|.

use super::vector::{Matrix3, Vector3};

/// Euler parameters (e₀, e₁, e₂, e₃).
pub type Quaternion = [f64; 4];

/// The rotation that does nothing.
pub const IDENTITY: Quaternion = [1.0, 0.0, 0.0, 0.0];

/// Square of the length of p/f, p/f, and the factor f: 1, or what keeps the square from over- or
/// underflow.
fn tame(p: &Quaternion) -> (f64, Quaternion, f64) {
    let square = |p: &Quaternion| p.iter().map(|e| e * e).sum::<f64>();
    let n2 = square(p);
    if n2 > 1e-200 && n2 < 1e200 {
        return (n2, *p, 1.0);
    }
    let largest = p.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
    if largest == 0.0 {
        return (1.0, IDENTITY, 1.0);
    }
    let scaled = p.map(|e| e / largest);
    (square(&scaled), scaled, largest)
}

/// The unit quaternion p/|p|; the identity for p = 0.
pub fn normalized(p: &Quaternion) -> Quaternion {
    let (n2, p, _) = tame(p);
    let length = n2.sqrt();
    p.map(|e| e / length)
}

/// Rotation matrix R with ᴵs = R ᴮs (Le Saux 2005, after eq. 2.1), of p/|p|.
pub fn rotation(p: &Quaternion) -> Matrix3 {
    let (n2, [e0, e1, e2, e3], _) = tame(p);
    let s = 2.0 / n2;
    [
        [1.0 - s * (e2 * e2 + e3 * e3), s * (e1 * e2 - e0 * e3), s * (e1 * e3 + e0 * e2)],
        [s * (e1 * e2 + e0 * e3), 1.0 - s * (e1 * e1 + e3 * e3), s * (e2 * e3 - e0 * e1)],
        [s * (e1 * e3 - e0 * e2), s * (e2 * e3 + e0 * e1), 1.0 - s * (e1 * e1 + e2 * e2)],
    ]
}

/// Matrix H̄ of the body-fixed angular velocity, Ω = 2 H̄ ṗ (Le Saux 2005, eq. 2.2).
pub fn h_bar_matrix(p: &Quaternion) -> [[f64; 4]; 3] {
    let [e0, e1, e2, e3] = *p;
    [[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]]
}

/// H̄ᵀ w.
fn h_bar_transposed(p: &Quaternion, w: &Vector3) -> Quaternion {
    let [e0, e1, e2, e3] = *p;
    [
        -e1 * w[0] - e2 * w[1] - e3 * w[2],
        e0 * w[0] - e3 * w[1] + e2 * w[2],
        e3 * w[0] + e0 * w[1] - e1 * w[2],
        -e2 * w[0] + e1 * w[1] + e0 * w[2],
    ]
}

/// Rate ṗ = ½ H̄ᵀ Ω for the body-fixed angular velocity Ω (Le Saux 2005, eq. 2.9).
pub fn rate(p: &Quaternion, omega_body: &Vector3) -> Quaternion {
    h_bar_transposed(p, omega_body).map(|e| 0.5 * e)
}

/// Body-fixed angular velocity Ω = 2 H̄ ṗ/|p|² that turns p/|p| at the rate ṗ.
pub fn angular_velocity(p: &Quaternion, p_dot: &Quaternion) -> Vector3 {
    let (n2, p, factor) = tame(p);
    h_bar_matrix(&p).map(|row| 2.0 / n2 * (0..4).map(|k| row[k] * (p_dot[k] / factor)).sum::<f64>())
}

/// Gradient with respect to p of a function whose rate is wᵀ Ω: 2 H̄ᵀ w/|p|².
///
/// It stands orthogonal to p. This is the factor 2 H̄ that is missing in Le Saux 2005, eq. 3.12.
pub fn gradient(p: &Quaternion, w: &Vector3) -> Quaternion {
    let (n2, p, factor) = tame(p);
    h_bar_transposed(&p, w).map(|e| 2.0 / n2 * e / factor)
}

/// Product p q: first the rotation q, then p.
pub fn product(p: &Quaternion, q: &Quaternion) -> Quaternion {
    [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ]
}

/// Turn by `angle` (rad) about the unit vector `axis`.
pub fn from_axis_angle(axis: &Vector3, angle: f64) -> Quaternion {
    let (sin, cos) = (0.5 * angle).sin_cos();
    [cos, axis[0] * sin, axis[1] * sin, axis[2] * sin]
}

/// The unit quaternion of a rotation matrix, scalar part not negative.
pub fn from_rotation(r: &Matrix3) -> Quaternion {
    // The largest of the four squares divides the products (nothing cancels).
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares = [
        1.0 + trace,
        1.0 + 2.0 * r[0][0] - trace,
        1.0 + 2.0 * r[1][1] - trace,
        1.0 + 2.0 * r[2][2] - trace,
    ];
    let [a, b, c] = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let [d, e, f] = [r[1][0] + r[0][1], r[0][2] + r[2][0], r[2][1] + r[1][2]];
    let candidates = [
        [squares[0], a, b, c],
        [a, squares[1], d, e],
        [b, d, squares[2], f],
        [c, e, f, squares[3]],
    ];
    let largest = (1..4).fold(0, |m, k| if squares[k] > squares[m] { k } else { m });
    let unit = normalized(&candidates[largest]);
    if unit[0] < 0.0 { unit.map(|v| -v) } else { unit }
}
