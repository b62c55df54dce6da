//! Periodic orbits by shooting: Newton's method on the flow over one period.
//!
//! With x in the coordinates ξ of the states that the mode of the start allows, the orbit solves
//!
//! ```text
//! r(ξ, T, p) = φ_T(x) − x = 0,      f(x₀)ᵀ (x − x₀) = 0  without a drive,      (next point of a branch)
//! ```
//!
//! with ∂r/∂ξ = M − 1 from the small changes that the run carries along, ∂r/∂T = f(φ_T(x)), and ∂r/∂p from the
//! systems at neighbouring values. Directions along which the system is the same everywhere (a ball that may roll
//! away, a toy that falls along a pole) leave the equations singular; they are solved by the smallest change, and
//! what is left of r along such directions is a drift of the orbit. They are those n with (M − 1) n = 0 and ∂f/∂x n = 0,
//! and r is taken across them: a longer or shorter period would else be taken for the way to stop the drift.

use super::StudyError;
use super::family::{Family, Member};
use super::symmetry::{across, beside, derivative_of_rate, symmetries, turn_back};
use crate::integrate::{Manifold, MotionEvent, NearMiss, Phase, StepError, Tangent, Variation};
use crate::system::{MechanicalSystem, State};
use faer::Mat;

/// Newton's steps, the change that ends them, and the change that will do, both relative.
const STEPS: usize = 40;
/// Steps that may be about as long as those before them, from anywhere and from a neighbour on a branch.
const MOST_WORSE: usize = 4;
const MOST_WORSE_NEAR: usize = 2;
/// How much shorter than the one before a step with old derivatives must be.
const SHRINKS: f64 = 0.25;
/// Length of a step that ends them, and one that will do, both relative.
const STEP_GOAL: f64 = 1e-11;
const STEP_ACCEPTED: f64 = 1e-8;
/// How far from its start an orbit may end, relative to its size.
const CLOSED: f64 = 1e-7;
/// Least period, relative to that of the guess.
const SHORTEST: f64 = 0.1;
/// Singular values, relative to the largest, that belong to directions along which nothing changes.
const NEUTRAL: f64 = 1e-8;

/// Least size of an orbit, relative to all of its way.
const LEAST_SIZE: f64 = 1e-3;

/// A state at the start of a period.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) value: f64,
    pub(super) state: State,
    pub(super) period: f64,
    /// How many periods of the drive.
    pub(super) multiple: usize,
}

/// An orbit with its derivatives.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) manifold: Manifold,
    /// Size of the orbit in the coordinates of the manifold, but for what it drifts.
    pub(super) size: f64,
    /// M in these coordinates, row by row.
    pub(super) matrix: Vec<Vec<f64>>,
    /// Equations of the orbit, row by row: unknowns are ξ over the size, ln T without a drive, and p over its range.
    equations: Vec<Vec<f64>>,
    /// Directions in which nothing changes.
    pub(super) neutral: usize,
    /// Those of them along which the system is the same everywhere, of length 1.
    symmetries: Vec<Vec<f64>>,
    /// φ_T(x) − x where the orbit drifts, over the size.
    pub(super) drift: f64,
    pub(super) phases: Vec<Phase>,
    pub(super) near_misses: Vec<NearMiss>,
    /// Time, contact and normal velocity of the impacts.
    pub(super) impacts: Vec<(f64, u64, f64)>,
    pub(super) blind: usize,
    pub(super) end: State,
}

/// Derivatives with which steps of Newton's method are made.
struct Slopes {
    equations: Vec<Vec<f64>>,
    symmetries: Vec<Vec<f64>>,
    size: f64,
}

impl Slopes {
    fn of(found: &Found) -> Self {
        let Found { equations, symmetries, size, .. } = found;
        Self { equations: equations.clone(), symmetries: symmetries.clone(), size: *size }
    }
}

/// A hyperplane for the next point of a branch.
pub(super) struct Plane<'a> {
    pub(super) normal: &'a [f64],
}

