//! Convex hulls of points in space.

use super::border;
use crate::kinematics::Vector3;
use crate::kinematics::vector::{add, cross, dot, scale, sub};

/// Volume of a hull over the cube of its size below which its points count as lying in a plane.
const LEAST_VOLUME: f64 = 1e-9;

/// Corners and triangles of a convex hull.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hull {
    /// The corners.
    pub points: Vec<Vector3>,
    /// Three corners each, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Hull {
    /// The hull of finite points; none if they lie in a plane.
    pub fn new(points: &[Vector3]) -> Option<Self> {
        let hull = border::hull(points)?;
        let mean = hull.mean();
        let size = hull.points.iter().fold(0.0_f64, |m, p| {
            let arm = sub(p, &mean);
            m.max(arm.iter().fold(0.0_f64, |m, v| m.max(v.abs())))
        });
        let mut volume = 0.0;
        for triangle in &hull.triangles {
            let [a, b, c] =
                triangle.map(|k| scale(1.0 / size, &sub(&hull.points[k as usize], &mean)));
            volume += dot(&a, &cross(&b, &c)) / 6.0;
        }
        (volume > LEAST_VOLUME).then_some(hull)
    }

    /// Mean of the corners, a point inside.
    pub fn mean(&self) -> Vector3 {
        let share = 1.0 / self.points.len() as f64;
        self.points.iter().fold([0.0; 3], |sum, p| add(&sum, &scale(share, p)))
    }
}
