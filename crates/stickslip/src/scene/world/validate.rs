//! Checks a file against the schema and collects everything that is wrong, each with its key; what is
//! given by parameters gets its value.
//!
//! Reading into the types would stop at the first error. The schema is made from the same types,
//! so that both always agree; only what the types produce is understood here.

use super::expression::ExpressionError;
use super::parameters::{Parameters, SECTIONS};
use super::quantity::{LARGEST, UNIT_KEY, checked, unit_of};
use super::units;
use crate::scene::error::{nearest, one_of};
use crate::scene::findings::Findings;
use crate::scene::reader::shown;
use crate::solve::SOLVER_NAMES;
use serde_json::{Map, Value as Json};
use std::collections::HashSet;
use toml::{Table, Value};

/// Sections that are read with their defaults elsewhere.
const READ_ELSEWHERE: [&str; 2] = ["simulation", "solver"];

/// Notes everything in which the table does not follow the schema, and puts the values of parameters
/// in their places.
pub(crate) fn validate(
    table: &mut Table,
    schema: &Json,
    parameters: &Parameters,
    findings: &mut Findings,
) {
    let definitions = schema.get("$defs");
    let bodies = table.get("body").and_then(Value::as_array).into_iter().flatten();
    let names = bodies.filter_map(|body| body.get("name")?.as_str());
    let words = ["ground", "any"].iter().chain(SOLVER_NAMES).copied();
    let own_words = names.chain(words).map(str::to_owned).collect();
    let mut check = Check { definitions, parameters, own_words, findings, path: Vec::new() };
    if let Json::Object(root) = schema {
        check.table(table, root);
    }
}

struct Check<'a> {
    definitions: Option<&'a Json>,
    parameters: &'a Parameters,
    /// Names that stand for themselves although a parameter has the same.
    own_words: HashSet<String>,
    findings: &'a mut Findings,
    path: Vec<String>,
}

impl<'a> Check<'a> {
    fn key(&self) -> String {
        self.path.join(".")
    }

    /// Notes that the value at hand is not what is allowed.
    fn refuse(&mut self, value: &Value, allowed: &str) {
        let key = self.key();
        self.findings.value(&key, format!("{key} is {}, it must be {allowed}", shown(value)));
    }

    fn inside(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        self.path.push(name.to_owned());
        check(self);
        self.path.pop();
    }

