//! Sweeps over contacts that are in the order of their slabs ([`super::slabs`]), shared by threads.

use super::extrapolation::Sums;
use super::spatial_sweep::Local;
use crate::crew::Crew;
use crate::slabs::{SLABS, SlabOrder, ZONES, take};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Velocities of a body.
pub(super) const SIZE: usize = 6;

/// Three rows of H for one body.
pub(super) type Rows = [[f64; SIZE]; 3];

/// w of one body, where the processor takes two numbers at a time without a look at where they are.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub(super) struct Velocity([f64; SIZE]);

/// All that a sweep needs to know of a contact: seven lines of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Cell {
    /// H for its two bodies; zeros where the other side does not move.
    pub(super) rows: [Rows; 2],
    pub(super) local: Local,
    pub(super) c: [f64; 3],
    /// Its bodies among those of the slab ([`place_of`]); twice the same if the other side does not move.
    pub(super) bodies: [u32; 2],
}

/// The percussion of a contact on its way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Percussion {
    pub(super) now: [f64; 3],
    /// Result of the last sweep.
    result: [f64; 3],
    /// Where it may be carried on to: the way between the last two results, or none if it turns back.
    way: [f64; 3],
}

impl Percussion {
    /// Before the first sweep.
    pub(super) fn begin(now: [f64; 3]) -> Self {
        Self { now, result: now, way: [0.0; 3] }
    }
}

/// Pieces of work: w of even and odd slabs is made anew, percussions of odd slabs are carried on; those of even slabs
/// are, and swept; odd ones are swept.
const MAKE: [u8; 2] = [0, 1];
const CARRY_ODD: u8 = 2;
const SWEEP: [u8; 2] = [3, 4];

/// Bits of a place that tell the number of the zone among those of the slab: the one before, its own, the one behind.
const ZONE_BITS: u32 = 30;

/// Place of a body among those of a slab, given that among all.
pub(super) fn place_of(slabs: &SlabOrder, slab: usize, body: usize) -> u32 {
    let zones = (2 * slab).saturating_sub(1)..=2 * slab + 1;
    let own = zones.map(|zone| (zone, slabs.zone(zone))).find(|(_, bodies)| bodies.contains(&body));
    own.map_or(0, |(zone, bodies)| {
        ((zone + 1 - 2 * slab) as u32) << ZONE_BITS | (body - bodies.start) as u32
    })
}

/// A slab while it is worked on.
struct Slab<'a> {
    cells: &'a [Cell],
    percussions: &'a mut [Percussion],
    steps: &'a mut [[f64; 3]],
    sums: Sums,
}

