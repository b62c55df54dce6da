//! Very many contacts of bodies in space, put in the order of their slabs ([`crate::slabs`]) for the sweeps of
//! [`super::slab_sweeps`].
//!
//! What a contact sees of all others are the velocities of its two bodies. With M = L Lᵀ and H = L⁻¹ W
//!
//! ```text
//! w = H Λ,      ξ_i = c_i + H_iᵀ w,      w ← w + H_i ΔΛ_i
//! ```
//!
//! so that a sweep reads two blocks of H for each contact, however many others touch its bodies, and no G.

use super::slab_sweeps::{Cell, Percussion, Rows, SIZE, Velocity, Work, place_of};
use super::spatial_sweep::Local;
use crate::crew::Crew;
use crate::linear::cholesky;
use crate::problem::{Bodies, InclusionProblem};
use crate::slabs::{HALF, SLABS, SlabOrder, share, take};

/// Sweeps after which w is made anew of the percussions, so that rounding does not add up.
const AFRESH: usize = 64;

/// The contacts of a problem in the order of their slabs, and the memory for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Slabs {
    slabs: SlabOrder,
    cells: Vec<Cell>,
    percussions: Vec<Percussion>,
    /// Step of each in the last sweep that was carried on all ways.
    steps: Vec<[f64; 3]>,
    /// w by the places of the bodies.
    velocities: Vec<Velocity>,
    /// L of each body, with one over its diagonal in place of that.
    factors: Vec<f64>,
    /// First entry of each contact in the rows of the problem.
    firsts: Vec<usize>,
    /// Sweeps since w was made of the percussions; none if it is not.
    swept: Option<usize>,
    /// Factor by which percussions are to be carried on before the next sweep.
    factor: f64,
}

impl Slabs {
    /// Forgets the problem.
    pub(super) fn clear(&mut self) {
        self.slabs.clear();
    }

    /// Whether there is one.
    pub(super) fn is_ready(&self) -> bool {
        self.slabs.is_ready()
    }

    /// About as many contacts as part the pile into two.
    pub(super) fn narrowest(&self) -> usize {
        self.slabs.narrowest()
    }

    /// Takes a problem, of whose contacts `local` tells what is needed to solve them. Nothing is prepared if it does not
    /// know its bodies, if they are not bodies in space, or if it has too few layers.
    pub(super) fn prepare(
        &mut self,
        problem: &InclusionProblem,
        local: &(dyn Fn(usize) -> Local + Sync),
    ) {
        let Some(bodies) = problem.bodies().filter(|bodies| bodies.size == SIZE) else { return };
        if !self.factor(bodies) || !self.slabs.arrange(bodies.count(), &bodies.touched) {
            return;
        }
        self.velocities.resize(bodies.count(), Velocity::default());
        self.steps.resize(bodies.touched.len(), [0.0; 3]);
        self.percussions.resize(bodies.touched.len(), Percussion::default());
        self.cells.resize(bodies.touched.len(), Cell::default());
        let mut first = 0;
        self.firsts.clear();
        for contact in 0..bodies.touched.len() {
            self.firsts.push(first);
            first += 3 * SIZE * bodies.touched_by(contact).len();
        }
        self.fill(problem.c().as_chunks::<3>().0, bodies, local);
    }

    /// L of each body. False if a mass matrix is not positive definite.
    fn factor(&mut self, bodies: &Bodies) -> bool {
        self.factors.clear();
        self.factors.resize(bodies.mass.len(), 0.0);
        let blocks = self.factors.as_chunks_mut::<{ SIZE * SIZE }>().0.iter_mut();
        let mut masses = blocks.zip(bodies.mass.as_chunks::<{ SIZE * SIZE }>().0);
        masses.all(|(factor, mass)| {
            let good = cholesky(SIZE, |i, j| mass[SIZE * i + j], factor);
            (0..SIZE).for_each(|k| factor[SIZE * k + k] = 1.0 / factor[SIZE * k + k]);
            good
        })
    }

