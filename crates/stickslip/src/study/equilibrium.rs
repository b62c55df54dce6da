//! Equilibria and steady motions of a scene, and their stability.
//!
//! In the coordinates ξ of the states that a mode allows, an equilibrium solves
//!
//! ```text
//! P f(x, p) = 0,      J = ∂f/∂ξ,      J n = 0 for the directions n that P takes out
//! ```
//!
//! n are the directions in which the system is the same everywhere: along them a steady motion may go on, as a string
//! turns that drills. What sticks is such a direction too: with dry friction equilibria form a set. If one law of
//! friction along a line sticks it is an interval, and its ends are the equilibria with that law about to slip, one
//! way or the other. Eigenvalues of J tell the stability.

use super::StudyError;
use super::family::{Family, Member};
use super::shooting::{least_squares, tangent};
use super::symmetry::across;
use crate::integrate::{Manifold, OFFSETS, StepError, WEIGHTS};
use crate::system::{MechanicalSystem, State};
use faer::Mat;

/// Steps of Newton's method, the change that ends them, and the change that will do.
const STEPS: usize = 30;
const STEP_GOAL: f64 = 1e-12;
const STEP_ACCEPTED: f64 = 1e-9;
/// Step of the differences, in units of the scale of the system.
const REACH: f64 = 1e-4;
/// Derivative of a rate, relative to it, that is rounding of the differences.
const ROUNDING_OF: f64 = 1e-11;
/// Singular values of J, relative, that belong to directions in which nothing changes, and the shift by which that is
/// tried.
const NEUTRAL: f64 = 1e-7;
const SHIFT: f64 = 0.05;
/// Real part, relative to the largest eigenvalue, that is rounding.
const ROUNDING: f64 = 1e-9;

/// An equilibrium or a steady motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The value of what is varied.
    pub value: f64,
    /// The state; in the middle of the interval where friction sticks.
    pub state: State,
    /// Eigenvalues as real and imaginary parts, 1/s, the largest real part first; without those of directions in which
    /// nothing changes.
    pub eigenvalues: Vec<[f64; 2]>,
    /// Whether none of them grows.
    pub stable: bool,
    /// What is closed, sticks and slips.
    pub mode: String,
    /// Coordinates at both ends of the interval of equilibria, where one law of friction sticks.
    pub interval: Option<[Vec<f64>; 2]>,
}

/// An equilibrium with its derivatives.
#[derive(Clone)]
pub(super) struct AtRest {
    pub(super) value: f64,
    pub(super) state: State,
    pub(super) manifold: Manifold,
    /// J, row by row.
    pub(super) jacobian: Vec<Vec<f64>>,
    /// Equations, row by row: unknowns are ξ, and p over its range.
    pub(super) equations: Vec<Vec<f64>>,
    pub(super) symmetries: Vec<Vec<f64>>,
}

impl AtRest {
    /// Eigenvalues, the largest real part first.
    pub(super) fn eigenvalues(&self) -> Vec<[f64; 2]> {
        let n = self.jacobian.len();
        let matrix = Mat::from_fn(n, n, |i, j| self.jacobian[i][j]);
        let values = matrix.eigenvalues().unwrap_or_default();
        let mut values: Vec<[f64; 2]> = values.iter().map(|value| [value.re, value.im]).collect();
        // Those of directions in which nothing changes are the smallest.
        values.sort_by(|a, b| a[0].hypot(a[1]).total_cmp(&b[0].hypot(b[1])));
        values.drain(..self.symmetries.len().min(values.len()));
        values.sort_by(|a, b| b[0].total_cmp(&a[0]).then(b[1].total_cmp(&a[1])));
        values
    }

    /// The tangent of the branch, of length 1, in the direction of `previous`.
    pub(super) fn tangent(&self, previous: &[f64]) -> Option<Vec<f64>> {
        tangent(&self.equations, previous)
    }
}

/// Rates in the coordinates of the manifold.
fn rates(
    system: &dyn MechanicalSystem,
    manifold: &Manifold,
    at: &State,
) -> Result<Vec<f64>, StepError> {
    Ok(manifold.shares(system, at, &manifold.rate(system, at)?))
}

