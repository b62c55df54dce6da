//! The instants at which a motion passes a section.

use super::section::Surface;
use crate::integrate::{Impact, Integrator};
use crate::scene::{IntegratorName, Scene, SceneError};
use crate::simulate::{RunStatus, Simulation};
use crate::stop::StopCheck;
use crate::system::State;
use std::collections::VecDeque;

/// Part of a step by which instants may differ and be the same.
const SAME: f64 = 1e-9;
/// Part of a step by which the state at an impact or at the end of a period is looked at later.
const BEHIND: f64 = 1e-7;
/// Looks within a step for the instant of a crossing.
const MOST_LOOKS: usize = 60;

/// A motion passes a section.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// When, s.
    pub t: f64,
    /// The state there; just behind an impact or the end of a period.
    pub state: State,
    /// The impact, if the section is one.
    pub impact: Option<Impact>,
}

/// Carries a motion from one passage of a section to the next.
///
/// Where the integrator locates events, so are the passages; of time stepping impacts are those of the ends of
/// steps, and a step is tried in part to find where an expression passes a value.
pub struct Crossings {
    simulation: Simulation,
    surface: Surface,
    /// Tries steps in part: one that has not made any, or as it was before the last step if the integrator goes on exactly
    /// from there.
    fresh: Box<dyn Integrator>,
    goes_on: bool,
    before: State,
    level: f64,
    counted: usize,
    waiting: VecDeque<Crossing>,
    /// Time within which the section must be passed again, s.
    patience: f64,
    last: f64,
    /// Largest of each velocity at the ends of steps, in all and in the last part of the patience.
    fastest: Vec<f64>,
    recent: Vec<f64>,
}

/// Part of the patience behind which a motion without passages tells whether it is at rest.
const SETTLING: f64 = 0.75;

impl Crossings {
    /// Of the motion of a scene, from another start if one is given.
    pub fn new(
        scene: &Scene,
        mut surface: Surface,
        start: Option<&State>,
        stop: &StopCheck,
    ) -> Result<Self, SceneError> {
        let fresh = scene.integrator()?;
        let goes_on = scene.simulation.integrator == IntegratorName::EventDriven;
        let mut settings = scene.settings();
        if let (Surface::Period(period), true) = (&surface, goes_on) {
            // Steps are how often is looked: with a whole number of them in a period none is tried in part.
            settings.step = *period / (*period / settings.step).round().max(1.0);
            settings.output_step = settings.step;
            settings.duration = (settings.duration / settings.step).ceil() * settings.step;
        }
        let from = |start: &State| {
            Simulation::new(scene.system.clone(), fresh.clone(), start.clone(), settings)
        };
        let made = start.and_then(|start| from(start).ok());
        let mut simulation = match made {
            Some(simulation) => simulation,
            None => from(&scene.start).map_err(|e| scene.refuse(e.to_string()))?,
        };
        simulation.stop_when(stop.clone());
        let before = simulation.present().clone();
        let level = match &mut surface {
            Surface::Level(level) => level.value(&before),
            _ => 0.0,
        };
        let (last, patience) = (before.t, scene.simulation.duration);
        let waiting = VecDeque::new();
        let counted = 0;
        Ok(Self {
            simulation,
            surface,
            fresh,
            goes_on,
            before,
            level,
            counted,
            waiting,
            patience,
            last,
            fastest: Vec::new(),
            recent: Vec::new(),
        })
    }

    /// The next passage; none if the section is not passed within the duration of the scene, or if a condition of
    /// the scene ends the motion.
    pub fn pass(&mut self) -> Result<Option<Crossing>, RunStatus> {
        loop {
            if let Some(found) = self.waiting.pop_front() {
                self.last = found.t;
                return Ok(Some(found));
            }
            if self.simulation.t() - self.last > self.patience {
                return Ok(None);
            }
            self.before.clone_from(self.simulation.present());
            // Ends of periods are ends of steps.
            if self.goes_on && !matches!(self.surface, Surface::Period(_)) {
                self.fresh = self.simulation.integrator().boxed_copy();
            }
            self.simulation.step(1)?;
            if self.simulation.t() <= self.before.t {
                return Ok(None);
            }
            self.note_speeds();
            self.look();
        }
    }

