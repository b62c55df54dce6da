//! A scene as a table of values, each with the place where it was given.

use super::error::{Origin, SceneError};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// Largest scene file, bytes.
pub const MOST_BYTES: u64 = 64 << 20;

/// Values and where they come from.
pub(crate) struct Document {
    pub(crate) source: String,
    pub(crate) table: Table,
    /// Dotted keys; later entries count.
    origins: Vec<(String, Origin)>,
}

impl Document {
    /// Reads a file.
    pub(crate) fn parse(source: &str, text: &str) -> Result<Self, SceneError> {
        let error = |e: toml::de::Error| {
            let origin = e.span().map_or(Origin::Default, |s| Origin::Line(line(text, s.start)));
            let message = format!("this is not TOML: {}", e.message().replace('\n', " "));
            SceneError::new(source, origin, "", message)
        };
        let spans = DeTable::parse(text).map_err(error)?;
        let table: Table = text.parse().map_err(error)?;
        let mut origins = Vec::new();
        collect("", text, spans.get_ref(), &mut origins);
        Ok(Self { source: source.into(), table, origins })
    }

    /// Where the value of a key was given.
    pub(crate) fn origin(&self, key: &str) -> Origin {
        let found = self.origins.iter().rev().find(|(known, _)| known == key);
        found.map_or(Origin::Default, |(_, origin)| origin.clone())
    }

    /// Applies an override `KEY=VALUE`.
    pub(crate) fn set(&mut self, argument: &str) -> Result<(), SceneError> {
        let origin = Origin::Override(argument.into());
        let source = self.source.clone();
        let error =
            |message: &str| Err(SceneError::new(&source, origin.clone(), "", message.to_owned()));
        let Some((key, value)) = argument.split_once('=') else {
            return error("it must be KEY=VALUE, for example simulation.duration=2");
        };
        let key = key.trim();
        let parts: Vec<&str> = key.split('.').collect();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if parts.iter().any(|part| part.is_empty() || !part.chars().all(plain)) {
            return error("the key must be words joined by dots, such as simulation.duration");
        }
        let Some(value) = override_value(value.trim()) else {
            return error("the value must be a number, true, false, a word, or any TOML value");
        };
        let (last, sections) = match parts.split_last() {
            Some((last, sections)) => (*last, sections),
            None => return Ok(()),
        };
        let mut table = &mut self.table;
        let mut path = String::new();
        for section in sections {
            path.push_str(section);
            if !table.contains_key(*section) {
                self.origins.push((path.clone(), origin.clone()));
            }
            path.push('.');
            let entry = table.entry(*section).or_insert_with(|| Value::Table(Table::new()));
            let Value::Table(inner) = entry else {
                return error(&format!("{section} is a value and has no keys"));
            };
            table = inner;
        }
        table.insert(last.to_owned(), value);
        self.origins.push((key.to_owned(), origin));
        Ok(())
    }
}

/// A TOML value; a number as other languages write it; or a bare word as a string.
fn override_value(text: &str) -> Option<Value> {
    if let Ok(mut table) = format!("v = {text}").parse::<Table>()
        && table.len() == 1
        && let Some(value) = table.remove("v")
    {
        return Some(value);
    }
    let starts_a_word = text.starts_with(|c: char| c.is_alphabetic());
    if !starts_a_word && let Ok(number) = text.parse::<f64>() {
        return Some(Value::Float(number));
    }
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    (starts_a_word && text.chars().all(plain)).then(|| Value::String(text.to_owned()))
}

fn collect(prefix: &str, text: &str, table: &DeTable<'_>, origins: &mut Vec<(String, Origin)>) {
    for (key, value) in table.iter() {
        let path = if prefix.is_empty() {
            key.get_ref().to_string()
        } else {
            format!("{prefix}.{}", key.get_ref())
        };
        origins.push((path.clone(), Origin::Line(line(text, key.span().start))));
        let value: &Spanned<DeValue<'_>> = value;
        if let DeValue::Table(inner) = value.get_ref() {
            collect(&path, text, inner, origins);
        }
    }
}

/// Number of the line at a byte of the text.
fn line(text: &str, position: usize) -> usize {
    1 + text.as_bytes().iter().take(position).filter(|byte| **byte == b'\n').count()
}
