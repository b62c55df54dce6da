//! Where to begin the search for an orbit: on the motion that is left after the transient.

use super::family::{Family, Member};
use super::shooting::Place;
use super::{Section, StudyError, Surface};
use crate::integrate::{MotionEvent, Variation};
use crate::system::State;

/// Most returns after which a motion may repeat.
pub(super) const MOST_RETURNS: usize = 16;
/// Part of a run that fails after which returns are looked for, and how long.
const SEARCHED: f64 = 0.49;
/// States that are looked at in a run without a drive.
const SAMPLES: usize = 4000;
/// How near a return must be, relative to the motion, and how much farther than the nearest.
const RETURN_DISTANCE: f64 = 1e-6;
const FARTHER: f64 = 10.0;
/// Change of the way from sample to sample, relative, above which it is no smooth place for a section.
const BENDS: f64 = 0.2;
/// Changes of a coordinate between returns, relative to the largest coordinate, that are none.
const STILL: f64 = 1e-4;

/// States, times after which they may come back, and the multiples of the drive that these are; how near the nearest
/// return is, relative to the motion.
type Returns = (Vec<(State, f64, usize)>, f64);

/// Where to begin, the shortest return first.
pub(super) struct Guess {
    pub(super) places: Vec<Place>,
    /// How near the nearest of the returns is, relative to the motion.
    pub(super) nearest: f64,
}

impl Family {
    /// A state on the motion after the transient, with the times after which it may return. A run that fails on the way
    /// (impacts that follow each other ever faster) is searched up to there, with half of it as the transient.
    pub(super) fn guess(&self, member: &Member) -> Result<Guess, StudyError> {
        let mut reached = member.scene.start.t;
        let duration = member.scene.simulation.duration;
        let first = self.guess_after(member, duration, &mut reached);
        let shorter = SEARCHED * reached;
        match first {
            Err(StudyError::NotFound(_)) if shorter > 0.0 && shorter < 0.9 * duration => {
                self.guess_after(member, shorter, &mut reached).or(first)
            }
            found => found,
        }
    }

    /// The same with this transient, s; tells the time that the run has reached if it fails.
    fn guess_after(
        &self,
        member: &Member,
        duration: f64,
        reached: &mut f64,
    ) -> Result<Guess, StudyError> {
        let mut state = member.scene.start.clone();
        let mut integrator = member.integrator()?;
        let system = member.system.as_ref();
        if duration > 0.0 {
            integrator
                .run_until(system, &mut state, duration, &mut |event| *reached = event.t())
                .map_err(|error| self.failed(&error.to_string()))?;
            *reached = 0.0;
        }
        let (returns, nearest): Returns = match member.drive {
            Some((period, _)) => {
                let mut states = Vec::new();
                // Between events: a state at an impact may be that before or behind it.
                let mut events = Vec::new();
                integrator
                    .run_until(system, &mut state, duration + period, &mut |event| {
                        events.push(event.t());
                    })
                    .map_err(|error| self.failed(&error.to_string()))?;
                let begin = duration + period + longest_gap(&events, duration, period);
                for k in 0..=2 * MOST_RETURNS {
                    let t = begin + k as f64 * period;
                    integrator
                        .run_until(system, &mut state, t, &mut |_| {})
                        .map_err(|error| self.failed(&error.to_string()))?;
                    states.push(state.clone());
                }
                let times: Vec<f64> = states.iter().map(|state| state.t).collect();
                let (multiples, nearest) = returns(&states, &times, &states);
                let place = |m: usize| (state.clone(), m as f64 * period, m);
                (multiples.into_iter().map(place).collect(), nearest)
            }
            None => self.look(member, state, duration, reached)?,
        };
        if returns.is_empty() {
            return Err(self.no_return(duration));
        }
        let value = member.value;
        let place = |(state, period, multiple)| Place { value, state, period, multiple };
        Ok(Guess { places: returns.into_iter().map(place).collect(), nearest })
    }

    fn failed(&self, reason: &str) -> StudyError {
        StudyError::NotFound(format!(
            "{}: the run before the search failed: {reason}",
            self.file.source
        ))
    }

    fn no_return(&self, duration: f64) -> StudyError {
        StudyError::NotFound(format!(
            "{}: no periodic orbit: the motion after {duration} s does not return to where it was; a longer \
             transient is --set simulation.duration=...",
            self.file.source
        ))
    }

