//! One run.

use super::RunSettings;
use super::adaptive::{StepChoice, StepCount};
use super::contact_table::ContactSample;
use super::energy_book::EnergyBook;
use super::events::EventDetector;
use super::forces::ForceBook;
use super::impacts::ImpactRecorder;
use super::summary::{EnergySummary, RunStatus, Summary};
use super::trust::Trust;
use crate::integrate::{
    ContactRecord, ContactState, Integrator, StepError, StepRecord, StepReport,
};
use crate::range::OutOfRange;
use crate::solve::{Solver, Status};
use crate::system::{ContactSet, ContactValues, Energy, Observed, Seen, State};

/// A row of output.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The state.
    pub state: &'a State,
    /// Its energy.
    pub energy: Energy,
    /// Values of the columns of system and integrator ([`ColumnList::of`](crate::system::ColumnList::of)).
    pub values: &'a [f64],
    /// The reported contacts.
    pub contacts: &'a [ContactSample],
    /// All contact candidates of the last step, reported or not; none at the start.
    pub touching: &'a [ContactRecord],
    /// Length of the last step, over which their percussions are summed, s; 0 at the start.
    pub last_step: f64,
    /// Largest residual since the last row.
    pub residual: f64,
    /// Solver iterations since the last row.
    pub iterations: usize,
    /// Work of every law since the start.
    pub book: &'a EnergyBook,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Simulated time, s.
    pub t: f64,
    /// Steps done.
    pub steps: u64,
    /// Closed contacts.
    pub contacts: usize,
    /// Largest residual so far.
    pub worst_residual: f64,
}

/// Sees a run while it goes on.
pub trait Observer {
    /// A row of output; the first is the start.
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()>;

    /// Called now and then. False stops the run.
    fn progress(&mut self, _progress: &Progress) -> bool {
        true
    }
}

/// Velocity, m/s or rad/s, beyond which a run has lost its numbers.
const MOST_SPEED: f64 = 1e60;

/// Steps, and longest time while steps are short, between two calls of [`Observer::progress`].
pub(super) const PROGRESS_STEPS: u64 = 256;
const PROGRESS_TIME: std::time::Duration = std::time::Duration::from_millis(200);

/// Carries the system from `start` through the settings' duration; see [`super::run`].
pub(super) fn run_from(
    system: &dyn Observed,
    integrator: &mut dyn Integrator,
    start: State,
    settings: &RunSettings,
    observer: &mut dyn Observer,
) -> Result<Summary, OutOfRange> {
    settings.validate()?;
    let mut runner = Runner::new(system, integrator, start, settings);
    let status = match runner.go(observer) {
        Ok(()) => match runner.trust.why_not(system, &runner.state) {
            Some(message) => RunStatus::Untrustworthy { message },
            None => RunStatus::Done,
        },
        Err(status) => status,
    };
    Ok(runner.finish(status))
}

pub(super) struct Runner<'a> {
    pub(super) system: &'a dyn Observed,
    pub(super) integrator: &'a mut dyn Integrator,
    pub(super) settings: &'a RunSettings,
    pub(super) state: State,
    pub(super) before: State,
    book: EnergyBook,
    trust: Trust,
    events: EventDetector,
    impacts: ImpactRecorder,
    forces: ForceBook,
    pub(super) last_resort: Option<Box<dyn Solver>>,
    pub(super) steps: u64,
    pub(super) rescued: u64,
    pub(super) unsolved: u64,
    /// Whether the laws put far too much energy in within the last step that was tried.
    pub(super) out_of_proportion: bool,
    pub(super) worst_residual: f64,
    max_penetration: f64,
    /// Deepest gap at which the scheme has looked within a step, m.
    depth: f64,
    pub(super) closed: usize,
    /// Length of the last step that was entered into the books, s.
    last_step: f64,
    /// The record of a step that is entered later than the one after it, and whether it counts.
    pub(super) kept_record: StepRecord,
    pub(super) by_kept_record: bool,
    chosen_steps: Option<StepCount>,
    // Since the last row of output:
    residual: f64,
    iterations: usize,
    percussions: Vec<f64>,
    interval: f64,
    states: Vec<ContactState>,
    touched: Vec<ContactState>,
    slips: Vec<f64>,
    /// Forces without a potential at the end of the last step.
    applied: Vec<f64>,
    // Memory for a row of output:
    own_columns: usize,
    inner: [Vec<f64>; 2],
    values: Vec<f64>,
    contacts: ContactSet,
    samples: Vec<ContactSample>,
}

