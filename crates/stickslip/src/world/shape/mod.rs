//! Shapes of bodies, prepared for collision; one file per kind.
//!
//! A new kind of shape is a file here with its [`Geometry`], a variant of [`ShapeKind`] and an arm in
//! `as_geometry`: everything else in a world asks the geometry.

mod capsule;
mod circle;
mod cone;
mod convex_hull;
mod cuboid;
mod cylinder;
mod disk;
mod ellipsoid;
mod half_space;
mod polygon;
mod rectangle;
mod rim;
mod segment;
mod sphere;
mod stadium;

pub(super) use ellipsoid::{PlacedEllipsoid, touch as touch_of_ellipsoids};
pub(super) use half_space::{OnPlane, Plane};
pub(super) use rim::{FLAT_COSINE, RimFrame, rim_gaps};
pub(super) use sphere::Ball;

use super::border::{Pose, Proxy};
use super::description::*;
use super::hull::Hull;
use super::inertia::{MassProperties, diagonal, steiner};
use super::passing::thickness;
use super::polygons;
use super::touch::{Touch, TouchKind};
use super::validate::Check;
use crate::kinematics::vector::{
    add, apply, apply_transposed, cross, dot, multiply, norm, scale, sub,
};
use crate::kinematics::{Matrix3, Vector3, quaternion};
use crate::system::{Dimension, DrawnShape};
use crate::world::Frame;
use rim::Rim;
use std::f64::consts::PI;

/// Shapes; lengths in m, axes of symmetry along z.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the fields are lengths that explain themselves
#[non_exhaustive]
pub enum ShapeKind {
    Sphere {
        radius: f64,
    },
    Box {
        half_extents: [f64; 3],
    },
    Capsule {
        radius: f64,
        half_length: f64,
    },
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    /// A round base at z = −half_length and a tip at z = half_length.
    Cone {
        radius: f64,
        half_length: f64,
    },
    /// A thin disk in the plane z = 0 whose rim touches planes (Le Saux 2005). Its density is per
    /// area, kg/m².
    Disk {
        radius: f64,
    },
    Ellipsoid {
        semi_axes: [f64; 3],
    },
    ConvexHull {
        points: Vec<[f64; 3]>,
    },
    /// The half space below z = 0; in the plane below y = 0.
    HalfSpace,
    /// Plane only, as the following.
    Circle {
        radius: f64,
    },
    Rectangle {
        half_extents: [f64; 2],
    },
    /// A convex polygon.
    Polygon {
        points: Vec<[f64; 2]>,
    },
    Segment {
        ends: [[f64; 2]; 2],
    },
    /// A capsule of the plane, along y.
    Stadium {
        radius: f64,
        half_length: f64,
    },
}

/// What a kind of shape knows of itself.
pub(super) trait Geometry {
    /// Whether it is a shape of the plane or of space; none: of both.
    fn dimension(&self) -> Option<Dimension>;

    /// Notes what is wrong with its lengths.
    fn check(&self, part: Part, check: &mut Check);

    /// Mass and inertia in its own frame, for a density in kg/m³; of a thin disk and in the plane in
    /// kg/m². None where it has no volume.
    fn mass(&self, density: f64) -> Option<MassProperties>;

    /// Whether its density is per area in space too.
    fn is_area(&self) -> bool {
        false
    }

    /// Whether its corners are those of a polygon in the plane, in their order: its sides have normals.
    fn is_polygon(&self) -> bool {
        false
    }

    /// Its extent, corners and rims in its own frame.
    fn outline(&self) -> Outline;

    /// The same shape for collisions without a closed form, its lengths times `per_unit`.
    fn proxy(&self, shape: &Shape, per_unit: f64) -> Option<Proxy>;

    /// Appends the points where it touches a half-space or may soon.
    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>);

    /// The point where a ball touches it, the normal towards the ball; none without a closed form.
    fn under_ball(&self, ball: &Ball, shape: &Shape, pose: &Pose) -> Option<Touch>;

    /// Points where it can touch far from its centre; round shapes have none: the foot of the normal is near
    /// the centre of mass.
    fn far_points(&self) -> Vec<Vector3> {
        let outline = self.outline();
        let rims = outline.rims.iter().map(|rim| add(&rim.center, &[rim.radius, 0.0, 0.0]));
        outline.corners.iter().copied().chain(rims).collect()
    }

    /// Radius of a sphere about its origin that holds it, m; infinite without bounds.
    fn reach(&self) -> f64 {
        let Outline { corners, rims, bounds, round, semi_axes, .. } = self.outline();
        let flat = self.dimension() == Some(Dimension::Two);
        let length = |p: &Vector3| if flat { p[0].hypot(p[1]) } else { norm(p) };
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        match (round, semi_axes, bounds) {
            (Some(radius), ..) => radius,
            (_, Some(axes), _) => largest(&axes),
            (.., None) => f64::INFINITY,
            (.., Some((center, half))) if corners.is_empty() && rims.is_empty() => {
                norm(&center) + norm(&half)
            }
            _ => {
                let rims = rims.iter().map(|rim| rim.radius.hypot(norm(&rim.center)));
                corners.iter().map(length).chain(rims).fold(0.0, f64::max)
            }
        }
    }

    /// Points that it keeps.
    fn point_count(&self) -> usize {
        1
    }

    /// As it is drawn.
    fn drawn(&self, shape: &Shape) -> DrawnShape;
}

