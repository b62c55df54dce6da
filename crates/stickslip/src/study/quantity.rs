//! Expressions of the columns of a run and the parameters of its scene.

use super::StudyError;
use crate::scene::Scene;
use crate::scene::error::nearest;
use crate::scene::world::expression::{Compiled, ExpressionError, Hint, Meaning, Names, UnitKind};
use crate::scene::world::parameters::Parameters;
use crate::scene::world::units::{self, Unit};
use crate::simulate::Trajectory;
use crate::system::{ContactSet, ContactValues, Observed, Seen, State};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The value of a text of plain numbers and pi.
pub(super) fn plain_number(text: &str) -> Option<f64> {
    Compiled::new(text, &Parameters::default()).ok()?.constant
}

/// What expressions of a study may be made of: the columns of the runs of a scene, and its parameters.
pub struct Vocabulary {
    parameters: Parameters,
    /// Columns of numbers by name, with their units.
    columns: BTreeMap<String, String>,
    system: Arc<dyn Observed>,
    /// Columns of the system in the order of the values of a row.
    own: Vec<String>,
}

impl Vocabulary {
    /// Of a scene; see [`with_all_columns`](super::with_all_columns).
    pub fn of(scene: &Scene) -> Self {
        let list = scene.columns();
        let table = Trajectory::new(scene.system.as_ref(), &list);
        let unit = |name: &String| table.unit(name).to_owned();
        let columns = table.names.iter().map(|name| (name.clone(), unit(name))).collect();
        let system = scene.system.clone();
        let (own, more) = (system.columns(), system.extra_columns());
        let own = own.iter().chain(&more).map(|column| column.name.to_string()).collect();
        Self { parameters: scene.parameters(), columns, own, system }
    }

    /// Names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }

    /// The unit of a column as the table has it; empty for numbers.
    pub fn unit_of(&self, column: &str) -> &str {
        self.columns.get(column).map_or("", String::as_str)
    }

    /// An expression of columns; `place` is what an error names.
    pub fn quantity(&self, place: &str, text: &str) -> Result<Quantity, StudyError> {
        self.with(place, text, &[])
    }

    /// The same, which may have other names, with their units: they are its first inputs behind the time.
    pub(crate) fn with(
        &self,
        place: &str,
        text: &str,
        others: &[(String, UnitKind)],
    ) -> Result<Quantity, StudyError> {
        let names = RunNames { of: self, others, used: RefCell::new(vec!["t".to_owned()]) };
        let found = Compiled::new(text, &names).map_err(|error| refusal(place, text, error));
        let compiled = found?;
        let used = names.used.into_inner();
        let factor = |name: &String| {
            let unit = self.columns.get(name).map_or("", String::as_str);
            units::unit_value(unit).map_or(1.0, |(factor, _)| factor)
        };
        let inputs: Vec<(String, f64)> =
            used.iter().map(|name| (name.clone(), factor(name))).collect();
        // A column alone has its own unit, J and not N m, if that is one of SI.
        let column = inputs.iter().find(|(name, factor)| name == text.trim() && *factor == 1.0);
        let own = column.and_then(|(name, _)| self.columns.get(name)).cloned();
        let unit = own.unwrap_or_else(|| compiled.kind.symbol());
        Ok(Quantity { text: text.trim().to_owned(), inputs, compiled, unit })
    }

    /// The value of an expression of parameters, in the unit.
    pub(crate) fn constant(
        &self,
        place: &str,
        text: &str,
        wanted: &Unit,
    ) -> Result<f64, StudyError> {
        if units::is_quantity(text) {
            return units::parse(text, wanted)
                .map_err(|reason| refusal(place, text, ExpressionError::Wrong(reason)));
        }
        let found = Compiled::new(text, &self.parameters).and_then(|compiled| {
            compiled.kind.fits(wanted).map_err(ExpressionError::Wrong)?;
            let depends = || ExpressionError::Wrong("it depends on time".into());
            compiled.constant.ok_or_else(depends)
        });
        found.map_err(|error| refusal(place, text, error))
    }

    /// An expression as a function of the state; columns of forces are none.
    pub fn of_state(&self, place: &str, text: &str) -> Result<OfState, StudyError> {
        let quantity = self.quantity(place, text)?;
        let contacts = self.system.reported_contacts().iter();
        let gaps: Vec<String> =
            contacts.map(|key| format!("{}.gap", self.system.contact_name(*key))).collect();
        let slot = |name: &str| {
            Ok(match name {
                "t" => Slot::Time,
                "kinetic" => Slot::Kinetic,
                "potential" => Slot::Potential,
                "energy" => Slot::Energy,
                _ => {
                    let own = self.own.iter().position(|own| own == name).map(Slot::Column);
                    let gap = || gaps.iter().position(|own| own == name).map(Slot::Gap);
                    own.or_else(gap).ok_or_else(|| {
                        let reason = format!("{name} is not known from the state alone");
                        refusal(place, text, ExpressionError::Wrong(reason))
                    })?
                }
            })
        };
        let slots = quantity.inputs.iter().map(|(name, _)| slot(name));
        let slots = slots.collect::<Result<_, StudyError>>()?;
        Ok(OfState { quantity, slots, system: self.system.clone(), memory: Box::default() })
    }
}

fn refusal(place: &str, text: &str, error: ExpressionError) -> StudyError {
    let reason = match error {
        ExpressionError::Wrong(reason) | ExpressionError::Limit(reason) => reason,
        ExpressionError::Told => "a parameter in it is wrong".into(),
    };
    StudyError::wrong(format!("{place}: {:?}: {reason}", text.trim()))
}

