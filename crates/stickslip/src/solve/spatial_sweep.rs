//! Sweeps over problems whose contacts all have two directions of friction: piles.

use super::extrapolation::Sums;
use super::local_coulomb::{ORDINARY, is_isotropic, solve_spatial};
use super::slab_sweeps::sum;
use super::slabs::Slabs;
use crate::problem::{Contact, InclusionProblem};
use crate::slabs::BY_SLABS;

/// What is needed to solve one contact.
#[derive(Clone, Copy, Debug, Default)]
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
        let contacts = problem.contacts();
        let is_spatial = |contact: &Contact| {
            contact.coulomb.is_some() && matches!(problem.laws_of(contact), [_, _])
        };
        if !contacts.iter().all(is_spatial) {
            return;
        }
        let local = |contact: usize| {
            let friction = contacts[contact].coulomb.unwrap_or(0.0);
            Local::new(friction, *rows.diagonal(contact))
        };
        if contacts.len() >= BY_SLABS {
            self.slabs.prepare(problem, &local);
        }
        if !self.slabs.is_ready() {
            self.locals.extend((0..contacts.len()).map(local));
        }
    }

    /// Whether they are prepared.
    pub(super) fn is_ready(&self) -> bool {
        !self.locals.is_empty()
    }

    /// Sweeps by slabs, which keep percussions in an order of their own, if they are prepared: they take these to begin with.
    pub(super) fn take(&mut self, lambda: &[f64]) -> bool {
        if self.slabs.is_ready() {
            self.slabs.take(lambda.as_chunks().0);
        }
        self.slabs.is_ready()
    }

    /// Sweeps by slabs, if they are prepared.
    pub(super) fn slabs(&mut self) -> Option<&mut Slabs> {
        self.slabs.is_ready().then_some(&mut self.slabs)
    }

    /// Writes them to `lambda`.
    pub(super) fn show(&self, lambda: &mut [f64]) {
        if self.slabs.is_ready() {
            self.slabs.show(lambda.as_chunks_mut().0);
        }
    }

    /// One sweep over all contacts, one after the other; `last` is the step of the sweep before.
    pub(super) fn sweep(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        relaxation: f64,
        last: &[f64],
    ) -> Sums {
        let (lambda, last) = (lambda.as_chunks_mut::<3>().0, last.as_chunks::<3>().0);
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
            let new = local.step(&q, &old, relaxation);
            for k in 0..3 {
                sums.add(local.weight(k), new[k] - old[k], last[contact][k]);
            }
            lambda[contact] = new;
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
    /// A contact with this friction and block of G.
    fn new(friction: f64, diagonal: [f64; 9]) -> Self {
        Self { friction, diagonal, round: round(&diagonal) }
    }

    /// The velocity without a contact's own percussion.
    #[inline(always)]
    pub(super) fn without(&self, own: &[f64; 3], velocity: [f64; 3]) -> [f64; 3] {
        let g = &self.diagonal;
        if self.round.is_some() {
            return sum(&velocity, -1.0, &self.weighted(own));
        }
        let without = |k: usize| {
            velocity[k] - (g[3 * k] * own[0] + g[3 * k + 1] * own[1] + g[3 * k + 2] * own[2])
        };
        [without(0), without(1), without(2)]
    }

    /// The next percussion at the velocity q without it.
    #[inline(always)]
    pub(super) fn step(&self, q: &[f64; 3], old: &[f64; 3], relaxation: f64) -> [f64; 3] {
        let new = self.solve(q, old);
        if relaxation == 1.0 {
            return new;
        }
        sum(old, relaxation, &sum(&new, -1.0, old))
    }

    /// Products of a step with the weights of its components.
    #[inline(always)]
    pub(super) fn weighted(&self, step: &[f64; 3]) -> [f64; 3] {
        let g = &self.diagonal;
        [g[0] * step[0], g[4] * step[1], g[8] * step[2]]
    }

    /// Weight of a component, by which products are energies: the diagonal of G.
    #[inline(always)]
    pub(super) fn weight(&self, component: usize) -> f64 {
        self.diagonal[4 * component]
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
            let local = Local::new(friction, diagonal);
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
