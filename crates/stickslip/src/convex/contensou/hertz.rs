//! Boundary of the friction plate for Hertz pressure σ ∝ √(1 − ρ²/R²), in closed form
//! (Leine 2003, eq. 3.17 and 3.18; Möller 2009, eq. 51 and 52).

use super::boundary::{Boundary, High, Low};
use super::fast::FastTable;
use std::f64::consts::PI;
use std::sync::OnceLock;

/// Hertz pressure, the profile that Leine 2003 calls parabolic.
pub(crate) struct Hertz;

/// 3π/128, the common factor of eq. 3.17 and 3.18 for u ≤ 1.
pub(super) const KAPPA: f64 = 3.0 * PI / 128.0;

/// Numerator and denominator of r as a function of c = cos θ, see [`remainder`]; lowest power first.
const NUMERATOR: [f64; 7] = [
    4.71238898038469,
    12.048074213658401,
    12.027595958957424,
    5.839842858007775,
    1.3636847910202667,
    0.1198604120476177,
    9.994732121794738e-08,
];
const DENOMINATOR: [f64; 6] = [
    4.254333480769193,
    7.274715966115279,
    6.348666287373808,
    2.950185280959638,
    0.6818220676229096,
    0.05993148842385683,
];

/// What is left of θ after the leading terms that cancel in eq. 3.17 and 3.18.
///
/// With sin θ = w = 1/u, c = cos θ, the closed forms lose about u⁴ machine epsilons. Writing
///
/// ```text
/// θ/w = c + w² q,      3 q = 2 c + w² r
/// ```
///
/// turns them into sums without cancellation that are linear in r:
///
/// ```text
/// b_T = 3/16 (6 c + (4 w² − 1) q),   b_τ/w = 3/64 (r − 8 q + 8 c + 8 w² q),   u³ b_T′ = 3/16 (4 q − r)
/// ```
///
/// r is analytic in c on [0, 1], with its nearest singularity at c = −1. The rational function
/// interpolates it at the 13 Chebyshev points of [0, 1] (computed with 60 digits); its relative
/// error is 1e-17, and all of its coefficients are positive.
#[inline(always)]
pub(super) fn remainder(c: f64) -> f64 {
    let (n, d) = (&NUMERATOR, &DENOMINATOR);
    // Estrin's scheme: short dependency chains.
    let c2 = c * c;
    let c4 = c2 * c2;
    let numerator =
        (n[0] + n[1] * c) + c2 * (n[2] + n[3] * c) + c4 * ((n[4] + n[5] * c) + c2 * n[6]);
    let denominator =
        (1.0 + d[0] * c) + c2 * (d[1] + d[2] * c) + c4 * ((d[3] + d[4] * c) + c2 * d[5]);
    numerator / denominator
}

/// Values for u ≥ 1 from w², c = √(1 − w²) and r(c).
#[inline(always)]
pub(super) fn high_from(w2: f64, c: f64, r: f64) -> High {
    let q = (2.0 * c + w2 * r) * (1.0 / 3.0);
    High {
        force: 3.0 / 16.0 * (6.0 * c + (4.0 * w2 - 1.0) * q),
        torque_ratio: 3.0 / 64.0 * (r + 8.0 * (c - (1.0 - w2) * q)),
        slope: 3.0 / 16.0 * (4.0 * q - r),
    }
}

impl Boundary for Hertz {
    #[inline(always)]
    fn low(&self, u: f64) -> Low {
        let u2 = u * u;
        Low {
            force_ratio: 4.0 * KAPPA * (4.0 - u2),
            torque: KAPPA * (8.0 + u2 * (3.0 * u2 - 8.0)),
            slope: 4.0 * KAPPA * (4.0 - 3.0 * u2),
        }
    }

    #[inline(always)]
    fn high(&self, w: f64) -> High {
        let c = ((1.0 - w) * (1.0 + w)).sqrt();
        high_from(w * w, c, remainder(c))
    }

    fn mean_radius(&self) -> f64 {
        8.0 * KAPPA
    }

    #[inline(always)]
    fn fast(&self) -> Option<&FastTable> {
        static TABLE: OnceLock<Option<FastTable>> = OnceLock::new();
        TABLE.get_or_init(|| FastTable::build(|u| Hertz.low(u), |w| Hertz.high(w), &[])).as_ref()
    }
}
