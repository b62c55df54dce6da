//! A run that one can hold in one's hand.

use super::archive::{Archive, ArchiveError, RecordPlace};
use super::course::Course;
use super::energy_book::EnergyBook;
use super::run::{Goal, Observer, Runner, Sample};
use super::summary::{RunStatus, Summary};
use super::{Event, RunSettings};
use crate::integrate::{ContactRecord, Impact, Integrator};
use crate::memory::{Memory, MemoryError, Tape};
use crate::range::OutOfRange;
use crate::stop::{self, StopCheck};
use crate::system::{ColumnList, Energy, Observed, State};
use std::path::Path;
use std::sync::Arc;

/// Version of what a [`SavedState`] holds, in the name of its first section.
const VERSION: u32 = 1;

/// A system, an integrator and a state that are carried through time as one likes.
///
/// The steps lie on a grid (or are chosen by the accuracy of the settings) and do not depend on where
/// one stops: however a run is cut into pieces, it gives the same numbers bit for bit. It may go on
/// beyond the duration of the settings, which only says where [`run`](Self::run) ends.
///
/// ```
/// use stickslip::prelude::*;
///
/// let scene = Scene::load("bouncing-mass", &["simulation.duration=0.2"])?;
/// let mut simulation = scene.simulate()?;
/// simulation.run_until(0.1)?;
/// let half_way = simulation.state();
/// let end = simulation.run(&mut Unobserved).final_state;
///
/// simulation.set_state(&half_way)?;
/// simulation.run_until(0.2)?;
/// assert_eq!(simulation.q(), end.q);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Simulation {
    system: Arc<dyn Observed>,
    integrator: Box<dyn Integrator>,
    settings: RunSettings,
    course: Course,
    start: SavedState,
    stop: Option<StopCheck>,
}

/// Everything that the rest of a run depends on: state, percussions and modes that the integrator keeps,
/// books, events, the choice of steps, the place among the rows of output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedState(Memory);

impl SavedState {
    /// As plain numbers, for a file.
    pub fn memory(&self) -> &Memory {
        &self.0
    }
}

/// What it holds is checked by [`Simulation::set_state`].
impl From<Memory> for SavedState {
    fn from(memory: Memory) -> Self {
        Self(memory)
    }
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn sample(&mut self, _sample: &Sample) -> std::io::Result<()> {
        Ok(())
    }
}

impl Simulation {
    /// A simulation that begins at `start`; see [`super::run`] for what is done to it and about steps that
    /// are not solved.
    pub fn new(
        system: Arc<dyn Observed>,
        integrator: Box<dyn Integrator>,
        start: State,
        settings: RunSettings,
    ) -> Result<Self, OutOfRange> {
        let course = Course::new(system.as_ref(), start, &settings)?;
        let start = SavedState::default();
        let mut simulation = Self { system, integrator, settings, course, start, stop: None };
        simulation.start = simulation.state();
        Ok(simulation)
    }

    /// Goes on by a number of steps; two at a time where they are chosen by an accuracy.
    pub fn step(&mut self, count: u64) -> Result<(), RunStatus> {
        self.go(Goal::Steps(self.course.steps.saturating_add(count)), &mut Unobserved)
    }

    /// Goes on to the first end of a step at the time `t` (s) or behind it.
    pub fn run_until(&mut self, t: f64) -> Result<(), RunStatus> {
        self.observe_until(t, &mut Unobserved)
    }

    /// The same, and shows the observer the rows of output on the way; the first is that of the start.
    pub fn observe_until(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), RunStatus> {
        self.go(Goal::Time(t), observer)
    }

