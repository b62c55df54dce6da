//! Sweeps over problems whose contacts all have two directions of friction: piles.

use super::local_coulomb::{ORDINARY, is_isotropic, solve_spatial};
use crate::problem::{InclusionProblem, UniformRows};

/// What is needed to solve one contact.
#[derive(Clone, Copy, Debug)]
struct Local {
    friction: f64,
    diagonal: [f64; 9],
    /// 1/G_NN and 1/G_TT where normal and tangential directions are not coupled and all of the latter are
    /// alike, as between spheres.
    round: Option<[f64; 2]>,
}

/// Memory of the sweeps, and the problem that they are prepared for.
#[derive(Clone, Debug, Default)]
pub(super) struct SpatialSweeps {
    locals: Vec<Local>,
}

impl SpatialSweeps {
    /// Prepares sweeps over a problem; nothing is prepared if it has other contacts.
    pub(super) fn begin(&mut self, problem: &InclusionProblem) {
        self.locals.clear();
        let Some(rows) = problem.delassus().uniform_rows::<3, 9>() else { return };
        for (index, contact) in problem.contacts().iter().enumerate() {
            let (Some(friction), [_, _]) = (contact.coulomb, problem.laws_of(contact)) else {
                return self.locals.clear();
            };
            let diagonal = *rows.diagonal(index);
            self.locals.push(Local { friction, diagonal, round: round(&diagonal) });
        }
    }

    /// Whether they are prepared.
    pub(super) fn is_ready(&self) -> bool {
        !self.locals.is_empty()
    }

    /// One sweep over all contacts.
    pub(super) fn sweep(&self, problem: &InclusionProblem, lambda: &mut [f64], relaxation: f64) {
        let Some(rows) = problem.delassus().uniform_rows::<3, 9>() else { return };
        let (c, (lambda, _)) = (problem.c().as_chunks::<3>().0, lambda.as_chunks_mut::<3>());
        let sweep = Sweep { rows, locals: &self.locals, c, relaxation };
        for contact in 0..self.locals.len() {
            lambda[contact] = sweep.solve(contact, lambda);
        }
    }
}

/// The data of a sweep.
struct Sweep<'a> {
    rows: UniformRows<'a, 9>,
    locals: &'a [Local],
    c: &'a [[f64; 3]],
    relaxation: f64,
}

impl Sweep<'_> {
    /// The percussion of a contact with all others held.
    #[inline]
    fn solve(&self, contact: usize, lambda: &[[f64; 3]]) -> [f64; 3] {
        let mut q = self.c[contact];
        let (columns, blocks) = (self.rows.columns(contact), self.rows.blocks(contact));
        for (column, g) in columns.iter().zip(blocks) {
            if *column != contact {
                let l = &lambda[*column];
                q[0] += g[0] * l[0] + g[1] * l[1] + g[2] * l[2];
                q[1] += g[3] * l[0] + g[4] * l[1] + g[5] * l[2];
                q[2] += g[6] * l[0] + g[7] * l[1] + g[8] * l[2];
            }
        }
        let old = &lambda[contact];
        let new = self.locals[contact].solve(&q, old);
        if self.relaxation == 1.0 {
            return new;
        }
        [0, 1, 2].map(|k| old[k] + self.relaxation * (new[k] - old[k]))
    }
}

impl Local {
    /// The percussion at the velocity q without it; `old` is a start.
    #[inline]
    fn solve(&self, q: &[f64; 3], old: &[f64; 3]) -> [f64; 3] {
        if q[0] >= 0.0 {
            return [0.0; 3];
        }
        match self.round {
            Some([normal, tangential])
                if ORDINARY.contains(&(q[0].abs() + q[1].abs() + q[2].abs())) =>
            {
                let most = self.friction * -q[0] * normal;
                let speed = (q[1] * q[1] + q[2] * q[2]).sqrt();
                let factor = if speed * tangential <= most { -tangential } else { -most / speed };
                [-q[0] * normal, factor * q[1], factor * q[2]]
            }
            _ => solve_spatial(&self.diagonal, q, self.friction, old),
        }
    }
}

/// The inverse diagonal of a contact that is alike in all tangential directions.
fn round(a: &[f64; 9]) -> Option<[f64; 2]> {
    let size = a[4] + a[8];
    let is_round = is_isotropic(a, &[a[4], a[5], a[7], a[8]], size);
    (is_round && ORDINARY.contains(&(a[0] + size))).then(|| [1.0 / a[0], 2.0 / size])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeded numbers in −1 to 1.
    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..count).map(|_| 2.0 * random.f64() - 1.0).collect()
    }

    #[test]
    fn a_round_contact_is_solved_as_any_other() {
        let diagonal = [2.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 7.0];
        for friction in [0.0, 0.3, 1.5] {
            let local = Local { friction, diagonal, round: round(&diagonal) };
            assert!(local.round.is_some());
            for q in numbers(300, 3).as_chunks::<3>().0 {
                let expected = solve_spatial(&diagonal, q, friction, &[0.0; 3]);
                let found = local.solve(q, &[0.0; 3]);
                for k in 0..3 {
                    assert!((found[k] - expected[k]).abs() < 1e-15, "{q:?}");
                }
            }
            for q in [[-1e200, 1e200, 0.0], [-1e-200, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0; 3]] {
                assert!(local.solve(&q, &[0.0; 3]).iter().all(|v| v.is_finite()));
            }
        }
        // A coupling of normal and tangential directions is not left out.
        assert!(round(&[2.0, 0.1, 0.0, 0.1, 7.0, 0.0, 0.0, 0.0, 7.0]).is_none());
    }
}
