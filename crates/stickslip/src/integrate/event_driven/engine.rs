//! The run: smooth phases, events, impacts.

use super::EventDrivenOptions;
use super::decide::Hints;
use super::escape::Escape;
use super::events::MotionEvent;
use super::flow::Flow;
use super::impact::Impacts;
use super::mode::{Mode, Motion};
use super::runge_kutta::{RungeKutta, step_factor};
use super::scale::{Scale, Zero};
use super::variation::Variation;
use super::watch::Watch;
use crate::integrate::{ContactRecord, ContactState, StepError, StepRecord, names};
use crate::solve::{SolveReport, Solver};
use crate::system::{MechanicalSystem, State};

/// First step of a run, relative to the time of the system.
const FIRST_STEP: f64 = 3e-4;
/// Least size of coordinates and velocities that errors are relative to, relative to the scale.
const LEAST_SIZE: f64 = 1e-3;

/// All memory of a run.
#[derive(Clone, Default)]
pub(super) struct Engine {
    pub(super) flow: Flow,
    pub(super) runge_kutta: RungeKutta,
    /// How far differences looked before the rate at the start of the step, and before the others.
    pub(super) shares: [f64; 2],
    pub(super) watch: Watch,
    pub(super) impacts: Impacts,
    pub(super) mode: Mode,
    /// The mode after the last event.
    pub(super) told: Mode,
    pub(super) y: Vec<f64>,
    pub(super) rate_a: Vec<f64>,
    pub(super) rate_e: Vec<f64>,
    pub(super) sample: Vec<f64>,
    pub(super) peaks: Vec<f64>,
    scales: Vec<f64>,
    pub(super) scale: Scale,
    pub(super) step: f64,
    /// Fastest relative velocity of the run, m/s.
    pub(super) speed: f64,
    pub(super) standstill: u32,
    /// When the events were counted from that are too many for the progress, s.
    pub(super) stalled_since: f64,
    pub(super) escape: Escape,
    pub(super) events: u64,
    /// The state that the run reached, to go on from.
    pub(super) reached: Option<State>,
    pub(super) report: Option<SolveReport>,
}

/// What a run is given.
pub(super) struct Task<'a> {
    pub(super) system: &'a dyn MechanicalSystem,
    pub(super) options: EventDrivenOptions,
    pub(super) t_end: f64,
    pub(super) solver: &'a mut dyn Solver,
    pub(super) record: &'a mut StepRecord,
    pub(super) tell: &'a mut dyn FnMut(MotionEvent),
    /// Small changes to carry along.
    pub(super) variation: Option<&'a mut Variation>,
}

/// Step, relative to the time of the system, below which contacts that appear closed are not looked for
/// in still shorter ones: features have changed there.
const LEAST_LOOK: f64 = 1e-9;
/// Looks that the slow and thick need, too.
const SLOW_LOOKS: usize = 2;
/// A step that is this small against the whole way does not get on, and how many of them there may be;
/// those of accumulating impacts are fewer.
const STALLED_STEP: f64 = 1e-7;
const MOST_STALLED_STEPS: u32 = 50_000;

impl Engine {
    /// Carries the state to the end time of the task.
    pub(super) fn run(&mut self, state: &mut State, task: &mut Task) -> Result<(), StepError> {
        self.flow.begin(task.system);
        self.flow.load(state);
        self.flow.dynamics.list(task.system, state)?;
        self.list_contacts(task);
        self.report = None;
        self.events = 0;
        self.standstill = 0;
        self.stalled_since = state.t;
        if self.reached.take().as_ref() != Some(state) {
            self.mode = Mode::default();
            self.told = Mode::default();
            self.peaks.clear();
            self.scale = Scale::of(&mut self.flow.dynamics, task.system, state)?;
            self.flow.dynamics.set_length(self.scale.length);
            self.step = FIRST_STEP * self.scale.time;
            self.speed = 0.0;
            self.watch.force = 0.0;
            self.escape = Escape::default();
            self.impacts.forget();
            if let Some(variation) = task.variation.as_deref_mut() {
                variation.begin(self.scale);
            }
            self.settle(state, task, Hints::default())?;
        }
        let (length, mut tiny, mut steps) = (task.t_end - state.t, 0, 0);
        while state.t < task.t_end {
            let begin = state.t;
            self.smooth(state, task)?;
            let step = state.t - begin;
            steps += 1;
            tiny += u32::from(step < STALLED_STEP * length);
            let contacts = || self.closed_names(task.system);
            if tiny > MOST_STALLED_STEPS {
                return Err(StepError::StepTooSmall { t: state.t, step, contacts: contacts() });
            }
            if steps > task.options.max_steps {
                return Err(StepError::TooManySteps { t: state.t, steps, contacts: contacts() });
            }
        }
        self.close_record(state, task)?;
        self.reached = Some(state.clone());
        Ok(())
    }

