//! Boxes.

use super::*;

pub(super) struct Cuboid {
    pub half_extents: Vector3,
}

/// Direction and distance of a point from a box about the origin; negative inside.
pub(super) fn from_box(p: &Vector3, half: &Vector3) -> (Vector3, f64) {
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

impl Geometry for Cuboid {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn check(&self, part: Part, check: &mut Check) {
        self.half_extents.iter().for_each(|v| check.positive(part, "half_extents", *v));
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        let [a, b, c] = self.half_extents;
        MassProperties::centred(
            density,
            8.0 * a * b * c,
            [(b * b + c * c) / 3.0, (a * a + c * c) / 3.0, (a * a + b * b) / 3.0],
        )
    }

    fn outline(&self) -> Outline {
        let [a, b, c] = self.half_extents;
        let corner = |k: usize| {
            let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
            [sign(0) * a, sign(1) * b, sign(2) * c]
        };
        Outline::of_corners((0..8).map(corner).collect())
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        let [a, b, c] = self.half_extents;
        Some(Proxy::cuboid([a * per_unit, b * per_unit, c * per_unit]))
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        at.corners(out);
    }

    fn under_ball(&self, ball: &Ball, _shape: &Shape, pose: &Pose) -> Option<Touch> {
        Some(ball.on_surface(pose, |p| from_box(p, &self.half_extents)))
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::Box { half_extents: self.half_extents }
    }
}