impl<'a> Runner<'a> {
    fn new(
        system: &'a dyn Observed,
        integrator: &'a mut dyn Integrator,
        start: State,
        settings: &'a RunSettings,
    ) -> Self {
        let reported = system.reported_contacts().len();
        let energy = system.energy(&start).total();
        let trust = Trust::new(system, &start, settings.step);
        Self {
            system,
            integrator,
            settings,
            trust,
            forces: ForceBook::new(system, &start),
            before: start.clone(),
            state: start,
            book: EnergyBook::new(energy, system.law_groups()),
            events: EventDetector::new(settings.step),
            impacts: ImpactRecorder::new(reported),
            last_resort: None,
            steps: 0,
            rescued: 0,
            unsolved: 0,
            out_of_proportion: false,
            worst_residual: 0.0,
            max_penetration: 0.0,
            depth: 0.0,
            closed: 0,
            last_step: 0.0,
            kept_record: StepRecord::default(),
            by_kept_record: false,
            chosen_steps: None,
            residual: 0.0,
            iterations: 0,
            percussions: vec![0.0; reported],
            interval: 0.0,
            states: vec![ContactState::Open; reported],
            touched: vec![ContactState::Open; reported],
            slips: vec![0.0; reported],
            applied: Vec::new(),
            own_columns: system.columns().len(),
            inner: Default::default(),
            values: Vec::new(),
            contacts: ContactSet::default(),
            samples: Vec::new(),
        }
    }

    fn go(&mut self, observer: &mut dyn Observer) -> Result<(), RunStatus> {
        if self.settings.accuracy.is_some() {
            let mut choice = StepChoice::new(self.system, &self.state, self.settings);
            let outcome = self.go_adaptive(&mut choice, observer);
            self.chosen_steps = Some(choice.count);
            return outcome;
        }
        let (steps, every) = (self.settings.steps(), self.settings.every());
        let t0 = self.state.t;
        self.output(observer)?;
        let mut told = std::time::Instant::now();
        for step in 1..=steps {
            // Times are multiples of the step, not sums of it.
            let t_end = if step == steps {
                t0 + self.settings.duration
            } else {
                t0 + step as f64 * self.settings.step
            };
            self.advance(t_end)?;
            self.steps = step;
            if step % every == 0 || step == steps {
                self.output(observer)?;
            }
            if step % PROGRESS_STEPS == 0 || step == steps || told.elapsed() > PROGRESS_TIME {
                told = std::time::Instant::now();
                let progress = Progress {
                    t: self.state.t,
                    steps: step,
                    contacts: self.closed,
                    worst_residual: self.worst_residual,
                };
                if !observer.progress(&progress) && step < steps {
                    return Err(RunStatus::Interrupted);
                }
            }
        }
        Ok(())
    }

    /// One step of the run, by whatever it takes.
    fn advance(&mut self, t_end: f64) -> Result<(), RunStatus> {
        let dt = t_end - self.state.t;
        self.before.clone_from(&self.state);
        let report = self.step(dt)?;
        if report.solve.status == Status::Solved {
            self.accept(dt, &report);
        } else {
            self.rescue(dt, Some(&report))?;
        }
        self.state.t = t_end;
        self.finish_step()
    }

    /// Looks at the state at the end of a step.
    pub(super) fn finish_step(&mut self) -> Result<(), RunStatus> {
        self.check_growth()?;
        self.find_gaps();
        let gaps = self.contacts.candidates().iter().map(|c| c.gap).filter(|g| g.is_finite());
        self.max_penetration = gaps.fold(self.max_penetration, |m, gap| m.max(-gap));
        Ok(())
    }

    /// A run whose numbers explode ends while its table is still finite.
    fn check_growth(&mut self) -> Result<(), RunStatus> {
        let t = self.state.t;
        // A scheme may step over the instant at which a force is infinite.
        self.applied.resize(self.state.u.len(), 0.0);
        self.system.applied_forces(&self.state, &mut self.applied);
        if !self.book.drive.is_finite() || self.applied.iter().any(|f| !f.is_finite()) {
            let message = format!("at t = {t} s: an applied force or its work is not finite");
            return Err(RunStatus::Failed { message });
        }
        if self.state.u.iter().any(|v| v.abs() > MOST_SPEED) {
            let message = format!(
                "at t = {t} s: a velocity has grown beyond {MOST_SPEED:e}; springs and dampers that \
                 are stiff need a shorter simulation.step"
            );
            return Err(RunStatus::Failed { message });
        }
        match self.trust.is_beyond(self.system, &self.state) {
            Some(message) => Err(RunStatus::Untrustworthy { message }),
            None => Ok(()),
        }
    }

    pub(super) fn step(&mut self, dt: f64) -> Result<StepReport, RunStatus> {
        let outcome = self.integrator.step(self.system, &mut self.state, dt);
        let mut report = outcome.map_err(|error| match error {
            StepError::Stopped { .. } => RunStatus::Interrupted,
            other => RunStatus::Failed { message: other.to_string() },
        })?;
        let record = self.integrator.record();
        // Schemes of first order gain by errors of their own, which shorter steps do not always mend.
        self.out_of_proportion = self.integrator.order() > 1
            && self.trust.is_out_of_proportion(self.system, &self.state, record);
        if self.out_of_proportion {
            report.solve.status = Status::Diverged;
            report.solve.residual.value = report.solve.residual.value.max(1.0);
        }
        Ok(report)
    }