impl Family {
    /// The equilibrium near a state, at a value or on a plane through both. None if Newton's method finds none.
    pub(super) fn rest_near(
        &self,
        value: f64,
        guess: &State,
        manifold: &Manifold,
        plane: Option<&[f64]>,
    ) -> Result<Option<AtRest>, StudyError> {
        let (mut state, mut value) = (guess.clone(), value);
        let n = manifold.basis.len();
        let (mut moved, mut last) = (vec![0.0; n + 1], f64::INFINITY);
        for _ in 0..STEPS {
            let Ok(member) = self.member(value, None) else { return Ok(None) };
            let system = member.system.as_ref();
            if manifold.shift(system, &mut state, &[]).is_err() {
                return Ok(None);
            }
            let Ok((here, mut right)) = self.linearised(&member, &state, manifold) else {
                return Ok(None);
            };
            let mut rows = here.equations.clone();
            right.iter_mut().for_each(|r| *r = -*r);
            match plane {
                Some(normal) => {
                    right.push(-normal.iter().zip(&moved).map(|(a, b)| a * b).sum::<f64>());
                    rows.push(normal.to_vec());
                }
                None => rows.iter_mut().for_each(|row| row[n] = 0.0),
            }
            let Some((change, _)) = least_squares(&rows, &right) else { return Ok(None) };
            let length = change.iter().map(|v| v * v).sum::<f64>().sqrt();
            if length < STEP_GOAL || (length < STEP_ACCEPTED && length >= 0.5 * last) {
                // Least squares also end where there is no equilibrium.
                let left = rows.iter().zip(&right).map(|(row, right)| {
                    let own: f64 = row.iter().zip(&change).map(|(a, b)| a * b).sum();
                    (own - right).abs()
                });
                return Ok((left.fold(0.0, f64::max) < 1e2 * STEP_ACCEPTED).then_some(here));
            }
            if !(length < 1e3) {
                return Ok(None);
            }
            last = length;
            let share = (1.0 / length).min(1.0);
            moved.iter_mut().zip(&change).for_each(|(m, c)| *m += share * c);
            let shares: Vec<f64> = change[..n].iter().map(|v| share * v).collect();
            if manifold.shift(system, &mut state, &shares).is_err() {
                return Ok(None);
            }
            if plane.is_some() {
                value += share * change[n] * self.range();
            }
        }
        Ok(None)
    }

    /// J and the equations at a state, and the rates across the symmetries; rows are measured by their largest entry.
    fn linearised(
        &self,
        member: &Member,
        state: &State,
        manifold: &Manifold,
    ) -> Result<(AtRest, Vec<f64>), StepError> {
        let (system, n) = (member.system.as_ref(), manifold.basis.len());
        let mut columns = vec![vec![0.0; n]; n + 1];
        for (k, column) in columns[..n].iter_mut().enumerate() {
            for (offset, weight) in OFFSETS.iter().zip(WEIGHTS) {
                let (mut at, mut shares) = (state.clone(), vec![0.0; n]);
                shares[k] = offset * REACH;
                manifold.shift(system, &mut at, &shares)?;
                let rate = manifold.shares(system, state, &manifold.rate(system, &at)?);
                column.iter_mut().zip(rate).for_each(|(c, r)| *c += weight / REACH * r);
            }
        }
        let mut right = rates(system, manifold, state)?;
        // What differences leave of a rate that does not change is rounding.
        for column in &mut columns[..n] {
            let noise =
                column.iter_mut().zip(&right).filter(|(c, r)| c.abs() < ROUNDING_OF * r.abs());
            noise.for_each(|(c, _)| *c = 0.0);
        }
        let jacobian: Vec<Vec<f64>> =
            (0..n).map(|i| columns[..n].iter().map(|column| column[i]).collect()).collect();
        for (neighbour, weight) in member.neighbours.iter().zip(WEIGHTS) {
            let mut at = state.clone();
            manifold.shift(neighbour.as_ref(), &mut at, &[])?;
            let rate = manifold.rate(neighbour.as_ref(), &at)?;
            let rate = manifold.shares(neighbour.as_ref(), state, &rate);
            let step = weight / member.step * self.range();
            columns[n].iter_mut().zip(rate).for_each(|(c, r)| *c += step * r);
        }
        let symmetries = self.still(member, state, manifold, &jacobian)?;
        across(&symmetries, &mut right);
        columns.iter_mut().for_each(|column| across(&symmetries, column));
        let mut equations: Vec<Vec<f64>> =
            (0..n).map(|i| columns.iter().map(|column| column[i]).collect()).collect();
        for (row, right) in equations.iter_mut().zip(&mut right) {
            let size = row[..n].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            if size > 0.0 {
                row.iter_mut().for_each(|v| *v /= size);
                *right /= size;
            }
        }
        let (state, manifold) = (state.clone(), manifold.clone());
        let here = AtRest { value: member.value, state, manifold, jacobian, equations, symmetries };
        Ok((here, right))
    }

