//! Values with the range in which the lab turns them: `mu = { value = 0.3, min = 0, max = 1 }` in
//! `[parameters]` and `[start]`.
//!
//! The rest of the program sees the value alone: a range says how far a slider goes, and forbids nothing
//! (`[[require]]` does).

use super::findings::Findings;
use super::reader::shown;
use super::world::parameters::SECTIONS;
use super::world::quantity::LARGEST;
use super::world::units;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Keys of a value with a range.
const KEYS: [&str; 3] = ["value", "min", "max"];

/// Ranges by dotted key, as they were given: tables with `min`, `max` or both.
pub(crate) type Ranges = BTreeMap<String, Table>;

/// Puts values in the place of values with ranges, and remembers the ranges.
pub(crate) fn take(table: &mut Table, ranges: &mut Ranges) -> Findings {
    let mut findings = Findings::default();
    for section in SECTIONS {
        let Some(Value::Table(values)) = table.get_mut(section) else { continue };
        for (name, entry) in values.iter_mut() {
            let key = format!("{section}.{name}");
            let Value::Table(given) = entry else { continue };
            // Any other table is refused as what it is.
            if !KEYS.iter().any(|known| given.contains_key(*known)) {
                continue;
            }
            if let Some(value) = checked(&key, given, &mut findings) {
                let mut range = std::mem::take(given);
                range.remove("value");
                ranges.insert(key, range);
                *entry = value;
            }
        }
    }
    findings
}

/// The value of a table whose keys are right.
fn checked(key: &str, given: &Table, findings: &mut Findings) -> Option<Value> {
    const FORM: &str = "a value with a range is { value = 0.3, min = 0, max = 1 }";
    let before = findings.list.len() + findings.more;
    for own in given.keys().filter(|own| !KEYS.contains(&own.as_str())) {
        findings.key(&format!("{key}.{own}"), format!("{key}.{own} is not known; {FORM}"));
    }
    let Some(value) = given.get("value") else {
        findings.value(key, format!("{key} has no value; {FORM}"));
        return None;
    };
    let is_number = match value {
        Value::String(text) => !is_word(text),
        other => other.is_integer() || other.is_float(),
    };
    let mut ends = Vec::new();
    for end in ["min", "max"] {
        let Some(bound) = given.get(end) else { continue };
        let own = format!("{key}.{end}");
        let refuse = |allowed: &str| format!("{own} is {}, {allowed}", shown(bound));
        if !is_number {
            findings.value(&own, refuse("but only numbers have a range"));
            continue;
        }
        match (number(bound), unit(bound), unit(value)) {
            (None, ..) => {
                findings.value(&own, refuse("it must be a number or a text with a unit"));
            }
            (_, Some(bound), Some(value)) if bound != value => {
                findings.value(&own, refuse("it must have a unit that fits the value's"));
            }
            (Some(number), ..) => ends.push(number),
        }
    }
    if let [min, max] = ends[..]
        && !(min < max)
    {
        let max = format!("{key}.max");
        findings.value(&max, format!("{max} must be more than {key}.min"));
    }
    (findings.list.len() + findings.more == before).then(|| value.clone())
}

/// Whether a text is a word and no quantity or expression.
fn is_word(text: &str) -> bool {
    let part = |c: char| c.is_alphabetic() || c == '-';
    text.starts_with(char::is_alphabetic) && text.chars().all(part)
}

/// A number in SI units.
pub(crate) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::String(text) => units::quantity(text)?.0,
        _ => return None,
    };
    (number.abs() <= LARGEST).then_some(number)
}

/// Exponents of the unit of a text with a unit.
fn unit(value: &Value) -> Option<[i32; 4]> {
    units::quantity(value.as_str()?).map(|(_, exponents)| exponents)
}

/// A scene with its ranges put back.
pub(crate) fn put_back(table: &Table, ranges: &Ranges) -> Table {
    let mut out = table.clone();
    for (key, range) in ranges {
        let found = key.split_once('.').and_then(|(section, name)| {
            out.get_mut(section).and_then(|values| values.get_mut(name))
        });
        if let Some(entry) = found {
            let mut ranged = Table::new();
            ranged.insert("value".into(), entry.clone());
            ranged.extend(range.clone());
            *entry = Value::Table(ranged);
        }
    }
    out
}

/// A range in words: `from 0 to 1`.
pub(crate) fn in_words(range: &Table) -> String {
    let end = |word: &str, key: &str| range.get(key).map(|value| format!("{word} {}", bare(value)));
    let ends = [end("from", "min"), end("to", "max")];
    ends.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
