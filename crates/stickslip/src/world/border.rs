//! The border to `parry`: its types are known in this file alone.
//!
//! It finds pairs of boxes that overlap (a bounding volume hierarchy), convex hulls, and the
//! points of contact of convex shapes that have no closed form. Its tolerances are lengths; shapes
//! pass the border in units of their world's size, so that a world of millimetres and one of
//! kilometres behave alike.

use super::hull::Hull;
use crate::kinematics::vector::{add, apply, apply_transposed, scale, sub};
use crate::kinematics::{Matrix3, Vector3};
use parry2d_f64 as plane;
use parry3d_f64 as space;
use plane::query::PersistentQueryDispatcher as _;
use space::query::PersistentQueryDispatcher as _;

/// Position and orientation of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    /// Its origin, m.
    pub origin: Vector3,
    /// From its frame to the inertial frame.
    pub rotation: Matrix3,
}

/// A pair of points of two shapes that may touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Witness {
    /// The point of the first shape, m.
    pub point_a: Vector3,
    /// The point of the second shape, m.
    pub point_b: Vector3,
    /// Unit normal from the second to the first shape.
    pub normal: Vector3,
    /// Gap, m.
    pub gap: f64,
    /// What touches: the same number from step to step; 0 if it is not known.
    pub feature: u64,
}

/// A shape as parry knows it.
#[derive(Clone)]
pub(super) enum Proxy {
    /// In space.
    Solid(space::shape::SharedShape),
    /// An ellipsoid, which parry knows by its support points alone.
    Ellipsoid(SupportEllipsoid),
    /// In the plane.
    Flat(plane::shape::SharedShape),
}

/// An ellipsoid by its semi-axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SupportEllipsoid(space::math::Vector);

impl space::shape::SupportMap for SupportEllipsoid {
    fn local_support_point(&self, dir: space::math::Vector) -> space::math::Vector {
        let stretched = self.0 * dir;
        let length = stretched.length();
        if length > 0.0 { self.0 * stretched / length } else { self.0 * space::math::Vector::Z }
    }
}

fn point3(p: &Vector3) -> space::math::Vector {
    space::math::Vector::new(p[0], p[1], p[2])
}

fn point2(p: &[f64]) -> plane::math::Vector {
    plane::math::Vector::new(p[0], p[1])
}

fn rotation3(r: &Matrix3) -> space::math::Rotation {
    let column = |j: usize| space::math::Vec3::new(r[0][j], r[1][j], r[2][j]);
    space::math::Rotation::from_mat3(&space::math::Mat3::from_cols(column(0), column(1), column(2)))
}

/// Convex hull of finite points; none if they have no volume.
pub(super) fn hull(points: &[Vector3]) -> Option<Hull> {
    let first = points.first()?;
    let arms: Vec<Vector3> = points.iter().map(|p| sub(p, first)).collect();
    let size = arms.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    let points: Vec<_> = arms.iter().map(|p| point3(&scale(1.0 / size, p))).collect();
    let (corners, triangles) = space::transformation::try_convex_hull(&points).ok()?;
    let back = |p: &space::math::Vector| add(first, &scale(size, &[p.x, p.y, p.z]));
    let points: Vec<Vector3> = corners.iter().map(back).collect();
    let good = triangles.iter().flatten().all(|k| (*k as usize) < points.len());
    (good && !points.is_empty()).then_some(Hull { points, triangles })
}

impl Proxy {
    /// A sphere.
    pub fn ball(radius: f64) -> Self {
        Proxy::Solid(space::shape::SharedShape::ball(radius))
    }

    /// A box.
    pub fn cuboid([a, b, c]: Vector3) -> Self {
        Proxy::Solid(space::shape::SharedShape::cuboid(a, b, c))
    }

    /// A capsule about z.
    pub fn capsule(half_length: f64, radius: f64) -> Self {
        Proxy::Solid(space::shape::SharedShape::capsule_z(half_length, radius))
    }

    /// A solid of revolution with a straight side, by its radii below and above: a cylinder, or a cone if
    /// the second is 0; none of others. Those of parry have the axis y: see [`pose`](Self::pose).
    pub fn turned(half_length: f64, [below, above]: [f64; 2]) -> Option<Self> {
        let solid = if below == above {
            space::shape::SharedShape::cylinder(half_length, below)
        } else if above == 0.0 {
            space::shape::SharedShape::cone(half_length, below)
        } else {
            return None;
        };
        Some(Proxy::Solid(solid))
    }

    /// An ellipsoid.
    pub fn ellipsoid(semi_axes: &Vector3) -> Self {
        Proxy::Ellipsoid(SupportEllipsoid(point3(semi_axes)))
    }