    /// Returns of a motion without a drive.
    fn look(
        &self,
        member: &Member,
        mut state: State,
        duration: f64,
        reached: &mut f64,
    ) -> Result<Returns, StudyError> {
        let (system, start) = (member.system.as_ref(), state.t);
        let mut integrator = member.integrator()?;
        let mut surface = match &self.section {
            Some(section) => Some(section.of_file(&self.file, &self.overrides)?),
            None => None,
        };
        let (mut states, mut struck) = (vec![state.clone()], Vec::new());
        for k in 1..=SAMPLES {
            let t = start + duration * k as f64 / SAMPLES as f64;
            let begin = state.t;
            let outcome = integrator.run_until(system, &mut state, t, &mut |event| {
                if let (MotionEvent::Impact(impact), Some(Surface::Impact(name))) =
                    (event, &surface)
                    && system.is_impact_of(name, impact.contact)
                {
                    // Points that hit at once are one passage.
                    if struck.last().is_none_or(|(j, _)| *j != k - 1) {
                        struck.push((k - 1, (impact.t - begin) / (t - begin)));
                    }
                }
            });
            outcome.map_err(|error| {
                *reached = begin;
                self.failed(&error.to_string())
            })?;
            states.push(state.clone());
        }
        let crossings: Vec<(usize, f64)> = match &mut surface {
            Some(Surface::Impact(_)) => struck,
            Some(Surface::Level(level)) => {
                crossings(&states.iter().map(|state| level.value(state)).collect::<Vec<f64>>())
            }
            _ => self.planes(&states, duration)?,
        };
        if crossings.is_empty() {
            let section = match &self.section {
                Some(Section::Impact(name)) => format!("impact({name})"),
                Some(Section::Crossing { expression, value, up }) => {
                    format!("{expression} crosses {value} {}", if *up { "up" } else { "down" })
                }
                _ => return Err(self.no_return(start)),
            };
            return Err(StudyError::NotFound(format!(
                "{}: the section {section:?} is never crossed in {duration} s after a transient of {start} s",
                self.file.source
            )));
        }
        let step = duration / SAMPLES as f64;
        let times: Vec<f64> = crossings.iter().map(|(k, x)| (*k as f64 + x) * step).collect();
        // The state right there: that of the sample before is anywhere within a step of it.
        let smooth = !matches!(surface, Some(Surface::Impact(_)));
        let places: Vec<State> = crossings
            .iter()
            .map(|(k, x)| match states.get(k + 1) {
                Some(next) if smooth => between(&states[*k], next, *x),
                Some(next) => next.clone(),
                None => states[*k].clone(),
            })
            .collect();
        let keep = places.len().saturating_sub(2 * MOST_RETURNS + 1);
        let (places, times) = (&places[keep..], &times[keep..]);
        let (multiples, nearest) = returns(places, times, &states);
        let last = times.len() - 1;
        if multiples.is_empty() {
            return Err(self.no_return(start));
        }
        // A state in the past, so that all is known of it.
        let begin = |m: usize| states[crossings[keep + last - m].0].clone();
        let periods = multiples.iter().map(|m| (begin(*m), times[last] - times[last - m], 0));
        Ok((periods.collect(), nearest))
    }

    /// Where the velocities pass the plane across their path at the sample where they change most steadily; the
    /// coordinates, where velocities are steady (a top that spins).
    fn planes(&self, states: &[State], duration: f64) -> Result<Vec<(usize, f64)>, StudyError> {
        let velocities: Vec<&[f64]> = states.iter().map(|state| &state.u[..]).collect();
        if let Some(found) = plane(&velocities) {
            return Ok(found);
        }
        let coordinates: Vec<&[f64]> = states.iter().map(|state| &state.q[..]).collect();
        plane(&coordinates).filter(|found| !found.is_empty()).ok_or_else(|| {
            StudyError::NotFound(format!(
                "{}: no periodic orbit: the motion is steady or has come to rest after {duration} s",
                self.file.source
            ))
        })
    }

    /// Moves a place to the middle of the longest of the phases in which the least is held: there events stay away
    /// from the start of the period while the orbit changes.
    pub(super) fn anchor(&self, member: &Member, mut place: Place) -> Result<Place, StudyError> {
        let system = member.system.as_ref();
        let mut end = place.state.clone();
        let (begin, t_end) = (end.t, end.t + place.period);
        let mut phases = Variation::new(Vec::new());
        member
            .integrator()?
            .run_with_variation(system, &mut end, t_end, &mut phases, &mut |_| {})
            .map_err(|error| self.failed(&error.to_string()))?;
        let phases = phases.phases;
        let least = phases.iter().map(|phase| phase.held).min().unwrap_or(0);
        let ends = phases.iter().skip(1).map(|phase| phase.t).chain([t_end]);
        let best = phases
            .iter()
            .zip(ends)
            .filter(|(phase, _)| phase.held == least)
            .max_by(|(a, end_a), (b, end_b)| (end_a - a.t).total_cmp(&(end_b - b.t)));
        if let Some((phase, end)) = best {
            let middle = 0.5 * (phase.t + end);
            if middle > begin {
                member
                    .integrator()?
                    .run_until(system, &mut place.state, middle, &mut |_| {})
                    .map_err(|error| self.failed(&error.to_string()))?;
            }
        }
        member.unwind(&mut place.state);
        Ok(place)
    }
}

