//! Cylinders about z.

use super::rim::Rim;
use super::*;

pub(super) struct Cylinder {
    pub radius: f64,
    pub half_length: f64,
}

/// Direction and distance of a point from a cylinder about z; negative inside.
pub(super) fn from_cylinder(p: &Vector3, radius: f64, half_length: f64) -> (Vector3, f64) {
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

impl Geometry for Cylinder {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn check(&self, part: Part, check: &mut Check) {
        check.positive(part, "radius", self.radius);
        check.positive(part, "half_length", self.half_length);
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        let (r, h) = (self.radius, self.half_length);
        let across = r * r / 4.0 + h * h / 3.0;
        MassProperties::centred(density, 2.0 * PI * r * r * h, [across, across, r * r / 2.0])
    }

    fn outline(&self) -> Outline {
        let (radius, half_length) = (self.radius, self.half_length);
        let rim = |z: f64| Rim { center: [0.0, 0.0, z], radius };
        let rims = [-half_length, half_length].map(rim).to_vec();
        Outline { rims, ..Outline::centred([radius, radius, half_length]) }
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Proxy::turned(self.half_length * per_unit, [self.radius * per_unit; 2])
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        at.rims(out);
    }

    fn under_ball(&self, ball: &Ball, _shape: &Shape, pose: &Pose) -> Option<Touch> {
        Some(ball.on_surface(pose, |p| from_cylinder(p, self.radius, self.half_length)))
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::Cylinder { radius: self.radius, half_length: self.half_length }
    }
}
