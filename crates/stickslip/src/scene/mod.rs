//! Scene files: which system, from which start, for how long, by which method.
//!
//! A scene is a TOML file that describes a world ([`world`]), or changes values of a scene of the program
//! (`model = NAME`, `base.rs`). A key that is not known is an error. The files in `scenes/` are built in
//! ([`built_in`], [`BUILT_IN`]).
//!
//! What no world can say, minimal coordinates and Euler angles, are systems in Rust: two entries in the table
//! of `models.rs`, with the same sections, errors and overrides.

mod base;
mod built_in;
mod document;
pub(crate) mod error;
mod excerpt;
mod file;
mod findings;
mod knobs;
mod locate;
mod models;
mod ranges;
mod reader;
mod sections;
mod size;
mod state;
pub mod world;

pub use built_in::{BUILT_IN, BuiltIn, built_in};
pub use document::MOST_BYTES;
pub use error::{Cause, Complaint, Origin, SceneError};
pub use excerpt::FilePlace;
pub use file::SceneFile;
pub use knobs::{Knob, KnobKind, with_value};
pub use models::{MODELS, Model};
use sections::read_both;
pub use sections::{IntegratorName, ProjectionName, Simulation, SolverChoice};
pub use world::WorldScene;

use crate::analysis::spin::{Gyroscopic, largest_spin_error};
use crate::analysis::start::StartReport;
use crate::analysis::stiffness::rates;
use crate::integrate::{Integrator, Ode};
use crate::ode::{Elements, OdeNames};
use crate::simulate::RunSettings;
use crate::system::{ColumnList, Constraints, Observed, State, find_contradiction};
use crate::world::WorldDescription;
use base::Moved;
use document::Document;
use findings::Findings;
use ranges::Ranges;
use reader::Reader;
use state::{STATE, StateKeys};
use std::path::Path;
use std::sync::Arc;
use toml::{Table, Value};
use world::assembled::AssembledStart;
use world::parameters::Parameters;

/// What can be told of a scene without building its world.
pub struct Outline {
    /// The name of its model; `world` for a scene that describes its own.
    pub model: &'static str,
    /// Simulated time, s.
    pub duration: f64,
    /// What it shows; may be empty.
    pub caption: String,
}

impl Outline {
    /// Reads a scene; `source` is what errors call it.
    pub fn read(source: &str, text: &str) -> Result<Self, SceneError> {
        Ok(match Moved::by(base::read(source, text, &[])?) {
            Moved::World(document) => {
                let WorldScene { simulation, caption, .. } =
                    WorldScene::from_document(document, source, None)?;
                Self { model: world::MODEL, duration: simulation.duration, caption }
            }
            Moved::System(document) => {
                let Scene { model, simulation, caption, .. } =
                    Scene::from_model(&document, source)?;
                Self { model, duration: simulation.duration, caption }
            }
        })
    }
}

/// A scene that can be run.
pub struct Scene {
    /// Its name, from the file or from the name of the file.
    pub name: String,
    /// What it shows; may be empty.
    pub caption: String,
    /// The name of its model; `world` for a scene that describes its own.
    pub model: &'static str,
    /// What moves.
    pub system: Arc<dyn Observed>,
    /// From where.
    pub start: State,
    /// How long, and by which integrator.
    pub simulation: Simulation,
    /// By which solver.
    pub solver: SolverChoice,
    /// Elements in place of the laws, if the integrator needs them.
    elements: Option<Elements>,
    /// What was odd in the file.
    notes: Vec<String>,
    /// What assembly made of the start.
    assembled: AssembledStart,
    effective: Table,
    /// How far values of it go in the lab.
    ranges: Ranges,
}

impl Scene {
    /// Reads a scene.
    ///
    /// `source` is what errors call the file, `name` the name of the scene if the file gives none.
    /// Each of the `overrides` is `KEY=VALUE` with a dotted key, such as
    /// `parameters.contact_radius=1e-3`, and replaces a value of the file before it is read.
    pub fn read(
        source: &str,
        name: &str,
        text: &str,
        overrides: &[String],
    ) -> Result<Self, SceneError> {
        Self::read_from(None, source, name, text, overrides)
    }

