//! Joints eliminated exactly: a problem in which only what is set-valued is left.
//!
//! Components g of joints have ξ_g = 0, whatever their percussions are; c are all others:
//!
//! ```text
//! Λ_g = −G_gg⁻¹ (c_g + G_gc Λ_c),      ξ_c = (G_cc − G_cg G_gg⁻¹ G_gc) Λ_c + c_c − G_cg G_gg⁻¹ c_g
//! ```
//!
//! G_gg = L U without pivots, within the envelope of its pattern: a joint is coupled with its neighbours
//! alone, so that a chain costs as much as its length. G need not be symmetric, but its symmetric part is
//! positive: pivots stay positive, unless joints say the same twice.

use super::envelope::Envelope;
use crate::convex::Set;
use crate::linear::{dot, dots, zeros};
use crate::problem::{Contact, InclusionProblem, Law, Reservoir};

/// A contact whose own entry shrinks by more than this is held by joints alone.
const HELD: f64 = 1e-9;
/// Entries of factors and right-hand sides up to which elimination is worth its memory.
const MOST_ENTRIES: usize = 4_000_000;
/// Components that may be left: every two of them are coupled afterwards.
const MOST_COMPONENTS: usize = 300;
/// Marks a component that is eliminated, and a contact of which nothing is left.
const GONE: usize = 1 << 63;

/// A problem without its joints, and the way back. Memory is kept from solve to solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Condensed {
    /// What is left.
    pub(super) problem: InclusionProblem,
    /// Its percussions.
    pub(super) lambda: Vec<f64>,
    /// Component of the whole problem of each that is left, and of each that is gone.
    left: Vec<usize>,
    gone: Vec<usize>,
    /// The other way round, with [`GONE`] where it is.
    place: Vec<usize>,
    /// Contact of the whole problem of each contact that is left, and the other way round.
    contacts: Vec<usize>,
    contact_place: Vec<usize>,
    /// Contacts of the whole problem that lose components.
    joints: Vec<usize>,
    loses: Vec<bool>,
    /// Set of coupled joints that each contact of the whole problem belongs to: union and find.
    parent: Vec<usize>,
    /// Sets that the contacts that are left touch, contact after contact.
    touched: Vec<usize>,
    touched_starts: Vec<usize>,
    factors: Envelope,
    /// L⁻¹ c_g; L⁻¹ G_gc and G_cg U⁻¹ by components of c, and where each of them is not zero.
    free: Vec<f64>,
    columns: Vec<f64>,
    rows: Vec<f64>,
    ranges: Vec<(usize, usize)>,
    back: Vec<f64>,
    neighbours: Vec<usize>,
    /// First component of each contact that is left, one more than contacts; memory.
    firsts: Vec<usize>,
    next: Vec<usize>,
}

/// Whether a law is that of a joint, and no other law of its contact depends on it.
fn is_joint(problem: &InclusionProblem, contact: &Contact, law: &Law) -> bool {
    matches!(law.set, Set::FreeSpace(_))
        && problem.laws_of(contact).iter().all(|law| law.reservoir != Reservoir::Normal)
}

impl Condensed {
    /// Whether there is something to eliminate.
    pub(super) fn has_joints(problem: &InclusionProblem) -> bool {
        problem.laws().iter().any(|law| matches!(law.set, Set::FreeSpace(_)))
    }

    /// Whether the velocities of all joints are so small that these percussions may solve the problem to the tolerance:
    /// against those of the data and the percussions, for their own sum is not known here.
    pub(super) fn joints_hold(
        &mut self,
        problem: &InclusionProblem,
        lambda: &[f64],
        tolerance: f64,
    ) -> bool {
        let mut error = 0.0;
        let xi = &mut self.back;
        for (index, contact) in problem.contacts().iter().enumerate() {
            let laws = problem.laws_of(contact);
            if !laws.iter().any(|law| matches!(law.set, Set::FreeSpace(_))) {
                continue;
            }
            xi.clear();
            xi.extend_from_slice(&problem.c()[contact.range()]);
            problem.delassus().add_row_product(index, lambda, xi);
            for law in laws.iter().filter(|law| matches!(law.set, Set::FreeSpace(_))) {
                let own = law.offset - contact.offset;
                error += dot(&xi[own..own + law.dim], &xi[own..own + law.dim]);
            }
        }
        let s = problem.delassus().mean_diagonal();
        let size = dot(problem.c(), problem.c()).max(s * s * dot(lambda, lambda));
        // A NaN may be anything.
        !(error > tolerance * tolerance * size)
    }

