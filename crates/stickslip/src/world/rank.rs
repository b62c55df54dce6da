//! How many constraints of the joints are independent.

use crate::system::mass::MassInverse;
use crate::system::{Candidate, ContactSet, MechanicalSystem, State};

/// Constraints of a configuration: permanent bilateral candidates (joints, speed motors).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JointRank {
    /// Number of constraints.
    pub rows: usize,
    /// Number of independent ones.
    pub rank: usize,
    /// Velocities that they leave free.
    pub freedom: usize,
}

/// A row whose pivot is this small against its diagonal entry depends on those before it. Rounding
/// leaves about 1e-15.
const DEPENDENT: f64 = 1e-12;
/// Most constraints of bodies that hang together: the work grows with their third power.
const MOST_ROWS: usize = 2000;

/// Counts the independent constraints of the joints of a system at a configuration, by the
/// pivoted Cholesky decomposition of WᵀM⁻¹W for each group of bodies that hang together. None if
/// the mass matrix is not positive definite or a group has more than 2000 constraints.
///
/// More rows than rank: the mechanism is hyperstatic. Its motion is unique, the forces in its joints
/// are not.
pub fn joint_rank(system: &dyn MechanicalSystem, at: &State) -> Option<JointRank> {
    let mut mass_inverse = MassInverse::default();
    mass_inverse.shape(system.blocks());
    let mut mass = vec![0.0; mass_inverse.entries()];
    let mut forces = vec![0.0; mass_inverse.dim()];
    system.mass_and_forces(at, &mut mass, &mut forces);
    mass_inverse.factor(&mass).ok()?;
    let mut set = ContactSet::default();
    system.contacts(at, &mut set);
    let constraints: Vec<&Candidate> =
        set.candidates().iter().filter(|c| is_constraint(system, c)).collect();
    let mut report = JointRank::default();
    for group in connected(system.blocks().len(), &constraints) {
        let rows: usize = group.iter().map(|c| c.dim).sum();
        if rows > MOST_ROWS {
            return None;
        }
        report.rows += rows;
        report.rank += rank(&delassus(&mass_inverse, &set, &group, rows), rows);
    }
    report.freedom = mass_inverse.dim() - report.rank.min(mass_inverse.dim());
    Some(report)
}

/// Whether a candidate always acts and holds a velocity without a limit of its force.
fn is_constraint(system: &dyn MechanicalSystem, candidate: &Candidate) -> bool {
    use crate::convex::Set;
    let laws = system.law_groups().get(candidate.group).map_or(&[][..], |group| &group.laws);
    let free = |set: &Set| matches!(set, Set::FreeSpace(_));
    candidate.gap == f64::NEG_INFINITY
        && !laws.is_empty()
        && laws.iter().all(|named| free(&named.law.set) && named.law.viscosity.is_none())
}

/// The constraints by groups of mass blocks that hang together.
fn connected<'a>(blocks: usize, constraints: &[&'a Candidate]) -> Vec<Vec<&'a Candidate>> {
    let mut parent: Vec<usize> = (0..blocks).collect();
    fn root(parent: &mut [usize], mut block: usize) -> usize {
        while parent[block] != block {
            parent[block] = parent[parent[block]];
            block = parent[block];
        }
        block
    }
    for candidate in constraints {
        let [a, b] = candidate.blocks.map(|block| root(&mut parent, block));
        parent[a.max(b)] = a.min(b);
    }
    let mut groups: Vec<Vec<&Candidate>> = vec![Vec::new(); blocks];
    for candidate in constraints {
        groups[root(&mut parent, candidate.blocks[0])].push(candidate);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// WᵀM⁻¹W of some candidates.
fn delassus(
    mass_inverse: &MassInverse,
    set: &ContactSet,
    group: &[&Candidate],
    rows: usize,
) -> Vec<f64> {
    // The rows spread over all velocities of the group would be dense; few blocks meet in a row.
    let mut parts: Vec<[(usize, Vec<f64>); 2]> = Vec::with_capacity(rows);
    for candidate in group {
        let size = mass_inverse.size(candidate.blocks[0]);
        for row in set.directions(candidate).chunks_exact(candidate.width()) {
            let (first, second) = row.split_at(size);
            parts.push([
                (candidate.blocks[0], first.to_vec()),
                (candidate.blocks[1], second.to_vec()),
            ]);
        }
    }
    let mut matrix = vec![0.0; rows * rows];
    for (i, left) in parts.iter().enumerate() {
        let mut solved = left.clone();
        for (block, part) in &mut solved {
            if !part.is_empty() {
                mass_inverse.apply(*block, part);
            }
        }
        for (j, right) in parts.iter().enumerate() {
            for (block_a, a) in &solved {
                for (block_b, b) in right {
                    if block_a == block_b && a.len() == b.len() {
                        let product: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
                        matrix[i * rows + j] += product;
                    }
                }
            }
        }
    }
    matrix
}

/// Rank of a symmetric positive semidefinite matrix, its rows scaled to a diagonal of 1.
fn rank(matrix: &[f64], n: usize) -> usize {
    let scales: Vec<f64> = (0..n)
        .map(|i| if matrix[i * n + i] > 0.0 { matrix[i * n + i].sqrt() } else { f64::INFINITY })
        .collect();
    let mut a: Vec<f64> = (0..n * n).map(|k| matrix[k] / scales[k / n] / scales[k % n]).collect();
    let mut order: Vec<usize> = (0..n).collect();
    for step in 0..n {
        let diagonal = |row: usize| a[row * n + row];
        let best =
            (step..n).fold(
                step,
                |best, k| {
                    if diagonal(order[k]) > diagonal(order[best]) { k } else { best }
                },
            );
        order.swap(step, best);
        let pivot_row = order[step];
        let pivot = a[pivot_row * n + pivot_row];
        if !(pivot > DEPENDENT) {
            return step;
        }
        for &i in &order[step + 1..] {
            let factor = a[i * n + pivot_row] / pivot;
            if factor != 0.0 {
                for &j in &order[step + 1..] {
                    a[i * n + j] -= factor * a[pivot_row * n + j];
                }
            }
        }
    }
    n
}
