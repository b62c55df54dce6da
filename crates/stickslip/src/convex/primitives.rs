//! The two set-valued maps of complementarity: Upr and Sgn (Flores 2010, sec. 2.2, 2.3).
//!
//! A set-valued map cannot be evaluated, but it can be asked whether a pair lies on its graph.
//! `tolerance` is the distance that the pair may have from the graph, 0 for the exact question.

use super::ball::norm;

/// Whether y ∈ Upr(x), the unilateral primitive (Flores 2010, eq. 4):
/// Upr(x) = {0} for x > 0, (−∞, 0] at x = 0, empty for x < 0.
pub fn in_upr(x: f64, y: f64, tolerance: f64) -> bool {
    x >= -tolerance && y <= tolerance && x.min(-y) <= tolerance
}

/// Whether y ∈ limit·sgn(x), the filled-in relay function: limit·x/|x| for x ≠ 0 and the whole
/// ball of radius `limit` at x = 0 (Xiong 2013, eq. 1; with one component Flores 2010, eq. 6).
pub fn in_sgn(limit: f64, x: &[f64], y: &[f64], tolerance: f64) -> bool {
    let speed = norm(x);
    // |x| y = limit x holds on both branches; a shift of x by the tolerance turns its direction
    // by tolerance/|x|.
    let off_line = x
        .iter()
        .zip(y)
        .map(|(x_i, y_i)| (speed * y_i - limit * x_i) * (speed * y_i - limit * x_i))
        .sum::<f64>()
        .sqrt();
    norm(y) <= limit + tolerance && off_line <= tolerance * (speed + limit)
}

/// The parts (x_R, x_L) that write −y ∈ Sgn(x) as two complementarity conditions (Flores 2010,
/// eq. 8); none if the inclusion does not hold:
///
/// ```text
/// 1 + y ≥ 0,  x_R ≥ 0,  (1 + y) x_R = 0
/// 1 − y ≥ 0,  x_L ≥ 0,  (1 − y) x_L = 0,      x = x_R − x_L
/// ```
pub fn sgn_parts(x: f64, y: f64) -> Option<(f64, f64)> {
    in_sgn(1.0, &[x], &[-y], 0.0).then(|| (x.max(0.0), (-x).max(0.0)))
}
