//! Massless rods between the two points.

use super::*;
use crate::kinematics::vector::{E_X, norm};
use crate::world::mounts::unit;

#[derive(Debug)]
pub(super) struct Distance {
    pub length: f64,
}

impl Ideal for Distance {
    fn words(&self) -> String {
        format!("a massless rod of {} m, which pulls and pushes", self.length)
    }

    fn check(&self, checks: &mut Checks) {
        checks.positive("length", self.length);
    }

    fn dim(&self, _dimension: Dimension) -> usize {
        1
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        None
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        let e = unit(&pair.between).unwrap_or(E_X);
        enter(norm(&pair.between) - self.length, &|row| pair.apart(&e, row));
    }
}
