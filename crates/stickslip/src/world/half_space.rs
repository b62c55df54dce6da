//! Shapes on a half-space: closed forms.

use super::border::Pose;
use super::description::ShapeKind;
use super::shape::{Rim, Shape, axis};
use super::touch::{Touch, TouchKind};
use crate::kinematics::Vector3;
use crate::kinematics::vector::{add, apply, apply_transposed, dot, norm, scale, sub};
use crate::world::Frame;

/// Below this cosβ a rim counts as flat and its points of contact are frozen: their direction is
/// then round-off. Also the height over the radius below which it then lies on the plane.
pub(super) const FLAT_COSINE: f64 = 1e-9;

/// Boundary of a half-space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plane {
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

/// How a rim lies on a plane (Le Saux 2005, sec. 2.2).
#[derive(Clone, Copy, Debug)]
pub(super) struct RimFrame {
    /// Length of the normal's part in the plane of the rim: 0 when it lies flat.
    pub cos_beta: f64,
    /// Unit vector from the centre to the lowest point, along x and y of the shape.
    pub lowest: [f64; 2],
    /// Whether it is flat, and the lowest point is the remembered one.
    pub frozen: bool,
    /// Part of the normal along the axis.
    pub sin_beta: f64,
}

impl RimFrame {
    /// From the pose of the shape and what is remembered.
    pub fn new(pose: &Pose, normal: &Vector3, memory: [f64; 2]) -> Self {
        let n = apply_transposed(&pose.rotation, normal);
        let cos_beta = n[0].hypot(n[1]);
        let frozen = cos_beta < FLAT_COSINE;
        let lowest = if !frozen {
            [-n[0] / cos_beta, -n[1] / cos_beta]
        } else if memory[0].hypot(memory[1]) > 0.5 {
            memory
        } else {
            [0.0, -1.0]
        };
        Self { cos_beta, lowest, frozen, sin_beta: n[2] }
    }

    /// Unit vector from the centre to C₁, C₂ or C₃ in the frame of the shape (2.13), (2.14).
    fn arm(&self, point: usize) -> Vector3 {
        let [c, s] = self.lowest;
        let (along, across) = match point {
            0 => (1.0, 0.0),
            1 => (-0.5, 0.75_f64.sqrt()),
            _ => (-0.5, -(0.75_f64.sqrt())),
        };
        [along * c - across * s, along * s + across * c, 0.0]
    }

    /// Direction of γ̇ by the angular velocity in the frame of the shape (2.23).
    fn contour(&self) -> Vector3 {
        if self.frozen {
            return [0.0; 3];
        }
        let slope = self.sin_beta / self.cos_beta;
        [self.lowest[0] * slope, self.lowest[1] * slope, 1.0]
    }
}

/// Gap of the lowest point of a rim and of the two others, m.
pub(super) fn rim_gaps(rim: &Rim, at: &RimFrame, pose: &Pose, plane: &Plane) -> [f64; 2] {
    let height = plane.height(&add(&pose.origin, &apply(&pose.rotation, &rim.center)));
    if at.frozen {
        // What rounding leaves of a rim that lies on the plane must not decide which points touch.
        let lies = height.abs() < FLAT_COSINE * rim.radius;
        return [if lies { height.min(0.0) } else { height }; 2];
    }
    [height - rim.radius * at.cos_beta, height + 0.5 * rim.radius * at.cos_beta]
}

/// Points of a rim: the lowest, and two a third of the contour away, on which it stands when it
/// lies flat (Le Saux 2005, eqs. 2.13–2.15, 2.25).
fn rim_touches(
    rim: &Rim,
    first: u16,
    pose: &Pose,
    plane: &Plane,
    memory: [f64; 2],
    out: &mut Vec<Touch>,
) {
    let at = RimFrame::new(pose, &plane.normal, memory);
    let gaps = rim_gaps(rim, &at, pose, plane);
    let flat = at.frozen || gaps[1] <= 0.0;
    let center = add(&pose.origin, &apply(&pose.rotation, &rim.center));
    for point in 0..3_u16 {
        let arm = apply(&pose.rotation, &scale(rim.radius, &at.arm(usize::from(point))));
        let place = add(&center, &arm);
        let gap = gaps[usize::from(point.min(1))];
        let mut touch = Touch::new(first + point, gap, place, plane.normal);
        if !flat {
            touch.kind = TouchKind::Rim;
            touch.contour = scale(rim.radius, &apply(&pose.rotation, &at.contour()));
        }
        out.push(touch);
    }
}

/// Appends the points of a shape on a half-space with gaps up to `prediction`. `memory` holds two
/// values for each rim.
pub(super) fn touches(
    shape: &Shape,
    frame: &Frame,
    plane: &Plane,
    memory: &[f64],
    prediction: f64,
    out: &mut Vec<Touch>,
) {
    let start = out.len();
    let n = &plane.normal;
    let ball = |number: u16, center: Vector3, radius: f64| {
        let lowest = sub(&center, &scale(radius, n));
        Touch::round(number, plane.height(&center) - radius, lowest, *n)
    };
    match &shape.kind {
        ShapeKind::Sphere { radius } | ShapeKind::Circle { radius } => {
            out.push(ball(0, frame.point(&shape.local.origin), *radius));
        }
        ShapeKind::Capsule { radius, half_length } => {
            let pose = shape.pose(frame);
            for (number, z) in [(0, -half_length), (1, *half_length)] {
                let center = add(&pose.origin, &scale(z, &axis(&pose)));
                out.push(ball(number, center, *radius));
            }
        }
        ShapeKind::Ellipsoid { semi_axes } => {
            let pose = shape.pose(frame);
            let local = apply_transposed(&pose.rotation, n);
            let stretched = [0, 1, 2].map(|k| semi_axes[k] * local[k]);
            let length = norm(&stretched);
            let arm = [0, 1, 2].map(|k| -semi_axes[k] * stretched[k] / length);
            let lowest = add(&pose.origin, &apply(&pose.rotation, &arm));
            out.push(Touch::round(0, plane.height(&pose.origin) - length, lowest, *n));
        }
        ShapeKind::Disk { .. } | ShapeKind::Cylinder { .. } => {
            let pose = shape.pose(frame);
            for (index, rim) in shape.rims.iter().enumerate() {
                let memory = match memory.get(2 * index..2 * index + 2) {
                    Some(values) => [values[0], values[1]],
                    None => [0.0; 2],
                };
                rim_touches(rim, 3 * index as u16, &pose, plane, memory, out);
            }
        }
        _ => {
            for (number, corner) in shape.corners.iter().enumerate() {
                let point = frame.point(corner);
                let gap = plane.height(&point);
                if gap <= prediction {
                    out.push(Touch::new(number as u16, gap, point, *n));
                }
            }
        }
    }
    let mut kept = start;
    for k in start..out.len() {
        if out[k].gap <= prediction {
            out[kept] = out[k];
            kept += 1;
        }
    }
    out.truncate(kept);
}
