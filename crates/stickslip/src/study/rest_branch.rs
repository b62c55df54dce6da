//! Branches of equilibria over a parameter, by pseudo-arclength.

use super::continuation::{FOLD, GRAZING, SLIDING, SpecialPoint};
use super::equilibrium::{AtRest, Equilibrium};
use super::family::Family;
use super::{OrbitQuestion, StudyError, Vary};
use crate::scene::SceneFile;

/// First, longest and shortest step, in units of the range and of the scale of the system.
const FIRST_STEP: f64 = 0.01;
const LONGEST: f64 = 0.05;
const SHORTEST: f64 = 1e-6;
/// Least product of two neighbouring tangents.
const BEND: f64 = 0.95;
/// Points of a branch, rounds of root finding.
const MOST_POINTS: usize = 2000;
const ROUNDS: usize = 60;
/// Ways beyond a change of the mode, over the range, at which an equilibrium of the next one is looked for.
const BEYOND: [f64; 3] = [1e-5, 1e-4, 1e-3];
/// How far a motion that has come to rest may be from an equilibrium, in units of the scale of the system.
const AT_REST: f64 = 1e-6;
/// Real parts, relative to the largest eigenvalue, that are rounding, and relative to the imaginary part of a pair that
/// passes the axis.
const ROUNDING: f64 = 1e-8;
const SWINGS: f64 = 1e-4;

/// A branch of equilibria.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RestBranch {
    /// The equilibria in their order.
    pub points: Vec<Equilibrium>,
    /// Where their kind changes: `fold`, `hopf`, `branch-point`, `grazing` where a contact opens or closes, `sliding`
    /// where a law begins or ceases to stick.
    pub bifurcations: Vec<SpecialPoint>,
    /// Why it ends, if not at the end of the range; a sentence.
    pub ended: Option<String>,
}

/// An equilibrium with the tangent of the branch.
#[derive(Clone)]
struct OnBranch {
    at: AtRest,
    tangent: Vec<f64>,
}

/// Whether the motion of a scene at the first value ends at rest or in a steady motion.
pub fn ends_at_rest(
    file: &SceneFile,
    question: &OrbitQuestion,
    vary: &Vary,
) -> Result<bool, StudyError> {
    let Some([from, _]) = vary.ends() else { return Ok(false) };
    let family = Family::new(file, question, Some(vary.clone()));
    let member = family.member(from, None)?;
    Ok(member.drive.is_none() && family.comes_to_rest(&member)?)
}

/// Follows the equilibrium at which the motion ends at the first value, or near which it starts, to the last one. `tell`
/// sees each point.
pub fn continue_equilibrium(
    file: &SceneFile,
    question: &OrbitQuestion,
    vary: &Vary,
    tell: &mut dyn FnMut(&Equilibrium),
) -> Result<RestBranch, StudyError> {
    let Some([from, to]) = vary.ends() else {
        return Err(StudyError::wrong(format!(
            "--vary {}: a branch needs a range, such as {}=0:1",
            vary.key, vary.key
        )));
    };
    let family = Family::new(file, question, Some(vary.clone()));
    let member = family.member(from, None)?;
    if member.drive.is_some() {
        return Err(StudyError::wrong(format!(
            "{}: the system depends on time: it has no equilibria; without --equilibrium its periodic orbits are followed",
            file.source
        )));
    }
    let mut branch = RestBranch::default();
    let (first, at) = family.equilibrium(&family.first_rest(&member)?)?;
    tell(&first);
    branch.points.push(first);
    let mut along = vec![0.0; at.manifold.basis.len() + 1];
    if let Some(last) = along.last_mut() {
        *last = (to - from).signum();
    }
    let Some(tangent) = at.tangent(&along) else {
        return Err(StudyError::NotFound(format!("{}: the branch has no tangent", file.source)));
    };
    let (low, high) = (from.min(to), from.max(to));
    let mut point = OnBranch { at, tangent };
    let mut step = FIRST_STEP;
    while branch.points.len() < MOST_POINTS {
        let slope = point.way() * family.range();
        let ahead = point.at.value + step * slope;
        let end = if slope > 0.0 { high } else { low };
        let ends = (slope > 0.0 && ahead >= end) || (slope < 0.0 && ahead <= end);
        let length = if ends { (end - point.at.value) / slope } else { step };
        let next = family.next_rest(&point, length, ends.then_some(end))?;
        let product = next.as_ref().map_or(0.0, |next| {
            next.tangent.iter().zip(&point.tangent).map(|(a, b)| a * b).sum::<f64>()
        });
        let smooth = product > BEND;
        if !smooth && step > SHORTEST {
            step *= 0.5;
            continue;
        }
        let (next, ends) = match next {
            Some(next) => {
                branch.bifurcations.extend(family.passed_rest(&point, &next, length)?);
                (next, ends)
            }
            None => {
                let (special, next) = family.changed_rest(&point, length)?;
                branch.bifurcations.extend(special);
                match next {
                    Some(next) => (next, false),
                    None => {
                        let value = point.at.value;
                        branch.ended = Some(format!("no equilibrium was found beyond {value}"));
                        break;
                    }
                }
            }
        };
        let (told, at) = family.equilibrium(&next.at)?;
        tell(&told);
        branch.points.push(told);
        if ends {
            break;
        }
        // In the middle of its interval.
        let tangent = at.tangent(&next.tangent);
        point = match tangent {
            Some(tangent) => OnBranch { at, tangent },
            None => next,
        };
        step = if smooth { (1.5 * step).min(LONGEST) } else { FIRST_STEP };
    }
    if branch.points.len() == MOST_POINTS {
        branch.ended = Some(format!("{MOST_POINTS} points were found"));
    }
    Ok(branch)
}