    fn note_speeds(&mut self) {
        let is_late = self.simulation.t() - self.last > SETTLING * self.patience;
        let u = &self.simulation.present().u;
        for (list, counts) in [(&mut self.fastest, true), (&mut self.recent, is_late)] {
            list.resize(u.len(), 0.0);
            match counts {
                true => list.iter_mut().zip(u).for_each(|(most, v)| *most = most.max(v.abs())),
                false => list.fill(0.0),
            }
        }
    }

    /// Whether a motion that no longer passes the section still moves: with more than this part of the largest velocity
    /// that it had.
    pub fn still_moves(&self, part: f64) -> bool {
        // What ought to be zero is rounding.
        let least = 1e-9 * self.fastest.iter().fold(0.0_f64, |most, v| most.max(*v));
        self.recent.iter().zip(&self.fastest).any(|(now, most)| *now > part * most.max(least))
    }

    /// The present state of the motion, at the end of a step.
    pub fn present(&self) -> &State {
        self.simulation.present()
    }

    /// Looks for passages in the last step.
    fn look(&mut self) {
        let step = self.simulation.settings().step;
        let end = self.simulation.t();
        let mut surface = self.surface.clone();
        match &mut surface {
            Surface::Impact(name) => {
                let system = self.simulation.system();
                let new = self.simulation.impacts().iter().skip(self.counted);
                let own: Vec<Impact> = new
                    .filter(|impact| system.is_impact_of(name, impact.contact))
                    .copied()
                    .collect();
                self.counted = self.simulation.impacts().len();
                for impact in own {
                    // Several points that hit at once are one passage.
                    let last = self.waiting.back().map_or(self.last, |found| found.t);
                    if impact.t - last <= SAME * step {
                        continue;
                    }
                    let state = self.within(impact.t + BEHIND * step);
                    self.waiting.push_back(Crossing { t: impact.t, state, impact: Some(impact) });
                }
            }
            Surface::Period(period) => {
                let number = |t: f64| (t / *period + SAME).floor();
                let (first, last) = (number(self.before.t), number(end));
                let mut k = first + 1.0;
                while k <= last {
                    let t = k * *period;
                    // Just behind, so that rounding does not choose the side of an impact at that very instant.
                    let state = self.within(t + BEHIND * step);
                    self.waiting.push_back(Crossing { t, state, impact: None });
                    k += 1.0;
                }
            }
            Surface::Level(level) => {
                let now = level.value(self.simulation.present());
                let before = std::mem::replace(&mut self.level, now);
                if !(before < 0.0 && now >= 0.0) {
                    return;
                }
                let (mut low, mut high) = ((self.before.t, before), (end, now));
                let mut state = self.simulation.present().clone();
                // The method of Illinois: false position that halves the value of an end that stays.
                let mut side = 0;
                for _ in 0..MOST_LOOKS {
                    if high.0 - low.0 <= SAME * step || high.1 == 0.0 {
                        break;
                    }
                    let share = low.1 / (low.1 - high.1);
                    let t = low.0 + share.clamp(1e-3, 1.0 - 1e-3) * (high.0 - low.0);
                    let tried = self.within(t);
                    let value = level.value(&tried);
                    if value < 0.0 {
                        low = (t, value);
                        high.1 *= if side < 0 { 0.5 } else { 1.0 };
                        side = -1;
                    } else {
                        (high, state) = ((t, value), tried);
                        low.1 *= if side > 0 { 0.5 } else { 1.0 };
                        side = 1;
                    }
                }
                self.waiting.push_back(Crossing { t: high.0, state, impact: None });
            }
        }
    }

    /// The state at a time in the last step or just behind it, by part of a step; that of its end where this fails.
    fn within(&self, t: f64) -> State {
        let present = self.simulation.present();
        let step = self.simulation.settings().step;
        let mut state = if t > present.t { present.clone() } else { self.before.clone() };
        let dt = t - state.t;
        if (present.t - t).abs() <= SAME * step {
            return present.clone();
        }
        if dt <= SAME * step {
            return state;
        }
        let mut integrator = match t > present.t && self.goes_on {
            true => self.simulation.integrator().boxed_copy(),
            false => self.fresh.clone(),
        };
        match integrator.step(self.simulation.system(), &mut state, dt) {
            Ok(_) => state,
            Err(_) => present.clone(),
        }
    }
}
