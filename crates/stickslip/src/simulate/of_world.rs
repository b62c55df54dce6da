//! From a description to a simulation.

use super::{RunSettings, Simulation};
use crate::integrate::{Integrator, Rattle};
use crate::range::OutOfRange;
use crate::solve::{Auto, AutoOptions, Limits, SolveError};
use crate::world::{World, WorldDescription, WorldError};
use std::sync::Arc;

/// Residual of a contact problem that is solved, as in scene files.
const TOLERANCE: f64 = 1e-10;

/// Why there is no simulation of a description.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Everything that is wrong with the description.
    #[error("{}", .0.iter().map(WorldError::to_string).collect::<Vec<_>>().join("\n"))]
    World(Vec<WorldError>),
    /// A setting of the run.
    #[error(transparent)]
    Settings(#[from] OutOfRange),
    /// An option of the solver.
    #[error(transparent)]
    Solver(#[from] SolveError),
}

impl WorldDescription {
    /// A simulation by the integrator and solver that scene files have by default: nonsmooth RATTLE,
    /// with what overlaps at the start closed before.
    pub fn simulate(&self, settings: RunSettings) -> Result<Simulation, BuildError> {
        let limits = Limits { tolerance: TOLERANCE, ..Limits::default() };
        let integrator =
            Rattle::new(Box::new(Auto::new(AutoOptions { limits, ..Default::default() })?));
        let settings = RunSettings { close_start: true, solver_tolerance: TOLERANCE, ..settings };
        self.simulate_by(Box::new(integrator), settings)
    }

    /// A simulation by another integrator.
    pub fn simulate_by(
        &self,
        integrator: Box<dyn Integrator>,
        settings: RunSettings,
    ) -> Result<Simulation, BuildError> {
        let world = World::new(self).map_err(BuildError::World)?;
        let start = world.start();
        Ok(Simulation::new(Arc::new(world), integrator, start, settings)?)
    }
}
