//! Circles of the plane.

use super::*;

pub(super) struct Circle {
    pub radius: f64,
}

impl Geometry for Circle {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Two)
    }

    fn check(&self, part: Part, check: &mut Check) {
        check.positive(part, "radius", self.radius);
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        disk::flat_mass(self.radius, density)
    }

    fn outline(&self) -> Outline {
        let round = Some(self.radius);
        Outline { round, ..Outline::centred([self.radius, self.radius, 0.0]) }
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Some(Proxy::circle(self.radius * per_unit))
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        let center = at.frame.point(&at.shape.local.origin);
        out.push(Ball { center, radius: self.radius }.on_plane(at.plane, 0));
    }

    fn under_ball(&self, ball: &Ball, _shape: &Shape, pose: &Pose) -> Option<Touch> {
        Some(ball.on_ball(&pose.origin, self.radius, [0.0, 1.0, 0.0]))
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::Sphere { radius: self.radius }
    }
}
