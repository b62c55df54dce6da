//! A scene as a table of values, each with the place where it was given.

use super::error::{Cause, Complaint, Origin, SceneError, nearest};
use super::excerpt::FilePlace;
use super::findings::{Findings, Mark};
use super::locate::Locator;
use super::ranges::{self, Ranges};
use super::size::{self, MOST_DEPTH};
use super::world::units;
use toml::{Table, Value};

/// Largest scene file, bytes.
pub const MOST_BYTES: u64 = 16 << 20;

/// Values and where they come from.
pub(crate) struct Document {
    pub(crate) source: String,
    pub(crate) table: Table,
    text: String,
    /// Dotted keys with the arguments that gave them; later entries count.
    overrides: Vec<(String, String)>,
    /// Texts that overrides have replaced.
    replaced: Vec<String>,
    /// How far some values go in the lab.
    pub(crate) ranges: Ranges,
}

impl Document {
    /// Reads a file.
    pub(crate) fn parse(source: &str, text: &str) -> Result<Self, SceneError> {
        if text.len() as u64 > MOST_BYTES {
            let message = format!("it is larger than {} MB", MOST_BYTES >> 20);
            return Err(SceneError::new(source, Origin::Default, Cause::Limit, message));
        }
        if let Some((at, message)) = size::excess(text) {
            let place = Origin::File(FilePlace::new(text, at..at + 1));
            return Err(SceneError::new(source, place, Cause::Limit, message));
        }
        let error = |e: toml::de::Error| {
            let origin =
                e.span().map_or(Origin::Default, |s| Origin::File(FilePlace::new(text, s)));
            if e.message().contains("recurs") {
                let message =
                    format!("keys are nested too deeply; {MOST_DEPTH} levels are allowed");
                return SceneError::new(source, origin, Cause::Limit, message);
            }
            let message = format!("this is not TOML: {}", e.message().replace('\n', " "));
            SceneError::new(source, origin, Cause::Wrong, message)
        };
        let table: Table = text.parse().map_err(error)?;
        let (source, text) = (source.into(), text.into());
        let (overrides, replaced, ranges) = (Vec::new(), Vec::new(), Ranges::new());
        Ok(Self { source, table, text, overrides, replaced, ranges })
    }

    /// The findings with their places, in the order of the file; overrides come last.
    pub(crate) fn error(&self, findings: Findings) -> SceneError {
        let locator = Locator::new(&self.text);
        let source = &self.source;
        let mut complaints: Vec<Complaint> = Vec::with_capacity(findings.list.len());
        for found in findings.list {
            let origin = self.origin(&locator, &found.key, found.mark);
            let (cause, message) = (found.cause, found.message);
            complaints.push(Complaint {
                source: source.clone(),
                origin,
                key: found.key,
                cause,
                message,
            });
        }
        complaints.sort_by_key(|complaint| match &complaint.origin {
            Origin::Default => (0, 0),
            Origin::File(place) => (place.line, place.column),
            Origin::Override(_) => (usize::MAX, 0),
        });
        if findings.more > 0 {
            let message = format!("{} more errors are not shown", findings.more);
            complaints
                .extend(SceneError::new(source, Origin::Default, Cause::Wrong, message).complaints);
        }
        SceneError { complaints }
    }

    /// Where the value of a key was given, or else the table in which it is missing.
    fn origin(&self, locator: &Locator, key: &str, mark: Mark) -> Origin {
        let below = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let last = |fits: &dyn Fn(&str) -> bool| {
            let found = self.overrides.iter().rev().find(|(known, _)| fits(known));
            found.map(|(_, argument)| Origin::Override(argument.clone()))
        };
        let place = |key: &str| {
            let bytes = locator.find(key, mark)?;
            Some(Origin::File(FilePlace::new(&self.text, bytes)))
        };
        let ancestors = || {
            let ends = key.rmatch_indices('.').map(|(position, _)| &key[..position]);
            ends.into_iter().find_map(place)
        };
        last(&|known| below(key, known))
            .or_else(|| place(key))
            .or_else(|| last(&|known| below(known, key)))
            .or_else(ancestors)
            .unwrap_or(Origin::Default)
    }

    /// Takes the ranges out of values that have one; an error if one is wrong.
    pub(crate) fn take_ranges(&mut self) -> Result<(), SceneError> {
        let findings = ranges::take(&mut self.table, &mut self.ranges);
        if findings.is_empty() { Ok(()) } else { Err(self.error(findings)) }
    }

