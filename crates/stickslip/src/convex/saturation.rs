//! Saturation and diode: what turns set-valued laws into functions (Xiong 2013, sec. 2).
//!
//! ```text
//! y ∈ Z sgn(x − y)  ⇔  y = sat(Z, x)              (Theorem 1)
//! y ∈ dio(x + y)    ⇔  y = max(0, −x)             (Theorem 2)
//! ```
//!
//! Both are the relation x − y ∈ N_S(y) ⇔ y = prox_S(x) (eq. 8), with S the ball of radius Z and
//! (for −x) the half line.

use super::{Ball, ConvexSet};

/// Replaces x by sat(limit, x): shortened to the length `limit` ≥ 0 where it is longer (Xiong
/// 2013, eq. 2).
pub fn sat(limit: f64, x: &mut [f64]) {
    Ball { dim: x.len(), radius: 1.0 }.prox(limit, x);
}

/// Whether y ∈ dio(x), the diode: {0} for x > 0 and [0, ∞) at x = 0 (Xiong 2013, eq. 5), up to
/// `tolerance` in either argument.
pub fn in_dio(x: f64, y: f64, tolerance: f64) -> bool {
    x >= -tolerance && y >= -tolerance && x.min(y) <= tolerance
}

/// max(0, −x), the function that solves y ∈ dio(x + y) for y (Xiong 2013, eq. 6).
pub fn negative_part(x: f64) -> f64 {
    (-x).max(0.0)
}
