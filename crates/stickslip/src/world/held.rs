//! Velocities of bodies that are held: bodies that may move in some directions only.
//!
//! The mass matrix does not couple a velocity that is held with one that is free. So a velocity on which
//! nothing acts stays zero, and everything else is as if the body did not have it: no inertia and
//! no force is needed to hold it.

use super::description::{BodyDescription, Freedom, WorldDescription};
use crate::system::{ContactSet, Dimension};

/// Which velocities of each block are held; empty if none are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Held(Vec<[bool; 6]>);

impl Held {
    pub(super) fn new(description: &WorldDescription) -> Self {
        let moving = description.bodies.iter().filter(|body| !body.fixed);
        if moving.clone().all(|body| body.free == Freedom::default()) {
            return Self::default();
        }
        let held =
            moving.map(|BodyDescription { free: Freedom { axes: [x, y, z], turn }, .. }| {
                match description.dimension {
                    Dimension::Two => [!x, !y, !turn, false, false, false],
                    Dimension::Three => [!x, !y, !z, !turn, !turn, !turn],
                }
            });
        Self(held.collect())
    }

    /// Whether a velocity is one of them; `size` is the number of velocities of a block.
    pub(super) fn holds(&self, size: usize, velocity: usize) -> bool {
        self.0.get(velocity / size).is_some_and(|held| held[velocity % size])
    }

    /// Takes away generalized forces along them; `size` is the number of velocities of a block.
    pub(super) fn forces(&self, size: usize, forces: &mut [f64]) {
        for (block, held) in forces.chunks_exact_mut(size).zip(&self.0) {
            for (force, _) in block.iter_mut().zip(held).filter(|(_, held)| **held) {
                *force = 0.0;
            }
        }
    }

    /// Takes away their rows and columns of the blocks of ∂h/∂u.
    pub(super) fn jacobian(&self, size: usize, jacobian: &mut [f64]) {
        for (block, held) in jacobian.chunks_exact_mut(size * size).zip(&self.0) {
            for (position, entry) in block.iter_mut().enumerate() {
                if held[position / size] || held[position % size] {
                    *entry = 0.0;
                }
            }
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes them away from the directions of contacts and joints.
    pub(super) fn contacts(&self, size: usize, contacts: &mut ContactSet) {
        if !self.is_empty() {
            contacts.hold(size, |block, velocity| self.0[block][velocity]);
        }
    }
}