impl OnBranch {
    /// Share of the parameter in the tangent.
    fn way(&self) -> f64 {
        self.tangent.last().copied().unwrap_or(0.0)
    }

    /// Functions that change their sign: of folds, of real eigenvalues, of pairs whose sum is zero. Parts of eigenvalues up to
    /// `rounding`, relative to the largest, count as zero: what nothing damps stays on the axis.
    fn tests(&self, rounding: f64) -> [f64; 3] {
        let values = self.at.eigenvalues();
        let largest = values.iter().fold(f64::MIN_POSITIVE, |m, [re, im]| m.max(re.hypot(*im)));
        let sign = |x: f64| if x.abs() > rounding * largest { x.signum() } else { 0.0 };
        let real: Vec<f64> =
            values.iter().filter(|[_, im]| *im == 0.0).map(|[re, _]| *re).collect();
        let mut sums = 1.0;
        for (k, a) in real.iter().enumerate() {
            sums = real[k + 1..].iter().fold(sums, |product, b| product * sign(a + b));
        }
        let pairs = values.iter().filter(|[_, im]| *im > 0.0);
        let sums = pairs.fold(sums, |product, [re, _]| product * sign(*re));
        [self.way(), real.iter().fold(1.0, |product, re| product * sign(*re)), sums]
    }

    /// Whether a pair lies on the imaginary axis.
    fn swings(&self) -> bool {
        self.at.eigenvalues().iter().any(|[re, im]| *im > 0.0 && re.abs() < SWINGS * im)
    }
}

impl Family {
    /// Whether a motion without a drive ends at rest, or moves on steadily.
    fn comes_to_rest(&self, member: &super::family::Member) -> Result<bool, StudyError> {
        let (system, duration) = (member.system.as_ref(), member.scene.simulation.duration);
        let mut state = member.scene.start.clone();
        let t = state.t + duration;
        let mut integrator = member.integrator()?;
        if duration > 0.0 && integrator.run_until(system, &mut state, t, &mut |_| {}).is_err() {
            return Ok(false);
        }
        let before = state.clone();
        let Ok(manifold) = member.integrator()?.manifold(system, &mut state) else {
            return Ok(false);
        };
        let Some(found) = self.rest_near(member.value, &state, &manifold, None)? else {
            return Ok(false);
        };
        let way = manifold.difference(system, &before, &found.state);
        Ok(way.iter().all(|v| v.abs() < AT_REST))
    }

