//! Runs: a system, an integrator and a state carried through time, with a book of energy, the
//! events at the contacts and a table of results.

mod adaptive;
mod archive;
mod conditions;
mod contact_table;
mod course;
mod energy_book;
mod events;
mod forces;
mod impacts;
mod of_world;
mod rescue;
mod run;
mod settings;
mod simulation;
mod start;
mod summary;
mod table;
mod trajectory;
mod trust;

pub use adaptive::StepCount;
pub use archive::{Archive, ArchiveError, RecordPlace};
pub use conditions::Happening;
pub use contact_table::{ContactSample, write_contacts};
pub use energy_book::{EnergyBook, EnergyGain};
pub use events::{Event, EventKind};
pub use forces::{ContactForces, Extreme, ForceBook, JointForces};
pub use impacts::write_impacts;
pub use of_world::BuildError;
pub use run::{Halt, Observer, Progress, Sample};
pub use settings::RunSettings;
pub use simulation::{SavedState, Simulation, Unobserved};
pub use start::run;
pub use summary::{EnergySummary, RunStatus, Summary};
pub use table::TableWriter;
pub use trajectory::{Trajectory, units};
pub use trust::ClosingShare;
