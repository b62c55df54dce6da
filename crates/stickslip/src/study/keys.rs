//! Keys of a scene as numbers that can be changed by a little.

use super::StudyError;
use crate::scene::Scene;
use crate::scene::error::nearest;
use crate::scene::world::expression::Compiled;
use crate::scene::world::units;

/// What changes are relative to where the value is zero, in the unit in which it is given.
const OF_ZERO: f64 = 0.1;

/// A key whose value is a number.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberKey {
    /// As `--set` takes it.
    pub key: String,
    /// The value in SI units.
    pub value: f64,
    /// The SI unit of the value, where it is known; else empty.
    pub unit: String,
    /// The unit in which it is given, and its factor to SI units.
    given: String,
    factor: f64,
}

impl NumberKey {
    /// The key of a scene; `place` is what an error names.
    pub(super) fn of(scene: &Scene, place: &str, key: &str) -> Result<Self, StudyError> {
        let key = key.trim().to_owned();
        let wrong = |reason: String| StudyError::wrong(format!("{place} {key}: {reason}"));
        let Some(value) = find(scene.effective(), &key) else {
            let hint = suggestion(scene, &key);
            return Err(wrong(format!("the scene {} has no such key{hint}", scene.name)));
        };
        let plain = |value: f64| Self {
            key: key.clone(),
            value,
            unit: String::new(),
            given: String::new(),
            factor: 1.0,
        };
        match value {
            toml::Value::Integer(value) => Ok(plain(*value as f64)),
            toml::Value::Float(value) => Ok(plain(*value)),
            toml::Value::String(text) => {
                if let Some((number, given)) = units::split(text)
                    && let Ok((factor, exponents)) = units::unit_value(given)
                {
                    let unit = units::symbol(&exponents.map(f64::from));
                    let given = given.to_owned();
                    return Ok(Self { key, value: number * factor, unit, given, factor });
                }
                let compiled = Compiled::new(text, &scene.parameters()).ok();
                let constant = compiled.as_ref().and_then(|compiled| compiled.constant);
                match (constant, compiled) {
                    (Some(value), Some(compiled)) => {
                        Ok(Self { unit: compiled.kind.symbol(), ..plain(value) })
                    }
                    _ => Err(wrong(format!("its value {text:?} is no number"))),
                }
            }
            other => Err(wrong(format!("its value {other} is no number"))),
        }
    }

    /// The argument of `--set` for a value in SI units.
    pub fn set(&self, value: f64) -> String {
        // Where no unit was given the number is that of SI.
        let Self { key, given, factor, .. } = self;
        format!("{key}={:?} {given}", value / factor).trim_end().to_owned()
    }

    /// A change of the value, by a part of it.
    pub(super) fn step(&self, part: f64) -> f64 {
        let size = if self.value == 0.0 { OF_ZERO * self.factor } else { self.value.abs() };
        part * size
    }
}

/// The value of a dotted key; parts of lists have the name of an entry or its number.
fn find<'a>(table: &'a toml::Table, key: &str) -> Option<&'a toml::Value> {
    let mut parts = key.split('.');
    let first = parts.next().and_then(|part| table.get(part));
    parts.fold(first, |inside, part| match inside? {
        toml::Value::Array(list) => {
            let name = |v: &toml::Value| v.get("name").and_then(toml::Value::as_str) == Some(part);
            let number = list.iter().position(name).or_else(|| part.parse().ok());
            list.get(number?)
        }
        other => other.get(part),
    })
}

/// Keys of the same section that may be meant.
fn suggestion(scene: &Scene, key: &str) -> String {
    let (section, name) = key.rsplit_once('.').unwrap_or(("", key));
    let inside = match section {
        "" => Some(scene.effective()),
        section => find(scene.effective(), section).and_then(toml::Value::as_table),
    };
    let names: Vec<&str> = inside.into_iter().flat_map(|t| t.keys().map(String::as_str)).collect();
    match nearest(name, names.iter().copied()) {
        Some(near) if section.is_empty() => format!("; did you mean {near}?"),
        Some(near) => format!("; did you mean {section}.{near}?"),
        None if names.is_empty() => String::new(),
        None => format!("; there are {}", names.join(", ")),
    }
}
