//! Rest: what is left of velocities whose terms cancel is no motion.
//!
//! A body that rests is moved by weight and contacts at once, and the sum of both is what rounding and the
//! solver leave. Taken for a motion it makes bodies creep and, where statics does not decide the
//! forces, lets these wander. So a body that touches others and hardly moves is computed as exactly as
//! numbers allow, and what is then not above rounding is zero. A state that does not change poses the
//! same problem in every step, and the percussions of the last step answer it.

use super::super::mass::MassInverse;
use super::super::rows::ContactRows;
use super::active::{ActiveSet, Level};
use super::dynamics::Dynamics;
use super::islands::Islands;
use crate::problem::InclusionProblem;
use crate::solve::{Limits, Newton, Solver as _};

/// Velocity over the sum of its terms, both by their energy, below which an island hardly moves.
const RESTING_SPEED: f64 = 1e-7;
/// The same of a body below which it does not move: no force that differs so little from balance is known.
const AT_REST: f64 = 1e-11;
/// The same that is at most put down to the rounding of coordinates.
const MOST_ROUNDING: f64 = 1e-8;
/// How exactly, and with how many Newton steps, the problem is solved where something hardly moves.
const EXACT: Limits = Limits { tolerance: 1e-14, max_iterations: 20, max_time: None };

/// Which bodies rest. Memory is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// Σ of the sizes of the terms of each velocity.
    terms: Vec<f64>,
    /// By island: the largest response of a gap to a percussion, 1/kg; 0 where no contact can open.
    response: Vec<f64>,
    /// By island: twice the energy of its motion that is left, and of its terms.
    energies: Vec<[f64; 2]>,
    newton: Newton,
}

/// How much of the motion is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    /// Every island moves, or rests exactly.
    Decided,
    /// An island moves so little that a more exact solution is worth its cost.
    Undecided,
}

impl Rest {
    /// Begins with the velocities before the stage and what smooth forces change in them. `problem` has
    /// all active contacts.
    pub(super) fn begin(
        &mut self,
        active: &ActiveSet,
        islands: &Islands,
        problem: &InclusionProblem,
        before: &[f64],
        kick: &[f64],
    ) {
        self.response.clear();
        self.response.resize(islands.blocks(), 0.0);
        for (index, contact) in active.list.iter().enumerate() {
            if contact.level == Level::Gap {
                let slot = &mut self.response[islands.of(contact.rows.blocks[0])];
                *slot = slot.max(problem.delassus().diagonal_entry(index, 0));
            }
        }
        self.terms.clear();
        self.terms.extend(before.iter().zip(kick).map(|(u, kick)| u.abs() + kick.abs()));
    }

    /// Adds the terms of the percussions of the contacts of a problem.
    pub(super) fn add(&mut self, inverse: &MassInverse, rows: &ContactRows, lambda: &[f64]) {
        let components = rows
            .contacts
            .iter()
            .flat_map(|contact| (0..contact.dim).map(move |k| (contact.blocks, contact.row(k))));
        for ((blocks, row), lambda) in components.zip(lambda) {
            let (first, second) = rows.response[row].split_at(inverse.size(blocks[0]));
            for (block, part) in [(blocks[0], first), (blocks[1], second)] {
                let terms = &mut self.terms[inverse.offset(block)..];
                terms.iter_mut().zip(part).for_each(|(sum, entry)| *sum += (entry * lambda).abs());
            }
        }
    }

    /// Solves a problem from percussions that are known to the tolerance as exactly as numbers allow.
    /// Returns whether they have changed.
    pub(super) fn refine(&mut self, problem: &InclusionProblem, lambda: &mut [f64]) -> bool {
        self.newton.set_limits(EXACT);
        matches!(self.newton.refine(problem, lambda), Ok(report) if report.iterations > 0)
    }

    /// Sets the velocities of bodies at rest to zero, and says whether others nearly rest. `speed` is that
    /// which rounding of the coordinates leaves at a contact, m/s.
    pub(super) fn settle(
        &mut self,
        dynamics: &Dynamics,
        islands: &Islands,
        speed: f64,
        u: &mut [f64],
    ) -> Motion {
        self.energies.clear();
        self.energies.resize(islands.blocks(), [0.0; 2]);
        for block in 0..islands.blocks() {
            let island = islands.of(block);
            if self.response[island] == 0.0 {
                continue;
            }
            let range = dynamics.range(block);
            let moving = dynamics.twice_energy(block, &u[range.clone()]);
            let size = dynamics.twice_energy(block, &self.terms[range.clone()]);
            let rounding = speed * speed / self.response[island];
            self.energies[island][1] += size;
            if moving <= rounding.min(MOST_ROUNDING.powi(2) * size).max(AT_REST.powi(2) * size) {
                u[range].fill(0.0);
            } else {
                self.energies[island][0] += moving;
            }
        }
        let nearly = (0..islands.blocks()).any(|block| self.nearly(islands, block));
        if nearly { Motion::Undecided } else { Motion::Decided }
    }

    /// Whether the island of a block moves, but hardly.
    pub(super) fn nearly(&self, islands: &Islands, block: usize) -> bool {
        let [moving, size] = self.energies[islands.of(block)];
        moving > 0.0 && moving <= RESTING_SPEED.powi(2) * size
    }
}
