//! Sweeps over problems whose contacts all have one direction of friction: rows and walls in the plane.

use super::local_coulomb::solve_planar;
use crate::problem::InclusionProblem;

/// What is needed to solve one contact.
#[derive(Clone, Copy, Debug)]
struct Local {
    friction: f64,
    diagonal: [f64; 4],
}

/// Memory of the sweeps, and the problem that they are prepared for.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanarSweeps {
    locals: Vec<Local>,
}

impl PlanarSweeps {
    /// Prepares sweeps over a problem; nothing is prepared if it has other contacts.
    pub(super) fn begin(&mut self, problem: &InclusionProblem) {
        self.locals.clear();
        let Some(rows) = problem.delassus().uniform_rows::<2, 4>() else { return };
        for (index, contact) in problem.contacts().iter().enumerate() {
            let (Some(friction), [_, _]) = (contact.coulomb, problem.laws_of(contact)) else {
                return self.locals.clear();
            };
            self.locals.push(Local { friction, diagonal: *rows.diagonal(index) });
        }
    }

    /// Whether they are prepared.
    pub(super) fn is_ready(&self) -> bool {
        !self.locals.is_empty()
    }

    /// One sweep over all contacts.
    pub(super) fn sweep(&self, problem: &InclusionProblem, lambda: &mut [f64], relaxation: f64) {
        let Some(rows) = problem.delassus().uniform_rows::<2, 4>() else { return };
        let (c, (lambda, _)) = (problem.c().as_chunks::<2>().0, lambda.as_chunks_mut::<2>());
        for (contact, (local, c)) in self.locals.iter().zip(c).enumerate() {
            // Velocity without the contact's own percussion.
            let mut q = *c;
            for (column, g) in rows.columns(contact).iter().zip(rows.blocks(contact)) {
                if *column != contact {
                    let [x, y] = lambda[*column];
                    q[0] += g[0] * x + g[1] * y;
                    q[1] += g[2] * x + g[3] * y;
                }
            }
            let new = solve_planar(&local.diagonal, &q, local.friction);
            let old = lambda[contact];
            lambda[contact] = if relaxation == 1.0 {
                new
            } else {
                [0, 1].map(|k| old[k] + relaxation * (new[k] - old[k]))
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_solve_one_contact_after_the_other() {
        // Three contacts, each coupled with the others, normal with tangential directions too.
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0 + 0.1 * i as f64,
            1 => 0.3,
            apart => 0.4 / apart as f64,
        };
        let delassus: Vec<f64> = (0..36).map(|k| entry(k / 6, k % 6)).collect();
        let c = [-1.0, 0.3, -0.2, -2.0, -0.7, 0.1];
        let problem = InclusionProblem::coulomb(2, &[0.5; 3], &delassus, &c).unwrap();
        let mut sweeps = PlanarSweeps::default();
        sweeps.begin(&problem);
        assert!(sweeps.is_ready());
        let mut lambda = vec![0.1; problem.dim()];
        let mut expected = lambda.clone();
        sweeps.sweep(&problem, &mut lambda, 1.0);
        for (index, contact) in problem.contacts().iter().enumerate() {
            let range = contact.range();
            let mut q = problem.c()[range.clone()].to_vec();
            expected[range.clone()].fill(0.0);
            problem.delassus().add_row_product(index, &expected, &mut q);
            let own = solve_planar(problem.delassus().diagonal(index), &q, 0.5);
            expected[range].copy_from_slice(&own);
        }
        for (found, expected) in lambda.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-14);
        }
    }
}
