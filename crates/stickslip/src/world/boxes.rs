//! Boxes on boxes: the axis along which they are farthest apart, and the area where two faces meet.
//!
//! Faces that lie on each other, with edges that coincide, are the ordinary case. There every
//! decision is a tie, and rounding must not take it: what differs by less than [`ROUNDING`] of the
//! size is equal, and the first of the equals is taken. The number of a point says which faces meet
//! and in which direction from the middle it lies, and not which corners and edges make it: it stays
//! when boxes of equal size slide on each other.

use super::border::Pose;
use super::touch::Touch;
use crate::kinematics::vector::{add, apply, apply_transposed, cross, dot, norm, scale, sub};
use crate::kinematics::{Matrix3, Vector3};

/// Lengths over the size of the smaller box that are equal up to rounding.
const ROUNDING: f64 = 1e-9;
/// Sine of the angle below which two edges are parallel, and have no common normal.
const PARALLEL: f64 = 1e-5;
/// Distance over the size below which two points are one.
const SAME: f64 = 1e-6;
/// Distance over the size by which a point must lie outside of the four corners to be a fifth.
const OUTSIDE: f64 = 1e-3;
/// Most corners of a rectangle cut by another one.
const MOST_CORNERS: usize = 8;

/// Where a box is, and half of its edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cuboid {
    /// Its middle and axes.
    pub pose: Pose,
    /// Half of its edges, m.
    pub half: Vector3,
}

/// A face: axis and side.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Face {
    axis: usize,
    side: f64,
}

impl Face {
    fn number(self) -> u16 {
        2 * self.axis as u16 + u16::from(self.side > 0.0)
    }

    /// The two axes in the face.
    fn others(self) -> [usize; 2] {
        [(self.axis + 1) % 3, (self.axis + 2) % 3]
    }
}

/// What separates two boxes best.
#[derive(Clone, Copy, Debug)]
enum Axis {
    /// A face of the first or of the second.
    Face { of_first: bool, face: Face },
    /// The common normal, out of the first, of two edges along these axes.
    Edges { axes: [usize; 2], normal: Vector3 },
}

/// The second box in the frame of the first.
#[derive(Clone, Copy, Debug)]
struct Placed {
    half: [Vector3; 2],
    arm: Vector3,
    /// Columns are the axes of the second box.
    turn: Matrix3,
}

impl Placed {
    fn new(a: &Cuboid, b: &Cuboid) -> Self {
        let arm = apply_transposed(&a.pose.rotation, &sub(&b.pose.origin, &a.pose.origin));
        let rows = [0, 1, 2].map(|i| column(&a.pose.rotation, i));
        let turn = rows.map(|row| apply_transposed(&b.pose.rotation, &row));
        Self { half: [a.half, b.half], arm, turn }
    }

    /// The first in the frame of the second.
    fn reversed(&self) -> Self {
        let arm = scale(-1.0, &apply_transposed(&self.turn, &self.arm));
        let turn = [0, 1, 2].map(|i| column(&self.turn, i));
        Self { half: [self.half[1], self.half[0]], arm, turn }
    }

    /// The best separation along the faces of the first.
    fn by_faces(&self, tolerance: f64) -> (f64, Face) {
        let mut best = (f64::NEG_INFINITY, Face { axis: 0, side: 1.0 });
        for axis in 0..3 {
            let reach: f64 = (0..3).map(|k| self.turn[axis][k].abs() * self.half[1][k]).sum();
            let gap = self.arm[axis].abs() - self.half[0][axis] - reach;
            if gap > best.0 + tolerance {
                best = (gap, Face { axis, side: 1.0_f64.copysign(self.arm[axis]) });
            }
        }
        best
    }

    /// The separation along the common normal of two edges.
    fn by_edges(&self, axes: [usize; 2]) -> Option<(f64, Vector3)> {
        let mut edge = [0.0; 3];
        edge[axes[0]] = 1.0;
        let normal = cross(&edge, &column(&self.turn, axes[1]));
        let length = norm(&normal);
        if length < PARALLEL {
            return None;
        }
        let away = dot(&normal, &self.arm);
        let normal = scale(1.0_f64.copysign(away) / length, &normal);
        let own: f64 = (0..3).map(|k| normal[k].abs() * self.half[0][k]).sum();
        let turned = apply_transposed(&self.turn, &normal);
        let other: f64 = (0..3).map(|k| turned[k].abs() * self.half[1][k]).sum();
        Some((away.abs() / length - own - other, normal))
    }

    /// The axis of largest separation. Faces come before edges, and the first before the second.
    fn separation(&self, tolerance: f64) -> (f64, Axis) {
        let (mut gap, face) = self.by_faces(tolerance);
        let mut axis = Axis::Face { of_first: true, face };
        let (other, face) = self.reversed().by_faces(tolerance);
        if other > gap + tolerance {
            (gap, axis) = (other, Axis::Face { of_first: false, face });
        }
        for i in 0..3 {
            for j in 0..3 {
                if let Some((found, normal)) = self.by_edges([i, j])
                    && found > gap + tolerance
                {
                    (gap, axis) = (found, Axis::Edges { axes: [i, j], normal });
                }
            }
        }
        (gap, axis)
    }