    fn resolve(&self, mut schema: &'a Json) -> &'a Json {
        // A definition refers to another one at most a few times.
        for _ in 0..8 {
            let name = schema.get("$ref").and_then(Json::as_str);
            let Some(name) = name.and_then(|n| n.strip_prefix("#/$defs/")) else { break };
            let Some(found) = self.definitions.and_then(|all| all.get(name)) else { break };
            schema = found;
        }
        schema
    }

    /// Notes what is wrong with a text made of parameters.
    fn tell(&mut self, text: &str, error: ExpressionError) {
        let key = self.key();
        match error {
            ExpressionError::Wrong(reason) => {
                self.findings.value(&key, format!("{key} is {text:?}; {reason}"));
            }
            ExpressionError::Limit(reason) => {
                self.findings.limit(&key, format!("{key}: {reason}"));
            }
            ExpressionError::Told => {}
        }
    }

    /// Notes what is wrong with a text made of parameters; else puts its value in its place.
    fn replace(&mut self, value: &mut Value, found: Result<Value, ExpressionError>) -> bool {
        match found {
            Ok(found) => *value = found,
            Err(error) => {
                let text = value.as_str().unwrap_or_default().to_owned();
                self.tell(&text, error);
                return false;
            }
        }
        true
    }

    fn value(&mut self, value: &mut Value, schema: &'a Json) {
        let Json::Object(schema) = self.resolve(schema) else { return };
        // Where a text is asked for, as the key of [[require]], it may be the name of a list.
        if let Value::String(text) = value
            && kind(schema) != "string"
            && let Some(list) = self.parameters.list(text)
        {
            *value = list;
        }
        if let Some(symbol) = schema.get(UNIT_KEY).and_then(Json::as_str) {
            return self.quantity(value, schema, symbol);
        }
        if let Some(Json::Array(choices)) = schema.get("anyOf") {
            return self.choice(value, choices);
        }
        let words = words(schema);
        if !words.is_empty() {
            return self.word(value, &words);
        }
        if let Value::String(text) = value
            && !units::is_number(text)
        {
            let found = match kind(schema) {
                "boolean" => self.parameters.truth(text).map(Value::Boolean),
                "number" => self.parameters.quantity(text, &units::NUMBER).map(Value::Float),
                "integer" => self.parameters.quantity(text, &units::NUMBER).map(whole),
                "string" => return self.text(value),
                _ => Ok(value.clone()),
            };
            match found {
                Err(ExpressionError::Wrong(reason)) => {
                    return self.refuse(value, &format!("{}; {reason}", phrase(kind(schema))));
                }
                found => {
                    if !self.replace(value, found) {
                        return;
                    }
                }
            }
        }
        match (kind(schema), &mut *value) {
            ("object", Value::Table(table)) => self.table(table, schema),
            ("array", Value::Array(_)) => self.list(value, schema),
            ("string", Value::String(_)) | ("boolean", Value::Boolean(_)) => {}
            ("number" | "integer", Value::Integer(number)) => {
                let number = *number as f64;
                self.range(value, number, schema);
            }
            ("number", Value::Float(number)) => {
                let number = *number;
                self.range(value, number, schema);
            }
            ("array", Value::Table(_)) => {
                let allowed = format!("a list; write [[{}]] with two brackets", self.key());
                self.refuse(value, &allowed);
            }
            (other, _) => self.refuse(value, phrase(other)),
        }
    }

    /// A text of the user's choice: the word of a parameter, unless it stands for itself.
    fn text(&mut self, value: &mut Value) {
        let is_free = matches!(
            self.path.last().map(String::as_str),
            Some("name" | "caption" | "unit" | "rate_of" | "drawn_over" | "key" | "allowed")
        ) || matches!(
            self.path.first().map(String::as_str),
            Some("table" | "instead" | "words")
        );
        let Value::String(text) = value else { return };
        if is_free || self.own_words.contains(text) {
            return;
        }
        if let Some(found) = self.parameters.chosen(text) {
            self.replace(value, found.map(Value::String));
        }
    }

    /// Of several forms the one that fits the type of the value.
    fn choice(&mut self, value: &mut Value, choices: &'a [Json]) {
        let is_number = |choice: &Json| choice.get("type").and_then(Json::as_str) == Some("number");
        if value.is_str() && choices.iter().any(is_number) {
            // Its unit depends on its surroundings, or it is a function of time: read later.
            return;
        }
        self.one_of(value, choices);
    }

    fn one_of(&mut self, value: &mut Value, choices: &'a [Json]) {
        let fits = |choice: &Json| {
            let schema = self.resolve(choice);
            let kinds = schema.get("type").map_or_else(Vec::new, |kinds| match kinds {
                Json::Array(list) => list.iter().filter_map(Json::as_str).collect(),
                kind => kind.as_str().into_iter().collect(),
            });
            // A choice among choices: one number, or a text, or a list.
            let nested = schema.get("anyOf").is_some();
            kinds.contains(&kind_of(value)) || (nested && !value.is_array() && !value.is_table())
        };
        if let Some(choice) = choices.iter().find(|choice| fits(choice)) {
            return self.value(value, choice);
        }
        let mut phrases: Vec<&str> = Vec::new();
        for choice in choices {
            let schema = self.resolve(choice);
            let word = match schema {
                Json::Object(schema) if schema.contains_key(UNIT_KEY) => {
                    "a number or a text with a unit"
                }
                Json::Object(schema) if schema.contains_key("anyOf") => "a number or a text",
                Json::Object(schema) => phrase(kind(schema)),
                _ => continue,
            };
            if !phrases.contains(&word) {
                phrases.push(word);
            }
        }
        self.refuse(value, &phrases.join(" or "));
    }

    fn quantity(&mut self, value: &mut Value, schema: &Map<String, Json>, symbol: &str) {
        let bound =
            |key: &str, otherwise: f64| schema.get(key).and_then(Json::as_f64).unwrap_or(otherwise);
        let Some(unit) = unit_of(symbol) else { return };
        let number = match value {
            Value::Integer(number) => Ok(*number as f64),
            Value::Float(number) => Ok(*number),
            Value::String(text) if unit == units::NUMBER && units::is_number(text) => {
                Err("it must be a number without quotes".into())
            }
            Value::String(text) => match self.parameters.quantity(text, &unit) {
                Ok(number) => Ok(number),
                Err(ExpressionError::Wrong(reason)) => Err(reason),
                Err(error) => {
                    let text = text.clone();
                    return self.tell(&text, error);
                }
            },
            _ if unit == units::NUMBER => Err("it must be a number".to_owned()),
            _ => Err(format!(
                "it must be {} ({symbol}), as a number or in quotes with a unit",
                unit.quantity
            )),
        };
        let (least, most) = (bound("minimum", -LARGEST), bound("maximum", LARGEST));
        let range = match (least, most) {
            (0.0, 1.0) => "from 0 to 1",
            (0.0, _) => "not negative, at most 1e30",
            (least, _) if least > 0.0 => "positive, from 1e-30 to 1e30",
            _ => "a number from -1e30 to 1e30",
        };
        match number.and_then(|number| checked(number, least, most, range)) {
            Ok(number) => {
                if value.is_str() {
                    *value = Value::Float(number);
                }
            }
            Err(reason) => {
                let key = self.key();
                self.findings.value(&key, format!("{key} is {}; {reason}", shown(value)));
            }
        }
    }

    fn range(&mut self, value: &Value, number: f64, schema: &Map<String, Json>) {
        let bound = |key: &str| schema.get(key).and_then(Json::as_f64);
        let is_whole = kind(schema) == "integer";
        let least = bound("minimum").unwrap_or(if is_whole { 0.0 } else { -LARGEST });
        let most = bound("maximum").unwrap_or(if is_whole { f64::from(u32::MAX) } else { LARGEST });
        if number >= least && number <= most {
            return;
        }
        let noun = if is_whole { "a whole number" } else { "a number" };
        let allowed = if least == most {
            format!("{least}")
        } else if is_whole {
            format!("{noun} from {least} to {most}")
        } else {
            format!("{noun} from {least:e} to {most:e}")
        };
        self.refuse(value, &allowed);
    }

    fn word(&mut self, value: &mut Value, words: &[&str]) {
        let is_own = value.as_str().is_some_and(|text| words.contains(&text));
        if let (Value::String(text), false) = (&*value, is_own)
            && let Some(found) = self.parameters.chosen(text)
            && !self.replace(value, found.map(Value::String))
        {
            return;
        }
        let Value::String(text) = value else {
            return self.refuse(value, &one_of(words));
        };
        if !words.contains(&text.as_str()) {
            let near = nearest(text, words.iter().copied());
            let hint = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            let allowed = format!("{}{hint}", one_of(words));
            self.refuse(value, &allowed);
        }
    }

    fn list(&mut self, value: &mut Value, schema: &'a Map<String, Json>) {
        let Value::Array(list) = value else { return };
        let bound = |key: &str| schema.get(key).and_then(Json::as_u64);
        let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(u64::MAX));
        if !(least..=most).contains(&(list.len() as u64)) {
            let allowed = match (least, most) {
                (2, 3) => "a list of two values in the plane, of three in space".into(),
                (a, b) if a == b => format!("a list of {a}"),
                (a, _) => format!("a list of at least {a}"),
            };
            return self.refuse(value, &allowed);
        }
        let Some(items) = schema.get("items") else { return };
        for (position, entry) in list.iter_mut().enumerate() {
            self.inside(&position.to_string(), |check| check.value(entry, items));
        }
    }

