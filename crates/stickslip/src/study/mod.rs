//! Studies: many runs of one scene, and what can be said of them together.
//!
//! A study is made of a scene that is read from its text ([`SceneFile`]), of what is varied ([`Vary`]), and of
//! what is looked at: a [`Section`] at which the state is taken, or expressions of columns ([`Vocabulary`]).

mod continuation;
mod family;
mod guess;
mod orbit;
mod quantity;
mod section;
mod shooting;
mod special_points;
mod vary;

pub use continuation::{Bifurcation, Branch, continue_orbit};
pub use orbit::{Orbit, OrbitQuestion, find_orbit};
pub use quantity::{OfState, Quantity, Vocabulary};
pub use section::{Level, Section, Surface};
pub use vary::{Values, Vary};

use crate::scene::{Scene, SceneError, SceneFile};

/// Why there is no study.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The scene is wrong.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// What was asked for makes no sense: a sentence.
    #[error("{0}")]
    Wrong(String),
    /// A file could not be read or written: a sentence.
    #[error("{0}")]
    File(String),
    /// What was looked for is not there: a sentence.
    #[error("{0}")]
    NotFound(String),
}

impl StudyError {
    /// What was asked for makes no sense.
    pub(crate) fn wrong(message: impl Into<String>) -> Self {
        StudyError::Wrong(message.into())
    }
}

/// The scene with every column that its table may have, whatever it shows by default: of these expressions are
/// made. Columns do not influence the motion.
pub fn with_all_columns(file: &SceneFile, overrides: &[String]) -> Result<Scene, SceneError> {
    with_columns(file, overrides, &["*".to_owned()])
}

/// The scene with these columns of bodies, joints and contacts only; `*` stands for any text.
pub fn with_columns(
    file: &SceneFile,
    overrides: &[String],
    columns: &[String],
) -> Result<Scene, SceneError> {
    file.changed_scene(overrides, |world| {
        world.table.chosen = Some(columns.to_vec());
    })
}
