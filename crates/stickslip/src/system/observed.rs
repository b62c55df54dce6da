//! What is reported of a system.

use super::{MechanicalSystem, State};

/// A system that knows which quantities its users want to see.
///
/// A table row is: time, [`columns`](Self::columns), kinetic, potential and total energy,
/// [`extra_columns`](Self::extra_columns), then gap, force and state of every
/// [reported contact](Self::reported_contacts).
pub trait Observed: MechanicalSystem {
    /// Names of the quantities that stand before the energies.
    fn columns(&self) -> &[&'static str];

    /// Names of the quantities that stand behind the energies.
    fn extra_columns(&self) -> &[&'static str] {
        &[]
    }

    /// Appends the values of all columns and extra columns.
    fn observe(&self, at: &State, out: &mut Vec<f64>);

    /// Keys of the contacts that get columns of their own.
    fn reported_contacts(&self) -> &[u64];
}