    /// The face of the second that looks against a face of the first.
    fn opposite(&self, face: Face) -> Face {
        let along = self.turn[face.axis];
        let mut axis = 0;
        for k in 1..3 {
            if along[k].abs() > along[axis].abs() + ROUNDING {
                axis = k;
            }
        }
        Face { axis, side: -face.side * 1.0_f64.copysign(along[axis]) }
    }
}

/// Appends the points of two boxes whose gaps are within reach. Says `false`, and appends nothing,
/// where the distance is not that along one of the axes: faces and edges do not face each other, or
/// they do so but are farther than `near` and a corner beside them is nearest. Otherwise the same search
/// serves at every distance, so that numbers do not change when boxes come near.
pub(super) fn touches(a: &Cuboid, b: &Cuboid, near: f64, reach: f64, out: &mut Vec<Touch>) -> bool {
    let placed = Placed::new(a, b);
    if placed.arm.iter().chain(placed.turn.iter().flatten()).any(|v| !v.is_finite()) {
        return false;
    }
    let size = norm(&a.half).min(norm(&b.half));
    let (gap, axis) = placed.separation(ROUNDING * size);
    if gap > reach {
        return true; // no point is nearer than that
    }
    let most = if gap > near { gap + SAME * size } else { f64::INFINITY };
    match axis {
        Axis::Face { of_first: true, face } => {
            let faces = [face, placed.opposite(face)];
            face_points(&placed, faces, true, &a.pose, size, [most, reach], out)
        }
        Axis::Face { of_first: false, face } => {
            let placed = placed.reversed();
            let faces = [face, placed.opposite(face)];
            face_points(&placed, faces, false, &b.pose, size, [most, reach], out)
        }
        Axis::Edges { axes, normal } => {
            edge_point(&placed, axes, &normal, &a.pose, size, reach, out)
        }
    }
}

/// The points of a face of the second box over one of the first, which is the reference and whose
/// pose is given; `forward`: the reference is the first shape of the pair. There are none if even the
/// lowest is higher than `most`.
fn face_points(
    placed: &Placed,
    faces: [Face; 2],
    forward: bool,
    pose: &Pose,
    size: f64,
    [most, reach]: [f64; 2],
    out: &mut Vec<Touch>,
) -> bool {
    let [face, other] = faces;
    let [u, v] = face.others();
    let mut area = Area::of_face(placed, other);
    for (axis, side) in [(u, 1.0), (u, -1.0), (v, 1.0), (v, -1.0)] {
        area.cut(axis, side, placed.half[0][axis], ROUNDING * size);
    }
    if area.count == 0 {
        return false;
    }
    let corners = &area.corners[..area.count];
    let height = |p: &Vector3| face.side * p[face.axis] - placed.half[0][face.axis];
    if corners.iter().all(|p| height(p) > most) {
        return false;
    }
    // Directions of the smaller face: its corners are most of those of the area. In equal faces they
    // are those of the first shape of the pair, whichever is the reference.
    let extent =
        |half: &Vector3, face: Face| face.others().iter().map(|k| half[*k]).product::<f64>();
    let extents = [extent(&placed.half[0], face), extent(&placed.half[1], other)];
    let (mine, theirs) = if forward { (0, 1) } else { (1, 0) };
    let by_reference = (extents[theirs] < extents[mine] * (1.0 - ROUNDING)) != forward;
    let [along, across] = if by_reference {
        [u, v].map(|k| [0, 1, 2].map(|i| f64::from(u8::from(i == k))))
    } else {
        other.others().map(|k| column(&placed.turn, k))
    };
    let mut chosen = [usize::MAX; 2 * MOST_CORNERS];
    let mut count = 0;
    let numbers = if forward { [face, other] } else { [other, face] }.map(Face::number);
    let first = 8 * (6 * numbers[0] + numbers[1]);
    let mut normal = [0.0; 3];
    normal[face.axis] = face.side;
    let out_of_b = scale(if forward { -1.0 } else { 1.0 }, &apply(&pose.rotation, &normal));
    for (k, (x, y)) in DIRECTIONS.iter().enumerate() {
        let direction = add(&scale(*x, &along), &scale(*y, &across));
        let measure = |p: &Vector3| dot(p, &direction);
        let mut best = 0;
        for (index, p) in corners.iter().enumerate() {
            if measure(p) > measure(&corners[best]) + ROUNDING * size {
                best = index;
            }
        }
        let far = |c: &usize| norm(&sub(&corners[best], &corners[*c])) > SAME * size;
        let beyond = |c: &usize| measure(&corners[best]) > measure(&corners[*c]) + OUTSIDE * size;
        let taken = &chosen[..count];
        if !taken.iter().all(far) || (k >= 4 && !taken.iter().all(beyond)) {
            continue;
        }
        chosen[count] = best;
        count += 1;
        let p = corners[best];
        let gap = height(&p);
        if gap > reach {
            continue;
        }
        let point = if forward { sub(&p, &scale(gap, &normal)) } else { p };
        let place = add(&pose.origin, &apply(&pose.rotation, &point));
        out.push(Touch::new(first + k as u16, gap, place, out_of_b));
    }
    true
}

