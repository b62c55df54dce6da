//! Branches of periodic orbits over a parameter, by pseudo-arclength.
//!
//! Each step goes along the tangent of the branch and back to it within the plane across (Keller 1977), so that it
//! passes folds. Between two orbits with the same modes and impacts multipliers change smoothly, and bifurcations
//! are roots of functions of them; where modes or impacts change, the last orbit before that is sought.

use super::family::{Family, Member};
use super::happening::Happening;
use super::orbit::{Orbit, OrbitQuestion};
use super::shooting::{Found, Place, Plane};
use super::{StudyError, Vary};
use crate::integrate::{Tangent, Variation};
use crate::scene::SceneFile;
use std::rc::Rc;

/// First, longest and shortest step, in units of the range and of the size of the orbit.
const FIRST_STEP: f64 = 0.01;
const LONGEST: f64 = 0.05;
const SHORTEST: f64 = 1e-5;
/// Least product of two neighbouring tangents.
const BEND: f64 = 0.95;
/// Way, in the same units, within which an orbit that is not found is looked for with derivatives of its own.
const CLOSE_BY: f64 = 1e-4;
/// Points of a branch.
const MOST_POINTS: usize = 2000;
/// Ways, in the same units, to orbits of another kind where modes change, and to those of doubled period: their value
/// differs from that of the doubling by the square of it.
const AWAY: [f64; 2] = [3e-3, 1e-3];
const BESIDE: [f64; 4] = [1e-4, 3e-4, 1e-3, 3e-3];
/// Size of an orbit, relative to the largest of its branch, at which it ends in an equilibrium.
const POINT: f64 = 1e-2;
/// How often a branch may turn back where modes change: most do once.
const MOST_TURNS: usize = 4;
/// Part of a phase from which events must stay away at its middle.
const MARGIN: f64 = 0.2;

/// The kinds.
pub(super) const FOLD: &str = "fold";
pub(super) const PERIOD_DOUBLING: &str = "period-doubling";
pub(super) const GRAZING: &str = "grazing";
pub(super) const SLIDING: &str = "sliding";

/// Where the kind of an orbit changes.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecialPoint {
    /// `fold`, `period-doubling`, `neimark-sacker`, `grazing` or `sliding`.
    pub kind: &'static str,
    /// The value of the parameter.
    pub value: f64,
}

/// A branch of periodic orbits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// The orbits in their order.
    pub points: Vec<Orbit>,
    /// Where their kind changes, in their order.
    pub bifurcations: Vec<SpecialPoint>,
    /// Why it ends, if not at the end of the range; a sentence.
    pub ended: Option<String>,
}

/// An orbit with the tangent of the branch.
#[derive(Clone)]
pub(super) struct OnBranch {
    pub(super) found: Found,
    pub(super) tangent: Vec<f64>,
    /// Modes and impacts of a period, the same wherever it begins.
    pub(super) sequence: Vec<Happening>,
}

/// A branch that leaves another.
#[derive(Clone, Debug, PartialEq)]
pub struct SideBranch {
    /// Where it leaves.
    pub from: SpecialPoint,
    /// Its orbits.
    pub branch: Branch,
}

/// All branches that were followed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branches {
    /// The one of the orbit on which the motion ends.
    pub first: Branch,
    /// Those of doubled period that leave it, and those that leave these.
    pub doubled: Vec<SideBranch>,
}

/// Follows the periodic orbit on which the motion ends at the first value, to the last one, and at period doublings
/// those of doubled period, so many times one after the other. `tell` sees each point.
pub fn continue_orbit(
    file: &SceneFile,
    question: &OrbitQuestion,
    vary: &Vary,
    doublings: usize,
    tell: &mut dyn FnMut(&Orbit),
) -> Result<Branches, StudyError> {
    let Some([from, to]) = vary.ends() else {
        return Err(StudyError::wrong(format!(
            "--vary {}: a branch needs a range, such as {}=0:1",
            vary.key, vary.key
        )));
    };
    let family = Family::new(file, question, Some(vary.clone()));
    let member = family.member(from, None)?;
    let found = family.first(&member)?;
    let mut along = vec![0.0; found.width()];
    if let Some(last) = along.last_mut() {
        *last = (to - from).signum();
    }
    let Some(tangent) = found.tangent(&along) else {
        return Err(StudyError::NotFound(format!("{}: the branch has no tangent", file.source)));
    };
    let sequence = family.sequence(&found)?;
    let point = OnBranch { found, tangent, sequence };
    let (first, mut leaving) = family.follow(point, tell)?;
    let mut doubled = Vec::new();
    for _ in 0..doublings {
        let mut next = Vec::new();
        for point in std::mem::take(&mut leaving) {
            let value = point.found.place.value;
            let from = SpecialPoint { kind: PERIOD_DOUBLING, value };
            let Some(point) = family.doubled(&point)? else {
                let ended = Some("no orbit of doubled period was found there".to_owned());
                doubled.push(SideBranch { from, branch: Branch { ended, ..Branch::default() } });
                continue;
            };
            let (branch, more) = family.follow(point, tell)?;
            doubled.push(SideBranch { from, branch });
            next.extend(more);
        }
        leaving = next;
    }
    Ok(Branches { first, doubled })
}

