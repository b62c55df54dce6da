//! Convex polygons of the plane.

use super::*;

pub(super) struct Polygon<'a> {
    pub points: &'a [[f64; 2]],
}

/// Twice the area of a polygon, negative if its corners go round clockwise.
pub(super) fn doubled_area(points: &[[f64; 2]]) -> f64 {
    let corners = points.iter().zip(points.iter().cycle().skip(1));
    let origin = points.first().copied().unwrap_or_default();
    corners
        .map(|(a, b)| {
            (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0])
        })
        .sum()
}

/// Points of the plane as points in space.
pub(super) fn in_space(points: &[[f64; 2]]) -> Vec<Vector3> {
    points.iter().map(|p| [p[0], p[1], 0.0]).collect()
}

/// A ball against a polygon with counter-clockwise corners, or a segment.
pub(super) fn under_ball(ball: &Ball, shape: &Shape, pose: &Pose) -> Option<Touch> {
    let own = apply_transposed(&shape.local.rotation, &shape.local.origin);
    // Corners are kept in the frame of the body.
    let corner = |k: usize| sub(&apply_transposed(&shape.local.rotation, &shape.corners[k]), &own);
    let point = apply_transposed(&pose.rotation, &sub(&ball.center, &pose.origin));
    let nearest = from_polygon(&point, shape.corners.len(), corner)?;
    Some(ball.on_surface(pose, |_| nearest))
}

/// Direction and distance of a point from a convex polygon with counter-clockwise corners, or a
/// segment; negative inside.
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

/// Whether the polygon turns one way at every corner, once around.
fn is_convex(points: &[[f64; 2]]) -> bool {
    let n = points.len();
    let edge = |k: usize| {
        let (a, b) = (points[k % n], points[(k + 1) % n]);
        [b[0] - a[0], b[1] - a[1]]
    };
    let mut turns = 0.0;
    let mut sign = 0.0_f64;
    for k in 0..n {
        let (a, b) = (edge(k), edge(k + 1));
        let (across, along) = (a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
        if across == 0.0 && along <= 0.0 || across * sign < 0.0 {
            return false;
        }
        if across != 0.0 {
            sign = across.signum();
        }
        turns += across.atan2(along);
    }
    (turns.abs() - std::f64::consts::TAU).abs() < 1.0
}

impl Geometry for Polygon<'_> {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Two)
    }

    fn check(&self, part: Part, check: &mut Check) {
        let points = self.points;
        let finite = points.iter().all(|p| check.finite(part, "points", p));
        check.corner_count(part, points.len(), 3);
        if finite && points.len() >= 3 && !is_convex(points) {
            let text = "points must be the corners of a convex polygon in order";
            check.error(part, "points", text);
        }
    }

    /// Exact integrals over the triangles between the edges and the first corner.
    fn mass(&self, density: f64) -> Option<MassProperties> {
        let origin = *self.points.first()?;
        let arm = |p: &[f64; 2]| [p[0] - origin[0], p[1] - origin[1]];
        let (mut area, mut first, mut polar) = (0.0, [0.0; 2], 0.0);
        for pair in self.points.windows(2) {
            let (a, b) = (arm(&pair[0]), arm(&pair[1]));
            let part = 0.5 * (a[0] * b[1] - a[1] * b[0]);
            area += part;
            for k in 0..2 {
                first[k] += part * (a[k] + b[k]) / 3.0;
                polar += part * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]) / 6.0;
            }
        }
        if area == 0.0 {
            return None;
        }
        let shift = [first[0] / area, first[1] / area];
        // The sign of the sense of rotation drops out of every quotient.
        let mass = density * area.abs();
        let moment = mass * (polar / area - shift[0] * shift[0] - shift[1] * shift[1]);
        let center = [origin[0] + shift[0], origin[1] + shift[1], 0.0];
        Some(MassProperties { mass, center, inertia: diagonal(moment, moment, moment) })
    }

    fn is_polygon(&self) -> bool {
        true
    }

    fn outline(&self) -> Outline {
        Outline::of_corners(in_space(self.points))
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Proxy::polygon(self.points, per_unit)
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        at.corners(out);
    }

    fn under_ball(&self, ball: &Ball, shape: &Shape, pose: &Pose) -> Option<Touch> {
        under_ball(ball, shape, pose)
    }

    fn point_count(&self) -> usize {
        self.points.len()
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::Line { points: in_space(self.points), closed: true }
    }
}
