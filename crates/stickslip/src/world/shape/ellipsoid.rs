//! Ellipsoids and spheres against ellipsoids.
//!
//! With the support functions h of both bodies about their centres c, the separation along a unit
//! normal n from b to a is
//!
//! ```text
//! s(n) = n·(c_a − c_b) − h_a(n) − h_b(n),      gap = max s(n)
//! ```
//!
//! for bodies that are apart and for such that overlap a little. Newton's method on the sphere of
//! normals finds the maximum to rounding, so that a rolling ellipsoid rolls smoothly.

use super::*;
use crate::world::rows::tangents;

/// Newton steps.
const MOST_STEPS: usize = 50;
/// Distance of the gradient from the normal, over the size of the bodies, that counts as none.
const DONE: f64 = 1e-15;

pub(super) struct Ellipsoid {
    pub semi_axes: Vector3,
}

impl Geometry for Ellipsoid {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn check(&self, part: Part, check: &mut Check) {
        self.semi_axes.iter().for_each(|v| check.positive(part, "semi_axes", *v));
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        let [a, b, c] = self.semi_axes;
        MassProperties::centred(
            density,
            4.0 / 3.0 * PI * a * b * c,
            [(b * b + c * c) / 5.0, (a * a + c * c) / 5.0, (a * a + b * b) / 5.0],
        )
    }

    fn outline(&self) -> Outline {
        Outline { semi_axes: Some(self.semi_axes), ..Outline::centred(self.semi_axes) }
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Some(Proxy::ellipsoid(&scale(per_unit, &self.semi_axes)))
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        let pose = at.shape.pose(at.frame);
        let local = apply_transposed(&pose.rotation, &at.plane.normal);
        let stretched = [0, 1, 2].map(|k| self.semi_axes[k] * local[k]);
        let length = norm(&stretched);
        let arm = [0, 1, 2].map(|k| -self.semi_axes[k] * stretched[k] / length);
        let lowest = add(&pose.origin, &apply(&pose.rotation, &arm));
        let gap = at.plane.height(&pose.origin) - length;
        out.push(Touch::round(0, gap, lowest, at.plane.normal));
    }

    /// By [`touch`], like all pairs of ellipsoids.
    fn under_ball(&self, _ball: &Ball, _shape: &Shape, _pose: &Pose) -> Option<Touch> {
        None
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::Ellipsoid { semi_axes: self.semi_axes }
    }
}

/// An ellipsoid somewhere; a sphere has three equal semi-axes.
#[derive(Clone, Copy, Debug)]
pub(in crate::world) struct PlacedEllipsoid {
    /// Where it is.
    pub pose: Pose,
    /// Its semi-axes, m.
    pub semi_axes: Vector3,
}

impl PlacedEllipsoid {
    /// Support function about the centre, and its gradient: the point of the surface with the
    /// normal n, from the centre.
    fn support(&self, n: &Vector3) -> (f64, Vector3) {
        let local = apply_transposed(&self.pose.rotation, n);
        let stretched = [0, 1, 2].map(|k| self.semi_axes[k] * local[k]);
        let length = norm(&stretched);
        let point = [0, 1, 2].map(|k| self.semi_axes[k] * stretched[k] / length);
        (length, apply(&self.pose.rotation, &point))
    }

    /// Second derivative of the support function along two tangents: radii of curvature.
    fn curvature(&self, n: &Vector3, axes: &[Vector3; 2]) -> [f64; 3] {
        let r: &Matrix3 = &self.pose.rotation;
        let (length, point) = self.support(n);
        let local = axes.map(|e| {
            let e = apply_transposed(r, &e);
            [0, 1, 2].map(|k| self.semi_axes[k] * e[k])
        });
        let across = axes.map(|e| dot(&e, &point));
        let entry =
            |i: usize, j: usize| (dot(&local[i], &local[j]) - across[i] * across[j]) / length;
        [entry(0, 0), entry(0, 1), entry(1, 1)]
    }
}

/// The point of contact of two ellipsoids.
pub(in crate::world) fn touch(a: &PlacedEllipsoid, b: &PlacedEllipsoid) -> Touch {
    let between = sub(&a.pose.origin, &b.pose.origin);
    let size = norm(&a.semi_axes) + norm(&b.semi_axes);
    let separation = |n: &Vector3| {
        let ((height_a, point_a), (height_b, point_b)) = (a.support(n), b.support(n));
        let gradient = sub(&sub(&between, &point_a), &point_b);
        (dot(n, &between) - height_a - height_b, gradient)
    };
    let length = norm(&between);
    let mut n = if length > 0.0 { scale(1.0 / length, &between) } else { [0.0, 0.0, 1.0] };
    let (mut s, mut gradient) = separation(&n);
    for _ in 0..MOST_STEPS {
        let axes = tangents(&n);
        let slope = axes.map(|e| dot(&e, &gradient));
        if slope[0].hypot(slope[1]) <= DONE * size {
            break;
        }
        let (of_a, of_b) = (a.curvature(&n, &axes), b.curvature(&n, &axes));
        let [xx, xy, yy] = [of_a[0] + of_b[0] + s, of_a[1] + of_b[1], of_a[2] + of_b[2] + s];
        let determinant = xx * yy - xy * xy;
        let mut step = if xx > 0.0 && determinant > 0.0 {
            [
                (yy * slope[0] - xy * slope[1]) / determinant,
                (xx * slope[1] - xy * slope[0]) / determinant,
            ]
        } else {
            slope.map(|v| v / size)
        };
        // No more than half a radian at once, and never down.
        let long = step[0].hypot(step[1]);
        if long > 0.5 {
            step = step.map(|v| 0.5 * v / long);
        }
        let mut better = false;
        for _ in 0..40 {
            let moved = add(&n, &add(&scale(step[0], &axes[0]), &scale(step[1], &axes[1])));
            let next = scale(1.0 / norm(&moved), &moved);
            let (value, slope) = separation(&next);
            if value > s {
                (n, s, gradient, better) = (next, value, slope, true);
                break;
            }
            step = step.map(|v| 0.5 * v);
        }
        if !better {
            break;
        }
    }
    let point = sub(&a.pose.origin, &a.support(&n).1);
    Touch::round(0, s, point, n)
}
