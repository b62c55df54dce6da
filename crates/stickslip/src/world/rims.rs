//! Rims on half-spaces: what is remembered of them, and the flat position (Le Saux 2005, sec. 2.2).

use super::shape::{FLAT_COSINE, RimFrame, axis, rim_gaps};
use super::world::World;
use crate::kinematics::quaternion;
use crate::kinematics::vector::{add, apply, cross, dot, scale};
use crate::system::State;

impl World {
    /// Keeps the lowest point of every rim while it is defined: the continuity rule (2.24).
    pub(super) fn remember_rims(&self, state: &mut State) {
        if state.memory.len() < self.collider.memory_count {
            state.memory.resize(self.collider.memory_count, 0.0);
        }
        let State { q, memory, .. } = state;
        self.collider.for_each_rim(&self.frames, q, |shape, _, plane, first| {
            let pose = shape.pose(&self.frames.frame_in(q, Some(shape.body)));
            let remembered = [memory[first], memory[first + 1]];
            let lowest = RimFrame::new(&pose, &plane.normal, remembered).lowest;
            memory[first..first + 2].copy_from_slice(&lowest);
        });
    }

    /// A rim that lies on its plane as flat as can be told is put there exactly. Otherwise rounding
    /// and the tolerance of the solver decide which of its points touch, and a disk at rest tips
    /// over one of them every few steps.
    pub(super) fn lay_rims_flat(&self, q: &mut [f64]) {
        if self.collider.memory_count == 0 {
            return;
        }
        let mut moves = None;
        self.collider.for_each_rim(&self.frames, q, |shape, rim, plane, _| {
            let Some(block) = self.frames.block(Some(shape.body)) else { return };
            let pose = shape.pose(&self.frames.frame_in(q, Some(shape.body)));
            let radius = shape.outline.rims[rim].radius;
            let center = add(&pose.origin, &apply(&pose.rotation, &shape.outline.rims[rim].center));
            let height = plane.height(&center);
            // The short way from the axis to the normal.
            let axis = axis(&pose);
            let turn = scale(dot(&axis, &plane.normal).signum(), &cross(&axis, &plane.normal));
            let sine = dot(&turn, &turn).sqrt();
            if sine < FLAT_COSINE && height.abs() < FLAT_COSINE * radius {
                moves = Some((block, turn, scale(-height, &plane.normal)));
            }
        });
        if let Some((block, turn, shift)) = moves {
            let q = &mut q[7 * block..7 * block + 7];
            let small = [1.0, 0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2]];
            let turned = quaternion::product(&small, &[q[3], q[4], q[5], q[6]]);
            q[3..].copy_from_slice(&quaternion::normalized(&turned));
            for k in 0..3 {
                q[k] += shift[k];
            }
        }
    }

    /// Lifts bodies whose rims have sunk into half-spaces: near the flat position the gradient of
    /// the gap has no limit, and the general projection does not converge. False without rims.
    pub(super) fn lift_rims(&self, state: &mut State) -> bool {
        let q = &mut state.q;
        let memory = &state.memory;
        for index in 0..self.collider.memory_count / 2 {
            let mut lift = None;
            self.collider.for_each_rim(&self.frames, q, |shape, rim, plane, first| {
                let Some(block) = self.frames.block(Some(shape.body)) else { return };
                if first != 2 * index {
                    return;
                }
                let pose = shape.pose(&self.frames.frame_in(q, Some(shape.body)));
                let remembered = [memory[first], memory[first + 1]];
                let at = RimFrame::new(&pose, &plane.normal, remembered);
                let gap = rim_gaps(&shape.outline.rims[rim], &at, &pose, plane)[0];
                if gap < 0.0 {
                    lift = Some((block, scale(-gap, &plane.normal)));
                }
            });
            if let Some((block, shift)) = lift {
                for k in 0..3 {
                    q[7 * block + k] += shift[k];
                }
            }
        }
        self.collider.memory_count > 0
    }
}
