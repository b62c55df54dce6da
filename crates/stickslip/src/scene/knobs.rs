//! What of a scene can be turned by hand: the values of `[parameters]` and `[start]`, each with the range of
//! its slider or the words that it may be; and how a turned value gets into the text of the file.

use super::Scene;
use super::findings::Mark;
use super::locate::Locator;
use super::ranges;
use super::world::parameters::SECTIONS;
use super::world::units;
use serde::Serialize;
use toml::{Table, Value};

/// A value that can be turned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Knob {
    /// Its dotted key.
    pub key: String,
    /// What stands behind it in the file as a comment; may be empty.
    pub hint: String,
    /// What it may be.
    #[serde(flatten)]
    pub kind: KnobKind,
}

/// What a value may be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KnobKind {
    /// A number, in the unit in which the file gives it (SI units where it gives none).
    Number {
        /// The value.
        value: f64,
        /// Where its slider begins.
        min: f64,
        /// Where it ends.
        max: f64,
        /// The unit in the file; empty for a plain number.
        unit: String,
        /// Whether the file gives a whole number.
        whole: bool,
    },
    /// One of some words.
    Choice {
        /// The word.
        value: String,
        /// All words.
        words: Vec<String>,
    },
    /// True or false.
    Switch {
        /// Which.
        value: bool,
    },
    /// Anything else, as it is written in the file: an expression, a word, a list.
    Text {
        /// The text.
        value: String,
        /// Whether it is a TOML value and no text in quotes.
        raw: bool,
    },
}

/// A slider without limits of its own goes from this part of the value to that many times it.
const AROUND: [f64; 2] = [0.1, 2.0];

impl Scene {
    /// The values of `[parameters]` and `[start]` that can be turned; `text` is the file, for its comments.
    pub fn knobs(&self, text: &str) -> Vec<Knob> {
        let locator = Locator::new(text);
        let table = self.effective();
        let mut knobs = Vec::new();
        for section in SECTIONS {
            let Some(Value::Table(values)) = table.get(section) else { continue };
            for (name, value) in values {
                let key = format!("{section}.{name}");
                let words = table.get("words").and_then(|words| words.get(name)?.as_array());
                let words: Option<Vec<String>> = words
                    .map(|list| list.iter().filter_map(|w| Some(w.as_str()?.into())).collect());
                let hint = hint(text, &locator, &key);
                let kind = kind(value, words, self.ranges.get(&key));
                knobs.push(Knob { key, hint, kind });
            }
        }
        knobs
    }
}

fn kind(value: &Value, words: Option<Vec<String>>, range: Option<&Table>) -> KnobKind {
    match (value, words) {
        (Value::Boolean(value), _) => KnobKind::Switch { value: *value },
        (Value::String(value), Some(words)) if words.contains(value) => {
            KnobKind::Choice { value: value.clone(), words }
        }
        (Value::String(text), _) => match units::split(text) {
            Some((value, unit)) if units::is_quantity(text) && !unit.is_empty() => {
                slider(value, unit, false, range)
            }
            _ => KnobKind::Text { value: text.clone(), raw: false },
        },
        (Value::Integer(value), _) => slider(*value as f64, "", true, range),
        (Value::Float(value), _) => slider(*value, "", false, range),
        (other, _) => KnobKind::Text { value: other.to_string(), raw: true },
    }
}

fn slider(value: f64, unit: &str, whole: bool, range: Option<&Table>) -> KnobKind {
    let factor = units::unit_value(unit).map_or(1.0, |(factor, _)| factor);
    let given = |key: &str| Some(ranges::number(range?.get(key)?)? / factor);
    let [near, far] = AROUND.map(|part| part * value);
    let (low, high) = if value == 0.0 { (-1.0, 1.0) } else { (near.min(far), near.max(far)) };
    // An end that is given moves the other one, and a value outside counts too.
    let min = given("min").unwrap_or_else(|| given("max").map_or(low, |max| low.min(max - 1.0)));
    let max = given("max").unwrap_or_else(|| high.max(min + f64::from(u8::from(min >= high))));
    KnobKind::Number {
        value,
        min: min.min(value),
        max: max.max(value),
        unit: unit.to_owned(),
        whole,
    }
}

/// The comment behind a value.
fn hint(text: &str, locator: &Locator, key: &str) -> String {
    let rest = locator.find(key, Mark::Value).and_then(|bytes| text.get(bytes.end..));
    let line = rest.and_then(|rest| rest.lines().next()).unwrap_or_default();
    line.trim_start().strip_prefix('#').unwrap_or_default().trim().to_owned()
}

/// The text of a scene file with another value of a key of `[parameters]` or `[start]`; everything else,
/// comments too, stays as it is. A key that the file does not have is added. `value` is a TOML value.
pub fn with_value(text: &str, key: &str, value: &str) -> Result<String, String> {
    let wrong = |reason: &str| format!("{key} cannot be set to {value}: {reason}");
    let wanted: Table =
        format!("v = {value}").parse().map_err(|_| wrong("it is no value of a scene file"))?;
    let Some((section, name)) = key.split_once('.').filter(|(s, _)| SECTIONS.contains(s)) else {
        return Err(wrong("it is no key of [parameters] or [start]"));
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || !name.chars().all(plain) || wanted.len() != 1 {
        return Err(wrong("it is no key with a value"));
    }
    let locator = Locator::new(text);
    let inner = format!("{key}.value");
    let place = locator.find(&inner, Mark::Value).or_else(|| locator.find(key, Mark::Value));
    let changed = match place {
        Some(bytes) => format!("{}{value}{}", &text[..bytes.start], &text[bytes.end..]),
        None => added(text, section, name, value),
    };
    // Whatever the form of the file, the result is what was asked for.
    let table: Option<Table> = changed.parse().ok();
    let found = table.as_ref().and_then(|table| {
        let entry = table.get(section)?.get(name)?;
        Some(entry.get("value").unwrap_or(entry))
    });
    if found != wanted.get("v") {
        return Err(wrong("change it in the text"));
    }
    Ok(changed)
}

/// The text with one more line in a section.
fn added(text: &str, section: &str, name: &str, value: &str) -> String {
    let header = format!("[{section}]");
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        let code = line.split('#').next().unwrap_or_default().trim();
        if code == header {
            let newline = if line.ends_with('\n') { "" } else { "\n" };
            return format!("{}{newline}{name} = {value}\n{}", &text[..end], &text[end..]);
        }
    }
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{newline}\n{header}\n{name} = {value}\n")
}
