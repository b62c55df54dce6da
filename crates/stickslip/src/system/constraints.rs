//! The rigid constraints of all joints together: which of them depend on others, and which
//! contradict each other.
//!
//! Constraints Wᵀu = b are looked at in the metric of the mass matrix: G = Wᵀ M⁻¹ W with its rows
//! scaled to a unit diagonal does not depend on units. A Cholesky factorisation with pivoting finds
//! rows that span all others, and how the others follow from them, w_i = Σ a_k w_k. Then b must
//! follow in the same way, b_i = Σ a_k b_k; otherwise no velocity fulfils them.

use super::mass::MassInverse;
use super::{Candidate, ContactSet, LawGroup, MechanicalSystem, State};
use crate::convex::Set;

/// Most rows of joints that are looked at: it takes their number to the third power.
const MOST_ROWS: usize = 600;

/// Least pivot of the scaled matrix that counts: below it a row follows from the others.
const LEAST_PIVOT: f64 = 1e-10;

/// Part of the terms of a constraint by which it must be missed to contradict others.
const CONTRADICTION: f64 = 1e-6;

/// Prescribed speed, m/s or rad/s, that may be rounding of nothing.
const NO_SPEED: f64 = 1e-12;

/// Least share by which a row takes part in a combination of rows.
const LEAST_SHARE: f64 = 1e-6;

/// Newton steps for the closing of joints that are apart.
const CLOSING_STEPS: usize = 30;

/// One rigid constraint: its direction w by blocks.
#[derive(Clone, Debug)]
struct ConstraintRow {
    parts: Vec<(usize, Vec<f64>)>,
    /// Key of the joint.
    key: u64,
    /// Error of position, m or rad; 0 where it has none.
    error: f64,
    /// Prescribed part w̃ of its velocity, m/s or rad/s.
    prescribed: f64,
}

impl ConstraintRow {
    fn product(&self, other: &ConstraintRow, inverse: &MassInverse) -> f64 {
        let mut sum = 0.0;
        for (block, part) in &self.parts {
            for (other_block, other_part) in &other.parts {
                if block == other_block {
                    let mut x = other_part.clone();
                    inverse.apply(*block, &mut x);
                    sum += part.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        sum
    }
}

/// The rigid constraints of a system at one state.
#[derive(Clone, Debug)]
pub struct Constraints {
    rows: Vec<ConstraintRow>,
    inverse: MassInverse,
    /// Length of every row in the metric of the masses.
    lengths: Vec<f64>,
    /// Rows that span all others, in the order in which they were found, and the columns of the
    /// factor that belong to them.
    pivots: Vec<usize>,
    factors: Vec<Vec<f64>>,
}

/// Joints that cannot be fulfilled together.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// Their names, in the order of the system.
    pub joints: Vec<String>,
    /// By how much one of them is missed: m or rad, or m/s or rad/s.
    pub misfit: f64,
    /// Whether it is their speeds that contradict, and not their positions.
    pub of_speeds: bool,
}

impl std::fmt::Display for Contradiction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.joints.iter().map(|name| format!("'{name}'")).collect();
        let (what, unit) = if self.of_speeds {
            ("prescribe speeds that contradict each other, by", "m/s or rad/s")
        } else {
            ("contradict each other: they cannot be closed together, and stay apart by", "m or rad")
        };
        match names.as_slice() {
            [] => write!(f, "joints {what} {:.3e} {unit}", self.misfit),
            [one] => write!(f, "joint {one} cannot be fulfilled, by {:.3e} {unit}", self.misfit),
            [head @ .., last] => {
                write!(f, "joints {} and {last} {what} {:.3e} {unit}", head.join(", "), self.misfit)
            }
        }
    }
}

impl Constraints {
    /// The constraints at a state; none if there are too many of them, or a mass is not positive.
    pub fn at(system: &dyn MechanicalSystem, state: &State) -> Option<Self> {
        let blocks = system.blocks();
        let mut mass = vec![0.0; blocks.iter().map(|n| n * n).sum()];
        let mut forces = vec![0.0; blocks.iter().sum()];
        system.mass_and_forces(state, &mut mass, &mut forces);
        let mut inverse = MassInverse::default();
        inverse.shape(blocks);
        inverse.factor(&mass).ok()?;
        let mut set = ContactSet::default();
        system.contacts(state, &mut set);
        let mut rows = Vec::new();
        for candidate in set.candidates() {
            let Some(group) = system.law_groups().get(candidate.group) else { continue };
            if candidate.gap != f64::NEG_INFINITY || !candidate.has_directions() {
                continue;
            }
            let width = candidate.width();
            for component in constrained(group) {
                let row = &set.directions(candidate)[component * width..(component + 1) * width];
                let mut first = 0;
                let parts = touched(candidate, &inverse).map(|block| {
                    let part = row[first..first + inverse.size(block)].to_vec();
                    first += part.len();
                    (block, part)
                });
                rows.push(ConstraintRow {
                    parts: parts.collect(),
                    key: candidate.key,
                    error: set.position_error(candidate).get(component).copied().unwrap_or(0.0),
                    prescribed: set.rheonomic(candidate)[component],
                });
            }
        }
        if rows.len() > MOST_ROWS {
            return None;
        }
        let lengths = rows.iter().map(|row| row.product(row, &inverse).sqrt()).collect();
        let mut found = Self { rows, inverse, lengths, pivots: Vec::new(), factors: Vec::new() };
        found.factor();
        Some(found)
    }

