//! The reference of scene files, made of the schema that the program writes.

use crate::read;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Where the page is.
pub const PAGE: &str = "docs/scene-reference.md";
const SCHEMA: &str = "docs/scene.schema.json";

const BEGIN: &str = "\
# Scene reference

<!-- Made of docs/scene.schema.json by `cargo run -p stickslip-site -- --pages`; do not edit. -->

Every key of a scene file, made of the schema that the program itself checks files by (`stickslip schema`, for
editors: [scene.schema.json](scene.schema.json)). What the keys mean together, with examples, is in
[scene files](scene-format.md). Numbers are in SI units, or texts with a unit such as `\"3 mm\"`; wherever a value
stands, an expression of `[parameters]` may stand too.
";

/// Sections in the order in which a file has them.
const ORDER: &[&str] = &[
    "parameters",
    "start",
    "words",
    "require",
    "instead",
    "world",
    "body",
    "array",
    "joint",
    "force",
    "contact",
    "default_contact",
    "elements",
    "stop",
    "event",
    "column",
    "table",
    "output",
    "assembled",
    "state",
    "simulation",
    "solver",
];

/// The page.
pub fn page(root: &Path) -> Result<String, String> {
    let schema: Value =
        serde_json::from_str(&read(&root.join(SCHEMA))?).map_err(|e| format!("{SCHEMA}: {e}"))?;
    let mut book = Book {
        schema: &schema,
        text: BEGIN.to_owned(),
        tables: BTreeSet::new(),
        words: BTreeSet::new(),
    };
    book.all()?;
    Ok(book.text)
}

