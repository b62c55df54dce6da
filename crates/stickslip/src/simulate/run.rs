//! One run.

use super::contact_table::ContactSample;
use super::course::Course;
use super::energy_book::EnergyBook;
use super::settings::{RunSettings, WHOLE};
use super::simulation::{SavedState, save};
use super::summary::{RunStatus, Summary};
use crate::integrate::{ContactRecord, ContactState, Integrator, StepReport, Transmission};
use crate::solve::Status;
use crate::stop;
use crate::system::{ContactValues, Energy, Observed, Seen, State};
use std::time::{Duration, Instant};

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
    /// What they transmitted in it, component by component; empty at the start.
    pub percussions: &'a Transmission,
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
    /// Steps computed, those that were only tried included.
    pub computed: u64,
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

    /// Called as often, and before the last step of the run.
    fn between_steps(&mut self, _halt: &mut Halt) -> std::io::Result<()> {
        Ok(())
    }
}

/// A run between two steps.
pub struct Halt<'a, 'b> {
    runner: &'a mut Runner<'b>,
    /// Whether the next halt may come late: the last step took long, or the next one is the last of the run.
    pub is_rare: bool,
}

impl Halt<'_, '_> {
    /// How far the run is.
    pub fn progress(&self) -> Progress {
        self.runner.progress()
    }

    /// Everything that the rest of the run depends on.
    pub fn state(&mut self) -> SavedState {
        save(self.runner.system, self.runner.course, self.runner.integrator)
    }

    /// What there is to say of the run so far.
    pub fn summary(&mut self) -> Summary {
        self.runner.summary(None)
    }
}

/// Velocity, m/s or rad/s, beyond which a run has lost its numbers.
const MOST_SPEED: f64 = 1e60;

/// Longest time, while steps are short, between two calls of [`Observer::progress`]; a step is long from here on.
const PROGRESS_TIME: Duration = Duration::from_millis(50);

/// How far a run is to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// To the end of the settings.
    End,
    /// Up to the first end of a step at this time, s, or behind it.
    Time(f64),
    /// Until so many steps are done.
    Steps(u64),
}

/// Part of a step by which a run may fall short of a time: rounding.
const IN_TIME: f64 = 1e-9;

/// A run while it goes on: what it works with, and where it is.
pub(super) struct Runner<'a> {
    pub(super) system: &'a dyn Observed,
    pub(super) integrator: &'a mut dyn Integrator,
    pub(super) settings: &'a RunSettings,
    pub(super) course: &'a mut Course,
}

