//! Sweeps over very many contacts of bodies in space, slab by slab ([`crate::slabs`]).
//!
//! What a contact sees of all others are the velocities of its two bodies. With M = L Lᵀ and H = L⁻¹ W
//!
//! ```text
//! w = H Λ,      ξ_i = c_i + H_iᵀ w,      w ← w + H_i ΔΛ_i
//! ```
//!
//! so that a sweep reads two blocks of H for each contact, however many others touch its bodies, and no G. Percussions
//! are carried on between sweeps, so w is made of them anew before each one: rounding does not add up.

use super::extrapolation::Sums;
use super::spatial_sweep::Local;
use crate::linear::cholesky;
use crate::problem::{Bodies, InclusionProblem};
use crate::slabs::{HALF, SLABS, SlabOrder, share, take};

/// Velocities of a body.
const SIZE: usize = 6;

/// The contacts of a problem in the order of their slabs, and the memory for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Slabs {
    slabs: SlabOrder,
    contacts: Vec<Member>,
    /// H of each contact, for its two bodies.
    rows: Vec<[Rows; 2]>,
    lambda: Vec<[f64; 3]>,
    /// w by the places of the bodies.
    velocities: Vec<[f64; SIZE]>,
    factors: Vec<f64>,
    /// First entry of each contact in the rows of the problem.
    firsts: Vec<usize>,
}

/// Three rows of H for one body.
type Rows = [[f64; SIZE]; 3];

/// A contact in a slab.
#[derive(Clone, Copy, Debug)]
struct Member {
    local: Local,
    c: [f64; 3],
    /// Its bodies among those of the slab; twice the same if the other side does not move.
    bodies: [u32; 2],
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

    /// Takes a problem. Nothing is prepared if it does not know its bodies, if they are not bodies in space, or if
    /// it has too few layers.
    pub(super) fn prepare(&mut self, problem: &InclusionProblem, locals: &[Local]) {
        let Some(bodies) = problem.bodies().filter(|bodies| bodies.size == SIZE) else { return };
        if !self.factor(bodies) || !self.slabs.arrange(bodies.count(), &bodies.touched) {
            return;
        }
        self.velocities.resize(bodies.count(), [0.0; SIZE]);
        self.lambda.resize(locals.len(), [0.0; 3]);
        let mut first = 0;
        self.firsts.clear();
        for contact in 0..locals.len() {
            self.firsts.push(first);
            first += 3 * SIZE * bodies.touched_by(contact).len();
        }
        self.fill(problem.c().as_chunks::<3>().0, bodies, locals);
    }

    /// L of each body. False if a mass matrix is not positive definite.
    fn factor(&mut self, bodies: &Bodies) -> bool {
        self.factors.clear();
        self.factors.resize(bodies.mass.len(), 0.0);
        let blocks = self.factors.as_chunks_mut::<{ SIZE * SIZE }>().0.iter_mut();
        let mut masses = blocks.zip(bodies.mass.as_chunks::<{ SIZE * SIZE }>().0);
        masses.all(|(factor, mass)| cholesky(SIZE, |i, j| mass[SIZE * i + j], factor))
    }

    /// Contacts with their rows.
    fn fill(&mut self, c: &[[f64; 3]], bodies: &Bodies, locals: &[Local]) {
        let Self { slabs, contacts, rows, factors, firsts, .. } = self;
        contacts.clear();
        rows.clear();
        for slab in 0..SLABS {
            let begin = slabs.bodies(slab).start as u32;
            for &contact in &slabs.order[slabs.contacts(slab)] {
                let contact = contact as usize;
                let places = bodies.touched[contact].map(|body| slabs.places[body] - begin);
                let local = locals[contact];
                contacts.push(Member { local, c: c[contact], bodies: places });
                let mut own = [[[0.0; SIZE]; 3]; 2];
                let given = bodies.rows[firsts[contact]..].as_chunks::<SIZE>().0;
                let given = given.as_chunks::<3>().0.iter().zip(bodies.touched_by(contact));
                for (own, (given, body)) in own.iter_mut().zip(given) {
                    let factor = &factors[body * SIZE * SIZE..];
                    *own = given.map(|row| lower_solve(factor, row));
                }
                rows.push(own);
            }
        }
    }

    /// Takes percussions in the order of the problem. Returns the order of the slabs, and they in it.
    pub(super) fn take(&mut self, lambda: &[[f64; 3]]) -> (&[u32], &[f64]) {
        for (place, &contact) in self.lambda.iter_mut().zip(&self.slabs.order) {
            *place = lambda[contact as usize];
        }
        (&self.slabs.order, self.lambda.as_flattened())
    }

    /// The percussions in the order of the slabs.
    pub(super) fn kept(&mut self) -> &mut [f64] {
        self.lambda.as_flattened_mut()
    }

    /// Writes them in the order of the problem.
    pub(super) fn show(&self, lambda: &mut [[f64; 3]]) {
        for (place, &contact) in self.lambda.iter().zip(&self.slabs.order) {
            lambda[contact as usize] = *place;
        }
    }

