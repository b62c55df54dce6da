//! Studies: many runs of one scene, and what can be said of them together.
//!
//! A study is made of a scene that is read from its text ([`SceneFile`]), of what is varied ([`Vary`]), and of
//! what is looked at: a [`Section`] at which the state is taken, or expressions of columns ([`Vocabulary`]).

mod basins;
mod bifurcation;
mod calls;
mod continuation;
mod crossings;
mod equilibrium;
mod family;
mod fit;
mod fit_data;
mod folder;
mod followed;
mod gradient;
mod guess;
mod happening;
mod journal;
mod keys;
mod least_squares;
mod lyapunov;
mod measure;
mod orbit;
mod plan;
mod point_rows;
mod quantity;
mod recurrence;
mod rest_branch;
mod section;
mod sensitivity;
mod settle;
mod shooting;
mod special_points;
mod state_table;
mod step_orbit;
mod sweep;
mod symmetry;
mod vary;
mod workers;

pub use basins::{Attractor, BASINS, BasinRecords, Basins};
pub use bifurcation::{Bifurcation, Follow, Going, Settled};
pub use continuation::{Branch, Branches, SideBranch, SpecialPoint, continue_orbit};
pub use crossings::{Crossing, Crossings};
pub use equilibrium::Equilibrium;
pub use fit::{Fit, FitColumn, FitQuestion, Fitted, fit};
pub use fit_data::FitData;
pub use folder::{STUDY, claim_folder};
pub use followed::{Followed, MOST_DOUBLINGS, follow};
pub use gradient::{Gradient, GradientQuestion, Gradients, gradient};
pub use keys::NumberKey;
pub use lyapunov::{Lyapunov, LyapunovQuestion, RunningEstimate, lyapunov};
pub use measure::{Ended, Measure};
pub use orbit::{Orbit, OrbitQuestion, find_orbit, trace_orbit};
pub use plan::{Design, Plan};
pub use quantity::{OfState, Quantity, Vocabulary};
pub use rest_branch::{RestBranch, continue_equilibrium, ends_at_rest};
pub use section::{Level, Section, Surface};
pub use state_table::StateTable;
pub use step_orbit::{find_step_orbit, orbit_integrator};
pub use sweep::{Point, Records, Sweep, SweepProgress, TABLE};
pub use vary::{Values, Vary};

use crate::scene::{Scene, SceneError, SceneFile};
use crate::stop::StopCheck;
use calls::split_calls;
use plan::check_keys;
use std::sync::Arc;

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

/// A check that never ends anything.
pub fn never() -> StopCheck {
    Arc::new(|| false)
}

/// A number as text that reads back as the same number.
pub fn number(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A text as a cell of a table of comma-separated values.
pub fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " ")),
        false => text.to_owned(),
    }
}

/// The cells of a row of such a table.
pub fn cells(row: &str) -> Vec<String> {
    let (mut out, mut last, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                last.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(std::mem::take(&mut last)),
            other => last.push(other),
        }
    }
    out.push(last);
    out
}

/// Tells texts apart: FNV-1a with 128 bits, as 32 digits.
pub fn hash(text: &str) -> String {
    let start = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    let step = |sum: u128, byte: u8| (sum ^ u128::from(byte)).wrapping_mul((1 << 88) + 0x13b);
    format!("{:032x}", text.bytes().fold(start, step))
}