    /// A hull, its lengths times `factor`.
    pub fn mesh(hull: &Hull, factor: f64) -> Option<Self> {
        let points = hull.points.iter().map(|p| point3(&scale(factor, p))).collect();
        Some(Proxy::Solid(space::shape::SharedShape::convex_mesh(points, &hull.triangles)?))
    }

    /// A circle.
    pub fn circle(radius: f64) -> Self {
        Proxy::Flat(plane::shape::SharedShape::ball(radius))
    }

    /// A rectangle.
    pub fn rectangle([a, b]: [f64; 2]) -> Self {
        Proxy::Flat(plane::shape::SharedShape::cuboid(a, b))
    }

    /// A convex polygon, its lengths times `factor`.
    pub fn polygon(points: &[[f64; 2]], factor: f64) -> Option<Self> {
        let points = points.iter().map(|p| point2(&p.map(|v| v * factor))).collect();
        Some(Proxy::Flat(plane::shape::SharedShape::convex_polyline(points)?))
    }

    /// A segment, its lengths times `factor`.
    pub fn segment(ends: &[[f64; 2]; 2], factor: f64) -> Self {
        let [a, b] = ends.map(|p| point2(&p.map(|v| v * factor)));
        Proxy::Flat(plane::shape::SharedShape::segment(a, b))
    }

    /// Pose of the proxy of a shape in this pose: parry's cylinders and cones stand along y.
    pub fn pose(&self, pose: &Pose) -> Pose {
        let r = &pose.rotation;
        let stands = matches!(self, Proxy::Solid(solid)
            if solid.as_cylinder().is_some() || solid.as_cone().is_some());
        // Columns (y, z, x): our z is its y.
        let rotation = if stands { [0, 1, 2].map(|i| [r[i][1], r[i][2], r[i][0]]) } else { *r };
        Pose { origin: pose.origin, rotation }
    }
}

/// Memory of [`witnesses`](Self::witnesses).
#[derive(Default)]
pub(super) struct Narrow {
    space: space::query::ContactManifold<(), ()>,
    plane: plane::query::ContactManifold<(), ()>,
}

impl Narrow {
    /// Appends the witness points of two shapes with gaps up to `prediction`. The poses are those
    /// of the proxies.
    pub fn witnesses(
        &mut self,
        (a, pose_a): (&Proxy, &Pose),
        (b, pose_b): (&Proxy, &Pose),
        unit: f64,
        prediction: f64,
        out: &mut Vec<Witness>,
    ) {
        let k = 1.0 / unit;
        let arm =
            scale(k, &apply_transposed(&pose_a.rotation, &sub(&pose_b.origin, &pose_a.origin)));
        // Rᵀ_a R_b by rows.
        let column = |r: &Matrix3, j: usize| [r[0][j], r[1][j], r[2][j]];
        let turn =
            [0, 1, 2].map(|i| apply_transposed(&pose_b.rotation, &column(&pose_a.rotation, i)));
        if arm.iter().chain(turn.iter().flatten()).any(|v| !v.is_finite()) {
            return;
        }
        // From the frame of a, in its units, to the inertial frame.
        let place = |p: Vector3| add(&pose_a.origin, &scale(unit, &apply(&pose_a.rotation, &p)));
        let mut push = |p1: Vector3, p2: Vector3, n1: Vector3, gap: f64, feature: u64| {
            let normal = scale(-1.0, &apply(&pose_a.rotation, &n1));
            let gap = unit * gap;
            if gap <= prediction && normal.iter().all(|v| v.is_finite()) {
                let (point_a, point_b) = (place(p1), place(p2));
                out.push(Witness { point_a, point_b, normal, gap, feature });
            }
        };
        if let (Proxy::Flat(a), Proxy::Flat(b)) = (a, b) {
            let angle = turn[1][0].atan2(turn[0][0]);
            let pose = plane::math::Pose::new(point2(&arm), angle);
            let manifold = &mut self.plane;
            manifold.clear();
            manifold.local_n1 = plane::math::Vector::ZERO;
            let (a, b): (&dyn plane::shape::Shape, &dyn plane::shape::Shape) = (&*a.0, &*b.0);
            // Pairs that parry does not know have no points.
            let _ = plane::query::DefaultQueryDispatcher.contact_manifold_convex_convex(
                &pose,
                a,
                b,
                None,
                None,
                prediction * k,
                manifold,
            );
            let n = manifold.local_n1;
            for point in &manifold.points {
                let (p1, p2) = (point.local_p1, pose * point.local_p2);
                let feature = feature(point.fid1.0, point.fid2.0);
                push([p1.x, p1.y, 0.0], [p2.x, p2.y, 0.0], [n.x, n.y, 0.0], point.dist, feature);
            }
            return;
        }
        let rotation = rotation3(&turn);
        let pose = space::math::Pose::from_parts(point3(&arm), rotation);
        if let (Proxy::Solid(a), Proxy::Solid(b)) = (a, b) {
            let manifold = &mut self.space;
            manifold.clear();
            manifold.local_n1 = space::math::Vector::ZERO;
            let (a, b) = (&*a.0, &*b.0);
            if a.as_cuboid().is_some() && b.as_cuboid().is_some() {
                // Boxes come here where their distance is not that along one of their axes, which is
                // all that parry's own way for boxes knows.
                space::query::details::contact_manifold_pfm_pfm_shapes(
                    &pose,
                    a,
                    b,
                    None,
                    None,
                    prediction * k,
                    manifold,
                );
            } else {
                let _ = space::query::DefaultQueryDispatcher.contact_manifold_convex_convex(
                    &pose,
                    a,
                    b,
                    None,
                    None,
                    prediction * k,
                    manifold,
                );
            }
            let n = manifold.local_n1;
            for point in &manifold.points {
                let (p1, p2) = (point.local_p1, pose * point.local_p2);
                let feature = feature(point.fid1.0, point.fid2.0);
                push(p1.into(), p2.into(), n.into(), point.dist, feature);
            }
            return;
        }
        match (a, b) {
            (Proxy::Ellipsoid(egg), Proxy::Solid(other)) => {
                let found = other
                    .as_support_map()
                    .and_then(|map| egg_contact(&pose, egg, map, prediction * k));
                if let Some((point, n, gap)) = found {
                    push(point.into(), (point + n * gap).into(), n.into(), gap, 0);
                }
            }
            (Proxy::Solid(other), Proxy::Ellipsoid(egg)) => {
                let found = other
                    .as_support_map()
                    .and_then(|map| egg_contact(&pose.inverse(), egg, map, prediction * k));
                if let Some((point, n, gap)) = found {
                    let (near, far) = (pose * (point + n * gap), pose * point);
                    let n = pose.rotation * -n;
                    push(near.into(), far.into(), n.into(), gap, 0);
                }
            }
            _ => {}
        }
    }
}

