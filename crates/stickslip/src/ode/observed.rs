//! What is reported of a regularised system.

use super::{OdeSystem, Regularisation};
use crate::system::{
    Column, ContactColumn, ContactPlace, ContactSet, Drawing, DrawnPose, Energy, LawGroup,
    MechanicalSystem, Observed, State,
};
use std::cell::RefCell;

/// Names of the additional columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OdeNames {
    /// Forces of all components of all contacts, in the order of the contacts; friction forces with
    /// the sign of the paper, against the sliding.
    pub forces: Vec<Column>,
    /// Internal states of all contacts.
    pub states: Vec<Column>,
}

/// A system whose forces and internal states are reported too: it is the system itself, with more
/// columns. The forces stand behind its own columns, the internal states behind the energies.
#[derive(Debug)]
pub struct Regularised<S> {
    system: S,
    regularisation: Regularisation,
    columns: Vec<Column>,
    extra_columns: Vec<Column>,
    own_columns: usize,
    own_extra_columns: usize,
    evaluator: RefCell<Evaluator>,
}

#[derive(Debug)]
struct Evaluator {
    ode: OdeSystem,
    state: State,
    y: Vec<f64>,
    y_dot: Vec<f64>,
    own: Vec<f64>,
}

impl<S: Observed> Regularised<S> {
    /// The system with names of its own choice for the additional columns.
    pub fn new(system: S, regularisation: Regularisation, names: OdeNames) -> Self {
        let mut columns = system.columns();
        let own_columns = columns.len();
        columns.extend(names.forces);
        let mut extra_columns = system.extra_columns();
        let own_extra_columns = extra_columns.len();
        extra_columns.extend(names.states);
        let evaluator = Evaluator {
            ode: OdeSystem::new(regularisation.clone()),
            state: State::default(),
            y: Vec::new(),
            y_dot: Vec::new(),
            own: Vec::new(),
        };
        let evaluator = RefCell::new(evaluator);
        Self {
            system,
            regularisation,
            columns,
            extra_columns,
            own_columns,
            own_extra_columns,
            evaluator,
        }
    }

    /// The system with names made from those of its contacts at the start: `body.f1`, `body.s1`, ...
    /// Contacts that are not listed at the start get no columns.
    pub fn with_contact_names(system: S, regularisation: Regularisation, start: &State) -> Self {
        let mut names = OdeNames::default();
        let mut contacts = ContactSet::default();
        contacts.margin = f64::NEG_INFINITY;
        system.contacts(start, &mut contacts);
        for candidate in contacts.candidates() {
            let Some(laws) = regularisation.groups.get(candidate.group) else { continue };
            let contact = system.contact_name(candidate.key);
            let units = system.law_groups()[candidate.group].component_units();
            for k in 0..laws.iter().map(|l| l.dim).sum::<usize>() {
                let unit = units.get(k).copied().unwrap_or_default();
                names.forces.push(Column::new(format!("{contact}.f{}", k + 1), unit));
            }
            for k in 0..laws.iter().map(|l| l.states).sum::<usize>() {
                names.states.push(Column::new(format!("{contact}.s{}", k + 1), ""));
            }
        }
        Self::new(system, regularisation, names)
    }

    /// The system itself.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// Which element stands for which law.
    pub fn regularisation(&self) -> &Regularisation {
        &self.regularisation
    }
}

