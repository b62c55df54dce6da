//! A shape of a body, prepared for collision.

use super::border::{Pose, Proxy, axis_swap};
use super::description::*;
use super::hull::Hull;
use super::passing::thickness;
use super::validate::Check;
use crate::kinematics::vector::{add, apply, multiply, norm};
use crate::kinematics::{Matrix3, Vector3, quaternion};
use crate::world::Frame;

/// A circle on a body that can touch planes: the contour of a disk, an edge of a cylinder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rim {
    /// Its centre in the frame of the shape, m.
    pub center: Vector3,
    /// Its radius, m; the axis is z of the shape.
    pub radius: f64,
}

/// A shape in its body.
pub(super) struct Shape {
    /// Index of the body.
    pub body: usize,
    /// Its number on the body.
    pub number: usize,
    /// What it is.
    pub kind: ShapeKind,
    /// Its frame in the frame of the body.
    pub local: Pose,
    /// Corners in the frame of the body, m; empty for round shapes.
    pub corners: Vec<Vector3>,
    /// Circles that can touch planes.
    pub rims: Vec<Rim>,
    /// Centre of its bounding box in the frame of the shape, and half of its edges; none if it has
    /// no bounds.
    pub bounds: Option<(Vector3, Vector3)>,
    /// Largest distance of its points from the centre of the box, m; ∞ if it has no bounds.
    pub size: f64,
    /// Half of its thinnest edge, m; ∞ if it has no bounds.
    pub thickness: f64,
    /// For collisions without a closed form.
    pub proxy: Option<Proxy>,
    /// The hull, for drawing.
    pub hull: Option<Hull>,
}

impl Shape {
    /// The shape with this description; its proxy comes later.
    pub fn new(
        body: usize,
        number: usize,
        description: &ShapeDescription,
        check: &mut Check,
    ) -> Self {
        let mut kind = description.kind.clone();
        if let ShapeKind::Polygon { points } = &mut kind
            && doubled_area(points) < 0.0
        {
            // All that works on polygons has them counter-clockwise.
            points.reverse();
        }
        let rotation = quaternion::rotation(&description.rotation);
        let local = Pose { origin: description.offset, rotation };
        let mut hull = None;
        if let ShapeKind::ConvexHull { points } = &kind
            && points.iter().flatten().all(|v| v.is_finite())
        {
            hull = Hull::new(points);
            if hull.is_none() {
                let text = "points must span a volume";
                check.error(Part::Shape(body, number), "points", text);
            }
        }
        let own = corners(&kind, hull.as_ref());
        let bounds = bounds(&kind, &own);
        let corners = own.iter().map(|p| add(&local.origin, &apply(&rotation, p))).collect();
        let rims = match kind {
            ShapeKind::Disk { radius } => vec![Rim { center: [0.0; 3], radius }],
            ShapeKind::Cylinder { radius, half_length } => {
                [-half_length, half_length].map(|z| Rim { center: [0.0, 0.0, z], radius }).to_vec()
            }
            _ => Vec::new(),
        };
        let size = bounds.map_or(f64::INFINITY, |(_, half)| norm(&half));
        let plane = matches!(
            kind,
            ShapeKind::Circle { .. }
                | ShapeKind::Rectangle { .. }
                | ShapeKind::Polygon { .. }
                | ShapeKind::Segment { .. }
        );
        let thickness = bounds.map_or(f64::INFINITY, |(_, half)| thickness(&half, size, plane));
        Self {
            body,
            number,
            kind,
            local,
            corners,
            rims,
            bounds,
            size,
            thickness,
            proxy: None,
            hull,
        }
    }

    /// Where it is when its body is there.
    pub fn pose(&self, frame: &Frame) -> Pose {
        Pose {
            origin: frame.point(&self.local.origin),
            rotation: multiply(&frame.rotation, &self.local.rotation),
        }
    }

    /// Where its proxy is when the shape is there.
    pub fn proxy_pose(&self, pose: &Pose) -> Pose {
        Pose { origin: pose.origin, rotation: axis_swap(&self.kind, &pose.rotation) }
    }

    /// Its bounding box along the inertial axes: centre and half of the edges.
    pub fn inertial_bounds(&self, frame: &Frame) -> Option<(Vector3, Vector3)> {
        let (center, half) = self.bounds?;
        if let ShapeKind::Sphere { .. } | ShapeKind::Circle { .. } = self.kind {
            return Some((frame.point(&self.local.origin), half));
        }
        let pose = self.pose(frame);
        let r = &pose.rotation;
        let reach = |row: &[f64; 3]| (0..3).map(|k| row[k].abs() * half[k]).sum::<f64>();
        let half = [reach(&r[0]), reach(&r[1]), reach(&r[2])];
        Some((add(&pose.origin, &apply(r, &center)), half))
    }
}

/// Corners in the frame of the shape.
fn corners(kind: &ShapeKind, hull: Option<&Hull>) -> Vec<Vector3> {
    match kind {
        ShapeKind::Box { half_extents: [a, b, c] } => (0..8)
            .map(|k| {
                let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
                [sign(0) * a, sign(1) * b, sign(2) * c]
            })
            .collect(),
        ShapeKind::Rectangle { half_extents: [a, b] } => {
            vec![[-a, -b, 0.0], [*a, -b, 0.0], [*a, *b, 0.0], [-a, *b, 0.0]]
        }
        ShapeKind::Polygon { points } => points.iter().map(|p| [p[0], p[1], 0.0]).collect(),
        ShapeKind::Segment { ends } => ends.iter().map(|p| [p[0], p[1], 0.0]).collect(),
        ShapeKind::ConvexHull { .. } => hull.map(|h| h.points.clone()).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Twice the area of a polygon, negative if its corners go round clockwise.
fn doubled_area(points: &[[f64; 2]]) -> f64 {
    let corners = points.iter().zip(points.iter().cycle().skip(1));
    let origin = points.first().copied().unwrap_or_default();
    corners
        .map(|(a, b)| {
            (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0])
        })
        .sum()
}

/// Bounding box in the frame of the shape.
fn bounds(kind: &ShapeKind, corners: &[Vector3]) -> Option<(Vector3, Vector3)> {
    let centred = |half: Vector3| Some(([0.0; 3], half));
    match kind {
        ShapeKind::HalfSpace => None,
        ShapeKind::Sphere { radius } => centred([*radius; 3]),
        ShapeKind::Circle { radius } => centred([*radius, *radius, 0.0]),
        ShapeKind::Disk { radius } => centred([*radius, *radius, 0.0]),
        ShapeKind::Cylinder { radius, half_length } => centred([*radius, *radius, *half_length]),
        ShapeKind::Capsule { radius, half_length } => {
            centred([*radius, *radius, half_length + radius])
        }
        ShapeKind::Ellipsoid { semi_axes } => centred(*semi_axes),
        _ => {
            let mut ends = [*corners.first()?; 2];
            for p in corners {
                for k in 0..3 {
                    ends[0][k] = ends[0][k].min(p[k]);
                    ends[1][k] = ends[1][k].max(p[k]);
                }
            }
            let middle = [0, 1, 2].map(|k| 0.5 * (ends[0][k] + ends[1][k]));
            let half = [0, 1, 2].map(|k| 0.5 * (ends[1][k] - ends[0][k]));
            Some((middle, half))
        }
    }
}

/// The rotation of the shape against its body is used for every direction of a rim.
pub(super) fn axis(pose: &Pose) -> Vector3 {
    let r: &Matrix3 = &pose.rotation;
    [r[0][2], r[1][2], r[2][2]]
}