    fn table(&mut self, table: &mut Table, schema: &'a Map<String, Json>) {
        let mut properties: Vec<(&'a str, &'a Json)> = Vec::new();
        let mut required: Vec<&'a str> = Vec::new();
        collect(schema, &mut properties, &mut required);
        if let Some(Json::Array(variants)) = schema.get("oneOf") {
            let names: Vec<&str> = variants.iter().filter_map(variant_name).collect();
            if let Some(value) = table.get_mut(TAG) {
                let before = self.findings.list.len();
                self.inside(TAG, |check| check.word(value, &names));
                if self.findings.list.len() > before {
                    // Without its kind nothing can be said of its other keys.
                    return;
                }
            }
            let given = table.get(TAG);
            let variant = variants.iter().find(|v| {
                variant_name(v).is_some() && given.and_then(Value::as_str) == variant_name(v)
            });
            match variant {
                Some(Json::Object(variant)) => collect(variant, &mut properties, &mut required),
                _ => {
                    let key = self.key();
                    let message = format!("{key} has no kind; it must be {}", one_of(&names));
                    return self.findings.value(&key, message);
                }
            }
        }
        // A table whose keys are names.
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        for (name, value) in table.iter_mut() {
            let is_top = self.path.is_empty();
            match properties.iter().find(|(known, _)| known == name) {
                _ if is_top && SECTIONS.contains(&name.as_str()) => {}
                Some((_, property)) if is_top && READ_ELSEWHERE.contains(&name.as_str()) => {
                    self.inside(name, |check| check.section(value, property));
                }
                Some((_, property)) => self.inside(name, |check| check.value(value, property)),
                None => match others {
                    Some(others) => self.inside(name, |check| check.value(value, others)),
                    None => self.unknown(name, &properties),
                },
            }
        }
        for name in required {
            if !table.contains_key(name) {
                let key = self.key();
                let message = format!("{key} has no {name}; it must be given");
                self.findings.value(&key, message);
            }
        }
    }