    /// The next equilibrium along a branch, in the same mode; at a value, or at a distance.
    fn next_rest(
        &self,
        from: &OnBranch,
        distance: f64,
        value: Option<f64>,
    ) -> Result<Option<OnBranch>, StudyError> {
        let OnBranch { at, tangent } = from;
        let n = at.manifold.basis.len();
        let ahead = value.unwrap_or(at.value + distance * from.way() * self.range());
        let Ok(member) = self.member(ahead, None) else { return Ok(None) };
        let shares: Vec<f64> = tangent[..n].iter().map(|t| distance * t).collect();
        let mut state = at.state.clone();
        if at.manifold.shift(member.system.as_ref(), &mut state, &shares).is_err() {
            return Ok(None);
        }
        let plane = value.is_none().then_some(&tangent[..]);
        let Some(found) = self.rest_near(ahead, &state, &at.manifold, plane)? else {
            return Ok(None);
        };
        let Ok(member) = self.member(found.value, None) else { return Ok(None) };
        if !self.holds(&member, &found)? {
            return Ok(None);
        }
        let tangent = found.tangent(tangent);
        Ok(tangent.map(|tangent| OnBranch { at: found, tangent }))
    }

    /// Bifurcations between two equilibria in the same mode.
    fn passed_rest(
        &self,
        from: &OnBranch,
        to: &OnBranch,
        distance: f64,
    ) -> Result<Vec<SpecialPoint>, StudyError> {
        let (first, last) = (from.tests(ROUNDING), to.tests(ROUNDING));
        let mut found = Vec::new();
        for (index, kind) in [FOLD, "branch-point", "hopf"].into_iter().enumerate() {
            let folds = first[0] * last[0] < 0.0;
            // A real eigenvalue passes zero at a fold too.
            if first[index] * last[index] >= 0.0 || (index == 1 && folds) {
                continue;
            }
            let (mut low, mut high) = (0.0, distance);
            let (mut value, mut swings) = (to.at.value, false);
            for _ in 0..ROUNDS {
                let x = 0.5 * (low + high);
                let Some(point) = self.next_rest(from, x, None)? else { break };
                (value, swings) = (point.at.value, point.swings());
                let before = point.tests(0.0)[index] * first[index] > 0.0;
                *(if before { &mut low } else { &mut high }) = x;
            }
            if index < 2 || swings {
                found.push((low, SpecialPoint { kind, value }));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(found.into_iter().map(|(_, special)| special).collect())
    }

    /// Where the mode of an equilibrium changes, and an equilibrium in the next mode, if there is one beyond.
    fn changed_rest(
        &self,
        from: &OnBranch,
        distance: f64,
    ) -> Result<(Option<SpecialPoint>, Option<OnBranch>), StudyError> {
        let (mut low, mut high, mut last) = (0.0, distance, from.clone());
        for _ in 0..ROUNDS {
            let x = 0.5 * (low + high);
            match self.next_rest(from, x, None)? {
                Some(point) => (low, last) = (x, point),
                None => high = x,
            }
        }
        for way in BEYOND {
            let value = last.at.value + way * self.range() * from.way().signum();
            let Ok(member) = self.member(value, None) else { continue };
            let system = member.system.as_ref();
            // The state of the same mode there, in which that mode no longer holds.
            let mut state = last.at.state.clone();
            if let Some(beyond) = self.rest_near(value, &state, &last.at.manifold, None)? {
                state = beyond.state;
            }
            state.u.fill(0.0);
            let Ok(manifold) = member.integrator()?.manifold(system, &mut state) else { continue };
            if manifold.words == last.at.manifold.words {
                continue;
            }
            let names = |words: &str| -> Vec<String> {
                let contacts = words.split(", ").filter_map(|word| word.rsplit_once(' '));
                contacts.map(|(name, _)| name.to_owned()).collect()
            };
            let same = names(&manifold.words) == names(&last.at.manifold.words);
            let kind = if same { SLIDING } else { GRAZING };
            let special = SpecialPoint { kind, value: last.at.value };
            let Some(found) = self.rest_near(value, &state, &manifold, None)? else {
                return Ok((Some(special), None));
            };
            let mut along = vec![0.0; manifold.basis.len() + 1];
            if let Some(share) = along.last_mut() {
                *share = from.way().signum();
            }
            let held = self.holds(&member, &found)?;
            let next = found.tangent(&along).filter(|_| held);
            return Ok((Some(special), next.map(|tangent| OnBranch { at: found, tangent })));
        }
        Ok((None, None))
    }
}
