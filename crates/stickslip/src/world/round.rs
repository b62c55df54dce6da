//! Spheres and circles against other shapes: closed forms.

use super::border::Pose;
use super::description::ShapeKind;
use super::shape::{Shape, axis};
use super::touch::Touch;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{add, apply, apply_transposed, dot, norm, scale, sub};

/// The point of contact of the sphere (or circle) with this centre and radius with another shape;
/// the normal points to the sphere. None if the pair has no closed form here.
pub(super) fn touch(center: &Vector3, radius: f64, other: &Shape, pose: &Pose) -> Option<Touch> {
    let ball = |point: &Vector3, depth: f64| {
        let arm = sub(center, point);
        let distance = norm(&arm);
        // Spheres about one point: any direction serves.
        let planar = matches!(other.kind, ShapeKind::Circle { .. });
        let fallback = if planar { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let normal = if distance > 0.0 { scale(1.0 / distance, &arm) } else { fallback };
        contact(center, radius, &normal, distance - depth)
    };
    let local = || apply_transposed(&pose.rotation, &sub(center, &pose.origin));
    // From the nearest surface point of the other shape, all in its frame.
    let surface = |(arm, distance): (Vector3, f64)| {
        contact(center, radius, &apply(&pose.rotation, &arm), distance)
    };
    match &other.kind {
        ShapeKind::Sphere { radius: second } | ShapeKind::Circle { radius: second } => {
            Some(ball(&pose.origin, *second))
        }
        ShapeKind::Capsule { radius: second, half_length } => {
            let along = dot(&sub(center, &pose.origin), &axis(pose));
            let nearest = scale(along.clamp(-half_length, *half_length), &axis(pose));
            Some(ball(&add(&pose.origin, &nearest), *second))
        }
        ShapeKind::Box { half_extents } => Some(surface(from_box(&local(), half_extents))),
        ShapeKind::Cylinder { radius, half_length } => {
            Some(surface(from_cylinder(&local(), *radius, *half_length)))
        }
        ShapeKind::Disk { radius } => Some(surface(from_cylinder(&local(), *radius, 0.0))),
        ShapeKind::Rectangle { half_extents: [a, b] } => {
            Some(surface(from_box(&local(), &[*a, *b, f64::INFINITY])))
        }
        ShapeKind::Polygon { .. } | ShapeKind::Segment { .. } => {
            let own = apply_transposed(&other.local.rotation, &other.local.origin);
            let point = local();
            // Corners are kept in the frame of the body.
            let corner =
                |k: usize| sub(&apply_transposed(&other.local.rotation, &other.corners[k]), &own);
            Some(surface(from_polygon(&point, other.corners.len(), corner)?))
        }
        _ => None,
    }
}

/// The touch of a sphere whose centre is `distance` above a surface with this normal.
fn contact(center: &Vector3, radius: f64, normal: &Vector3, distance: f64) -> Touch {
    let point = sub(center, &scale(radius, normal));
    Touch::round(0, distance - radius, point, *normal)
}

/// Direction and distance of a point from a box about the origin; negative inside.
fn from_box(p: &Vector3, half: &Vector3) -> (Vector3, f64) {
    let arm = [0, 1, 2].map(|k| p[k] - p[k].clamp(-half[k], half[k]));
    let distance = norm(&arm);
    if distance > 0.0 {
        return (scale(1.0 / distance, &arm), distance);
    }
    let depth = [0, 1, 2].map(|k| half[k] - p[k].abs());
    let mut nearest = 0;
    for k in 1..3 {
        if depth[k] < depth[nearest] {
            nearest = k;
        }
    }
    let mut normal = [0.0; 3];
    normal[nearest] = 1.0_f64.copysign(p[nearest]);
    (normal, -depth[nearest])
}

/// The same for a cylinder about z.
fn from_cylinder(p: &Vector3, radius: f64, half_length: f64) -> (Vector3, f64) {
    let across = p[0].hypot(p[1]);
    let out = if across > 0.0 { [p[0] / across, p[1] / across, 0.0] } else { [1.0, 0.0, 0.0] };
    let up = 1.0_f64.copysign(p[2]);
    let (side, end) = (across - radius, p[2].abs() - half_length);
    if side > 0.0 && end > 0.0 {
        let distance = side.hypot(end);
        let (s, e) = (side / distance, up * end / distance);
        return ([s * out[0], s * out[1], e], distance);
    }
    if side > end { (out, side) } else { ([0.0, 0.0, up], end) }
}

/// The same for a convex polygon with counter-clockwise corners, or a segment.
fn from_polygon(
    p: &Vector3,
    count: usize,
    corner: impl Fn(usize) -> Vector3,
) -> Option<(Vector3, f64)> {
    // Outside the nearest point of the boundary counts, inside the edge that is least deep.
    let mut inside = count > 2;
    let mut face = ([0.0; 3], f64::NEG_INFINITY);
    let mut nearest = ([0.0; 3], f64::INFINITY);
    for k in 0..count {
        let (a, b) = (corner(k), corner((k + 1) % count));
        let edge = sub(&b, &a);
        let length = norm(&edge);
        if length == 0.0 {
            continue;
        }
        let out = [edge[1] / length, -edge[0] / length, 0.0];
        let height = dot(&sub(p, &a), &out);
        if height > face.1 {
            face = (out, height);
        }
        inside &= height <= 0.0;
        let along = (dot(&sub(p, &a), &edge) / (length * length)).clamp(0.0, 1.0);
        let arm = sub(p, &add(&a, &scale(along, &edge)));
        let distance = norm(&arm);
        if distance < nearest.1 {
            let normal = if distance > 0.0 { scale(1.0 / distance, &arm) } else { out };
            nearest = (normal, distance);
        }
    }
    if inside {
        return face.1.is_finite().then_some(face);
    }
    nearest.1.is_finite().then_some(nearest)
}