    fn list_contacts(&self, task: &mut Task) {
        task.record.clear();
        let candidates = self.flow.dynamics.contacts.candidates();
        task.record.contacts.extend(candidates.iter().map(|c| ContactRecord {
            key: c.key,
            gap: c.gap,
            ..ContactRecord::default()
        }));
    }

    /// Gaps and states at the end.
    fn close_record(&mut self, state: &State, task: &mut Task) -> Result<(), StepError> {
        self.flow.dynamics.list(task.system, state)?;
        for candidate in self.flow.dynamics.contacts.candidates() {
            let slips = self.mode.find(candidate.key).map(|contact| {
                let elements = &self.flow.dynamics.plans[contact.group].elements;
                let free = elements.iter().position(|e| contact.is_free(e));
                free.is_some_and(|i| contact.motions[i] == Motion::Slip)
            });
            let now = match slips {
                None => ContactState::Open,
                Some(true) => ContactState::Slip,
                Some(false) => ContactState::Stick,
            };
            match task.record.contacts.iter_mut().find(|c| c.key == candidate.key) {
                Some(entry) => (entry.gap, entry.state) = (candidate.gap, now),
                None => task.record.contacts.push(ContactRecord {
                    key: candidate.key,
                    gap: candidate.gap,
                    state: now,
                    ..ContactRecord::default()
                }),
            }
        }
        self.note_end(state, task);
        Ok(())
    }

    pub(super) fn zero(&self) -> Zero {
        self.scale.zero(self.speed)
    }

    /// Names of the closed contacts, for messages.
    fn closed_names(&self, system: &dyn MechanicalSystem) -> String {
        names(system, self.mode.contacts.iter().filter(|c| !c.permanent).map(|c| c.key))
    }

