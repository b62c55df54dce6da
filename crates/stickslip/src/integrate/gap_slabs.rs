//! The sweeps of [`super::gap_sweeps`] over very many gaps of bodies in space, slab by slab ([`crate::slabs`]).

use super::gap_sweeps::GapRow;
use super::mass::MassInverse;
use crate::slabs::{BY_SLABS, HALF, SLABS, SlabOrder, share, take};
use crate::system::ContactSet;

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
    bodies: [u32; 2],
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
            let begin = self.slabs.bodies(slab).start as u32;
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
                    bodies: candidate.blocks.map(|body| self.slabs.places[body] - begin),
                });
            }
        }
        self.shift.clear();
        self.shift.resize(inverse.block_count(), [0.0; SIZE]);
        true
    }

    /// One sweep over all rows. Returns the largest change of a gap, m.
    pub(super) fn sweep(&mut self) -> f64 {
        let mut largest = 0.0;
        for parity in 0..2 {
            let Self { slabs, rows, shift, .. } = self;
            let (mut rows, mut shift) = (&mut rows[..], &mut shift[..]);
            let (mut row, mut body) = (0, 0);
            let mut tasks: [Task<'_>; HALF] = std::array::from_fn(|k| {
                let slab = 2 * k + parity;
                let rows = take(&mut rows, &mut row, slabs.contacts(slab));
                let shift = take(&mut shift, &mut body, slabs.bodies(slab));
                Task { rows, shift, largest: 0.0 }
            });
            share(&mut tasks, &Task::sweep);
            largest = tasks.iter().fold(largest, |most: f64, task| most.max(task.largest));
        }
        largest
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

/// A slab, and the shift of its bodies.
struct Task<'a> {
    rows: &'a mut [SlabRow],
    shift: &'a mut [[f64; SIZE]],
    largest: f64,
}

impl Task<'_> {
    fn sweep(&mut self) {
        for row in self.rows.iter_mut() {
            let [a, b] = row.bodies.map(|body| body as usize);
            let mut sums = [0.0; 2];
            for (direction, shift) in row.direction.iter().zip([&self.shift[a], &self.shift[b]]) {
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
                let shift = &mut self.shift[body];
                for k in 0..SIZE {
                    shift[k] += change * push[k];
                }
            }
        }
    }
}
