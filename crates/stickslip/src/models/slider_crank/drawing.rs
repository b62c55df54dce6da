//! How the mechanism looks.

use super::{CORNERS, SliderCrankParameters};
use crate::models::drawn::{body, planar_place, planar_pose, rectangle, segment};
use crate::system::{
    ContactPlace, Dimension, Drawing, DrawnBody, DrawnJoint, DrawnPose, DrawnShape, JointSymbol,
};

/// Half the width of the links, in that of the slider.
const LINK: f64 = 0.25;
/// How far the walls of the guide reach beyond the slider, in half lengths of it.
const REACH: f64 = 1.6;

/// Crank, rod and slider between the walls of the guide; the origins are the centres of mass.
pub(super) fn drawing(p: &SliderCrankParameters) -> Drawing {
    let width = LINK * p.slider_half_width;
    let link = |name: &str, half_length: f64| -> DrawnBody {
        let pin = |x: f64| DrawnShape::Sphere { radius: 1.4 * width }.at([x, 0.0, 0.0]);
        let bar = rectangle(half_length, width).centred();
        body(name, vec![bar, pin(-half_length), pin(half_length)])
    };
    let (a, b) = (p.slider_half_length, p.slider_half_width);
    let (l1, l2) = (p.crank_length, p.rod_length);
    let (left, right) = (l2 - l1 - REACH * a, l2 + l1 + REACH * a);
    let wall = |y: f64| segment([left, y], [right, y]);
    let guide = DrawnJoint {
        name: "guide".into(),
        symbol: JointSymbol::Slot { half_length: a, half_width: b, clearance: p.half_guide() - b },
        ends: [(None, DrawnPose::default()), (Some(0), DrawnPose::default())],
        driven: false,
        sprung: false,
    };
    Drawing {
        dimension: Dimension::Two,
        bodies: vec![
            body("slider", vec![rectangle(a, b).centred()]),
            link("crank", 0.5 * l1),
            link("rod", 0.5 * l2),
        ],
        ground: vec![
            wall(p.half_guide()),
            wall(-p.half_guide()),
            DrawnShape::Sphere { radius: 2.5 * width }.centred(),
        ],
        joints: vec![guide],
    }
}

/// Poses in the order of the drawing: slider, crank, rod. Each of the bodies by (x, y, φ).
pub(super) fn poses(crank: [f64; 3], rod: [f64; 3], slider: [f64; 3], out: &mut Vec<DrawnPose>) {
    out.extend([slider, crank, rod].map(|[x, y, angle]| planar_pose(x, y, angle)));
}

/// The corners of a slider at (x, y, φ): Flores 2010, eqs. (98)–(113).
pub(super) fn contact_places(
    p: &SliderCrankParameters,
    [x, y, angle]: [f64; 3],
    out: &mut Vec<ContactPlace>,
) {
    let (sin, cos) = angle.sin_cos();
    for (key, corner) in CORNERS.into_iter().zip(p.corners()) {
        let point = [x + corner[0] * cos - corner[1] * sin, y + corner[0] * sin + corner[1] * cos];
        let inwards = if corner[1] > 0.0 { -1.0 } else { 1.0 };
        out.push(planar_place(key, point, [0.0, inwards]));
    }
}
