//! Points where two shapes touch or may soon.

use crate::kinematics::Vector3;

/// What touches at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TouchKind {
    /// Corners, edges and faces, and rims that lie flat: they do not roll.
    Plain,
    /// A round surface: it can roll.
    Round,
    /// The contour of a disk or cylinder that leans: it rolls, and the point moves along it.
    Rim,
}

/// A point of contact between shapes a and b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    /// Number of the point among those of its pair: the same from step to step.
    pub number: u16,
    /// Gap, m.
    pub gap: f64,
    /// The point of a, m, inertial frame.
    pub point_a: Vector3,
    /// The point of b: `point_a` − gap · normal.
    pub point_b: Vector3,
    /// Unit normal from b to a: direction of the normal force on a.
    pub normal: Vector3,
    /// What touches: it decides which laws act.
    pub kind: TouchKind,
    /// What the contour velocity of a rim is made of: the velocity is this vector (m, inertial
    /// frame) times the relative angular velocity. Zero for all other shapes.
    pub contour: Vector3,
}

impl Touch {
    /// A point of a at `gap` from b.
    pub fn new(number: u16, gap: f64, point_a: Vector3, normal: Vector3) -> Self {
        let point_b = [0, 1, 2].map(|k| point_a[k] - gap * normal[k]);
        Self { number, gap, point_a, point_b, normal, kind: TouchKind::Plain, contour: [0.0; 3] }
    }

    /// The same between round surfaces.
    pub fn round(number: u16, gap: f64, point_a: Vector3, normal: Vector3) -> Self {
        Self { kind: TouchKind::Round, ..Self::new(number, gap, point_a, normal) }
    }

    /// The same seen from b.
    pub fn reversed(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: self.normal.map(|v| -v),
            ..self
        }
    }
}
