//! Pieces that the drawings of the models share.

use crate::kinematics::quaternion::from_axis_angle;
use crate::kinematics::vector::{E_X, E_Z};
use crate::system::{ContactPlace, DrawnBody, DrawnPart, DrawnPose, DrawnShape};

/// Half the depth of planar shapes, m; a front view does not show it.
const DEPTH: f64 = 1e-3;

/// Where a planar body is: its origin and its angle.
pub(crate) fn planar_pose(x: f64, y: f64, angle: f64) -> DrawnPose {
    DrawnPose { position: [x, y, 0.0], rotation: from_axis_angle(&E_Z, angle) }
}

/// A planar rectangle by half of its edges.
pub(crate) fn rectangle(half_x: f64, half_y: f64) -> DrawnShape {
    DrawnShape::Box { half_extents: [half_x, half_y, DEPTH] }
}

/// A planar line from one point to another.
pub(crate) fn segment(from: [f64; 2], to: [f64; 2]) -> DrawnPart {
    let points = [from, to].map(|[x, y]| [x, y, 0.0]).to_vec();
    DrawnShape::Line { points, closed: false }.centred()
}

/// A body with these parts.
pub(crate) fn body(name: &str, parts: Vec<DrawnPart>) -> DrawnBody {
    DrawnBody { name: name.into(), parts }
}

/// A contact in the plane with friction along x.
pub(crate) fn planar_place(key: u64, point: [f64; 2], normal: [f64; 2]) -> ContactPlace {
    let [x, y] = normal;
    let point = [point[0], point[1], 0.0];
    ContactPlace { key, point, normal: [x, y, 0.0], tangents: [E_X, E_Z] }
}
