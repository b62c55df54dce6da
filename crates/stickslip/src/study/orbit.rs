//! Periodic orbits of a scene, their period, multipliers and modes.

use super::family::{Family, Member};
use super::guess::{Guess, MOST_RETURNS};
use super::happening::Happening;
use super::shooting::{Found, Place};
use super::{Section, StudyError, Surface};
use crate::integrate::MotionEvent;
use crate::scene::SceneFile;
use crate::system::State;

/// How far a multiplier may lie from 1 if it is that of a direction in which nothing changes: two of them may
/// belong to one, and rounding then moves them by its square root.
const NEUTRAL: f64 = 1e-3;
const NEUTRAL_PAIR: f64 = 1e-4;
/// How much a multiplier may exceed 1 by rounding.
const ROUNDING: f64 = 1e-9;
/// Difference of the ways of two periods, relative, that is none.
const SAME: f64 = 1e-6;
/// By how much of its size an orbit is moved to see whether it repeats.
const NUDGES: [f64; 3] = [0.0, 1e-10, -1e-10];
/// A multiplier above this is a derivative that was lost, not a motion that Newton's method could have found.
const LARGEST: f64 = 1e8;
/// Part of a period behind an impact at which it has happened.
const BEHIND: f64 = 1e-10;
/// Multiples of a return that are tried where those that were seen are none and the motion comes as near as this to what
/// it was, relative to its size; relative difference of periods that are one.
const MOST_LATER: usize = 8;
const NEARLY: f64 = 1e-2;
const SEEN: f64 = 0.01;
/// Parts of a period in which the section is looked for.
const PARTS: usize = 400;

/// A periodic orbit.
#[derive(Clone, Debug, PartialEq)]
pub struct Orbit {
    /// The value of what is varied; 0 if nothing is.
    pub value: f64,
    /// Period, s.
    pub period: f64,
    /// Floquet multipliers as real and imaginary parts, the largest first: without a drive one is 1, and those of
    /// directions that stick takes out are 0.
    pub multipliers: Vec<[f64; 2]>,
    /// Whether all of them lie within the unit circle, except those that are 1 in any case.
    pub stable: bool,
    /// Modes and impacts in a period, in their order.
    pub modes: Vec<String>,
    /// A state on the orbit: on the section if one is given, just behind an impact.
    pub state: State,
    /// By how much the orbit moves on in a period along directions in which nothing changes, relative to its size.
    pub drift: f64,
    /// How many instants were passed by a short step without a derivative.
    pub blind: usize,
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct OrbitQuestion {
    /// `KEY=VALUE` of the scene.
    pub overrides: Vec<String>,
    /// Where the state is told, and without a drive where periods begin.
    pub section: Option<Section>,
}

/// Finds the periodic orbit on which the motion of a scene ends.
pub fn find_orbit(file: &SceneFile, question: &OrbitQuestion) -> Result<Orbit, StudyError> {
    let family = Family::new(file, question, None);
    let member = family.member(0.0, None)?;
    let found = family.first(&member)?;
    family.orbit(&member, &found)
}

impl Family {
    /// The orbit on which the motion ends.
    pub(super) fn first(&self, member: &Member) -> Result<Found, StudyError> {
        let Guess { places, nearest } = self.guess(member)?;
        let (mut found, mut refusal) = (None, None);
        let later = if nearest < NEARLY { later(&places) } else { Vec::new() };
        for place in places.iter().cloned().chain(later) {
            // A wheel that walks on another spoke has not come back yet.
            let Ok(mut place) = self.anchor(member, place) else { continue };
            member.in_first_period(&mut place.state);
            let Some(orbit) = self.correct(&place, None, None, None)? else { continue };
            match self.check_drift(member, &orbit) {
                Ok(()) => {
                    found = Some(orbit);
                    break;
                }
                Err(error) => refusal = Some(error),
            }
        }
        let found = found.ok_or_else(|| {
            let periods: Vec<String> = places.iter().map(|p| format!("{:.6}", p.period)).collect();
            refusal.unwrap_or_else(|| {
                StudyError::NotFound(format!(
                    "{}: no periodic orbit near the motion after {} s: Newton's method from returns after {} s finds \
                     none; the motion may be chaotic, or the transient too short (--set simulation.duration=...)",
                    self.file.source, member.scene.simulation.duration, periods.join(", ")
                ))
            })
        })?;
        // A motion that still approaches may look as if it returned after several periods only.
        for divisor in (2..=MOST_RETURNS).rev() {
            if found.place.multiple.is_multiple_of(divisor)
                && self.repeats(member, &found, divisor)?
            {
                let mut place = found.place.clone();
                place.multiple /= divisor;
                place.period /= divisor as f64;
                if let Some(shorter) = self.correct(&place, None, None, None)? {
                    self.check_drift(member, &shorter)?;
                    return Ok(shorter);
                }
            }
        }
        Ok(found)
    }

