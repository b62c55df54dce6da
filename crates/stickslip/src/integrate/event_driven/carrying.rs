//! The event-driven scheme as an integrator that carries small changes along.

use super::variation::Neighbours;
use super::{EventDriven, Variation};
use crate::integrate::{
    Carried, Integrator, Pair, SharedChanges, StepError, StepRecord, StepReport,
};
use crate::memory::Tape;
use crate::problem::InclusionProblem;
use crate::solve::Solver;
use crate::system::{MechanicalSystem, State};

/// The event-driven scheme with small changes. Derivatives have an order of 2.
#[derive(Clone)]
pub struct CarryingEvents {
    inner: EventDriven,
    variation: Variation,
    changes: SharedChanges,
}

impl CarryingEvents {
    /// Lets a scheme that has made no step carry changes along.
    pub fn new(inner: EventDriven, changes: SharedChanges) -> Self {
        let list = changes.now().list.clone();
        let columns = list.iter().map(|change| change.tangent.clone()).collect();
        let parameters = list.iter().map(neighbours).collect();
        let variation = Variation::new(columns).quick(parameters);
        Self { inner, variation, changes }
    }
}

/// The systems of a parameter at −1 and 1 times its steps.
fn neighbours(change: &Carried) -> Vec<Neighbours> {
    let around = |Pair { step, around }: &Pair| {
        let [above, below] = around.systems()?;
        Some((vec![below.clone(), above.clone()], *step))
    };
    change.pairs.iter().filter_map(around).collect()
}

impl Integrator for CarryingEvents {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn step(
        &mut self,
        system: &dyn MechanicalSystem,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        super::check_step(dt)?;
        let (mut end, t_end) = (state.clone(), state.t + dt);
        let variation = Some(&mut self.variation);
        let report = self.inner.carry_until(system, &mut end, t_end, variation, &mut |_| {})?;
        *state = end;
        let mut changes = self.changes.now();
        for (change, column) in changes.list.iter_mut().zip(&self.variation.columns) {
            change.tangent.clone_from(column);
        }
        changes.blind = self.variation.blind;
        Ok(report)
    }

    fn record(&self) -> &StepRecord {
        self.inner.record()
    }

    fn failed_problem(&self) -> Option<&InclusionProblem> {
        self.inner.failed_problem()
    }

    fn keep(&mut self, tape: &mut Tape) {
        self.inner.keep(tape);
    }

    fn exchange_solver(&mut self, solver: Box<dyn Solver>) -> Box<dyn Solver> {
        self.inner.exchange_solver(solver)
    }
}
