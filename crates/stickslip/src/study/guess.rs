//! Where to begin the search for an orbit: on the motion that is left after the transient.

use super::family::{Family, Member};
use super::shooting::Place;
use super::{Section, StudyError, Surface};
use crate::integrate::{MotionEvent, Variation};
use crate::system::State;

/// Most returns after which a motion may repeat.
pub(super) const MOST_RETURNS: usize = 16;
/// States that are looked at in a run without a drive.
const SAMPLES: usize = 4000;
/// How near a return must be, relative to the motion, and how much farther than the nearest.
const NEAR: f64 = 1e-6;
const FARTHER: f64 = 10.0;
/// Changes of a coordinate between returns, relative to the largest coordinate, that are none.
const STILL: f64 = 1e-4;

impl Family {
    /// A state on the motion after the transient, in the middle of a long phase, and the time of return.
    pub(super) fn guess(&self, member: &Member) -> Result<Place, StudyError> {
        let mut state = member.scene.start.clone();
        let duration = member.scene.simulation.duration;
        let mut integrator = member.integrator()?;
        let system = member.system.as_ref();
        if duration > 0.0 {
            integrator
                .run_until(system, &mut state, duration, &mut |_| {})
                .map_err(|error| self.failed(&error.to_string()))?;
        }
        let (state, period, multiple) = match member.drive {
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
                let multiple = returns(&states, &times).ok_or_else(|| self.no_return(duration))?;
                (state, multiple as f64 * period, multiple)
            }
            None => {
                let (state, period) = self.look(member, state)?;
                (state, period, 0)
            }
        };
        let mut place =
            self.anchor(member, Place { value: member.value, state, period, multiple })?;
        member.in_first_period(&mut place.state);
        Ok(place)
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

    /// A return of a motion without a drive.
    fn look(&self, member: &Member, mut state: State) -> Result<(State, f64), StudyError> {
        let system = member.system.as_ref();
        let (start, duration) = (state.t, member.scene.simulation.duration);
        let mut integrator = member.integrator()?;
        let mut surface = match &self.section {
            Some(section) => Some(section.of_file(&self.file, &self.overrides)?),
            None => None,
        };
        let (mut states, mut struck) = (vec![state.clone()], Vec::new());
        for k in 1..=SAMPLES {
            let t = start + duration * k as f64 / SAMPLES as f64;
            let outcome = integrator.run_until(system, &mut state, t, &mut |event| {
                if let (MotionEvent::Impact(impact), Some(Surface::Impact(name))) =
                    (event, &surface)
                    && system.is_impact_of(name, impact.contact)
                {
                    struck.push(k);
                }
            });
            outcome.map_err(|error| self.failed(&error.to_string()))?;
            states.push(state.clone());
        }
        let crossings: Vec<(usize, f64)> = match &mut surface {
            Some(Surface::Impact(_)) => struck.iter().map(|k| (*k, 0.0)).collect(),
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
        let places: Vec<State> = crossings.iter().map(|(k, _)| states[*k].clone()).collect();
        let keep = places.len().saturating_sub(2 * MOST_RETURNS + 1);
        let (places, times) = (&places[keep..], &times[keep..]);
        let multiple = returns(places, times).ok_or_else(|| self.no_return(start))?;
        let last = times.len() - 1;
        // A state in the past, so that all is known of it.
        Ok((places[last - multiple].clone(), times[last] - times[last - multiple]))
    }

    /// Where the velocities pass the plane across their path at the sample where they change most steadily.
    fn planes(&self, states: &[State], duration: f64) -> Result<Vec<(usize, f64)>, StudyError> {
        let change = |k: usize| -> Vec<f64> {
            states[k + 1].u.iter().zip(&states[k].u).map(|(b, a)| b - a).collect()
        };
        let size = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let steady = |k: &usize| size(&change(*k)).min(size(&change(*k - 1)));
        let chosen = (1..states.len() / 8).max_by(|a, b| steady(a).total_cmp(&steady(b)));
        let normal = chosen.map(change).unwrap_or_default();
        let fastest = states.iter().map(|state| size(&state.u)).fold(0.0, f64::max);
        let moves = chosen.is_some_and(|k| steady(&k) > 1e-12 * fastest);
        let Some(chosen) = chosen.filter(|_| moves && fastest > 0.0) else {
            return Err(StudyError::NotFound(format!(
                "{}: no periodic orbit: the motion is steady or has come to rest after {duration} s",
                self.file.source
            )));
        };
        let middle = &states[chosen].u;
        let values = states.iter().map(|state| {
            state.u.iter().zip(middle).zip(&normal).map(|((u, m), n)| (u - m) * n).sum()
        });
        let found = crossings(&values.collect::<Vec<f64>>());
        let far = |k: usize| {
            let way: Vec<f64> = states[k].u.iter().zip(middle).map(|(a, b)| a - b).collect();
            size(&way)
        };
        let spread = (0..states.len()).map(far).fold(0.0, f64::max);
        Ok(found.into_iter().filter(|(k, _)| far(*k) < 0.3 * spread).collect())
    }

    /// Moves a place to the middle of the longest of the phases in which the least is held: there events stay away
    /// from the begin of the period while the orbit changes.
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
        Ok(place)
    }
}

/// The middle of the longest time between events of a period, from its begin on.
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

/// Where values pass zero from below: the sample before, and the share of the way to the next.
fn crossings(values: &[f64]) -> Vec<(usize, f64)> {
    let pairs = values.windows(2).enumerate().filter(|(_, pair)| pair[0] < 0.0 && pair[1] >= 0.0);
    pairs.map(|(k, pair)| (k, pair[0] / (pair[0] - pair[1]))).collect()
}

/// After how many of the listed states a motion returns: the least number with which second differences, which do
/// not see a steady drift, are about as small as they get.
fn returns(states: &[State], times: &[f64]) -> Option<usize> {
    let last = states.len().checked_sub(1)?;
    let flat = |k: usize| states[k].q.iter().chain(&states[k].u);
    let mut spread = vec![0.0_f64; flat(0).count()];
    for k in 0..=last {
        for (spread, (a, b)) in spread.iter_mut().zip(flat(k).zip(flat(last))) {
            *spread = spread.max((a - b).abs());
        }
    }
    // What changes much less than the motion itself is rounding.
    let largest = |list: &[f64]| list.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let (q, u) = spread.split_at_mut(states[last].q.len());
    for (part, of) in [(q, &states[last].q), (u, &states[last].u)] {
        let least = STILL * largest(part).max(largest(of));
        part.iter_mut().for_each(|spread| *spread = spread.max(least));
    }
    let way = |m: usize| {
        let (a, b, c) = (flat(last), flat(last - m), flat(last - 2 * m));
        let differences = a.zip(b).zip(c).map(|((a, b), c)| (a - 2.0 * b + c).abs());
        let differences = differences.zip(&spread);
        let states = differences.map(|(d, s)| d / s).fold(0.0, f64::max);
        let step = times[last] - times[last - m];
        let unsteady = (step - (times[last - m] - times[last - 2 * m])).abs();
        states.max(unsteady / step)
    };
    let ways: Vec<f64> = (1..=last / 2).take(MOST_RETURNS).map(way).collect();
    let least = ways.iter().copied().fold(f64::INFINITY, f64::min);
    if !(least < 0.5) {
        return (last == 1).then_some(1);
    }
    ways.iter().position(|way| *way <= (FARTHER * least).max(NEAR)).map(|k| k + 1)
}
