//! Columns of a scene that are known from a state alone.

use super::quantity::{OfState, Vocabulary};
use super::{StudyError, with_all_columns};
use crate::scene::SceneFile;
use crate::system::State;

/// Most columns that are told.
const MOST: usize = 12;

/// Some columns of a scene, of which the values are known from a state.
pub struct StateTable {
    columns: Vec<(String, OfState)>,
}

impl StateTable {
    /// Those that the scene shows and that need no forces.
    pub fn new(file: &SceneFile, overrides: &[String]) -> Result<Self, StudyError> {
        let vocabulary = Vocabulary::of(&with_all_columns(file, overrides)?);
        let own = file.scene(overrides)?.columns();
        let names = own.all().filter(|column| !column.for_tables).map(|c| c.name.to_string());
        // The state has no energy of its own, as a picture of a motion would have.
        let known = names.filter_map(|name| {
            let of = vocabulary.of_state("columns", &name).ok()?;
            (!of.quantity().is_constant()).then_some((name, of))
        });
        Ok(Self { columns: known.take(MOST).collect() })
    }

    /// Names and SI units.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().map(|(name, of)| (name.as_str(), of.quantity().unit()))
    }

    /// Values of the columns at a state.
    pub fn values(&mut self, at: &State) -> Vec<f64> {
        self.columns.iter_mut().map(|(_, of)| of.value(at)).collect()
    }

    /// Pairs of a coordinate and its rate among the columns, for phase portraits; the first two columns if there is none.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let mut pairs = Vec::new();
        for name in &names {
            let (body, own) = name.rsplit_once('.').unwrap_or(("", name));
            let rate = match own {
                "x" => "vx",
                "y" => "vy",
                "z" => "vz",
                "angle" => "w",
                "coordinate" => "speed",
                "p" => "v",
                _ => continue,
            };
            let rate = if body.is_empty() { rate.to_owned() } else { format!("{body}.{rate}") };
            if names.contains(&rate.as_str()) {
                pairs.push(((*name).to_owned(), rate));
            }
        }
        if let ([first, second, ..], true) = (&names[..], pairs.is_empty()) {
            pairs.push(((*first).to_owned(), (*second).to_owned()));
        }
        pairs
    }
}
