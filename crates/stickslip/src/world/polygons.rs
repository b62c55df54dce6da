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
use crate::kinematics::vector::{add, apply, dot, norm, scale, sub};

/// Lengths over the size of the smaller polygon that are equal up to rounding.
const ROUNDING: f64 = 1e-9;
/// Distance over the size below which two points, and two corners, are one.
const SAME: f64 = 1e-6;
/// Corners of a polygon up to which all pairs of sides and corners are looked at.
pub(super) const MOST_CORNERS: usize = 64;
/// Those of most polygons: room for them costs nothing.
const FEW_CORNERS: usize = 8;

/// A convex polygon, counter-clockwise, in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon<'a> {
    /// Frame of the body.
    pub pose: Pose,
    /// Its corners.
    pub corners: &'a [Vector3],
    /// Unit normals of the sides that begin there, outwards: see [`normals`].
    pub normals: &'a [Vector3],
}

/// Unit normals of the sides of a polygon, outwards.
pub(super) fn normals(corners: &[Vector3]) -> Vec<Vector3> {
    let ends = corners.iter().cycle().skip(1);
    let normal = |(p, q): (&Vector3, &Vector3)| {
        let along = sub(q, p);
        let length = along[0].hypot(along[1]).max(f64::MIN_POSITIVE);
        [along[1] / length, -along[0] / length, 0.0]
    };
    corners.iter().zip(ends).map(normal).collect()
}

impl Polygon<'_> {
    /// The two ends of a side.
    fn side(&self, index: usize) -> [Vector3; 2] {
        [self.corners[index], self.corners[(index + 1) % self.corners.len()]]
    }

    /// The best separation along the sides of this one, and the side; `seen` is the other in the frame of
    /// this one.
    fn separation(&self, other: &Polygon, seen: &Seen, tolerance: f64) -> (f64, usize) {
        if other.corners.len() <= FEW_CORNERS {
            self.separation_among::<FEW_CORNERS>(other, seen, tolerance)
        } else {
            self.separation_among::<MOST_CORNERS>(other, seen, tolerance)
        }
    }

    /// The same with room for so many corners.
    fn separation_among<const ROOM: usize>(
        &self,
        other: &Polygon,
        seen: &Seen,
        tolerance: f64,
    ) -> (f64, usize) {
        let mut corners = [[0.0; 2]; ROOM];
        let corners = &mut corners[..other.corners.len()];
        for (here, there) in corners.iter_mut().zip(other.corners) {
            let [x, y, _] = seen.point(there);
            *here = [x, y];
        }
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, (normal, p)) in self.normals.iter().zip(self.corners).enumerate() {
            // A side that is no better than the best is left at the first corner that says so.
            let least = best.0 + tolerance;
            let mut gap = f64::INFINITY;
            for q in corners.iter() {
                gap = gap.min((q[0] - p[0]) * normal[0] + (q[1] - p[1]) * normal[1]);
                if gap <= least {
                    break;
                }
            }
            if gap > least {
                best = (gap, index);
            }
        }
        best
    }

    /// The side that looks most against a direction.
    fn opposite(&self, direction: &Vector3) -> usize {
        let mut best = (f64::INFINITY, 0);
        for (index, normal) in self.normals.iter().enumerate() {
            let along = dot(normal, direction);
            if along < best.0 - ROUNDING {
                best = (along, index);
            }
        }
        best.1
    }
}

/// How a polygon is seen in the frame of another: cosine and sine of its turn, and where its origin is.
#[derive(Clone, Copy)]
struct Seen {
    cos: f64,
    sin: f64,
    away: [f64; 2],
}

impl Seen {
    /// `of` in the frame of `from`.
    fn new(of: &Polygon, from: &Polygon) -> Self {
        let [[cos_a, _, _], [sin_a, _, _], _] = from.pose.rotation;
        let [[cos_b, _, _], [sin_b, _, _], _] = of.pose.rotation;
        let [x, y, _] = sub(&of.pose.origin, &from.pose.origin);
        Self {
            cos: cos_a * cos_b + sin_a * sin_b,
            sin: cos_a * sin_b - sin_a * cos_b,
            away: [cos_a * x + sin_a * y, cos_a * y - sin_a * x],
        }
    }

    fn is_finite(&self) -> bool {
        // Infinite numbers of both signs make a sum that is none.
        (self.cos + self.sin + self.away[0] + self.away[1]).is_finite()
    }

    #[inline]
    fn point(&self, [x, y, _]: &Vector3) -> Vector3 {
        let [dx, dy] = self.away;
        [dx + (self.cos * x - self.sin * y), dy + (self.sin * x + self.cos * y), 0.0]
    }

    fn direction(&self, [x, y, _]: &Vector3) -> Vector3 {
        [self.cos * x - self.sin * y, self.sin * x + self.cos * y, 0.0]
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
    let (b_in_a, a_in_b) = (Seen::new(b, a), Seen::new(a, b));
    let count = a.corners.len().max(b.corners.len());
    let few = a.corners.len().min(b.corners.len()) < 3 || count > MOST_CORNERS;
    if few || !b_in_a.is_finite() || !a_in_b.is_finite() {
        return false;
    }
    let tolerance = ROUNDING * size;
    let (own, side_a) = a.separation(b, &b_in_a, tolerance);
    let (others, side_b) = b.separation(a, &a_in_b, tolerance);
    let forward = others <= own + tolerance;
    let (reference, other, side, gap) =
        if forward { (a, b, side_a, own) } else { (b, a, side_b, others) };
    // The other in the frame of the reference, and the other way round.
    let [seen, sees] = if forward { [b_in_a, a_in_b] } else { [a_in_b, b_in_a] };
    if gap > reach {
        return true; // no point is nearer than that
    }
    let normal = reference.normals[side];
    let opposite = other.opposite(&sees.direction(&normal));
    let after = |polygon: &Polygon, side: usize| (side + 1) % polygon.corners.len();
    // The sides go round against each other: the second end of the other is first on this one.
    let [end, begin] = other.side(opposite).map(|c| seen.point(&c));
    let facing = Facing {
        reference,
        forward,
        own: reference.side(side),
        normal,
        others: [begin, end],
        against: seen.direction(&other.normals[opposite]),
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
