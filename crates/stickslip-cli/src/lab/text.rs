//! A text as a scene, or what is wrong with it.

use crate::results::contradiction;
use serde::Serialize;
use std::sync::Arc;
use stickslip::scene::{BUILT_IN, Complaint, Knob, Origin, Scene, SceneError, SceneFile};

/// Something that is wrong with a text.
#[derive(Clone, Debug, Serialize)]
pub struct Fault {
    /// Line and column from 1; 0 if it has none.
    pub line: usize,
    pub column: usize,
    /// Characters that are meant.
    pub length: usize,
    pub message: String,
}

impl Fault {
    fn without_place(message: String) -> Self {
        Self { line: 0, column: 0, length: 0, message }
    }
}

impl From<&Complaint> for Fault {
    fn from(complaint: &Complaint) -> Self {
        let message = complaint.message.clone();
        match &complaint.origin {
            Origin::File(place) => {
                Self { line: place.line, column: place.column, length: place.marked.len(), message }
            }
            _ => Self::without_place(message),
        }
    }
}

/// What can be said of a text.
#[derive(Clone, Default)]
pub struct Checked {
    /// The scene, if it can run.
    pub scene: Option<Arc<Scene>>,
    pub faults: Vec<Fault>,
    pub warnings: Vec<String>,
    pub knobs: Vec<Knob>,
}

impl Checked {
    /// Reads a scene and looks whether it can run.
    pub fn new(file: &SceneFile) -> Self {
        let wrong = |error: SceneError| Self {
            faults: error.complaints.iter().map(Fault::from).collect(),
            ..Self::default()
        };
        let scene = match file.scene(&[]) {
            Ok(scene) => scene,
            Err(error) => return wrong(error),
        };
        if let Some(message) = contradiction(&scene) {
            return Self { faults: vec![Fault::without_place(message)], ..Self::default() };
        }
        if let Err(error) = scene.simulate() {
            return wrong(error);
        }
        let mut warnings = scene.warnings();
        warnings.extend(scene.overlap_warning());
        warnings.extend(scene.assembly().first().cloned());
        let knobs = knobs(&scene, &file.text);
        Self { scene: Some(Arc::new(scene)), faults: Vec::new(), warnings, knobs }
    }
}

/// What can be turned; where the file has no comment, with that of the scene on which it builds.
fn knobs(scene: &Scene, text: &str) -> Vec<Knob> {
    let mut knobs = scene.knobs(text);
    let table = text.parse::<toml::Table>().unwrap_or_default();
    let model = table.get("model").and_then(toml::Value::as_str);
    if let Some(base) = BUILT_IN.iter().find(|base| Some(base.name) == model) {
        for (knob, other) in knobs.iter_mut().zip(scene.knobs(base.text)) {
            if knob.hint.is_empty() && knob.key == other.key {
                knob.hint = other.hint;
            }
        }
    }
    knobs
}
