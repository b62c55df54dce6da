//! Ball joints; in the plane the same as hinges.

use super::*;
use crate::kinematics::vector::{E_X, E_Y, E_Z};

#[derive(Debug)]
pub(super) struct Spherical;

/// Both origins coincide.
pub(super) fn hold_together(pair: &Pair<'_>, enter: &mut Enter<'_>) {
    let count = if pair.dimension() == Dimension::Two { 2 } else { 3 };
    for (k, e) in [E_X, E_Y, E_Z].iter().enumerate().take(count) {
        enter(pair.between[k], &|row| pair.apart(e, row));
    }
}

impl Ideal for Spherical {
    fn words(&self) -> String {
        "a ball joint: all turns are free".into()
    }

    fn dim(&self, dimension: Dimension) -> usize {
        if dimension == Dimension::Two { 2 } else { 3 }
    }

    fn free(&self, dimension: Dimension) -> Option<FreeCoordinate> {
        (dimension == Dimension::Two).then_some(FreeCoordinate::Turn)
    }

    fn is_pin(&self) -> bool {
        true
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        hold_together(pair, enter);
    }
}
