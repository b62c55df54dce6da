//! The problem of one contact with everything else held fixed.

use super::local_coulomb::{solve_planar, solve_spatial};
use crate::problem::InclusionProblem;

/// Solves single contacts: exactly for Signorini contact with Coulomb friction.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalSolver {}

impl LocalSolver {
    pub(crate) fn solve(
        &mut self,
        problem: &InclusionProblem,
        index: usize,
        q: &[f64],
        r: &mut [f64],
    ) {
        let contact = &problem.contacts()[index];
        let a = problem.delassus().diagonal(index);
        if let Some(mu) = contact.coulomb {
            match contact.dim {
                3 => r.copy_from_slice(&solve_spatial(a, q, mu)),
                2 => r.copy_from_slice(&solve_planar(a, q, mu)),
                _ => {}
            }
        }
    }
}
