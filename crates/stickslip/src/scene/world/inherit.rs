//! What `[[contact]]` rules take from `[default_contact]`.

use super::file_contact::{FACTOR, FORM, FRICTION};
use toml::{Table, Value};

/// Lets rules take from the default what they do not give. Returns a line for every rule that takes a value
/// other than 0.
pub(super) fn inherit(table: &mut Table) -> Vec<String> {
    let Some(Value::Table(default)) = table.get("default_contact").cloned() else {
        return Vec::new();
    };
    let Some(Value::Array(rules)) = table.get_mut("contact") else { return Vec::new() };
    let mut lines = Vec::new();
    for (number, rule) in rules.iter_mut().enumerate() {
        let Value::Table(rule) = rule else { continue };
        if rule.get("enabled").and_then(Value::as_bool) == Some(false) {
            continue;
        }
        let given: Vec<String> = rule.keys().cloned().collect();
        let has = |key: &str| given.iter().any(|own| own == key);
        let other_form = has("law") && rule.get("law") != default.get("law");
        let is_factor = |table: &Table| table.get("law").and_then(Value::as_str) == Some(FACTOR);
        let other_friction = FRICTION.iter().any(|key| has(key))
            || other_form && is_factor(rule) != is_factor(&default);
        let mut taken = Vec::new();
        for (key, value) in &default {
            let is_other = other_friction && FRICTION.contains(&key.as_str())
                || other_form && FORM.contains(&key.as_str());
            if has(key) || is_other {
                continue;
            }
            rule.insert(key.clone(), value.clone());
            if !is_zero(value) {
                taken.push(format!("{key} = {value}"));
            }
        }
        if !taken.is_empty() {
            let name = rule.get("name").and_then(Value::as_str);
            let name = name.map_or(String::new(), |name| format!(" ({name})"));
            let taken = taken.join(", ");
            lines.push(format!("contact rule {number}{name} takes {taken} from [default_contact]"));
        }
    }
    lines
}

/// Whether a value is what counts where nothing is given.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Integer(number) => *number == 0,
        Value::Float(number) => *number == 0.0,
        Value::String(text) => text == "coulomb" || text == "0",
        _ => false,
    }
}
