//! Errors of the library as exceptions of the package (python/stickslip/_errors.py).

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use stickslip::scene::{Origin, SceneError};
use stickslip::simulate::RunStatus;
use stickslip::study::StudyError;

/// What a Python function that the library called has raised; the run ends, and it is raised again.
#[derive(Default)]
pub struct Raised {
    error: Mutex<Option<PyErr>>,
    /// The same at a glance: solvers ask in every iteration.
    is_there: AtomicBool,
}

impl Raised {
    /// Keeps an exception; the first one counts.
    pub fn keep(&self, error: PyErr) {
        if let Ok(mut slot) = self.error.lock() {
            slot.get_or_insert(error);
            self.is_there.store(true, Ordering::Release);
        }
    }

    /// Takes it out.
    pub fn take(&self) -> Option<PyErr> {
        if !self.is_there.swap(false, Ordering::AcqRel) {
            return None;
        }
        self.error.lock().ok()?.take()
    }

    /// Whether there is one.
    pub fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Acquire)
    }
}

/// An exception made by a function of the module of errors.
fn made<'py>(py: Python<'py>, maker: &str, arguments: Bound<'py, PyTuple>) -> PyErr {
    let made =
        py.import("stickslip._errors").and_then(|module| module.call_method1(maker, arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// `SceneError`.
pub fn of_scene(py: Python<'_>, error: &SceneError) -> PyErr {
    let complaints: Vec<_> = error
        .complaints
        .iter()
        .map(|complaint| {
            let (line, column) = match &complaint.origin {
                Origin::File(place) => (Some(place.line), Some(place.column)),
                _ => (None, None),
            };
            let told = match &complaint.origin {
                // The key is in the message.
                Origin::Override(_) => complaint.message.clone(),
                _ => complaint.to_string(),
            };
            (complaint.source.clone(), line, column, complaint.key.clone(), told)
        })
        .collect();
    match (complaints,).into_pyobject(py) {
        Ok(arguments) => made(py, "of_scene", arguments),
        Err(error) => error,
    }
}

/// What can be told of how a run ended: name, message, time, residual and the problem as JSON.
pub type Told = (&'static str, String, Option<f64>, Option<f64>, Option<String>);

/// See [`Told`].
pub fn told(status: &RunStatus) -> Told {
    let (t, residual, problem) = match status {
        RunStatus::NotConverged { t, residual, problem, .. } => {
            let text = problem.as_ref().and_then(|problem| problem.to_json("").ok());
            (Some(*t), Some(*residual), text)
        }
        RunStatus::TimeLimit { t, residual } => (Some(*t), Some(*residual), None),
        _ => (None, None, None),
    };
    (status.name(), status.to_string(), t, residual, problem)
}

/// `RunError` or `NotConverged`.
pub fn of_status(py: Python<'_>, status: &RunStatus) -> PyErr {
    match told(status).into_pyobject(py) {
        Ok(arguments) => made(py, "of_status", arguments),
        Err(error) => error,
    }
}

/// `stickslip.Error` with a message.
pub fn plain(py: Python<'_>, message: String) -> PyErr {
    named(py, "Error", message)
}

/// An exception of a name with a message.
fn named(py: Python<'_>, name: &str, message: String) -> PyErr {
    match (message,).into_pyobject(py) {
        Ok(arguments) => made(py, name, arguments),
        Err(error) => error,
    }
}

/// `SceneError`, `OSError`, `NotFound` or `ValueError`.
pub fn of_study(py: Python<'_>, error: StudyError) -> PyErr {
    match error {
        StudyError::Scene(error) => of_scene(py, &error),
        StudyError::File(message) => PyOSError::new_err(message),
        StudyError::NotFound(message) => named(py, "NotFound", message),
        other => PyValueError::new_err(other.to_string()),
    }
}
