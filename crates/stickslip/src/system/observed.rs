//! What is reported of a system.

use super::{MechanicalSystem, State};

/// A column that a reported contact may have in tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactColumn {
    /// Gap, m.
    Gap,
    /// Mean normal force since the last row, N.
    Force,
    /// Open, stick or slip.
    State,
}

impl ContactColumn {
    /// The name in the header, behind the name of the contact.
    pub fn name(self) -> &'static str {
        match self {
            ContactColumn::Gap => "gap",
            ContactColumn::Force => "force",
            ContactColumn::State => "state",
        }
    }
}

/// A system that knows which quantities its users want to see.
///
/// A table row is: time, [`columns`](Self::columns), kinetic, potential and total energy,
/// [`extra_columns`](Self::extra_columns), then the
/// [contact columns](Self::contact_columns) of every [reported contact](Self::reported_contacts).
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

    /// What a contact is called in the header of a table of impacts.
    fn contact_label(&self) -> &'static str {
        "contact"
    }

    /// Which columns they get; gap, force and state unless the system says otherwise.
    fn contact_columns(&self) -> &[ContactColumn] {
        &[ContactColumn::Gap, ContactColumn::Force, ContactColumn::State]
    }
}
