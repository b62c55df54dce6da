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

use crate::convex::Set;
use crate::problem::{Contact, InclusionProblem, Law, Reservoir};

/// A pivot this small against its diagonal entry belongs to a joint that depends on others.
const DEPENDENT: f64 = 1e-9;
/// A contact whose own entry shrinks by more than this is held by joints alone.
const HELD: f64 = 1e-9;
/// Entries of factors and right-hand sides up to which elimination is worth its memory.
const MOST_ENTRIES: usize = 4_000_000;
/// Components that may be left: every two of them are coupled afterwards.
const MOST_LEFT: usize = 300;
/// Marks a component that is eliminated.
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
    /// Contact of the whole problem of each contact that is left.
    contacts: Vec<usize>,
    /// Set of coupled joints that each contact of the whole problem belongs to: union and find.
    parent: Vec<usize>,
    /// Sets that the contacts that are left touch, contact after contact.
    touched: Vec<usize>,
    touched_starts: Vec<usize>,
    factors: Envelope,
    /// L⁻¹ c_g; L⁻¹ G_gc and G_cg U⁻¹ by components of c.
    free: Vec<f64>,
    columns: Vec<f64>,
    rows: Vec<f64>,
    back: Vec<f64>,
    neighbours: Vec<usize>,
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

    /// Eliminates the joints. False if this cannot be done: some depend on others, hold a contact
    /// alone, or too much is left.
    pub(super) fn prepare(&mut self, problem: &InclusionProblem) -> bool {
        self.divide(problem);
        let (gone, left) = (self.gone.len(), self.left.len());
        if gone == 0 || left > MOST_LEFT || gone * (2 * left + 2) > MOST_ENTRIES {
            return false;
        }
        self.factors.shape(problem, &self.gone, &self.place);
        if self.factors.entries() > MOST_ENTRIES {
            return false;
        }
        for buffer in [&mut self.columns, &mut self.rows] {
            buffer.clear();
            buffer.resize(gone * left, 0.0);
        }
        let Self { place, factors, columns, rows, .. } = self;
        problem.delassus().for_each(|i, j, value| match (place[i], place[j]) {
            (a, b) if a >= GONE && b >= GONE => factors.put(a - GONE, b - GONE, value),
            (a, b) if a >= GONE => columns[b * gone + (a - GONE)] = value,
            (a, b) if b >= GONE => rows[a * gone + (b - GONE)] = value,
            _ => {}
        });
        if !self.factors.factor() {
            return false;
        }
        self.free.clear();
        self.free.extend(self.gone.iter().map(|i| problem.c()[*i]));
        self.factors.lower_solve(&mut self.free);
        for (column, row) in
            self.columns.chunks_exact_mut(gone).zip(self.rows.chunks_exact_mut(gone))
        {
            self.factors.lower_solve(column);
            self.factors.upper_solve_left(row);
        }
        self.pose(problem)
    }

    /// Takes the start from percussions of the whole problem.
    pub(super) fn gather(&mut self, lambda: &[f64]) {
        self.lambda.clear();
        self.lambda.extend(self.left.iter().map(|i| lambda[*i]));
    }

    /// Percussions of the whole problem.
    pub(super) fn expand(&mut self, lambda: &mut [f64]) {
        let Self { back, free, columns, factors, gone, left, lambda: own, .. } = self;
        back.clone_from(free);
        for (column, value) in columns.chunks_exact(gone.len()).zip(own.iter()) {
            if *value != 0.0 {
                back.iter_mut().zip(column).for_each(|(b, c)| *b += value * c);
            }
        }
        factors.upper_solve(back);
        for (i, value) in gone.iter().zip(back.iter()) {
            lambda[*i] = -value;
        }
        for (i, value) in left.iter().zip(own.iter()) {
            lambda[*i] = *value;
        }
    }

    /// Which components go, and which joints hang together.
    fn divide(&mut self, problem: &InclusionProblem) {
        self.left.clear();
        self.gone.clear();
        self.place.clear();
        self.contacts.clear();
        self.parent.clear();
        self.parent.extend(0..problem.contacts().len());
        self.problem.clear();
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
            if laws.iter().any(|law| stays(&law)) {
                self.contacts.push(index);
                let laws = laws.iter().filter(stays);
                self.problem.push_contact(laws.map(|law| (law.set.clone(), law.reservoir)));
            }
        }
        let loses = |index: usize| {
            let contact = &problem.contacts()[index];
            self.place[contact.range()].iter().any(|p| *p >= GONE)
        };
        for index in (0..problem.contacts().len()).filter(|index| loses(*index)) {
            for (other, _) in problem.delassus().row(index).filter(|(other, _)| loses(*other)) {
                let (a, b) = (root(&self.parent, index), root(&self.parent, other));
                self.parent[a.max(b)] = a.min(b);
            }
        }
        self.touched.clear();
        self.touched_starts.clear();
        for &index in &self.contacts {
            let first = self.touched.len();
            self.touched_starts.push(first);
            for (other, _) in problem.delassus().row(index).filter(|(other, _)| loses(*other)) {
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
        let Self { problem, contacts, touched, touched_starts, neighbours, .. } = self;
        let sets = |k: usize| &touched[touched_starts[k]..touched_starts[k + 1]];
        let shares = |a: usize, b: usize| sets(a).iter().any(|set| sets(b).contains(set));
        for (a, &index) in contacts.iter().enumerate() {
            neighbours.clear();
            let mut own = whole.delassus().row(index).map(|(other, _)| other).peekable();
            for (b, other) in contacts.iter().enumerate() {
                while own.next_if(|k| k < other).is_some() {}
                if own.peek() == Some(other) || shares(a, b) {
                    neighbours.push(b);
                }
            }
            problem.push_delassus_row(a, neighbours);
        }
        problem.delassus_mut().finish();
        let (gone, left, rows, columns) = (self.gone.len(), &self.left, &self.rows, &self.columns);
        let part = |k: usize| k * gone..(k + 1) * gone;
        let mut is_held = false;
        for (a, &index) in contacts.iter().enumerate() {
            let (own, first) = (whole.contacts()[index].offset, problem.contacts()[a].offset);
            let height = problem.contacts()[a].dim;
            let mut given = whole.delassus().row(index).peekable();
            let mut column = 0;
            for (b, block) in problem.delassus_mut().row_mut(a) {
                let other = contacts[b];
                let start = whole.contacts()[other].offset;
                // Components of the contacts that are left stand in the order of all.
                while left[column] < start {
                    column += 1;
                }
                while given.next_if(|(k, _)| *k < other).is_some() {}
                let was = given.peek().filter(|(k, _)| *k == other).map(|(_, block)| *block);
                let width = block.len() / height;
                let whole_width = whole.contacts()[other].dim;
                let coupled = shares(a, b);
                for (i, entries) in block.chunks_exact_mut(width).enumerate() {
                    let whole_row = (left[first + i] - own) * whole_width;
                    for (j, entry) in entries.iter_mut().enumerate() {
                        let there = left[column + j] - start;
                        *entry = was.map_or(0.0, |was| was[whole_row + there]);
                        if coupled {
                            let row = &rows[part(first + i)];
                            let by = &columns[part(column + j)];
                            let before = *entry;
                            *entry -= row.iter().zip(by).map(|(r, c)| r * c).sum::<f64>();
                            is_held |= (a, i) == (b, j) && !(*entry > HELD * before);
                        }
                    }
                }
            }
        }
        problem.c_mut().clear();
        for (k, i) in left.iter().enumerate() {
            let row = &rows[part(k)];
            let by: f64 = row.iter().zip(&self.free).map(|(r, f)| r * f).sum();
            problem.c_mut().push(whole.c()[*i] - by);
        }
        !is_held
    }
}