/// The middle of the longest time between events of a period, from its start on.
fn longest_gap(events: &[f64], begin: f64, period: f64) -> f64 {
    let Some(last) = events.last() else { return 0.5 * period };
    let mut before = last - period;
    let mut longest = (0.0, 0.5 * period);
    for event in events {
        if event - before > longest.0 {
            longest = (event - before, 0.5 * (event + before) - begin);
        }
        before = *event;
    }
    if longest.1 > 0.0 { longest.1 } else { longest.1 + period }
}

/// Where a path passes the plane across it at the sample where it changes most steadily. None where it stands still.
fn plane(path: &[&[f64]]) -> Option<Vec<(usize, f64)>> {
    let size = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let minus =
        |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let changes: Vec<Vec<f64>> = path.windows(2).map(|pair| minus(pair[1], pair[0])).collect();
    let change = |k: usize| changes[k].clone();
    let steady = |k: &usize| size(&changes[*k]).min(size(&changes[*k - 1]));
    // No jump near it, if there is such a place: the path comes by a little earlier or later each time.
    let bends = |j: usize| size(&minus(&changes[j], &changes[j - 1])) > BENDS * size(&changes[j]);
    let smooth = |k: &usize| !(k - 2..k + 4).any(bends);
    let fastest = |a: &usize, b: &usize| steady(a).total_cmp(&steady(b));
    let among = 3..(path.len() / 8).min(changes.len().saturating_sub(4));
    let chosen = among.filter(smooth).max_by(fastest);
    let chosen = chosen.or_else(|| (1..path.len() / 8).max_by(fastest))?;
    let largest = path.iter().map(|at| size(at)).fold(0.0, f64::max);
    if !(steady(&chosen) > 1e-12 * largest && largest > 0.0) {
        return None;
    }
    let (middle, normal) = (path[chosen], change(chosen));
    let along = |at: &&[f64]| minus(at, middle).iter().zip(&normal).map(|(d, n)| d * n).sum();
    let found = crossings(&path.iter().map(along).collect::<Vec<f64>>());
    let far = |k: usize| size(&minus(path[k], middle));
    let spread = (0..path.len()).map(far).fold(0.0, f64::max);
    Some(found.into_iter().filter(|(k, _)| far(*k) < 0.3 * spread).collect())
}

/// A state on the straight way between two.
fn between(a: &State, b: &State, share: f64) -> State {
    let mut state = a.clone();
    state.t += share * (b.t - a.t);
    state.q.iter_mut().zip(&b.q).for_each(|(x, b)| *x += share * (b - *x));
    state.u.iter_mut().zip(&b.u).for_each(|(x, b)| *x += share * (b - *x));
    state
}

/// Where values pass zero from below: the sample before, and the share of the way to the next.
fn crossings(values: &[f64]) -> Vec<(usize, f64)> {
    let pairs = values.windows(2).enumerate().filter(|(_, pair)| pair[0] < 0.0 && pair[1] >= 0.0);
    pairs.map(|(k, pair)| (k, pair[0] / (pair[0] - pair[1]))).collect()
}

/// After how many of the listed states a motion returns: those with which second differences, which do not see a
/// steady drift, are about as small as they get, relative to the whole motion; and how small that is.
fn returns(places: &[State], times: &[f64], motion: &[State]) -> (Vec<usize>, f64) {
    let Some(last) = places.len().checked_sub(1) else { return (Vec::new(), f64::INFINITY) };
    let flat = |state: &State| state.q.iter().chain(&state.u).copied().collect::<Vec<f64>>();
    let end = flat(&places[last]);
    let mut spread = vec![0.0_f64; end.len()];
    for state in motion {
        for (spread, (a, b)) in spread.iter_mut().zip(flat(state).iter().zip(&end)) {
            *spread = spread.max((a - b).abs());
        }
    }
    // What changes much less than the motion itself is rounding.
    let largest = |list: &[f64]| list.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let (q, u) = spread.split_at_mut(places[last].q.len());
    for (part, of) in [(q, &places[last].q), (u, &places[last].u)] {
        let least = STILL * largest(part).max(largest(of));
        part.iter_mut().for_each(|spread| *spread = spread.max(least));
    }
    let way = |m: usize| {
        let (b, c) = (flat(&places[last - m]), flat(&places[last - 2 * m]));
        let differences = end.iter().zip(&b).zip(&c).map(|((a, b), c)| (a - 2.0 * b + c).abs());
        let states = differences.zip(&spread).map(|(d, s)| d / s).fold(0.0, f64::max);
        let step = times[last] - times[last - m];
        let unsteady = (step - (times[last - m] - times[last - 2 * m])).abs();
        states.max(unsteady / step)
    };
    let ways: Vec<f64> = (1..=last / 2).take(MOST_RETURNS).map(way).collect();
    let least = ways.iter().copied().fold(f64::INFINITY, f64::min);
    if !(least < 0.5) {
        return ((last == 1).then_some(1).into_iter().collect(), least);
    }
    let limit = (FARTHER * least).max(RETURN_DISTANCE);
    ((1..=ways.len()).filter(|m| ways[m - 1] <= limit).collect(), least)
}
