//! The energy book of a run.

use super::forces::is_same_name;
use crate::integrate::StepRecord;
use crate::memory::Tape;
use crate::system::LawGroup;

/// Work of every law over a run, so that E(t) − E(0) − Σ work closes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnergyBook {
    /// Energy at the start, J.
    pub initial: f64,
    /// Work of the laws on the system by name, J; negative where energy is dissipated.
    pub works: Vec<(&'static str, f64)>,
    /// Work of prescribed motion and of forces without a potential, J.
    pub drive: f64,
    /// Energy put in by the projection of constraint violation, J.
    pub projection: f64,
    /// Number of steps in which the laws of all contacts together put in more energy than the step
    /// leaves unexplained.
    pub gains: u64,
    /// Energy that they put in there, J.
    pub gained: f64,
    /// The largest of these gains.
    pub largest_gain: Option<EnergyGain>,
    /// Number of steps in which friction that falls with the speed could have stuck as well as slid at
    /// some contact: the step went on as the one before.
    pub friction_choices: u64,
}

/// Energy that the laws of the contacts put in within one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyGain {
    /// End of the step, s.
    pub t: f64,
    /// Key of the contact that put in most.
    pub contact: u64,
    /// Energy that all contacts together put in, J.
    pub energy: f64,
    /// The same relative to the energy turned over before: largest kinetic energy, dissipation, drive.
    pub share: f64,
}

impl EnergyBook {
    /// A book that begins with this energy and knows the names of all laws.
    pub(crate) fn new(initial: f64, groups: &[LawGroup]) -> Self {
        let mut works: Vec<(&'static str, f64)> = Vec::new();
        for named in groups.iter().flat_map(|g| &g.laws) {
            if works.iter().all(|(name, _)| *name != named.name) {
                works.push((named.name, 0.0));
            }
        }
        Self { initial, works, ..Self::default() }
    }

    /// Writes everything, or reads it; which laws there are is known.
    pub(crate) fn keep(&mut self, tape: &mut Tape) {
        tape.section("energy book");
        tape.reals([&mut self.initial, &mut self.drive, &mut self.projection, &mut self.gained]);
        tape.reals(self.works.iter_mut().map(|(_, work)| work));
        tape.whole(&mut self.gains);
        tape.whole(&mut self.friction_choices);
        tape.option(&mut self.largest_gain, |tape, gain| {
            tape.reals([&mut gain.t, &mut gain.energy, &mut gain.share]);
            tape.whole(&mut gain.contact);
        });
    }

    /// Enters a step.
    pub(crate) fn enter(&mut self, groups: &[LawGroup], record: &StepRecord) {
        for entry in &record.works {
            let name = groups[entry.group].laws[entry.law].name;
            if let Some((_, work)) = self.works.iter_mut().find(|(n, _)| is_same_name(n, name)) {
                *work += entry.work;
            }
        }
        self.drive += record.drive_work;
        self.friction_choices += u64::from(record.friction_choices > 0);
        self.projection += record.projection_work;
    }

    /// Enters a gain.
    pub(crate) fn gain(&mut self, gain: EnergyGain) {
        self.gains += 1;
        self.gained += gain.energy;
        if self.largest_gain.is_none_or(|largest| gain.energy > largest.energy) {
            self.largest_gain = Some(gain);
        }
    }

    /// What the book leaves unexplained of the present energy, J: the error of the scheme itself.
    pub fn closing_error(&self, energy: f64) -> f64 {
        let laws: f64 = self.works.iter().map(|(_, work)| work).sum();
        energy - self.initial - laws - self.drive - self.projection
    }
}
