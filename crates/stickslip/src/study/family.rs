//! The scenes of a study of periodic orbits: one for each value of a key, with their neighbours.

use super::{OrbitQuestion, Section, StudyError, Surface, Vary};
use crate::integrate::{EventDriven, EventDrivenOptions, OFFSETS, WEIGHTS};
use crate::scene::{IntegratorName, Scene, SceneFile};
use crate::system::{ContactSet, Observed, State};
use std::cell::RefCell;
use std::f64::consts::TAU;
use std::rc::Rc;
use std::sync::Arc;

/// Difference of two neighbouring values, relative to the value, or to a share of the range if that is larger.
const STEP: f64 = 1e-4;
const LEAST: f64 = 1e-2;
/// Error of a step of the integrator, relative; a scene may ask for less.
const TOLERANCE: f64 = 1e-12;
/// Samples of the drive, and what counts as a difference between them, relative.
const SAMPLES: usize = 4096;
const SAME: f64 = 1e-9;
const ROUNDS: usize = 30;
/// Members that are kept.
const KEPT: usize = 8;

/// A scene of which one key may take any value of a range.
pub(super) struct Family {
    pub(super) file: SceneFile,
    pub(super) overrides: Vec<String>,
    pub(super) vary: Option<Vary>,
    pub(super) section: Option<Section>,
    /// The members that were asked for last: reading a scene takes longer than a step of Newton's method.
    pub(super) members: RefCell<Vec<Rc<Member>>>,
}

/// The scene at one value.
pub(super) struct Member {
    pub(super) value: f64,
    pub(super) scene: Scene,
    pub(super) system: Arc<dyn Observed>,
    /// Systems at the neighbouring values, and how far these are apart.
    pub(super) neighbours: Vec<Arc<dyn Observed>>,
    pub(super) step: f64,
    /// Period of the drive, s, and its derivative with respect to the value; none of an autonomous system.
    pub(super) drive: Option<(f64, f64)>,
}

impl Family {
    /// The family of a scene.
    pub(super) fn new(file: &SceneFile, question: &OrbitQuestion, vary: Option<Vary>) -> Self {
        let OrbitQuestion { overrides, section } = question.clone();
        Self { file: file.clone(), overrides, vary, section, members: RefCell::default() }
    }

    /// Length of the range; 1 if nothing is varied.
    pub(super) fn range(&self) -> f64 {
        let ends = self.vary.as_ref().and_then(Vary::ends);
        ends.map_or(1.0, |[a, b]| (b - a).abs())
    }

    fn scene(&self, value: f64) -> Result<Scene, StudyError> {
        let mut overrides = self.overrides.clone();
        overrides.extend(self.vary.as_ref().map(|vary| vary.set(&value.to_string())));
        let scene = self.file.scene(&overrides)?;
        if scene.simulation.integrator == IntegratorName::EventDriven {
            return Ok(scene);
        }
        // Orbits are those of the exact motion, by whatever integrator the scene is run otherwise.
        overrides.push(format!("simulation.integrator={}", IntegratorName::EventDriven.name()));
        Ok(self.file.scene(&overrides)?)
    }

    /// The scene at a value; `drive` is about the period of its drive, where it is known.
    pub(super) fn member(&self, value: f64, drive: Option<f64>) -> Result<Rc<Member>, StudyError> {
        let known = self.members.borrow().iter().find(|member| member.value == value).cloned();
        if let Some(member) = known {
            return Ok(member);
        }
        let member = Rc::new(self.read(value, drive)?);
        let mut members = self.members.borrow_mut();
        members.insert(0, member.clone());
        members.truncate(KEPT);
        Ok(member)
    }

    /// The scene as it is, also where its drive has no period.
    pub(super) fn plain_member(&self) -> Result<Member, StudyError> {
        let scene = self.scene(0.0)?;
        let period = self.period(&scene, None).ok().flatten();
        let (system, neighbours) = (scene.system.clone(), Vec::new());
        let drive = period.map(|period| (period, 0.0));
        Ok(Member { value: 0.0, scene, system, neighbours, step: 0.0, drive })
    }

    fn read(&self, value: f64, drive: Option<f64>) -> Result<Member, StudyError> {
        let scene = self.scene(value)?;
        let period = self.period(&scene, drive)?;
        let (mut neighbours, mut periods) = (Vec::new(), Vec::new());
        let step = STEP * value.abs().max(LEAST * self.range());
        if self.vary.is_some() {
            for offset in OFFSETS {
                let scene = self.scene(value + offset * step)?;
                periods.push(match period {
                    Some(_) => self.period(&scene, period)?.unwrap_or(0.0),
                    None => 0.0,
                });
                neighbours.push(scene.system);
            }
        }
        let slope = match periods[..] {
            [] => 0.0,
            _ => periods.iter().zip(WEIGHTS).map(|(period, weight)| weight * period / step).sum(),
        };
        let system = scene.system.clone();
        let drive = period.map(|period| (period, slope));
        Ok(Member { value, scene, system, neighbours, step, drive })
    }

    /// Period of the drive; none if nothing depends on time.
    fn period(&self, scene: &Scene, about: Option<f64>) -> Result<Option<f64>, StudyError> {
        if let Some(section @ Section::Period(_)) = &self.section
            && let Surface::Period(period) = section.of(scene)?
        {
            return Ok(Some(period));
        }
        let system = scene.system.as_ref();
        let duration = scene.simulation.duration;
        // Times without a common measure.
        let first = driven(system, &scene.start, 0.0);
        let steady = (1..20).all(|k| {
            let t = duration * (0.618_034 * f64::from(k)).fract();
            same(&driven(system, &scene.start, t), &first)
        });
        if steady {
            return Ok(None);
        }
        let found = match about {
            Some(about) => refine(system, &scene.start, duration, about),
            None => search(system, &scene.start, duration),
        };
        found.map(Some).ok_or_else(|| {
            StudyError::wrong(format!(
                "{}: the system depends on time, and no period of that is seen in {duration} s; give it, \
                 as in --section \"period 2*pi/omega\"",
                self.file.source
            ))
        })
    }
}