    /// Solves a problem of joints alone, where there is nothing to divide: Λ = −G⁻¹ c. False if it is none, or if some
    /// joints depend on others.
    pub(super) fn solve_joints(&mut self, problem: &InclusionProblem, lambda: &mut [f64]) -> bool {
        let is_joint =
            |law: &Law| matches!(law.set, Set::FreeSpace(_)) && law.reservoir != Reservoir::Normal;
        if !problem.laws().iter().all(is_joint) {
            return false;
        }
        let delassus = problem.delassus();
        let Self { factors, back, .. } = self;
        factors.clear(delassus.is_symmetric());
        for (row, contact) in problem.contacts().iter().enumerate() {
            let first = delassus.row(row).next().map_or(0, |(other, _)| delassus.offset(other));
            contact.range().for_each(|_| factors.push_row(first));
        }
        if factors.entries() > MOST_ENTRIES {
            return false;
        }
        factors.finish();
        for (row, contact) in problem.contacts().iter().enumerate() {
            for (other, block) in delassus.row(row) {
                if other > row && delassus.is_symmetric() {
                    break;
                }
                let Contact { offset, dim, .. } = problem.contacts()[other];
                for (i, entries) in contact.range().zip(block.chunks_exact(dim)) {
                    let places = (offset..).zip(entries);
                    places.for_each(|(j, value)| factors.put(i, j, *value));
                }
            }
        }
        if !factors.factor() {
            return false;
        }
        back.clear();
        back.extend_from_slice(problem.c());
        factors.lower_solve(0, back);
        factors.upper_solve(back);
        lambda.iter_mut().zip(back).for_each(|(lambda, value)| *lambda = -*value);
        true
    }

    /// Solves G x = b for the last problem of joints alone. False if it had another size.
    pub(super) fn solve_again(&self, b: &mut [f64]) -> bool {
        if b.len() != self.factors.pivots().len() {
            return false;
        }
        self.factors.lower_solve(0, b);
        self.factors.upper_solve(b);
        true
    }

    /// Finds the joints and factors G_gg. False if this cannot be done: there are none, or some depend on
    /// others.
    pub(super) fn prepare(&mut self, problem: &InclusionProblem) -> bool {
        self.divide(problem);
        if self.gone.is_empty() {
            return false;
        }
        self.factors.clear(problem.delassus().is_symmetric());
        for &index in &self.joints {
            let gone_of = |other: usize| {
                let range = problem.contacts()[other].range();
                self.place[range].iter().filter(|p| **p >= GONE).map(|p| p - GONE)
            };
            // Contacts stand in ascending order: the first that loses components has the least of them.
            let mut row = problem.delassus().row(index).map(|(other, _)| other);
            let least = row.find_map(|other| gone_of(other).next()).unwrap_or(0);
            gone_of(index).for_each(|_| self.factors.push_row(least));
        }
        if self.factors.entries() > MOST_ENTRIES {
            return false;
        }
        self.factors.finish();
        for &index in &self.joints {
            let own = &self.place[problem.contacts()[index].range()];
            for (other, block) in problem.delassus().row(index).filter(|(k, _)| self.loses[*k]) {
                let theirs = &self.place[problem.contacts()[other].range()];
                each(own, theirs, block, |i, j, value| {
                    if i >= GONE && j >= GONE {
                        self.factors.put(i - GONE, j - GONE, value);
                    }
                });
            }
        }
        self.factors.factor()
    }

