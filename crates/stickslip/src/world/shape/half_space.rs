//! Half-spaces, and shapes on them in closed form.

use super::rim::rim_touches;
use super::*;

pub(super) struct HalfSpace;

/// Boundary of a half-space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct Plane {
    /// A point of it.
    pub origin: Vector3,
    /// Unit normal, out of the half-space.
    pub normal: Vector3,
}

impl Plane {
    /// Height of a point above the plane, m.
    pub fn height(&self, point: &Vector3) -> f64 {
        dot(&sub(point, &self.origin), &self.normal)
    }
}

/// A shape on a half-space.
pub(in crate::world) struct OnPlane<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// Where its body is.
    pub frame: &'a Frame,
    /// The boundary of the half-space.
    pub plane: &'a Plane,
    /// Two remembered values for each rim.
    pub memory: &'a [f64],
    /// Largest gap of the points that are wanted, m.
    pub prediction: f64,
}

impl OnPlane<'_> {
    /// Appends the points of the shape with gaps up to the prediction.
    pub fn touches(&self, out: &mut Vec<Touch>) {
        let start = out.len();
        self.shape.kind.as_geometry(|geometry| geometry.on_plane(self, out));
        let mut kept = start;
        for k in start..out.len() {
            if out[k].gap <= self.prediction {
                out[kept] = out[k];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// Appends the corners of the shape.
    pub(super) fn corners(&self, out: &mut Vec<Touch>) {
        for (number, corner) in self.shape.corners.iter().enumerate() {
            let point = self.frame.point(corner);
            let gap = self.plane.height(&point);
            if gap <= self.prediction {
                out.push(Touch::new(number as u16, gap, point, self.plane.normal));
            }
        }
    }

    /// Appends three points of each rim of the shape.
    pub(super) fn rims(&self, out: &mut Vec<Touch>) {
        let pose = self.shape.pose(self.frame);
        for (index, rim) in self.shape.outline.rims.iter().enumerate() {
            let memory = match self.memory.get(2 * index..2 * index + 2) {
                Some(values) => [values[0], values[1]],
                None => [0.0; 2],
            };
            rim_touches(rim, 3 * index as u16, &pose, self.plane, memory, out);
        }
    }
}

impl Geometry for HalfSpace {
    fn dimension(&self) -> Option<Dimension> {
        None
    }

    fn check(&self, _part: Part, _check: &mut Check) {}

    /// It has no end.
    fn mass(&self, _density: f64) -> Option<MassProperties> {
        None
    }

    fn outline(&self) -> Outline {
        Outline::default()
    }

    fn proxy(&self, _shape: &Shape, _per_unit: f64) -> Option<Proxy> {
        None
    }

    /// Two half-spaces do not touch.
    fn on_plane(&self, _at: &OnPlane, _out: &mut Vec<Touch>) {}

    /// By [`OnPlane`], like every shape.
    fn under_ball(&self, _ball: &Ball, _shape: &Shape, _pose: &Pose) -> Option<Touch> {
        None
    }

    fn drawn(&self, _shape: &Shape) -> DrawnShape {
        DrawnShape::HalfSpace
    }
}
