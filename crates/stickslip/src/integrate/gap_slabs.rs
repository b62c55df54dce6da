//! The sweeps of [`super::gap_sweeps`] over very many gaps of bodies in space, slab by slab ([`crate::slabs`]).

use super::gap_sweeps::GapRow;
use super::mass::MassInverse;
use crate::crew::Crew;
use crate::slabs::{BY_SLABS, HALF, Place, SLABS, SlabOrder, Zones, at, lock, take};
use crate::system::ContactSet;
use std::sync::Mutex;

/// Velocities of a body.
const SIZE: usize = 6;

/// A row of W or M⁻¹ W for the two bodies of a gap; zeros where there is no second one.
type Two = [[f64; SIZE]; 2];

/// Memory of the sweeps.
#[derive(Clone, Debug, Default)]
pub(super) struct GapSlabs {
    slabs: SlabOrder,
    touched: Vec<[usize; 2]>,
    rows: Vec<SlabRow>,
    /// δ by the places of the bodies.
    shift: Vec<[f64; SIZE]>,
}

/// A gap or an error of a joint, with all that a sweep needs.
#[derive(Clone, Copy, Debug)]
struct SlabRow {
    direction: Two,
    push: Two,
    value: f64,
    diagonal: f64,
    multiplier: f64,
    bilateral: bool,
    /// Its bodies among those of the slab.
    bodies: [Place; 2],
}

impl GapSlabs {
    /// Takes the rows. False if they are few, or not of bodies in space.
    pub(super) fn prepare(
        &mut self,
        rows: &[GapRow],
        contacts: &ContactSet,
        inverse: &MassInverse,
        pushes: &[f64],
    ) -> bool {
        if rows.len() < BY_SLABS || inverse.common_size() != Some(SIZE) {
            return false;
        }
        let candidates = contacts.candidates();
        self.touched.clear();
        self.touched.extend(rows.iter().map(|row| candidates[row.candidate].blocks));
        if !self.slabs.arrange(inverse.block_count(), &self.touched) {
            return false;
        }
        self.rows.clear();
        for slab in 0..SLABS {
            for &index in &self.slabs.order[self.slabs.contacts(slab)] {
                let row = &rows[index as usize];
                let candidate = &candidates[row.candidate];
                let width = candidate.width();
                let direction = &contacts.directions(candidate)[row.component * width..][..width];
                self.rows.push(SlabRow {
                    direction: two(direction),
                    push: two(&pushes[row.push..row.push + width]),
                    value: row.value,
                    diagonal: row.diagonal,
                    multiplier: 0.0,
                    bilateral: row.bilateral,
                    bodies: candidate.blocks.map(|body| self.slabs.place_in(slab, body)),
                });
            }
        }
        self.shift.clear();
        self.shift.resize(inverse.block_count(), [0.0; SIZE]);
        true
    }

    /// At most so many sweeps over all rows, until the largest change of a gap in the last one is no more than this, m.
    pub(super) fn sweep(&mut self, most: usize, enough: f64) {
        let Self { slabs, rows, shift, .. } = self;
        let (mut rows, mut first) = (&mut rows[..], 0);
        let tasks: [Mutex<Task<'_>>; SLABS] = std::array::from_fn(|slab| {
            let rows = take(&mut rows, &mut first, slabs.contacts(slab));
            Mutex::new(Task { rows, largest: 0.0 })
        });
        let shift = Zones::new(slabs, shift);
        let work = |parity: u8, part: usize| {
            let slab = 2 * part + usize::from(parity);
            lock(&tasks[slab]).sweep(&mut shift.of(slab).lists());
        };
        Crew::gather(HALF, &work, |crew| {
            for _ in 0..most {
                (0..2).for_each(|parity| crew.all(parity));
                let moved = tasks.iter().map(|task| lock(task).largest);
                if moved.fold(0.0, f64::max) <= enough {
                    break;
                }
            }
        });
    }

    /// Writes the shift of all bodies.
    pub(super) fn write(&self, out: &mut [f64]) {
        let bodies = out.as_chunks_mut::<SIZE>().0.iter_mut();
        bodies.zip(&self.slabs.places).for_each(|(out, place)| *out = self.shift[*place as usize]);
    }
}

/// A row as that of two bodies.
fn two(row: &[f64]) -> Two {
    let mut both = [[0.0; SIZE]; 2];
    both.as_flattened_mut()[..row.len()].copy_from_slice(row);
    both
}

/// A slab, and the largest change of a gap in its last sweep, m.
struct Task<'a> {
    rows: &'a mut [SlabRow],
    largest: f64,
}

impl Task<'_> {
    /// Sweeps with the shift of its bodies.
    fn sweep(&mut self, shift: &mut [&mut [[f64; SIZE]]; 3]) {
        self.largest = 0.0;
        for row in self.rows.iter_mut() {
            let [a, b] = row.bodies;
            let mut sums = [0.0; 2];
            for (direction, body) in row.direction.iter().zip([a, b]) {
                let shift = at(shift, body);
                for k in 0..SIZE {
                    sums[k % 2] += direction[k] * shift[k];
                }
            }
            let value = row.value + (sums[0] + sums[1]);
            let mut multiplier = row.multiplier - value / row.diagonal;
            if !row.bilateral {
                multiplier = multiplier.max(0.0);
            }
            let change = multiplier - row.multiplier;
            if change == 0.0 {
                continue;
            }
            self.largest = self.largest.max(change.abs() * row.diagonal);
            row.multiplier = multiplier;
            // Zeros are added where there is no second body.
            for (push, body) in row.push.iter().zip([a, b]) {
                let shift = at(shift, body);
                for k in 0..SIZE {
                    shift[k] += change * push[k];
                }
            }
        }
    }
}
