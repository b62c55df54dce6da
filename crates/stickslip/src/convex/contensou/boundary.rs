//! What the prox needs to know of a friction plate, and the nearest point of a plate.
//!
//! With a contact disk of radius one, unit normal force and unit friction coefficient, the
//! friction force b_T and the drilling torque b_τ depend on u = v/ω alone (Leine 2003, eq. 2.13
//! and 2.14) and trace the boundary of the friction plate. They derive from one potential,
//! Φ(v, ω) = v b_T + ω b_τ, so that (u, 1) is the outward normal at u and b_τ′ = −u b_T′.
//!
//! Near u = 0 and near u = ∞ different quantities are smooth, so u ≤ 1 is described by u
//! itself ([`Low`]) and u ≥ 1 by w = 1/u ([`High`]).

use super::fast::{FastTable, Foot, Found};

/// Boundary of the plate at u ∈ [0, 1]: mostly drilling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Low {
    /// b_T(u)/u, an even function of u.
    pub force_ratio: f64,
    /// b_τ(u), an even function of u.
    pub torque: f64,
    /// b_T′(u).
    pub slope: f64,
}

/// Boundary of the plate at w = 1/u ∈ [0, 1]: mostly sliding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct High {
    /// b_T, an even function of w.
    pub force: f64,
    /// b_τ/w, an even function of w.
    pub torque_ratio: f64,
    /// b_T′(u) u³: then db_T/dw = −w·slope and db_τ/dw = slope.
    pub slope: f64,
}

/// Parametric boundary of a friction plate, normalised to b_T(∞) = 1.
pub(super) trait Boundary {
    /// At u ∈ [0, 1].
    fn low(&self, u: f64) -> Low;
    /// At w = 1/u ∈ [0, 1].
    fn high(&self, w: f64) -> High;
    /// b_τ(0): mean lever arm of the pressure, relative to the contact radius.
    fn mean_radius(&self) -> f64;
    /// The boundary as a table, if it is smooth enough.
    fn fast(&self) -> Option<&FastTable>;

    /// Where the point (x, y) ≥ 0 lies with respect to the plate m (b_T, a b_τ), by that table, given x² too.
    #[inline(always)]
    fn find(&self, m: f64, a: f64, x2: f64, x: f64, y: f64) -> Found {
        // The triangle spanned by the two half axes is inside.
        let arm = a * self.mean_radius();
        if x * arm + y <= m * arm {
            return Found::Inside;
        }
        let Some(table) = self.fast() else { return Found::Unusual };
        table.find(m, a, x2, x, y)
    }
}

/// A plate stretched to half axes: the points m (b_T, a b_τ), with m > 0 and a > 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plate {
    pub m: f64,
    pub a: f64,
}

/// Below this, u or w has too few digits to divide by (it nears the denormals), and D or E does
/// not depend on it any more.
pub(crate) const LEAST_DIVISOR: f64 = 1e-200;

/// Where the nearest point of a plate lies.
pub(super) enum Nearest {
    /// The point belongs to the plate.
    Inside,
    /// Found by the table.
    Foot(Foot),
    /// At u ≤ 1; `denominator` is D of [`Plate::low`].
    Low { u: f64, at: Low, denominator: f64 },
    /// At w = 1/u ≤ 1; `denominator` is E of [`Plate::high`].
    High { w: f64, at: High, denominator: f64 },
}

/// Root of a function given with its derivative that is ≥ 0 at `low` and ≤ 0 at `high`:
/// Newton steps, bisection where they leave the bracket or point the wrong way.
///
/// Ends at round-off: once a Newton step is below 1e-9 (relative), one more is made, since a
/// coarser stop would make outer iterations cycle. The number of evaluations is bounded.
pub(crate) fn find_root(
    mut low: f64,
    mut high: f64,
    guess: f64,
    mut evaluate: impl FnMut(f64) -> (f64, f64),
) -> f64 {
    let mut x = if guess > low && guess < high { guess } else { 0.5 * (low + high) };
    let mut almost_there = false;
    let mut width_before = 2.0 * (high - low);
    for round in 0..120 {
        let (value, slope) = evaluate(x);
        if value > 0.0 {
            low = x;
        } else if value < 0.0 {
            high = x;
        } else {
            return x;
        }
        let mut next = x - value / slope;
        // Three steps must at least halve the bracket or be tiny: no creeping, no cycling.
        let mut newton = slope < 0.0 && next > low && next < high;
        if round % 3 == 2 {
            newton &= high - low < 0.5 * width_before || (next - x).abs() < 1e-6 * x;
            width_before = high - low;
        }
        if !newton {
            next = 0.5 * (low + high);
            if next <= low || next >= high {
                return x;
            }
        }
        let step = (next - x).abs();
        if newton && almost_there || step <= f64::EPSILON * next {
            return next;
        }
        almost_there = newton && step < 1e-9 * next;
        x = next;
    }
    x
}

