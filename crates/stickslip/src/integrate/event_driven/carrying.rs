//! The event-driven scheme as an integrator that carries small changes along.

use super::{EventDriven, Variation};
use crate::integrate::{Carried, Integrator, SharedChanges, StepError, StepRecord, StepReport};
use crate::memory::Tape;
use crate::problem::InclusionProblem;
use crate::solve::Solver;
use crate::system::{MechanicalSystem, Observed, State};
use std::sync::Arc;

/// The event-driven scheme with small changes. Those of parameters have three pairs of systems, at three, two and one
/// times the same step.
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
        let variation = Variation::new(columns).with_parameters(parameters);
        Self { inner, variation, changes }
    }
}

/// The systems of a parameter at [`super::OFFSETS`] times a step.
fn neighbours(change: &Carried) -> (Vec<Arc<dyn Observed>>, f64) {
    let pairs = &change.pairs;
    let below = pairs.iter().map(|pair| pair.systems[1].clone());
    let above = pairs.iter().rev().map(|pair| pair.systems[0].clone());
    (below.chain(above).collect(), pairs.last().map_or(1.0, |pair| pair.step))
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
