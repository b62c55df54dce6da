//! Which columns a table of a world has, and in which order.

use super::columns::body_columns;
use super::description::{Part, WorldDescription, WorldError};
use crate::system::Column;

/// Numbers of the columns of a table among those of the bodies, followed by the computed ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// Before the energies.
    pub before: Vec<usize>,
    /// Behind them.
    pub behind: Vec<usize>,
}

impl Choice {
    /// The choice of a description; nothing if it makes none. Notes names that are not there.
    pub fn new(world: &WorldDescription, errors: &mut Vec<WorldError>) -> Option<Self> {
        let table = &world.table;
        if table.columns.is_none() && table.extra_columns.is_none() {
            return None;
        }
        let moving = world.bodies.iter().filter(|body| !body.fixed);
        let mut names: Vec<String> = moving
            .flat_map(|body| body_columns(world.dimension, &body.name))
            .map(|column| column.name.into_owned())
            .collect();
        let bodies = names.len();
        names.extend(world.columns.iter().map(|column| column.name.clone()));
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
            None => (bodies..names.len()).filter(|number| !before.contains(number)).collect(),
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
        computed: impl Iterator<Item = Column>,
    ) -> Vec<Column> {
        let all: Vec<Column> = bodies.into_iter().chain(computed).collect();
        chosen.iter().filter_map(|number| all.get(*number).cloned()).collect()
    }
}
