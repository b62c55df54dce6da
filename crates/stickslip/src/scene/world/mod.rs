//! Scene files that describe a world: bodies, shapes, joints, forces and contact laws
//! (docs/scene-format.md).
//!
//! ```text
//! text ──▶ TOML table with overrides ──▶ checked against the schema ──▶ keys ──▶ WorldDescription
//!          document.rs                   validate.rs                    file*.rs  convert/
//! ```
//!
//! The types of the keys are the one place where a key, its unit and its range are stated: the JSON
//! schema is made from them, and the errors from the schema.

pub(crate) mod assembled;
mod convert;
mod explain;
mod explain_elements;
pub(crate) mod expression;
mod file;
mod file_array;
mod file_contact;
mod file_joint;
mod file_shape;
mod inherit;
mod judge;
mod mesh;
pub(crate) mod parameters;
pub(crate) mod quantity;
mod schema;
mod unfit;
pub mod units;
pub(crate) mod validate;

pub use convert::MOST_BODIES;
pub use explain::{Inertia, explain};
pub use judge::judge;
pub use schema::{schema, schema_text};

use super::base::{self, Moved};
use super::document::Document;
use super::error::SceneError;
use super::findings::Findings;
use super::ranges;
use super::reader::Reader;
use super::sections::{IntegratorName, Simulation, SolverChoice, read_both};
use crate::integrate::assemble;
use crate::ode::{ElementChoice, choose_elements};
use crate::system::Dimension;
use crate::world::{Part, World, WorldDescription, WorldError};
use file::WorldFile;
use parameters::Parameters;
use std::path::Path;
use toml::{Table, Value};

/// A scene that describes a world, before it is built.
pub struct WorldScene {
    /// Its name, from the file or from the name of the file.
    pub name: String,
    /// What it shows; may be empty.
    pub caption: String,
    /// The world.
    pub description: WorldDescription,
    /// How long, and by which integrator.
    pub simulation: Simulation,
    /// By which solver.
    pub solver: SolverChoice,
    /// What is odd but not wrong: sentences that begin with a key.
    pub warnings: Vec<String>,
    /// For each body the number of its entry in the file; none for the ground.
    entries: Vec<Option<usize>>,
    /// Which contact rules take a value other than 0 from `[default_contact]`, a line for each.
    pub inherited: Vec<String>,
    /// The parameters with their values, a line for each.
    pub parameters: Vec<String>,
    effective: Table,
    document: Document,
}

/// Keys that make a scene without `model` a world.
const WORLD_KEYS: [&str; 3] = ["format", "world", "body"];

/// Whether a document describes a world and not a model.
pub(crate) fn is_world(document: &Document) -> bool {
    let table = &document.table;
    !table.contains_key("model") && WORLD_KEYS.iter().any(|key| table.contains_key(*key))
}

/// What a world is called where a model has its name.
pub const MODEL: &str = "world";

impl WorldScene {
    /// Reads a scene that describes a world. `source` is what errors call the file, `name` the name
    /// of the scene if the file gives none, `folder` the folder from which meshes may be read; each
    /// of the `overrides` is `KEY=VALUE`, with a dotted key such as `body.0.mass` or
    /// `body.ball.mass`.
    pub fn read(
        source: &str,
        name: &str,
        text: &str,
        overrides: &[String],
        folder: Option<&Path>,
    ) -> Result<Self, SceneError> {
        let document = base::read(source, text, overrides)?;
        Self::from_document(document, name, folder)
    }

    /// Reads a scene if it describes a world; see [`read`](Self::read).
    pub fn read_if_world(
        source: &str,
        name: &str,
        text: &str,
        overrides: &[String],
        folder: Option<&Path>,
    ) -> Result<Option<Self>, SceneError> {
        match Moved::by(base::read(source, text, overrides)?) {
            Moved::World(document) => Self::from_document(document, name, folder).map(Some),
            Moved::System(_) => Ok(None),
        }
    }

    pub(crate) fn from_document(
        mut document: Document,
        name: &str,
        folder: Option<&Path>,
    ) -> Result<Self, SceneError> {
        let mut findings = Findings::default();
        let given = document.table.clone();
        let parameters = Parameters::read(&given, &mut findings);
        validate::validate(&mut document.table, schema(), &parameters, &mut findings);
        // Where a parameter is wrong, the keys that are made of it are too: the cause is told alone.
        let unmet = base::unmet_requirements(&document.table, &given);
        if !unmet.is_empty() {
            findings = unmet;
        }
        let mut reader = Reader::new(&document);
        reader.findings = findings;
        for key in document.table.keys() {
            reader.know(key);
        }
        let integrator = document.table.get("simulation").and_then(|s| s.get("integrator"));
        let integrator = integrator.and_then(|name| name.clone().try_into().ok());
        let defaults = Simulation::of_world(integrator).defaults_for(&document);
        let sections = read_both(&mut reader, &defaults);
        let (Some((simulation, solver)), false) = (sections, reader.has_complaints()) else {
            return Err(reader.into_error());
        };
        let mut full = document.table.clone();
        let inherited = inherit::inherit(&mut full);
        let file: WorldFile = match full.try_into() {
            Ok(file) => file,
            // The schema says the same as the types; what it cannot say has no key here.
            Err(e) => {
                reader.complain("", e.message().to_owned());
                return Err(reader.into_error());
            }
        };
        let converted = convert::convert(&file, &parameters, folder, &mut reader.findings);
        for (key, message) in unfit::unfit(&converted.description, simulation.integrator) {
            reader.findings.value(&key, message);
        }
        if !reader.has_complaints() {
            let taken = file.instead.iter().flat_map(|instead| &instead.takes);
            for text in document.replaced().iter().chain(taken) {
                parameters.mention(text);
            }
            parameters.report_unused(&mut reader.findings);
        }
        if reader.has_complaints() {
            return Err(reader.into_error());
        }
        let name = file.name.clone().unwrap_or_else(|| name.to_owned());
        let effective = effective(&given, &name, &converted, reader.into_sections());
        let parameters = parameters.listed();
        let listed = |(key, value, given): (&str, String, &Value)| {
            let range = document.ranges.get(key).map(ranges::in_words).filter(|r| !r.is_empty());
            let range = range.map_or(String::new(), |range| format!(", in the lab {range}"));
            match given {
                Value::String(text) if *text != value && format!("{text:?}") != value => {
                    format!("{key} = {value} (given as {text:?}){range}")
                }
                _ => format!("{key} = {value}{range}"),
            }
        };
        Ok(Self {
            name,
            caption: file.caption.unwrap_or_default(),
            description: converted.description,
            simulation,
            solver,
            warnings: converted
                .warnings
                .iter()
                .map(|(key, text)| format!("{key}: {text}"))
                .collect(),
            entries: converted.entries,
            inherited,
            parameters: parameters.into_iter().map(listed).collect(),
            effective,
            document,
        })
    }