impl Found {
    /// The tangent of the branch, of length 1, in the direction of `previous`. Along symmetries there are as many orbits as one
    /// likes: a branch that moved there would come to nothing new.
    pub(super) fn tangent(&self, previous: &[f64]) -> Option<Vec<f64>> {
        let mut previous = previous.to_vec();
        across(&self.symmetries, previous.get_mut(..self.matrix.len())?);
        tangent(&self.equations, &previous)
    }

    /// Number of the unknowns.
    pub(super) fn width(&self) -> usize {
        self.equations.first().map_or(0, Vec::len)
    }

    /// Multipliers, largest first; those of directions that stick or are closed at the start are zero.
    pub(super) fn multipliers(&self) -> Vec<[f64; 2]> {
        let n = self.matrix.len();
        let matrix = Mat::from_fn(n, n, |i, j| self.matrix[i][j]);
        let values = matrix.eigenvalues().unwrap_or_default();
        let mut values: Vec<[f64; 2]> = values.iter().map(|value| [value.re, value.im]).collect();
        values.resize(self.manifold.freedom.max(values.len()), [0.0, 0.0]);
        values.sort_by(|a, b| {
            b[0].hypot(b[1]).total_cmp(&a[0].hypot(a[1])).then(b[1].total_cmp(&a[1]))
        });
        values
    }

    /// The direction of a multiplier, of length 1.
    pub(super) fn direction_of(&self, multiplier: f64) -> Option<Vec<f64>> {
        let n = self.matrix.len();
        let shifted =
            Mat::from_fn(n, n, |i, j| self.matrix[i][j] - if i == j { multiplier } else { 0.0 });
        let svd = shifted.thin_svd().ok()?;
        let (s, v) = (svd.S(), svd.V());
        let least = (0..n).min_by(|a, b| s[*a].total_cmp(&s[*b]))?;
        Some((0..n).map(|j| v[(j, least)]).collect())
    }
}

/// The vector of length 1 that the equations map to zero, in the direction of `previous`.
pub(super) fn tangent(equations: &[Vec<f64>], previous: &[f64]) -> Option<Vec<f64>> {
    let mut rows = equations.to_vec();
    rows.push(previous.to_vec());
    let mut right = vec![0.0; rows.len()];
    *right.last_mut()? = 1.0;
    let (mut tangent, _) = least_squares(&rows, &right)?;
    let length = tangent.iter().map(|v| v * v).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    tangent.iter_mut().for_each(|v| *v /= length);
    Some(tangent)
}

/// The smallest solution of the least squares, and how many directions it leaves open.
pub(super) fn least_squares(rows: &[Vec<f64>], right: &[f64]) -> Option<(Vec<f64>, usize)> {
    let (m, n) = (rows.len(), rows.first()?.len());
    let matrix = Mat::from_fn(m, n, |i, j| rows[i][j]);
    let svd = matrix.thin_svd().ok()?;
    let (u, s, v) = (svd.U(), svd.S(), svd.V());
    let size = m.min(n);
    let largest = (0..size).map(|k| s[k]).fold(0.0, f64::max);
    let (mut x, mut rank) = (vec![0.0; n], 0);
    for k in (0..size).filter(|k| s[*k] > NEUTRAL * largest) {
        rank += 1;
        let share = (0..m).map(|i| u[(i, k)] * right[i]).sum::<f64>() / s[k];
        x.iter_mut().enumerate().for_each(|(j, x)| *x += share * v[(j, k)]);
    }
    x.iter().all(|v| v.is_finite()).then_some((x, n - rank))
}

