//! Whether a system can start: masses, overlaps, joints.
//!
//! All of it follows from the system itself at its start, so that every scene can be checked. The
//! rank is that of the joints' Delassus matrix G = Wᵀ M⁻¹ W with its rows scaled to a unit
//! diagonal, which does not depend on units.

use crate::convex::Set;
use crate::system::mass::MassInverse;
use crate::system::{Candidate, ContactSet, LawGroup, MechanicalSystem, State};

/// Most rows of joints whose rank is computed: it takes their number to the third power.
const MOST_ROWS: usize = 600;

/// Least pivot of the scaled matrix that counts: below it a row follows from the others.
const LEAST_PIVOT: f64 = 1e-10;

/// A contact or joint with a number that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Noted {
    /// Its name.
    pub name: String,
    /// m, m/s, rad or rad/s.
    pub value: f64,
}

/// What can be said of a system at its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartReport {
    /// Number of coordinates.
    pub coordinates: usize,
    /// Number of velocities: degrees of freedom without joints and contacts.
    pub velocities: usize,
    /// Number of blocks of the mass matrix: moving bodies of a world.
    pub blocks: usize,
    /// Blocks whose mass matrix is not positive definite.
    pub bad_masses: Vec<usize>,
    /// Contact candidates near each other.
    pub contacts: usize,
    /// Closed contacts.
    pub closed: usize,
    /// Contacts with negative gap, m.
    pub overlaps: Vec<Noted>,
    /// Closed contacts that approach, m/s: the run begins with an impact.
    pub approaching: Vec<Noted>,
    /// Joints whose bodies do not meet, m or rad.
    pub joint_gaps: Vec<Noted>,
    /// Joints whose bodies part, m/s or rad/s.
    pub joint_speeds: Vec<Noted>,
    /// Scalar constraints of all joints and prescribed motions.
    pub joint_rows: usize,
    /// How many of them are independent; none if there are too many to tell.
    pub joint_rank: Option<usize>,
}

impl StartReport {
    /// Looks at a system at its start. Smaller overlaps, gaps and speeds than `tolerance` (m, m/s,
    /// rad, rad/s) count as none.
    pub fn new(system: &dyn MechanicalSystem, start: &State, tolerance: f64) -> Self {
        let blocks = system.blocks();
        let mut report = Self {
            coordinates: system.coordinate_count(),
            velocities: blocks.iter().sum(),
            blocks: blocks.len(),
            ..Self::default()
        };
        let mut mass = vec![0.0; blocks.iter().map(|n| n * n).sum()];
        let mut forces = vec![0.0; report.velocities];
        system.mass_and_forces(start, &mut mass, &mut forces);
        let mut inverse = MassInverse::default();
        inverse.shape(blocks);
        if let Err(block) = inverse.factor(&mass) {
            report.bad_masses.push(block);
        }
        let mut set = ContactSet::default();
        system.contacts(start, &mut set);
        let mut rows: Vec<Row> = Vec::new();
        for candidate in set.candidates() {
            let Some(group) = system.law_groups().get(candidate.group) else { continue };
            let velocity = relative_velocity(&set, candidate, &inverse, start);
            let noted = |value: f64| Noted { name: system.contact_name(candidate.key), value };
            if candidate.gap == f64::NEG_INFINITY {
                let errors = set.position_error(candidate);
                let gap = errors.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
                if !(gap <= tolerance) {
                    report.joint_gaps.push(noted(gap));
                }
                let mut speed = 0.0_f64;
                for component in constrained(group) {
                    speed = speed.max(velocity.get(component).map_or(0.0, |v| v.abs()));
                    rows.push(Row::new(&set, candidate, component, &inverse));
                }
                if !(speed <= tolerance) {
                    report.joint_speeds.push(noted(speed));
                }
                continue;
            }
            report.contacts += 1;
            if !(candidate.gap >= -tolerance) {
                report.overlaps.push(noted(candidate.gap));
            }
            if candidate.is_closed() {
                report.closed += 1;
                if velocity.first().is_some_and(|v| !(*v >= -tolerance)) {
                    report.approaching.push(noted(velocity[0]));
                }
            }
        }
        report.joint_rows = rows.len();
        if report.bad_masses.is_empty() && rows.len() <= MOST_ROWS {
            report.joint_rank = Some(rank(&rows, &inverse));
        }
        report
    }
}