impl ShapeKind {
    /// Points where it can touch far from its centre, in its own frame.
    pub(crate) fn far_points(&self) -> Vec<Vector3> {
        self.as_geometry(|geometry| geometry.far_points())
    }

    /// Radius of a sphere about its origin that holds it, m; infinite for a half space.
    pub(crate) fn reach(&self) -> f64 {
        self.as_geometry(|geometry| geometry.reach())
    }

    /// Whether its density is per area in space too.
    pub(crate) fn is_area(&self) -> bool {
        self.as_geometry(|geometry| geometry.is_area())
    }

    /// Volume, m³, in the plane area, m²; none for shapes that fill no space.
    pub(crate) fn volume(&self) -> Option<f64> {
        self.as_geometry(|geometry| geometry.mass(1.0)).map(|mass| mass.mass)
    }

    /// Points that it keeps.
    pub(crate) fn point_count(&self) -> usize {
        self.as_geometry(|geometry| geometry.point_count())
    }

    /// Calls `ask` with the geometry of this kind.
    pub(super) fn as_geometry<T>(&self, ask: impl FnOnce(&dyn Geometry) -> T) -> T {
        match *self {
            ShapeKind::Sphere { radius } => ask(&sphere::Sphere { radius }),
            ShapeKind::Box { half_extents } => ask(&cuboid::Cuboid { half_extents }),
            ShapeKind::Capsule { radius, half_length } => {
                ask(&capsule::Capsule { radius, half_length })
            }
            ShapeKind::Cylinder { radius, half_length } => {
                ask(&cylinder::Cylinder { radius, half_length })
            }
            ShapeKind::Cone { radius, half_length } => ask(&cone::Cone { radius, half_length }),
            ShapeKind::Disk { radius } => ask(&disk::Disk { radius }),
            ShapeKind::Ellipsoid { semi_axes } => ask(&ellipsoid::Ellipsoid { semi_axes }),
            ShapeKind::ConvexHull { ref points } => ask(&convex_hull::ConvexHull { points }),
            ShapeKind::HalfSpace => ask(&half_space::HalfSpace),
            ShapeKind::Circle { radius } => ask(&circle::Circle { radius }),
            ShapeKind::Rectangle { half_extents } => ask(&rectangle::Rectangle { half_extents }),
            ShapeKind::Polygon { ref points } => ask(&polygon::Polygon { points }),
            ShapeKind::Segment { ends } => ask(&segment::Segment { ends }),
            ShapeKind::Stadium { radius, half_length } => {
                ask(&stadium::Stadium { radius, half_length })
            }
        }
    }
}

/// Extent of a shape in its own frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outline {
    /// Corners, m; none for round shapes.
    pub corners: Vec<Vector3>,
    /// Circles that can touch planes.
    pub rims: Vec<Rim>,
    /// Centre of its bounding box and half of its edges; none if it has no bounds.
    pub bounds: Option<(Vector3, Vector3)>,
    /// Radius of a sphere or circle.
    pub round: Option<f64>,
    /// Semi-axes of an ellipsoid or sphere.
    pub semi_axes: Option<Vector3>,
    /// Whether it has no thickness.
    pub is_thin: bool,
    /// The hull of points.
    pub hull: Option<Hull>,
}

impl Outline {
    /// Of a shape without corners about its origin, by half of the edges of its box.
    fn centred(half: Vector3) -> Self {
        Self { bounds: Some(([0.0; 3], half)), ..Self::default() }
    }

    /// Of a shape with these corners.
    fn of_corners(corners: Vec<Vector3>) -> Self {
        let bounds = corners.first().map(|first| {
            let mut ends = [*first; 2];
            for p in &corners {
                for k in 0..3 {
                    ends[0][k] = ends[0][k].min(p[k]);
                    ends[1][k] = ends[1][k].max(p[k]);
                }
            }
            let middle = [0, 1, 2].map(|k| 0.5 * (ends[0][k] + ends[1][k]));
            (middle, [0, 1, 2].map(|k| 0.5 * (ends[1][k] - ends[0][k])))
        });
        Self { corners, bounds, ..Self::default() }
    }
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
    /// Corners in the frame of the body, m; none for round shapes.
    pub corners: Vec<Vector3>,
    /// Normals of the sides that begin there, outwards; of polygons in the plane alone.
    pub normals: Vec<Vector3>,
    /// The middle of its bounds in the frame of the body, m.
    pub middle: Vector3,
    /// Its extent; its corners have moved to the frame of the body.
    pub outline: Outline,
    /// Largest distance of its points from the centre of the box, m; ∞ if it has no bounds.
    pub size: f64,
    /// Half of its thinnest edge, m; ∞ if it has no bounds.
    pub thickness: f64,
    /// For collisions without a closed form.
    pub proxy: Option<Proxy>,
}

