//! Which columns a table of a world has, and in which order.

use super::columns::{body_columns, reported};
use super::description::{Part, WorldDescription, WorldError};
use super::joint_columns::JointEntry;
use crate::system::{Column, ContactColumn};

/// Numbers of the columns of a table among those of the bodies, followed by the computed ones and those of
/// joints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// Before the energies.
    pub before: Vec<usize>,
    /// Behind them.
    pub behind: Vec<usize>,
}

impl Choice {
    /// The choice of a description; nothing if it makes none. Notes names that are not there.
    pub fn new(
        world: &WorldDescription,
        joints: &[JointEntry],
        errors: &mut Vec<WorldError>,
    ) -> Option<Self> {
        let table = &world.table;
        if table.chosen.is_none() && table.columns.is_none() && table.extra_columns.is_none() {
            return None;
        }
        let moving = world.bodies.iter().filter(|body| !body.fixed);
        let mut names: Vec<String> = moving
            .flat_map(|body| body_columns(world.dimension, &body.name))
            .map(|column| column.name.into_owned())
            .collect();
        let bodies = names.len();
        names.extend(world.columns.iter().map(|column| column.name.clone()));
        let computed = names.len();
        names.extend(joints.iter().map(|entry| entry.name.clone()));
        if let Some(patterns) = &table.chosen {
            let is_chosen = |number: &usize| patterns.iter().any(|p| fits(p, &names[*number]));
            return Some(Self {
                before: (0..bodies).filter(is_chosen).collect(),
                behind: (bodies..names.len()).filter(is_chosen).collect(),
            });
        }
        let by_default = computed + joints.iter().filter(|entry| entry.is_default).count();
        let mut find = |key: &'static str, chosen: &[String]| {
            let mut numbers = Vec::with_capacity(chosen.len());
            for name in chosen {
                match names.iter().position(|known| known == name) {
                    Some(number) if !numbers.contains(&number) => numbers.push(number),
                    Some(_) => errors.push(WorldError {
                        part: Part::Table,
                        key,
                        message: format!("{name} stands there twice"),
                    }),
                    None => errors.push(WorldError {
                        part: Part::Table,
                        key,
                        message: format!("there is no column {name}"),
                    }),
                }
            }
            numbers
        };
        let before = match &table.columns {
            Some(chosen) => find("columns", chosen),
            None => (0..bodies).collect(),
        };
        let behind = match &table.extra_columns {
            Some(chosen) => find("extra_columns", chosen),
            None => (bodies..by_default).filter(|number| !before.contains(number)).collect(),
        };
        if let Some(number) = behind.iter().find(|number| before.contains(number)) {
            errors.push(WorldError {
                part: Part::Table,
                key: "extra_columns",
                message: format!("{} stands among columns too", names[*number]),
            });
        }
        Some(Self { before, behind })
    }

    /// The chosen ones of all columns.
    pub fn columns(
        &self,
        chosen: &[usize],
        bodies: Vec<Column>,
        others: impl Iterator<Item = Column>,
    ) -> Vec<Column> {
        let all: Vec<Column> = bodies.into_iter().chain(others).collect();
        chosen.iter().filter_map(|number| all.get(*number).cloned()).collect()
    }
}

/// Whether a name fits a pattern, in which `*` stands for any text.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

/// The columns of each reported contact: those that were chosen.
pub(super) fn contact_columns(world: &WorldDescription) -> Vec<Vec<ContactColumn>> {
    let table = &world.table;
    let shown = |own: &str| {
        let other = table.contact_names.iter().find(|(name, _)| name == own);
        other.map_or(own, |(_, shown)| shown).to_owned()
    };
    let of = |(own, all): (String, Vec<ContactColumn>)| {
        let shown = shown(&own);
        match (&table.chosen, &table.contact_columns) {
            (Some(patterns), _) => {
                let is_chosen = |column: &ContactColumn| {
                    let name = format!("{shown}.{}", column.name());
                    patterns.iter().any(|pattern| fits(pattern, &name))
                };
                all.into_iter().filter(is_chosen).collect()
            }
            (None, Some(listed)) => listed.clone(),
            (None, None) => all,
        }
    };
    reported(world).into_iter().map(of).collect()
}

/// Names of all columns that a table may have beside time, energies and the solver's, for messages.
pub(crate) fn all_names(world: &WorldDescription) -> Vec<String> {
    let moving = world.bodies.iter().filter(|body| !body.fixed);
    let bodies = moving.flat_map(|body| body_columns(world.dimension, &body.name));
    let mut names: Vec<String> = bodies.map(|column| column.name.into_owned()).collect();
    names.extend(world.columns.iter().map(|column| column.name.clone()));
    names.extend(super::joint_columns::entries(world).into_iter().map(|entry| entry.name));
    for (own, columns) in reported(world) {
        let other = world.table.contact_names.iter().find(|(name, _)| *name == own);
        let shown = other.map_or(own.as_str(), |(_, shown)| shown);
        names.extend(columns.iter().map(|column| format!("{shown}.{}", column.name())));
    }
    names
}
