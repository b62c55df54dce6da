//! Spheres, and balls against other shapes.

use super::*;

pub(super) struct Sphere {
    pub radius: f64,
}

/// A sphere, or circle, that meets another shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct Ball {
    /// Its centre, m.
    pub center: Vector3,
    /// Its radius, m.
    pub radius: f64,
}

impl Ball {
    /// Against a ball in space.
    pub fn on(&self, other: &Self) -> Touch {
        self.on_ball(&other.center, other.radius, [0.0, 0.0, 1.0])
    }

    /// Against another ball; `any` is the normal where both have one centre.
    pub(super) fn on_ball(&self, center: &Vector3, radius: f64, any: Vector3) -> Touch {
        let arm = sub(&self.center, center);
        let distance = norm(&arm);
        let normal = if distance > 0.0 { scale(1.0 / distance, &arm) } else { any };
        self.above(&normal, distance - radius)
    }

    /// Its centre is `distance` above a surface with this normal.
    pub(super) fn above(&self, normal: &Vector3, distance: f64) -> Touch {
        let point = sub(&self.center, &scale(self.radius, normal));
        Touch::round(0, distance - self.radius, point, *normal)
    }

    /// Against a shape that knows normal and distance of a point, negative inside, in its own frame.
    pub(super) fn on_surface(
        &self,
        pose: &Pose,
        nearest: impl FnOnce(&Vector3) -> (Vector3, f64),
    ) -> Touch {
        let local = apply_transposed(&pose.rotation, &sub(&self.center, &pose.origin));
        let (normal, distance) = nearest(&local);
        self.above(&apply(&pose.rotation, &normal), distance)
    }

    /// On the boundary of a half-space.
    pub(super) fn on_plane(&self, plane: &Plane, number: u16) -> Touch {
        let lowest = sub(&self.center, &scale(self.radius, &plane.normal));
        Touch::round(number, plane.height(&self.center) - self.radius, lowest, plane.normal)
    }
}

impl Geometry for Sphere {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn check(&self, part: Part, check: &mut Check) {
        check.positive(part, "radius", self.radius);
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        let r = self.radius;
        MassProperties::centred(density, 4.0 / 3.0 * PI * r * r * r, [0.4 * r * r; 3])
    }

    fn outline(&self) -> Outline {
        Outline {
            round: Some(self.radius),
            semi_axes: Some([self.radius; 3]),
            ..Outline::centred([self.radius; 3])
        }
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Some(Proxy::ball(self.radius * per_unit))
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        let center = at.frame.point(&at.shape.local.origin);
        out.push(Ball { center, radius: self.radius }.on_plane(at.plane, 0));
    }

    fn under_ball(&self, ball: &Ball, _shape: &Shape, pose: &Pose) -> Option<Touch> {
        Some(ball.on(&Ball { center: pose.origin, radius: self.radius }))
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::Sphere { radius: self.radius }
    }
}
