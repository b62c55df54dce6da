//! Rotations: a turn in the plane, a quaternion, an axis with an angle, or Euler angles.

use super::Context;
use crate::kinematics::quaternion::{IDENTITY, from_axis_angle, normalized, product};
use crate::kinematics::vector::{E_X, E_Y, E_Z, cross, dot, norm, scale};
use crate::kinematics::{Quaternion, Vector3};
use crate::scene::world::file_shape::{RotationKeys, RotationTable};
use crate::scene::world::quantity::{Number, Quantity};

const FORMS: &str =
    "give quaternion = [w, x, y, z], or axis and angle, or euler with three angles and order";

impl Context<'_> {
    /// The unit quaternion of a rotation; the identity if it is not given or wrong.
    pub(super) fn rotation(&mut self, key: &str, given: Option<&RotationKeys>) -> Quaternion {
        match given {
            None => IDENTITY,
            Some(RotationKeys::Turn(angle)) if self.is_plane() => {
                from_axis_angle(&E_Z, angle.value)
            }
            Some(RotationKeys::Turn(_)) => {
                self.wrong(key, format!("{key} is an angle; in space {FORMS}"));
                IDENTITY
            }
            Some(RotationKeys::Table(_)) if self.is_plane() => {
                self.wrong(
                    key,
                    format!("{key} is a table; in the plane it must be one angle (rad)"),
                );
                IDENTITY
            }
            Some(RotationKeys::Table(table)) => self.table(key, table).unwrap_or(IDENTITY),
        }
    }

    fn table(&mut self, key: &str, table: &RotationTable) -> Option<Quaternion> {
        match table {
            RotationTable {
                quaternion: Some(parts),
                axis: None,
                angle: None,
                euler: None,
                order: None,
            } => {
                let mut p = [0.0; 4];
                for (part, given) in p.iter_mut().zip(parts) {
                    *part = given.value;
                }
                if p == [0.0; 4] {
                    self.wrong(&format!("{key}.quaternion"), format!("{key}.quaternion is zero"));
                    return None;
                }
                Some(normalized(&p))
            }
            RotationTable {
                quaternion: None,
                axis: Some(axis),
                angle: Some(angle),
                euler: None,
                order: None,
            } => {
                let axis = self.direction(&format!("{key}.axis"), axis)?;
                Some(from_axis_angle(&axis, angle.value))
            }
            RotationTable {
                quaternion: None,
                axis: None,
                angle: None,
                euler: Some(angles),
                order,
            } => {
                let order = order.as_deref().unwrap_or("xyz");
                let Some(axes) = euler_axes(order) else {
                    let key = format!("{key}.order");
                    self.wrong(
                        &key,
                        format!(
                            "{key} is {order:?}, it must be three of the letters x, y, z, no two equal \
                             ones side by side, such as \"xyz\" or \"zxz\""
                        ),
                    );
                    return None;
                };
                let turns =
                    axes.iter().zip(angles).map(|(a, angle)| from_axis_angle(a, angle.value));
                Some(turns.fold(IDENTITY, |sum, turn| product(&sum, &turn)))
            }
            _ => {
                self.wrong(key, format!("{key} is incomplete or has too much; {FORMS}"));
                None
            }
        }
    }

    /// A unit vector; nothing if it is zero.
    pub(super) fn direction(&mut self, key: &str, given: &[Quantity<Number>]) -> Option<Vector3> {
        let vector = self.components(key, given);
        let length = norm(&vector);
        if length > 0.0 {
            return Some(scale(1.0 / length, &vector)).filter(|v| v.iter().all(|x| x.is_finite()));
        }
        if given.iter().all(|part| part.value == 0.0) {
            self.wrong(key, format!("{key} is zero and has no direction"));
        }
        None
    }
}

/// Axes of Euler angles.
fn euler_axes(order: &str) -> Option<[Vector3; 3]> {
    let axis = |letter: u8| match letter {
        b'x' => Some(E_X),
        b'y' => Some(E_Y),
        b'z' => Some(E_Z),
        _ => None,
    };
    let [a, b, c] = *order.as_bytes() else { return None };
    (a != b && b != c).then_some([axis(a)?, axis(b)?, axis(c)?])
}

/// The shortest turn that takes one unit vector to another; half a turn about an axis across both
/// if they are opposite.
pub(super) fn shortest_turn(from: &Vector3, to: &Vector3) -> Quaternion {
    let half = dot(from, to);
    if half > -1.0 + 1e-12 {
        let axis = cross(from, to);
        return normalized(&[1.0 + half, axis[0], axis[1], axis[2]]);
    }
    let across = if from[0].abs() < 0.9 { cross(from, &E_X) } else { cross(from, &E_Y) };
    let [x, y, z] = scale(1.0 / norm(&across), &across);
    [0.0, x, y, z]
}

/// The inverse of a unit quaternion.
pub(super) fn inverse(p: &Quaternion) -> Quaternion {
    [p[0], -p[1], -p[2], -p[3]]
}