    /// Reads a scene that may read files of its folder; see [`read`](Self::read).
    pub fn read_from(
        folder: Option<&Path>,
        source: &str,
        name: &str,
        text: &str,
        overrides: &[String],
    ) -> Result<Self, SceneError> {
        Self::read_changed(folder, source, name, text, overrides, |_| {})
    }

    /// The same; a world is changed before it is built.
    pub(super) fn read_changed(
        folder: Option<&Path>,
        source: &str,
        name: &str,
        text: &str,
        overrides: &[String],
        change: impl FnOnce(&mut WorldDescription),
    ) -> Result<Self, SceneError> {
        let document = base::read(source, text, overrides)?;
        let given = document.table.get("simulation").and_then(|s| s.get("projection")).is_some();
        let state = StateKeys::read(&document)?;
        let ranges = document.ranges.clone();
        let mut scene = match Moved::by(document) {
            Moved::World(document) => {
                let mut world = WorldScene::from_document(document, name, folder)?;
                change(&mut world.description);
                Self::from_world(world)?
            }
            Moved::System(document) => Self::from_model(&document, name)?,
        };
        scene.ranges = ranges;
        scene.notes.extend(scene.simulation.unused_projection(given));
        if !given && !scene.simulation.integrator.projects() {
            // The file of a run must not ask for what its own scene did not.
            scene.simulation.projection = ProjectionName::None;
            if let Some(Value::Table(simulation)) = scene.effective.get_mut("simulation") {
                simulation.insert("projection".into(), Value::String("none".into()));
            }
        }
        if let Some(state) = state {
            scene.start_from(state)?;
        }
        Ok(scene)
    }

    /// Builds the system of a world.
    fn from_world(scene: WorldScene) -> Result<Self, SceneError> {
        let system = scene.build()?;
        // The world repeats the warnings of the file: its own are all of them.
        let mut notes = system.warnings().to_vec();
        let mut start = system.start();
        let names: Vec<String> =
            scene.description.bodies.iter().map(|body| body.name.clone()).collect();
        let assembled = AssembledStart::new(&system, &names, &mut start);
        let mut effective = scene.effective().clone();
        if let Some(placed) = &assembled.placed {
            let given = system.inconsistencies(&system.start());
            notes.retain(|note| !given.contains(note));
            notes.extend(system.inconsistencies(&start));
            effective.insert("assembled".into(), Value::Table(placed.clone()));
        }
        let elements = scene.elements(&system)?.map(|choice| {
            let regularisation = choice.regularisation;
            // Worlds have many contacts: those that have a name are reported.
            let is_named = |key| system.is_named(key);
            let names = OdeNames::of_contacts(&system, &regularisation, &start, is_named, |own| {
                scene.description.table.element_names(own)
            });
            Elements { regularisation, names }
        });
        Ok(Self {
            model: world::MODEL,
            start,
            system: Arc::new(system),
            elements,
            effective,
            ranges: Ranges::new(),
            assembled,
            notes,
            name: scene.name,
            caption: scene.caption,
            simulation: scene.simulation,
            solver: scene.solver,
        })
    }

