//! Columns of a world: those of its bodies, and those that are computed of others.
//!
//! What a computed column may be made of: the time `t`, `<body>.x` and the other columns of moving bodies,
//! `<joint>.coordinate` and `<joint>.speed` of hinges and guides, `<contact>.gap`, `.force` and
//! `.slip` of reported contacts, `<contact>.x` and the like where shapes touch, and computed columns before it.

use super::description::{ColumnDescription, JointKind, Part, WorldDescription, WorldError};
use super::joint::JointForm;
use super::table::Choice;
use super::world::World;
use crate::system::{Column, ContactColumn, ContactValues, Dimension, State};
use std::collections::HashMap;

/// Endings of the columns of a body: unit, and the ending of the coordinate whose rate it is.
const PLANE: [(&str, &str, &str); 6] = [
    ("x", "m", ""),
    ("y", "m", ""),
    ("angle", "rad", ""),
    ("vx", "m/s", "x"),
    ("vy", "m/s", "y"),
    ("w", "rad/s", "angle"),
];

const SPACE: [(&str, &str, &str); 13] = [
    ("x", "m", ""),
    ("y", "m", ""),
    ("z", "m", ""),
    ("qw", "", ""),
    ("qx", "", ""),
    ("qy", "", ""),
    ("qz", "", ""),
    ("vx", "m/s", "x"),
    ("vy", "m/s", "y"),
    ("vz", "m/s", "z"),
    ("wx", "rad/s", ""),
    ("wy", "rad/s", ""),
    ("wz", "rad/s", ""),
];

/// The columns of a moving body.
pub(super) fn body_columns(dimension: Dimension, body: &str) -> impl Iterator<Item = Column> {
    let endings: &[_] = match dimension {
        Dimension::Two => &PLANE,
        Dimension::Three => &SPACE,
    };
    endings.iter().map(move |(ending, unit, coordinate)| {
        let column = Column::new(format!("{body}.{ending}"), *unit);
        match (*ending, *coordinate) {
            ("y", _) => column.drawn_over(format!("{body}.x")),
            (_, "") => column,
            (_, coordinate) => column.rate_of(format!("{body}.{coordinate}")),
        }
    })
}

/// Where the value of an input comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Time,
    /// A column of a body, by its number.
    Body(usize),
    /// The free coordinate of an ideal joint, by its number, or its rate.
    Joint(usize, bool),
    /// A reported contact, by its number.
    Contact(usize, ContactColumn),
    /// Where a reported contact of shapes is: its number, and the axis.
    Place(usize, usize),
    /// A computed column before it.
    Computed(usize),
}

/// All that a computed column may be made of, with units.
pub struct ColumnInputs {
    sources: HashMap<String, (Source, &'static str)>,
}

impl ColumnInputs {
    /// Of the bodies, joints and contacts of a description.
    pub fn new(world: &WorldDescription) -> Self {
        let mut sources = HashMap::new();
        let units = [ContactColumn::Gap, ContactColumn::Force, ContactColumn::Slip];
        sources.insert("t".to_owned(), (Source::Time, "s"));
        let moving = world.bodies.iter().filter(|body| !body.fixed);
        let endings: &[_] = if world.dimension == Dimension::Two { &PLANE } else { &SPACE };
        let all = moving.flat_map(|body| endings.iter().map(move |ending| (body, ending)));
        for (number, (body, (ending, unit, _))) in all.enumerate() {
            let name = format!("{}.{ending}", body.name);
            sources.insert(name, (Source::Body(number), *unit));
        }
        // In the order in which a world reports them: rules, clearance joints, limits.
        let mut contacts: Vec<String> =
            world.contacts.iter().filter_map(|contact| contact.name.clone()).collect();
        let axes = if world.dimension == Dimension::Two { 2 } else { 3 };
        for (number, contact) in contacts.iter().enumerate() {
            for (axis, letter) in ["x", "y", "z"].into_iter().enumerate().take(axes) {
                sources.insert(format!("{contact}.{letter}"), (Source::Place(number, axis), "m"));
            }
        }
        for joint in &world.joints {
            match joint.kind {
                JointKind::ClearanceTranslational { .. } => {
                    contacts.extend((1..=4).map(|k| format!("{}.corner{k}", joint.name)));
                }
                JointKind::ClearanceRevolute { .. } => contacts.push(joint.name.clone()),
                _ => {}
            }
        }
        let ideal =
            world.joints.iter().filter(|joint| matches!(joint.kind.form(), JointForm::Ideal(_)));
        for (number, joint) in ideal.enumerate() {
            let (unit, rate) = match joint.kind {
                JointKind::Revolute => ("rad", "rad/s"),
                JointKind::Prismatic => ("m", "m/s"),
                _ => continue,
            };
            let coordinate = format!("{}.coordinate", joint.name);
            sources.insert(coordinate, (Source::Joint(number, false), unit));
            sources.insert(format!("{}.speed", joint.name), (Source::Joint(number, true), rate));
            if joint.limits.is_some() {
                contacts.extend(["lower", "upper"].map(|end| format!("{}.{end}", joint.name)));
            }
            contacts.extend(world.table.named_friction(joint));
        }
        for (number, contact) in contacts.iter().enumerate() {
            for column in units {
                let name = format!("{contact}.{}", column.name());
                sources.insert(name, (Source::Contact(number, column), column.unit()));
            }
        }
        Self { sources }
    }

