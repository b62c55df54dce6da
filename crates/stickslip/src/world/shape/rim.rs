//! Circles on bodies that can touch planes: the contour of a disk, an edge of a cylinder (Le Saux 2005,
//! sec. 2.2).

use super::*;

/// A circle on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct Rim {
    /// Its centre in the frame of the shape, m.
    pub center: Vector3,
    /// Its radius, m; the axis is z of the shape.
    pub radius: f64,
}

/// Below this cosβ a rim counts as flat and its points of contact are frozen: their direction is
/// then round-off. Also the height over the radius below which it then lies on the plane.
pub(in crate::world) const FLAT_COSINE: f64 = 1e-9;

/// How a rim lies on a plane (Le Saux 2005, sec. 2.2).
#[derive(Clone, Copy, Debug)]
pub(in crate::world) struct RimFrame {
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
pub(in crate::world) fn rim_gaps(rim: &Rim, at: &RimFrame, pose: &Pose, plane: &Plane) -> [f64; 2] {
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
pub(super) fn rim_touches(
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
