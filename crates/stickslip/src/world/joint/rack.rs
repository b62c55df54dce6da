//! A pinion (second mount) that rolls on a rack along x of the first mount, on the side of its y.
//!
//! The shift of its centre is −r times its turn about z. The shift says how many full turns there are.

use super::free_coordinate::turn;
use super::*;
use crate::kinematics::vector::{dot, scale};
use crate::world::mounts::wrapped;

#[derive(Debug)]
pub(super) struct Rack {
    /// Pitch radius of the pinion, m.
    pub radius: f64,
}

impl Ideal for Rack {
    fn check(&self, checks: &mut Checks) {
        checks.positive("radius", self.radius);
    }

    fn words(&self) -> String {
        format!("a pinion of radius {} m (second body) on a rack (first body)", self.radius)
    }

    fn dim(&self, _dimension: Dimension) -> usize {
        1
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        None
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        let (x, radius) = (&pair.first.axis(0), self.radius);
        let (angle, direction) = turn(pair);
        let error = radius * wrapped(dot(x, &pair.between) / radius + angle);
        enter(error, &|row| {
            pair.along_first(x, row);
            pair.turning(&scale(radius, &direction), row);
        });
    }
}
