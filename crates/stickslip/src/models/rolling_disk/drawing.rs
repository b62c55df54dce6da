//! How the disk looks.

use super::frame::Frame;
use super::{CONTACT_NAMES, DiskParameters};
use crate::kinematics::vector::E_Z;
use crate::models::drawn::body;
use crate::system::{ContactPlace, Dimension, Drawing, DrawnShape, State};

/// The disk on its table.
pub(super) fn drawing(p: &DiskParameters) -> Drawing {
    Drawing {
        dimension: Dimension::Three,
        bodies: vec![body("disk", vec![DrawnShape::Disk { radius: p.radius }.centred()])],
        ground: vec![DrawnShape::HalfSpace.centred()],
    }
}

/// The points C₁, C₂, C₃ of the contour (Le Saux 2005, eq. 2.13 and 2.14).
pub(super) fn contact_places(p: &DiskParameters, at: &State, out: &mut Vec<ContactPlace>) {
    let frame = Frame::new(at);
    for point in 0..CONTACT_NAMES.len() {
        let arm = frame.arm(point).map(|a| p.radius * a);
        let place = [at.q[0] + arm[0], at.q[1] + arm[1], at.q[2] + arm[2]];
        out.push(ContactPlace { key: point as u64, point: place, normal: E_Z });
    }
}