/// The contacts and bodies of all slabs. Nobody ever waits for a lock: slabs that are worked on at the same time share
/// nothing.
pub(super) struct Work<'a> {
    slabs: [Mutex<Slab<'a>>; SLABS],
    zones: [Mutex<&'a mut [Velocity]>; ZONES],
    relaxation: f64,
    /// Bits of the factor by which percussions are carried on, and whether they are where they turn back.
    factor: AtomicU64,
    all_ways: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Work<'a> {
    pub(super) fn new(
        slabs: &SlabOrder,
        cells: &'a [Cell],
        percussions: &'a mut [Percussion],
        steps: &'a mut [[f64; 3]],
        velocities: &'a mut [Velocity],
        relaxation: f64,
    ) -> Self {
        let (mut contacts, mut steps, mut bodies) = (percussions, steps, velocities);
        let (mut contact, mut step, mut body) = (0, 0, 0);
        Self {
            slabs: std::array::from_fn(|slab| {
                let own = slabs.contacts(slab);
                Mutex::new(Slab {
                    cells: &cells[own.clone()],
                    percussions: take(&mut contacts, &mut contact, own.clone()),
                    steps: take(&mut steps, &mut step, own),
                    sums: Sums::default(),
                })
            }),
            zones: std::array::from_fn(|zone| {
                Mutex::new(take(&mut bodies, &mut body, slabs.zone(zone)))
            }),
            relaxation,
            factor: AtomicU64::new(0),
            all_ways: AtomicBool::new(false),
        }
    }

    /// Makes w anew of the percussions.
    pub(super) fn make_velocities(&self, crew: &Crew<'_>) {
        MAKE.into_iter().for_each(|kind| crew.all(kind));
    }

    /// Carries percussions on, and sweeps.
    pub(super) fn sweep(&self, crew: &Crew<'_>, factor: f64, all_ways: bool) -> Sums {
        self.factor.store(factor.to_bits(), Ordering::Relaxed);
        self.all_ways.store(all_ways, Ordering::Relaxed);
        if factor != 0.0 {
            crew.all(CARRY_ODD);
        }
        SWEEP.into_iter().for_each(|kind| crew.all(kind));
        let mut all = Sums::default();
        for slab in &self.slabs {
            let part = lock(slab).sums;
            all.size += part.size;
            all.along += part.along;
            all.square += part.square;
        }
        all
    }

    /// A part of a piece of work of some kind: a slab.
    pub(super) fn part(&self, kind: u8, part: usize) {
        let parity = usize::from([MAKE[1], CARRY_ODD, SWEEP[1]].contains(&kind));
        let number = 2 * part + parity;
        let mut slab = lock(&self.slabs[number]);
        let nobody = Mutex::new(&mut [][..]);
        let mut zones = [0, 1, 2].map(|zone| match (2 * number + zone).checked_sub(1) {
            Some(zone) => lock(&self.zones[zone]),
            None => lock(&nobody),
        });
        let mut view = View::new(&mut slab, &mut zones);
        let factor = f64::from_bits(self.factor.load(Ordering::Relaxed));
        if MAKE.contains(&kind) {
            return view.make(parity);
        }
        if kind == CARRY_ODD || (kind == SWEEP[0] && factor != 0.0) {
            view.carry(factor);
        }
        if SWEEP.contains(&kind) {
            if self.all_ways.load(Ordering::Relaxed) {
                view.sweep::<true>(self.relaxation);
            } else {
                view.sweep::<false>(self.relaxation);
            }
            slab.sums = view.sums;
        }
    }
}

/// A slab, and the velocities of its bodies, which no other one of its parity touches.
struct View<'a> {
    cells: &'a [Cell],
    percussions: &'a mut [Percussion],
    /// Steps of the last sweep that was carried on all ways.
    steps: &'a mut [[f64; 3]],
    zones: [&'a mut [Velocity]; 3],
    sums: Sums,
}

impl<'a> View<'a> {
    fn new(slab: &'a mut Slab<'_>, zones: &'a mut [MutexGuard<'_, &mut [Velocity]>; 3]) -> Self {
        let zones = zones.each_mut().map(|zone| &mut ***zone);
        let Slab { cells, percussions, steps, .. } = slab;
        Self { cells, percussions, steps, zones, sums: Sums::default() }
    }

    /// The velocities of a body, given its place.
    #[inline(always)]
    fn body(&mut self, place: u32) -> &mut Velocity {
        let zone = (place >> ZONE_BITS) as usize;
        &mut self.zones[zone][(place & ((1 << ZONE_BITS) - 1)) as usize]
    }

    /// Adds what a change of a percussion does to the velocities of its bodies.
    #[inline(always)]
    fn push(&mut self, cell: &Cell, change: &[f64; 3]) {
        let [a, b] = cell.bodies;
        push(self.body(a), &cell.rows[0], change);
        if a != b {
            push(self.body(b), &cell.rows[1], change);
        }
    }

    /// Makes the velocities of its bodies anew, those that it shares with others only if it comes first.
    fn make(&mut self, parity: usize) {
        for (number, zone) in self.zones.iter_mut().enumerate() {
            if parity == 0 || number == 1 {
                zone.fill(Velocity::default());
            }
        }
        let cells = self.cells;
        for (contact, cell) in cells.iter().enumerate() {
            let now = self.percussions[contact].now;
            if now != [0.0; 3] {
                self.push(cell, &now);
            }
        }
    }

    /// Carries percussions on.
    fn carry(&mut self, factor: f64) {
        let cells = self.cells;
        for (contact, cell) in cells.iter().enumerate() {
            let percussion = &mut self.percussions[contact];
            if percussion.way == [0.0; 3] {
                continue;
            }
            let change = sum(&[0.0; 3], factor, &percussion.way);
            percussion.now = sum(&percussion.now, 1.0, &change);
            self.push(cell, &change);
        }
    }

    /// One sweep over the contacts.
    fn sweep<const ALL_WAYS: bool>(&mut self, relaxation: f64) {
        let cells = self.cells;
        for (contact, cell) in cells.iter().enumerate() {
            self.solve::<ALL_WAYS>(contact, cell, relaxation);
        }
    }

    /// Solves a contact with all others held.
    #[inline(always)]
    fn solve<const ALL_WAYS: bool>(&mut self, contact: usize, cell: &Cell, relaxation: f64) {
        let Percussion { now: old, result: last, .. } = self.percussions[contact];
        let [a, b] = cell.bodies;
        let mut own = *self.body(a);
        // The second rows are zero where there is no second body.
        let seen = seen(&cell.rows, &own, self.body(b));
        let local = &cell.local;
        let q = local.without(&old, sum(&cell.c, 1.0, &seen));
        let new = local.step(&q, &old, relaxation);
        let step = sum(&new, -1.0, &old);
        let mut way = sum(&new, -1.0, &last);
        if ALL_WAYS {
            for k in 0..3 {
                self.sums.add(local.weight(k), step[k], self.steps[contact][k]);
            }
            self.steps[contact] = step;
        } else {
            let weighted = local.weighted(&step);
            self.sums.size += weighted[0] * step[0] + weighted[1] * step[1] + weighted[2] * step[2];
            let along = weighted[0] * way[0] + weighted[1] * way[1] + weighted[2] * way[2];
            // What turns back is not carried on: see the momentum.
            if !(along > 0.0) {
                way = [0.0; 3];
            }
        }
        self.percussions[contact] = Percussion { now: new, result: new, way };
        if step == [0.0; 3] {
            return;
        }
        push(&mut own, &cell.rows[0], &step);
        *self.body(a) = own;
        if a != b {
            push(self.body(b), &cell.rows[1], &step);
        }
    }
}

/// a + factor · b.
#[inline(always)]
pub(super) fn sum(a: &[f64; 3], factor: f64, b: &[f64; 3]) -> [f64; 3] {
    [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]]
}

/// Hᵀ w of a contact: two sums for each component that do not wait for each other.
#[inline(always)]
fn seen(rows: &[Rows; 2], Velocity(a): &Velocity, Velocity(b): &Velocity) -> [f64; 3] {
    let mut seen = [0.0; 3];
    for k in 0..3 {
        let (of_a, of_b) = (&rows[0][k], &rows[1][k]);
        let mut sums = [0.0; 2];
        for j in 0..SIZE {
            sums[j % 2] += of_a[j] * a[j];
        }
        for j in 0..SIZE {
            sums[j % 2] += of_b[j] * b[j];
        }
        seen[k] = sums[0] + sums[1];
    }
    seen
}

/// w ← w + H ΔΛ for one body.
#[inline(always)]
fn push(Velocity(velocity): &mut Velocity, rows: &Rows, change: &[f64; 3]) {
    for k in 0..3 {
        for j in 0..SIZE {
            velocity[j] += rows[k][j] * change[k];
        }
    }
}
