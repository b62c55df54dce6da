//! Sweeps over very many contacts, in an order that threads can share.
//!
//! A contact is coupled only with those that share a body with it. Counted from one end of the pile, by the number of
//! couplings on the way, contacts of equal distance are layers, and only those of neighbouring layers are coupled.
//! Layers are joined to slabs: while all even slabs are swept, contact by contact in the order of the problem, the odd
//! ones stay as they are, and the other way round. So most of what a sweep one after the other carries on through the
//! pile is carried on here too, which is lost where contacts are coloured one by one.

use super::extrapolation::Sums;
use super::spatial_sweep::{Local, add};
use crate::problem::UniformRows;
use crate::threads;

/// Number of slabs: even, and twice as many as threads are of use.
const SLABS: usize = 8;
/// Slabs of one parity.
const HALF: usize = SLABS / 2;
/// No distance yet.
const UNSEEN: u32 = u32::MAX;

/// The contacts of a problem in the order of their slabs, and the memory for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Slabs {
    /// Contacts in this order, and where each of them stands in it.
    order: Vec<u32>,
    places: Vec<u32>,
    /// First place of each slab, and the number of contacts.
    starts: [usize; SLABS + 1],
    contacts: Vec<Member>,
    /// Places of the contacts that each one is coupled with, and the blocks of G.
    columns: Vec<u32>,
    blocks: Vec<[f64; 9]>,
    /// First of these for each contact, and their number.
    rows: Vec<u32>,
    lambda: Vec<[f64; 3]>,
    distances: Vec<u32>,
    queue: Vec<u32>,
    counts: Vec<u32>,
}

/// A contact in a slab.
#[derive(Clone, Copy, Debug)]
struct Member {
    local: Local,
    c: [f64; 3],
}

impl Slabs {
    /// Forgets the problem.
    pub(super) fn clear(&mut self) {
        self.order.clear();
    }

    /// Whether there is one.
    pub(super) fn is_ready(&self) -> bool {
        !self.order.is_empty()
    }

    /// Takes a problem. If it has too few layers nothing is prepared.
    pub(super) fn prepare(&mut self, rows: UniformRows<'_, 9>, locals: &[Local], c: &[[f64; 3]]) {
        let count = locals.len();
        // The last contact that is reached from the first one is at an end of the pile.
        self.measure(rows, count, 0);
        let end = self.queue.last().copied().unwrap_or(0);
        let layers = self.measure(rows, count, end);
        if layers < SLABS || u32::try_from(count).is_err() {
            return;
        }
        self.divide(count, layers);
        self.contacts.clear();
        self.columns.clear();
        self.blocks.clear();
        self.rows.clear();
        self.rows.push(0);
        for &contact in &self.order {
            let contact = contact as usize;
            self.contacts.push(Member { local: locals[contact], c: c[contact] });
            for (column, block) in rows.columns(contact).iter().zip(rows.blocks(contact)) {
                if *column != contact {
                    self.columns.push(self.places[*column]);
                    self.blocks.push(*block);
                }
            }
            self.rows.push(self.columns.len() as u32);
        }
        self.lambda.resize(count, [0.0; 3]);
    }

    /// Distances of all contacts from one of them, or from any other of what is not coupled with it. Returns the
    /// number of different ones.
    fn measure(&mut self, rows: UniformRows<'_, 9>, count: usize, from: u32) -> usize {
        let Self { distances, queue, .. } = self;
        distances.clear();
        distances.resize(count, UNSEEN);
        queue.clear();
        let (mut next, mut farthest) = (0, 0);
        for seed in std::iter::once(from).chain(0..count as u32) {
            if distances[seed as usize] != UNSEEN {
                continue;
            }
            distances[seed as usize] = 0;
            queue.push(seed);
            while next < queue.len() {
                let contact = queue[next] as usize;
                next += 1;
                let distance = distances[contact] + 1;
                for &column in rows.columns(contact) {
                    if distances[column] == UNSEEN {
                        distances[column] = distance;
                        farthest = farthest.max(distance);
                        queue.push(column as u32);
                    }
                }
            }
        }
        farthest as usize + 1
    }

    /// Joins the layers to slabs of about as many contacts each, and puts the contacts in order.
    fn divide(&mut self, count: usize, layers: usize) {
        let Self { order, places, starts, distances, counts, .. } = self;
        counts.clear();
        counts.resize(layers, 0);
        for distance in distances.iter() {
            counts[*distance as usize] += 1;
        }
        // Each slab has at least one layer, and leaves one for each of those behind it.
        let (mut slab, mut before) = (0, 0_usize);
        for layer in 0..layers {
            let size = counts[layer] as usize;
            let is_full = before + size / 2 >= (slab + 1) * count / SLABS;
            let must = layers - layer <= SLABS - 1 - slab;
            let is_empty = before == starts[slab];
            if slab + 1 < SLABS && !is_empty && (is_full || must) {
                slab += 1;
                starts[slab] = before;
            }
            counts[layer] = slab as u32;
            before += size;
        }
        starts[slab + 1..].fill(count);
        let mut next = *starts;
        order.clear();
        order.resize(count, 0);
        places.clear();
        places.resize(count, 0);
        for contact in 0..count {
            let slab = counts[distances[contact] as usize] as usize;
            order[next[slab]] = contact as u32;
            places[contact] = next[slab] as u32;
            next[slab] += 1;
        }
    }