    /// Every key with the value that counts; see [`Scene::effective`](super::Scene::effective).
    pub fn effective(&self) -> &Table {
        &self.effective
    }

    /// Builds the world.
    pub fn build(&self) -> Result<World, SceneError> {
        World::new(&self.description).map_err(|errors| self.document.error(self.findings(errors)))
    }

    /// The elements in place of the laws, if the integrator needs them.
    pub fn elements(&self, system: &World) -> Result<Option<ElementChoice>, SceneError> {
        let Simulation { integrator, step, .. } = self.simulation;
        if integrator.ode_name().is_none() {
            return Ok(None);
        }
        // The other methods find the steps that are stable by themselves.
        let step = (integrator == IntegratorName::OdeRk4).then_some(step);
        // Speeds that follow from motors count: a start as it is given may be at rest.
        let mut start = system.start();
        assemble(system, &mut start);
        let choice = choose_elements(system, &start, &system.elements(), step);
        choice.map(Some).map_err(|error| {
            let mut findings = Findings::default();
            findings.value("elements", format!("elements: no ODE route: {error}"));
            self.document.error(findings)
        })
    }

    /// What is wrong with a description, by the keys of the file.
    fn findings(&self, errors: Vec<WorldError>) -> Findings {
        let mut findings = Findings::default();
        let body = |number: usize| match self.entries.get(number) {
            Some(Some(entry)) => format!("body.{entry}"),
            _ => "world.ground".into(),
        };
        for error in errors {
            let part = match error.part {
                Part::World => "world".into(),
                Part::Body(number) => body(number),
                Part::Shape(number, shape) => format!("{}.shape.{shape}", body(number)),
                Part::Joint(number) => format!("joint.{number}"),
                Part::Force(number) => format!("force.{number}"),
                Part::Contact(number) => format!("contact.{number}"),
                Part::DefaultContact => "default_contact".into(),
                Part::Column(number) => format!("column.{number}"),
                Part::Table => "table".into(),
                Part::Condition(_) => "stop".into(),
            };
            let key = if error.key.is_empty() { part } else { format!("{part}.{}", error.key) };
            findings.value(&key, format!("{key}: {}", error.message));
        }
        findings
    }
}

/// The scene with defaults, overrides and the points of meshes: it can be run anywhere.
fn effective(
    given: &Table,
    name: &str,
    converted: &convert::Converted,
    sections: Vec<(String, Table)>,
) -> Table {
    let mut out = Table::new();
    out.insert("format".into(), Value::Integer(1));
    out.insert("name".into(), Value::String(name.to_owned()));
    let description = &converted.description;
    let (dimension, length) = match description.dimension {
        Dimension::Two => (2, 2),
        Dimension::Three => (3, 3),
    };
    for (key, value) in given {
        if !sections.iter().any(|(section, _)| section == key) {
            out.entry(key).or_insert_with(|| value.clone());
        }
    }
    let world = out.entry("world").or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(world) = world {
        let gravity = description.gravity.iter().take(length).map(|g| Value::Float(*g)).collect();
        world.insert("dimension".into(), Value::Integer(dimension));
        world.insert("gravity".into(), Value::Array(gravity));
    }
    for (body, shape, points) in &converted.meshes {
        let shape = out
            .get_mut("body")
            .and_then(|bodies| bodies.get_mut(*body)?.get_mut("shape")?.get_mut(*shape));
        if let Some(Value::Table(shape)) = shape {
            let point = |p: &[f64; 3]| Value::Array(p.iter().map(|x| Value::Float(*x)).collect());
            shape.remove("file");
            shape.remove("scale");
            shape.insert("points".into(), Value::Array(points.iter().map(point).collect()));
        }
    }
    for (section, mut values) in sections {
        // Texts of parameters stay, or else these would be used by nothing.
        let texts = given.get(&section).and_then(Value::as_table).into_iter().flatten();
        for (key, value) in texts.filter(|(_, value)| !uses_no_names(value)) {
            values.insert(key.clone(), value.clone());
        }
        out.insert(section, Value::Table(values));
    }
    out
}

/// Whether a value is a number, a number with a unit, or a word of the format.
fn uses_no_names(value: &Value) -> bool {
    value.as_str().is_none_or(units::is_quantity)
}