struct Book<'a> {
    schema: &'a Value,
    text: String,
    /// Tables of keys and lists of words that were mentioned and get a part of their own.
    tables: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl<'a> Book<'a> {
    fn all(&mut self) -> Result<(), String> {
        let schema = self.schema;
        let top = properties(schema).ok_or(format!("{SCHEMA}: no properties"))?;
        if let Some(key) = ORDER.iter().find(|key| !top.contains_key(**key)) {
            return Err(format!("{SCHEMA}: there is no {key} any more"));
        }
        let single: Map<String, Value> = top
            .iter()
            .filter(|(key, _)| !ORDER.contains(&key.as_str()))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        self.text += "\n## Top level\n";
        self.keys(&single, &[]);
        for key in ORDER {
            let entry = &top[*key];
            let list = entry["type"] == "array";
            let heading = if list { format!("[[{key}]]") } else { format!("[{key}]") };
            let _ = write!(self.text, "\n## `{heading}`\n");
            self.paragraph(entry);
            let inner = if list { &entry["items"] } else { entry };
            match reference(inner) {
                Some(name) => self.object(self.definition(name)),
                None => {
                    let value = self.value(&inner["additionalProperties"]);
                    let _ = write!(self.text, "\nNames of your own, each with {value}.\n");
                }
            }
        }
        self.mentioned();
        Ok(())
    }

    /// Tables and words that were mentioned, until nothing new is.
    fn mentioned(&mut self) {
        let mut done = BTreeSet::new();
        while let Some(name) = self.tables.iter().find(|name| !done.contains(*name)).cloned() {
            let _ = write!(self.text, "\n## {}\n", title(&name));
            let definition = self.definition(&name);
            self.paragraph(definition);
            self.object(definition);
            done.insert(name);
        }
        for name in std::mem::take(&mut self.words) {
            let _ = write!(self.text, "\n## {}\n", title(&name));
            let definition = self.definition(&name);
            self.paragraph(definition);
            self.text += "\n| word | meaning |\n|---|---|\n";
            for (word, meaning) in words_of(definition) {
                let _ = writeln!(self.text, "| `{word}` | {} |", cell(&meaning));
            }
        }
    }

    fn definition(&self, name: &str) -> &'a Value {
        &self.schema["$defs"][name]
    }

    /// The keys of a table, and of its kinds.
    fn object(&mut self, definition: &'a Value) {
        if let Some(keys) = properties(definition) {
            self.keys(keys, &required(definition));
        }
        let kinds = definition["oneOf"].as_array().into_iter().flatten();
        for kind in kinds {
            let Some(keys) = properties(kind) else { continue };
            let named = keys.iter().find(|(_, value)| value["const"].is_string());
            let Some((key, value)) = named else { continue };
            let word = value["const"].as_str().unwrap_or_default();
            let _ = write!(self.text, "\n### `{key} = \"{word}\"`\n");
            self.paragraph(kind);
            let own: Map<String, Value> = keys
                .iter()
                .filter(|(k, _)| *k != key)
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            if !own.is_empty() {
                self.keys(&own, &required(kind));
            }
        }
    }

    fn keys(&mut self, keys: &Map<String, Value>, required: &[&str]) {
        self.text += "\n| key | value | default | meaning |\n|---|---|---|---|\n";
        let rows: Vec<String> = keys
            .iter()
            .map(|(key, entry)| {
                let default = match (&entry["default"], required.contains(&key.as_str())) {
                    (_, true) => "required".to_owned(),
                    (Value::Null, _) => String::new(),
                    (value, _) => format!("`{value}`"),
                };
                let meaning = cell(entry["description"].as_str().unwrap_or_default());
                format!(
                    "| `{key}` | {} | {} | {meaning} |\n",
                    cell(&self.value(entry)),
                    cell(&default)
                )
            })
            .collect();
        self.text += &rows.concat();
    }

    fn paragraph(&mut self, entry: &Value) {
        if let Some(words) = entry["description"].as_str() {
            let _ = write!(self.text, "\n{}\n", words.replace('\n', " "));
        }
    }

    /// What a value must be, in words.
    fn value(&mut self, entry: &Value) -> String {
        if let Some(name) = reference(entry) {
            return self.named(name);
        }
        if let Some(choices) = entry["anyOf"].as_array() {
            let all: Vec<String> =
                choices.iter().filter(|c| c["type"] != "null").map(|c| self.value(c)).collect();
            return all.join(" or ");
        }
        let range = match (&entry["minimum"], &entry["maximum"]) {
            (Value::Null, Value::Null) => String::new(),
            (least, Value::Null) => format!(", at least {least}"),
            (Value::Null, most) => format!(", at most {most}"),
            (least, most) if least == most => format!(", {least}"),
            (least, most) => format!(", {least} to {most}"),
        };
        match &entry["type"] {
            Value::String(kind) => match kind.as_str() {
                "array" => format!("a list: {}", self.value(&entry["items"])),
                "boolean" => "true or false".into(),
                "integer" => format!("a whole number{range}"),
                "number" => format!("a number{range}"),
                "object" => "a table".into(),
                "string" => "a text".into(),
                other => other.into(),
            },
            Value::Array(_) => format!("a number or a text{range}"),
            _ => "any value".into(),
        }
    }

    fn named(&mut self, name: &str) -> String {
        let definition = self.definition(name);
        let link = |title: &str| format!("[{title}](#{})", title.to_lowercase().replace(' ', "-"));
        if !words_of(definition).is_empty() {
            self.words.insert(name.to_owned());
            return link(&title(name));
        }
        if properties(definition).is_some() || definition["oneOf"].is_array() {
            let top = ["Body", "Array", "Joint", "Force", "Contact", "Law"];
            if !top.contains(&name) {
                self.tables.insert(name.to_owned());
                return link(&title(name));
            }
        }
        let description = definition["description"].as_str().unwrap_or("a value");
        let plain = description.replace(", from -1e30 to 1e30", "").replace('\n', " ");
        let first = plain.split(": ").next().unwrap_or_default().trim_end_matches('.');
        let mut letters = first.chars();
        letters.next().map_or(String::new(), |c| c.to_lowercase().chain(letters).collect())
    }
}

fn properties(entry: &Value) -> Option<&Map<String, Value>> {
    entry["properties"].as_object()
}

fn required(entry: &Value) -> Vec<&str> {
    entry["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The name of a definition that is referred to.
fn reference(entry: &Value) -> Option<&str> {
    entry["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"))
}

/// The words of an enumeration, with their meaning.
fn words_of(definition: &Value) -> Vec<(String, String)> {
    let alone = definition["oneOf"].as_array();
    let nested = || {
        let choices = definition["anyOf"].as_array()?;
        choices.iter().find_map(|choice| choice["oneOf"].as_array())
    };
    let all = alone.or_else(nested).into_iter().flatten();
    let word = |entry: &Value| {
        let meaning = entry["description"].as_str().unwrap_or_default();
        Some((entry["const"].as_str()?.to_owned(), meaning.to_owned()))
    };
    all.filter_map(word).collect()
}

/// The name of a definition as words: `MotorKeys` is "motor".
fn title(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    let endings = [" keys", " table", " name", " choice"];
    let short = endings.iter().find_map(|e| words.strip_suffix(e)).unwrap_or(&words);
    let mut letters = short.chars();
    letters.next().map_or(String::new(), |c| c.to_uppercase().chain(letters).collect())
}

fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn names_become_words() {
        assert_eq!(title("MotorKeys"), "Motor");
        assert_eq!(title("RotationTable"), "Rotation");
        assert_eq!(title("FreeDirection"), "Free direction");
    }
}