/// Directions from the middle of a face: to its corners, then to its edges.
const DIRECTIONS: [(f64, f64); 8] = [
    (1.0, 1.0),
    (-1.0, 1.0),
    (-1.0, -1.0),
    (1.0, -1.0),
    (1.0, 0.0),
    (0.0, 1.0),
    (-1.0, 0.0),
    (0.0, -1.0),
];

/// A convex polygon in space.
#[derive(Clone, Copy, Debug)]
struct Area {
    corners: [Vector3; MOST_CORNERS],
    count: usize,
}

impl Area {
    /// A face of the second box, in the frame of the first.
    fn of_face(placed: &Placed, face: Face) -> Self {
        let [u, v] = face.others();
        let half = &placed.half[1];
        let arm = |k: usize, factor: f64| scale(factor * half[k], &column(&placed.turn, k));
        let middle = add(&placed.arm, &arm(face.axis, face.side));
        let mut corners = [[0.0; 3]; MOST_CORNERS];
        for (corner, (x, y)) in corners.iter_mut().zip(&DIRECTIONS[..4]) {
            *corner = add(&middle, &add(&arm(u, *x), &arm(v, *y)));
        }
        Self { corners, count: 4 }
    }

    /// Cuts off what lies beyond `limit` along an axis. What lies on the limit stays as it is.
    fn cut(&mut self, axis: usize, side: f64, limit: f64, tolerance: f64) {
        let beyond = |p: &Vector3| side * p[axis] - limit;
        let old = *self;
        self.count = 0;
        let mut keep = |p: Vector3| {
            if self.count < MOST_CORNERS {
                self.corners[self.count] = p;
                self.count += 1;
            }
        };
        for k in 0..old.count {
            let (p, q) = (&old.corners[k], &old.corners[(k + 1) % old.count]);
            let (d, e) = (beyond(p), beyond(q));
            if d <= tolerance {
                keep(*p);
            }
            if d.min(e) < -tolerance && d.max(e) > tolerance {
                keep(add(p, &scale(d / (d - e), &sub(q, p))));
            }
        }
    }
}

/// The point where an edge of one box crosses an edge of the other.
fn edge_point(
    placed: &Placed,
    axes: [usize; 2],
    normal: &Vector3,
    pose: &Pose,
    size: f64,
    reach: f64,
    out: &mut Vec<Touch>,
) -> bool {
    // The edge of each box that reaches farthest along the normal.
    let turned = apply_transposed(&placed.turn, normal);
    let mut sides = [0_u16; 2];
    let middle = |box_index: usize, along: &Vector3, sides: &mut u16| {
        let mut p = [0.0; 3];
        for k in (0..3).filter(|k| *k != axes[box_index]) {
            p[k] = placed.half[box_index][k].copysign(along[k]);
            *sides = 2 * *sides + u16::from(along[k] > 0.0);
        }
        p
    };
    let p = middle(0, normal, &mut sides[0]);
    let q = middle(1, &scale(-1.0, &turned), &mut sides[1]);
    let q = add(&placed.arm, &apply(&placed.turn, &q));
    let mut d = [0.0; 3];
    d[axes[0]] = 1.0;
    let e = column(&placed.turn, axes[1]);
    // Nearest points p + s d, q + t e of the two lines.
    let (w, c) = (sub(&q, &p), dot(&d, &e));
    let below = 1.0 - c * c;
    let s = (dot(&w, &d) - c * dot(&w, &e)) / below;
    let t = (c * dot(&w, &d) - dot(&w, &e)) / below;
    // Edges that do not cross: corners and ends are nearer.
    let slack = SAME * size;
    if s.abs() > placed.half[0][axes[0]] + slack || t.abs() > placed.half[1][axes[1]] + slack {
        return false;
    }
    let point = add(&p, &scale(s, &d));
    let gap = dot(&sub(&add(&q, &scale(t, &e)), &point), normal);
    if gap <= reach {
        let edges = [0, 1].map(|k| 4 * axes[k] as u16 + sides[k]);
        let place = add(&pose.origin, &apply(&pose.rotation, &point));
        let normal = scale(-1.0, &apply(&pose.rotation, normal));
        out.push(Touch::new(288 + 12 * edges[0] + edges[1], gap, place, normal));
    }
    true
}

fn column(r: &Matrix3, k: usize) -> Vector3 {
    [r[0][k], r[1][k], r[2][k]]
}
