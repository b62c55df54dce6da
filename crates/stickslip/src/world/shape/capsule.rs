//! Capsules about z.

use super::*;

pub(super) struct Capsule {
    pub radius: f64,
    pub half_length: f64,
}

impl Geometry for Capsule {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Three)
    }

    fn check(&self, part: Part, check: &mut Check) {
        check.positive(part, "radius", self.radius);
        check.positive(part, "half_length", self.half_length);
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        let (r, h) = (self.radius, self.half_length);
        // A cylinder and the two halves of a ball, whose centres of mass are 3r/8 from the cut.
        let (tube, ball) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
        let across =
            tube * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
        let along = tube * r * r / 2.0 + ball * 0.4 * r * r;
        let volume = tube + ball;
        let moments = [across / volume, across / volume, along / volume];
        MassProperties::centred(density, volume, moments)
    }

    fn outline(&self) -> Outline {
        Outline::centred([self.radius, self.radius, self.half_length + self.radius])
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Some(Proxy::capsule(self.half_length * per_unit, self.radius * per_unit))
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        let pose = at.shape.pose(at.frame);
        for (number, z) in [(0, -self.half_length), (1, self.half_length)] {
            let center = add(&pose.origin, &scale(z, &axis(&pose)));
            out.push(Ball { center, radius: self.radius }.on_plane(at.plane, number));
        }
    }

    fn under_ball(&self, ball: &Ball, _shape: &Shape, pose: &Pose) -> Option<Touch> {
        let along = dot(&sub(&ball.center, &pose.origin), &axis(pose));
        let nearest = scale(along.clamp(-self.half_length, self.half_length), &axis(pose));
        Some(ball.on_ball(&add(&pose.origin, &nearest), self.radius, [0.0, 0.0, 1.0]))
    }

    fn far_points(&self) -> Vec<Vector3> {
        let end = self.radius + self.half_length;
        vec![[0.0, 0.0, end], [0.0, 0.0, -end]]
    }

    fn reach(&self) -> f64 {
        self.radius + self.half_length
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::Capsule { radius: self.radius, half_length: self.half_length }
    }
}
