//! Scenes as arguments, with the errors they may have.

use crate::exit::Exit;
use stickslip::scene::SceneError;

/// An exit code and what to tell.
pub type Failure = (Exit, String);

/// The help of an argument that names a scene, in lines of a narrow terminal.
pub const SCENE_HELP: &str = "A scene by name (see `stickslip list`), or a scene file:
its name ends in .toml or has a folder";

/// Exit code and message of a scene that was refused.
pub fn failure(error: SceneError) -> Failure {
    (if error.is_limit() { Exit::ResourceLimit } else { Exit::BadInput }, error.to_string())
}