    /// Number of scalar constraints.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// How many of them are independent.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        let scale = self.lengths[i] * self.lengths[j];
        if scale > 0.0 { self.rows[i].product(&self.rows[j], &self.inverse) / scale } else { 0.0 }
    }

    /// Cholesky factorisation of the scaled matrix with pivoting. Not one of `linear/`: of a matrix of many constraints
    /// only the columns of pivots are made, entry by entry.
    fn factor(&mut self) {
        let n = self.rows.len();
        let mut diagonal: Vec<f64> = (0..n).map(|i| self.entry(i, i)).collect();
        let mut left: Vec<usize> = (0..n).collect();
        while let Some(place) = (0..left.len())
            .max_by(|a, b| diagonal[left[*a]].total_cmp(&diagonal[left[*b]]))
            .filter(|place| diagonal[left[*place]] > LEAST_PIVOT)
        {
            let pivot = left.swap_remove(place);
            let root = diagonal[pivot].sqrt();
            let mut factor = vec![0.0; n];
            for &i in &left {
                let known: f64 = self.factors.iter().map(|f| f[i] * f[pivot]).sum();
                factor[i] = (self.entry(i, pivot) - known) / root;
                diagonal[i] -= factor[i] * factor[i];
            }
            factor[pivot] = root;
            self.factors.push(factor);
            self.pivots.push(pivot);
        }
    }

    /// Rows that follow from the pivots.
    fn dependent(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|row| !self.pivots.contains(row)).collect()
    }

    /// The combination of (scaled) pivots that gives a row: L_Pᵀ a = l_i.
    fn combination(&self, row: usize) -> Vec<f64> {
        let rank = self.pivots.len();
        let mut a = vec![0.0; rank];
        for k in (0..rank).rev() {
            let known: f64 = (k + 1..rank).map(|j| self.factors[k][self.pivots[j]] * a[j]).sum();
            a[k] = (self.factors[k][row] - known) / self.factors[k][self.pivots[k]];
        }
        a
    }

    /// Joints of which at least one constraint follows from those of others.
    pub fn redundant(&self, system: &dyn MechanicalSystem) -> Vec<String> {
        let mut rows = self.dependent();
        for row in self.dependent() {
            let shares = self.combination(row);
            let involved = shares.iter().zip(&self.pivots).filter(|(a, _)| a.abs() > LEAST_SHARE);
            rows.extend(involved.map(|(_, pivot)| *pivot));
        }
        self.names(system, rows)
    }

    fn names(&self, system: &dyn MechanicalSystem, mut rows: Vec<usize>) -> Vec<String> {
        rows.sort_unstable();
        let mut names: Vec<String> = Vec::new();
        for row in rows {
            let name = system.contact_name(self.rows[row].key);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Joints whose values b cannot be had together: the worst of the dependent rows.
    fn contradiction(
        &self,
        system: &dyn MechanicalSystem,
        value: impl Fn(&ConstraintRow) -> f64,
        least: f64,
        of_speeds: bool,
    ) -> Option<Contradiction> {
        let scaled = |row: usize| {
            let length = self.lengths[row];
            if length > 0.0 { value(&self.rows[row]) / length } else { 0.0 }
        };
        let mut worst: Option<(f64, Vec<usize>)> = None;
        for row in self.dependent() {
            let shares = self.combination(row);
            let (mut misfit, mut terms) = (scaled(row), scaled(row).abs());
            for (a, pivot) in shares.iter().zip(&self.pivots) {
                misfit -= a * scaled(*pivot);
                terms += (a * scaled(*pivot)).abs();
            }
            // A direction of length 0 moves nothing, whatever is asked of it.
            let length = self.lengths[row];
            let asked = value(&self.rows[row]).abs();
            let missed = if length > 0.0 { misfit.abs() * length } else { asked };
            let counts = missed > least && missed > CONTRADICTION * terms * length;
            if counts && worst.as_ref().is_none_or(|(most, _)| missed > *most) {
                let mut rows = vec![row];
                let taking = shares.iter().zip(&self.pivots);
                rows.extend(taking.filter(|(a, _)| a.abs() > LEAST_SHARE).map(|(_, p)| *p));
                worst = Some((missed, rows));
            }
        }
        worst.map(|(misfit, rows)| Contradiction {
            joints: self.names(system, rows),
            misfit,
            of_speeds,
        })
    }

    /// Joints whose prescribed speeds (motors, moving supports) no motion has.
    pub fn contradiction_of_speeds(&self, system: &dyn MechanicalSystem) -> Option<Contradiction> {
        self.contradiction(system, |row| -row.prescribed, NO_SPEED, true)
    }

    /// Moves the state towards closed joints by one Newton step of the independent rows, in the
    /// metric of the masses. Returns the largest error of position before it.
    fn close(&self, system: &dyn MechanicalSystem, state: &mut State) -> f64 {
        let rank = self.pivots.len();
        // L_P L_Pᵀ x = −g, scaled.
        let mut x: Vec<f64> =
            self.pivots.iter().map(|p| -self.rows[*p].error / self.lengths[*p]).collect();
        for j in 0..rank {
            let known: f64 = (0..j).map(|k| self.factors[k][self.pivots[j]] * x[k]).sum();
            x[j] = (x[j] - known) / self.factors[j][self.pivots[j]];
        }
        for k in (0..rank).rev() {
            let known: f64 = (k + 1..rank).map(|j| self.factors[k][self.pivots[j]] * x[j]).sum();
            x[k] = (x[k] - known) / self.factors[k][self.pivots[k]];
        }
        let mut shift = vec![0.0; state.u.len()];
        for (multiplier, pivot) in x.iter().zip(&self.pivots) {
            for (block, part) in &self.rows[*pivot].parts {
                let mut v = part.clone();
                self.inverse.apply(*block, &mut v);
                let first = self.inverse.offset(*block);
                for (s, v) in shift[first..].iter_mut().zip(v) {
                    *s += multiplier / self.lengths[*pivot] * v;
                }
            }
        }
        // A displacement, not a rate: without what is prescribed.
        let (mut moved, mut still) = (vec![0.0; state.q.len()], vec![0.0; state.q.len()]);
        system.coordinate_rate(state, &shift, &mut moved);
        system.coordinate_rate(state, &vec![0.0; shift.len()], &mut still);
        for ((q, a), b) in state.q.iter_mut().zip(moved).zip(still) {
            *q += a - b;
        }
        system.normalize(&mut state.q);
        self.rows.iter().fold(0.0, |most, row| most.max(row.error.abs()))
    }
}

/// Joints of a system that cannot be closed together from this state, or whose speeds at its time
/// contradict each other. Errors of position up to `tolerance` (m, rad) are none.
pub fn find_contradiction(
    system: &dyn MechanicalSystem,
    state: &State,
    tolerance: f64,
) -> Option<Contradiction> {
    let here = Constraints::at(system, state)?;
    if let Some(found) = here.contradiction_of_speeds(system) {
        return Some(found);
    }
    let apart = |all: &Constraints| all.rows.iter().any(|row| row.error.abs() > tolerance);
    if !apart(&here) {
        return None;
    }
    let mut at = state.clone();
    let mut now = here;
    for _ in 0..CLOSING_STEPS {
        let before = now.close(system, &mut at);
        now = Constraints::at(system, &at)?;
        if !apart(&now) || !before.is_finite() {
            break;
        }
    }
    if !apart(&now) {
        return None;
    }
    // Independent rows that a Newton step cannot close either are part of the same contradiction.
    now.contradiction(system, |row| row.error, tolerance, false).or_else(|| {
        let rows: Vec<usize> =
            (0..now.rows.len()).filter(|row| !(now.rows[*row].error.abs() <= tolerance)).collect();
        let misfit = rows.iter().fold(0.0_f64, |most, row| most.max(now.rows[*row].error.abs()));
        Some(Contradiction { joints: now.names(system, rows), misfit, of_speeds: false })
    })
}

/// Components of the laws that are rigid constraints.
pub(crate) fn constrained(group: &LawGroup) -> impl Iterator<Item = usize> + '_ {
    let mut first = 0;
    group.laws.iter().flat_map(move |named| {
        let (start, dim) = (first, named.law.dim());
        first += dim;
        let is_rigid = matches!(named.law.set, Set::FreeSpace(_)) && named.law.viscosity.is_none();
        start..start + if is_rigid { dim } else { 0 }
    })
}

/// The blocks that the directions of a candidate go over.
pub(crate) fn touched(candidate: &Candidate, layout: &MassInverse) -> impl Iterator<Item = usize> {
    let [first, second] = candidate.blocks;
    let one = candidate.width() == layout.size(first);
    [Some(first), (!one).then_some(second)].into_iter().flatten()
}
