//! The free coordinate of a joint.

use super::*;
use crate::kinematics::vector::{E_Z, cross, dot, scale, sub};

/// What the free coordinate of a joint measures of the second mount against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::world) enum FreeCoordinate {
    /// The turn about z, rad. In space it lies in (−π, π]; in the plane full turns count.
    Turn,
    /// The shift along an axis of the first mount by its number, 0 for x, m.
    Shift(usize),
}

impl FreeCoordinate {
    /// Whether it is an angle, rad; else a length, m.
    pub(in crate::world) fn is_angle(self) -> bool {
        self == FreeCoordinate::Turn
    }

    /// Its value, with its direction in `row` (zero before).
    pub(super) fn value(self, pair: &Pair<'_>, row: &mut [f64]) -> f64 {
        let first = &pair.first.axes;
        if let FreeCoordinate::Shift(axis) = self {
            pair.along_first(&first[axis], row);
            return dot(&first[axis], &pair.between);
        }
        if pair.dimension() == Dimension::Two {
            pair.turning(&E_Z, row);
            return pair.second.angle - pair.first.angle;
        }
        // The x axis of the second mount seen in the x-y plane of the first.
        let x = &pair.second.axes[0];
        let (cos, sin) = (dot(&first[0], x), dot(&first[1], x));
        let square = cos * cos + sin * sin;
        if square > 0.0 {
            let across = sub(&scale(cos, &first[1]), &scale(sin, &first[0]));
            pair.turning(&scale(1.0 / square, &cross(x, &across)), row);
        } else {
            pair.turning(&first[2], row);
        }
        sin.atan2(cos)
    }
}
