//! What is reported of elements: their forces and internal states.

use super::{Element, OdeSystem, Regularisation};
use crate::system::{Column, ColumnKind, ContactSet, MechanicalSystem, Observed, State};

/// Which element stands for which law of a system, and how its forces and states are called.
#[derive(Clone, Debug)]
pub struct Elements {
    /// The elements.
    pub regularisation: Regularisation,
    /// The names.
    pub names: OdeNames,
}

/// Names of the columns of forces and internal states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OdeNames {
    /// Forces of all components of all contacts, in the order of the contacts; friction forces with
    /// the sign of the paper, against the sliding.
    pub forces: Vec<Column>,
    /// Internal states of all contacts.
    pub states: Vec<Column>,
    /// Keys of the contacts with the numbers of their forces and states; empty for all contacts in
    /// the order in which the system lists them.
    pub contacts: Vec<(u64, [usize; 2])>,
    /// Numbers of the forces, and of the states, that are reported with the other sign.
    pub turned: [Vec<usize>; 2],
}

impl OdeNames {
    /// Names made from those of the contacts at the start: `body.f1`, `body.s1`, ... Contacts that are
    /// not listed at the start get no columns, nor those that `is_wanted` does not want. Where `given` has
    /// names for the forces or for the states of a contact, these have columns alone; a name with `-` in
    /// front has the other sign.
    pub fn of_contacts(
        system: &dyn Observed,
        regularisation: &Regularisation,
        start: &State,
        is_wanted: impl Fn(u64) -> bool,
        given: impl Fn(&str) -> [Option<Vec<String>>; 2],
    ) -> Self {
        let mut names = Self::default();
        let mut contacts = ContactSet::default();
        contacts.margin = f64::NEG_INFINITY;
        system.contacts(start, &mut contacts);
        for candidate in contacts.candidates().iter().filter(|c| is_wanted(c.key)) {
            let Some(laws) = regularisation.groups.get(candidate.group) else { continue };
            let contact = system.contact_name(candidate.key);
            let units = system.law_groups()[candidate.group].component_units();
            let count = [laws.iter().map(|l| l.dim).sum(), laws.iter().map(|l| l.states).sum()];
            let own = |list: Option<Vec<String>>, count: usize, letter: char| {
                let default = || (1..=count).map(|k| format!("{contact}.{letter}{k}")).collect();
                let mut list: Vec<String> = list.unwrap_or_else(default);
                list.truncate(count);
                list
            };
            let [forces, states] = given(&contact);
            let (forces, states) = (own(forces, count[0], 'f'), own(states, count[1], 's'));
            names.contacts.push((candidate.key, [forces.len(), states.len()]));
            let force = |(k, name)| (name, units.get(k).copied().unwrap_or_default());
            names.add(0, forces.into_iter().enumerate().map(force));
            // All states are deflections: moments count as forces at an arm.
            names.add(1, states.into_iter().map(|name| (name, "m")));
        }
        names
    }

    fn add(&mut self, of: usize, named: impl Iterator<Item = (String, &'static str)>) {
        let columns = [&mut self.forces, &mut self.states];
        let Some(columns) = columns.into_iter().nth(of) else { return };
        for (name, unit) in named {
            let plain = name.trim_start_matches('-');
            if plain != name {
                self.turned[of].push(columns.len());
            }
            columns.push(Column::new(plain.to_owned(), unit).of(ColumnKind::Element, ""));
        }
    }
}

/// Evaluates the elements at the states of rows of output.
#[derive(Clone, Debug)]
pub(crate) struct Evaluator {
    ode: OdeSystem,
    state: State,
    y: Vec<f64>,
    y_dot: Vec<f64>,
}

impl Evaluator {
    /// For these elements.
    pub(crate) fn new(regularisation: Regularisation) -> Self {
        let ode = OdeSystem::new(regularisation);
        Self { ode, state: State::default(), y: Vec::new(), y_dot: Vec::new() }
    }

    /// Appends forces and states; zeros where the system cannot be evaluated. The internal states in
    /// the memory of `at` stand as `of` has laid them out.
    pub(crate) fn observe(
        &mut self,
        of: &OdeSystem,
        system: &dyn MechanicalSystem,
        at: &State,
        names: &OdeNames,
        forces: &mut Vec<f64>,
        states: &mut Vec<f64>,
    ) {
        let starts = [forces.len(), states.len()];
        let ends = [starts[0] + names.forces.len(), starts[1] + names.states.len()];
        let Self { ode, state, y, y_dot } = self;
        ode.layout.clone_from(&of.layout);
        state.clone_from(at);
        if ode.prepare(system, state).is_ok() {
            ode.pack(state, y);
            y_dot.resize(y.len(), 0.0);
            if ode.rate(system, at.t, y, y_dot).is_ok() {
                let own = system.memory_count();
                for position in 0..ode.contacts().len() {
                    if names.contacts.is_empty() {
                        ode.append(position, &state.memory[own..], forces, states);
                    }
                }
                for (key, [forces_of, states_of]) in &names.contacts {
                    let ends = [forces.len() + forces_of, states.len() + states_of];
                    if let Some(position) = ode.layout.find(usize::MAX, *key) {
                        ode.append(position, &state.memory[own..], forces, states);
                    }
                    forces.resize(ends[0], 0.0);
                    states.resize(ends[1], 0.0);
                }
            }
        }
        forces.resize(ends[0], 0.0);
        states.resize(ends[1], 0.0);
        for ((values, turned), start) in [forces, states].into_iter().zip(&names.turned).zip(starts)
        {
            for number in turned {
                // No negative zeros.
                values[start + number] = 0.0 - values[start + number];
            }
        }
    }
}

impl OdeSystem {
    /// Appends forces and internal states of a contact in the last evaluation.
    fn append(
        &self,
        position: usize,
        internal: &[f64],
        forces: &mut Vec<f64>,
        states: &mut Vec<f64>,
    ) {
        let slot = &self.layout.slots[position];
        let laws = &self.regularisation().groups[slot.group];
        let signs = laws.iter().flat_map(|law| {
            let normal = matches!(law.element, Element::Contact(_));
            std::iter::repeat_n(if normal { 1.0 } else { -1.0 }, law.dim)
        });
        let lambda = self.contact_forces(position);
        forces.extend(lambda.iter().zip(signs).map(|(l, sign)| sign * l));
        states.extend_from_slice(&internal[slot.first..slot.first + slot.states]);
    }
}
