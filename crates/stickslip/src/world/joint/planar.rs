//! A plate on a plane: shifts along x and y of the first mount and turns about z.

use super::revolute::hold_axis;
use super::*;
use crate::kinematics::vector::dot;

/// A motion that a planar joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanarMotion {
    /// The shift along x, m.
    X,
    /// The shift along y, m.
    Y,
    /// The turn about z, rad.
    Turn,
}

#[derive(Debug)]
pub(super) struct Planar {
    pub acts_on: PlanarMotion,
}

impl Ideal for Planar {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn words(&self) -> String {
        let acts_on = match self.acts_on {
            PlanarMotion::X => "the shift along x of its frame",
            PlanarMotion::Y => "the shift along y of its frame",
            PlanarMotion::Turn => "the turn about its axis",
        };
        format!(
            "a plate on a plane: shifts across its axis and the turn about it are free; its coordinate is \
             {acts_on}"
        )
    }

    fn dim(&self, _dimension: Dimension) -> usize {
        3
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        Some(match self.acts_on {
            PlanarMotion::X => FreeCoordinate::Shift(0),
            PlanarMotion::Y => FreeCoordinate::Shift(1),
            PlanarMotion::Turn => FreeCoordinate::Turn,
        })
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        let z = &pair.first.axis(2);
        enter(dot(z, &pair.between), &|row| pair.along_first(z, row));
        hold_axis(pair, enter);
    }
}
