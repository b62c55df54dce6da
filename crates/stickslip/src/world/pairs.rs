//! Broad phase: the pairs of shapes that are near, listed anew only where something has moved far.

use super::border::Tree;
use super::collide::Collider;
use super::laws::Laws;
use super::shape::Shape;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{dot, sub};
use crate::world::{Frame, Frames};

/// Distance up to which pairs are looked at in worlds of many pairs, over the size of the smaller shape.
pub(super) const NEIGHBOURS: f64 = 0.2;
/// By how much a box is kept larger than its shape needs, over the size of the shape, and over what the
/// shape has moved since it was last looked at.
const MARGIN: f64 = 0.05;
const LOOKS_AHEAD: f64 = 8.0;
/// Largest margin over the size of the shape.
const MOST_MARGIN: f64 = 2.0;

/// Pairs that may touch, and the boxes for which their list holds: as long as every shape stays within its
/// box nothing can be missing.
#[derive(Default)]
pub(super) struct Pairs {
    /// The pairs, ascending.
    pub list: Vec<(u32, u32)>,
    tree: Tree,
    boxes: Vec<Kept>,
}

/// A shape with bounds as the list knows it.
#[derive(Clone, Copy)]
struct Kept {
    /// Middle and half lengths of the box that the list was made for.
    center: Vector3,
    half: Vector3,
    /// Where the middle of the shape was when it was last looked at, and how far it had come since then.
    last: Vector3,
    moved: f64,
}

impl Pairs {
    /// Brings the list up to date.
    pub fn update(&mut self, collider: &Collider, frames: &Frames, laws: &Laws, places: &[Frame]) {
        let first = self.boxes.is_empty();
        if first {
            let nowhere = Kept { center: [0.0; 3], half: [0.0; 3], last: [0.0; 3], moved: 0.0 };
            self.boxes.resize(collider.shapes.len(), nowhere);
        }
        let mut holds = !first;
        for (index, shape) in collider.shapes.iter().enumerate() {
            if !first && !collider.moving[index] {
                continue;
            }
            let Some((center, half)) = shape.inertial_bounds(&places[shape.body]) else { continue };
            let kept = &mut self.boxes[index];
            let reach = 0.5 * NEIGHBOURS * shape.size;
            let far = (0..3).map(|k| (center[k] - kept.last[k]).abs()).fold(0.0, f64::max);
            kept.moved = if first { 0.0 } else { far };
            kept.last = center;
            holds &= (0..3)
                .all(|k| (center[k] - kept.center[k]).abs() + half[k] + reach <= kept.half[k]);
        }
        if !holds {
            self.make(collider, frames, laws, places, first);
        }
    }

    /// Lists the pairs anew, with room for what is to come.
    fn make(
        &mut self,
        collider: &Collider,
        frames: &Frames,
        laws: &Laws,
        places: &[Frame],
        first: bool,
    ) {
        let Self { list, tree, boxes } = self;
        list.clear();
        for (index, shape) in collider.shapes.iter().enumerate() {
            if !first && !collider.moving[index] {
                continue;
            }
            let Some((center, half)) = shape.inertial_bounds(&places[shape.body]) else { continue };
            let kept = &mut boxes[index];
            let margin =
                (MARGIN * shape.size + LOOKS_AHEAD * kept.moved).min(MOST_MARGIN * shape.size);
            // Two boxes overlap at the latest where their gap is the smaller reach.
            kept.half = half.map(|h| h + 0.5 * NEIGHBOURS * shape.size + margin);
            kept.center = center;
            tree.place(index as u32, &kept.center, &kept.half);
        }
        // How far the middle of a ball may come from where it is now before the list is made anew.
        let way = |shape: &Shape, kept: &Kept, radius: f64| {
            3.0_f64.sqrt() * (kept.half[0] - radius - 0.5 * NEIGHBOURS * shape.size)
        };
        // Boxes of balls overlap at their corners, too.
        let far = |a: u32, b: u32| {
            let [one, other] = [a, b].map(|k| (&collider.shapes[k as usize], &boxes[k as usize]));
            let (Some(r), Some(s)) = (one.0.outline.round, other.0.outline.round) else {
                return false;
            };
            let reach = NEIGHBOURS * one.0.size.min(other.0.size);
            let ways = way(one.0, one.1, r) + way(other.0, other.1, s);
            let (arm, most) = (sub(&one.1.center, &other.1.center), r + s + reach + ways);
            dot(&arm, &arm) > most * most
        };
        tree.pairs(&mut |a, b| {
            if !far(a, b) && collider.may_touch(a, b, laws) {
                list.push((a.min(b), a.max(b)));
            }
        });
        for &half_space in &collider.half_spaces {
            let shape = &collider.shapes[half_space as usize];
            let plane = collider.plane(shape, &places[shape.body], frames.dimension);
            // One that moves is near to all.
            let moves = collider.moving[half_space as usize];
            for (index, other) in collider.shapes.iter().enumerate() {
                if other.outline.bounds.is_none() {
                    continue;
                }
                let kept = &boxes[index];
                let reach: f64 = (0..3).map(|k| plane.normal[k].abs() * kept.half[k]).sum();
                let index = index as u32;
                // The box reaches half as far as the pair is looked at.
                let near = plane.height(&kept.center) - reach <= 0.5 * NEIGHBOURS * other.size;
                if (moves || near) && collider.may_touch(index, half_space, laws) {
                    list.push((index.min(half_space), index.max(half_space)));
                }
            }
        }
        list.sort_unstable();
    }
}