    /// Enters a step into the books.
    pub(super) fn accept(&mut self, dt: f64, report: &StepReport) {
        let record = if self.by_kept_record { &self.kept_record } else { self.integrator.record() };
        self.book.enter(self.system.law_groups(), record);
        let energy = self.system.energy(&self.state);
        self.trust.enter(self.state.t, energy, &mut self.book, record);
        self.impacts.enter(self.system, self.state.t, dt, record);
        self.forces.enter(self.system, &self.state, dt, record);
        self.residual = self.residual.max(report.solve.residual.value);
        self.worst_residual = self.worst_residual.max(report.solve.residual.value);
        self.iterations += report.solve.iterations;
        self.closed = report.contacts;
        self.interval += dt;
        self.last_step = dt;
        for contact in &record.contacts {
            if contact.gap.is_finite() {
                self.depth = self.depth.max(-contact.gap);
            }
        }
        self.events.enter(self.state.t, record, self.depth);
        self.states.fill(ContactState::Open);
        self.slips.fill(0.0);
        for contact in &record.contacts {
            let Some(position) = self.system.reported_index(contact.key) else { continue };
            self.states[position] = self.states[position].joined(contact.state);
            self.touched[position] = self.touched[position].joined(contact.state);
            self.percussions[position] += contact.normal_percussion;
            if contact.state != ContactState::Open {
                let slip = contact.tangential_velocity[1].abs();
                self.slips[position] = self.slips[position].max(slip);
            }
        }
    }

    /// Gaps at the present state, without directions.
    fn find_gaps(&mut self) {
        self.contacts.clear();
        self.contacts.margin = f64::NEG_INFINITY;
        self.system.contacts(&self.state, &mut self.contacts);
    }

    /// Writes a row of output.
    pub(super) fn output(&mut self, observer: &mut dyn Observer) -> Result<(), RunStatus> {
        self.values.clear();
        self.system.observe(&self.state, &mut self.values);
        self.find_gaps();
        self.samples.clear();
        for position in 0..self.states.len() {
            let force =
                if self.interval > 0.0 { self.percussions[position] / self.interval } else { 0.0 };
            let slip = self.slips[position];
            let mut values = ContactValues { force, slip, ..ContactValues::default() };
            self.forces.fill(position, &mut values);
            let (state, touched) = (self.states[position], self.touched[position]);
            self.samples.push(ContactSample { values, state, touched });
        }
        for candidate in self.contacts.candidates() {
            if let Some(position) = self.system.reported_index(candidate.key) {
                let values = &mut self.samples[position].values;
                if candidate.gap < values.gap {
                    (values.gap, values.point) = (candidate.gap, candidate.point);
                }
            }
        }
        let samples = &self.samples;
        let contact = |position: usize| samples[position].values;
        let seen = Seen { contact: &contact, joints: &self.forces.reactions };
        self.system.derive(&self.state, &seen, &mut self.values);
        // What the integrator knows stands behind the columns of the system.
        let [before, behind] = &mut self.inner;
        self.integrator.observe(self.system, &self.state, before, behind);
        self.values.splice(self.own_columns..self.own_columns, before.drain(..));
        self.values.append(behind);
        let sample = Sample {
            state: &self.state,
            energy: self.system.energy(&self.state),
            values: &self.values,
            contacts: &self.samples,
            touching: if self.last_step > 0.0 { &self.integrator.record().contacts } else { &[] },
            last_step: self.last_step,
            residual: self.residual,
            iterations: self.iterations,
            book: &self.book,
        };
        observer
            .sample(&sample)
            .map_err(|error| RunStatus::OutputFailed { message: error.to_string() })?;
        self.residual = 0.0;
        self.iterations = 0;
        self.percussions.fill(0.0);
        self.forces.next_row();
        self.touched.fill(ContactState::Open);
        self.interval = 0.0;
        Ok(())
    }

    fn finish(self, status: RunStatus) -> Summary {
        let last = self.system.energy(&self.state).total();
        let warnings = self.trust.warnings(self.system, &self.book);
        let found = self.events.finish();
        Summary {
            status,
            steps: self.steps,
            chosen_steps: self.chosen_steps,
            rescued_steps: self.rescued,
            unsolved_steps: self.unsolved,
            worst_residual: self.worst_residual,
            max_penetration: self.max_penetration,
            energy: EnergySummary {
                initial: self.book.initial,
                last,
                closing_error: self.book.closing_error(last),
                worst_closing: self.trust.worst,
                book: self.book,
            },
            warnings,
            events: found.events,
            dropped_events: found.dropped,
            motions: found.motions,
            dropped_motions: found.dropped_motions,
            forces: self.forces,
            impacts: self.impacts.impacts,
            dropped_impacts: self.impacts.dropped,
            contact_times: self.impacts.times,
            final_state: self.state,
        }
    }
}
