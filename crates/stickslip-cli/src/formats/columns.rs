//! The columns of a trajectory in memory.

use crate::exit::Exit;
use std::collections::BTreeMap;
use stickslip::integrate::ContactState;
use stickslip::simulate::Sample;
use stickslip::system::{ColumnList, ContactColumn, Observed};

/// Numbers that are kept in memory at most: 1.6 GB.
const MOST_NUMBERS: f64 = 2e8;

/// Columns in memory, for formats that are written at the end.
pub struct Columns {
    /// Names of the columns of numbers.
    pub names: Vec<String>,
    /// The numbers.
    pub columns: Vec<Vec<f64>>,
    /// Names of the columns of states of contacts.
    pub state_names: Vec<String>,
    /// The states: 0 open, 1 stick, 2 slip.
    pub states: Vec<Vec<i8>>,
    /// Units of those that have one.
    pub units: BTreeMap<String, String>,
    before_energy: usize,
    contact_columns: Vec<Vec<ContactColumn>>,
}

/// Units of the columns of a table that have one.
pub fn units(system: &dyn Observed, columns: &ColumnList) -> BTreeMap<String, String> {
    let own = columns.all().map(|column| (column.name.to_string(), column.unit.to_string()));
    let mut units: BTreeMap<String, String> = own.collect();
    units.insert("t".into(), "s".into());
    units.extend(["kinetic", "potential", "energy"].map(|name| (name.into(), "J".into())));
    for (position, key) in system.reported_contacts().iter().enumerate() {
        let contact = system.contact_name(*key);
        let own = system.contact_columns(position).iter();
        units.extend(own.map(|c| (format!("{contact}.{}", c.name()), c.unit().to_owned())));
    }
    units.retain(|_, unit| !unit.is_empty());
    units
}

impl Columns {
    /// The columns of `trajectory.csv` in the same order, states of contacts apart.
    pub fn new(system: &dyn Observed, own: &ColumnList, rows: f64) -> Result<Self, (Exit, String)> {
        let mut names = vec!["t".to_owned()];
        let before_energy = own.before_energy.len();
        names.extend(own.before_energy.iter().map(|name| name.to_string()));
        names.extend(["kinetic", "potential", "energy"].map(String::from));
        names.extend(own.behind_energy.iter().map(|name| name.to_string()));
        let mut state_names = Vec::new();
        let mut contact_columns = Vec::new();
        for (position, key) in system.reported_contacts().iter().enumerate() {
            let contact = system.contact_name(*key);
            contact_columns.push(system.contact_columns(position).to_vec());
            for column in system.contact_columns(position) {
                let list =
                    if *column == ContactColumn::State { &mut state_names } else { &mut names };
                list.push(format!("{contact}.{}", column.name()));
            }
        }
        names.extend(["residual", "iterations"].map(String::from));
        let numbers = rows * names.len() as f64;
        if numbers > MOST_NUMBERS {
            let message = format!(
                "--formats npz, parquet: {rows:.0} rows of {} columns are more than {MOST_NUMBERS:.0e} \
                 numbers; take a larger simulation.output_step, or csv alone",
                names.len()
            );
            return Err((Exit::ResourceLimit, message));
        }
        Ok(Self {
            columns: vec![Vec::new(); names.len()],
            states: vec![Vec::new(); state_names.len()],
            names,
            state_names,
            units: units(system, own),
            before_energy,
            contact_columns,
        })
    }

    /// Takes a row.
    pub fn row(&mut self, sample: &Sample) {
        let (before, behind) = sample.values.split_at(self.before_energy);
        let energy = sample.energy;
        let mut numbers = vec![sample.state.t];
        numbers.extend_from_slice(before);
        numbers.extend([energy.kinetic, energy.potential, energy.total()]);
        numbers.extend_from_slice(behind);
        let mut states = Vec::with_capacity(self.states.len());
        for (contact, columns) in sample.contacts.iter().zip(&self.contact_columns) {
            for column in columns {
                match column {
                    ContactColumn::State => states.push(match contact.state {
                        ContactState::Open => 0,
                        ContactState::Stick => 1,
                        ContactState::Slip => 2,
                    }),
                    number => numbers.push(number.value(&contact.values)),
                }
            }
        }
        numbers.extend([sample.residual, sample.iterations as f64]);
        self.columns.iter_mut().zip(numbers).for_each(|(column, value)| column.push(value));
        self.states.iter_mut().zip(states).for_each(|(column, value)| column.push(value));
    }
}
