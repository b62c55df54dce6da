//! Scenes as arguments: by name or as a file, with the errors they may have.

use crate::exit::Exit;
use crate::input::stem;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use stickslip::scene::{MOST_BYTES, Scene, SceneError, WorldScene, built_in};

/// An exit code and what to tell.
pub type Failure = (Exit, String);

/// The help of an argument that names a scene, in lines of a narrow terminal.
pub const SCENE_HELP: &str = "A scene by name (see `stickslip list`), or a scene file:
its name ends in .toml or has a folder";

/// The text of a scene that a user named.
pub struct SceneFile {
    /// As it was named.
    pub source: String,
    /// The name of the scene if its text gives none.
    pub name: String,
    /// The text.
    pub text: String,
    /// Its file; none for a scene of the program itself.
    pub path: Option<PathBuf>,
}

impl SceneFile {
    /// Finds a scene: a file if its name ends in .toml or has a folder, else one of the program.
    pub fn open(argument: &str) -> Result<Self, Failure> {
        let is_file = argument.to_lowercase().ends_with(".toml")
            || argument.contains(std::path::is_separator);
        let source = argument.to_owned();
        if is_file {
            let path = PathBuf::from(argument);
            let (name, text) = (stem(&path), read_text(&path)?);
            return Ok(Self { source, name, text, path: Some(path) });
        }
        let found = built_in(argument).map_err(|e| (Exit::BadInput, e))?;
        Ok(Self { source, name: found.name.into(), text: found.text.into(), path: None })
    }

    /// The folder from which the scene may read files.
    fn folder(&self) -> Option<&Path> {
        let folder = self.path.as_ref()?.parent()?;
        Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    }

    /// The scene, ready to run.
    pub fn scene(&self, overrides: &[String]) -> Result<Scene, Failure> {
        let Self { source, name, text, .. } = self;
        Scene::read_from(self.folder(), source, name, text, overrides).map_err(failure)
    }

    /// The scene as a world that is not built; none if it names a model.
    pub fn world(&self, overrides: &[String]) -> Result<Option<WorldScene>, Failure> {
        let Self { source, name, text, .. } = self;
        WorldScene::read_if_world(source, name, text, overrides, self.folder()).map_err(failure)
    }
}

/// Exit code and message of a scene that was refused.
pub fn failure(error: SceneError) -> Failure {
    (if error.is_limit() { Exit::ResourceLimit } else { Exit::BadInput }, error.to_string())
}

fn read_text(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let unreadable = |e: io::Error| (Exit::BadInput, format!("{shown} cannot be read: {e}"));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("{shown} is larger than {} MB", MOST_BYTES >> 20);
        return Err((Exit::ResourceLimit, message));
    }
    String::from_utf8(bytes)
        .map_err(|e| (Exit::BadInput, format!("{shown} is not text in UTF-8: {e}")))
}
