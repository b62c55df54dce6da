//! The free coordinate of a joint.

use super::*;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{E_Z, cross, dot, scale, sub};

/// What the free coordinate of a joint measures of the second mount against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::world) enum FreeCoordinate {
    /// The turn about z, rad. In space it lies in (−π, π]; in the plane full turns count.
    Turn,
    /// The shift along an axis of the first mount by its number, 0 for x, m.
    Shift(usize),
    /// An angle that the joint itself measures, rad.
    Angle,
}

impl FreeCoordinate {
    /// Whether it is an angle, rad; else a length, m.
    pub(in crate::world) fn is_angle(self) -> bool {
        !matches!(self, FreeCoordinate::Shift(_))
    }

    /// Its rate by the moving surfaces of held bodies: a belt that runs, a shaft that turns in its place.
    pub(super) fn surface_rate(self, pair: &Pair<'_>) -> f64 {
        match self {
            FreeCoordinate::Shift(axis) => {
                let point = &pair.second.point;
                dot(&pair.first.axis(axis), &pair.surface_velocity([point, point]))
            }
            FreeCoordinate::Turn => dot(&turn(pair).1, &pair.surface_spin()),
            FreeCoordinate::Angle => 0.0,
        }
    }

    /// Its value, with its direction in `row` (zero before).
    pub(super) fn value(self, pair: &Pair<'_>, row: &mut [f64]) -> f64 {
        if let FreeCoordinate::Shift(axis) = self {
            let axis = pair.first.axis(axis);
            pair.along_first(&axis, row);
            return dot(&axis, &pair.between);
        }
        let (angle, direction) = turn(pair);
        pair.turning(&direction, row);
        angle
    }
}

/// The turn about z of the second mount against the first, and the direction of its rate.
pub(super) fn turn(pair: &Pair<'_>) -> (f64, Vector3) {
    if pair.dimension() == Dimension::Two {
        return (pair.second.angle() - pair.first.angle(), E_Z);
    }
    // The x axis of the second mount seen in the x-y plane of the first.
    let (first, x) = (&pair.first.axes(), &pair.second.axis(0));
    let (cos, sin) = (dot(&first[0], x), dot(&first[1], x));
    let square = cos * cos + sin * sin;
    let direction = if square > 0.0 {
        let across = sub(&scale(cos, &first[1]), &scale(sin, &first[0]));
        scale(1.0 / square, &cross(x, &across))
    } else {
        first[2]
    };
    (sin.atan2(cos), direction)
}
