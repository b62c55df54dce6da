//! Convex sets: the reservoirs of admissible forces behind every set-valued force law.
//!
//! A force law of normal-cone type says `−γ ∈ N_C(λ)`: the force λ lies in the closed convex
//! set C, and where λ is on the boundary the relative velocity γ points against the outward
//! normal. All that a solver needs of C is the nearest point
//!
//! ```text
//! prox_C(x) = argmin { |x − y| : y ∈ C },      −γ ∈ N_C(λ)  ⇔  λ = prox_C(λ − r γ),  r > 0
//! ```
//!
//! All sets here contain the origin and scale with a reservoir s ≥ 0,
//!
//! ```text
//! C(s) = s · C(1)
//! ```
//!
//! where s is the normal percussion of the same contact (friction), a constant (a brake), or
//! irrelevant because C is a cone (contact, joints). One set per file; [`Set`] is the closed
//! list of them that problems store and files name.

mod ball;
mod contensou;
mod cylinder;
mod ellipsoid;
mod free;
mod half_line;
mod interval;
mod linear_image;
mod orthotropic;
mod own;
mod polygon;
mod primitives;
mod rotated;
mod saturation;
mod secular;
mod set;
mod small;

pub use ball::Ball;
pub use contensou::{ContensouBall, Pressure, RadialProfile};
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use free::FreeSpace;
pub use half_line::HalfLine;
pub use interval::Interval;
pub use linear_image::{LinearImage, prox_in_norm};
pub use orthotropic::OrthotropicEllipse;
pub use own::OwnSet;
pub use polygon::Polygon;
pub use primitives::{in_sgn, in_upr, sgn_parts};
pub use saturation::{in_dio, negative_part, sat};
pub use set::Set;

use crate::range::{OutOfRange, require};

/// Closed convex set that contains the origin and scales with a reservoir, C(s) = s·C(1), s ≥ 0.
///
/// ```
/// use stickslip::convex::{Ball, ConvexSet};
///
/// // Friction with μ = 0.5 beside a normal force of 10 N: what is asked for beyond 5 N slips.
/// let disk = Ball { dim: 2, radius: 0.5 };
/// let mut force = [6.0, 8.0];
/// disk.prox(10.0, &mut force);
/// assert!((force[0] - 3.0).abs() < 1e-15 && (force[1] - 4.0).abs() < 1e-15);
/// assert!(disk.contains(10.0, &force, 1e-15));
/// ```
///
/// Conventions that hold for every set:
///
/// - Slices have length [`dim`](Self::dim); matrices are dense and row-major.
/// - `scale` is finite and not negative. `scale = 0` means {0} for bounded sets; cones do not
///   depend on it.
/// - Finite input gives finite output: no overflow on huge, no loss on denormal components.
pub trait ConvexSet {
    /// Number of components of the force.
    fn dim(&self) -> usize;

    /// Whether the parameters make sense; otherwise a sentence that names the parameter, its
    /// value and what is allowed.
    fn validate(&self) -> Result<(), String>;

    /// Replaces x by the nearest point of C(scale) in the Euclidean norm.
    fn prox(&self, scale: f64, x: &mut [f64]);

    /// Derivative of the prox at x: `d_x[i*dim + j]` = ∂prox_i/∂x_j and `d_scale[i]` = ∂prox_i/∂scale.
    ///
    /// The prox is smooth except where x enters the set; there, and at other kinks, an element
    /// of the generalised (Clarke) derivative is returned. Because the prox is homogeneous of
    /// degree one in (x, scale), `d_x·x + scale·d_scale = prox`.
    fn prox_derivative(&self, scale: f64, x: &[f64], d_x: &mut [f64], d_scale: &mut [f64]);

    /// Both at once: x becomes its nearest point. A set whose prox is a root search does it once.
    fn prox_and_derivative(&self, scale: f64, x: &mut [f64], d_x: &mut [f64], d_scale: &mut [f64]) {
        self.prox_derivative(scale, x, d_x, d_scale);
        self.prox(scale, x);
    }

    /// Support function sup { ⟨y, velocity⟩ : y ∈ C(scale) }: the velocity potential, i.e. the
    /// power that friction dissipates at this relative velocity. +∞ where unbounded.
    fn support(&self, scale: f64, velocity: &[f64]) -> f64;

    /// Writes a force of C(scale) with the largest power ⟨y, velocity⟩, where
    /// [`support`](Self::support) is attained: sliding with the relative velocity γ has the force
    /// of −γ. The origin for velocity 0; infinite components where the support is.
    fn support_point(&self, scale: f64, velocity: &[f64], out: &mut [f64]);

    /// Gauge (Minkowski function) inf { s ≥ 0 : x ∈ C(s) } of C(1); +∞ where no s suffices.
    /// A cone has gauge 0 inside and +∞ outside.
    fn gauge(&self, x: &[f64]) -> f64;

    /// Whether x lies in C(scale), up to `tolerance` in the gauge (relative to the scale).
    fn contains(&self, scale: f64, x: &[f64], tolerance: f64) -> bool {
        let gauge = self.gauge(x);
        gauge <= scale * (1.0 + tolerance)
    }
}

/// a·b, where 0 wins over an overflow to infinity.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// A dimension must be at least one.
fn at_least_one(dim: usize) -> Result<(), OutOfRange> {
    require(dim >= 1, "dim", dim as f64, "at least 1")
}