    /// Takes percussions in the order of the problem. Returns the order of the slabs, and they in it.
    pub(super) fn take(&mut self, lambda: &[[f64; 3]]) -> (&[u32], &[f64]) {
        for (place, &contact) in self.lambda.iter_mut().zip(&self.order) {
            *place = lambda[contact as usize];
        }
        (&self.order, self.lambda.as_flattened())
    }

    /// The percussions in the order of the slabs.
    pub(super) fn kept(&mut self) -> &mut [f64] {
        self.lambda.as_flattened_mut()
    }

    /// Writes them in the order of the problem.
    pub(super) fn show(&self, lambda: &mut [[f64; 3]]) {
        for (place, &contact) in self.lambda.iter().zip(&self.order) {
            lambda[contact as usize] = *place;
        }
    }

    /// One sweep over all contacts; `last` is the step of the sweep before.
    pub(super) fn sweep(&mut self, relaxation: f64, last: &[[f64; 3]]) -> Sums {
        let mut sums = [Sums::default(); SLABS];
        for parity in 0..2 {
            self.sweep_half(parity, relaxation, last, &mut sums);
        }
        let mut all = Sums::default();
        for part in sums {
            all.size += part.size;
            all.along += part.along;
            all.square += part.square;
        }
        all
    }

    /// Sweeps over all even or all odd slabs.
    fn sweep_half(
        &mut self,
        parity: usize,
        relaxation: f64,
        last: &[[f64; 3]],
        sums: &mut [Sums; SLABS],
    ) {
        let Self { starts, contacts, columns, blocks, rows, lambda, .. } = self;
        let data = Data { starts, contacts, columns, blocks, rows, last, relaxation };
        let mut held: [&[[f64; 3]]; HALF] = [&[]; HALF];
        let mut swept: [&mut [[f64; 3]]; HALF] = [(); HALF].map(|()| &mut [][..]);
        let mut rest = &mut lambda[..];
        for slab in 0..SLABS {
            let (own, behind) = rest.split_at_mut(starts[slab + 1] - starts[slab]);
            rest = behind;
            if slab % 2 == parity {
                swept[slab / 2] = own;
            } else {
                held[slab / 2] = own;
            }
        }
        // The slab before the first one is empty, and so is that behind the last one.
        let neighbour = |slab: Option<usize>| match slab {
            Some(slab) if slab < SLABS => held[slab / 2],
            _ => &[],
        };
        let mut tasks =
            swept.map(|own| Task { slab: 0, own, before: &[], behind: &[], sums: Sums::default() });
        for (k, task) in tasks.iter_mut().enumerate() {
            task.slab = 2 * k + parity;
            task.before = neighbour(task.slab.checked_sub(1));
            task.behind = neighbour(Some(task.slab + 1));
        }
        sweep_all(&mut tasks, &data);
        for task in &tasks {
            sums[task.slab] = task.sums;
        }
    }
}

/// What all slabs share.
#[derive(Clone, Copy)]
struct Data<'a> {
    starts: &'a [usize; SLABS + 1],
    contacts: &'a [Member],
    columns: &'a [u32],
    blocks: &'a [[f64; 9]],
    rows: &'a [u32],
    /// Step of the sweep before.
    last: &'a [[f64; 3]],
    relaxation: f64,
}

/// A slab that is swept, and the percussions of its neighbours, which are held.
struct Task<'a> {
    slab: usize,
    own: &'a mut [[f64; 3]],
    before: &'a [[f64; 3]],
    behind: &'a [[f64; 3]],
    sums: Sums,
}

fn sweep_all(tasks: &mut [Task<'_>], data: &Data<'_>) {
    match tasks {
        [] => {}
        [task] => task.sweep(data),
        _ => {
            let (first, second) = tasks.split_at_mut(tasks.len() / 2);
            threads::join(|| sweep_all(first, data), || sweep_all(second, data));
        }
    }
}

impl Task<'_> {
    fn sweep(&mut self, data: &Data<'_>) {
        let (start, end) = (data.starts[self.slab], data.starts[self.slab + 1]);
        let before = start - self.before.len();
        let mut sums = Sums::default();
        for (contact, member) in data.contacts[start..end].iter().enumerate() {
            let mut q = member.c;
            let row = data.rows[start + contact] as usize..data.rows[start + contact + 1] as usize;
            for (column, block) in data.columns[row.clone()].iter().zip(&data.blocks[row]) {
                let place = *column as usize;
                let lambda = if place >= end {
                    &self.behind[place - end]
                } else if place >= start {
                    &self.own[place - start]
                } else {
                    &self.before[place - before]
                };
                add(&mut q, block, lambda);
            }
            let old = self.own[contact];
            let last = &data.last[start + contact];
            self.own[contact] = member.local.step(&q, &old, data.relaxation, last, &mut sums);
        }
        self.sums = sums;
    }
}