    /// Whether an orbit repeats itself after a part of its period, but for its drift.
    fn repeats(&self, member: &Member, found: &Found, divisor: usize) -> Result<bool, StudyError> {
        let (system, mut state) = (member.system.as_ref(), found.place.state.clone());
        let t = state.t + found.place.period / divisor as f64;
        let run = member.integrator()?.run_until(system, &mut state, t, &mut |_| {});
        let same = |way: Vec<f64>, whole: Vec<f64>| {
            let mut apart = way.iter().zip(&whole).map(|(a, b)| (a - b / divisor as f64).abs());
            apart.all(|v| v < 10.0 * SAME * found.size)
        };
        let (begin, end) = (&found.place.state, &found.end);
        // A body that turns on by any angle drifts; one that has turned round once has not moved.
        let drifts = same(
            found.manifold.difference(system, begin, &state),
            found.manifold.difference(system, begin, end),
        );
        let closes = same(found.way_to(system, begin, &state), found.way_to(system, begin, end));
        Ok(run.is_ok() && (drifts || closes))
    }

    /// An orbit that does not close drifts the same way in each period.
    fn check_drift(&self, member: &Member, found: &Found) -> Result<(), StudyError> {
        if found.drift == 0.0 {
            return Ok(());
        }
        let system = member.system.as_ref();
        let first = found.way_to(system, &found.place.state, &found.end);
        // A jam may have several ways out, and rounding decides: one of three motions must go the same way.
        for nudge in NUDGES {
            let mut state = found.end.clone();
            let shares = vec![nudge * found.size; found.manifold.basis.len()];
            if nudge != 0.0 && found.manifold.shift(system, &mut state, &shares).is_err() {
                continue;
            }
            let t = state.t + found.place.period;
            let outcome = member.integrator()?.run_until(system, &mut state, t, &mut |_| {});
            let second = found.way_to(system, &found.end, &state);
            let same = first.iter().zip(&second).all(|(a, b)| (a - b).abs() < SAME * found.size);
            if outcome.is_ok() && same {
                return self.check_motion(member, found, &first);
            }
        }
        Err(StudyError::NotFound(format!(
            "{}: no periodic orbit: the nearest motion of period {} s does not close",
            self.file.source, found.place.period
        )))
    }

    /// What only drifts is steady: any time would be its period.
    fn check_motion(
        &self,
        member: &Member,
        found: &Found,
        drift: &[f64],
    ) -> Result<(), StudyError> {
        let (system, mut state) = (member.system.as_ref(), found.place.state.clone());
        let mut integrator = member.integrator()?;
        for k in 1..8 {
            let share = f64::from(k) / 8.0;
            let t = found.place.state.t + share * found.place.period;
            let run = integrator.run_until(system, &mut state, t, &mut |_| {});
            let way = found.manifold.difference(system, &found.place.state, &state);
            let mut beside = way.iter().zip(drift).map(|(way, drift)| (way - share * drift).abs());
            if run.is_err() || beside.any(|v| v > SAME * found.size) {
                return Ok(());
            }
        }
        Err(StudyError::NotFound(format!(
            "{}: no periodic orbit: the motion is steady; --equilibrium of `stickslip continue` follows it",
            self.file.source
        )))
    }

    /// What is told of an orbit.
    pub(super) fn orbit(&self, member: &Member, found: &Found) -> Result<Orbit, StudyError> {
        let multipliers = found.multipliers();
        let largest = multipliers.iter().map(|[re, im]| re.hypot(*im)).fold(0.0, f64::max);
        if !(largest < LARGEST) {
            return Err(StudyError::NotFound(format!(
                "{}: the motion returns after {} s, but its derivatives cannot be trusted: a multiplier of {largest:.1e} was found",
                self.file.source, found.place.period
            )));
        }
        let system = member.system.as_ref();
        // Directions in which nothing changes have a multiplier of 1, and where what is kept belongs to them (a momentum) another
        // one. Nearest to 1 are those; the second ones need not be there.
        let mut distances: Vec<(f64, f64)> =
            multipliers.iter().map(|[re, im]| ((re - 1.0).hypot(*im), re.hypot(*im))).collect();
        distances.sort_by(|a, b| a.0.total_cmp(&b.0));
        let first = found.neutral + usize::from(member.drive.is_none());
        let limits = std::iter::repeat_n(NEUTRAL, first)
            .chain(std::iter::repeat_n(NEUTRAL_PAIR, found.neutral))
            .chain(std::iter::repeat(0.0));
        let stable = distances
            .iter()
            .zip(limits)
            .all(|((distance, size), limit)| *distance < limit || *size <= 1.0 + ROUNDING);
        let state = self.on_section(member, &found.place)?;
        Ok(Orbit {
            value: found.place.value,
            period: found.place.period,
            multipliers,
            stable,
            modes: found.sequence(system).iter().map(Happening::to_string).collect(),
            state,
            drift: found.drift,
            blind: found.blind,
        })
    }

