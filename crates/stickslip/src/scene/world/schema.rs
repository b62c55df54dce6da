//! The JSON schema of scene files that describe a world, made from the types of their keys.

use super::file::WorldFile;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<WorldFile>().to_value();
    without_null(&mut schema);
    schema
});

/// The JSON schema, for editors; also what files are checked against.
pub fn schema() -> &'static Value {
    &SCHEMA
}

/// The schema as a file. A word may be given by a parameter there.
pub fn schema_text() -> String {
    let mut schema = schema().clone();
    with_parameters(&mut schema);
    // A tree of texts, numbers and lists can always be written.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// Where one of several words is expected the name of a parameter will do, or a choice.
fn with_parameters(schema: &mut Value) {
    match schema {
        Value::Object(entries) => {
            let is_word = |one: &Value| one.get("const").is_some_and(Value::is_string);
            let listed = |key: &str, fits: &dyn Fn(&Value) -> bool| {
                let list = entries.get(key).and_then(Value::as_array);
                list.is_some_and(|list| !list.is_empty() && list.iter().all(fits))
            };
            if listed("oneOf", &is_word) || listed("enum", &Value::is_string) {
                let description = entries.remove("description");
                let words = Value::Object(std::mem::take(entries));
                let other = serde_json::json!({
                    "description": "The name of a parameter, or \"if(condition, a, b)\".",
                    "type": "string"
                });
                entries.insert("anyOf".into(), Value::Array(vec![words, other]));
                entries.extend(description.map(|text| ("description".into(), text)));
                return;
            }
            entries.values_mut().for_each(with_parameters);
        }
        Value::Array(list) => list.iter_mut().for_each(with_parameters),
        _ => {}
    }
}

/// TOML has no null: a key is given or not.
fn without_null(schema: &mut Value) {
    if let Value::Object(entries) = schema {
        drop_null(entries);
    }
    match schema {
        Value::Object(entries) => entries.values_mut().for_each(without_null),
        Value::Array(list) => list.iter_mut().for_each(without_null),
        _ => {}
    }
}

fn drop_null(entries: &mut Map<String, Value>) {
    if entries.get("default") == Some(&Value::Null) {
        entries.remove("default");
    }
    if let Some(Value::Array(types)) = entries.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            entries.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = entries.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&Value::String("null".into())));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            entries.remove("anyOf");
            for (key, value) in only {
                entries.entry(key).or_insert(value);
            }
        }
    }
}
