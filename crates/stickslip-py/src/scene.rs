//! A scene with changed values and functions of Python in it.

use crate::errors;
use crate::own::Own;
use crate::run::NativeRun;
use crate::simulation::NativeSimulation;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use stickslip::scene::{BUILT_IN, Outline, Scene, SceneError, SceneFile};
use stickslip::simulate::Trajectory;
use stickslip_cli::results;
use toml::Value;

/// A scene that can be run; it does not change.
#[pyclass(frozen, module = "stickslip._native", name = "Scene")]
pub struct NativeScene {
    pub(crate) file: SceneFile,
    pub(crate) own: Own,
    pub(crate) scene: Arc<Scene>,
    before: OnceLock<Before>,
}

/// What is known of a scene before it runs.
struct Before {
    contradiction: Option<String>,
    warnings: Vec<String>,
}

/// Reads a scene with all that is changed in it.
pub(crate) fn read(file: &SceneFile, own: &Own, overrides: &[String]) -> Result<Scene, SceneError> {
    own.apply(file, overrides)
}

#[pymethods]
impl NativeScene {
    /// A scene by name or from a file.
    #[staticmethod]
    fn open(py: Python<'_>, name_or_file: &str, overrides: Vec<String>) -> PyResult<Self> {
        let file = SceneFile::open(name_or_file).map_err(|e| errors::of_scene(py, &e))?;
        Self::of_file(py, file, &overrides, Own::default())
    }

    /// A scene from its text, with the file for what it reads from its folder.
    #[staticmethod]
    fn from_text(
        py: Python<'_>,
        source: String,
        name: String,
        text: String,
        path: Option<PathBuf>,
        overrides: Vec<String>,
    ) -> PyResult<Self> {
        let file = SceneFile { source, name, text, path };
        Self::of_file(py, file, &overrides, Own::default())
    }

    /// A system of Python; `text` has the sections of simulation and solver.
    #[staticmethod]
    fn of_system(
        py: Python<'_>,
        name: String,
        text: String,
        system: Py<PyAny>,
        overrides: Vec<String>,
    ) -> PyResult<Self> {
        let file = SceneFile { source: name.clone(), name, text, path: None };
        let own = Own::new(py, vec![("system".into(), String::new(), system)])?;
        Self::of_file(py, file, &overrides, own)
    }

    /// The same file with other values and functions.
    fn changed(
        &self,
        py: Python<'_>,
        overrides: Vec<String>,
        functions: Vec<(String, String, Py<PyAny>)>,
    ) -> PyResult<Self> {
        Self::of_file(py, self.file.clone(), &overrides, Own::new(py, functions)?)
    }

    #[getter]
    fn source(&self) -> (&str, &str, &str, Option<PathBuf>) {
        let SceneFile { source, name, text, path } = &self.file;
        (source, name, text, path.clone())
    }

    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    #[getter]
    fn caption(&self) -> &str {
        &self.scene.caption
    }

    #[getter]
    fn model(&self) -> &str {
        self.scene.model
    }

    #[getter]
    fn duration(&self) -> f64 {
        self.scene.simulation.duration
    }

    fn to_toml(&self) -> String {
        self.scene.to_toml()
    }

    /// What a user should know before a run.
    fn warnings(&self) -> Vec<String> {
        self.before().warnings.clone()
    }

    /// Lines of `stickslip check`, and whether it can run.
    fn check(&self, py: Python<'_>) -> PyResult<(Vec<String>, bool)> {
        self.scene.integrator().map_err(|e| errors::of_scene(py, &e))?;
        Ok(results::check(&self.scene))
    }

    /// A value by its dotted key; none if there is none.
    fn get<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut parts = key.split('.');
        let first = parts.next().and_then(|part| self.scene.effective().get(part));
        let found = parts.fold(first, |at, part| match at? {
            Value::Array(list) => {
                let is_named = |v: &&Value| v.get("name").and_then(Value::as_str) == Some(part);
                let by_number = || part.parse::<usize>().ok().and_then(|n| list.get(n));
                list.iter().find(is_named).or_else(by_number)
            }
            other => other.get(part),
        });
        found.map(|value| to_python(py, value)).transpose()
    }

    /// Names of the columns of numbers, and units.
    fn columns(&self) -> (Vec<String>, BTreeMap<String, String>) {
        let own = Trajectory::new(self.scene.system.as_ref(), &self.scene.columns());
        (own.names, own.units)
    }

    /// Number of coordinates and of velocities.
    fn sizes(&self) -> (usize, usize) {
        let system = self.scene.system.as_ref();
        (system.coordinate_count(), system.blocks().iter().sum())
    }

    fn simulation(&self, py: Python<'_>) -> PyResult<NativeSimulation> {
        NativeSimulation::of(py, &self.scene, &self.own)
    }

    fn run(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        command: String,
    ) -> PyResult<NativeRun> {
        let Before { contradiction, warnings } = self.before();
        if let Some(contradiction) = contradiction {
            return Err(errors::plain(py, format!("{}: {contradiction}", self.scene.name)));
        }
        NativeRun::of(py, &self.scene, &self.own, warnings, progress, command)
    }
}

impl NativeScene {
    /// Looked for once, however often the scene runs.
    fn before(&self) -> &Before {
        self.before.get_or_init(|| {
            let mut warnings = self.scene.warnings();
            warnings.extend(self.scene.overlap_warning());
            Before { contradiction: results::contradiction(&self.scene), warnings }
        })
    }

    fn of_file(py: Python<'_>, file: SceneFile, overrides: &[String], own: Own) -> PyResult<Self> {
        let scene = py.detach(|| read(&file, &own, overrides));
        if let Some(raised) = own.raised.take() {
            return Err(raised);
        }
        let scene = Arc::new(scene.map_err(|e| errors::of_scene(py, &e))?);
        Ok(Self { file, own, scene, before: OnceLock::new() })
    }
}

/// A value of a file as one of Python.
fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::Boolean(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Datetime(time) => time.to_string().into_pyobject(py)?.into_any(),
        Value::Array(list) => {
            let entries: Vec<_> =
                list.iter().map(|entry| to_python(py, entry)).collect::<PyResult<_>>()?;
            PyList::new(py, entries)?.into_any()
        }
        Value::Table(table) => {
            let out = PyDict::new(py);
            for (key, entry) in table {
                out.set_item(key, to_python(py, entry)?)?;
            }
            out.into_any()
        }
    })
}

/// Name, model, duration in s and caption of the scenes of the program.
#[pyfunction]
pub fn scenes(py: Python<'_>) -> PyResult<Vec<(&'static str, &'static str, f64, String)>> {
    let outline = |built_in: &stickslip::scene::BuiltIn| {
        let Outline { model, duration, caption } = Outline::read(built_in.name, built_in.text)?;
        Ok((built_in.name, model, duration, caption))
    };
    let all: Result<Vec<_>, SceneError> = BUILT_IN.iter().map(outline).collect();
    all.map_err(|e| errors::of_scene(py, &e))
}