    /// The percussions of the joints that belong to those of all others.
    pub(super) fn complete(&mut self, problem: &InclusionProblem, lambda: &mut [f64]) {
        for &i in &self.gone {
            lambda[i] = 0.0;
        }
        self.back.clear();
        for &index in &self.joints {
            let contact = &problem.contacts()[index];
            let first = self.back.len();
            self.back.extend_from_slice(&problem.c()[contact.range()]);
            problem.delassus().add_row_product(index, lambda, &mut self.back[first..]);
            // Only what is gone is asked for.
            let mut kept = first;
            for (k, place) in self.place[contact.range()].iter().enumerate() {
                if *place >= GONE {
                    self.back[kept] = self.back[first + k];
                    kept += 1;
                }
            }
            self.back.truncate(kept);
        }
        self.factors.lower_solve(0, &mut self.back);
        self.factors.upper_solve(&mut self.back);
        for (i, value) in self.gone.iter().zip(self.back.iter()) {
            lambda[*i] = -value;
        }
    }

    /// Whether anything is left.
    pub(super) fn is_everything(&self) -> bool {
        self.left.is_empty()
    }

    /// Whether no more components are left than twice those that are gone, as in a mechanism: to pose them costs less
    /// than to judge the whole.
    pub(super) fn leaves_little(&self) -> bool {
        !self.left.is_empty() && self.left.len() <= 2 * self.gone.len()
    }

    /// Poses what is left, behind [`prepare`](Self::prepare). False if too much is left, or joints hold a
    /// contact alone.
    pub(super) fn reduce(&mut self, problem: &InclusionProblem) -> bool {
        let (gone, left) = (self.gone.len(), self.left.len());
        if left > MOST_COMPONENTS || gone * (2 * left + 2) > MOST_ENTRIES {
            return false;
        }
        for buffer in [&mut self.columns, &mut self.rows] {
            zeros(buffer, gone * left);
        }
        let Self { place, factors, columns, rows, .. } = self;
        let of = |index: usize| &place[problem.contacts()[index].range()];
        for &index in &self.joints {
            for (other, block) in problem.delassus().row(index) {
                each(of(index), of(other), block, |i, j, value| {
                    if i >= GONE && j < GONE {
                        columns[j * gone + (i - GONE)] = value;
                    }
                });
            }
        }
        if !factors.is_symmetric() {
            for &index in &self.contacts {
                for (other, block) in problem.delassus().row(index) {
                    if self.loses[other] {
                        each(of(index), of(other), block, |i, j, value| {
                            if i < GONE && j >= GONE {
                                rows[i * gone + (j - GONE)] = value;
                            }
                        });
                    }
                }
            }
        }
        self.free.clear();
        self.free.extend(self.gone.iter().map(|i| problem.c()[*i]));
        self.factors.lower_solve(0, &mut self.free);
        self.solve_columns(gone);
        self.pose(problem)
    }

    /// L⁻¹ G_gc and G_cg U⁻¹, each where it is not zero.
    fn solve_columns(&mut self, gone: usize) {
        let Self { columns, rows, factors, ranges, .. } = self;
        ranges.clear();
        for (column, row) in columns.chunks_exact_mut(gone).zip(rows.chunks_exact_mut(gone)) {
            let begin_of = |x: &[f64]| x.iter().position(|v| *v != 0.0).unwrap_or(x.len());
            let end_of = |x: &[f64]| x.iter().rposition(|v| *v != 0.0).map_or(0, |last| last + 1);
            let mut begin = begin_of(column);
            factors.lower_solve(begin, column);
            let mut end = end_of(column);
            if factors.is_symmetric() {
                for k in begin..end {
                    row[k] = column[k] / factors.pivots()[k];
                }
            } else {
                let of_row = begin_of(row);
                factors.upper_solve_left(of_row, row);
                (begin, end) = (begin.min(of_row), end.max(end_of(row)));
            }
            ranges.push((begin, end.max(begin)));
        }
    }

