//! Where a run is: all that changes while it goes on.

use super::RunSettings;
use super::adaptive::StepChoice;
use super::conditions::Watch;
use super::contact_table::ContactSample;
use super::energy_book::EnergyBook;
use super::events::EventDetector;
use super::forces::ForceBook;
use super::impacts::ImpactRecorder;
use super::start::close;
use super::summary::{EnergySummary, RunStatus, Summary};
use super::trust::Trust;
use crate::integrate::{ContactState, StepRecord};
use crate::memory::Tape;
use crate::range::OutOfRange;
use crate::solve::Solver;
use crate::system::{ContactSet, Observed, State};

/// Where a run is, and memory for its steps.
#[derive(Clone)]
pub(super) struct Course {
    pub(super) state: State,
    /// Time of the start, s.
    pub(super) start: f64,
    /// Whether the row of the start is out.
    pub(super) begun: bool,
    /// Whether the last step was ended early: the integrator may know of part of it.
    pub(super) is_torn: bool,
    /// Rows after that of the start.
    pub(super) row: u64,
    pub(super) steps: u64,
    /// Chooses the steps; none if all are equal.
    pub(super) choice: Option<StepChoice>,
    pub(super) book: EnergyBook,
    pub(super) trust: Trust,
    pub(super) events: EventDetector,
    pub(super) impacts: ImpactRecorder,
    pub(super) watch: Watch,
    pub(super) forces: ForceBook,
    pub(super) rescued: u64,
    pub(super) unsolved: u64,
    pub(super) worst_residual: f64,
    pub(super) max_penetration: f64,
    /// Deepest gap at which the scheme has looked within a step, m.
    pub(super) depth: f64,
    pub(super) closed: usize,
    /// Length of the last step that was entered into the books, s.
    pub(super) last_step: f64,
    /// What was done to the start.
    notes: Vec<String>,
    // Since the last row of output:
    pub(super) residual: f64,
    pub(super) iterations: usize,
    pub(super) percussions: Vec<f64>,
    pub(super) interval: f64,
    pub(super) states: Vec<ContactState>,
    pub(super) touched: Vec<ContactState>,
    pub(super) slips: Vec<f64>,
    // Memory within a step:
    pub(super) before: State,
    pub(super) last_resort: Option<Box<dyn Solver>>,
    /// Whether the laws put far too much energy in within the last step that was tried.
    pub(super) out_of_proportion: bool,
    /// The record of a step that is entered later than the one after it, and whether it counts.
    pub(super) kept_record: StepRecord,
    pub(super) by_kept_record: bool,
    /// Forces without a potential at the end of the last step.
    pub(super) applied: Vec<f64>,
    // Memory for a row of output:
    pub(super) own_columns: usize,
    pub(super) inner: [Vec<f64>; 2],
    pub(super) values: Vec<f64>,
    pub(super) contacts: ContactSet,
    pub(super) samples: Vec<ContactSample>,
}

impl Course {
    /// A run that begins at `start`.
    pub(super) fn new(
        system: &dyn Observed,
        mut start: State,
        settings: &RunSettings,
    ) -> Result<Self, OutOfRange> {
        settings.validate()?;
        let notes = if settings.close_start { close(system, &mut start) } else { Vec::new() };
        let reported = system.reported_contacts().len();
        let energy = system.energy(&start).total();
        let choice = settings.accuracy.map(|_| StepChoice::new(system, &start, settings));
        Ok(Self {
            trust: Trust::new(system, &start, settings.step),
            forces: ForceBook::new(system, &start),
            before: start.clone(),
            start: start.t,
            begun: false,
            is_torn: false,
            row: 0,
            state: start,
            choice,
            book: EnergyBook::new(energy, system.law_groups()),
            events: EventDetector::new(settings.step),
            impacts: ImpactRecorder::new(reported),
            watch: Watch::new(system),
            notes,
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
        })
    }

    /// After a change of the values of the system: what it has done to the energy counts as drive.
    pub(super) fn settle_change(&mut self, system: &dyn Observed) {
        let closing = self.book.closing_error(system.energy(&self.state).total());
        self.book.drive += closing - self.trust.closing();
    }

    /// Steps that were computed, those that were only tried included.
    pub(super) fn computed(&self) -> u64 {
        self.choice.as_ref().map_or(self.steps, |choice| choice.count.computed)
    }

    /// Writes all that the rest of the run depends on, or reads it.
    pub(super) fn keep(&mut self, system: &dyn Observed, tape: &mut Tape) {
        tape.section("state");
        self.state.keep(tape);
        tape.section("run");
        for count in [&mut self.steps, &mut self.row, &mut self.rescued, &mut self.unsolved] {
            tape.whole(count);
        }
        tape.flag(&mut self.begun);
        tape.reals([&mut self.start, &mut self.worst_residual, &mut self.max_penetration]);
        tape.reals([&mut self.depth, &mut self.last_step, &mut self.residual, &mut self.interval]);
        tape.size(&mut self.closed);
        tape.size(&mut self.iterations);
        tape.reals(self.percussions.iter_mut().chain(&mut self.slips));
        for state in self.states.iter_mut().chain(&mut self.touched) {
            tape.choice(state, &ContactState::ALL);
        }
        if let Some(choice) = &mut self.choice {
            choice.keep(tape);
        }
        self.book.keep(tape);
        self.trust.keep(tape);
        self.events.keep(tape);
        self.impacts.keep(tape);
        self.watch.keep(tape);
        self.forces.keep(system, tape);
    }

    /// What there is to say of a run that ended so.
    pub(super) fn summary(&self, system: &dyn Observed, status: RunStatus) -> Summary {
        let last = system.energy(&self.state).total();
        let mut warnings = self.notes.clone();
        warnings.extend(self.trust.warnings(system, &self.book));
        Summary {
            status,
            steps: self.steps,
            chosen_steps: self.choice.as_ref().map(|choice| choice.count),
            rescued_steps: self.rescued,
            unsolved_steps: self.unsolved,
            worst_residual: self.worst_residual,
            max_penetration: self.max_penetration,
            energy: EnergySummary {
                initial: self.book.initial,
                last,
                closing_error: self.book.closing_error(last),
                worst_closing: self.trust.worst,
                book: self.book.clone(),
            },
            warnings,
            events: self.events.in_order(),
            dropped_events: self.events.dropped,
            motions: self.events.motions_in_order(),
            dropped_motions: self.events.dropped_motions,
            forces: self.forces.clone(),
            impacts: self.impacts.impacts.clone(),
            dropped_impacts: self.impacts.dropped,
            happened: self.watch.happened.clone(),
            stopped_by: self.watch.stopped,
            contact_times: self.impacts.times.clone(),
            final_state: self.state.clone(),
        }
    }
}
