//! Columns that are computed of others.

use super::{Context, is_plain};
use crate::scene::error::nearest;
use crate::scene::world::expression::{Compiled, ExpressionError, Hint, Meaning, Names, UnitKind};
use crate::scene::world::file::{
    ColumnKeys, ContactColumnName, ContactPoints, OutputKeys, TableKeys,
};
use crate::scene::world::parameters::Parameters;
use crate::scene::world::quantity::Signal;
use crate::scene::world::units;
use crate::system::ContactColumn;
use crate::world::{
    ColumnDescription, ColumnInputs, TableDescription, WorldDescription, all_names, fits,
};
use std::cell::RefCell;
use std::sync::Arc;

/// Most computed columns.
const MOST_COLUMNS: usize = 1000;

/// Columns of every table.
const OTHERS: [&str; 6] = ["t", "kinetic", "potential", "energy", "residual", "iterations"];

impl Context<'_> {
    /// The computed columns of a world; its bodies, joints and contacts are known.
    pub(super) fn columns(
        &mut self,
        given: &[ColumnKeys],
        world: &WorldDescription,
    ) -> Vec<ColumnDescription> {
        let mut columns: Vec<ColumnDescription> = Vec::new();
        if given.is_empty() {
            return columns;
        }
        if given.len() > MOST_COLUMNS {
            let message = format!(
                "there are {} computed columns; at most {MOST_COLUMNS} are allowed",
                given.len()
            );
            self.findings.limit("column", message);
            return columns;
        }
        let inputs = ColumnInputs::new(world);
        for (number, keys) in given.iter().enumerate() {
            let key = format!("column.{number}");
            self.column_name(&format!("{key}.name"), &keys.name, &inputs, &given[..number]);
            let unit = keys.unit.trim();
            let (scale, exponents) = match unit {
                "" | "1" => (1.0, [0; 4]),
                unit => units::unit_value(unit).unwrap_or_else(|reason| {
                    let key = format!("{key}.unit");
                    self.wrong(&key, format!("{key} is {unit:?}; {reason}"));
                    (1.0, [0; 4])
                }),
            };
            for (name, other) in [("rate_of", &keys.rate_of), ("drawn_over", &keys.drawn_over)] {
                if let Some(other) = other {
                    self.coordinate(&format!("{key}.{name}"), other, &inputs, given);
                }
            }
            let names = ColumnNames {
                parameters: self.parameters,
                inputs: &inputs,
                earlier: &columns,
                later: &given[number..],
                used: RefCell::new(vec!["t".to_owned()]),
            };
            let compiled = match &keys.value {
                Signal::Plain(value) => Compiled::new(&format!("{value:e}"), &names),
                Signal::Text(text) => Compiled::new(text, &names),
            };
            let found = compiled.and_then(|compiled| {
                let powers = exponents.map(f64::from);
                compiled.kind.fits_powers(&powers).map_err(ExpressionError::Wrong)?;
                Ok(compiled)
            });
            let inputs = names.used.into_inner();
            // One that is wrong is known nevertheless to those that are made of it.
            let compiled = found.map_err(|error| self.tell(&format!("{key}.value"), error)).ok();
            columns.push(ColumnDescription {
                name: keys.name.clone(),
                unit: if unit == "1" { String::new() } else { unit.to_owned() },
                scale,
                rate_of: keys.rate_of.clone(),
                drawn_over: keys.drawn_over.clone(),
                inputs,
                value: Arc::new(move |values| {
                    compiled.as_ref().map_or(f64::NAN, |compiled| compiled.value(values))
                }),
            });
        }
        columns
    }

    /// Which columns the table has; whether they are there the world says.
    pub(super) fn chosen_columns(
        &mut self,
        keys: &TableKeys,
        world: &WorldDescription,
    ) -> TableDescription {
        let inputs = ColumnInputs::new(world);
        for (key, list) in [("columns", &keys.columns), ("extra_columns", &keys.extra_columns)] {
            for (number, name) in list.iter().flatten().enumerate() {
                let own = world.columns.iter().map(|column| column.name.as_str());
                if own.clone().any(|own| own == name) || inputs.is_of_body(name) {
                    continue;
                }
                let bodies = inputs.names().filter(|name| inputs.is_of_body(name));
                let hint = nearest(name, own.chain(bodies.take(1000)));
                let hint = hint.map_or(String::new(), |near| format!("; did you mean {near}?"));
                let key = format!("table.{key}.{number}");
                let message = format!(
                    "{key} is {name:?}; it must be a column of a body or one of [[column]]{hint}"
                );
                self.wrong(&key, message);
            }
        }
        let contact_column = |name: &ContactColumnName| match name {
            ContactColumnName::Gap => ContactColumn::Gap,
            ContactColumnName::Force => ContactColumn::Force,
            ContactColumnName::Peak => ContactColumn::Peak,
            ContactColumnName::Friction => ContactColumn::Friction,
            ContactColumnName::FrictionX => ContactColumn::FrictionX,
            ContactColumnName::FrictionY => ContactColumn::FrictionY,
            ContactColumnName::FrictionZ => ContactColumn::FrictionZ,
            ContactColumnName::Drilling => ContactColumn::Drilling,
            ContactColumnName::Rolling => ContactColumn::Rolling,
            ContactColumnName::X => ContactColumn::X,
            ContactColumnName::Y => ContactColumn::Y,
            ContactColumnName::Z => ContactColumn::Z,
            ContactColumnName::Slip => ContactColumn::Slip,
            ContactColumnName::State => ContactColumn::State,
        };
        let mut names: Vec<(String, String)> = Vec::new();
        for (own, shown) in &keys.contact_names {
            let key = format!("table.contact_names.{own}");
            let is_friction = world.joints.iter().any(|joint| {
                joint.friction > 0.0 && own.strip_suffix(".friction") == Some(joint.name.as_str())
            });
            if !inputs.is_contact(own) && !is_friction {
                self.wrong(&key, format!("{key}: there is no reported contact {own}"));
            } else if !is_plain(shown) || names.iter().any(|(_, other)| other == shown) {
                let message = format!(
                    "{key} is {shown:?}, it must be of letters a to z, digits, _ and -, and no other \
                     contact may have it"
                );
                self.wrong(&key, message);
            }
            names.push((own.clone(), shown.clone()));
        }
        for (key, list) in [("force_names", &keys.force_names), ("state_names", &keys.state_names)]
        {
            for (own, names) in list {
                let key = format!("table.{key}.{own}");
                if !inputs.is_contact(own) && !keys.contact_names.values().any(|name| name == own) {
                    self.wrong(&key, format!("{key}: there is no reported contact {own}"));
                }
                if let Some(name) =
                    names.iter().find(|name| !is_plain(name.trim_start_matches('-')))
                {
                    let message = format!(
                        "{key} has {name:?}, it must be of letters a to z, digits, _ and -"
                    );
                    self.wrong(&key, message);
                }
            }
        }
        let contacts = keys.contact_columns.as_ref();
        TableDescription {
            chosen: None,
            contact_names: names,
            element_names: [keys.force_names.clone(), keys.state_names.clone()],
            first_points: keys.contact_points == ContactPoints::First,
            columns: keys.columns.clone(),
            extra_columns: keys.extra_columns.clone(),
            contact_columns: contacts.map(|list| list.iter().map(contact_column).collect()),
        }
    }

    /// The patterns of `[output]`; each must fit some column, and no two columns may have one name.
    pub(super) fn output_columns(
        &mut self,
        keys: &OutputKeys,
        world: &WorldDescription,
    ) -> Option<Vec<String>> {
        for (number, contact) in world.contacts.iter().enumerate() {
            let Some(name) = &contact.name else { continue };
            if world.joints.iter().any(|joint| joint.name == *name) {
                let key = format!("contact.{number}.name");
                let message = format!("{key} is {name:?}, but a joint has this name");
                self.wrong(&key, message);
            }
        }
        let patterns = keys.columns.as_ref()?;
        let names = all_names(world);
        for (number, pattern) in patterns.iter().enumerate() {
            if names.iter().any(|name| fits(pattern, name)) {
                continue;
            }
            let hint = nearest(pattern, names.iter().take(1000).map(String::as_str));
            let hint = hint.map_or(String::new(), |near| format!("; did you mean {near}?"));
            let key = format!("output.columns.{number}");
            let message = format!(
                "{key} is {pattern:?}, but no column of a body, joint or contact that has a name, nor of \
                 [[column]], fits it{hint}"
            );
            self.wrong(&key, message);
        }
        Some(patterns.clone())
    }

    fn column_name(&mut self, key: &str, name: &str, inputs: &ColumnInputs, before: &[ColumnKeys]) {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !starts || name.len() > 100 || !name.chars().all(plain) {
            let message = format!(
                "{key} is {name:?}, it must be of letters a to z, digits, _, - and ., at most 100, with a \
                 letter first"
            );
            self.wrong(key, message);
        } else if OTHERS.contains(&name)
            || inputs.unit(name).is_some()
            || before.iter().any(|other| other.name == name)
        {
            self.wrong(key, format!("{key} is {name:?}, but another column has this name"));
        }
    }

    /// Checks the name of a column.
    fn coordinate(&mut self, key: &str, name: &str, inputs: &ColumnInputs, all: &[ColumnKeys]) {
        if inputs.unit(name).is_some() || all.iter().any(|other| other.name == name) {
            return;
        }
        let known = all.iter().map(|other| other.name.as_str()).chain(inputs.names().take(1000));
        let hint = nearest(name, known).map_or(String::new(), |n| format!("; did you mean {n}?"));
        self.wrong(key, format!("{key} is {name:?}, but there is no such column{hint}"));
    }
}