impl Family {
    /// Follows a branch from a point on it to the end of the range. Returns the points at which its period doubles,
    /// too.
    fn follow(
        &self,
        mut point: OnBranch,
        tell: &mut dyn FnMut(&Orbit),
    ) -> Result<(Branch, Vec<OnBranch>), StudyError> {
        let (mut branch, mut doublings) = (Branch::default(), Vec::new());
        let mut add = |branch: &mut Branch, point: &OnBranch| -> Result<(), StudyError> {
            let member = self.member_at(&point.found.place)?;
            let orbit = self.orbit(&member, &point.found)?;
            tell(&orbit);
            branch.points.push(orbit);
            Ok(())
        };
        add(&mut branch, &point)?;
        let ends = self.vary.as_ref().and_then(Vary::ends).unwrap_or([0.0, 0.0]);
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let (mut step, mut turns, mut largest) = (FIRST_STEP, 0, point.found.size);
        while branch.points.len() < MOST_POINTS {
            let slope = point.tangent.last().copied().unwrap_or(0.0) * self.range();
            let ahead = point.found.place.value + step * slope;
            let end = if slope > 0.0 { high } else { low };
            let ends = (slope > 0.0 && ahead >= end) || (slope < 0.0 && ahead <= end);
            let length = if ends { (end - point.found.place.value) / slope } else { step };
            let next = if ends {
                self.at_value(&point, length, end)?
            } else {
                self.at_distance(&point, length)?
            };
            let smooth = next.as_ref().is_some_and(|next| {
                let product =
                    next.tangent.iter().zip(&point.tangent).map(|(a, b)| a * b).sum::<f64>();
                next.sequence == point.sequence && product > BEND
            });
            if !smooth && step > SHORTEST && (next.is_none() || step > FIRST_STEP / 16.0) {
                step *= 0.5;
                continue;
            }
            let mut turned = None;
            if smooth {
                if let Some(next) = &next {
                    for (special, at) in self.passed(&point, next, length)? {
                        if special.kind == PERIOD_DOUBLING {
                            doublings.push(at);
                        }
                        branch.bifurcations.push(special);
                    }
                }
            } else {
                let (mut special, last) = self.changed(&point, next.as_ref(), length)?;
                if next.is_none() && turns < MOST_TURNS {
                    turned = self.turned(&last)?;
                    turns += 1;
                }
                if let Some(turned) = &turned {
                    let way = |tangent: &[f64]| tangent.last().copied().unwrap_or(0.0);
                    if way(&turned.tangent) * way(&last.tangent) < 0.0 {
                        // Where it only touches, that is told too.
                        special = special.filter(|s| s.kind == GRAZING);
                        let value = match special {
                            Some(_) => last.found.place.value,
                            None => self.corner(&last, turned)?,
                        };
                        branch.bifurcations.extend(special.take());
                        special = Some(SpecialPoint { kind: FOLD, value });
                    }
                }
                branch.bifurcations.extend(special);
            }
            let ends = ends && next.is_some();
            let Some(next) = next.or(turned) else {
                let value = point.found.place.value;
                branch.ended = Some(format!("no orbit was found beyond {value}"));
                break;
            };
            add(&mut branch, &next)?;
            if ends {
                break;
            }
            largest = largest.max(next.found.size);
            if next.found.place.multiple == 0 && next.found.size < POINT * largest {
                branch.ended = Some(shrinks(&point, &next));
                break;
            }
            point = self.moved(next)?;
            step = if smooth { (1.5 * step).min(LONGEST) } else { FIRST_STEP };
        }
        if branch.points.len() == MOST_POINTS {
            branch.ended = Some(format!("{MOST_POINTS} points were found"));
        }
        Ok((branch, doublings))
    }

