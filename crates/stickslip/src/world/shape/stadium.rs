//! Capsules of the plane, along y: a rectangle with half circles at its ends.

use super::*;

pub(super) struct Stadium {
    pub radius: f64,
    pub half_length: f64,
}

/// Corners of half a circle as it is drawn.
const DRAWN: usize = 12;

impl Stadium {
    /// The centres of its ends when it is there.
    fn ends(&self, pose: &Pose) -> [Vector3; 2] {
        let r = &pose.rotation;
        let along = [r[0][1], r[1][1], r[2][1]];
        [-1.0, 1.0].map(|side| add(&pose.origin, &scale(side * self.half_length, &along)))
    }
}

impl Geometry for Stadium {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Two)
    }

    fn check(&self, part: Part, check: &mut Check) {
        check.positive(part, "radius", self.radius);
        check.positive(part, "half_length", self.half_length);
    }

    fn mass(&self, density: f64) -> Option<MassProperties> {
        let (r, h) = (self.radius, self.half_length);
        // A rectangle and two half circles, whose centres of mass are 4r/3π from the cut.
        let (straight, round) = (4.0 * r * h, PI * r * r);
        let polar = straight * (r * r + h * h) / 3.0
            + round * (0.5 * r * r + h * h)
            + 8.0 / 3.0 * h * r * r * r;
        let area = straight + round;
        MassProperties::centred(density, area, [polar / area; 3])
    }

    fn outline(&self) -> Outline {
        Outline::centred([self.radius, self.half_length + self.radius, 0.0])
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Some(Proxy::stadium(self.half_length * per_unit, self.radius * per_unit))
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        for (number, center) in self.ends(&at.shape.pose(at.frame)).into_iter().enumerate() {
            out.push(Ball { center, radius: self.radius }.on_plane(at.plane, number as u16));
        }
    }

    fn under_ball(&self, ball: &Ball, _shape: &Shape, pose: &Pose) -> Option<Touch> {
        let [below, above] = self.ends(pose);
        let between = sub(&above, &below);
        let share = dot(&sub(&ball.center, &below), &between) / dot(&between, &between);
        let nearest = add(&below, &scale(share.clamp(0.0, 1.0), &between));
        Some(ball.on_ball(&nearest, self.radius, [0.0, 1.0, 0.0]))
    }

    fn far_points(&self) -> Vec<Vector3> {
        let end = self.radius + self.half_length;
        vec![[0.0, end, 0.0], [0.0, -end, 0.0]]
    }

    fn reach(&self) -> f64 {
        self.radius + self.half_length
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        let arc = |side: f64| {
            (0..=DRAWN).map(move |k| {
                let (sin, cos) = (PI * k as f64 / DRAWN as f64).sin_cos();
                let end = side * (self.half_length + self.radius * sin);
                [side * self.radius * cos, end, 0.0]
            })
        };
        DrawnShape::Line { points: arc(1.0).chain(arc(-1.0)).collect(), closed: true }
    }
}
