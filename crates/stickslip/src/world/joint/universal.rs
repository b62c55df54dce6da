//! Cardan joints: one point in common, and z of the first mount stands across z of the second.

use super::spherical::hold_together;
use super::*;
use crate::kinematics::vector::{cross, dot};

#[derive(Debug)]
pub(super) struct Universal;

impl Ideal for Universal {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn words(&self) -> String {
        "a universal joint: turns about the axis of the first body and about that of the second are \
         free, and the two axes stay across each other"
            .into()
    }

    fn dim(&self, _dimension: Dimension) -> usize {
        4
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        None
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        hold_together(pair, enter);
        let (first, second) = (&pair.first.axis(2), &pair.second.axis(2));
        enter(dot(first, second), &|row| pair.turning(&cross(second, first), row));
    }
}