impl Plate {
    /// For a trial point (x, y) ≥ 0 and at u: the residual f = x − u D with D = m b_T/u + a (y − m a b_τ),
    /// which vanishes where (x, y) − m (b_T, a b_τ) is normal to the boundary; f′; and D.
    fn low(self, x: f64, y: f64, u: f64, at: Low) -> (f64, f64, f64) {
        let Plate { m, a } = self;
        let excess = a * (y - m * a * at.torque);
        let denominator = m * at.force_ratio + excess;
        let slope = -(m * (1.0 + a * a * u * u) * at.slope + excess);
        (x - u * denominator, slope, denominator)
    }

    /// The same condition for w = 1/u: a y − w E with E = x − m b_T + m a² b_τ/w, its
    /// derivative, and E.
    fn high(self, x: f64, y: f64, w: f64, at: High) -> (f64, f64, f64) {
        let Plate { m, a } = self;
        let excess = x - m * at.force;
        let denominator = excess + m * a * a * at.torque_ratio;
        let slope = -(m * (w * w + a * a) * at.slope + excess);
        (a * y - w * denominator, slope, denominator)
    }

    /// Nearest point to (x, y) ≥ 0.
    ///
    /// The normality condition changes sign over u ∈ [0, ∞], so a root always exists. At a root
    /// the point is a multiple d of the normal away from the boundary: if d ≤ 0 both of its
    /// components are dominated by the boundary point, so it is inside; if d > 0 it is outside
    /// and the root is the only such one. No separate test of membership is needed.
    pub(super) fn nearest<B: Boundary>(self, boundary: &B, x: f64, y: f64) -> Nearest {
        let Plate { m, a } = self;
        // The triangle spanned by the two half axes is inside.
        let arm = a * boundary.mean_radius();
        if x * arm + y <= m * arm {
            return Nearest::Inside;
        }
        let one = boundary.low(1.0);
        let (at_one, _, denominator_at_one) = self.low(x, y, 1.0, one);
        if at_one <= 0.0 {
            let evaluate = |u| {
                let (value, slope, _) = self.low(x, y, u, boundary.low(u));
                (value, slope)
            };
            let denominator_at_zero = self.low(x, y, 0.0, boundary.low(0.0)).2;
            let u = if x <= LEAST_DIVISOR * denominator_at_zero {
                x / denominator_at_zero
            } else {
                find_root(0.0, 1.0, x / denominator_at_one, evaluate)
            };
            let at = boundary.low(u);
            if y <= m * a * at.torque && x <= m * u * at.force_ratio {
                return Nearest::Inside;
            }
            Nearest::Low { u, at, denominator: self.low(x, y, u, at).2 }
        } else {
            let evaluate = |w| {
                let (value, slope, _) = self.high(x, y, w, boundary.high(w));
                (value, slope)
            };
            let denominator_at_zero = self.high(x, y, 0.0, boundary.high(0.0)).2;
            let w = if a * y <= LEAST_DIVISOR * denominator_at_zero {
                a * y / denominator_at_zero
            } else {
                let guess = a * y / self.high(x, y, 1.0, boundary.high(1.0)).2;
                find_root(0.0, 1.0, guess, evaluate)
            };
            let at = boundary.high(w);
            if x <= m * at.force && y <= m * a * w * at.torque_ratio {
                return Nearest::Inside;
            }
            Nearest::High { w, at, denominator: self.high(x, y, w, at).2 }
        }
    }
}

/// Gauge of the plate with m = 1, a = 1 at (x, y) ≥ 0, not both zero.
///
/// By duality it is the largest of (u x + y)/(u b_T + b_τ) over all normals (u, 1), attained
/// where (x, y) points to the boundary; so an error of u enters only squared.
pub(super) fn gauge<B: Boundary>(boundary: &B, x: f64, y: f64) -> f64 {
    let one = boundary.low(1.0);
    if x * one.torque <= y * one.force_ratio {
        let u = find_root(0.0, 1.0, 0.5, |u| {
            let at = boundary.low(u);
            (x * at.torque - y * u * at.force_ratio, -(u * x + y) * at.slope)
        });
        let at = boundary.low(u);
        (u * x + y) / (u * u * at.force_ratio + at.torque)
    } else {
        let w = find_root(0.0, 1.0, 0.5, |w| {
            let at = boundary.high(w);
            (y * at.force - x * w * at.torque_ratio, -(x + w * y) * at.slope)
        });
        let at = boundary.high(w);
        (x + w * y) / (at.force + w * w * at.torque_ratio)
    }
}

/// Point (b_T, b_τ) of the plate with m = 1, a = 1 where the support function is attained, v and
/// ω ≥ 0; the origin if both vanish.
pub(super) fn boundary_point<B: Boundary>(boundary: &B, v: f64, omega: f64) -> (f64, f64) {
    if v <= omega {
        if omega == 0.0 {
            return (0.0, 0.0);
        }
        let u = v / omega;
        let at = boundary.low(u);
        (u * at.force_ratio, at.torque)
    } else {
        let w = omega / v;
        let at = boundary.high(w);
        (at.force, w * at.torque_ratio)
    }
}

/// Support function of the plate with m = 1, a = 1: the potential Φ(v, ω), v and ω ≥ 0.
pub(super) fn potential<B: Boundary>(boundary: &B, v: f64, omega: f64) -> f64 {
    let (force, torque) = boundary_point(boundary, v, omega);
    v * force + omega * torque
}
