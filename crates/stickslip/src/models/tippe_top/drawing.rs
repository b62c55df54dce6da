//! How the top looks.

use super::TippeTopParameters;
use crate::models::drawn::body;
use crate::system::{Dimension, Drawing, DrawnShape};

/// The radius of the shaft in that of the tip of the stick; only its two ends touch the floor.
const SHAFT: f64 = 0.7;

/// Body, tip and the shaft between them, on a floor; the origin is the centre of mass.
pub(super) fn drawing(p: &TippeTopParameters) -> Drawing {
    let [(a1, r1), (a2, r2)] = p.contact_geometry();
    let shaft =
        DrawnShape::Cylinder { radius: SHAFT * r2.min(r1), half_length: 0.5 * (a2 - a1).abs() };
    let parts = vec![
        DrawnShape::Sphere { radius: r1 }.at([0.0, 0.0, a1]),
        DrawnShape::Sphere { radius: r2 }.at([0.0, 0.0, a2]),
        shaft.at([0.0, 0.0, 0.5 * (a1 + a2)]),
    ];
    Drawing {
        dimension: Dimension::Three,
        bodies: vec![body("top", parts)],
        ground: vec![DrawnShape::HalfSpace.centred()],
        joints: Vec::new(),
    }
}