impl Family {
    /// The orbit near a place, at its value or on a plane through it. None if Newton's method finds none.
    ///
    /// A period with its derivatives takes many times as long as one without: steps are made with the derivatives of
    /// before, at first those of a neighbour where one is given, as long as they become shorter fast.
    pub(super) fn correct(
        &self,
        guess: &Place,
        known: Option<&Manifold>,
        neighbour: Option<&Found>,
        plane: Option<&Plane>,
    ) -> Result<Option<Found>, StudyError> {
        let mut place = guess.clone();
        let drive =
            |place: &Place| (place.multiple > 0).then(|| place.period / place.multiple as f64);
        let mut member = self.member(place.value, drive(&place))?;
        let mut manifold = match known {
            Some(manifold) => manifold.clone(),
            None => {
                let found = member.integrator()?.manifold(member.system.as_ref(), &mut place.state);
                match found {
                    Ok(manifold) => manifold,
                    Err(_) => return Ok(None),
                }
            }
        };
        let n = manifold.basis.len();
        let mut slopes = neighbour.map(Slopes::of);
        let mut moved: Vec<f64> = Vec::new();
        let (mut last, mut worse) = (f64::INFINITY, 0);
        let most_worse = if neighbour.is_some() { MOST_WORSE_NEAR } else { MOST_WORSE };
        for _ in 0..STEPS {
            if manifold.shift(member.system.as_ref(), &mut place.state, &[]).is_err() {
                return Ok(None);
            }
            manifold = match manifold.moved_to(member.system.as_ref(), &place.state) {
                Ok(moved) => moved,
                Err(_) => return Ok(None),
            };
            let mut whole = None;
            let (own, end) = match slopes.take() {
                Some(own) => {
                    let end = self.end(&member, &place, &manifold, &own.symmetries)?;
                    let Some(end) = end else { return Ok(None) };
                    (own, end)
                }
                None => {
                    let Some(found) = self.shoot(&member, &place, &manifold)? else {
                        return Ok(None);
                    };
                    let (own, end) = (Slopes::of(&found), found.end.clone());
                    whole = Some(found);
                    (own, end)
                }
            };
            let mut rows = own.equations.clone();
            let width = rows.first().map_or(0, Vec::len);
            moved.resize(width, 0.0);
            let minus: Vec<f64> = manifold
                .difference(member.system.as_ref(), &place.state, &end)
                .iter()
                .map(|r| -r / own.size)
                .collect();
            let mut right = minus.clone();
            across(&own.symmetries, &mut right);
            let open_by = right.iter().map(|r| r * r).sum::<f64>().sqrt();
            right.resize(rows.len(), 0.0);
            match plane {
                Some(plane) => {
                    right.push(-plane.normal.iter().zip(&moved).map(|(a, b)| a * b).sum::<f64>());
                    rows.push(plane.normal.to_vec());
                }
                None => rows.iter_mut().for_each(|row| row[width - 1] = 0.0),
            }
            let Some((change, open)) = least_squares(&rows, &right) else { return Ok(None) };
            let length = change.iter().map(|v| v * v).sum::<f64>().sqrt();
            let done = length < STEP_GOAL || (length < STEP_ACCEPTED && length >= 0.5 * last);
            match whole {
                // The equations contradict each other: no change closes it.
                Some(_) if done && open_by > CLOSED => {
                    return Ok(None);
                }
                Some(mut found) if done => {
                    // The value is one of the unknowns, and fixed without a plane.
                    found.neutral = if plane.is_some() { open } else { open.saturating_sub(1) };
                    let drift = minus.iter().map(|r| r * r).sum::<f64>().sqrt();
                    found.drift = if drift < 1e2 * STEP_ACCEPTED { 0.0 } else { drift };
                    return Ok(Some(found));
                }
                Some(_) => worse += usize::from(length > 0.7 * last),
                // Here derivatives are needed, to end with or to get on.
                None if done || !(length < SHRINKS * last.min(1.0)) => {
                    last = if done { length } else { last };
                    continue;
                }
                None => {}
            }
            // A motion that only drifts closes in no time; steps that do not become shorter lead nowhere.
            if !(length < 1e3 && place.period > SHORTEST * guess.period) || worse > most_worse {
                return Ok(None);
            }
            last = length;
            // Steps over more than the orbit itself lead nowhere.
            let share = (1.0 / length).min(1.0);
            moved.iter_mut().zip(&change).for_each(|(m, c)| *m += share * c);
            let shares: Vec<f64> = change[..n].iter().map(|v| share * v * own.size).collect();
            if member.drive.is_none() {
                place.period *= (share * change[n]).exp();
            }
            if plane.is_some() {
                place.value += share * change[width - 1] * self.range();
                member = match self.member(place.value, drive(&place)) {
                    Ok(member) => member,
                    // Beyond what the scene allows.
                    Err(_) => return Ok(None),
                };
                if let Some((period, _)) = member.drive {
                    place.period = place.multiple as f64 * period;
                }
            }
            if manifold.shift(member.system.as_ref(), &mut place.state, &shares).is_err() {
                return Ok(None);
            }
            slopes = Some(own);
        }
        Ok(None)
    }

