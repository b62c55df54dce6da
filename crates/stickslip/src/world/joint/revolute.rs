//! Hinges about z of the first mount.

use super::spherical::hold_together;
use super::*;
use crate::kinematics::vector::{cross, dot};

#[derive(Debug)]
pub(super) struct Revolute;

impl Ideal for Revolute {
    fn words(&self) -> String {
        "a hinge: only the turn about its axis is free".into()
    }

    fn dim(&self, dimension: Dimension) -> usize {
        if dimension == Dimension::Two { 2 } else { 5 }
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        Some(FreeCoordinate::Turn)
    }

    fn is_pin(&self) -> bool {
        true
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        hold_together(pair, enter);
        if pair.dimension() == Dimension::Three {
            hold_axis(pair, enter);
        }
    }
}

/// The second axis stands across x and y of the first mount.
pub(super) fn hold_axis(pair: &Pair<'_>, enter: &mut Enter<'_>) {
    let z = &pair.second.axis(2);
    for axis in &[pair.first.axis(0), pair.first.axis(1)] {
        enter(dot(axis, z), &|row| pair.turning(&cross(z, axis), row));
    }
}
