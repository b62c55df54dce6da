//! Sweeps over problems whose contacts all have two directions of friction: piles.
//!
//! Contacts of a large problem are swept colour by colour. Those of one colour are not coupled, so that
//! their order does not matter and threads may share them; the sweep is the same for any number of threads.

use super::local_coulomb::{ORDINARY, is_isotropic, solve_spatial};
use crate::problem::{InclusionProblem, SpatialRows};
use crate::threads;
use rayon::prelude::*;

/// Contacts from which on they are swept by colours.
const COLOURED_FROM: usize = 1000;
/// Contacts of one colour from which on threads share them.
const SHARED_FROM: usize = 256;
/// Colours that there may be: bits of a mask. A body with more contacts has them in their own order.
const MOST_COLOURS: u32 = 64;

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
    /// Contacts colour by colour, and where each colour begins; one more entry than colours.
    order: Vec<usize>,
    starts: Vec<usize>,
    colours: Vec<u32>,
    fresh: Vec<[f64; 3]>,
}

impl SpatialSweeps {
    /// Prepares sweeps over a problem; nothing is prepared if it has other contacts.
    pub(super) fn begin(&mut self, problem: &InclusionProblem) {
        self.locals.clear();
        let Some(rows) = problem.delassus().spatial_rows() else { return };
        for (index, contact) in problem.contacts().iter().enumerate() {
            let (Some(friction), [_, _]) = (contact.coulomb, problem.laws_of(contact)) else {
                return self.locals.clear();
            };
            let diagonal = *rows.diagonal(index);
            self.locals.push(Local { friction, diagonal, round: round(&diagonal) });
        }
        self.colour(&rows);
    }

    /// Whether they are prepared.
    pub(super) fn is_ready(&self) -> bool {
        !self.locals.is_empty()
    }

    /// Sorts the contacts by colours, each the first that no contact before it has with which it is coupled.
    fn colour(&mut self, rows: &SpatialRows<'_>) {
        let Self { locals, order, starts, colours, fresh } = self;
        let count = locals.len();
        starts.clear();
        colours.clear();
        if count < COLOURED_FROM {
            return;
        }
        let mut used = 0;
        for contact in 0..count {
            let earlier = rows.columns(contact).iter().filter(|other| **other < contact);
            let taken = earlier.fold(0_u64, |mask, other| mask | 1 << colours[*other]);
            let colour = taken.trailing_ones();
            if colour >= MOST_COLOURS {
                return;
            }
            colours.push(colour);
            used = used.max(colour as usize + 1);
        }
        // Counting sort.
        starts.resize(used + 1, 0);
        colours.iter().for_each(|colour| starts[*colour as usize + 1] += 1);
        (0..used).for_each(|colour| starts[colour + 1] += starts[colour]);
        order.clear();
        order.resize(count, 0);
        for (contact, colour) in colours.iter().enumerate() {
            let place = &mut starts[*colour as usize];
            order[*place] = contact;
            *place += 1;
        }
        // Each start has moved to the next one.
        starts.rotate_right(1);
        starts[0] = 0;
        fresh.resize(count, [0.0; 3]);
    }

    /// One sweep over all contacts.
    pub(super) fn sweep(
        &mut self,
        problem: &InclusionProblem,
        lambda: &mut [f64],
        relaxation: f64,
    ) {
        let Some(rows) = problem.delassus().spatial_rows() else { return };
        let (c, (lambda, _)) = (problem.c().as_chunks::<3>().0, lambda.as_chunks_mut::<3>());
        let Self { locals, order, starts, fresh, .. } = self;
        let sweep = Sweep { rows, locals, c, relaxation };
        if starts.is_empty() {
            for contact in 0..locals.len() {
                lambda[contact] = sweep.solve(contact, lambda);
            }
        } else if threads::count() > 1 {
            // Within the threads, so that they are woken once.
            rayon::scope(|_| sweep.all_colours(order, starts, fresh, lambda, threads::count()));
        } else {
            sweep.all_colours(order, starts, fresh, lambda, 1);
        }
    }
}

/// The data of a sweep.
struct Sweep<'a> {
    rows: SpatialRows<'a>,
    locals: &'a [Local],
    c: &'a [[f64; 3]],
    relaxation: f64,
}

impl Sweep<'_> {
    fn all_colours(
        &self,
        order: &[usize],
        starts: &[usize],
        fresh: &mut [[f64; 3]],
        lambda: &mut [[f64; 3]],
        threads: usize,
    ) {
        for ends in starts.windows(2) {
            let contacts = &order[ends[0]..ends[1]];
            let fresh = &mut fresh[..contacts.len()];
            let held = &*lambda;
            let solve = |(new, contact): (&mut [f64; 3], &usize)| {
                *new = self.solve(*contact, held);
            };
            if threads > 1 && contacts.len() >= SHARED_FROM {
                let part = contacts.len().div_ceil(threads);
                let parts = fresh.par_chunks_mut(part).zip(contacts.par_chunks(part));
                parts.for_each(|(new, contacts)| new.iter_mut().zip(contacts).for_each(solve));
            } else {
                fresh.iter_mut().zip(contacts).for_each(solve);
            }
            for (contact, new) in contacts.iter().zip(fresh.iter()) {
                lambda[*contact] = *new;
            }
        }
    }

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

    /// A chain of contacts, each coupled with the next: as if spheres lay in a row.
    fn chain(count: usize) -> InclusionProblem {
        let mut problem = InclusionProblem::new();
        (0..count).for_each(|_| problem.push_coulomb_contact(0.5, 2));
        for k in 0..count {
            let coupled: Vec<usize> = (k.saturating_sub(1)..(k + 2).min(count)).collect();
            problem.push_delassus_row(k, &coupled);
        }
        let matrix = problem.delassus_mut();
        matrix.finish();
        let entries = numbers(9 * count, 1);
        matrix.fill_symmetric(&mut Vec::new(), |row, column, block| {
            if row == column {
                [0, 4, 8].into_iter().for_each(|k| block[k] = 4.0);
            } else {
                block.copy_from_slice(&entries[9 * row..9 * row + 9]);
            }
        });
        *problem.c_mut() = numbers(3 * count, 2);
        problem
    }

    #[test]
    fn colours_change_the_order_only_and_threads_nothing() {
        let problem = chain(3000);
        let mut sweeps = SpatialSweeps::default();
        sweeps.begin(&problem);
        assert!(sweeps.is_ready());
        assert_eq!(sweeps.starts, [0, 1500, 3000]);
        assert!(sweeps.order[..1500].iter().all(|k| k % 2 == 0));
        let rows = problem.delassus().spatial_rows().unwrap();
        let c = problem.c().as_chunks::<3>().0;
        let sweep = Sweep { rows, locals: &sweeps.locals, c, relaxation: 1.0 };
        let results = [1, 2, 3, 7].map(|threads| {
            let mut lambda = vec![[0.0; 3]; 3000];
            let mut fresh = vec![[0.0; 3]; 3000];
            for _ in 0..10 {
                let (order, starts) = (&sweeps.order, &sweeps.starts);
                sweep.all_colours(order, starts, &mut fresh, &mut lambda, threads);
            }
            lambda
        });
        let [first, others @ ..] = &results;
        assert!(others.iter().all(|other| other == first));
        // In that order one after the other it is the same sweep.
        let mut lambda = vec![[0.0; 3]; 3000];
        for contact in (0..10).flat_map(|_| sweeps.order.iter()) {
            lambda[*contact] = sweep.solve(*contact, &lambda);
        }
        assert_eq!(&lambda, first);
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
