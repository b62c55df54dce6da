//! Constraints and free coordinates of ideal joints. Every direction is the exact gradient of its
//! position error, also where the joint has drifted apart.

use super::mounts::{Pair, unit, wrapped};
use crate::kinematics::vector::{
    E_X, E_Y, E_Z, add, apply_transposed, cross, dot, norm, scale, sub,
};
use crate::kinematics::{Matrix3, Quaternion};
use crate::system::Dimension;

/// An ideal joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum IdealKind {
    Revolute,
    Prismatic,
    Spherical,
    Fixed,
    /// The length, m.
    Distance(f64),
}

impl IdealKind {
    /// Number of constraints.
    pub(super) fn dim(self, dimension: Dimension) -> usize {
        match (self, dimension) {
            (IdealKind::Distance(_), _) => 1,
            (IdealKind::Fixed, Dimension::Two) => 3,
            (_, Dimension::Two) => 2,
            (IdealKind::Revolute | IdealKind::Prismatic, Dimension::Three) => 5,
            (IdealKind::Spherical, Dimension::Three) => 3,
            (IdealKind::Fixed, Dimension::Three) => 6,
        }
    }

    /// Whether the joint has one free coordinate that springs, limits, motors and friction act on.
    pub(super) fn has_free_coordinate(self, dimension: Dimension) -> bool {
        match self {
            IdealKind::Revolute | IdealKind::Prismatic => true,
            IdealKind::Spherical => dimension == Dimension::Two,
            IdealKind::Fixed | IdealKind::Distance(_) => false,
        }
    }

    /// Whether the free coordinate is an angle.
    pub(super) fn turns(self) -> bool {
        self != IdealKind::Prismatic
    }

    /// Writes the directions (zero before) and the position errors of the constraints.
    pub(super) fn constrain(self, pair: &Pair<'_>, rows: &mut [f64], errors: &mut [f64]) {
        let width = pair.width();
        let mut rows = rows.chunks_exact_mut(width);
        let mut errors = errors.iter_mut();
        let mut enter = |error: f64, write: &dyn Fn(&mut [f64])| {
            if let (Some(row), Some(out)) = (rows.next(), errors.next()) {
                write(row);
                *out = error;
            }
        };
        let space = pair.dimension() == Dimension::Three;
        match self {
            IdealKind::Revolute | IdealKind::Spherical | IdealKind::Fixed => {
                for (k, e) in [E_X, E_Y, E_Z].iter().enumerate().take(if space { 3 } else { 2 }) {
                    enter(pair.between[k], &|row| pair.apart(e, row));
                }
            }
            IdealKind::Prismatic => {
                for axis in &pair.first.axes[1..if space { 3 } else { 2 }] {
                    enter(dot(axis, &pair.between), &|row| pair.along_first(axis, row));
                }
            }
            IdealKind::Distance(length) => {
                let e = unit(&pair.between).unwrap_or(E_X);
                enter(norm(&pair.between) - length, &|row| pair.apart(&e, row));
            }
        }
        match self {
            IdealKind::Revolute if space => {
                // The second axis stands across x and y of the first mount.
                let z = &pair.second.axes[2];
                for axis in &pair.first.axes[..2] {
                    enter(dot(axis, z), &|row| pair.turning(&cross(z, axis), row));
                }
            }
            IdealKind::Prismatic | IdealKind::Fixed if space => {
                // Twice the vector part of the quaternion from the first mount to the second,
                // e = sin(χ/2) n: d(2e)/dt = e₀ω + ω × e in the axes of the first mount.
                let [e0, e @ ..] = relative_quaternion(pair);
                for (k, axis) in [E_X, E_Y, E_Z].iter().enumerate() {
                    let local = add(&scale(e0, axis), &cross(&e, axis));
                    let inertial = combine(&pair.first.axes, &local);
                    enter(2.0 * e[k], &|row| pair.turning(&inertial, row));
                }
            }
            IdealKind::Prismatic | IdealKind::Fixed => {
                // Full turns are no error.
                let error = wrapped(pair.second.angle - pair.first.angle);
                enter(error, &|row| pair.turning(&E_Z, row));
            }
            _ => {}
        }
    }

    /// The free coordinate, m or rad, with its direction in `row` (zero before). An angle in space
    /// lies in (−π, π]; in the plane full turns count.
    pub(super) fn free_coordinate(self, pair: &Pair<'_>, row: &mut [f64]) -> f64 {
        let first = &pair.first.axes;
        if self == IdealKind::Prismatic {
            pair.along_first(&first[0], row);
            return dot(&first[0], &pair.between);
        }
        if pair.dimension() == Dimension::Two {
            pair.turning(&E_Z, row);
            return pair.second.angle - pair.first.angle;
        }
        // The x axis of the second mount seen in the x-y plane of the first.
        let x = &pair.second.axes[0];
        let (cos, sin) = (dot(&first[0], x), dot(&first[1], x));
        let square = cos * cos + sin * sin;
        if square > 0.0 {
            let across = sub(&scale(cos, &first[1]), &scale(sin, &first[0]));
            pair.turning(&scale(1.0 / square, &cross(x, &across)), row);
        } else {
            pair.turning(&first[2], row);
        }
        sin.atan2(cos)
    }
}

/// Unit quaternion from the axes of the first mount to those of the second, with e₀ ≥ 0.
fn relative_quaternion(pair: &Pair<'_>) -> Quaternion {
    // Rows are the first axes, columns the second.
    let r: Matrix3 =
        pair.first.axes.map(|axis| [0, 1, 2].map(|k| dot(&axis, &pair.second.axes[k])));
    // The largest component first, so that nothing is divided by a small number.
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares = [trace, r[0][0], r[1][1], r[2][2]];
    let largest = (1..4).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
    let mut p = [0.0; 4];
    if largest == 0 {
        p[0] = 1.0 + trace;
        p[1] = r[2][1] - r[1][2];
        p[2] = r[0][2] - r[2][0];
        p[3] = r[1][0] - r[0][1];
    } else {
        let i = largest - 1;
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        p[0] = r[k][j] - r[j][k];
        p[1 + i] = 1.0 + r[i][i] - r[j][j] - r[k][k];
        p[1 + j] = r[j][i] + r[i][j];
        p[1 + k] = r[k][i] + r[i][k];
    }
    let length = p.iter().map(|e| e * e).sum::<f64>().sqrt();
    let sign = if p[0] < 0.0 { -1.0 } else { 1.0 };
    p.map(|e| sign * e / length)
}

/// Components along three axes as a vector.
fn combine(axes: &[[f64; 3]; 3], components: &[f64; 3]) -> [f64; 3] {
    apply_transposed(axes, components)
}
