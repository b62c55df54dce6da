//! Gradients ∂g/∂q of gaps and joint errors, kept only where they are not zero: a constraint touches one
//! or two bodies.

use super::mass::MassInverse;
use crate::linear::dot;
use crate::system::{MechanicalSystem, State};

/// Where the gradient of one constraint is.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Blocks that it touches; the second equals the first for a single block.
    blocks: [usize; 2],
    start: usize,
}

/// The gradients of all constraints of a projection. Memory is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct GapGradients {
    /// Coordinates of a block: all where blocks are not kept apart.
    per_block: usize,
    pieces: Vec<Piece>,
    entries: Vec<f64>,
    /// F⁺ᵀ e_k in all blocks at once, for every component k of a block.
    probes: Vec<f64>,
    gradient: Vec<f64>,
    shift: Vec<f64>,
}

impl GapGradients {
    /// Computes the gradients of constraints given by their directions in the velocities of one or two
    /// blocks.
    pub(super) fn fill<'a>(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &State,
        mass: &MassInverse,
        directions: impl ExactSizeIterator<Item = (&'a [f64], [usize; 2])> + Clone,
    ) {
        let (n_q, n_u) = (state.q.len(), state.u.len());
        self.pieces.clear();
        self.entries.clear();
        self.gradient.resize(n_u, 0.0);
        self.shift.resize(n_q, 0.0);
        let apart = system.coordinates_of_block();
        self.per_block = apart.unwrap_or(n_q);
        if apart.is_some() && self.fill_by_blocks(system, state, mass, directions.clone()) {
            return;
        }
        self.pieces.clear();
        self.entries.clear();
        let widest = (0..mass.block_count()).map(|block| mass.size(block)).max().unwrap_or(0);
        let by_probes = apart.is_some() && directions.len() > widest;
        if by_probes {
            self.probe(system, state, mass, widest);
        }
        for (direction, blocks) in directions {
            let start = self.entries.len();
            if by_probes {
                self.combine(mass, n_q, blocks, direction);
            } else {
                self.gradient.fill(0.0);
                spread(mass, direction, blocks, &mut self.gradient);
                system.coordinate_gradient(state, &self.gradient, &mut self.shift);
                for block in touched(if apart.is_some() { blocks } else { [0, 0] }) {
                    let first = block * self.per_block;
                    self.entries.extend_from_slice(&self.shift[first..first + self.per_block]);
                }
            }
            let blocks = if apart.is_some() { blocks } else { [0, 0] };
            self.pieces.push(Piece { blocks, start });
        }
    }

    /// The same block by block; false if the system cannot tell it so.
    fn fill_by_blocks<'a>(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &State,
        mass: &MassInverse,
        directions: impl Iterator<Item = (&'a [f64], [usize; 2])>,
    ) -> bool {
        for (direction, blocks) in directions {
            let start = self.entries.len();
            let (first, second) = direction.split_at(mass.size(blocks[0]));
            for (block, part) in touched(blocks).zip([first, second]) {
                let own = self.entries.len();
                self.entries.resize(own + self.per_block, 0.0);
                if !system.block_gradient(state, block, part, &mut self.entries[own..]) {
                    return false;
                }
            }
            self.pieces.push(Piece { blocks, start });
        }
        true
    }

    /// Number of constraints.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    fn probe(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &State,
        mass: &MassInverse,
        widest: usize,
    ) {
        self.probes.clear();
        for component in 0..widest {
            self.gradient.fill(0.0);
            for block in (0..mass.block_count()).filter(|block| component < mass.size(*block)) {
                self.gradient[mass.offset(block) + component] = 1.0;
            }
            system.coordinate_gradient(state, &self.gradient, &mut self.shift);
            self.probes.extend_from_slice(&self.shift);
        }
    }

    /// Adds the gradient of one direction as a sum of probes.
    fn combine(&mut self, mass: &MassInverse, n_q: usize, blocks: [usize; 2], direction: &[f64]) {
        let (first, second) = direction.split_at(mass.size(blocks[0]));
        for (block, part) in touched(blocks).zip([first, second]) {
            let start = self.entries.len();
            self.entries.resize(start + self.per_block, 0.0);
            for (component, value) in part.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                let probe = &self.probes[component * n_q + block * self.per_block..];
                let out = self.entries[start..].iter_mut();
                out.zip(probe).for_each(|(out, p)| *out += value * p);
            }
        }
    }

    /// Σ |(∂g/∂q_k) q_k|: what the rounding error of a gap scales with.
    pub(super) fn terms(&self, constraint: usize, q: &[f64]) -> f64 {
        let part = |(block, entries): (usize, &[f64])| -> f64 {
            let q = &q[block * self.per_block..];
            entries.iter().zip(q).map(|(d, q)| (d * q).abs()).sum()
        };
        self.parts(constraint).map(part).sum()
    }

    /// q ← q + factor ∂g/∂q.
    pub(super) fn add(&self, constraint: usize, factor: f64, q: &mut [f64]) {
        for (block, entries) in self.parts(constraint) {
            let q = q[block * self.per_block..].iter_mut();
            q.zip(entries).for_each(|(q, d)| *q += factor * d);
        }
    }

    /// (∂g_a/∂q) · (∂g_b/∂q).
    pub(super) fn product(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.pieces[a], &self.pieces[b]);
        let of = |piece: &Piece, k: usize| {
            let start = piece.start + k * self.per_block;
            &self.entries[start..start + self.per_block]
        };
        let count = |piece: &Piece| if piece.blocks[0] == piece.blocks[1] { 1 } else { 2 };
        let mut sum = 0.0;
        for i in 0..count(a) {
            for j in (0..count(b)).filter(|j| a.blocks[i] == b.blocks[*j]) {
                sum += dot(of(a, i), of(b, j));
            }
        }
        sum
    }

    /// Blocks and entries of one gradient.
    fn parts(&self, constraint: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let piece = self.pieces[constraint];
        touched(piece.blocks).zip(self.entries[piece.start..].chunks_exact(self.per_block))
    }
}

/// The different ones of two blocks.
fn touched(blocks: [usize; 2]) -> impl Iterator<Item = usize> {
    blocks.into_iter().take(if blocks[0] == blocks[1] { 1 } else { 2 })
}

/// Adds a direction to the velocities of all blocks.
fn spread(mass: &MassInverse, direction: &[f64], blocks: [usize; 2], out: &mut [f64]) {
    let (first, second) = direction.split_at(mass.size(blocks[0]));
    for (block, part) in touched(blocks).zip([first, second]) {
        let out = out[mass.offset(block)..].iter_mut();
        out.zip(part).for_each(|(out, value)| *out += value);
    }
}