/// The least contact of the set that a contact belongs to.
fn root(parent: &[usize], mut contact: usize) -> usize {
    while parent[contact] != contact {
        contact = parent[contact];
    }
    contact
}

/// Factors L (unit diagonal) and U of a matrix whose pattern is symmetric: row i of L and column i of U
/// begin at `first[i]`.
#[derive(Clone, Debug, Default)]
struct Envelope {
    first: Vec<usize>,
    /// Where the entries of each row begin; one more than rows.
    starts: Vec<usize>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pivots: Vec<f64>,
}

impl Envelope {
    fn entries(&self) -> usize {
        self.lower.len()
    }

    /// Makes room for the couplings of the components `gone`.
    fn shape(&mut self, problem: &InclusionProblem, gone: &[usize], place: &[usize]) {
        self.first.clear();
        self.starts.clear();
        self.starts.push(0);
        let mut entries = 0;
        for (index, contact) in problem.contacts().iter().enumerate() {
            let first_of = |other: usize| {
                let range = problem.contacts()[other].range();
                place[range].iter().find(|p| **p >= GONE).map(|p| p - GONE)
            };
            let Some(least) = problem.delassus().row(index).find_map(|(other, _)| first_of(other))
            else {
                continue;
            };
            for p in place[contact.range()].iter().filter(|p| **p >= GONE) {
                let least = least.min(p - GONE);
                self.first.push(least);
                entries += p - GONE - least;
                self.starts.push(entries);
            }
        }
        debug_assert_eq!(self.first.len(), gone.len());
        for buffer in [&mut self.lower, &mut self.upper] {
            buffer.clear();
            buffer.resize(entries, 0.0);
        }
        self.pivots.clear();
        self.pivots.resize(gone.len(), 0.0);
    }

