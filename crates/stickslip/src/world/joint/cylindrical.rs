//! A sleeve on a round rod: turns about z of the first mount and slides along it.

use super::revolute::hold_axis;
use super::*;
use crate::kinematics::vector::dot;

#[derive(Debug)]
pub(super) struct Cylindrical {
    /// Whether what acts in it acts on the turn; else on the shift.
    pub acts_on_turn: bool,
}

impl Ideal for Cylindrical {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn words(&self) -> String {
        let acts_on = if self.acts_on_turn { "turn" } else { "shift" };
        format!(
            "a sleeve on a rod: the turn about its axis and the shift along it are free; its coordinate \
             is the {acts_on}"
        )
    }

    fn dim(&self, _dimension: Dimension) -> usize {
        4
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        let turn = self.acts_on_turn;
        Some(if turn { FreeCoordinate::Turn } else { FreeCoordinate::Shift(2) })
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        hold_on_axis(pair, enter);
    }
}

/// The second origin lies on z of the first mount, and both z are parallel.
pub(super) fn hold_on_axis(pair: &Pair<'_>, enter: &mut Enter<'_>) {
    for axis in &[pair.first.axis(0), pair.first.axis(1)] {
        enter(dot(axis, &pair.between), &|row| pair.along_first(axis, row));
    }
    hold_axis(pair, enter);
}
