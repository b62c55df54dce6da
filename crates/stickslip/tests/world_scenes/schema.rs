//! The JSON schema, its file and its document.

use serde_json::Value;
use std::collections::BTreeSet;
use stickslip::scene::world::{schema, schema_text};
use stickslip::scene::{BUILT_IN, Scene, WorldScene};

fn file(path: &str) -> String {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Names of all keys, and of all words that keys may have.
fn names(schema: &Value, keys: &mut BTreeSet<String>, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(entries) => {
            if let Some(Value::Object(properties)) = entries.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            words.extend(entries.get("const").and_then(Value::as_str).map(str::to_owned));
            entries.values().for_each(|inner| names(inner, keys, words));
        }
        Value::Array(list) => list.iter().for_each(|inner| names(inner, keys, words)),
        _ => {}
    }
}

#[test]
fn the_file_is_what_the_types_say() {
    let is_same = file("docs/scene.schema.json") == schema_text();
    assert!(is_same, "write it again: stickslip schema > docs/scene.schema.json");
}

#[test]
fn every_key_and_word_is_in_the_document() {
    let document = file("docs/scene-format.md");
    let (mut keys, mut words) = (BTreeSet::new(), BTreeSet::new());
    names(schema(), &mut keys, &mut words);
    assert!(
        keys.len() > 60 && words.contains("sphere") && keys.contains("half_extents"),
        "{keys:?}"
    );
    let missing: Vec<&String> =
        keys.iter().chain(&words).filter(|word| !document.contains(&format!("`{word}`"))).collect();
    assert!(missing.is_empty(), "not in docs/scene-format.md: {missing:?}");
}

#[test]
fn the_schema_has_no_null_and_describes_every_key() {
    fn look(schema: &Value, path: &str) {
        if let Value::Object(entries) = schema {
            if let Some(Value::Object(properties)) = entries.get("properties") {
                for (name, property) in properties {
                    let is_tag = property.get("const").is_some();
                    assert!(is_tag || property.get("description").is_some(), "{path}.{name}");
                }
            }
            entries.iter().for_each(|(key, inner)| look(inner, &format!("{path}.{key}")));
        } else if let Value::Array(list) = schema {
            list.iter().for_each(|inner| look(inner, path));
        }
        assert!(!schema.is_null() && schema != "null", "{path}");
    }
    look(schema(), "");
}

#[test]
fn shipped_worlds_and_the_starter_can_be_read() {
    let starter = file("crates/stickslip-cli/src/starter.toml");
    let mut count = 0;
    let shipped = BUILT_IN.iter().map(|scene| (scene.name, scene.text.to_owned()));
    for (name, text) in shipped.chain([("starter", starter)]) {
        if Scene::describes_world(name, &text).expect("TOML") {
            let scene = WorldScene::read(name, name, &text, &[], None);
            let scene = scene.unwrap_or_else(|e| panic!("{e}"));
            // The paper prints moments of inertia that are rounded beyond what a flat body can have.
            let warnings = usize::from(name.contains("rolling-disk"));
            assert_eq!(scene.warnings.len(), warnings, "{name}: {:?}", scene.warnings);
            assert!(!scene.description.bodies.is_empty(), "{name}");
            count += 1;
        }
    }
    assert!(count >= 4, "{count}");
}