    /// One accepted step, up to an event or the end.
    fn smooth(&mut self, state: &mut State, task: &mut Task) -> Result<(), StepError> {
        let system = task.system;
        self.flow.load(state);
        self.flow.pack(state, &self.mode, &mut self.y);
        let n = self.y.len();
        for v in [&mut self.rate_a, &mut self.rate_e, &mut self.sample] {
            v.resize(n, 0.0);
        }
        self.shares[0] = *self.flow.dynamics.share();
        if let Err(error) = self.flow.rate(system, &self.mode, state.t, &self.y, &mut self.rate_a) {
            return self.pass_change(state, task, error);
        }
        self.note_loads(state.t, task.record);
        self.watch.begin(&self.flow.dynamics, &self.mode, self.zero());
        self.watch.measure(0, &self.flow.dynamics, &self.mode, &state.u);
        let gammas = self.flow.dynamics.gamma.iter();
        self.speed = gammas.fold(self.speed, |m, g| m.max(g.abs()));
        self.set_scales(state, task.options.tolerance);
        let longest = match task.variation.as_deref_mut() {
            Some(variation) => variation.longest_step(system, &self.mode, state, self.step),
            None => f64::INFINITY,
        };
        let mut fault = None;
        loop {
            if crate::stop::requested() {
                return Err(StepError::Stopped { t: state.t });
            }
            let remaining = task.t_end - state.t;
            let mut wanted = self.step.min(task.options.max_step).min(longest);
            // What is thin or fast must not pass through others within a step: what is beyond them at
            // its end is nearest by other features, and the gaps that are watched never close.
            let way = wanted.min(remaining);
            let looks = system.looks(state, &state.u, way);
            if looks > SLOW_LOOKS {
                wanted = way / looks as f64;
            }
            // No tiny rest of a step before the end.
            let h = if remaining <= 1.01 * wanted { remaining } else { wanted };
            if h < 8.0 * f64::EPSILON * state.t.abs().max(remaining) && h < remaining {
                let contacts = self.closed_names(system);
                let small = StepError::StepTooSmall { t: state.t, step: h, contacts };
                return self.pass_change(state, task, fault.unwrap_or(small));
            }
            match self.attempt(state, system, h) {
                Ok(error) if error <= 1.0 => {
                    let unseen = h > LEAST_LOOK * self.scale.time
                        && self.watch.misses(&self.flow.dynamics, &self.mode, self.zero());
                    if unseen || self.leaps(h) {
                        self.step = 0.3 * h;
                        continue;
                    }
                    let next = h * step_factor(error);
                    self.watch.finds_minima = task.variation.is_some();
                    let event = match self.search(system, state.t, h) {
                        Err(error) if may_retry(&error) => {
                            fault = Some(error);
                            self.step = 0.25 * h;
                            continue;
                        }
                        outcome => outcome?,
                    };
                    // A step cut short by the end says little of the next.
                    self.step = if h < wanted { next.max(self.step) } else { next };
                    let Some((h, fired)) = event else {
                        let t = if h == remaining { task.t_end } else { state.t + h };
                        return self.accept(state, task, t, None);
                    };
                    return self.accept(state, task, state.t + h, Some(fired));
                }
                Ok(error) => self.step = h * step_factor(error),
                Err(error) if may_retry(&error) => {
                    fault = Some(error);
                    self.step = 0.25 * h;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Where other features begin to touch (an edge after a face, another corner) the candidate of a closed contact
    /// ends, and a new one takes its place: a short step of time stepping, which needs no mode, goes
    /// from one to the other. All other errors are returned.
    fn pass_change(
        &mut self,
        state: &mut State,
        task: &mut Task,
        mut error: StepError,
    ) -> Result<(), StepError> {
        // Each escape that follows closely is ten times as long, and the longest ends the loop.
        while matches!(error, StepError::ContactChanged { .. }) {
            match self.escape(state, task) {
                Ok(Some(())) => return Ok(()),
                Ok(None) => break,
                Err(next) => error = next,
            }
        }
        Err(error)
    }

    /// A step of length h and the rate at its end. Returns its error.
    fn attempt(
        &mut self,
        state: &State,
        system: &dyn MechanicalSystem,
        h: f64,
    ) -> Result<f64, StepError> {
        self.shares[1] = *self.flow.dynamics.share();
        let (flow, mode) = (&mut self.flow, &self.mode);
        self.runge_kutta.advance(state.t, &self.y, &self.rate_a, h, &mut |t, y, rate| {
            flow.stage(system, mode, t, y, rate)
        })?;
        let error = self.runge_kutta.error(h, &self.scales);
        if error <= 1.0 {
            flow.rate(system, mode, state.t + h, &self.runge_kutta.end, &mut self.rate_e)?;
        }
        Ok(error)
    }

    fn set_scales(&mut self, state: &State, tolerance: f64) {
        let (n, all) = (state.q.len(), state.q.len() + state.u.len());
        self.peaks.resize(all, 0.0);
        for (peak, y) in self.peaks.iter_mut().zip(&self.y) {
            *peak = peak.max(y.abs());
        }
        let largest = |p: &[f64], least: f64| p.iter().fold(least, |m, v| m.max(*v));
        let large_q = largest(&self.peaks[..n], LEAST_SIZE * self.scale.length.min(1.0));
        let large_u = largest(&self.peaks[n..], LEAST_SIZE * self.scale.speed.min(1.0));
        self.scales.clear();
        for (k, peak) in self.peaks.iter().enumerate() {
            let floor = 1e-3 * if k < n { large_q } else { large_u };
            self.scales.push(tolerance * (peak + floor));
        }
    }

    /// Whether an onset of slip goes too far with its frozen direction; the
    /// velocities at the end of the step are in `dynamics`.
    fn leaps(&self, h: f64) -> bool {
        h > 1e-3 * self.scale.onset()
            && self.onsets().any(|(_, _, speed, limit)| speed > 8.0 * limit)
    }

    /// Slipping elements with a frozen direction: place, speed and the speed where it ends.
    pub(super) fn onsets(&self) -> impl Iterator<Item = (usize, usize, f64, f64)> + '_ {
        let dynamics = &self.flow.dynamics;
        let (n, time) = (dynamics.free.len(), self.scale.onset());
        self.mode.contacts.iter().enumerate().flat_map(move |(position, contact)| {
            let elements = dynamics.plans[contact.group].elements.iter().enumerate();
            elements.filter(|(i, e)| contact.onset[*i] && e.dim > 1).map(move |(index, element)| {
                let first = contact.first + element.first;
                let gamma = &dynamics.gamma[first..first + element.dim];
                let turn = (0..element.dim).map(|k| {
                    let row = (first + k) * n..(first + k + 1) * n;
                    let own =
                        super::dynamics::dot(&dynamics.rows[row.clone()], &dynamics.mass_rows[row]);
                    element.weights[k] * own * dynamics.lambda[first + k].abs()
                });
                (position, index, element.speed(gamma), time * turn.sum::<f64>())
            })
        })
    }
}

fn may_retry(error: &StepError) -> bool {
    matches!(
        error,
        StepError::NotFinite { .. }
            | StepError::Painleve { .. }
            | StepError::Constraints { .. }
            | StepError::ContactChanged { .. }
            | StepError::Mass { .. }
    )
}
