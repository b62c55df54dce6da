//! The problem of one contact with everything else held fixed.

use super::local_coulomb::{solve_planar, solve_spatial};
use super::local_drilling;
use super::local_general::GeneralContact;
use crate::convex::{ConvexSet, Set};
use crate::problem::{InclusionProblem, Law, Reservoir};

/// Whether a contact slides and drills, and does nothing else: see [`local_drilling`].
#[inline]
fn is_drilling(normal: &Law, friction: &Law) -> bool {
    friction.dim == 3
        && matches!(normal.set, Set::HalfLine(_))
        && friction.reservoir == Reservoir::Normal
}

/// Solves a problem whose only contact slides and drills under pressure, for its percussions (in: the
/// start). False if it is another one, if it was not solved, or if the start may be a solution to this
/// tolerance: they are then as they were.
pub(crate) fn solve_only(problem: &InclusionProblem, lambda: &mut [f64], tolerance: f64) -> bool {
    let [contact] = problem.contacts() else { return false };
    let [normal, friction] = problem.laws_of(contact) else { return false };
    let (a, q) = (problem.delassus().diagonal(0), problem.c());
    // A contact that may open has other solutions to choose from, where friction is strong.
    contact.coulomb.is_none()
        && is_drilling(normal, friction)
        && q[0] < 0.0
        && local_drilling::solve(&friction.set, a, q, lambda, Some(tolerance))
}

/// Solves single contacts: by cases where the law has a closed form, otherwise by Newton.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalSolver {
    general: GeneralContact,
}

impl LocalSolver {
    /// Makes room for contacts of this dimension.
    pub(crate) fn reserve(&mut self, dim: usize) {
        self.general.reserve(dim);
    }

    /// Solves contact `index` for its percussion r (in: the start), where q is its relative
    /// velocity at r = 0.
    pub(crate) fn solve(
        &mut self,
        problem: &InclusionProblem,
        index: usize,
        q: &[f64],
        r: &mut [f64],
    ) {
        let contact = &problem.contacts()[index];
        let a = problem.delassus().diagonal(index);
        match (contact.coulomb, problem.laws_of(contact)) {
            (Some(mu), [_, friction]) if friction.dim == 2 => {
                if let (Some(a), Some(q), Some(start)) =
                    (a.first_chunk(), q.first_chunk(), r.first_chunk())
                {
                    r.copy_from_slice(&solve_spatial(a, q, mu, start));
                }
            }
            (Some(mu), [_, _]) => r.copy_from_slice(&solve_planar(a, q, mu)),
            (_, [law]) if law.dim == 1 => {
                // One component: the unconstrained solution, brought into the set.
                r[0] = -q[0] / a[0];
                let scale = match law.reservoir {
                    Reservoir::Constant(s) => s,
                    _ => 1.0,
                };
                law.set.prox(scale, r);
            }
            (None, [normal, friction]) if is_drilling(normal, friction) => {
                if !local_drilling::solve(&friction.set, a, q, r, None) {
                    self.general.solve(problem.laws_of(contact), contact.offset, a, q, r);
                }
            }
            (_, laws) => self.general.solve(laws, contact.offset, a, q, r),
        }
    }
}