    /// Gives the texts of a section that is checked elsewhere their values.
    fn section(&mut self, section: &mut Value, schema: &'a Json) {
        let properties = self.resolve(schema).get("properties");
        let Value::Table(section) = section else { return };
        let mut wrong = Vec::new();
        for (name, value) in section.iter_mut().filter(|(_, value)| value.is_str()) {
            let Some(property) = properties.and_then(|all| all.get(name)) else { continue };
            let before = self.findings.list.len();
            self.inside(name, |check| check.value(value, property));
            if self.findings.list.len() > before {
                wrong.push(name.clone());
            }
        }
        // Complained of once is enough.
        for name in wrong {
            section.remove(&name);
        }
    }

    fn unknown(&mut self, name: &str, properties: &[(&str, &Json)]) {
        let names = properties.iter().map(|(known, _)| *known);
        let prefix = self.key() + if self.path.is_empty() { "" } else { "." };
        let key = format!("{prefix}{name}");
        if self.findings.is_full() {
            return self.findings.key(&key, String::new());
        }
        let hint = match nearest(name, names.clone()) {
            Some(near) => format!("did you mean {prefix}{near}?"),
            None => format!("known are {}", names.collect::<Vec<_>>().join(", ")),
        };
        self.findings.key(&key, format!("{key} is not known; {hint}"));
    }
}

/// The key that says which of several forms a table has.
const TAG: &str = "kind";

fn collect<'a>(
    schema: &'a Map<String, Json>,
    properties: &mut Vec<(&'a str, &'a Json)>,
    required: &mut Vec<&'a str>,
) {
    if let Some(Json::Object(entries)) = schema.get("properties") {
        properties.extend(entries.iter().map(|(name, schema)| (name.as_str(), schema)));
    }
    if let Some(Json::Array(names)) = schema.get("required") {
        required.extend(names.iter().filter_map(Json::as_str));
    }
}

fn variant_name(variant: &Json) -> Option<&str> {
    variant.get("properties")?.get(TAG)?.get("const")?.as_str()
}

/// The words among which a text must be.
fn words(schema: &Map<String, Json>) -> Vec<&str> {
    let listed = schema.get("enum").and_then(Json::as_array);
    let listed = listed.into_iter().flatten().filter_map(Json::as_str);
    let described = schema.get("oneOf").and_then(Json::as_array).into_iter().flatten();
    listed.chain(described.filter_map(|one| one.get("const")?.as_str())).collect()
}

fn kind(schema: &Map<String, Json>) -> &str {
    schema.get("type").and_then(Json::as_str).unwrap_or("object")
}

/// Type of a value in the words of a schema.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Integer(_) | Value::Float(_) => "number",
        Value::Boolean(_) => "boolean",
        Value::Array(_) => "array",
        Value::Table(_) => "object",
        Value::Datetime(_) => "date",
    }
}

/// A number as a whole one, if it is.
fn whole(number: f64) -> Value {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => Value::Integer(number as i64),
        false => Value::Float(number),
    }
}

fn phrase(kind: &str) -> &'static str {
    match kind {
        "object" => "a table",
        "array" => "a list",
        "string" => "a text in quotes",
        "boolean" => "true or false",
        "integer" => "a whole number",
        _ => "a number",
    }
}
