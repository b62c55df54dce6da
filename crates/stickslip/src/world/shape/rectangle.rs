//! Rectangles of the plane.

use super::cuboid::from_box;
use super::*;

pub(super) struct Rectangle {
    pub half_extents: [f64; 2],
}

impl Geometry for Rectangle {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Two)
    }

    fn check(&self, part: Part, check: &mut Check) {
        self.half_extents.iter().for_each(|v| check.positive(part, "half_extents", *v));
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        let [a, b] = self.half_extents;
        let moments = [b * b / 3.0, a * a / 3.0, (a * a + b * b) / 3.0];
        MassProperties::centred(density, 4.0 * a * b, moments)
    }

    fn is_polygon(&self) -> bool {
        true
    }

    fn outline(&self) -> Outline {
        let [a, b] = self.half_extents;
        Outline::of_corners(vec![[-a, -b, 0.0], [a, -b, 0.0], [a, b, 0.0], [-a, b, 0.0]])
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        let [a, b] = self.half_extents;
        Some(Proxy::rectangle([a * per_unit, b * per_unit]))
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        at.corners(out);
    }

    fn under_ball(&self, ball: &Ball, _shape: &Shape, pose: &Pose) -> Option<Touch> {
        let [a, b] = self.half_extents;
        Some(ball.on_surface(pose, |p| from_box(p, &[a, b, f64::INFINITY])))
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        let [a, b] = self.half_extents;
        DrawnShape::Box { half_extents: [a, b, 0.0] }
    }
}