impl Member {
    /// Takes whole periods of the drive from the time of a state, and tells how many. Where the period changes with the
    /// value, the phase of the drive at a late time changes much faster than the orbit does, and so would its state.
    pub(super) fn in_first_period(&self, state: &mut State) -> f64 {
        let Some((period, _)) = self.drive else { return 0.0 };
        let periods = (state.t / period).floor();
        state.t = (state.t - periods * period).max(0.0);
        periods
    }

    /// Takes as many whole turns from the angles of a state as all of those that have turned have made, if nothing feels
    /// that: far from zero angles are known less precisely.
    pub(super) fn unwind(&self, state: &mut State) {
        let system = self.system.as_ref();
        let zero = vec![0.0; state.q.len()];
        let mut turned = state.clone();
        system.turn_back(&mut turned.q, &zero, true, &mut vec![1.0; zero.len()]);
        let turns = |(far, near): (&f64, &f64)| ((far - near) / TAU).round();
        let all: Vec<f64> = state.q.iter().zip(&turned.q).map(turns).collect();
        let made = all.iter().copied().filter(|turns| *turns != 0.0);
        let Some(least) = made.min_by(|a, b| a.abs().total_cmp(&b.abs())) else { return };
        turned.q.clone_from(&state.q);
        let angles = turned.q.iter_mut().zip(&all).filter(|(_, turns)| **turns != 0.0);
        angles.for_each(|(angle, _)| *angle -= least * TAU);
        let (before, after) = (driven(system, state, state.t), driven(system, &turned, state.t));
        if before.len() == after.len() && same(&before, &after) {
            *state = turned;
        }
    }

    /// An integrator that has made no step.
    pub(super) fn integrator(&self) -> Result<EventDriven, StudyError> {
        let tolerance = TOLERANCE.min(self.scene.simulation.tolerance);
        EventDriven::new(EventDrivenOptions { tolerance, ..EventDrivenOptions::default() })
            .map_err(|error| StudyError::wrong(error.to_string()))
    }
}

/// All that may depend on time at a fixed place: forces, gaps, prescribed velocities, errors of joints.
fn driven(system: &dyn Observed, start: &State, t: f64) -> Vec<f64> {
    let mut at = start.clone();
    at.t = t;
    let blocks = system.blocks();
    let mut mass = vec![0.0; blocks.iter().map(|n| n * n).sum()];
    let mut out = vec![0.0; blocks.iter().sum()];
    system.mass_and_forces(&at, &mut mass, &mut out);
    let mut contacts = ContactSet::default();
    contacts.margin = f64::INFINITY;
    system.contacts(&at, &mut contacts);
    for candidate in contacts.candidates() {
        if candidate.gap.is_finite() {
            out.push(candidate.gap);
        }
        out.extend_from_slice(contacts.position_error(candidate));
        if candidate.has_directions() {
            out.extend_from_slice(contacts.rheonomic(candidate));
        }
    }
    out
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * (1.0 + b.abs()))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The first time after which the drive is what it was.
fn search(system: &dyn Observed, start: &State, duration: f64) -> Option<f64> {
    let step = duration / SAMPLES as f64;
    let samples: Vec<Vec<f64>> =
        (0..=SAMPLES).map(|k| driven(system, start, k as f64 * step)).collect();
    let places: Vec<usize> = (0..16).map(|k| k * SAMPLES / 40).collect();
    let error = |lag: usize| {
        let errors = places.iter().map(|k| distance(&samples[k + lag], &samples[*k]));
        errors.fold(0.0, f64::max)
    };
    let most = SAMPLES / 2;
    let errors: Vec<f64> = (0..=most).map(error).collect();
    let largest = errors.iter().copied().fold(0.0, f64::max);
    (1..most)
        .filter(|lag| errors[*lag] <= errors[lag - 1] && errors[*lag] <= errors[lag + 1])
        .filter(|lag| errors[*lag] < 0.5 * largest)
        .find_map(|lag| refine(system, start, duration, lag as f64 * step))
}

/// The period near a time, by Gauss and Newton on the differences after it.
fn refine(system: &dyn Observed, start: &State, duration: f64, about: f64) -> Option<f64> {
    let mut period = about;
    let places: Vec<f64> = (0..12).map(|k| duration * (0.618_034 * f64::from(k)).fract()).collect();
    let before: Vec<Vec<f64>> = places.iter().map(|t| driven(system, start, *t)).collect();
    let h = 1e-4 * about;
    let mut left = f64::INFINITY;
    for _ in 0..ROUNDS {
        let (mut above, mut below, mut size) = (0.0, 0.0, 0.0_f64);
        left = 0.0;
        for (t, before) in places.iter().zip(&before) {
            let [low, now, high] = [-h, 0.0, h].map(|d| driven(system, start, t + period + d));
            let ends = low.iter().zip(&high).map(|(low, high)| (high - low) / (2.0 * h));
            for (slope, (now, before)) in ends.zip(now.iter().zip(before)) {
                above += slope * (now - before);
                below += slope * slope;
                size = size.max((slope * about).abs());
            }
            left = distance(&now, before).max(left);
        }
        if !(below > 0.0) {
            return None;
        }
        left /= size;
        let change = above / below;
        period -= change;
        if !((period - about).abs() < 0.3 * about) {
            return None;
        }
        if change.abs() <= 4.0 * f64::EPSILON * period {
            break;
        }
    }
    (left < SAME).then_some(period)
}
