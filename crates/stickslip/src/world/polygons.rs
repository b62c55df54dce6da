//! Polygons on polygons in the plane: the side along which they are farthest apart, and the stretch
//! where two sides meet.
//!
//! As with boxes in space, sides that coincide are the ordinary case, and rounding takes no
//! decision. The number of a point says which corner touches: the end of a stretch is a corner of one
//! of the two, and stays the same when the polygon rolls over it from side to side. Where
//! corners of both meet it is that of the first.

use super::border::Pose;
use super::touch::Touch;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{add, apply, apply_transposed, dot, scale, sub};

/// Lengths over the size of the smaller polygon that are equal up to rounding.
const ROUNDING: f64 = 1e-9;
/// Distance over the size below which two points, and two corners, are one.
const SAME: f64 = 1e-6;
/// Corners of a polygon up to which all pairs of sides and corners are looked at.
pub(super) const MOST_CORNERS: usize = 64;

/// A convex polygon, counter-clockwise, in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon<'a> {
    /// Frame of the body.
    pub pose: Pose,
    /// Its corners.
    pub corners: &'a [Vector3],
}

impl Polygon<'_> {
    /// The two ends of a side.
    fn side(&self, index: usize) -> [Vector3; 2] {
        [self.corners[index], self.corners[(index + 1) % self.corners.len()]]
    }

    /// Unit normal of a side, outwards.
    fn normal(&self, index: usize) -> Vector3 {
        let [p, q] = self.side(index);
        let along = sub(&q, &p);
        let length = along[0].hypot(along[1]).max(f64::MIN_POSITIVE);
        [along[1] / length, -along[0] / length, 0.0]
    }

    /// From the frame of another polygon to that of this one.
    fn of_other(&self, other: &Polygon, point: &Vector3) -> Vector3 {
        let away = sub(&other.pose.origin, &self.pose.origin);
        apply_transposed(&self.pose.rotation, &add(&away, &apply(&other.pose.rotation, point)))
    }

    /// The best separation along the sides of this one, and the side.
    fn separation(&self, other: &Polygon, tolerance: f64) -> (f64, usize) {
        let mut best = (f64::NEG_INFINITY, 0);
        for index in 0..self.corners.len() {
            let (normal, [p, _]) = (self.normal(index), self.side(index));
            let heights =
                other.corners.iter().map(|q| dot(&sub(&self.of_other(other, q), &p), &normal));
            let gap = heights.fold(f64::INFINITY, f64::min);
            if gap > best.0 + tolerance {
                best = (gap, index);
            }
        }
        best
    }

    /// The side of the other polygon that looks most against a direction of this one.
    fn opposite(&self, other: &Polygon, normal: &Vector3) -> usize {
        let there = apply_transposed(&other.pose.rotation, &apply(&self.pose.rotation, normal));
        let mut best = (f64::INFINITY, 0);
        for index in 0..other.corners.len() {
            let along = dot(&other.normal(index), &there);
            if along < best.0 - ROUNDING {
                best = (along, index);
            }
        }
        best.1
    }
}

/// Appends the points of two polygons whose gaps are within reach. Says `false`, and appends
/// nothing, where their sides do not face each other or are farther than `near`: the distance is
/// then not that along one of the normals.
pub(super) fn touches(
    a: &Polygon,
    b: &Polygon,
    size: f64,
    near: f64,
    reach: f64,
    out: &mut Vec<Touch>,
) -> bool {
    let numbers = a.pose.origin.iter().chain(&b.pose.origin);
    let turns = a.pose.rotation.iter().chain(&b.pose.rotation).flatten();
    let count = a.corners.len().max(b.corners.len());
    let few = a.corners.len().min(b.corners.len()) < 3 || count > MOST_CORNERS;
    if few || numbers.chain(turns).any(|v| !v.is_finite()) {
        return false;
    }
    let tolerance = ROUNDING * size;
    let (own, side_a) = a.separation(b, tolerance);
    let (others, side_b) = b.separation(a, tolerance);
    let forward = others <= own + tolerance;
    let (reference, other, side, gap) =
        if forward { (a, b, side_a, own) } else { (b, a, side_b, others) };
    if gap > near {
        return false;
    }
    let normal = reference.normal(side);
    let facing = reference.opposite(other, &normal);
    let [p, q] = reference.side(side);
    let tangent = [-normal[1], normal[0], 0.0];
    let length = dot(&sub(&q, &p), &tangent);
    // The sides go round against each other: the second end of the other is first on this one.
    let [end, begin] = other.side(facing).map(|c| reference.of_other(other, &c));
    let place = |c: &Vector3| dot(&sub(c, &p), &tangent);
    let (s, t) = (place(&begin), place(&end));
    if s > length + tolerance || t < -tolerance || !(t > s) {
        return false;
    }
    let at = |x: f64| add(&begin, &scale((x - s) / (t - s), &sub(&end, &begin)));
    // Each end is a corner of the other polygon, or is cut off at a corner of the reference.
    let after = |polygon: &Polygon, side: usize| (side + 1) % polygon.corners.len();
    let corners = [[side, after(other, facing)], [after(reference, side), facing]];
    let ends = [(s, 0.0, begin), (t, length, end)];
    let pose = &reference.pose;
    let out_of_b = scale(if forward { -1.0 } else { 1.0 }, &apply(&pose.rotation, &normal));
    let mut last = None;
    for (index, (x, limit, corner)) in ends.into_iter().enumerate() {
        let beyond = if index == 0 { limit - x } else { x - limit };
        let point = if beyond > tolerance { at(limit) } else { corner };
        if last.is_some_and(|last| place(&point) - last <= SAME * size) {
            break;
        }
        last = Some(place(&point));
        let gap = dot(&sub(&point, &p), &normal);
        if gap > reach {
            continue;
        }
        let of_reference = if beyond.abs() <= SAME * size { forward } else { beyond > 0.0 };
        let [mine, theirs] = corners[index];
        // Corners of the first polygon come before those of the second.
        let (corner, of_first) = if of_reference { (mine, forward) } else { (theirs, !forward) };
        let number = corner + if of_first { 0 } else { MOST_CORNERS };
        let of_a = if forward { sub(&point, &scale(gap, &normal)) } else { point };
        let place = add(&pose.origin, &apply(&pose.rotation, &of_a));
        out.push(Touch::new(number as u16, gap, place, out_of_b));
    }
    true
}