    /// One sweep over all contacts; `last` is the step of the sweep before.
    pub(super) fn sweep(&mut self, relaxation: f64, last: &[[f64; 3]]) -> Sums {
        let mut sums = [Sums::default(); SLABS];
        self.velocities.fill([0.0; SIZE]);
        for parity in 0..2 {
            self.for_half(parity, last, &mut sums, &|task| task.gather());
        }
        for parity in 0..2 {
            self.for_half(parity, last, &mut sums, &|task| task.sweep(relaxation));
        }
        let mut all = Sums::default();
        for part in sums {
            all.size += part.size;
            all.along += part.along;
            all.square += part.square;
        }
        all
    }

    /// Works on all even or all odd slabs.
    fn for_half(
        &mut self,
        parity: usize,
        last: &[[f64; 3]],
        sums: &mut [Sums; SLABS],
        work: &(dyn Fn(&mut Task<'_>) + Sync),
    ) {
        let Self { slabs, contacts, rows, lambda, velocities, .. } = self;
        let (mut rest, mut behind) = (&mut lambda[..], &mut velocities[..]);
        let (mut contact, mut body) = (0, 0);
        let mut tasks: [Task<'_>; HALF] = std::array::from_fn(|k| {
            let slab = 2 * k + parity;
            let own = slabs.contacts(slab);
            Task {
                contacts: &contacts[own.clone()],
                rows: &rows[own.clone()],
                last: &last[own.clone()],
                lambda: take(&mut rest, &mut contact, own),
                velocities: take(&mut behind, &mut body, slabs.bodies(slab)),
                sums: Sums::default(),
            }
        });
        share(&mut tasks, work);
        for (k, task) in tasks.iter().enumerate() {
            sums[2 * k + parity] = task.sums;
        }
    }
}

/// L⁻¹ x.
fn lower_solve(l: &[f64], mut x: [f64; SIZE]) -> [f64; SIZE] {
    for i in 0..SIZE {
        let sum = (0..i).fold(x[i], |sum, k| sum - l[i * SIZE + k] * x[k]);
        x[i] = sum / l[i * SIZE + i];
    }
    x
}

/// A slab, and the velocities of its bodies, which no other one of its parity touches.
struct Task<'a> {
    contacts: &'a [Member],
    rows: &'a [[Rows; 2]],
    /// Step of the sweep before.
    last: &'a [[f64; 3]],
    lambda: &'a mut [[f64; 3]],
    velocities: &'a mut [[f64; SIZE]],
    sums: Sums,
}

impl Task<'_> {
    /// Adds what the percussions do to the velocities.
    fn gather(&mut self) {
        for ((member, rows), lambda) in self.contacts.iter().zip(self.rows).zip(&*self.lambda) {
            if *lambda == [0.0; 3] {
                continue;
            }
            let [a, b] = member.bodies.map(|body| body as usize);
            push(&mut self.velocities[a], &rows[0], lambda);
            if a != b {
                push(&mut self.velocities[b], &rows[1], lambda);
            }
        }
    }

    fn sweep(&mut self, relaxation: f64) {
        let mut sums = Sums::default();
        for (place, (member, rows)) in self.contacts.iter().zip(self.rows).enumerate() {
            let [a, b] = member.bodies.map(|body| body as usize);
            let old = self.lambda[place];
            let mut own = self.velocities[a];
            // The second rows are zero where there is no second body.
            let other = self.velocities[b];
            let seen = seen(rows, &own, &other);
            let q = member.local.without(&old, [0, 1, 2].map(|k| member.c[k] + seen[k]));
            let new = member.local.step(&q, &old, relaxation, &self.last[place], &mut sums);
            let change = [0, 1, 2].map(|k| new[k] - old[k]);
            if change == [0.0; 3] {
                continue;
            }
            self.lambda[place] = new;
            push(&mut own, &rows[0], &change);
            self.velocities[a] = own;
            if a != b {
                push(&mut self.velocities[b], &rows[1], &change);
            }
        }
        self.sums = sums;
    }
}

/// Hᵀ w of a contact: two sums for each component that do not wait for each other.
#[inline(always)]
fn seen(rows: &[Rows; 2], a: &[f64; SIZE], b: &[f64; SIZE]) -> [f64; 3] {
    std::array::from_fn(|k| {
        let (of_a, of_b) = (&rows[0][k], &rows[1][k]);
        let mut sums = [0.0; 2];
        for j in 0..SIZE {
            sums[j % 2] += of_a[j] * a[j];
        }
        for j in 0..SIZE {
            sums[j % 2] += of_b[j] * b[j];
        }
        sums[0] + sums[1]
    })
}

/// w ← w + H ΔΛ for one body.
#[inline(always)]
fn push(velocity: &mut [f64; SIZE], rows: &Rows, change: &[f64; 3]) {
    for (row, change) in rows.iter().zip(change) {
        for j in 0..SIZE {
            velocity[j] += row[j] * change;
        }
    }
}