/// An expression of columns. Its value is in SI units.
#[derive(Clone)]
pub struct Quantity {
    /// As it was given.
    pub text: String,
    compiled: Compiled,
    unit: String,
    /// Names of its columns with their factors to SI units; the first is the time.
    inputs: Vec<(String, f64)>,
}

impl Quantity {
    /// The SI unit; empty for a number.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Whether it is the same at all times and in all states.
    pub fn is_constant(&self) -> bool {
        self.compiled.constant.is_some()
    }

    /// What is known of its unit.
    pub(crate) fn kind(&self) -> UnitKind {
        self.compiled.kind
    }

    /// The columns of which it is made; the first is the time.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(|(name, _)| name.as_str())
    }

    /// From the unit of one of its columns to SI units.
    pub(super) fn factor_of(&self, column: &str) -> f64 {
        let known = self.inputs.iter().find(|(name, _)| name == column);
        known.map_or(1.0, |(_, factor)| *factor)
    }

    /// Its value; `values` are those of its [`inputs`](Self::inputs) in the units of the table, and become those
    /// in SI units.
    pub fn value(&self, values: &mut [f64]) -> f64 {
        for (value, (_, factor)) in values.iter_mut().zip(&self.inputs) {
            *value *= factor;
        }
        self.compiled.value(values)
    }
}

/// Where the value of an input comes from.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Time,
    Kinetic,
    Potential,
    Energy,
    /// A column of the system.
    Column(usize),
    /// The gap of a reported contact.
    Gap(usize),
}

#[derive(Clone, Default)]
struct Memory {
    values: Vec<f64>,
    inputs: Vec<f64>,
    gaps: Vec<f64>,
}

/// An expression of columns as a function of the state.
#[derive(Clone)]
pub struct OfState {
    quantity: Quantity,
    slots: Vec<Slot>,
    system: Arc<dyn Observed>,
    memory: Box<Memory>,
}

impl OfState {
    /// The expression.
    pub fn quantity(&self) -> &Quantity {
        &self.quantity
    }

    /// Its value at a state, in SI units.
    pub fn value(&mut self, at: &State) -> f64 {
        let Self { quantity, slots, system, memory } = self;
        let Memory { values, inputs, gaps } = memory.as_mut();
        gaps.clear();
        if slots.iter().any(|slot| matches!(slot, Slot::Gap(_))) {
            gaps.resize(system.reported_contacts().len(), f64::INFINITY);
            let mut contacts = ContactSet::default();
            contacts.margin = f64::NEG_INFINITY;
            system.contacts(at, &mut contacts);
            for candidate in contacts.candidates() {
                if let Some(gap) =
                    system.reported_index(candidate.key).and_then(|n| gaps.get_mut(n))
                {
                    *gap = gap.min(candidate.gap);
                }
            }
        }
        values.clear();
        if slots.iter().any(|slot| matches!(slot, Slot::Column(_))) {
            system.observe(at, values);
            let gap = |contact: usize| gaps.get(contact).copied().unwrap_or(f64::NAN);
            let contact = |n: usize| ContactValues { gap: gap(n), ..ContactValues::default() };
            system.derive(at, &Seen { contact: &contact, joints: &[] }, values);
        }
        let energy = system.energy(at);
        inputs.clear();
        inputs.extend(slots.iter().map(|slot| match *slot {
            Slot::Time => at.t,
            Slot::Kinetic => energy.kinetic,
            Slot::Potential => energy.potential,
            Slot::Energy => energy.total(),
            Slot::Column(number) => values.get(number).copied().unwrap_or(f64::NAN),
            Slot::Gap(number) => gaps.get(number).copied().unwrap_or(f64::NAN),
        }));
        quantity.value(inputs)
    }
}

/// The names of an expression while it is read.
struct RunNames<'a> {
    of: &'a Vocabulary,
    others: &'a [(String, UnitKind)],
    used: RefCell<Vec<String>>,
}

impl RunNames<'_> {
    fn unit(&self, name: &str) -> Option<UnitKind> {
        let unit = self.of.columns.get(name)?;
        // Ratios and quaternions: they leave the unit of a product as it is.
        let number = UnitKind::Count { turns: false };
        Some(units::unit_value(unit).map_or(number, |(_, exponents)| UnitKind::known(exponents)))
    }
}

impl Names for RunNames<'_> {
    fn find(&self, name: &str, index: Option<usize>) -> Option<Result<Meaning, ExpressionError>> {
        let shown = index.map_or(name.to_owned(), |index| format!("{name}[{index}]"));
        let other = self.others.iter().find(|(own, _)| *own == shown).map(|(_, kind)| *kind);
        let Some(kind) = other.or_else(|| self.unit(name).filter(|_| index.is_none())) else {
            return self.of.parameters.find(name, index);
        };
        let mut used = self.used.borrow_mut();
        let number = used.iter().position(|own| *own == shown).unwrap_or_else(|| {
            used.push(shown);
            used.len() - 1
        });
        Some(Ok(Meaning::Variable(number, kind)))
    }

    fn word(&self, name: &str) -> Option<&str> {
        if self.unit(name).is_some() { None } else { self.of.parameters.word(name) }
    }

    fn knows(&self, name: &str) -> bool {
        let is_other = |own: &str| own.split('[').next() == Some(name);
        self.unit(name).is_some()
            || self.others.iter().any(|(own, _)| is_other(own))
            || self.of.parameters.knows(name)
    }

    fn hint(&self, name: &str) -> Hint {
        let columns = self.of.columns();
        let others = self.others.iter().map(|(own, _)| own.as_str());
        // Comparing with very many names takes too long.
        let near = nearest(name, columns.take(1000).chain(others));
        Hint::near_or(near, || self.of.parameters.hint(name))
    }

    fn has_time(&self) -> bool {
        true
    }
}