impl Shape {
    /// The shape with this description, which has been checked; its proxy comes later.
    pub fn new(
        body: usize,
        number: usize,
        description: &ShapeDescription,
        check: &mut Check,
    ) -> Self {
        let mut kind = description.kind.clone();
        if let ShapeKind::Polygon { points } = &mut kind
            && polygon::doubled_area(points) < 0.0
        {
            // All that works on polygons has them counter-clockwise.
            points.reverse();
        }
        let rotation = quaternion::rotation(&description.rotation);
        let local = Pose { origin: description.offset, rotation };
        let (mut outline, dimension, is_polygon) =
            kind.as_geometry(|g| (g.outline(), g.dimension(), g.is_polygon()));
        if matches!(kind, ShapeKind::ConvexHull { .. }) && outline.hull.is_none() {
            check.error(Part::Shape(body, number), "points", "points must span a volume");
        }
        let corners = std::mem::take(&mut outline.corners);
        let corners: Vec<Vector3> =
            corners.iter().map(|p| add(&local.origin, &apply(&rotation, p))).collect();
        let normals = if is_polygon { polygons::normals(&corners) } else { Vec::new() };
        let size = outline.bounds.map_or(f64::INFINITY, |(_, half)| norm(&half));
        let plane = dimension == Some(Dimension::Two);
        let thickness =
            outline.bounds.map_or(f64::INFINITY, |(_, half)| thickness(&half, size, plane));
        let middle = outline.bounds.map_or([0.0; 3], |(middle, _)| middle);
        let middle = add(&local.origin, &apply(&rotation, &middle));
        let proxy = None;
        Self {
            body,
            number,
            kind,
            local,
            corners,
            normals,
            middle,
            outline,
            size,
            thickness,
            proxy,
        }
    }

    /// Makes the proxy, in lengths of `unit`.
    pub fn make_proxy(&mut self, unit: f64) {
        self.proxy = self.kind.as_geometry(|geometry| geometry.proxy(self, 1.0 / unit));
    }

    /// Where it is when its body is there.
    pub fn pose(&self, frame: &Frame) -> Pose {
        Pose {
            origin: frame.point(&self.local.origin),
            rotation: multiply(&frame.rotation, &self.local.rotation),
        }
    }

    /// It as a ball when its body is there; none for other shapes.
    pub fn as_ball(&self, frame: &Frame) -> Option<Ball> {
        let radius = self.outline.round?;
        Some(Ball { center: frame.point(&self.local.origin), radius })
    }

    /// It as an ellipsoid when its body is there; none for other shapes.
    pub fn as_ellipsoid(&self, frame: &Frame) -> Option<PlacedEllipsoid> {
        let semi_axes = self.outline.semi_axes?;
        Some(PlacedEllipsoid { pose: self.pose(frame), semi_axes })
    }

    /// The point where a ball touches it; none without a closed form.
    pub fn under_ball(&self, ball: &Ball, frame: &Frame) -> Option<Touch> {
        let pose = match self.outline.round {
            // A ball has no axes.
            Some(_) => Pose { origin: frame.point(&self.local.origin), rotation: frame.rotation },
            None => self.pose(frame),
        };
        self.kind.as_geometry(|geometry| geometry.under_ball(ball, self, &pose))
    }

    /// Its bounding box along the inertial axes: centre and half of the edges.
    pub fn inertial_bounds(&self, frame: &Frame) -> Option<(Vector3, Vector3)> {
        let (center, half) = self.outline.bounds?;
        if self.outline.round.is_some() {
            return Some((frame.point(&self.local.origin), half));
        }
        let pose = self.pose(frame);
        let r = &pose.rotation;
        let reach = |row: &[f64; 3]| (0..3).map(|k| row[k].abs() * half[k]).sum::<f64>();
        let half = [reach(&r[0]), reach(&r[1]), reach(&r[2])];
        Some((add(&pose.origin, &apply(r, &center)), half))
    }
}

/// The axis of symmetry z of a shape in this pose.
pub(super) fn axis(pose: &Pose) -> Vector3 {
    let r: &Matrix3 = &pose.rotation;
    [r[0][2], r[1][2], r[2][2]]
}