    /// Where a period ends. None if the run fails.
    fn end(
        &self,
        member: &Member,
        place: &Place,
        manifold: &Manifold,
        symmetries: &[Vec<f64>],
    ) -> Result<Option<State>, StudyError> {
        let (system, mut end) = (member.system.as_ref(), place.state.clone());
        let t_end = end.t + place.period;
        match member.integrator()?.run_until(system, &mut end, t_end, &mut |_| {}) {
            Err(StepError::Stopped { .. }) => Err(StudyError::NotFound("stopped".into())),
            Err(_) => Ok(None),
            Ok(_) => {
                let at = &place.state;
                system.turn_back(&mut end.q, &at.q, false, &mut vec![1.0; at.q.len()]);
                turn_back(system, manifold, symmetries, at, &mut end);
                Ok(Some(end))
            }
        }
    }

    /// One period with its derivatives. None if the run fails.
    pub(super) fn shoot(
        &self,
        member: &Member,
        place: &Place,
        manifold: &Manifold,
    ) -> Result<Option<Found>, StudyError> {
        let (system, n) = (member.system.as_ref(), manifold.basis.len());
        let mut columns = manifold.basis.clone();
        let varied = !member.neighbours.is_empty();
        let mut first = None;
        if varied {
            let neighbours = &member.neighbours;
            let Ok(own) = manifold.with_parameter(system, &place.state, neighbours, member.step)
            else {
                return Ok(None);
            };
            first = Some(own.clone());
            columns.push(own);
        }
        let mut variation =
            Variation::new(columns).with_neighbours(member.neighbours.clone(), member.step);
        let mut end = place.state.clone();
        let mut impacts = Vec::new();
        let t_end = end.t + place.period;
        let mut integrator = member.integrator()?;
        let outcome =
            integrator.run_with_variation(system, &mut end, t_end, &mut variation, &mut |event| {
                if let MotionEvent::Impact(impact) = event {
                    impacts.push((impact.t, impact.contact, impact.velocity_before[0]));
                }
            });
        if let Err(StepError::Stopped { .. }) = outcome {
            return Err(StudyError::NotFound("stopped".into()));
        }
        let at = &place.state;
        let mut signs = vec![1.0; end.q.len()];
        system.turn_back(&mut end.q, &at.q, false, &mut signs);
        let (Ok(_), Ok(now), Ok(last)) =
            (outcome, manifold.rate(system, at), manifold.rate(system, &end))
        else {
            return Ok(None);
        };
        for column in &mut variation.columns {
            column.q.iter_mut().zip(&signs).for_each(|(q, sign)| *q *= sign);
        }
        let shares = |tangent: &Tangent| manifold.shares(system, at, tangent);
        let images: Vec<Vec<f64>> = variation.columns[..n].iter().map(shares).collect();
        let matrix: Vec<Vec<f64>> =
            (0..n).map(|i| images.iter().map(|image| image[i]).collect()).collect();
        let mut ways = ways(member, place, manifold)?;
        let whole = longest(&ways);
        let (now, last) = (shares(&now), shares(&last));
        let autonomous = member.drive.is_none();
        let mut by_value = vec![0.0; n];
        if let (Some(first), Some(end)) = (&first, variation.columns.get(n)) {
            by_value = shares(end);
            by_value.iter_mut().zip(shares(first)).for_each(|(b, f)| *b -= f);
            let slope = member.drive.map_or(0.0, |(_, slope)| slope * place.multiple as f64);
            by_value.iter_mut().zip(&last).for_each(|(b, f)| *b += slope * f);
        }
        let symmetries = symmetries(&matrix, &derivative_of_rate(system, place, manifold, whole));
        let symmetries = if autonomous { beside(&symmetries, &now) } else { symmetries };
        // A string that turns on by many radians may swing by little.
        ways.iter_mut().for_each(|way| across(&symmetries, way));
        let size = longest(&ways).max(LEAST_SIZE * whole);
        turn_back(system, manifold, &symmetries, at, &mut end);
        let mut equations: Vec<Vec<f64>> = Vec::new();
        for (i, (by_value, last)) in by_value.iter().zip(&last).enumerate() {
            let mut row = matrix[i].clone();
            row[i] -= 1.0;
            if autonomous {
                row.push(last * place.period / size);
            }
            row.push(by_value * self.range() / size);
            equations.push(row);
        }
        for column in 0..equations.first().map_or(0, Vec::len) {
            let mut values: Vec<f64> = equations.iter().map(|row| row[column]).collect();
            across(&symmetries, &mut values);
            equations.iter_mut().zip(values).for_each(|(row, value)| row[column] = value);
        }
        // (M − 1) n is zero but for rounding, which must not be taken for a slope.
        equations.iter_mut().for_each(|row| across(&symmetries, &mut row[..n]));
        if autonomous {
            // Along a symmetry the start may move, and with it the phase would.
            let mut row = now;
            across(&symmetries, &mut row);
            let speed = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            row.iter_mut().for_each(|v| *v /= speed);
            row.extend([0.0, 0.0]);
            equations.push(row);
        }
        Ok(Some(Found {
            place: place.clone(),
            manifold: manifold.clone(),
            size,
            matrix,
            equations,
            neutral: 0,
            symmetries,
            drift: 0.0,
            phases: variation.phases,
            near_misses: variation.near_misses,
            impacts,
            blind: variation.blind,
            end,
        }))
    }
}

