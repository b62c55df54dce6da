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

/// The schema as a file.
pub fn schema_text() -> String {
    // A tree of texts, numbers and lists can always be written.
    serde_json::to_string_pretty(schema()).unwrap_or_default() + "\n"
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