    /// The first orbit of doubled period beside one whose period doubles: the direction with the multiplier −1 leads
    /// there, at first at the same value.
    fn doubled(&self, at: &OnBranch) -> Result<Option<OnBranch>, StudyError> {
        let Some(direction) = at.found.direction_of(-1.0) else { return Ok(None) };
        let found = &at.found;
        let mut normal = direction.clone();
        normal.resize(found.width(), 0.0);
        for length in BESIDE {
            let mut place = found.place.clone();
            place.period *= 2.0;
            place.multiple *= 2;
            let member = self.member_at(&place)?;
            let shares: Vec<f64> = direction.iter().map(|d| length * d * found.size).collect();
            if found.manifold.shift(member.system.as_ref(), &mut place.state, &shares).is_err() {
                continue;
            }
            let plane = Plane { normal: &normal };
            let away = self.correct(&place, Some(&found.manifold), None, Some(&plane))?;
            let Some(away) = away else {
                continue;
            };
            let Some(tangent) = away.tangent(&normal) else { continue };
            let sequence = self.sequence(&away)?;
            return Ok(Some(OnBranch { found: away, tangent, sequence }));
        }
        Ok(None)
    }

    /// Where modes or impacts change and no orbit is beyond, the branch may turn back with the others: the way of
    /// those is that of a motion a little beyond, which is no orbit, but has their modes and impacts.
    fn turned(&self, last: &OnBranch) -> Result<Option<OnBranch>, StudyError> {
        for ahead in AWAY {
            let Some(place) = self.predict(last, ahead) else { continue };
            let member = self.member_at(&place)?;
            let Some(beyond) = self.shoot(&member, &place, &last.found.manifold)? else { continue };
            if self.sequence(&beyond)? == last.sequence {
                continue;
            }
            let Some(way) = beyond.tangent(&last.tangent) else { continue };
            for sign in [1.0, -1.0] {
                let tangent: Vec<f64> = way.iter().map(|t| sign * t).collect();
                let from = OnBranch { tangent, ..last.clone() };
                for length in AWAY {
                    let next = self.at_distance(&from, length)?;
                    if let Some(next) = next.filter(|next| next.sequence != last.sequence) {
                        return Ok(Some(next));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The value at which two branches with other modes meet, one of which turns back there: the farther of their ends.
    fn corner(&self, last: &OnBranch, turned: &OnBranch) -> Result<f64, StudyError> {
        let tangent = turned.tangent.iter().map(|t| -t).collect();
        let back = OnBranch { tangent, ..turned.clone() };
        let (_, end) = self.changed(&back, None, 2.0 * AWAY[0])?;
        let (a, b) = (last.found.place.value, end.found.place.value);
        let ahead = last.tangent.last().copied().unwrap_or(0.0) > 0.0;
        Ok(if (b > a) == ahead { b } else { a })
    }

    pub(super) fn member_at(&self, place: &Place) -> Result<Rc<Member>, StudyError> {
        let drive = (place.multiple > 0).then(|| place.period / place.multiple as f64);
        self.member(place.value, drive)
    }

    /// Modes and impacts of a period, the same wherever it begins.
    fn sequence(&self, found: &Found) -> Result<Vec<Happening>, StudyError> {
        let member = self.member_at(&found.place)?;
        let words = found.sequence(member.system.as_ref());
        let turned = (0..words.len()).map(|k| {
            let mut turned = words.clone();
            turned.rotate_left(k);
            turned
        });
        Ok(turned.min().unwrap_or_default())
    }

    /// The place at a distance along the tangent. None where the scene allows none.
    fn predict(&self, from: &OnBranch, distance: f64) -> Option<Place> {
        let OnBranch { found, tangent, .. } = from;
        let n = found.manifold.basis.len();
        let mut place = found.place.clone();
        place.value += distance * tangent.last()? * self.range();
        if place.multiple == 0 {
            place.period *= (distance * tangent[n]).exp();
        }
        let member = self.member_at(&place).ok()?;
        if let Some((period, _)) = member.drive {
            place.period = place.multiple as f64 * period;
        }
        let shares: Vec<f64> = tangent[..n].iter().map(|t| distance * t * found.size).collect();
        found.manifold.shift(member.system.as_ref(), &mut place.state, &shares).ok()?;
        Some(place)
    }

    fn on_branch(
        &self,
        from: &OnBranch,
        found: Option<Found>,
    ) -> Result<Option<OnBranch>, StudyError> {
        let Some(found) = found else { return Ok(None) };
        let Some(tangent) = found.tangent(&from.tangent) else { return Ok(None) };
        let sequence = self.sequence(&found)?;
        Ok(Some(OnBranch { found, tangent, sequence }))
    }

    /// The orbit at a distance from another along the branch.
    pub(super) fn at_distance(
        &self,
        from: &OnBranch,
        distance: f64,
    ) -> Result<Option<OnBranch>, StudyError> {
        let Some(place) = self.predict(from, distance) else { return Ok(None) };
        let plane = Plane { normal: &from.tangent };
        let near = &from.found;
        let mut found = self.correct(&place, Some(&near.manifold), Some(near), Some(&plane))?;
        // Close by it is worth knowing that there is none, not only that old derivatives do not lead there.
        if found.is_none() && distance.abs() < CLOSE_BY {
            found = self.correct(&place, Some(&near.manifold), None, Some(&plane))?;
        }
        self.on_branch(from, found)
    }

    fn at_value(
        &self,
        from: &OnBranch,
        distance: f64,
        value: f64,
    ) -> Result<Option<OnBranch>, StudyError> {
        let Some(mut place) = self.predict(from, distance) else { return Ok(None) };
        place.value = value;
        if let Some((period, _)) = self.member_at(&place)?.drive {
            place.period = place.multiple as f64 * period;
        }
        let near = &from.found;
        let found = self.correct(&place, Some(&near.manifold), Some(near), None)?;
        self.on_branch(from, found)
    }

    /// The same orbit with a start that is far from events, where it is not.
    fn moved(&self, point: OnBranch) -> Result<OnBranch, StudyError> {
        let OnBranch { found, tangent, .. } = &point;
        let (begin, period) = (found.place.state.t, found.place.period);
        let inner = found.phases.iter().map(|phase| phase.t - begin).filter(|t| *t > 0.0);
        let first = inner.clone().fold(period, f64::min);
        let last = period - inner.fold(0.0, f64::max);
        if found.phases.len() < 2 || first.min(last) > MARGIN * (first + last) {
            return Ok(point);
        }
        let member = self.member_at(&found.place)?;
        let system = member.system.as_ref();
        let mut place = self.anchor(&member, found.place.clone())?;
        if place.state.t == begin {
            return Ok(point);
        }
        let t = place.state.t;
        let periods = member.in_first_period(&mut place.state);
        // The tangent moves with the orbit.
        let n = found.manifold.basis.len();
        let by_value = tangent.last().copied().unwrap_or(0.0) * self.range();
        let neighbours = &member.neighbours;
        let own =
            found.manifold.with_parameter(system, &found.place.state, neighbours, member.step);
        let Ok(mut column) = own else { return Ok(point) };
        let scale = |list: &mut [f64]| list.iter_mut().for_each(|v| *v *= by_value);
        scale(&mut column.q);
        scale(&mut column.u);
        column.parameter = by_value;
        for (direction, share) in found.manifold.basis.iter().zip(&tangent[..n]) {
            let add = |to: &mut [f64], from: &[f64]| {
                to.iter_mut().zip(from).for_each(|(to, from)| *to += share * found.size * from);
            };
            add(&mut column.q, &direction.q);
            add(&mut column.u, &direction.u);
        }
        let columns: Vec<Tangent> = vec![column];
        let mut variation =
            Variation::new(columns).with_neighbours(neighbours.clone(), member.step);
        let mut state = found.place.state.clone();
        let mut integrator = member.integrator()?;
        let run = integrator.run_with_variation(system, &mut state, t, &mut variation, &mut |_| {});
        let Some(again) = self.correct(&place, None, None, None)?.filter(|_| run.is_ok()) else {
            return Ok(point);
        };
        let column = &variation.columns[0];
        let mut shares = again.manifold.shares(system, &again.place.state, column);
        if let (Some((_, slope)), Ok(rate)) =
            (member.drive, again.manifold.rate(system, &again.place.state))
        {
            // X(t) = X(t − kT), and T changes with the value.
            let delay = periods * slope * by_value;
            let rate = again.manifold.shares(system, &again.place.state, &rate);
            shares.iter_mut().zip(rate).for_each(|(share, rate)| *share += delay * rate);
        }
        let mut along: Vec<f64> = shares.iter().map(|share| share / again.size).collect();
        along.extend_from_slice(&tangent[n..]);
        let moved = again.tangent(&along);
        Ok(match moved {
            Some(tangent) => OnBranch { found: again, tangent, sequence: point.sequence },
            None => point,
        })
    }
}

/// Where an orbit without a drive ends that becomes ever smaller: its value is that of the equilibrium, but for the square of
/// its size.
fn shrinks(before: &OnBranch, last: &OnBranch) -> String {
    let (a, b) = (before.found.size.powi(2), last.found.size.powi(2));
    let (x, y) = (before.found.place.value, last.found.place.value);
    let value = if a > b { y - b * (x - y) / (a - b) } else { y };
    format!("the orbit shrinks to an equilibrium at about {value:.6}")
}
