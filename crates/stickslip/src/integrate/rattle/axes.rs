//! Tangential axes that do not turn about the normal within a step.
//!
//! Stage 2 takes percussions of stage 1 over component by component. Where the axes at both ends of the step
//! follow from a rule of their own, they turn against each other by an angle that depends on how
//! the bodies lie in the frame and on which of them comes first: the same scene written in
//! another way would move differently, by the error of a step.

use super::super::rows::{RowBlock, dot};
use crate::system::LawGroup;

/// Turns the axes at the end of a step as near to those at its start as they can be, for all laws
/// that do not know directions. The first `steady` entries of a row are seen in a frame that does not
/// turn with the body: only these can be compared.
pub(super) fn follow(
    group: &LawGroup,
    rows: RowBlock,
    steady: usize,
    start: &[f64],
    end: &mut [f64],
    drift: &mut [f64],
) {
    let mut k = 0;
    for named in &group.laws {
        if named.law.set.is_round() {
            let pair = rows.start + k * rows.width..rows.start + (k + 2) * rows.width;
            let (e1, e2) = end[pair.clone()].split_at_mut(rows.width);
            let (s1, s2) = start[pair].split_at(rows.width);
            let product = |e: &[f64], s: &[f64]| dot(&e[..steady], &s[..steady]);
            // The turn (cos, sin) that makes e1·s1 + e2·s2 largest.
            let along = product(e1, s1) + product(e2, s2);
            let across = product(e2, s1) - product(e1, s2);
            let length = along.hypot(across);
            if across.abs() > f64::EPSILON * length {
                let (cos, sin) = (along / length, across / length);
                let turn = |a: &mut f64, b: &mut f64| {
                    (*a, *b) = (cos * *a + sin * *b, cos * *b - sin * *a);
                };
                e1.iter_mut().zip(e2).for_each(|(a, b)| turn(a, b));
                let (first, second) = drift[k..k + 2].split_at_mut(1);
                turn(&mut first[0], &mut second[0]);
            }
        }
        k += named.law.dim();
    }
}
