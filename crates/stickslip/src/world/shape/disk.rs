//! Thin disks in the plane z = 0, whose rim touches planes (Le Saux 2005).

use super::cylinder::from_cylinder;
use super::rim::Rim;
use super::*;

pub(super) struct Disk {
    pub radius: f64,
}

/// Mass of a disk for a density per area.
pub(super) fn flat_mass(r: f64, density: f64) -> Option<MassProperties> {
    MassProperties::centred(density, PI * r * r, [r * r / 4.0, r * r / 4.0, r * r / 2.0])
}

impl Geometry for Disk {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn check(&self, part: Part, check: &mut Check) {
        check.positive(part, "radius", self.radius);
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        flat_mass(self.radius, density)
    }

    fn is_area(&self) -> bool {
        true
    }

    fn outline(&self) -> Outline {
        let radius = self.radius;
        let rims = vec![Rim { center: [0.0; 3], radius }];
        Outline { rims, is_thin: true, ..Outline::centred([radius, radius, 0.0]) }
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Proxy::turned(0.0, [self.radius * per_unit; 2])
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        at.rims(out);
    }

    fn under_ball(&self, ball: &Ball, _shape: &Shape, pose: &Pose) -> Option<Touch> {
        Some(ball.on_surface(pose, |p| from_cylinder(p, self.radius, 0.0)))
    }

    fn far_points(&self) -> Vec<Vector3> {
        vec![[self.radius, 0.0, 0.0]]
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::Disk { radius: self.radius }
    }
}