/// Components of the laws that are rigid constraints.
fn constrained(group: &LawGroup) -> impl Iterator<Item = usize> + '_ {
    let mut first = 0;
    group.laws.iter().flat_map(move |named| {
        let (start, dim) = (first, named.law.dim());
        first += dim;
        let is_rigid = matches!(named.law.set, Set::FreeSpace(_)) && named.law.viscosity.is_none();
        start..start + if is_rigid { dim } else { 0 }
    })
}

/// γ = Wᵀu + w̃ of a candidate; empty if its directions are not known.
fn relative_velocity(
    set: &ContactSet,
    candidate: &Candidate,
    layout: &MassInverse,
    state: &State,
) -> Vec<f64> {
    let directions = set.directions(candidate);
    let width = candidate.width().max(1);
    let velocities = touched(candidate, layout).flat_map(|block| {
        let first = layout.offset(block);
        state.u[first..first + layout.size(block)].iter()
    });
    let u: Vec<f64> = velocities.copied().collect();
    let rows = directions.chunks(width).zip(set.rheonomic(candidate));
    rows.map(|(row, w)| row.iter().zip(&u).map(|(a, b)| a * b).sum::<f64>() + w).collect()
}

/// The blocks that the directions of a candidate go over.
fn touched(candidate: &Candidate, layout: &MassInverse) -> impl Iterator<Item = usize> {
    let [first, second] = candidate.blocks;
    let one = candidate.width() == layout.size(first);
    [Some(first), (!one).then_some(second)].into_iter().flatten()
}

/// One direction w and M⁻¹w, by blocks.
struct Row {
    parts: Vec<(usize, Vec<f64>)>,
}

impl Row {
    fn new(
        set: &ContactSet,
        candidate: &Candidate,
        component: usize,
        layout: &MassInverse,
    ) -> Self {
        let width = candidate.width();
        let row = &set.directions(candidate)[component * width..(component + 1) * width];
        let mut first = 0;
        let parts = touched(candidate, layout).map(|block| {
            let part = row[first..first + layout.size(block)].to_vec();
            first += part.len();
            (block, part)
        });
        Self { parts: parts.collect() }
    }

    fn product(&self, other: &Row, inverse: &MassInverse) -> f64 {
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

/// Rank by a Cholesky factorisation with pivoting of the scaled matrix.
fn rank(rows: &[Row], inverse: &MassInverse) -> usize {
    let n = rows.len();
    let lengths: Vec<f64> = rows.iter().map(|row| row.product(row, inverse).sqrt()).collect();
    let entry = |i: usize, j: usize| {
        let scale = lengths[i] * lengths[j];
        if scale > 0.0 { rows[i].product(&rows[j], inverse) / scale } else { 0.0 }
    };
    let mut diagonal: Vec<f64> = (0..n).map(|i| entry(i, i)).collect();
    let mut factors: Vec<Vec<f64>> = Vec::new();
    let mut left: Vec<usize> = (0..n).collect();
    while let Some(place) = (0..left.len())
        .max_by(|a, b| diagonal[left[*a]].total_cmp(&diagonal[left[*b]]))
        .filter(|place| diagonal[left[*place]] > LEAST_PIVOT)
    {
        let pivot = left.swap_remove(place);
        let root = diagonal[pivot].sqrt();
        let mut factor = vec![0.0; n];
        for &i in &left {
            let known: f64 = factors.iter().map(|f| f[i] * f[pivot]).sum();
            factor[i] = (entry(i, pivot) - known) / root;
            diagonal[i] -= factor[i] * factor[i];
        }
        factor[pivot] = root;
        factors.push(factor);
    }
    factors.len()
}
