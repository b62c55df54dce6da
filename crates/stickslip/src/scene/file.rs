//! Scenes by name or as a file.

use super::error::{Cause, Origin, SceneError};
use super::reader::Reader;
use super::sections::read_both;
use super::world::assembled::AssembledStart;
use super::{MOST_BYTES, Scene, Simulation, WorldScene, base, built_in};
use crate::simulate;
use crate::system::{Observed, State};
use crate::world::WorldDescription;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Value;

/// The text of a scene that a user named.
#[derive(Clone, Debug)]
pub struct SceneFile {
    /// As it was named.
    pub source: String,
    /// The name of the scene if its text gives none.
    pub name: String,
    /// The text.
    pub text: String,
    /// Its file; none for a scene that is built in.
    pub path: Option<PathBuf>,
}

impl SceneFile {
    /// Finds a scene: a file if its name ends in .toml or has a folder, else one that is built in.
    pub fn open(name_or_file: &str) -> Result<Self, SceneError> {
        let source = name_or_file.to_owned();
        let is_file =
            source.to_lowercase().ends_with(".toml") || source.contains(std::path::is_separator);
        if is_file {
            let path = PathBuf::from(&source);
            let stem = path.file_stem().unwrap_or(path.as_os_str());
            let (name, text) = (stem.to_string_lossy().into_owned(), read_text(&source, &path)?);
            return Ok(Self { source, name, text, path: Some(path) });
        }
        let found = built_in(name_or_file)
            .map_err(|e| SceneError::new("", Origin::Default, Cause::Wrong, e))?;
        Ok(Self { source, name: found.name.into(), text: found.text.into(), path: None })
    }

    /// The folder from which the scene may read files.
    fn folder(&self) -> Option<&Path> {
        let folder = self.path.as_ref()?.parent()?;
        Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    }

    /// The scene, ready to run.
    pub fn scene(&self, overrides: &[String]) -> Result<Scene, SceneError> {
        let Self { source, name, text, .. } = self;
        Scene::read_from(self.folder(), source, name, text, overrides)
    }

    /// The scene, with its world changed before it is built: by laws that no file can name. A scene of a model
    /// has no world to change.
    pub fn changed_scene(
        &self,
        overrides: &[String],
        change: impl FnOnce(&mut WorldDescription),
    ) -> Result<Scene, SceneError> {
        let Self { source, name, text, .. } = self;
        Scene::read_changed(self.folder(), source, name, text, overrides, change)
    }

    /// The scene as a world that is not built; none if it names a model.
    pub fn world(&self, overrides: &[String]) -> Result<Option<WorldScene>, SceneError> {
        let Self { source, name, text, .. } = self;
        WorldScene::read_if_world(source, name, text, overrides, self.folder())
    }
}

fn read_text(source: &str, path: &Path) -> Result<String, SceneError> {
    let refuse = |cause, message: String| {
        SceneError::new("", Origin::Default, cause, format!("{source} {message}"))
    };
    let unreadable = |e: std::io::Error| refuse(Cause::Wrong, format!("cannot be read: {e}"));
    let mut bytes = Vec::new();
    // A pipe would be waited for.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(refuse(Cause::Wrong, "cannot be read: it is no regular file".into()));
    }
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(refuse(Cause::Limit, format!("is larger than {} MB", MOST_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|e| refuse(Cause::Wrong, format!("is not text in UTF-8: {e}")))
}

impl Scene {
    /// Reads a scene that is built in, or a file (its name ends in .toml or has a folder), with values that
    /// replace those of the file.
    ///
    /// ```
    /// # use stickslip::scene::Scene;
    /// let scene = Scene::load("tippe-top", &["parameters.contact_radius=1 mm"])?;
    /// assert!(Scene::load("tipe-top", &[]).is_err_and(|e| e.to_string().contains("tippe-top")));
    /// # Ok::<(), stickslip::scene::SceneError>(())
    /// ```
    pub fn load(name_or_file: &str, overrides: &[&str]) -> Result<Self, SceneError> {
        let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
        SceneFile::open(name_or_file)?.scene(&overrides)
    }

    /// A system of one's own from a start, as a scene; `text` has the sections `[simulation]` and `[solver]`
    /// of a scene file.
    pub fn of_system(
        name: &str,
        system: Arc<dyn Observed>,
        start: State,
        text: &str,
        overrides: &[String],
    ) -> Result<Self, SceneError> {
        let document = base::read(name, text, overrides)?;
        let mut reader = Reader::new(&document);
        let defaults = Simulation::of_world(None).defaults_for(&document);
        let sections = read_both(&mut reader, &defaults);
        let (Some((simulation, solver)), false) = (sections, reader.has_complaints()) else {
            return Err(reader.into_error());
        };
        let sections = reader.into_sections().into_iter();
        Ok(Self {
            name: name.into(),
            caption: String::new(),
            model: "own",
            system,
            start,
            simulation,
            solver,
            elements: None,
            notes: Vec::new(),
            assembled: AssembledStart::default(),
            effective: sections.map(|(key, table)| (key, Value::Table(table))).collect(),
            ranges: Default::default(),
        })
    }

    /// The scene as a simulation at its start.
    pub fn simulate(&self) -> Result<simulate::Simulation, SceneError> {
        let (system, start) = (self.system.clone(), self.start.clone());
        simulate::Simulation::new(system, self.integrator()?, start, self.settings())
            .map_err(|e| self.refuse(e.to_string()))
    }

    /// The scene of an archive, and a simulation at the last of its states.
    pub fn resume(path: &Path) -> Result<(Self, simulate::Simulation), SceneError> {
        let refuse = |e: String| SceneError::new("", Origin::Default, Cause::Wrong, e);
        let mut archive = simulate::Archive::open(path).map_err(|e| refuse(e.to_string()))?;
        let source = path.display().to_string();
        let scene = Self::read_from(path.parent(), &source, "scene", archive.about(), &[])?;
        let mut simulation = scene.simulate()?;
        let wrong = |e: String| scene.refuse(format!("{source}: {e}"));
        let last =
            archive.places().len().checked_sub(1).ok_or_else(|| wrong("it is empty".into()))?;
        let state = archive.state(last).map_err(|e| wrong(e.to_string()))?;
        simulation.set_state(&state).map_err(|e| wrong(e.to_string()))?;
        Ok((scene, simulation))
    }

    pub(crate) fn refuse(&self, message: String) -> SceneError {
        SceneError::new(&self.name, Origin::Default, Cause::Wrong, message)
    }
}
