//! Guides along x of the first mount.

use super::fixed::hold_parallel;
use super::*;
use crate::kinematics::vector::dot;

#[derive(Debug)]
pub(super) struct Prismatic;

impl Ideal for Prismatic {
    fn words(&self) -> String {
        "a guide: only the shift along its direction is free".into()
    }

    fn dim(&self, dimension: Dimension) -> usize {
        if dimension == Dimension::Two { 2 } else { 5 }
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        Some(FreeCoordinate::Shift(0))
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        let axes = if pair.dimension() == Dimension::Two { 2 } else { 3 };
        for axis in &pair.first.axes()[1..axes] {
            enter(dot(axis, &pair.between), &|row| pair.along_first(axis, row));
        }
        hold_parallel(pair, enter);
    }
}