impl Runner<'_> {
    /// Goes to the end and sums up.
    pub(super) fn run(&mut self, observer: &mut dyn Observer) -> Summary {
        let Err(status) = self.go(Goal::End, observer) else { return self.summary(None) };
        self.summary(Some(status))
    }

    /// What there is to say so far; `ended` is why the run ended before its time.
    pub(super) fn summary(&mut self, ended: Option<RunStatus>) -> Summary {
        let Course { trust, state, .. } = &mut *self.course;
        let doubt = |message| RunStatus::Untrustworthy { message };
        let status = ended
            .or_else(|| trust.why_not(self.system, state).map(doubt))
            .unwrap_or(RunStatus::Done);
        self.course.summary(self.system, status)
    }

    /// Goes on until the goal is reached. Times and steps do not depend on it.
    pub(super) fn go(&mut self, goal: Goal, observer: &mut dyn Observer) -> Result<(), RunStatus> {
        if !self.course.begun {
            self.output(observer)?;
            self.course.begun = true;
            self.watch();
        }
        let mut begin = Instant::now();
        let mut told = begin;
        while !self.has_reached(goal) {
            if self.is_before_last() {
                self.halt(true, observer)?;
            }
            // Whatever ends a step early leaves part of it in the integrator.
            self.course.is_torn = true;
            match self.course.choice {
                Some(_) => self.next_pair(observer)?,
                None => self.next_step(observer)?,
            }
            self.course.is_torn = false;
            let (is_there, now) = (self.has_reached(goal), Instant::now());
            if is_there || now - told > PROGRESS_TIME {
                told = now;
                // At the goal it is only told: nothing is left to stop.
                if !observer.progress(&self.progress()) && !is_there {
                    return Err(RunStatus::Interrupted);
                }
                // The goal may be off the grid of steps on which a longer run goes on.
                if !is_there {
                    self.halt(now - begin > PROGRESS_TIME, observer)?;
                }
            }
            begin = now;
        }
        Ok(())
    }

    fn progress(&self) -> Progress {
        let Course { state, steps, closed, worst_residual, .. } = &*self.course;
        Progress {
            t: state.t,
            steps: *steps,
            computed: self.course.computed(),
            contacts: *closed,
            worst_residual: *worst_residual,
        }
    }

    fn halt(&mut self, is_rare: bool, observer: &mut dyn Observer) -> Result<(), RunStatus> {
        observer
            .between_steps(&mut Halt { runner: self, is_rare })
            .map_err(|error| RunStatus::OutputFailed { message: error.to_string() })
    }

    /// Whether the next step, or the next row if steps are chosen, is the last of the settings: it may end off
    /// the grid on which a longer run goes on.
    fn is_before_last(&self) -> bool {
        let Course { steps, row, choice, state, .. } = &*self.course;
        match choice {
            Some(_) => row + 1 == self.settings.rows() && state.t == self.row_time(*row),
            None => steps + 1 == self.settings.steps(),
        }
    }

    /// Whether the present time is one of the grid of the settings.
    pub(super) fn is_on_grid(&self) -> bool {
        let Course { steps, row, choice, state, .. } = &*self.course;
        match choice {
            Some(_) => {
                let slack = WHOLE * self.settings.output_step;
                let (last, next) = (self.row_time(*row), self.row_time(row + 1));
                (last - slack..=next + slack).contains(&state.t)
            }
            None => {
                let step = self.settings.step;
                let expected = self.grid_time(*steps, self.settings.steps(), step);
                (state.t - expected).abs() <= WHOLE * step
            }
        }
    }

    fn has_reached(&self, goal: Goal) -> bool {
        let Course { steps, row, choice, state, watch, .. } = &*self.course;
        if watch.stopped.is_some() {
            return true;
        }
        match goal {
            Goal::End if choice.is_some() => *row >= self.settings.rows(),
            Goal::End => *steps >= self.settings.steps(),
            Goal::Time(t) => t - state.t <= IN_TIME * self.settings.step,
            Goal::Steps(count) => *steps >= count,
        }
    }

    /// The next one of equal steps, and the row at its end if one is due.
    fn next_step(&mut self, observer: &mut dyn Observer) -> Result<(), RunStatus> {
        let step = self.course.steps + 1;
        let t_end = self.grid_time(step, self.settings.steps(), self.settings.step);
        self.advance(t_end)?;
        self.course.steps = step;
        let is_due = step.is_multiple_of(self.settings.every()) || step == self.settings.steps();
        if self.watch() || is_due {
            self.output(observer)?;
        }
        self.course.row += u64::from(is_due);
        Ok(())
    }

    /// Time of a row if steps are chosen, s.
    pub(super) fn row_time(&self, row: u64) -> f64 {
        self.grid_time(row, self.settings.rows(), self.settings.output_step)
    }

    /// Times are multiples of the step, not sums of it; the last one is that of the duration. If it is no
    /// multiple, what follows begins there.
    fn grid_time(&self, number: u64, last: u64, step: f64) -> f64 {
        let (start, duration) = (self.course.start, self.settings.duration);
        let is_multiple = (last as f64 * step - duration).abs() <= WHOLE * step;
        if number == last {
            start + duration
        } else if number < last || is_multiple {
            start + number as f64 * step
        } else {
            start + duration + (number - last) as f64 * step
        }
    }

    /// One step of the run, by whatever it takes.
    fn advance(&mut self, t_end: f64) -> Result<(), RunStatus> {
        let dt = t_end - self.course.state.t;
        self.course.before.clone_from(&self.course.state);
        let report = self.step(dt)?;
        if report.solve.status == Status::Solved {
            self.accept(dt, &report);
        } else {
            self.rescue(dt, Some(&report))?;
        }
        self.course.state.t = t_end;
        self.finish_step()
    }

    /// Looks at the state at the end of a step.
    pub(super) fn finish_step(&mut self) -> Result<(), RunStatus> {
        self.check_growth()?;
        let Course { state, max_penetration, contacts, .. } = &mut *self.course;
        *max_penetration = self.system.penetration(state, *max_penetration, contacts);
        Ok(())
    }

    /// A run whose numbers explode ends while its table is still finite.
    fn check_growth(&mut self) -> Result<(), RunStatus> {
        let t = self.course.state.t;
        // A scheme may step over the instant at which a force is infinite.
        self.course.applied.resize(self.course.state.u.len(), 0.0);
        self.system.applied_forces(&self.course.state, &mut self.course.applied);
        if !self.course.book.drive.is_finite() || self.course.applied.iter().any(|f| !f.is_finite())
        {
            let reason =
                self.system.not_finite().map_or(String::new(), |reason| format!("; {reason}"));
            let message =
                format!("at t = {t} s: an applied force or its work is not finite{reason}");
            return Err(RunStatus::Failed { message });
        }
        if self.course.state.u.iter().any(|v| v.abs() > MOST_SPEED) {
            let message = format!(
                "at t = {t} s: a velocity has grown beyond {MOST_SPEED:e}; springs and dampers that \
                 are stiff need a shorter simulation.step"
            );
            return Err(RunStatus::Failed { message });
        }
        match self.course.trust.is_beyond(self.system, &self.course.state) {
            Some(message) => Err(RunStatus::Untrustworthy { message }),
            None => Ok(()),
        }
    }

    pub(super) fn step(&mut self, dt: f64) -> Result<StepReport, RunStatus> {
        let outcome = self.integrator.step(self.system, &mut self.course.state, dt);
        let is_good = |report: &StepReport| report.solve.status == Status::Solved;
        if !outcome.as_ref().is_ok_and(is_good) && stop::requested() {
            self.course.state.clone_from(&self.course.before);
            return Err(RunStatus::Interrupted);
        }
        let mut report = outcome.map_err(|error| RunStatus::Failed {
            message: match self.system.not_finite() {
                Some(reason) => format!("{error}; {reason}"),
                None => error.to_string(),
            },
        })?;
        let record = self.integrator.record();
        // Schemes of first order gain by errors of their own, which shorter steps do not always mend.
        self.course.out_of_proportion = self.integrator.order() > 1
            && self.course.trust.is_out_of_proportion(self.system, &self.course.state, record);
        if self.course.out_of_proportion {
            report.solve.status = Status::Diverged;
            report.solve.residual.value = report.solve.residual.value.max(1.0);
        }
        Ok(report)
    }

    /// Enters a step into the books.
    pub(super) fn accept(&mut self, dt: f64, report: &StepReport) {
        let record = if self.course.by_kept_record {
            &self.course.kept_record
        } else {
            self.integrator.record()
        };
        self.course.book.enter(self.system.law_groups(), record);
        let energy = self.system.energy(&self.course.state);
        self.course.trust.enter(self.course.state.t, energy, &mut self.course.book, record);
        self.course.impacts.enter(self.system, self.course.state.t, dt, record);
        self.course.forces.enter(self.system, &self.course.state, dt, record);
        self.course.residual = self.course.residual.max(report.solve.residual.value);
        self.course.worst_residual = self.course.worst_residual.max(report.solve.residual.value);
        self.course.iterations += report.solve.iterations;
        self.course.closed = report.contacts;
        self.course.interval += dt;
        self.course.last_step = dt;
        for contact in &record.contacts {
            if contact.gap.is_finite() {
                self.course.depth = self.course.depth.max(-contact.gap);
            }
        }
        self.course.events.enter(self.course.state.t, record, self.course.depth);
        self.course.states.fill(ContactState::Open);
        self.course.slips.fill(0.0);
        for contact in &record.contacts {
            let Some(position) = self.system.reported_index(contact.key) else { continue };
            self.course.states[position] = self.course.states[position].joined(contact.state);
            self.course.touched[position] = self.course.touched[position].joined(contact.state);
            self.course.percussions[position] += contact.normal_percussion;
            if contact.state != ContactState::Open {
                let slip = contact.tangential_velocity[1].abs();
                self.course.slips[position] = self.course.slips[position].max(slip);
            }
        }
    }

    /// Gaps at the present state, without directions.
    fn find_gaps(&mut self) {
        self.course.contacts.clear();
        self.course.contacts.ask_for_gaps();
        self.system.contacts(&self.course.state, &mut self.course.contacts);
    }

    /// What is seen of the reported contacts at the present state.
    pub(super) fn fill_samples(&mut self) {
        self.find_gaps();
        self.course.samples.clear();
        for position in 0..self.course.states.len() {
            let force = if self.course.interval > 0.0 {
                self.course.percussions[position] / self.course.interval
            } else {
                0.0
            };
            let slip = self.course.slips[position];
            let mut values = ContactValues { force, slip, ..ContactValues::default() };
            self.course.forces.fill(position, &mut values);
            let (state, touched) = (self.course.states[position], self.course.touched[position]);
            self.course.samples.push(ContactSample { values, state, touched });
        }
        for candidate in self.course.contacts.candidates() {
            if let Some(position) = self.system.reported_index(candidate.key) {
                let values = &mut self.course.samples[position].values;
                if candidate.gap < values.gap {
                    (values.gap, values.point) = (candidate.gap, candidate.point);
                }
            }
        }
    }

    /// Writes a row of output.
    pub(super) fn output(&mut self, observer: &mut dyn Observer) -> Result<(), RunStatus> {
        self.course.values.clear();
        self.system.observe(&self.course.state, &mut self.course.values);
        self.fill_samples();
        let samples = &self.course.samples;
        let contact = |position: usize| samples[position].values;
        let seen = Seen { contact: &contact, joints: &self.course.forces.reactions };
        self.system.derive(&self.course.state, &seen, &mut self.course.values);
        // What the integrator knows stands behind the columns of the system.
        let [before, behind] = &mut self.course.inner;
        self.integrator.observe(self.system, &self.course.state, before, behind);
        self.course
            .values
            .splice(self.course.own_columns..self.course.own_columns, before.drain(..));
        self.course.values.append(behind);
        let record = self.integrator.record();
        let sample = Sample {
            state: &self.course.state,
            energy: self.system.energy(&self.course.state),
            values: &self.course.values,
            contacts: &self.course.samples,
            touching: if self.course.last_step > 0.0 { &record.contacts } else { &[] },
            percussions: &record.percussions,
            last_step: self.course.last_step,
            residual: self.course.residual,
            iterations: self.course.iterations,
            book: &self.course.book,
        };
        observer
            .sample(&sample)
            .map_err(|error| RunStatus::OutputFailed { message: error.to_string() })?;
        self.course.residual = 0.0;
        self.course.iterations = 0;
        self.course.percussions.fill(0.0);
        self.course.forces.next_row();
        self.course.touched.fill(ContactState::Open);
        self.course.interval = 0.0;
        Ok(())
    }
}
