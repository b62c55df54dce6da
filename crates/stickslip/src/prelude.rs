//! What most programs need: `use stickslip::prelude::*;`.

pub use crate::convex::ConvexSet;
pub use crate::integrate::{EventDriven, Integrator, Moreau, Projection, ProjectionMetric, Rattle};
pub use crate::problem::InclusionProblem;
pub use crate::scene::{Scene, SceneError};
pub use crate::simulate::{
    BuildError, Observer, RunSettings, RunStatus, Sample, SavedState, Simulation, Summary,
    Trajectory, Unobserved,
};
pub use crate::solve::{Limits, SolveReport, Solver, Status};
pub use crate::system::{ContactSet, Energy, MechanicalSystem, Observed, State};
pub use crate::world::{
    BodyDescription as Body, ContactDescription as ContactRule, ContactLaw, FrictionForm,
    JointDescription as Joint, JointKind, Mount, Partner, ShapeKind, World, WorldDescription,
};
