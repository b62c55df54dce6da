//! Integration over a radius where the integrand may be singular at one known point.

use super::quadrature_rules::{GAUSS, double_exponential, gauss_legendre};

/// Rules, computed once per table.
pub(super) struct Rules {
    gauss: [(f64, f64); GAUSS],
    /// Distance from the left end, distance from the right end, weight, for the interval [0, 1].
    double_exponential: Vec<(f64, f64, f64)>,
}

/// Where an integrand is not analytic at the ends of the panels between break points.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Ends {
    Regular,
    /// Integrable singularities, such as that of √(1 − ρ²) at ρ = 1.
    Singular,
}

impl Rules {
    pub fn new() -> Self {
        Rules { gauss: gauss_legendre(), double_exponential: double_exponential() }
    }

    /// Calls `visit(ρ, |ρ − pole|, weight)` at the points of a rule for ∫ dρ over [0, 1].
    ///
    /// The integrand may have a logarithmic singularity at `pole` ∈ (0, ∞], is otherwise
    /// analytic between the break points (ascending from 0 to 1), and scales with the pole:
    /// panels are graded geometrically towards it and towards zero.
    pub fn visit(
        &self,
        breakpoints: &[f64],
        ends: Ends,
        pole: f64,
        mut visit: impl FnMut(f64, f64, f64),
    ) {
        for panel in breakpoints.windows(2) {
            let (left, right) = (panel[0], panel[1]);
            if left < pole {
                self.below(left, right.min(pole), ends, pole, &mut visit);
            }
            if right > pole {
                self.above(left.max(pole), right, ends, pole, &mut visit);
            }
        }
    }

    /// Panels of [left, right] with right ≤ pole, from the right to the left.
    fn below(
        &self,
        left: f64,
        mut right: f64,
        ends: Ends,
        pole: f64,
        visit: &mut impl FnMut(f64, f64, f64),
    ) {
        let mut first = true;
        while right > left {
            // As long as the distance to the pole; half the pole if that distance is zero.
            let gap = pole - right;
            let next =
                if gap > 0.0 { (2.0 * right - pole).max(left) } else { left.max(0.5 * pole) };
            // Never recede by less than rounding lets the loop end.
            let next = if next < right { next } else { left };
            let edge = ends == Ends::Singular && (first || next == left);
            self.panel(next, right, gap <= 0.0 || edge, |from_left, from_right, weight| {
                let rho =
                    if from_left < from_right { next + from_left } else { right - from_right };
                visit(rho, gap + from_right, weight);
            });
            right = next;
            first = false;
        }
    }

    /// Panels of [left, right] with left ≥ pole, from the left to the right.
    fn above(
        &self,
        mut left: f64,
        right: f64,
        ends: Ends,
        pole: f64,
        visit: &mut impl FnMut(f64, f64, f64),
    ) {
        let mut first = true;
        while left < right {
            let gap = left - pole;
            let next =
                if gap > 0.0 { (2.0 * left - pole).min(right) } else { right.min(2.0 * pole) };
            let next = if next > left { next } else { right };
            let edge = ends == Ends::Singular && (first || next == right);
            self.panel(left, next, gap <= 0.0 || edge, |from_left, from_right, weight| {
                let rho = if from_left < from_right { left + from_left } else { next - from_right };
                visit(rho, gap + from_left, weight);
            });
            left = next;
            first = false;
        }
    }

    fn panel(&self, left: f64, right: f64, singular: bool, mut visit: impl FnMut(f64, f64, f64)) {
        let length = right - left;
        if singular {
            for &(from_left, from_right, weight) in &self.double_exponential {
                visit(from_left * length, from_right * length, weight * length);
            }
        } else {
            for &(position, weight) in &self.gauss {
                visit(position * length, (1.0 - position) * length, weight * length);
            }
        }
    }
}