    /// Contacts with their rows.
    fn fill(&mut self, c: &[[f64; 3]], bodies: &Bodies, local: &(dyn Fn(usize) -> Local + Sync)) {
        let Self { slabs, cells, factors, firsts, .. } = self;
        let (mut rest, mut first) = (&mut cells[..], 0);
        let mut tasks: [_; SLABS] =
            std::array::from_fn(|slab| (slab, take(&mut rest, &mut first, slabs.contacts(slab))));
        let factors = factors.as_chunks::<{ SIZE * SIZE }>().0;
        share(&mut tasks, &|(slab, cells): &mut (usize, &mut [Cell])| {
            let contacts = &slabs.order[slabs.contacts(*slab)];
            for (cell, &contact) in cells.iter_mut().zip(contacts) {
                let contact = contact as usize;
                let places = |body: usize| place_of(slabs, *slab, slabs.places[body] as usize);
                let mut rows = [[[0.0; SIZE]; 3]; 2];
                let given = bodies.rows[firsts[contact]..].as_chunks::<SIZE>().0;
                let given = given.as_chunks::<3>().0.iter().zip(bodies.touched_by(contact));
                for (own, (given, &body)) in rows.iter_mut().zip(given) {
                    *own = lower_solves(&factors[body], given);
                }
                let bodies = bodies.touched[contact].map(places);
                *cell = Cell { rows, local: local(contact), c: c[contact], bodies };
            }
        });
    }

    /// Takes percussions in the order of the problem.
    pub(super) fn take(&mut self, lambda: &[[f64; 3]]) {
        for (percussion, &contact) in self.percussions.iter_mut().zip(&self.slabs.order) {
            *percussion = Percussion::begin(lambda[contact as usize]);
        }
        (self.swept, self.factor) = (None, 0.0);
    }

    /// Writes them in the order of the problem.
    pub(super) fn show(&self, lambda: &mut [[f64; 3]]) {
        for (percussion, &contact) in self.percussions.iter().zip(&self.slabs.order) {
            lambda[contact as usize] = percussion.now;
        }
    }

    /// Lets the next sweep begin by carrying percussions on: this much of the way that each has come.
    pub(super) fn carry(&mut self, factor: f64) {
        self.factor = factor;
    }

    /// Calls `lead` with threads at hand for sweeps.
    pub(super) fn sweep(&mut self, relaxation: f64, lead: impl FnOnce(&mut Sweeps<'_, '_>) + Send) {
        let Self { slabs, cells, percussions, steps, velocities, swept, factor, .. } = self;
        let work = Work::new(slabs, cells, percussions, steps, velocities, relaxation);
        Crew::gather(HALF, &|kind, part| work.part(kind, part), |crew| {
            lead(&mut Sweeps { crew, work: &work, swept, factor });
        });
    }
}

/// Sweeps that threads share.
pub(super) struct Sweeps<'a, 'w> {
    crew: &'a Crew<'a>,
    work: &'a Work<'w>,
    swept: &'a mut Option<usize>,
    factor: &'a mut f64,
}

impl Sweeps<'_, '_> {
    /// Lets the next sweep begin by carrying percussions on.
    pub(super) fn carry(&mut self, factor: f64) {
        *self.factor = factor;
    }

    /// One sweep over all contacts; `all_ways` if percussions are carried on whether they turn back or not.
    pub(super) fn sweep(&mut self, all_ways: bool) -> super::extrapolation::Sums {
        if self.swept.is_none_or(|sweeps| sweeps >= AFRESH) {
            self.work.make_velocities(self.crew);
            *self.swept = Some(0);
        }
        *self.swept = self.swept.map(|sweeps| sweeps + 1);
        let factor = std::mem::take(self.factor);
        self.work.sweep(self.crew, factor, all_ways)
    }
}

/// L⁻¹ of three rows; the diagonal of L is given by one over it.
fn lower_solves(l: &[f64; SIZE * SIZE], rows: &Rows) -> Rows {
    rows.map(|mut x| {
        for i in 0..SIZE {
            let sum = (0..i).fold(x[i], |sum, k| sum - l[i * SIZE + k] * x[k]);
            x[i] = sum * l[i * SIZE + i];
        }
        x
    })
}
