//! Directions in which a system is the same everywhere, along which orbits may drift.

use super::shooting::Place;
use crate::integrate::Manifold;
use crate::system::{MechanicalSystem, State};
use faer::Mat;

/// Singular values, relative to the largest, that belong to directions along which nothing changes, where derivatives of
/// rates are involved; these are taken by differences over this part of the orbit.
const SYMMETRIC: f64 = 1e-6;
const PROBE: f64 = 1e-4;

/// Takes whole turns out of the angles at the end of a period, if that brings it nearer to its start across the
/// symmetries: a wheel has turned round, while a string that turns as a whole just drifts.
pub(super) fn turn_back(
    system: &dyn MechanicalSystem,
    manifold: &Manifold,
    symmetries: &[Vec<f64>],
    begin: &State,
    end: &mut State,
) {
    let mut turned = end.clone();
    system.turn_back(&mut turned.q, &begin.q, true, &mut vec![1.0; begin.q.len()]);
    let away = |state: &State| {
        let mut way = manifold.difference(system, begin, state);
        across(symmetries, &mut way);
        way.iter().map(|v| v * v).sum::<f64>()
    };
    // Along a symmetry a turn changes nothing but rounding.
    let turn: f64 = manifold.difference(system, end, &turned).iter().map(|v| v * v).sum();
    if away(&turned) < away(end) && away(end) > 1e-2 * turn {
        *end = turned;
    }
}

/// The directions without that of the rates, where these lie among them: a top that spins comes round to where it was,
/// and its period is not arbitrary.
pub(super) fn beside(directions: &[Vec<f64>], rates: &[f64]) -> Vec<Vec<f64>> {
    let size = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut rest = rates.to_vec();
    across(directions, &mut rest);
    if directions.is_empty() || size(&rest) > SYMMETRIC * size(rates) {
        return directions.to_vec();
    }
    let mut kept = vec![rates.iter().map(|r| r / size(rates)).collect::<Vec<f64>>()];
    for direction in directions {
        let mut own = direction.clone();
        across(&kept, &mut own);
        let length = size(&own);
        if length > 1e-3 {
            kept.push(own.iter().map(|v| v / length).collect());
        }
    }
    kept.split_off(1)
}

/// Takes the parts along the directions out of a vector.
pub(super) fn across(directions: &[Vec<f64>], vector: &mut [f64]) {
    for direction in directions {
        let share: f64 = direction.iter().zip(vector.iter()).map(|(d, v)| d * v).sum();
        vector.iter_mut().zip(direction).for_each(|(v, d)| *v -= share * d);
    }
}

/// The derivative of the rates, column by column, by central differences; nothing where the system has none.
pub(super) fn derivative_of_rate(
    system: &dyn MechanicalSystem,
    place: &Place,
    manifold: &Manifold,
    size: f64,
) -> Vec<Vec<f64>> {
    let n = manifold.basis.len();
    let rate = |k: usize, way: f64| -> Option<Vec<f64>> {
        let mut state = place.state.clone();
        let mut shares = vec![0.0; n];
        shares[k] = way;
        manifold.shift(system, &mut state, &shares).ok()?;
        let rate = manifold.rate(system, &state).ok()?;
        Some(manifold.shares(system, &place.state, &rate))
    };
    let way = PROBE * size;
    let column = |k: usize| {
        let (up, down) = (rate(k, way)?, rate(k, -way)?);
        Some(up.iter().zip(&down).map(|(a, b)| (a - b) / (2.0 * way)).collect())
    };
    (0..n).map(column).collect::<Option<_>>().unwrap_or_default()
}

/// The directions n with (M − 1) n = 0 and J n = 0, of length 1; none where J is not known.
pub(super) fn symmetries(matrix: &[Vec<f64>], derivative: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = matrix.len();
    if n == 0 || derivative.len() != n {
        return Vec::new();
    }
    let largest = derivative.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    let scale = if largest > 0.0 { 1.0 / largest } else { 0.0 };
    let stacked = Mat::from_fn(2 * n, n, |i, j| match i.checked_sub(n) {
        None => matrix[i][j] - f64::from(u8::from(i == j)),
        Some(i) => scale * derivative[j][i],
    });
    let Ok(svd) = stacked.thin_svd() else { return Vec::new() };
    let (s, v) = (svd.S(), svd.V());
    let most = (0..n).map(|k| s[k]).fold(0.0, f64::max);
    let small = (0..n).filter(|k| s[*k] <= SYMMETRIC * most);
    let found = small.map(|k| (0..n).map(|j| v[(j, k)]).collect()).collect();
    polished(found, derivative)
}

/// The same directions within those that J maps to zero: M is known less precisely, and what a long drift has across
/// directions that are a little off would be taken for an orbit that does not close.
fn polished(found: Vec<Vec<f64>>, derivative: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = derivative.len();
    let jacobian = Mat::from_fn(n, n, |i, j| derivative[j][i]);
    let Ok(svd) = jacobian.thin_svd() else { return found };
    let (s, v) = (svd.S(), svd.V());
    let most = (0..n).map(|k| s[k]).fold(0.0, f64::max);
    let still = (0..n).filter(|k| s[*k] <= SYMMETRIC * most);
    let still: Vec<Vec<f64>> = still.map(|k| (0..n).map(|j| v[(j, k)]).collect()).collect();
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for direction in &found {
        let mut rest = direction.clone();
        across(&still, &mut rest);
        let mut own: Vec<f64> = direction.iter().zip(&rest).map(|(d, r)| d - r).collect();
        across(&kept, &mut own);
        let length = own.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length < 0.5 {
            return found;
        }
        kept.push(own.iter().map(|v| v / length).collect());
    }
    kept
}
