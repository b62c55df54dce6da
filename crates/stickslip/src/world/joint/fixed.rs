//! Joints that allow no motion.

use super::spherical::hold_together;
use super::*;
use crate::kinematics::vector::{E_X, E_Y, E_Z, add, apply_transposed, cross, dot, scale};
use crate::kinematics::{Matrix3, Quaternion};
use crate::world::mounts::wrapped;

#[derive(Debug)]
pub(super) struct Fixed;

impl Ideal for Fixed {
    fn words(&self) -> String {
        "no motion against each other".into()
    }

    fn dim(&self, dimension: Dimension) -> usize {
        if dimension == Dimension::Two { 3 } else { 6 }
    }

    fn free(&self, _dimension: Dimension) -> Option<FreeCoordinate> {
        None
    }

    fn constrain(&self, pair: &Pair<'_>, enter: &mut Enter<'_>) {
        hold_together(pair, enter);
        hold_parallel(pair, enter);
    }
}

/// The axes of both mounts are parallel.
pub(super) fn hold_parallel(pair: &Pair<'_>, enter: &mut Enter<'_>) {
    if pair.dimension() == Dimension::Two {
        // Full turns are no error.
        let error = wrapped(pair.second.angle() - pair.first.angle());
        enter(error, &|row| pair.turning(&E_Z, row));
        return;
    }
    // Twice the vector part of the quaternion from the first mount to the second, e = sin(χ/2) n:
    // d(2e)/dt = e₀ω + ω × e in the axes of the first mount.
    let axes = pair.first.axes();
    let [e0, e @ ..] = relative_quaternion(pair);
    for (k, axis) in [E_X, E_Y, E_Z].iter().enumerate() {
        let local = add(&scale(e0, axis), &cross(&e, axis));
        let inertial = apply_transposed(&axes, &local);
        enter(2.0 * e[k], &|row| pair.turning(&inertial, row));
    }
}

/// Unit quaternion from the axes of the first mount to those of the second, with e₀ ≥ 0.
fn relative_quaternion(pair: &Pair<'_>) -> Quaternion {
    // Rows are the first axes, columns the second.
    let (first, second) = (pair.first.axes(), pair.second.axes());
    let r: Matrix3 = first.map(|axis| [0, 1, 2].map(|k| dot(&axis, &second[k])));
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