    fn put(&mut self, i: usize, j: usize, value: f64) {
        match i.cmp(&j) {
            std::cmp::Ordering::Less => self.upper[self.starts[j] + i - self.first[j]] = value,
            std::cmp::Ordering::Equal => self.pivots[i] = value,
            std::cmp::Ordering::Greater => self.lower[self.starts[i] + j - self.first[i]] = value,
        }
    }

    /// Row i of a triangle.
    fn row<'a>(&self, of: &'a [f64], i: usize) -> &'a [f64] {
        &of[self.starts[i]..self.starts[i + 1]]
    }

    /// Factors in place. False if a row depends on those before it.
    fn factor(&mut self) -> bool {
        for i in 0..self.pivots.len() {
            let (first, start) = (self.first[i], self.starts[i]);
            for j in first..i {
                let (first_j, start_j) = (self.first[j], self.starts[j]);
                let from = first.max(first_j);
                let own = start + from - first..start + j - first;
                let other = start_j + from - first_j..start_j + j - first_j;
                let by = |a: &[f64], b: &[f64]| -> f64 {
                    a[own.clone()].iter().zip(&b[other.clone()]).map(|(a, b)| a * b).sum()
                };
                let (lower, upper) = (by(&self.lower, &self.upper), by(&self.upper, &self.lower));
                let at = start + j - first;
                self.lower[at] = (self.lower[at] - lower) / self.pivots[j];
                self.upper[at] -= upper;
            }
            let product: f64 = self
                .row(&self.lower, i)
                .iter()
                .zip(self.row(&self.upper, i))
                .map(|(l, u)| l * u)
                .sum();
            let pivot = self.pivots[i] - product;
            if !(pivot > DEPENDENT * self.pivots[i]) {
                return false;
            }
            self.pivots[i] = pivot;
        }
        true
    }

    /// x ← L⁻¹ x.
    fn lower_solve(&self, x: &mut [f64]) {
        let begin = x.iter().position(|v| *v != 0.0).unwrap_or(x.len());
        for i in begin..x.len() {
            let first = self.first[i];
            let row = self.row(&self.lower, i).iter();
            x[i] -= row.zip(&x[first..i]).map(|(l, x)| l * x).sum::<f64>();
        }
    }

    /// x ← U⁻ᵀ x, that is x ← x U⁻¹ for a row.
    fn upper_solve_left(&self, x: &mut [f64]) {
        let begin = x.iter().position(|v| *v != 0.0).unwrap_or(x.len());
        for i in begin..x.len() {
            let first = self.first[i];
            let column = self.row(&self.upper, i).iter();
            let sum: f64 = column.zip(&x[first..i]).map(|(u, x)| u * x).sum();
            x[i] = (x[i] - sum) / self.pivots[i];
        }
    }

    /// x ← U⁻¹ x.
    fn upper_solve(&self, x: &mut [f64]) {
        for i in (0..x.len()).rev() {
            x[i] /= self.pivots[i];
            let (value, first) = (x[i], self.first[i]);
            let column = self.row(&self.upper, i);
            x[first..i].iter_mut().zip(column).for_each(|(x, u)| *x -= value * u);
        }
    }
}
