//! Contact candidates of one configuration, with memory that is kept from step to step.

/// Gap up to which a contact that was closed in the last step counts as closed, over that up to which any
/// does: a millionth of the size of the bodies.
const STAYS: f64 = 1e3;

/// One contact candidate: a place where a law acts when the gap is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Stable name of the candidate, the same from step to step: percussions are kept under it.
    pub key: u64,
    /// Which group of laws of the system acts here.
    pub group: usize,
    /// Gap g_N, m; closed where it is at most `closed_at`. Joints and other permanent laws have −∞.
    pub gap: f64,
    /// Gap up to which the candidate counts as closed, m: rounding of the coordinates of its bodies.
    /// 0 unless [`ContactSet::close_at`] said more.
    pub closed_at: f64,
    /// Where it is, m, inertial frame; NaN unless [`ContactSet::place_at`] said it.
    pub point: [f64; 3],
    /// Mass blocks that the directions touch; the second equals the first for a single block.
    pub blocks: [usize; 2],
    /// Number of components of the laws.
    pub dim: usize,
    /// First entry of the directions in the set; `usize::MAX` if they were not computed.
    first: usize,
    /// First entry of w̃.
    first_rheonomic: usize,
    /// Velocities of the touched blocks: entries of one direction.
    width: usize,
    /// First entry of the position error; `usize::MAX` for candidates without one.
    first_error: usize,
}

/// Gaps that need no look, by how far the bodies came since contacts were looked at last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// What is known to be more than this may be left out, m.
    pub limit: f64,
    /// Contacts that stay closed and are known to be no deeper than this rest: they may be told as they were, m.
    pub depth: f64,
}

impl Near {
    /// Whether a gap that may have changed by so much is known to be that of a contact that rests.
    pub(crate) fn rests(&self, gap: f64, change: f64, closed_at: f64) -> bool {
        let least = -left_at(self.depth, closed_at);
        closed_at > 0.0 && gap - change >= least && gap + change <= STAYS * closed_at
    }
}

/// Most penetration that is left on purpose, over the gap that counts as closed: a thousandth of the
/// size of the bodies.
const MOST_REMAINING: f64 = 1e6;

/// Penetration that is left where so much is to be left, m.
pub(crate) fn left_at(left: f64, closed_at: f64) -> f64 {
    left.min(MOST_REMAINING * closed_at)
}

/// The contact candidates of one configuration.
#[derive(Clone, Debug, Default)]
pub struct ContactSet {
    /// Directions are needed where the gap is at most this, m. Default 0.
    pub margin: f64,
    /// Whether constraints without a gap, such as joints, may be left out.
    pub only_gaps: bool,
    /// Whether contacts of shapes may be left out: joints alone are asked for.
    pub only_joints: bool,
    /// Where gaps alone are asked for: which of them need no look.
    pub near: Option<Near>,
    candidates: Vec<Candidate>,
    directions: Vec<f64>,
    rheonomic: Vec<f64>,
    errors: Vec<f64>,
}

