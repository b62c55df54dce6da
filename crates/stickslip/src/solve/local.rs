//! The problem of one contact with everything else held fixed.

use super::local_coulomb::{solve_planar, solve_spatial};
use super::local_drilling;
use super::local_general::GeneralContact;
use crate::convex::{ConvexSet, Set};
use crate::problem::{InclusionProblem, Reservoir};

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
            (None, [normal, friction])
                if friction.dim == 3
                    && matches!(normal.set, Set::HalfLine(_))
                    && friction.reservoir == Reservoir::Normal =>
            {
                if !local_drilling::solve(&friction.set, a, q, r) {
                    self.general.solve(problem.laws_of(contact), contact.offset, a, q, r);
                }
            }
            (_, laws) => self.general.solve(laws, contact.offset, a, q, r),
        }
    }
}
