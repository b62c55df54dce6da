//! Reads the sections of a document and collects everything that is wrong.

use super::document::Document;
use super::error::{SceneError, nearest};
use super::findings::Findings;
use super::world::quantity::LARGEST;
use crate::models::ParameterError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use toml::{Table, Value};

/// Reads a document section by section.
pub struct Reader<'a> {
    document: &'a Document,
    /// Sections that were read, with every key and the value that counts.
    sections: Vec<(String, Table)>,
    /// Known keys outside the sections.
    top_keys: Vec<String>,
    unknown: Vec<String>,
    /// Everything that is wrong.
    pub(crate) findings: Findings,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        Self {
            document,
            sections: Vec::new(),
            top_keys: Vec::new(),
            unknown: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// Notes that something is wrong with a key.
    pub(crate) fn complain(&mut self, key: &str, message: String) {
        self.findings.value(key, message);
    }

    /// Notes a parameter of a section that is out of its range.
    pub(crate) fn check(
        &mut self,
        section: &str,
        result: Result<(), ParameterError>,
    ) -> Option<()> {
        result
            .map_err(|e| self.complain(&format!("{section}.{}", e.key), format!("{section}.{e}")))
            .ok()
    }

    /// A text outside the sections.
    pub(crate) fn text(&mut self, key: &str, default: &str) -> String {
        self.top_keys.push(key.into());
        match self.document.table.get(key) {
            None => default.into(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => {
                self.complain(key, format!("{key} is {other}, it must be a text in quotes"));
                default.into()
            }
        }
    }

    /// A section whose keys are the fields of its defaults; nothing if something is wrong with it.
    pub(crate) fn section<T>(&mut self, name: &str, defaults: &T) -> Option<T>
    where
        T: Serialize + DeserializeOwned,
    {
        // Fails only for types that no scene has (maps with odd keys and the like).
        let known = match Table::try_from(defaults) {
            Ok(known) => known,
            Err(e) => {
                self.complain(name, format!("{name} has no defaults: {e}"));
                return None;
            }
        };
        let mut values = known.clone();
        let given = match self.document.table.get(name) {
            None => Table::new(),
            Some(Value::Table(table)) => table.clone(),
            Some(other) => {
                self.complain(name, format!("{name} is {other}, it must be a section [{name}]"));
                Table::new()
            }
        };
        let mut good = true;
        for (key, value) in given {
            let path = format!("{name}.{key}");
            let Some(default) = known.get(&key) else {
                self.unknown.push(path);
                good = false;
                continue;
            };
            // A whole number is a number too; the effective scene shows it as one.
            let value = match (&value, default) {
                (Value::Integer(whole), Value::Float(_)) => Value::Float(*whole as f64),
                _ => value,
            };
            // Alone among the defaults, so that an error belongs to this key.
            let mut alone = known.clone();
            alone.insert(key.clone(), value.clone());
            if let Err(e) = alone.try_into::<T>() {
                let allowed = allowed(default, e.message());
                self.complain(&path, format!("{path} is {}, it must be {allowed}", shown(&value)));
                good = false;
                continue;
            }
            values.insert(key, value);
        }
        self.sections.push((name.into(), values.clone()));
        let read = values.try_into::<T>();
        if let (true, Err(e)) = (good, &read) {
            self.complain(name, format!("[{name}]: {}", e.message()));
        }
        read.ok().filter(|_| good)
    }

    /// Complains of numbers that no scene may have; nothing if there are some.
    pub(crate) fn check_sizes(&mut self) -> Option<()> {
        let mut wrong = Vec::new();
        for (section, table) in &self.sections {
            for (key, value) in table {
                let numbers = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let is_small = |v: &Value| v.as_float().is_none_or(|x| x.abs() <= LARGEST);
                if !numbers.iter().all(is_small) {
                    wrong.push((format!("{section}.{key}"), shown(value)));
                }
            }
        }
        for (key, value) in &wrong {
            let message = format!("{key} is {value}, it must be from -{LARGEST:e} to {LARGEST:e}");
            self.complain(key, message);
        }
        wrong.is_empty().then_some(())
    }

    /// Complains of every key that no section knows, with the nearest known one.
    pub(crate) fn report_unknown_keys(&mut self) {
        let names = self.sections.iter().map(|(name, _)| name);
        let known: HashSet<&String> = self.top_keys.iter().chain(names).collect();
        let strangers = self.document.table.keys().filter(|key| !known.contains(key));
        self.unknown.extend(strangers.cloned());
        for key in std::mem::take(&mut self.unknown) {
            // To find what is near takes time.
            let near = if self.findings.is_full() { String::new() } else { self.suggestion(&key) };
            self.findings.key(&key, format!("{key} is not known; {near}"));
        }
    }

    fn suggestion(&self, key: &str) -> String {
        let (section, word) = key.rsplit_once('.').unwrap_or(("", key));
        let own = self.sections.iter().find(|(name, _)| name == section);
        if let Some(near) = own.and_then(|(_, t)| nearest(word, t.keys().map(String::as_str))) {
            return format!("did you mean {section}.{near}?");
        }
        // The right word in the wrong section.
        for (name, table) in &self.sections {
            if table.contains_key(word) {
                return format!("did you mean {name}.{word}?");
            }
        }
        let top = self.top_keys.iter().map(String::as_str);
        let names = self.sections.iter().map(|(name, _)| name.as_str());
        if section.is_empty() {
            if let Some(near) = nearest(word, top.clone().chain(names.clone())) {
                return format!("did you mean {near}?");
            }
            for (name, table) in &self.sections {
                if let Some(near) = nearest(word, table.keys().map(String::as_str)) {
                    return format!("did you mean {name}.{near}?");
                }
            }
        }
        let known: Vec<&str> = match own {
            Some((_, table)) => table.keys().map(String::as_str).collect(),
            None => top.chain(names).collect(),
        };
        format!("known are {}", known.join(", "))
    }

    pub(crate) fn has_complaints(&self) -> bool {
        !self.findings.is_empty()
    }

    /// What is wrong, in the order of the file; overrides come last.
    pub(crate) fn into_error(self) -> SceneError {
        self.document.error(self.findings)
    }

    /// The sections that were read, complete.
    pub(crate) fn into_sections(self) -> Vec<(String, Table)> {
        self.sections
    }

    pub(crate) fn value(&self, key: &str) -> Option<&'a Value> {
        self.document.table.get(key)
    }

    pub(crate) fn know(&mut self, key: &str) {
        self.top_keys.push(key.into());
    }
}

/// What is allowed in place of a default, as a phrase.
fn allowed(default: &Value, message: &str) -> String {
    match default {
        Value::Float(_) => "a number".into(),
        Value::Integer(_) => "a whole number, not negative".into(),
        Value::Boolean(_) => "true or false".into(),
        Value::Array(list) => format!("a list of {} numbers", list.len()),
        _ => match message.split_once("expected ") {
            Some((_, expected)) => expected.lines().next().unwrap_or_default().replace('`', "\""),
            None => message.into(),
        },
    }
}

/// The value as in a file, but not longer than a line.
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string().replace('\n', " ");
    if text.chars().count() <= 60 {
        return text;
    }
    text.chars().take(57).chain("...".chars()).collect()
}