    /// Takes the start from percussions of the whole problem.
    pub(super) fn gather(&mut self, lambda: &[f64]) {
        self.lambda.clear();
        self.lambda.extend(self.left.iter().map(|i| lambda[*i]));
    }

    /// Percussions of the whole problem.
    pub(super) fn expand(&mut self, problem: &InclusionProblem, lambda: &mut [f64]) {
        for (i, value) in self.left.iter().zip(&self.lambda) {
            lambda[*i] = *value;
        }
        self.complete(problem, lambda);
    }

    /// Which components go, and which joints hang together.
    fn divide(&mut self, problem: &InclusionProblem) {
        self.left.clear();
        self.gone.clear();
        self.place.clear();
        self.contacts.clear();
        self.contact_place.clear();
        self.joints.clear();
        self.loses.clear();
        self.parent.clear();
        self.parent.extend(0..problem.contacts().len());
        for (index, contact) in problem.contacts().iter().enumerate() {
            let laws = problem.laws_of(contact);
            for law in laws {
                if is_joint(problem, contact, law) {
                    self.place.extend((0..law.dim).map(|k| GONE | (self.gone.len() + k)));
                    self.gone.extend(law.range());
                } else {
                    self.place.extend((0..law.dim).map(|k| self.left.len() + k));
                    self.left.extend(law.range());
                }
            }
            let stays = |law: &&Law| !is_joint(problem, contact, law);
            let loses = self.place[contact.range()].iter().any(|p| *p >= GONE);
            self.loses.push(loses);
            if loses {
                self.joints.push(index);
            }
            let is_left = laws.iter().any(|law| stays(&law));
            self.contact_place.push(if is_left { self.contacts.len() } else { GONE });
            if is_left {
                self.contacts.push(index);
            }
        }
        let loses = &self.loses;
        for &index in &self.joints {
            for (other, _) in problem.delassus().row(index).filter(|(other, _)| loses[*other]) {
                let (a, b) = (root(&self.parent, index), root(&self.parent, other));
                self.parent[a.max(b)] = a.min(b);
            }
        }
        self.touched.clear();
        self.touched_starts.clear();
        for &index in &self.contacts {
            let first = self.touched.len();
            self.touched_starts.push(first);
            for (other, _) in problem.delassus().row(index).filter(|(other, _)| loses[*other]) {
                let set = root(&self.parent, other);
                if !self.touched[first..].contains(&set) {
                    self.touched.push(set);
                }
            }
        }
        self.touched_starts.push(self.touched.len());
    }