    /// Directions n with J n = 0 along which the rates stay what they are, also for a shift that is not small: at a fold
    /// J n = 0 too.
    fn still(
        &self,
        member: &Member,
        state: &State,
        manifold: &Manifold,
        jacobian: &[Vec<f64>],
    ) -> Result<Vec<Vec<f64>>, StepError> {
        let n = jacobian.len();
        // Rows of accelerations may be much larger than those of velocities.
        let size = |row: &[f64]| row.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let scaled = Mat::from_fn(n, n, |i, j| jacobian[i][j] / size(&jacobian[i]).max(1e-9));
        let Ok(svd) = scaled.thin_svd() else { return Ok(Vec::new()) };
        let (s, v) = (svd.S(), svd.V());
        let most = (0..n).map(|k| s[k]).fold(0.0, f64::max);
        let small: Vec<usize> = (0..n).filter(|k| s[*k] <= NEUTRAL * most).collect();
        let system = member.system.as_ref();
        let here = rates(system, manifold, state)?;
        let mut found = Vec::new();
        for k in small {
            let direction: Vec<f64> = (0..n).map(|j| v[(j, k)]).collect();
            let mut at = state.clone();
            let shares: Vec<f64> = direction.iter().map(|d| SHIFT * d).collect();
            let there = manifold
                .shift(system, &mut at, &shares)
                .and_then(|()| Ok(manifold.shares(system, state, &manifold.rate(system, &at)?)));
            let largest = size(&jacobian.concat());
            let same = there.is_ok_and(|there| {
                there.iter().zip(&here).all(|(a, b)| (a - b).abs() < 1e-7 * largest * SHIFT)
            });
            if same {
                found.push(direction);
            }
        }
        Ok(found)
    }

    /// What is told of an equilibrium; where one law sticks, in the middle of its interval.
    pub(super) fn equilibrium(&self, at: &AtRest) -> Result<(Equilibrium, AtRest), StudyError> {
        let member = self.member(at.value, None)?;
        let system = member.system.as_ref();
        let (mut at, mut interval) = (at.clone(), None);
        let end = |forwards: bool| -> Result<Option<State>, StudyError> {
            let Ok(Some(released)) = at.manifold.about_to_slip(system, &at.state, forwards) else {
                return Ok(None);
            };
            let found = self.rest_near(at.value, &at.state, &released, None)?;
            Ok(found.map(|found| found.state))
        };
        if let (Some(a), Some(b)) = (end(true)?, end(false)?) {
            let mut middle = at.state.clone();
            for (k, q) in middle.q.iter_mut().enumerate() {
                *q = 0.5 * (a.q[k] + b.q[k]);
            }
            system.normalize(&mut middle.q);
            if let Some(found) = self.rest_near(at.value, &middle, &at.manifold, None)? {
                at = found;
            }
            interval = Some([a.q, b.q]);
        }
        let eigenvalues = at.eigenvalues();
        let largest = eigenvalues.iter().fold(0.0_f64, |m, [re, im]| m.max(re.hypot(*im)));
        let stable = eigenvalues.iter().all(|[re, _]| *re <= ROUNDING * largest);
        let equilibrium = Equilibrium {
            value: at.value,
            state: at.state.clone(),
            eigenvalues,
            stable,
            mode: at.manifold.words.clone(),
            interval,
        };
        Ok((equilibrium, at))
    }

    /// The equilibrium at which the motion of a scene ends, or near which it starts.
    pub(super) fn first_rest(&self, member: &Member) -> Result<AtRest, StudyError> {
        let (system, duration) = (member.system.as_ref(), member.scene.simulation.duration);
        let mut end = member.scene.start.clone();
        let t = end.t + duration;
        let ran = duration > 0.0
            && member.integrator()?.run_until(system, &mut end, t, &mut |_| {}).is_ok();
        let starts = ran.then_some(end).into_iter().chain([member.scene.start.clone()]);
        for mut state in starts {
            let Ok(manifold) = member.integrator()?.manifold(system, &mut state) else { continue };
            if let Some(found) = self.rest_near(member.value, &state, &manifold, None)?
                && self.holds(member, &found)?
            {
                return Ok(found);
            }
        }
        Err(StudyError::NotFound(format!(
            "{}: no equilibrium near the motion after {duration} s, and none near its start",
            self.file.source
        )))
    }

    /// Whether the mode of an equilibrium is the one that the laws give there.
    pub(super) fn holds(&self, member: &Member, at: &AtRest) -> Result<bool, StudyError> {
        let mut state = at.state.clone();
        let own = member.integrator()?.manifold(member.system.as_ref(), &mut state);
        Ok(own.is_ok_and(|own| own.words == at.manifold.words))
    }
}
