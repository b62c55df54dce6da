//! What is reported of a system.

use super::{Column, ContactPlace, ContactSet, Drawing, DrawnPose, MechanicalSystem, State};

/// What is known of a reported contact when a row is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactValues {
    /// Gap, m.
    pub gap: f64,
    /// Mean normal force since the last row, N.
    pub force: f64,
    /// Sliding speed at the end of the last step, m/s.
    pub slip: f64,
}

/// A column that a reported contact may have in tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactColumn {
    /// Gap, m.
    Gap,
    /// Mean normal force since the last row, N.
    Force,
    /// Sliding speed at the end of the last step, m/s.
    Slip,
    /// Open, stick or slip.
    State,
}

impl ContactColumn {
    /// All of them, in the order of tables.
    pub const ALL: [ContactColumn; 4] =
        [ContactColumn::Gap, ContactColumn::Force, ContactColumn::Slip, ContactColumn::State];

    /// The name in the header, behind the name of the contact.
    pub fn name(self) -> &'static str {
        match self {
            ContactColumn::Gap => "gap",
            ContactColumn::Force => "force",
            ContactColumn::Slip => "slip",
            ContactColumn::State => "state",
        }
    }

    /// Its unit; empty for the state, which is a word.
    pub fn unit(self) -> &'static str {
        match self {
            ContactColumn::Gap => "m",
            ContactColumn::Force => "N",
            ContactColumn::Slip => "m/s",
            ContactColumn::State => "",
        }
    }
}

/// Columns of a table, apart from those of energies and contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnList {
    /// Those before the energies.
    pub before_energy: Vec<Column>,
    /// Those behind the energies.
    pub behind_energy: Vec<Column>,
}

impl ColumnList {
    /// The columns of a system with those of `more` behind them, before and behind the energies.
    pub fn of(system: &dyn Observed, more: ColumnList) -> Self {
        let (mut before_energy, mut behind_energy) = (system.columns(), system.extra_columns());
        before_energy.extend(more.before_energy);
        behind_energy.extend(more.behind_energy);
        Self { before_energy, behind_energy }
    }

    /// All of them, in the order of the values of a row.
    pub fn all(&self) -> impl Iterator<Item = &Column> {
        self.before_energy.iter().chain(&self.behind_energy)
    }
}

/// A system that knows which quantities its users want to see.
///
/// A table row is: time, [`columns`](Self::columns), kinetic, potential and total energy,
/// [`extra_columns`](Self::extra_columns), then the
/// [contact columns](Self::contact_columns) of every [reported contact](Self::reported_contacts).
pub trait Observed: MechanicalSystem + Send + Sync {
    /// The quantities that stand before the energies.
    fn columns(&self) -> Vec<Column>;

    /// The quantities that stand behind the energies.
    fn extra_columns(&self) -> Vec<Column> {
        Vec::new()
    }

    /// Appends the values of which those of all columns and extra columns are made; unless
    /// [`derive`](Self::derive) says otherwise they are just these.
    fn observe(&self, at: &State, out: &mut Vec<f64>);

    /// Completes the values of all columns and extra columns by those that are computed of others, and
    /// takes away what no column shows; `values` holds those of [`observe`](Self::observe), `contact` gives the
    /// values of a reported contact.
    fn derive(
        &self,
        _at: &State,
        _contact: &dyn Fn(usize) -> ContactValues,
        _values: &mut Vec<f64>,
    ) {
    }

    /// Lists the constraints that a start must fulfil: those of positions, or those of velocities. False for
    /// a system that takes its start as it is.
    fn start_constraints(&self, _at: &State, _of_positions: bool, _out: &mut ContactSet) -> bool {
        false
    }

    /// Whether the place, or the velocity, of this block must stay as it is where a start is brought to
    /// fulfil its constraints.
    fn is_held_at_start(&self, _block: usize, _of_positions: bool) -> bool {
        false
    }

    /// Keys of the contacts that get columns of their own.
    fn reported_contacts(&self) -> &[u64];

    /// In which reported contact the candidate `key` is counted: several points of contact between
    /// two bodies may be reported as one.
    fn reported_index(&self, key: u64) -> Option<usize> {
        self.reported_contacts().iter().position(|reported| *reported == key)
    }

    /// What a contact is called in the header of a table of impacts.
    fn contact_label(&self) -> &'static str {
        "contact"
    }

    /// Whether the reported contacts are the four corners of a slider in its guide, whose situations
    /// are counted (Flores 2010, Fig. 8).
    fn has_slider_corners(&self) -> bool {
        false
    }

    /// Which columns they get; gap, force and state unless the system says otherwise.
    fn contact_columns(&self) -> &[ContactColumn] {
        &[ContactColumn::Gap, ContactColumn::Force, ContactColumn::State]
    }

    /// The shapes of the system; nothing unless the system can be drawn.
    fn drawing(&self) -> Drawing {
        Drawing::default()
    }

    /// Appends the poses of the bodies of [`drawing`](Self::drawing), in their order.
    fn poses(&self, _at: &State, _out: &mut Vec<DrawnPose>) {}

    /// Appends the places of contact candidates, for arrows of their forces.
    fn contact_places(&self, _at: &State, _out: &mut Vec<ContactPlace>) {}
}
