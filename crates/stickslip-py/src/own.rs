//! Functions of Python in a scene: forces, coefficients of friction, sets of friction.
//!
//! A function that raises, or gives something that is no number, leaves its exception in [`Raised`] and gives
//! NaN: the step fails, the run ends, and the exception is raised again where the run was begun.

use crate::errors::{self, Raised};
use crate::forced::Forced;
use crate::set::PythonSet;
use crate::system::PythonSystem;
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::Arc;
use stickslip::convex::OwnSet;
use stickslip::scene::{Cause, Complaint, Origin, Scene, SceneError, SceneFile};
use stickslip::system::{SpeedCurve, State};
use stickslip::world::{FrictionForm, WorldDescription};

/// A function of Python that is called without the interpreter being held.
#[derive(Clone)]
pub struct Callback {
    pub(crate) function: Arc<Py<PyAny>>,
    pub(crate) raised: Arc<Raised>,
}

impl Callback {
    /// Calls something; nothing if it raised.
    pub fn call<T>(&self, call: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<T>) -> Option<T> {
        if self.raised.is_there() {
            return None;
        }
        let value = Python::attach(|py| call(py, &self.function));
        value.map_err(|error| self.raised.keep(error)).ok()
    }

    /// A list of numbers of this length into `out`, NaN if there is none.
    pub fn fill(
        &self,
        what: &str,
        out: &mut [f64],
        call: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<Py<PyAny>>,
    ) {
        let count = out.len();
        let values = self.call(|py, function| numbers(py, &call(py, function)?, count, what));
        match values {
            Some(values) => out.copy_from_slice(&values),
            None => out.fill(f64::NAN),
        }
    }
}

/// A list of so many finite numbers.
pub fn numbers(py: Python<'_>, value: &Py<PyAny>, count: usize, what: &str) -> PyResult<Vec<f64>> {
    let values: Vec<f64> = value.extract(py)?;
    if values.len() != count {
        let found = values.len();
        return Err(errors::plain(
            py,
            format!("{what} gave {found} numbers, it must give {count}"),
        ));
    }
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(errors::plain(py, format!("{what} gave {value}"))),
        None => Ok(values),
    }
}

/// A list of numbers as an array of Python.
pub fn array<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, values)
}

/// All functions of a scene.
#[derive(Clone, Default)]
pub struct Own {
    /// What they have raised.
    pub raised: Arc<Raised>,
    functions: Vec<(Kind, String, Callback)>,
    /// A system of Python in place of that of the file, and its start.
    system: Option<(Arc<PythonSystem>, State)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Force,
    Friction,
    Set,
}

impl Own {
    /// What each is, the contact it belongs to, and the function.
    pub fn new(py: Python<'_>, list: Vec<(String, String, Py<PyAny>)>) -> PyResult<Self> {
        let mut own = Self::default();
        for (kind, contact, function) in list {
            let callback = Callback { function: Arc::new(function), raised: own.raised.clone() };
            let kind = match kind.as_str() {
                "system" => {
                    let (system, start) = PythonSystem::new(py, callback)?;
                    own.system = Some((Arc::new(system), start));
                    continue;
                }
                "force" => Kind::Force,
                "friction" => Kind::Friction,
                "set" => Kind::Set,
                other => return Err(errors::plain(py, format!("there is no function {other:?}"))),
            };
            own.functions.push((kind, contact, callback));
        }
        Ok(own)
    }

    /// Reads a scene and puts the functions in.
    pub fn apply(&self, file: &SceneFile, overrides: &[String]) -> Result<Scene, SceneError> {
        let mut missing: Vec<String> = Vec::new();
        let laws = self.functions.iter().filter(|(kind, ..)| *kind != Kind::Force);
        missing.extend(laws.map(|(_, contact, _)| contact.clone()));
        let mut scene = match &self.system {
            Some((system, start)) => {
                Scene::of_system(&file.name, system.clone(), start.clone(), &file.text, overrides)
            }
            None => file.changed_scene(overrides, |world| self.change(world, &mut missing)),
        }?;
        if let Some(contact) = missing.first() {
            let message = format!(
                "there is no contact named {contact:?} in the world of {}: a function can be the law of a \
                 [[contact]] that has a name",
                file.source
            );
            let (key, source) = ("contact".into(), String::new());
            let (origin, cause) = (Origin::Default, Cause::Wrong);
            return Err(SceneError {
                complaints: vec![Complaint { source, origin, key, cause, message }],
            });
        }
        for (_, _, force) in self.functions.iter().filter(|(kind, ..)| *kind == Kind::Force) {
            scene.system = Arc::new(Forced { system: scene.system.clone(), force: force.clone() });
        }
        Ok(scene)
    }

    fn change(&self, world: &mut WorldDescription, missing: &mut Vec<String>) {
        for (kind, contact, callback) in &self.functions {
            let named = |name: &Option<String>| name.as_deref() == Some(contact);
            for rule in world.contacts.iter_mut().filter(|rule| named(&rule.name)) {
                missing.retain(|name| name != contact);
                match kind {
                    Kind::Friction => {
                        let curve = friction_curve(contact, callback);
                        rule.law.friction = curve.reference();
                        rule.law.friction_curve = Some(curve);
                    }
                    Kind::Set => {
                        let set = PythonSet { callback: callback.clone() };
                        rule.law.form = FrictionForm::Own(OwnSet::new(set));
                        if rule.law.friction == 0.0 {
                            rule.law.friction = 1.0;
                        }
                    }
                    Kind::Force => {}
                }
            }
        }
    }

    /// An error if there are functions: no file can hold them.
    pub fn refuse_to_save(&self, py: Python<'_>) -> PyResult<()> {
        if self.functions.is_empty() && self.system.is_none() {
            return Ok(());
        }
        let message = "a scene with functions of Python in it cannot be written to a file";
        Err(errors::plain(py, message.into()))
    }
}

/// The coefficient as a function of the speed.
fn friction_curve(contact: &str, callback: &Callback) -> SpeedCurve {
    let (own, name) = (callback.clone(), contact.to_owned());
    let value = move |v: f64, _t: f64| {
        let value = own.call(|py, function| {
            let value: f64 = function.call1(py, (v,))?.extract(py)?;
            if value.is_finite() && value >= 0.0 {
                return Ok(value);
            }
            let must = "it must be finite and not negative";
            let message =
                format!("friction of contact {name:?} is {value} at the speed {v}, {must}");
            Err(errors::plain(py, message))
        });
        value.unwrap_or(f64::NAN)
    };
    // The address tells laws apart where they are compared by their text.
    let text = format!("Python function {:p}", Arc::as_ptr(&callback.function));
    SpeedCurve::Expression { text, value: Arc::new(value) }
}