    /// Takes from another document all that is not given here, sections entry by entry.
    pub(crate) fn lay_over(&mut self, base: Document) {
        let own = std::mem::replace(&mut self.table, base.table);
        lay_over(&mut self.table, own, &mut self.replaced);
        for (key, range) in base.ranges {
            self.ranges.entry(key).or_insert(range);
        }
    }

    /// The same document with other values.
    pub(crate) fn with_table(self, table: Table) -> Self {
        Self { table, ..self }
    }

    /// The texts that overrides have replaced.
    pub(crate) fn replaced(&self) -> &[String] {
        &self.replaced
    }

    /// Applies an override `KEY=VALUE`. An entry of a list is named by its number, from 0, or by
    /// its `name`.
    pub(crate) fn set(&mut self, argument: &str) -> Result<(), SceneError> {
        let source = self.source.clone();
        let error = |message: &str| {
            let origin = Origin::Override(argument.into());
            Err(SceneError::new(&source, origin, Cause::Wrong, message.to_owned()))
        };
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
            return error(
                "the value must be a number, true, false, a word, a number with a unit, an expression, or \
                 any TOML value",
            );
        };
        let (last, sections) = match parts.split_last() {
            Some((last, sections)) => (*last, sections),
            None => return Ok(()),
        };
        let mut path: Vec<String> = Vec::with_capacity(parts.len());
        let mut at = Step::Table(&mut self.table);
        for section in sections {
            let entry = match at.entry(section) {
                Ok((name, entry)) => {
                    path.push(name);
                    entry
                }
                Err(message) => return error(&message),
            };
            at = match entry {
                Value::Table(inner) => Step::Table(inner),
                Value::Array(list) => Step::List(list),
                _ => return error(&format!("{section} is a value and has no keys")),
            };
        }
        let (name, entry) = match at.entry(last) {
            Ok(found) => found,
            Err(message) => return error(&message),
        };
        let before = std::mem::replace(entry, value);
        texts_of(before, &mut self.replaced);
        path.push(name);
        self.overrides.push((path.join("."), argument.to_owned()));
        Ok(())
    }
}

/// Puts values over others; tables are joined.
fn lay_over(below: &mut Table, above: Table, replaced: &mut Vec<String>) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above, replaced),
            (Some(before), value) => texts_of(std::mem::replace(before, value), replaced),
            (None, value) => {
                below.insert(key, value);
            }
        }
    }
}

/// Collects the texts of a value.
fn texts_of(value: Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text),
        Value::Array(list) => list.into_iter().for_each(|entry| texts_of(entry, out)),
        Value::Table(table) => table.into_iter().for_each(|(_, entry)| texts_of(entry, out)),
        _ => {}
    }
}

/// A table or a list on the way to a value.
enum Step<'a> {
    Table(&'a mut Table),
    List(&'a mut Vec<Value>),
}

impl<'a> Step<'a> {
    /// The entry of that name, made if it is not there; and what it is called in a dotted key.
    fn entry(self, part: &str) -> Result<(String, &'a mut Value), String> {
        match self {
            Step::Table(table) => {
                let entry = table.entry(part).or_insert_with(|| Value::Table(Table::new()));
                Ok((part.to_owned(), entry))
            }
            Step::List(list) => {
                let named = |value: &Value| value.get("name").and_then(Value::as_str) == Some(part);
                let position = list.iter().position(named).or_else(|| part.parse().ok());
                let count = list.len();
                let names = list.iter().filter_map(|value| value.get("name")?.as_str());
                let near = nearest(part, names)
                    .map_or(String::new(), |near| format!("; did you mean {near}?"));
                match position.and_then(|position| Some((position, list.get_mut(position)?))) {
                    Some((position, entry)) => Ok((position.to_string(), entry)),
                    None => Err(format!(
                        "{part} is not in the list, whose entries are called by their names or by numbers \
                         from 0 (there are {count}){near}"
                    )),
                }
            }
        }
    }
}

/// A TOML value; a number as other languages write it; a number with a unit; or a bare word or
/// expression as a string.
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
    let is_text = (starts_a_word && text.chars().all(plain)) || units::is_quantity(text);
    let is_part = |c: char| c.is_alphanumeric() || " _-.+*/^(),<>=![]'µ°".contains(c);
    let is_expression = !text.starts_with('[')
        && text.chars().any(char::is_alphabetic)
        && text.chars().all(is_part);
    (is_text || is_expression).then(|| Value::String(text.to_owned()))
}