    fn from_model(document: &Document, name: &str) -> Result<Self, SceneError> {
        let mut reader = Reader::new(document);
        reader.know(STATE);
        let model = models::find(&mut reader);
        let name = reader.text("name", name);
        let caption = reader.text("caption", "");
        let Some(model) = model else {
            return Err(reader.into_error());
        };
        let built = (model.build)(&mut reader);
        let defaults = (model.simulation)().defaults_for(document);
        let sections = read_both(&mut reader, &defaults);
        let (Some(built), Some((simulation, solver))) = (built, sections) else {
            return Err(reader.into_error());
        };
        // What a model does not check itself: sets that cannot be computed with.
        for named in built.system.law_groups().iter().flat_map(|group| &group.laws) {
            if let Err(e) = named.law.validate() {
                let name = named.name;
                reader.complain("parameters", format!("parameters make a law {name} whose {e}"));
            }
        }
        if reader.has_complaints() {
            return Err(reader.into_error());
        }
        let mut effective = Table::new();
        effective.insert("model".into(), Value::String(model.name.into()));
        effective.insert("name".into(), Value::String(name.clone()));
        if !caption.is_empty() {
            effective.insert("caption".into(), Value::String(caption.clone()));
        }
        if let Some(state) = document.table.get(STATE) {
            effective.insert(STATE.into(), state.clone());
        }
        for (section, values) in reader.into_sections() {
            effective.insert(section, Value::Table(values));
        }
        Ok(Self {
            name,
            caption,
            model: model.name,
            system: built.system.into(),
            start: built.start,
            elements: built.elements,
            simulation,
            solver,
            notes: Vec::new(),
            assembled: AssembledStart::default(),
            effective,
            ranges: Ranges::new(),
        })
    }

    /// Whether a text is a scene that describes a world and not a model; an error if it is no TOML.
    pub fn describes_world(source: &str, text: &str) -> Result<bool, SceneError> {
        let document = base::read(source, text, &[])?;
        Ok(matches!(Moved::by(document), Moved::World(_)))
    }

    /// Length, step and output of the run.
    pub fn settings(&self) -> RunSettings {
        self.simulation.settings(self.solver.tolerance)
    }

    /// The columns of a run, apart from energies and contacts.
    pub fn columns(&self) -> ColumnList {
        let of_integrator = self.ode().map(|ode| ode.columns()).unwrap_or_default();
        ColumnList::of(self.system.as_ref(), of_integrator)
    }

    /// The integrator with its solver.
    pub fn integrator(&self) -> Result<Box<dyn Integrator>, SceneError> {
        if let Some(ode) = self.ode() {
            return Ok(Box::new(ode));
        }
        let built = self.solver.build().and_then(|solver| self.simulation.integrator(solver));
        built.map_err(|message| self.refuse(message))
    }