/// A shape that is smaller than it should be, about its origin.
struct Shrunk(SupportEllipsoid, f64);

impl space::shape::SupportMap for Shrunk {
    fn local_support_point(&self, dir: space::math::Vector) -> space::math::Vector {
        self.0.local_support_point(dir) * self.1
    }
}

/// By how much an ellipsoid shrinks until the distance of what is left has a direction.
const SHRUNK: [f64; 5] = [1.0, 0.98, 0.9, 0.6, 0.2];

/// The one point of contact of an ellipsoid with another shape, in its frame: point, unit normal
/// out of the ellipsoid, gap. Parry finds the direction between shapes that are apart; the gap
/// along it is that of the support points. A face of the other shape is found exactly, the normal
/// at an edge or a corner up to the penetration over the size.
fn egg_contact(
    pose: &space::math::Pose,
    egg: &SupportEllipsoid,
    other: &dyn space::shape::SupportMap,
    prediction: f64,
) -> Option<(space::math::Vector, space::math::Vector, f64)> {
    use space::query::details::contact_support_map_support_map as contact;
    use space::shape::SupportMap as _;
    for factor in SHRUNK {
        let reach = prediction + (1.0 - factor) * egg.0.max_element();
        let found = contact(pose, &Shrunk(*egg, factor), other, reach)?;
        if found.dist > 1e-9 {
            let normal = found.normal1;
            let point = egg.local_support_point(normal);
            let gap = (other.support_point(pose, -normal) - point).dot(normal);
            return Some((point, normal, gap));
        }
    }
    None
}

/// One number for a pair of features; 0 if both are unknown.
fn feature(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// Bounding volume hierarchy over boxes with numbers.
#[derive(Default)]
pub(super) struct Tree {
    tree: space::partitioning::Bvh,
    workspace: space::partitioning::BvhWorkspace,
}

impl Tree {
    /// Inserts a box, or moves it.
    pub fn place(&mut self, leaf: u32, center: &Vector3, half: &Vector3) {
        let (center, half) = (point3(center), point3(half));
        let bounds = space::bounding_volume::Aabb::new(center - half, center + half);
        self.tree.insert_or_update_partially(bounds, leaf, 0.0);
    }

    /// Calls `visit` for all pairs of boxes that overlap.
    pub fn pairs(&mut self, visit: &mut impl FnMut(u32, u32)) {
        self.tree.refit(&mut self.workspace);
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, visit);
    }
}