impl Evaluator {
    /// Appends forces, then states; zeros where the system cannot be evaluated.
    fn observe(&mut self, system: &dyn MechanicalSystem, at: &State) -> (Vec<f64>, Vec<f64>) {
        let Self { ode, state, y, y_dot, .. } = self;
        state.clone_from(at);
        let mut forces = Vec::new();
        if ode.prepare(system, state).is_ok() {
            ode.pack(state, y);
            y_dot.resize(y.len(), 0.0);
            if ode.rate(system, at.t, y, y_dot).is_ok() {
                for position in 0..ode.contacts().len() {
                    let laws = &ode.regularisation().groups[ode.layout.slots[position].group];
                    let signs = laws.iter().flat_map(|law| {
                        let normal = matches!(law.element, super::Element::Contact(_));
                        std::iter::repeat_n(if normal { 1.0 } else { -1.0 }, law.dim)
                    });
                    let lambda = ode.contact_forces(position);
                    forces.extend(lambda.iter().zip(signs).map(|(l, sign)| sign * l));
                }
            }
        }
        let states = state.memory[system.memory_count().min(state.memory.len())..].to_vec();
        (forces, states)
    }
}

impl<S: Observed> Observed for Regularised<S> {
    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn extra_columns(&self) -> Vec<Column> {
        self.extra_columns.clone()
    }

    fn observe(&self, at: &State, out: &mut Vec<f64>) {
        let mut evaluator = self.evaluator.borrow_mut();
        let (mut forces, mut states) = evaluator.observe(&self.system, at);
        forces.resize(self.columns.len() - self.own_columns, 0.0);
        states.resize(self.extra_columns.len() - self.own_extra_columns, 0.0);
        let own = &mut evaluator.own;
        own.clear();
        self.system.observe(at, own);
        let (before, behind) = own.split_at(self.own_columns.min(own.len()));
        out.extend_from_slice(before);
        out.append(&mut forces);
        out.extend_from_slice(behind);
        out.append(&mut states);
    }

    fn reported_contacts(&self) -> &[u64] {
        self.system.reported_contacts()
    }

    fn reported_index(&self, key: u64) -> Option<usize> {
        self.system.reported_index(key)
    }

    fn contact_label(&self) -> &'static str {
        self.system.contact_label()
    }

    fn has_slider_corners(&self) -> bool {
        self.system.has_slider_corners()
    }

    fn contact_columns(&self) -> &[ContactColumn] {
        self.system.contact_columns()
    }

    fn drawing(&self) -> Drawing {
        self.system.drawing()
    }

    fn poses(&self, at: &State, out: &mut Vec<DrawnPose>) {
        self.system.poses(at, out);
    }

    fn contact_places(&self, at: &State, out: &mut Vec<ContactPlace>) {
        self.system.contact_places(at, out);
    }
}

impl<S: Observed> MechanicalSystem for Regularised<S> {
    fn coordinate_count(&self) -> usize {
        self.system.coordinate_count()
    }

    fn blocks(&self) -> &[usize] {
        self.system.blocks()
    }

    fn memory_count(&self) -> usize {
        self.system.memory_count()
    }

    fn mass_and_forces(&self, at: &State, mass: &mut [f64], forces: &mut [f64]) {
        self.system.mass_and_forces(at, mass, forces);
    }

    fn coordinate_rate(&self, at: &State, v: &[f64], q_dot: &mut [f64]) {
        self.system.coordinate_rate(at, v, q_dot);
    }

    fn coordinate_gradient(&self, at: &State, w: &[f64], out: &mut [f64]) {
        self.system.coordinate_gradient(at, w, out);
    }

    fn normalize(&self, q: &mut [f64]) {
        self.system.normalize(q);
    }

    fn remember(&self, state: &mut State) {
        self.system.remember(state);
    }

    fn contacts(&self, at: &State, out: &mut ContactSet) {
        self.system.contacts(at, out);
    }

    fn law_groups(&self) -> &[LawGroup] {
        self.system.law_groups()
    }

    fn contact_name(&self, key: u64) -> String {
        self.system.contact_name(key)
    }

    fn restore_gaps(&self, state: &mut State) -> bool {
        self.system.restore_gaps(state)
    }

    fn characteristic_length(&self) -> Option<f64> {
        self.system.characteristic_length()
    }

    fn applied_forces(&self, at: &State, out: &mut [f64]) {
        self.system.applied_forces(at, out);
    }

    fn energy(&self, at: &State) -> Energy {
        self.system.energy(at)
    }
}
