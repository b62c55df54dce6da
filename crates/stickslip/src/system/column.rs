//! Columns of tables: what they are called, their unit, and what belongs to them.

use std::borrow::Cow;
use std::fmt;

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// What the system, or the scene itself, computes of the motion.
    #[default]
    Own,
    /// Coordinates and velocities of one of several bodies.
    Body,
    /// Of a joint: its coordinate, its speed, and what acts along it.
    Joint,
    /// Forces and moments that hold joints and contacts: they come and go.
    Reaction,
    /// Forces and internal states of elements in place of the laws.
    Element,
}

impl ColumnKind {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Body => "body",
            Self::Joint => "joint",
            Self::Reaction => "reaction",
            Self::Element => "element",
        }
    }
}

/// A column of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its name in the header.
    pub name: Cow<'static, str>,
    /// Its unit; empty if it has none.
    pub unit: Cow<'static, str>,
    /// What its numbers are.
    pub kind: ColumnKind,
    /// Name of the body or joint to which it belongs; empty if there is none.
    pub owner: Cow<'static, str>,
    /// Name of the column whose rate it is.
    pub rate_of: Option<Cow<'static, str>>,
    /// Name of another column over which it is drawn: y over x is a path in the plane.
    pub drawn_over: Option<Cow<'static, str>>,
    /// Whether it is for tables alone: reports and plots leave it out.
    pub for_tables: bool,
}

impl Column {
    /// A column with a unit.
    pub fn new(name: impl Into<Cow<'static, str>>, unit: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), unit: unit.into(), ..Self::default() }
    }

    /// The same, as one of a body or joint.
    pub fn of(self, kind: ColumnKind, owner: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, owner: owner.into(), ..self }
    }

    /// The same, as the rate of another column.
    pub fn rate_of(self, other: impl Into<Cow<'static, str>>) -> Self {
        Self { rate_of: Some(other.into()), ..self }
    }

    /// The same, to be drawn over another column.
    pub fn drawn_over(self, other: impl Into<Cow<'static, str>>) -> Self {
        Self { drawn_over: Some(other.into()), ..self }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl PartialEq<str> for Column {
    fn eq(&self, name: &str) -> bool {
        self.name == name
    }
}

impl PartialEq<&str> for Column {
    fn eq(&self, name: &&str) -> bool {
        self.name == *name
    }
}

/// Columns that are known when the program is compiled: name, unit, and the column whose rate each
/// of them is, or nothing.
pub fn columns(list: &[(&'static str, &'static str, &'static str)]) -> Vec<Column> {
    let column = |&(name, unit, coordinate): &(&'static str, &'static str, &'static str)| {
        let column = Column::new(name, unit);
        if coordinate.is_empty() { column } else { column.rate_of(coordinate) }
    };
    list.iter().map(column).collect()
}
