//! Polygons on polygons in the plane: the side along which they are farthest apart, and the stretch
//! where two sides meet.
//!
//! As with boxes in space, sides that coincide are the ordinary case, and rounding takes no
//! decision. The number of a point says which corner touches: the end of a stretch is a corner of one
//! of the two, and stays the same when the polygon rolls over it from side to side. Where
//! corners of both meet it is that of the first.
//!
//! The same search serves at every distance, so that a number does not change when polygons come near.
//! The gap of a corner is its height over the side of the other polygon, along the normal of that side:
//! its rate is the relative velocity along that normal.

use super::border::Pose;
use super::touch::Touch;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{add, apply, apply_transposed, dot, norm, scale, sub};

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

    /// A direction of the other polygon in the frame of this one.
    fn turned(&self, other: &Polygon, direction: &Vector3) -> Vector3 {
        apply_transposed(&self.pose.rotation, &apply(&other.pose.rotation, direction))
    }

    /// The best separation along the sides of this one, and the side.
    fn separation(&self, other: &Polygon, tolerance: f64) -> (f64, usize) {
        let mut corners = [[0.0; 3]; MOST_CORNERS];
        let corners = &mut corners[..other.corners.len()];
        for (here, there) in corners.iter_mut().zip(other.corners) {
            *here = self.of_other(other, there);
        }
        let mut best = (f64::NEG_INFINITY, 0);
        for index in 0..self.corners.len() {
            let (normal, [p, _]) = (self.normal(index), self.side(index));
            let heights = corners.iter().map(|q| dot(&sub(q, &p), &normal));
            let gap = heights.fold(f64::INFINITY, f64::min);
            if gap > best.0 + tolerance {
                best = (gap, index);
            }
        }
        best
    }

    /// The side of the other polygon that looks most against a direction of this one.
    fn opposite(&self, other: &Polygon, normal: &Vector3) -> usize {
        let there = other.turned(self, normal);
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

/// Two sides that face each other, in the frame of the polygon along whose normal the two are farthest
/// apart: the reference.
struct Facing<'a> {
    reference: &'a Polygon<'a>,
    /// The reference is the first polygon of the pair.
    forward: bool,
    /// Ends of the side of the reference, and its normal out of it.
    own: [Vector3; 2],
    normal: Vector3,
    /// Ends of the side of the other, in the order along the side of the reference, and its normal
    /// out of the other.
    others: [Vector3; 2],
    against: Vector3,
    /// Numbers of the corners of both at these ends.
    corners: [[usize; 2]; 2],
}

impl Facing<'_> {
    /// Appends a corner at `gap` over the other polygon along `normal`, out of the reference. It is a
    /// corner of the reference or one of the other.
    fn push(
        &self,
        end: usize,
        of_reference: bool,
        corner: &Vector3,
        gap: f64,
        normal: &Vector3,
        out: &mut Vec<Touch>,
    ) {
        let [mine, theirs] = self.corners[end];
        // Corners of the first polygon come before those of the second.
        let (number, of_first) =
            if of_reference { (mine, self.forward) } else { (theirs, !self.forward) };
        let number = number + if of_first { 0 } else { MOST_CORNERS };
        // The point of the first polygon: the corner, or its foot.
        let of_a = match (of_first, of_reference) {
            (true, _) => *corner,
            (false, true) => add(corner, &scale(gap, normal)),
            (false, false) => sub(corner, &scale(gap, normal)),
        };
        let pose = &self.reference.pose;
        let place = add(&pose.origin, &apply(&pose.rotation, &of_a));
        let sign = if self.forward { -1.0 } else { 1.0 };
        let out_of_b = scale(sign, &apply(&pose.rotation, normal));
        out.push(Touch::new(number as u16, gap, place, out_of_b));
    }

    /// A corner of the other polygon over the side of the reference: its gap and normal.
    fn over_reference(&self, corner: &Vector3) -> (f64, Vector3) {
        (dot(&sub(corner, &self.own[0]), &self.normal), self.normal)
    }

    /// A corner of the reference under the side of the other polygon.
    fn under_other(&self, corner: &Vector3) -> (f64, Vector3) {
        (dot(&sub(corner, &self.others[0]), &self.against), scale(-1.0, &self.against))
    }

    /// Sides that do not overlap: the corners at their ends.
    fn corner_to_corner(&self, end: usize, size: f64, reach: f64, out: &mut Vec<Touch>) {
        let (mine, theirs) = (&self.own[end], &self.others[end]);
        let (height, _) = self.over_reference(theirs);
        let arm = sub(theirs, mine);
        let distance = norm(&arm);
        // Corners that meet, or have passed each other, have no direction of their own.
        let (gap, normal) = if height > 0.0 && distance > SAME * size {
            (distance, scale(1.0 / distance, &arm))
        } else {
            (height, self.normal)
        };
        if gap <= reach {
            self.push(
                end,
                self.forward,
                if self.forward { mine } else { theirs },
                gap,
                &normal,
                out,
            );
        }
    }
}

/// Appends the points of two polygons whose gaps are within reach. Says `false`, and appends
/// nothing, where there are too many corners to look at them all.
pub(super) fn touches(
    a: &Polygon,
    b: &Polygon,
    size: f64,
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
    if gap > reach {
        return true; // no point is nearer than that
    }
    let normal = reference.normal(side);
    let opposite = reference.opposite(other, &normal);
    let after = |polygon: &Polygon, side: usize| (side + 1) % polygon.corners.len();
    // The sides go round against each other: the second end of the other is first on this one.
    let [end, begin] = other.side(opposite).map(|c| reference.of_other(other, &c));
    let facing = Facing {
        reference,
        forward,
        own: reference.side(side),
        normal,
        others: [begin, end],
        against: reference.turned(other, &other.normal(opposite)),
        corners: [[side, after(other, opposite)], [after(reference, side), opposite]],
    };
    let [p, q] = facing.own;
    let tangent = [-normal[1], normal[0], 0.0];
    let place = |c: &Vector3| dot(&sub(c, &p), &tangent);
    let (length, s, t) = (place(&q), place(&begin), place(&end));
    if s > length + tolerance {
        facing.corner_to_corner(1, size, reach, out);
        return true;
    }
    if t < -tolerance {
        facing.corner_to_corner(0, size, reach, out);
        return true;
    }
    // Each end is a corner of the other polygon, or is cut off at a corner of the reference.
    let mut last = None;
    for (index, (x, limit)) in [(s, 0.0), (t, length)].into_iter().enumerate() {
        let beyond = if index == 0 { limit - x } else { x - limit };
        let place = if beyond > tolerance { limit } else { x };
        if last.is_some_and(|last| place - last <= SAME * size) {
            break;
        }
        last = Some(place);
        let of_reference = if beyond.abs() <= SAME * size { forward } else { beyond > 0.0 };
        let corner = if of_reference { &facing.own[index] } else { &facing.others[index] };
        let (gap, normal) =
            if of_reference { facing.under_other(corner) } else { facing.over_reference(corner) };
        if gap <= reach {
            facing.push(index, of_reference, corner, gap, &normal, out);
        }
    }
    true
}