    /// What a user should be told before the run.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.notes.clone();
        if let Some(mut ode) = self.ode() {
            let (system, step) = (self.system.as_ref(), self.simulation.step);
            // A system that cannot be evaluated at the start is an error of the run itself.
            warnings.extend(ode.warnings(system, &self.start, step).unwrap_or_default());
        }
        match self.simulation.integrator {
            IntegratorName::Rattle => warnings.extend(self.stiffness_warnings(false)),
            IntegratorName::Moreau | IntegratorName::MoreauRk4 => {
                warnings.extend(self.stiffness_warnings(true));
                warnings.extend(self.spin_warning());
            }
            _ => {}
        }
        warnings
    }

    /// Joints that contradict each other at the start or in the middle of the first step, by more
    /// than `tolerance` (m, rad, m/s, rad/s): the scene cannot run.
    pub fn contradiction(&self, tolerance: f64) -> Option<String> {
        let mut at = self.start.clone();
        let start = find_contradiction(self.system.as_ref(), &at, tolerance);
        let found = start.or_else(|| {
            at.t += 0.5 * self.simulation.step;
            // What a motor asks for after half a step is as small as the step.
            let joints = Constraints::at(self.system.as_ref(), &at)?;
            joints.contradiction_of_speeds(self.system.as_ref())
        });
        let failure = self.assembled.failure(tolerance);
        match (found, failure) {
            // Of joints that are apart the speeds say nothing.
            (Some(contradiction), Some(failure)) if contradiction.of_speeds => {
                Some(if failure.is_apart { failure.text } else { contradiction.to_string() })
            }
            (Some(found), Some(failure)) => Some(format!("{found}; {}", failure.text)),
            (Some(contradiction), None) => Some(contradiction.to_string()),
            (None, failure) => failure.map(|failure| failure.text),
        }
    }

    /// What assembly changed at the start, in sentences; none if everything fitted.
    pub fn assembly(&self) -> &[String] {
        &self.assembled.told
    }

    /// The coordinates of the joints of a world at the start, a line for each.
    pub fn joint_coordinates(&self) -> &[String] {
        &self.assembled.coordinates
    }

    /// What overlaps at the start by more than rounding, in one sentence.
    pub fn overlap_warning(&self) -> Option<String> {
        let report = StartReport::new(self.system.as_ref(), &self.start, 1e-6);
        let deepest = report.overlaps.iter().min_by(|a, b| a.value.total_cmp(&b.value))?;
        Some(format!(
            "shapes overlap at the start, by {:.3e} m at {}; `stickslip check` lists all such contacts",
            -deepest.value, deepest.name
        ))
    }

    /// Time stepping treats springs explicitly, and dampers too unless it takes velocities implicitly.
    fn stiffness_warnings(&self, explicit_dampers: bool) -> Vec<String> {
        let step = self.simulation.step;
        let Some(rates) = rates(self.system.as_ref(), &self.start) else { return Vec::new() };
        let mut warnings = Vec::new();
        let mut warn = |what: &str, rate: f64, unit: &str| {
            if rate * step > 2.0 {
                warnings.push(format!(
                    "{what} of {rate:.2e} {unit} at the start: time stepping treats forces explicitly, a \
                     step above {:.1e} s may be unstable; simulation.step is {step:e}",
                    2.0 / rate
                ));
            }
        };
        if explicit_dampers {
            warn("damping at a rate", rates.damping, "1/s");
        }
        warn("springs with a frequency", rates.frequency, "rad/s");
        warnings
    }

    /// The time steppers take gyroscopic forces at the start of a step.
    fn spin_warning(&self) -> Option<String> {
        /// Change of the energy of the spin from which it is told, and the same relative to the
        /// kinetic energy of the whole.
        const TOLD_CHANGE: [f64; 2] = [0.1, 0.01];
        let (name, scheme) = match self.simulation.integrator {
            IntegratorName::Moreau => ("moreau", Gyroscopic::Explicit),
            IntegratorName::MoreauRk4 => ("moreau-rk4", Gyroscopic::RungeKutta),
            _ => return None,
        };
        let Simulation { step, duration, .. } = self.simulation;
        let system = self.system.as_ref();
        let found = largest_spin_error(system, &self.start, step, duration, scheme)?;
        let share = found.change.abs() * found.energy / system.energy(&self.start).kinetic;
        if found.change.abs() < TOLD_CHANGE[0] && share < TOLD_CHANGE[1] {
            return None;
        }
        let bodies = system.drawing().bodies;
        let body = match bodies.get(found.block) {
            Some(body) if bodies.len() == system.blocks().len() => body.name.clone(),
            _ => "a body".into(),
        };
        let (most, change) = match found.change {
            change if change >= 10.0 => ("more than ", 10.0),
            change => ("", change.abs()),
        };
        Some(format!(
            "{body} spins at {:.3e} rad/s: {name} takes gyroscopic forces explicitly and alone would change \
             the energy of this spin by {most}{:.0} % within {duration} s; simulation.step is {step:e}, a \
             shorter one, rattle or event-driven is more accurate",
            found.speed,
            100.0 * change
        ))
    }

    /// The named values of which expressions may be made.
    pub(crate) fn parameters(&self) -> Parameters {
        // The scene was read with them: nothing is wrong.
        Parameters::read(&self.effective, &mut Findings::default())
    }

    fn ode(&self) -> Option<Ode> {
        self.elements.as_ref().and_then(|elements| self.simulation.ode(elements))
    }

    /// Every key with the value that counts, defaults and overrides included. Reading
    /// [`to_toml`](Self::to_toml) gives the same scene again.
    pub fn effective(&self) -> &Table {
        &self.effective
    }

    /// The effective scene as a file, with the ranges of its values.
    pub fn to_toml(&self) -> String {
        ranges::put_back(&self.effective, &self.ranges).to_string()
    }
}
