//! A nut on a screw along z of the first mount: the shift is the turn times pitch/2π.

use super::cylindrical::hold_on_axis;
use super::free_coordinate::turn;
use super::*;
use crate::kinematics::vector::{dot, scale};
use crate::range::require;
use crate::world::mounts::wrapped;
use std::f64::consts::TAU;

#[derive(Debug)]
pub(super) struct Screw {
    /// Shift in a full turn, m; negative for a left-handed thread.
    pub pitch: f64,
}

impl Screw {
    fn lead(&self) -> f64 {
        self.pitch / TAU
    }
}

impl Ideal for Screw {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn check(&self, checks: &mut Checks) {
        let fine = self.pitch.is_finite() && self.pitch != 0.0;
        checks.note(require(fine, "pitch", self.pitch, "finite and not 0"));
    }

    fn words(&self) -> String {
        format!(
            "a nut on a screw: a full turn is a shift of {} m; its coordinate is the turn, full turns count",
            self.pitch
        )
    }

    fn dim(&self, _dimension: Dimension) -> usize {
        5
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        Some(FreeCoordinate::Angle)
    }

    /// The shift says how many full turns there are.
    fn coordinate(&self, pair: &Pair<'_>, row: &mut [f64]) -> f64 {
        let shift = dot(&pair.first.axis(2), &pair.between);
        let (angle, direction) = turn(pair);
        pair.turning(&direction, row);
        let turned = shift / self.lead();
        turned - wrapped(turned - angle)
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        hold_on_axis(pair, enter);
        let (z, lead) = (&pair.first.axis(2), self.lead());
        let (angle, direction) = turn(pair);
        let error = lead * wrapped(dot(z, &pair.between) / lead - angle);
        enter(error, &|row| {
            pair.along_first(z, row);
            pair.turning(&scale(-lead, &direction), row);
        });
    }
}