    /// The problem that is left. False if joints alone hold a contact.
    fn pose(&mut self, whole: &InclusionProblem) -> bool {
        self.problem.clear();
        for &index in &self.contacts {
            let contact = &whole.contacts()[index];
            let laws = whole.laws_of(contact).iter().filter(|law| !is_joint(whole, contact, law));
            self.problem.push_contact(laws.map(|law| (law.set.clone(), law.reservoir)));
        }
        let Self { problem, contacts, contact_place, touched, touched_starts, neighbours, .. } =
            self;
        let sets = |k: usize| &touched[touched_starts[k]..touched_starts[k + 1]];
        let shares = |a: usize, b: usize| sets(a).iter().any(|set| sets(b).contains(set));
        for (a, &index) in contacts.iter().enumerate() {
            neighbours.clear();
            let mut own = whole.delassus().row(index).map(|(other, _)| contact_place[other]);
            if sets(a).is_empty() {
                neighbours.extend(own.filter(|place| *place < GONE));
            } else {
                let mut next = own.find(|place| *place < GONE);
                for b in 0..contacts.len() {
                    let is_own = next == Some(b);
                    if is_own {
                        next = own.find(|place| *place < GONE);
                    }
                    if is_own || shares(a, b) {
                        neighbours.push(b);
                    }
                }
            }
            problem.push_delassus_row(a, neighbours);
        }
        problem.delassus_mut().finish();
        let Self { firsts, left, rows, columns, ranges, next, .. } = self;
        firsts.clear();
        firsts.extend(problem.contacts().iter().map(|contact| contact.offset));
        firsts.push(problem.dim());
        let gone = self.gone.len();
        let mut is_held = false;
        let mut block = |a: usize, b: usize, entries: &mut [f64]| {
            let [own, other] = [a, b].map(|k| &whole.contacts()[contacts[k]]);
            let (first_a, first_b) = (firsts[a], firsts[b]);
            let [height, width] = [a, b].map(|k| firsts[k + 1] - firsts[k]);
            match whole.delassus().block(contacts[a], contacts[b]) {
                Some(was) if (height, width) == (own.dim, other.dim) => {
                    entries.copy_from_slice(was)
                }
                Some(was) => {
                    for (k, entry) in entries.iter_mut().enumerate() {
                        let (i, j) = (left[first_a + k / width], left[first_b + k % width]);
                        *entry = was[(i - own.offset) * other.dim + (j - other.offset)];
                    }
                }
                None => {}
            }
            if !shares(a, b) {
                return;
            }
            if let (3, 3, Some(entries)) = (height, width, entries.first_chunk_mut::<9>()) {
                // Outside of their ranges rows and columns are zero.
                let union = |first: usize| {
                    let own = &ranges[first..first + 3];
                    let begin = own.iter().map(|range| range.0).min().unwrap_or(0);
                    (begin, own.iter().map(|range| range.1).max().unwrap_or(0))
                };
                let (of_a, of_b) = (union(first_a), union(first_b));
                let (begin, end) = (of_a.0.max(of_b.0), of_a.1.min(of_b.1));
                let before = [entries[0], entries[4], entries[8]];
                if begin < end {
                    let part = |i: usize| i * gone + begin..i * gone + end;
                    let products = dots(
                        [0, 1, 2].map(|k| &rows[part(first_a + k)]),
                        [0, 1, 2].map(|k| &columns[part(first_b + k)]),
                    );
                    entries.iter_mut().zip(products).for_each(|(entry, by)| *entry -= by);
                }
                is_held |= a == b && (0..3).any(|k| !(entries[4 * k] > HELD * before[k]));
                return;
            }
            for (i, entries) in (first_a..).zip(entries.chunks_exact_mut(width)) {
                let (row, (first, last)) = (&rows[i * gone..(i + 1) * gone], ranges[i]);
                for (j, entry) in (first_b..).zip(entries) {
                    let (begin, end) = (first.max(ranges[j].0), last.min(ranges[j].1));
                    let before = *entry;
                    if begin < end {
                        let column = &columns[j * gone..(j + 1) * gone];
                        *entry -= dot(&row[begin..end], &column[begin..end]);
                    }
                    is_held |= i == j && !(*entry > HELD * before);
                }
            }
        };
        let delassus = problem.delassus_mut();
        if whole.delassus().is_symmetric() {
            delassus.fill_symmetric(next, block);
        } else {
            for a in 0..contacts.len() {
                delassus.row_mut(a).for_each(|(b, entries)| block(a, b, entries));
            }
        }
        problem.c_mut().clear();
        for (k, i) in left.iter().enumerate() {
            let by = dot(&rows[k * gone..(k + 1) * gone], &self.free);
            problem.c_mut().push(whole.c()[*i] - by);
        }
        !is_held
    }
}

/// Calls `visit` with the places of row and column and the value for every entry of a block.
fn each(
    rows: &[usize],
    columns: &[usize],
    block: &[f64],
    mut visit: impl FnMut(usize, usize, f64),
) {
    for (i, entries) in rows.iter().zip(block.chunks_exact(columns.len())) {
        columns.iter().zip(entries).for_each(|(j, value)| visit(*i, *j, *value));
    }
}

/// The least contact of the set that a contact belongs to.
fn root(parent: &[usize], mut contact: usize) -> usize {
    while parent[contact] != contact {
        contact = parent[contact];
    }
    contact
}
