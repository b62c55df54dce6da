//! How the top looks.

use super::{BODY, STICK, TippeTopParameters};
use crate::kinematics::quaternion::rotation;
use crate::kinematics::vector::E_Z;
use crate::models::drawn::body;
use crate::models::free_body::orientation;
use crate::system::{ContactPlace, Dimension, Drawing, DrawnShape, State};

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
    }
}

/// The lowest points of body and tip, r_SC,i = a_i b − r_i e_z (Leine 2003, eq. 5.11 and 5.12), for
/// q = (x, y, z, e₀, e₁, e₂, e₃).
pub(super) fn contact_places(p: &TippeTopParameters, at: &State, out: &mut Vec<ContactPlace>) {
    let r = rotation(&orientation(at));
    for (key, (a, radius)) in [BODY, STICK].into_iter().zip(p.contact_geometry()) {
        let point = [at.q[0] + a * r[0][2], at.q[1] + a * r[1][2], at.q[2] + a * r[2][2] - radius];
        out.push(ContactPlace { key, point, normal: E_Z });
    }
}