    /// The unit of an input; nothing if there is no such one.
    pub fn unit(&self, name: &str) -> Option<&'static str> {
        self.sources.get(name).map(|(_, unit)| *unit)
    }

    /// Whether there is a reported contact of that name.
    pub fn is_contact(&self, name: &str) -> bool {
        let gap = format!("{name}.{}", ContactColumn::Gap.name());
        matches!(self.sources.get(&gap), Some((Source::Contact(..), _)))
    }

    /// Whether an input is a column of a body.
    pub fn is_of_body(&self, name: &str) -> bool {
        matches!(self.sources.get(name), Some((Source::Body(_), _)))
    }

    /// The names of all inputs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }
}

/// The columns of a world: which are computed, and which a table has.
#[derive(Debug, Default)]
pub(super) struct Computed {
    columns: Vec<(ColumnDescription, Vec<Source>)>,
    /// Which of those of the bodies and the computed ones a table has; nothing if it has all of them.
    choice: Option<Choice>,
}

impl Computed {
    /// Finds the inputs of all columns, or says which are not there.
    pub fn new(world: &WorldDescription) -> Result<Self, Vec<WorldError>> {
        let mut out = Self::default();
        let mut errors = Vec::new();
        out.choice = Choice::new(world, &mut errors);
        if world.columns.is_empty() {
            return if errors.is_empty() { Ok(out) } else { Err(errors) };
        }
        let inputs = ColumnInputs::new(world);
        for (number, column) in world.columns.iter().enumerate() {
            let find = |name: &String| {
                let earlier = world.columns[..number].iter().position(|other| other.name == *name);
                let own = || inputs.sources.get(name).map(|(source, _)| *source);
                earlier.map(Source::Computed).or_else(own).ok_or_else(|| name.clone())
            };
            match column.inputs.iter().map(find).collect::<Result<Vec<Source>, String>>() {
                Ok(sources) => out.columns.push((column.clone(), sources)),
                Err(name) => errors.push(WorldError {
                    part: Part::Column(number),
                    key: "value",
                    message: format!("there is no column {name} before {}", column.name),
                }),
            }
        }
        if errors.is_empty() { Ok(out) } else { Err(errors) }
    }

    /// The columns before the energies, of those of the bodies.
    pub fn before(&self, bodies: Vec<Column>) -> Vec<Column> {
        match &self.choice {
            None => bodies,
            Some(choice) => choice.columns(&choice.before, bodies, self.computed()),
        }
    }

    /// The columns behind the energies.
    pub fn behind(&self, bodies: impl FnOnce() -> Vec<Column>) -> Vec<Column> {
        match &self.choice {
            None => self.computed().collect(),
            Some(choice) => choice.columns(&choice.behind, bodies(), self.computed()),
        }
    }

    fn computed(&self) -> impl Iterator<Item = Column> {
        self.columns.iter().map(|(column, _)| Column {
            name: column.name.clone().into(),
            unit: column.unit.clone().into(),
            rate_of: column.rate_of.clone().map(Into::into),
            drawn_over: column.drawn_over.clone().map(Into::into),
        })
    }

    /// Appends the values of the computed columns behind those of the bodies, and leaves those of a table.
    pub fn append(
        &self,
        world: &World,
        at: &State,
        contact: &dyn Fn(usize) -> ContactValues,
        values: &mut Vec<f64>,
    ) {
        let first = values.len();
        let mut inputs = Vec::new();
        for (column, sources) in &self.columns {
            inputs.clear();
            inputs.extend(sources.iter().map(|source| match *source {
                Source::Time => at.t,
                Source::Body(number) => values.get(number).copied().unwrap_or(f64::NAN),
                Source::Joint(number, is_rate) => {
                    world.joints.free(&world.frames, at, number, is_rate)
                }
                Source::Contact(number, ContactColumn::Gap) => contact(number).gap,
                Source::Contact(number, ContactColumn::Force) => contact(number).force,
                Source::Contact(number, _) => contact(number).slip,
                Source::Place(number, axis) => world.place(at, number)[axis],
                Source::Computed(number) => {
                    // In SI units, as it was computed.
                    values
                        .get(first + number)
                        .map_or(f64::NAN, |v| v * self.columns[number].0.scale)
                }
            }));
            values.push((column.value)(&inputs) / column.scale);
        }
        if let Some(choice) = &self.choice {
            inputs.clone_from(values);
            values.clear();
            let chosen = choice.before.iter().chain(&choice.behind);
            values.extend(chosen.map(|number| inputs.get(*number).copied().unwrap_or(f64::NAN)));
        }
    }
}
