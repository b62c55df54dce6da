//! Bodies that are so fast or thin that they could pass through each other within a step.

use super::shape::Shape;
use super::world::{Body, World};
use crate::kinematics::vector::{norm, sub};
use crate::system::State;

/// Thickness over size of a shape without any.
const LEAST_THICKNESS: f64 = 1e-3;

/// Way of a shape in a step over its thickness up to which nothing is looked for half-way: corners and
/// rims that touch there alone do so with more.
const STILL: f64 = 0.05;

impl World {
    /// Into how many parts a motion must be divided: in each of them two bodies that come near each
    /// other move by less than half of the thickness of both.
    pub(super) fn looks_for_passing(&self, from: &State, v: &[f64], dt: f64) -> usize {
        let shapes = &self.collider.shapes;
        let mut most = 0.5_f64;
        for (a, shape) in shapes.iter().enumerate() {
            let travel = dt * self.speed(from, v, a);
            if travel > STILL * shape.thickness {
                most = most.max(1.0);
            }
            if !(travel > shape.thickness) {
                continue; // slow against its own thickness: two such bodies overlap when they meet
            }
            let frame = self.frames.frame(from, Some(shape.body));
            let center = frame.point(&shape.local.origin);
            for (b, other) in shapes.iter().enumerate() {
                if !self.collider.may_touch(a as u32, b as u32, &self.laws)
                    || other.outline.bounds.is_none()
                {
                    continue;
                }
                let both = travel + dt * self.speed(from, v, b);
                let place = self.frames.frame(from, Some(other.body));
                let apart = norm(&sub(&center, &place.point(&other.local.origin)));
                if apart <= shape.size + other.size + both {
                    most = most.max(both / (shape.thickness + other.thickness));
                }
            }
        }
        if most.is_finite() { (2.0 * most).ceil() as usize } else { 1 }
    }

    /// Bound of the speed of the points of a shape, m/s.
    fn speed(&self, from: &State, v: &[f64], shape: usize) -> f64 {
        let shape = &self.collider.shapes[shape];
        let Some(_) = self.frames.block(Some(shape.body)) else { return 0.0 };
        let frame = self.frames.frame(from, Some(shape.body));
        let twist = self.frames.twist(&frame, v, Some(shape.body));
        let reach = norm(&shape.local.origin) + shape.size;
        norm(&twist.velocity) + norm(&twist.angular_velocity) * reach
    }
}

/// Half of the smallest edge of a bounding box, at least a little of the size.
pub(super) fn thickness(half_edges: &[f64; 3], size: f64, plane: bool) -> f64 {
    let edges = if plane { &half_edges[..2] } else { &half_edges[..] };
    edges.iter().fold(f64::INFINITY, |m, h| m.min(*h)).max(LEAST_THICKNESS * size)
}

/// A warning if there are two shapes without thickness that could meet: nothing keeps them apart.
pub(super) fn thin_pair(bodies: &[Body], shapes: &[Shape], moving: &[bool]) -> Option<String> {
    let thin = |shape: &&Shape| shape.outline.is_thin;
    let first = shapes.iter().zip(moving).find(|(shape, moves)| **moves && thin(shape))?.0;
    let second = shapes.iter().filter(thin).find(|shape| shape.body != first.body)?;
    Some(format!(
        "bodies {:?} and {:?} have shapes without thickness (segment, disk): two such shapes do not \
         touch each other",
        bodies[first.body].name, bodies[second.body].name
    ))
}