impl ContactSet {
    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.candidates.clear();
        self.directions.clear();
        self.rheonomic.clear();
        self.errors.clear();
    }

    /// Adds a candidate with its gap only: it is open.
    pub fn push_open(&mut self, key: u64, group: usize, gap: f64) {
        self.candidates.push(Candidate {
            key,
            group,
            gap,
            closed_at: 0.0,
            point: [f64::NAN; 3],
            blocks: [0, 0],
            dim: 0,
            first: usize::MAX,
            first_rheonomic: usize::MAX,
            width: 0,
            first_error: usize::MAX,
        });
    }

    /// Adds a candidate and returns its zeroed directions and w̃ to be filled: `dim` rows, each
    /// over the velocities of the touched blocks (`sizes` are their sizes; pass a size of 0 for
    /// the second if only one block is touched). Row k is ∂γ_k/∂u.
    pub fn push(
        &mut self,
        key: u64,
        group: usize,
        gap: f64,
        blocks: [usize; 2],
        sizes: [usize; 2],
        dim: usize,
    ) -> (&mut [f64], &mut [f64]) {
        let (first, first_rheonomic) = self.add(key, group, gap, blocks, sizes, dim, usize::MAX);
        (&mut self.directions[first..], &mut self.rheonomic[first_rheonomic..])
    }

    /// Adds a candidate with zeros for directions and w̃. Returns where they are.
    #[inline]
    fn add(
        &mut self,
        key: u64,
        group: usize,
        gap: f64,
        blocks: [usize; 2],
        sizes: [usize; 2],
        dim: usize,
        first_error: usize,
    ) -> (usize, usize) {
        let width = sizes[0] + sizes[1];
        let (first, first_rheonomic) = (self.directions.len(), self.rheonomic.len());
        self.candidates.push(Candidate {
            key,
            group,
            gap,
            closed_at: 0.0,
            point: [f64::NAN; 3],
            blocks,
            dim,
            first,
            first_rheonomic,
            width,
            first_error,
        });
        self.directions.resize(first + dim * width, 0.0);
        self.rheonomic.resize(first_rheonomic + dim, 0.0);
        (first, first_rheonomic)
    }

    /// Adds a bilateral constraint of positions, which always acts: its gap is −∞. Returns its
    /// zeroed directions, w̃ and position errors to be filled; the direction of component k is the
    /// gradient of error k, which the projection of constraint violation brings back to zero.
    pub fn push_joint(
        &mut self,
        key: u64,
        group: usize,
        blocks: [usize; 2],
        sizes: [usize; 2],
        dim: usize,
    ) -> (&mut [f64], &mut [f64], &mut [f64]) {
        let (first_error, permanent) = (self.errors.len(), f64::NEG_INFINITY);
        let (first, first_rheonomic) =
            self.add(key, group, permanent, blocks, sizes, dim, first_error);
        self.errors.resize(first_error + dim, 0.0);
        (
            &mut self.directions[first..],
            &mut self.rheonomic[first_rheonomic..],
            &mut self.errors[first_error..],
        )
    }

    /// Only gaps are needed from now on: no directions, no joints.
    pub fn ask_for_gaps(&mut self) {
        (self.margin, self.only_gaps) = (f64::NEG_INFINITY, true);
    }

    /// Gap up to which directions are needed of a candidate that counts as closed up to `closed_at` and
    /// may stay so beyond; negative where the gaps alone are asked for.
    pub fn margin_with(&self, closed_at: f64) -> f64 {
        if self.margin < 0.0 { self.margin } else { self.margin.max(STAYS * closed_at) }
    }

    /// The candidate that was added last counts as closed up to this gap, m.
    pub fn close_at(&mut self, gap: f64) {
        if let Some(candidate) = self.candidates.last_mut() {
            candidate.closed_at = gap;
        }
    }

    /// The candidate that was added last is at this point, m, inertial frame.
    pub fn place_at(&mut self, point: [f64; 3]) {
        if let Some(candidate) = self.candidates.last_mut() {
            candidate.point = point;
        }
    }

    /// Position error of a bilateral constraint, m or rad; empty for all other candidates.
    pub fn position_error(&self, candidate: &Candidate) -> &[f64] {
        if candidate.first_error == usize::MAX {
            return &[];
        }
        &self.errors[candidate.first_error..candidate.first_error + candidate.dim]
    }

    /// Takes away what lies along velocities that are held: `held` says which of the `size` velocities of
    /// a block are. A unilateral contact that presses against nothing else carries no force: it
    /// counts as open. Any other direction of which nothing is left becomes one of the velocities that are
    /// held, alone: it is at rest and its force is zero, but the problem stays regular.
    pub fn hold(&mut self, size: usize, held: impl Fn(usize, usize) -> bool) {
        let Self { candidates, directions, rheonomic, errors, .. } = self;
        for candidate in candidates.iter_mut().filter(|c| c.has_directions()) {
            let Candidate { first, first_rheonomic, first_error, width, blocks, .. } = *candidate;
            for k in 0..candidate.dim {
                let row = &mut directions[first + k * width..first + (k + 1) * width];
                let (mut largest, mut is_left) = ((0.0, 0), false);
                for (column, entry) in row.iter_mut().enumerate() {
                    if !held(blocks[column / size], column % size) {
                        is_left |= *entry != 0.0;
                    } else if entry.abs() >= largest.0 {
                        largest = (entry.abs(), column);
                        *entry = 0.0;
                    } else {
                        *entry = 0.0;
                    }
                }
                if is_left || largest.0 == 0.0 {
                    continue;
                }
                row[largest.1] = 1.0;
                rheonomic[first_rheonomic + k] = 0.0;
                if first_error != usize::MAX {
                    errors[first_error + k] = 0.0;
                }
                if k == 0 && candidate.gap.is_finite() {
                    candidate.gap = f64::INFINITY;
                }
            }
        }
    }

    /// The largest penetration of the candidates, m, or `known` if that is more.
    pub fn deepest(&self, known: f64) -> f64 {
        let gaps = self.candidates.iter().map(|c| c.gap).filter(|gap| gap.is_finite());
        gaps.fold(known, |depth, gap| depth.max(-gap))
    }

    /// The candidates in the order in which they were added.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Directions of a candidate (row k is ∂γ_k/∂u over its blocks); empty if not computed.
    pub fn directions(&self, candidate: &Candidate) -> &[f64] {
        if candidate.first == usize::MAX {
            return &[];
        }
        &self.directions[candidate.first..candidate.first + candidate.dim * candidate.width]
    }

    /// Prescribed part w̃ of the relative velocities of a candidate, m/s.
    pub fn rheonomic(&self, candidate: &Candidate) -> &[f64] {
        if candidate.first == usize::MAX {
            return &[];
        }
        &self.rheonomic[candidate.first_rheonomic..candidate.first_rheonomic + candidate.dim]
    }
}

impl Candidate {
    /// Whether the gap is closed.
    pub fn is_closed(&self) -> bool {
        self.gap <= self.closed_at
    }

    /// Whether the gap is so small that a contact which was closed in the last step still is so:
    /// what rests must not open by what solvers leave, step by step.
    pub fn stays_closed(&self) -> bool {
        self.gap <= STAYS * self.closed_at
    }

    /// Whether directions were computed.
    pub fn has_directions(&self) -> bool {
        self.first != usize::MAX
    }

    /// Length of one direction: the number of velocities of the touched blocks.
    pub fn width(&self) -> usize {
        self.width
    }
}
