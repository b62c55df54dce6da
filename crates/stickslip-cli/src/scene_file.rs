//! Scenes as arguments, with the errors they may have.

use crate::exit::Exit;
use clap::Args;
use stickslip::scene::{SceneError, SceneFile};

/// An exit code and what to tell.
pub type Failure = (Exit, String);

/// The help of an argument that names a scene, in lines of a narrow terminal.
pub const SCENE_HELP: &str = "A scene by name (see `stickslip list`), or a scene file:
its name ends in .toml or has a folder";

/// A scene and what is replaced in it.
#[derive(Args)]
pub struct ChosenScene {
    /// See [`SCENE_HELP`].
    #[arg(value_name = "NAME_OR_FILE", help = SCENE_HELP)]
    pub scene: String,

    #[arg(
        long = "set",
        value_name = "KEY=VALUE",
        help = "Replace a value of the scene, e.g.\nparameters.mass=2; may be repeated"
    )]
    pub overrides: Vec<String>,
}

impl ChosenScene {
    /// The file, without what is replaced.
    pub fn open(&self) -> Result<SceneFile, Failure> {
        SceneFile::open(&self.scene).map_err(failure)
    }
}

/// Exit code and message of a scene that was refused.
pub fn failure(error: SceneError) -> Failure {
    (if error.is_limit() { Exit::ResourceLimit } else { Exit::BadInput }, error.to_string())
}