    /// Goes on to the end of the duration and sums up.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Summary {
        let stop = self.stop.clone();
        stop::watching(stop.as_ref(), || self.runner().run(observer))
    }

    fn go(&mut self, goal: Goal, observer: &mut dyn Observer) -> Result<(), RunStatus> {
        let stop = self.stop.clone();
        stop::watching(stop.as_ref(), || self.runner().go(goal, observer))
    }

    fn runner(&mut self) -> Runner<'_> {
        Runner {
            system: self.system.as_ref(),
            integrator: self.integrator.as_mut(),
            settings: &self.settings,
            course: &mut self.course,
        }
    }

    /// Everything that the rest of the run depends on.
    pub fn state(&self) -> SavedState {
        let (mut course, mut integrator) = (self.course.clone(), self.integrator.clone());
        save(self.system.as_ref(), &mut course, integrator.as_mut())
    }

    /// Writes the state to a new archive with the scene as a file, which may be empty.
    pub fn save(&self, path: &Path, scene: &str) -> Result<(), ArchiveError> {
        let place = RecordPlace { t: self.t(), steps: self.steps(), ..RecordPlace::default() };
        Archive::save(path, scene, place, &self.state())
    }

    /// Whether the last step was ended early, by an error or from outside: coordinates and velocities are those
    /// before it, but the integrator may know of part of it, so that going on is not what it would have been.
    pub fn is_torn(&self) -> bool {
        self.course.is_torn
    }

    /// Goes to a state that was saved by a simulation of the same system with the same integrator. On an
    /// error nothing has changed.
    pub fn set_state(&mut self, saved: &SavedState) -> Result<(), MemoryError> {
        let mut tape = Tape::reader(saved.0.clone());
        let (mut course, mut integrator) = (self.course.clone(), self.integrator.clone());
        keep(self.system.as_ref(), &mut course, integrator.as_mut(), &mut tape);
        tape.finish()?;
        course.is_torn = false;
        (self.course, self.integrator) = (course, integrator);
        Ok(())
    }

    /// Goes to a state that was saved by a simulation of a system with other values but the same bodies,
    /// contacts and integrator, on the same grid of steps. What the change of the values does to the energy is
    /// entered in the book as work of the drive. On an error nothing has changed.
    pub fn branch(&mut self, saved: &SavedState) -> Result<(), MemoryError> {
        let before = (self.course.clone(), self.integrator.clone());
        self.set_state(saved)?;
        if !self.runner().is_on_grid() {
            (self.course, self.integrator) = before;
            return Err(MemoryError::Grid);
        }
        self.course.settle_change(self.system.as_ref());
        Ok(())
    }

    /// Goes back to the start.
    pub fn reset(&mut self) -> Result<(), MemoryError> {
        let start = self.start.clone();
        self.set_state(&start)
    }

    /// Time, s.
    pub fn t(&self) -> f64 {
        self.course.state.t
    }

    /// Coordinates.
    pub fn q(&self) -> &[f64] {
        &self.course.state.q
    }

    /// Velocities.
    pub fn u(&self) -> &[f64] {
        &self.course.state.u
    }

    /// The present state of the system.
    pub fn present(&self) -> &State {
        &self.course.state
    }

    /// Steps done.
    pub fn steps(&self) -> u64 {
        self.course.steps
    }

    /// What moves.
    pub fn system(&self) -> &dyn Observed {
        self.system.as_ref()
    }

    /// The scheme that carries it, with what it keeps from step to step.
    pub fn integrator(&self) -> &dyn Integrator {
        self.integrator.as_ref()
    }

    /// Length, step and output of the run.
    pub fn settings(&self) -> &RunSettings {
        &self.settings
    }

    /// The columns of a row of output, apart from energies and contacts.
    pub fn columns(&self) -> ColumnList {
        ColumnList::of(self.system.as_ref(), self.integrator.columns())
    }

    /// Length of the last step, over which the percussions of [`contacts`](Self::contacts) are summed, s; 0
    /// before the first.
    pub fn last_step(&self) -> f64 {
        self.course.last_step
    }

    /// All contact candidates and joints in the last step.
    pub fn contacts(&self) -> &[ContactRecord] {
        if self.course.last_step > 0.0 { &self.integrator.record().contacts } else { &[] }
    }

    /// Mean normal force in the last step at all points of the contact of this name, N.
    pub fn normal_force(&self, contact: &str) -> f64 {
        let system = self.system.as_ref();
        let is_named = |key: u64| system.contact_name(key) == contact;
        let reported = system.reported_contacts().iter().position(|key| is_named(*key));
        let counts = |record: &&ContactRecord| match reported {
            Some(_) => system.reported_index(record.key) == reported,
            None => is_named(record.key),
        };
        let percussions = self.contacts().iter().filter(counts).map(|c| c.normal_percussion);
        let sum: f64 = percussions.sum();
        if sum == 0.0 { 0.0 } else { sum / self.course.last_step }
    }

    /// Energy of the present state.
    pub fn energy(&self) -> Energy {
        self.system.energy(&self.course.state)
    }

    /// Work of every law since the start.
    pub fn energy_book(&self) -> &EnergyBook {
        &self.course.book
    }

    /// Openings and closings of the contacts so far, in the order in which they were found.
    pub fn events(&self) -> &[Event] {
        &self.course.events.events
    }

    /// Impacts so far.
    pub fn impacts(&self) -> &[Impact] {
        &self.course.impacts.impacts
    }

    /// What there is to say of the run so far.
    pub fn summary(&mut self) -> Summary {
        self.runner().summary(None)
    }

    /// Takes a check that ends a step that takes long; see [`stop::watching`].
    pub fn stop_when(&mut self, check: StopCheck) {
        self.stop = Some(check);
    }
}

/// Everything that the rest of a run depends on.
pub(super) fn save(
    system: &dyn Observed,
    course: &mut Course,
    integrator: &mut dyn Integrator,
) -> SavedState {
    let mut tape = Tape::writer();
    keep(system, course, integrator, &mut tape);
    SavedState(tape.finish().unwrap_or_default())
}

/// Writes everything, or reads it.
fn keep(
    system: &dyn Observed,
    course: &mut Course,
    integrator: &mut dyn Integrator,
    tape: &mut Tape,
) {
    tape.section(&format!("version {VERSION} by {}", integrator.name()));
    // What the indices in the rest refer to.
    let mut sizes = vec![system.coordinate_count(), system.reported_contacts().len()];
    sizes.extend(system.blocks());
    sizes.extend(system.law_groups().iter().map(|group| group.laws.len()));
    let mut found = sizes.clone();
    tape.list(&mut found, Tape::size);
    course.keep(system, tape);
    let fits = course.state.q.len() == system.coordinate_count()
        && course.state.u.len() == system.blocks().iter().sum::<usize>();
    if found != sizes || !fits {
        tape.refuse();
    }
    integrator.keep(tape);
}
