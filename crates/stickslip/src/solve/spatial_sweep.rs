//! Sweeps over problems whose contacts all have two directions of friction: piles.

use super::extrapolation::Sums;
use super::local_coulomb::{ORDINARY, is_isotropic, solve_spatial};
use super::slabs::Slabs;
use crate::problem::InclusionProblem;
use crate::slabs::BY_SLABS;

/// What is needed to solve one contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
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
    slabs: Slabs,
}

impl SpatialSweeps {
    /// Prepares sweeps over a problem; nothing is prepared if it has other contacts.
    pub(super) fn begin(&mut self, problem: &InclusionProblem) {
        self.locals.clear();
        self.slabs.clear();
        let Some(rows) = problem.delassus().uniform_rows::<3, 9>() else { return };
        for (index, contact) in problem.contacts().iter().enumerate() {
            let (Some(friction), [_, _]) = (contact.coulomb, problem.laws_of(contact)) else {
                return self.locals.clear();
            };
            let diagonal = *rows.diagonal(index);
            self.locals.push(Local { friction, diagonal, round: round(&diagonal) });
        }
        if self.locals.len() >= BY_SLABS {
            self.slabs.prepare(problem, &self.locals);
        }
    }

    /// Whether they are prepared.
    pub(super) fn is_ready(&self) -> bool {
        !self.locals.is_empty()
    }

    /// Takes percussions to begin with, if sweeps keep them in an order of their own: that order, and they in it.
    pub(super) fn take(&mut self, lambda: &[f64]) -> Option<(&[u32], &[f64])> {
        self.slabs.is_ready().then(|| self.slabs.take(lambda.as_chunks().0))
    }

    /// The percussions that are kept so.
    pub(super) fn kept(&mut self) -> Option<&mut [f64]> {
        self.slabs.is_ready().then(|| self.slabs.kept())
    }

    /// Writes them to `lambda`.
    pub(super) fn show(&self, lambda: &mut [f64]) {
        if self.slabs.is_ready() {
            self.slabs.show(lambda.as_chunks_mut().0);
        }
    }

    /// One sweep over all contacts; `last` is the step of the sweep before, in the order in which percussions are kept.
    pub(super) fn sweep(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        relaxation: f64,
        last: &[f64],
    ) -> Sums {
        let (lambda, last) = (lambda.as_chunks_mut::<3>().0, last.as_chunks::<3>().0);
        if self.slabs.is_ready() {
            return self.slabs.sweep(relaxation, last);
        }
        let mut sums = Sums::default();
        let Some(rows) = problem.delassus().uniform_rows::<3, 9>() else { return sums };
        let c = problem.c().as_chunks::<3>().0;
        for (contact, (local, c)) in self.locals.iter().zip(c).enumerate() {
            let mut q = *c;
            let (columns, blocks) = (rows.columns(contact), rows.blocks(contact));
            for (column, block) in columns.iter().zip(blocks) {
                if *column != contact {
                    add(&mut q, block, &lambda[*column]);
                }
            }
            let old = lambda[contact];
            lambda[contact] = local.step(&q, &old, relaxation, &last[contact], &mut sums);
        }
        sums
    }
}

/// q ← q + block · λ.
#[inline(always)]
fn add(q: &mut [f64; 3], block: &[f64; 9], lambda: &[f64; 3]) {
    let (g, l) = (block, lambda);
    q[0] += g[0] * l[0] + g[1] * l[1] + g[2] * l[2];
    q[1] += g[3] * l[0] + g[4] * l[1] + g[5] * l[2];
    q[2] += g[6] * l[0] + g[7] * l[1] + g[8] * l[2];
}

impl Local {
    /// The velocity without a contact's own percussion.
    #[inline(always)]
    pub(super) fn without(&self, own: &[f64; 3], velocity: [f64; 3]) -> [f64; 3] {
        let g = &self.diagonal;
        [0, 1, 2].map(|k| {
            velocity[k] - (g[3 * k] * own[0] + g[3 * k + 1] * own[1] + g[3 * k + 2] * own[2])
        })
    }

    /// The next percussion at the velocity q without it; `last` is its step in the sweep before.
    #[inline(always)]
    pub(super) fn step(
        &self,
        q: &[f64; 3],
        old: &[f64; 3],
        relaxation: f64,
        last: &[f64; 3],
        sums: &mut Sums,
    ) -> [f64; 3] {
        let mut new = self.solve(q, old);
        if relaxation != 1.0 {
            new = [0, 1, 2].map(|k| old[k] + relaxation * (new[k] - old[k]));
        }
        for k in 0..3 {
            sums.add(self.diagonal[4 * k], new[k] - old[k], last[k]);
        }
        new
    }

    /// The percussion at the velocity q without it; `old` is a start.
    #[inline(always)]
    fn solve(&self, q: &[f64; 3], old: &[f64; 3]) -> [f64; 3] {
        if q[0] >= 0.0 {
            return [0.0; 3];
        }
        match self.round {
            Some([normal, tangential])
                if ORDINARY.contains(&(q[0].abs() + q[1].abs() + q[2].abs())) =>
            {
                let most = self.friction * -q[0] * normal;
                let square = q[1] * q[1] + q[2] * q[2];
                // What sticks need not wait for a root.
                let factor = if square * (tangential * tangential) <= most * most {
                    -tangential
                } else {
                    -most / square.sqrt()
                };
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