    /// The state of an orbit on the section; where it begins if there is none.
    fn on_section(&self, member: &Member, place: &Place) -> Result<State, StudyError> {
        if !matches!(self.section, Some(Section::Impact(_) | Section::Crossing { .. })) {
            return Ok(place.state.clone());
        }
        let system = member.system.as_ref();
        let mut state = place.state.clone();
        let mut surface = match &self.section {
            Some(section) => {
                let mut overrides = self.overrides.clone();
                overrides.extend(self.vary.as_ref().map(|v| v.set(&place.value.to_string())));
                Some(section.of_file(&self.file, &overrides)?)
            }
            None => None,
        };
        let mut integrator = member.integrator()?;
        let mut on_section: Option<State> = None;
        let failed = |error: crate::integrate::StepError| {
            StudyError::NotFound(format!("{}: {error}", self.file.source))
        };
        for k in 1..=PARTS {
            let before = state.clone();
            let t = place.state.t + place.period * k as f64 / PARTS as f64;
            let mut struck = None;
            integrator
                .run_until(system, &mut state, t, &mut |event| {
                    if let (MotionEvent::Impact(impact), Some(Surface::Impact(name))) =
                        (event, &surface)
                        && system.is_impact_of(name, impact.contact)
                    {
                        struck = struck.or(Some(impact.t));
                    }
                })
                .map_err(failed)?;
            if on_section.is_none() {
                let time = match &mut surface {
                    Some(Surface::Level(level)) => {
                        let (a, b) = (level.value(&before), level.value(&state));
                        (a < 0.0 && b >= 0.0).then(|| {
                            let mut at = before.clone();
                            let (mut low, mut high) = (before.t, state.t);
                            for _ in 0..60 {
                                let middle = 0.5 * (low + high);
                                at.clone_from(&before);
                                let run = member.integrator().map(|mut own| {
                                    own.run_until(system, &mut at, middle, &mut |_| {}).is_ok()
                                });
                                if !(middle > low && middle < high && matches!(run, Ok(true))) {
                                    break;
                                }
                                if level.value(&at) < 0.0 { low = middle } else { high = middle }
                            }
                            high
                        })
                    }
                    _ => struck,
                };
                if let Some(time) = time {
                    let mut at = before.clone();
                    let (mut integrator, mut hit) = (member.integrator()?, struck.is_none());
                    let near = BEHIND * place.period;
                    // A run that ends at an impact may end before it: a little later it has happened.
                    for end in [time, time + near] {
                        if end > at.t && (end == time || !hit) {
                            integrator
                                .run_until(system, &mut at, end, &mut |event| {
                                    let here = event.t() >= time - near;
                                    hit |= here && matches!(event, MotionEvent::Impact(_));
                                })
                                .map_err(failed)?;
                        }
                    }
                    on_section = Some(at);
                }
            }
        }
        on_section.ok_or_else(|| {
            StudyError::NotFound(format!(
                "{}: the orbit of period {} s never crosses the section",
                self.file.source, place.period
            ))
        })
    }
}

/// Multiples of the first return that the search was too short to see: a wheel with eight spokes seems to be back after
/// one step, and is after eight. With a drive all multiples were looked at.
fn later(places: &[Place]) -> Vec<Place> {
    let Some(first) = places.first().filter(|place| place.multiple == 0) else { return Vec::new() };
    let seen = |period: f64| places.iter().any(|place| (place.period / period - 1.0).abs() < SEEN);
    let multiple = |k: usize| Place { period: k as f64 * first.period, ..first.clone() };
    (2..=MOST_LATER).map(multiple).filter(|place| !seen(place.period)).collect()
}

/// States of an orbit from its state on over one period, evenly spaced, with both ends.
pub fn trace_orbit(
    file: &SceneFile,
    question: &OrbitQuestion,
    orbit: &Orbit,
    count: usize,
) -> Result<Vec<State>, StudyError> {
    let member = Family::new(file, question, None).plain_member()?;
    let (system, mut state) = (member.system.as_ref(), orbit.state.clone());
    let (mut integrator, mut states) = (member.integrator()?, vec![state.clone()]);
    let begin = state.t;
    for k in 1..=count {
        let t = begin + orbit.period * k as f64 / count as f64;
        integrator.run_until(system, &mut state, t, &mut |_| {}).map_err(|error| {
            StudyError::NotFound(format!("{}: the orbit cannot be drawn: {error}", file.source))
        })?;
        states.push(state.clone());
    }
    Ok(states)
}
