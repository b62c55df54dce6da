//! The energy book of a run.

use crate::integrate::StepRecord;
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
    /// Number of steps in which the laws of all contacts together put energy in.
    pub gains: u64,
}

/// Energy relative to that of the start below which a gain is rounding.
const ROUNDING: f64 = 1e-12;

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

    /// Enters a step.
    pub(crate) fn enter(&mut self, groups: &[LawGroup], record: &StepRecord) {
        for entry in &record.works {
            let name = groups[entry.group].laws[entry.law].name;
            if let Some((_, work)) = self.works.iter_mut().find(|(n, _)| *n == name) {
                *work += entry.work;
            }
        }
        self.drive += record.drive_work;
        self.projection += record.projection_work;
        // A system at rest gains and loses rounding errors all the time.
        if record.energy_gained > ROUNDING * self.initial.abs() {
            self.gains += u64::from(record.energy_gains > 0);
        }
    }

    /// What the book leaves unexplained of the present energy, J: the error of the scheme itself.
    pub fn closing_error(&self, energy: f64) -> f64 {
        let laws: f64 = self.works.iter().map(|(_, work)| work).sum();
        energy - self.initial - laws - self.drive - self.projection
    }
}
