//! The columns of a trajectory in memory.

use super::{Observer, Sample, Simulation};
use crate::integrate::ContactState;
use crate::system::{ColumnList, ContactColumn, Observed};
use std::collections::BTreeMap;

/// The rows of a run in memory: the columns of `trajectory.csv` by name, with their units.
///
/// ```
/// use stickslip::prelude::*;
///
/// let mut simulation = Scene::load("bouncing-ball", &["simulation.duration=0.1 s"])?.simulate()?;
/// let mut trajectory = Trajectory::of(&simulation);
/// simulation.run(&mut trajectory);
/// let height = trajectory.column("ball.z").ok_or("no such column")?;
/// assert_eq!((height.len(), trajectory.unit("ball.z")), (trajectory.times().len(), "m"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
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
        let turns = system.contact_turns(*key);
        units.extend(own.map(|c| (format!("{contact}.{}", c.name()), c.unit(turns).to_owned())));
    }
    units.retain(|_, unit| !unit.is_empty());
    units
}

impl Trajectory {
    /// The columns of `trajectory.csv` in the same order, states of contacts apart.
    pub fn new(system: &dyn Observed, own: &ColumnList) -> Self {
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
        Self {
            columns: vec![Vec::new(); names.len()],
            states: vec![Vec::new(); state_names.len()],
            names,
            state_names,
            units: units(system, own),
            before_energy,
            contact_columns,
        }
    }

    /// For the rows of a simulation.
    pub fn of(simulation: &Simulation) -> Self {
        Self::new(simulation.system(), &simulation.columns())
    }

    /// The times of the rows, s.
    pub fn times(&self) -> &[f64] {
        &self.columns[0]
    }

    /// The values of a column of numbers.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let position = self.names.iter().position(|own| own == name)?;
        Some(&self.columns[position])
    }

    /// The unit of a column; empty if it has none.
    pub fn unit(&self, name: &str) -> &str {
        self.units.get(name).map_or("", |unit| unit)
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

impl Observer for Trajectory {
    fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        self.row(sample);
        Ok(())
    }
}
