//! What a scene file begins from: a scene of the program whose values it changes (`model = NAME`), and
//! whether its world or a system in Rust moves (`[instead]`).

use super::built_in::BUILT_IN;
use super::document::Document;
use super::error::SceneError;
use super::findings::Findings;
use super::models::MODELS;
use super::reader::shown;
use super::world::parameters::{Parameters, SECTIONS};
use super::world::{is_world, schema, validate};
use toml::{Table, Value};

/// Scenes of the program that change one another, at most.
const MOST_LINKS: usize = 8;

/// Reads a file with everything that it takes from a scene of the program, and its overrides.
pub(crate) fn read(source: &str, text: &str, overrides: &[String]) -> Result<Document, SceneError> {
    let mut document = Document::parse(source, text)?;
    document.take_ranges()?;
    for _ in 0..MOST_LINKS {
        let Some(Value::String(name)) = document.table.get(MODEL) else { break };
        let Some(shipped) = BUILT_IN.iter().find(|scene| scene.name == name) else { break };
        let mut base = Document::parse(source, shipped.text)?;
        base.take_ranges()?;
        // The scene of a system in Rust that gives its name says nothing else.
        if base.table.get(MODEL) == document.table.get(MODEL) {
            break;
        }
        document.table.remove(MODEL);
        document.lay_over(base);
    }
    for argument in overrides {
        document.set(argument)?;
    }
    document.take_ranges()?;
    Ok(document)
}

const MODEL: &str = "model";

/// All names that `model` may have.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
    for scene in BUILT_IN {
        if !names.contains(&scene.name) {
            names.push(scene.name);
        }
    }
    names
}

/// What moves in a scene.
pub(crate) enum Moved {
    /// The world that it describes.
    World(Document),
    /// A system in Rust.
    System(Document),
}

impl Moved {
    /// What moves by a document.
    pub(crate) fn by(document: Document) -> Self {
        if !is_world(&document) {
            return Moved::System(document);
        }
        match instead(&document) {
            Some(table) => Moved::System(document.with_table(table)),
            None => Moved::World(document),
        }
    }
}

/// The sections for the system in Rust that takes the place of the world; nothing if none does, or if
/// something is wrong: reading the world says what.
fn instead(document: &Document) -> Option<Table> {
    document.table.get("instead")?;
    let mut findings = Findings::default();
    let parameters = Parameters::read(&document.table, &mut findings);
    let mut table = document.table.clone();
    validate::validate(&mut table, schema(), &parameters, &mut findings);
    if !findings.is_empty() || !unmet_requirements(&table, &document.table).is_empty() {
        return None;
    }
    let keys = table.get("instead")?;
    if keys.get("when").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    let mut out = Table::new();
    out.insert(MODEL.into(), keys.get("system")?.clone());
    for section in SECTIONS {
        out.insert(section.into(), Value::Table(parameters.section(section)));
    }
    for key in ["name", "caption", "simulation", "solver"] {
        if let Some(value) = table.remove(key) {
            out.insert(key.into(), value);
        }
    }
    Some(out)
}

/// Every parameter that is not what the scene requires. In `table` conditions have become true or
/// false, `given` is the table as it was.
pub(crate) fn unmet_requirements(table: &Table, given: &Table) -> Findings {
    let mut findings = Findings::default();
    let list = table.get("require").and_then(Value::as_array);
    for requirement in list.into_iter().flatten() {
        let text = |key: &str| requirement.get(key).and_then(Value::as_str);
        let (Some(key), Some(allowed)) = (text("key"), text("allowed")) else { continue };
        if requirement.get("that").and_then(Value::as_bool) != Some(false) {
            continue;
        }
        let value = key.split('.').try_fold(None, |inside: Option<&Value>, part| {
            Some(Some(match inside {
                None => given.get(part)?,
                Some(inside) => inside.get(part)?,
            }))
        });
        let is = match value.flatten() {
            Some(value) => format!("{key} is {}, it", shown(value)),
            None => key.to_owned(),
        };
        findings.value(key, format!("{is} must be {allowed}"));
    }
    findings
}