impl Found {
    /// The way of the orbit to a state, but for whole turns.
    pub(super) fn way_to(
        &self,
        system: &dyn MechanicalSystem,
        from: &State,
        to: &State,
    ) -> Vec<f64> {
        let mut to = to.clone();
        let mut signs = vec![1.0; to.q.len()];
        system.turn_back(&mut to.q, &from.q, false, &mut signs);
        turn_back(system, &self.manifold, &self.symmetries, from, &mut to);
        self.manifold.difference(system, from, &to)
    }
}

/// The ways from the start of an orbit to eight places on it.
fn ways(member: &Member, place: &Place, manifold: &Manifold) -> Result<Vec<Vec<f64>>, StudyError> {
    let system = member.system.as_ref();
    let (mut state, mut ways) = (place.state.clone(), Vec::new());
    let mut integrator = member.integrator()?;
    for k in 1..=8 {
        let t = place.state.t + place.period * f64::from(k) / 8.0;
        if integrator.run_until(system, &mut state, t, &mut |_| {}).is_err() {
            break;
        }
        ways.push(manifold.difference(system, &place.state, &state));
    }
    Ok(ways)
}

/// The longest of several ways; 1 if there is none.
fn longest(ways: &[Vec<f64>]) -> f64 {
    let lengths = ways.iter().map(|way| way.iter().map(|v| v * v).sum::<f64>().sqrt());
    let longest = lengths.fold(0.0, f64::max);
    if longest > 0.0 { longest } else { 1.0 }
}
