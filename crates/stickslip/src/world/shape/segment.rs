//! Segments of the plane.

use super::polygon::{in_space, under_ball};
use super::*;

pub(super) struct Segment {
    pub ends: [[f64; 2]; 2],
}

impl Geometry for Segment {
    fn dimension(&self) -> Option<Dimension> {
        Some(Dimension::Two)
    }

    fn check(&self, part: Part, check: &mut Check) {
        let [a, b] = self.ends;
        check.finite(part, "ends", &[a[0], a[1], b[0], b[1]]);
        if a == b {
            check.error(part, "ends", "the two ends must differ");
        }
    }

    /// It has no area.
    fn mass(&self, _density: f64) -> Option<MassProperties> {
        None
    }

    fn outline(&self) -> Outline {
        Outline { is_thin: true, ..Outline::of_corners(in_space(&self.ends)) }
    }

    fn proxy(&self, _shape: &Shape, per_unit: f64) -> Option<Proxy> {
        Some(Proxy::segment(&self.ends, per_unit))
    }

    fn on_plane(&self, at: &OnPlane, out: &mut Vec<Touch>) {
        at.corners(out);
    }

    fn under_ball(&self, ball: &Ball, shape: &Shape, pose: &Pose) -> Option<Touch> {
        under_ball(ball, shape, pose)
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::Line { points: in_space(&self.ends), closed: false }
    }
}