/// What an expression of columns may hold. The first variable is the time.
pub(super) struct ColumnNames<'a> {
    parameters: &'a Parameters,
    inputs: &'a ColumnInputs,
    earlier: &'a [ColumnDescription],
    later: &'a [ColumnKeys],
    /// The columns of which it is made.
    pub(super) used: RefCell<Vec<String>>,
}

impl<'a> ColumnNames<'a> {
    /// Of all columns.
    pub(super) fn new(
        parameters: &'a Parameters,
        inputs: &'a ColumnInputs,
        earlier: &'a [ColumnDescription],
    ) -> Self {
        let used = RefCell::new(vec!["t".to_owned()]);
        Self { parameters, inputs, earlier, later: &[], used }
    }

    /// The number of an input among the variables.
    pub(super) fn number(&self, name: &str) -> usize {
        let mut used = self.used.borrow_mut();
        used.iter().position(|other| other == name).unwrap_or_else(|| {
            used.push(name.to_owned());
            used.len() - 1
        })
    }

    /// The unit of a column; nothing if there is none of that name.
    pub(super) fn unit(&self, name: &str) -> Option<UnitKind> {
        let own = self.earlier.iter().find(|column| column.name == name);
        let unit = match own {
            Some(column) => column.unit.as_str(),
            None => self.inputs.unit(name)?,
        };
        // Ratios and quaternions: they leave the unit of a product as it is.
        let number = UnitKind::Count { turns: false };
        Some(units::unit_value(unit).map_or(number, |(_, exponents)| UnitKind::known(exponents)))
    }
}

impl Names for ColumnNames<'_> {
    fn find(&self, name: &str, index: Option<usize>) -> Option<Result<Meaning, ExpressionError>> {
        let Some(unit) = self.unit(name).filter(|_| index.is_none()) else {
            return self.parameters.find(name, index);
        };
        Some(Ok(Meaning::Variable(self.number(name), unit)))
    }

    fn word(&self, name: &str) -> Option<&str> {
        if self.unit(name).is_some() { None } else { self.parameters.word(name) }
    }

    fn knows(&self, name: &str) -> bool {
        self.unit(name).is_some() || self.parameters.knows(name)
    }

    fn hint(&self, name: &str) -> Hint {
        if self.later.iter().any(|column| column.name == name) {
            return Hint::Known("a column is made of those before it".into());
        }
        let columns = self.earlier.iter().map(|column| column.name.as_str());
        // Comparing with very many names takes too long.
        let near = nearest(name, columns.chain(self.inputs.names().take(1000)));
        Hint::near_or(near, || self.parameters.hint(name))
    }

    fn has_time(&self) -> bool {
        true
    }
}
