//! Periodic orbits, branches of them and of equilibria, Lyapunov exponents.

use crate::errors::of_study;
use crate::scene::NativeScene;
use crate::watch::Watch;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stickslip::scene::IntegratorName;
use stickslip::stop::watching;
use stickslip::study::{
    self, Equilibrium, Followed, LyapunovQuestion, Orbit, OrbitQuestion, Section, SpecialPoint,
    StateTable, StudyError, Vary,
};
use stickslip::system::State;

/// Does something while the interpreter is not held; Ctrl-C ends it.
fn found<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Watch) -> Result<T, StudyError> + Send,
) -> PyResult<T> {
    let watch = Watch::new(Default::default());
    let stop = watch.check();
    let found = py.detach(|| watching(Some(&stop), || work(&watch)));
    match watch.raised.take() {
        Some(raised) => Err(raised),
        None => found.map_err(|error| of_study(py, error)),
    }
}

fn question(overrides: Vec<String>, section: Option<&str>) -> Result<OrbitQuestion, StudyError> {
    let section = section.map(Section::parse).transpose()?;
    Ok(OrbitQuestion { overrides, section })
}

/// Time, coordinates, velocities, and what the system remembers.
fn put_state(out: &Bound<'_, PyDict>, state: &State) -> PyResult<()> {
    let py = out.py();
    out.set_item("t", state.t)?;
    out.set_item("q", state.q.clone().into_pyarray(py))?;
    out.set_item("u", state.u.clone().into_pyarray(py))?;
    out.set_item("memory", state.memory.clone().into_pyarray(py))
}

fn orbit_as_dict<'py>(py: Python<'py>, orbit: &Orbit) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let Orbit { value, period, multipliers, stable, modes, state, drift, blind } = orbit;
    out.set_item("value", value)?;
    out.set_item("period", period)?;
    out.set_item("multipliers", multipliers.clone())?;
    out.set_item("stable", stable)?;
    out.set_item("modes", modes)?;
    out.set_item("drift", drift)?;
    out.set_item("without_derivative", blind)?;
    put_state(&out, state)?;
    Ok(out)
}

/// The periodic orbit on which the motion of a scene ends.
#[pyfunction]
pub fn orbit<'py>(
    py: Python<'py>,
    scene: &NativeScene,
    overrides: Vec<String>,
    section: Option<String>,
    by: String,
) -> PyResult<Bound<'py, PyDict>> {
    let file = scene.file.clone();
    let orbit = found(py, |_| {
        let question = question(overrides, section.as_deref())?;
        match study::orbit_integrator(&by)? {
            IntegratorName::EventDriven => study::find_orbit(&file, &question),
            by => study::find_step_orbit(&file, &question, by),
        }
    })?;
    orbit_as_dict(py, &orbit)
}

/// Names, units and values of columns over one period of an orbit, given by a state on it; the first one is the time.
type Traced = (Vec<(String, String)>, Vec<Vec<f64>>);

/// See [`Traced`].
#[pyfunction]
pub fn trace_orbit(
    py: Python<'_>,
    scene: &NativeScene,
    overrides: Vec<String>,
    period: f64,
    state: (f64, Vec<f64>, Vec<f64>, Vec<f64>),
    count: usize,
) -> PyResult<Traced> {
    let file = scene.file.clone();
    let (t, q, u, memory) = state;
    found(py, |_| {
        let orbit = Orbit {
            value: 0.0,
            period,
            multipliers: Vec::new(),
            stable: false,
            modes: Vec::new(),
            state: State { t, q, u, memory },
            drift: 0.0,
            blind: 0,
        };
        let mut table = StateTable::new(&file, &overrides)?;
        let states = study::trace_orbit(&file, &question(overrides, None)?, &orbit, count)?;
        let mut names = vec![("t".to_owned(), "s".to_owned())];
        names.extend(table.columns().map(|(name, unit)| (name.to_owned(), unit.to_owned())));
        let mut columns = vec![Vec::with_capacity(states.len()); names.len()];
        for state in &states {
            let values = std::iter::once(state.t - t).chain(table.values(state));
            columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        Ok((names, columns))
    })
}

/// A branch: points, kinds and values of bifurcations, why it ended.
fn branch_as_dict<'py>(
    py: Python<'py>,
    points: Vec<Bound<'py, PyDict>>,
    bifurcations: &[SpecialPoint],
    ended: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("points", points)?;
    let list: Vec<(&str, f64)> = bifurcations.iter().map(|b| (b.kind, b.value)).collect();
    out.set_item("bifurcations", list)?;
    out.set_item("ended", ended)?;
    Ok(out)
}

fn of_orbits<'py>(py: Python<'py>, branch: &study::Branch) -> PyResult<Bound<'py, PyDict>> {
    let points = branch.points.iter().map(|orbit| orbit_as_dict(py, orbit));
    let points = points.collect::<PyResult<_>>()?;
    branch_as_dict(py, points, &branch.bifurcations, branch.ended.as_deref())
}

fn rest_as_dict<'py>(py: Python<'py>, point: &Equilibrium) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("value", point.value)?;
    out.set_item("eigenvalues", point.eigenvalues.clone())?;
    out.set_item("stable", point.stable)?;
    out.set_item("modes", [&point.mode])?;
    out.set_item("interval", point.interval.clone())?;
    put_state(&out, &point.state)?;
    Ok(out)
}

/// The orbit or the equilibrium on which a motion ends, over a parameter; with the branches of doubled period, each
/// with the bifurcation from which it begins.
#[pyfunction]
pub fn branch<'py>(
    py: Python<'py>,
    scene: &NativeScene,
    overrides: Vec<String>,
    vary: String,
    section: Option<String>,
    equilibrium: bool,
    switch: usize,
) -> PyResult<(&'static str, Bound<'py, PyDict>)> {
    let file = scene.file.clone();
    let followed = found(py, |_| {
        let question = question(overrides, section.as_deref())?;
        study::follow(&file, &question, &Vary::parse(&vary)?, equilibrium, switch)
    })?;
    match followed {
        Followed::Rest(branch) => {
            let points = branch.points.iter().map(|point| rest_as_dict(py, point));
            let points = points.collect::<PyResult<_>>()?;
            let ended = branch.ended.as_deref();
            Ok(("equilibria", branch_as_dict(py, points, &branch.bifurcations, ended)?))
        }
        Followed::Orbits(branches) => {
            let first = of_orbits(py, &branches.first)?;
            let mut sides = Vec::new();
            for side in &branches.doubled {
                let own = of_orbits(py, &side.branch)?;
                own.set_item("from", (side.from.kind, side.from.value))?;
                sides.push(own);
            }
            first.set_item("branches", sides)?;
            Ok(("orbits", first))
        }
    }
}

/// Lyapunov exponents of the motion of a scene.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn lyapunov<'py>(
    py: Python<'py>,
    scene: &NativeScene,
    overrides: Vec<String>,
    all: bool,
    transient: Option<f64>,
    duration: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let file = scene.file.clone();
    let question = LyapunovQuestion { overrides, all, transient, duration };
    let of = found(py, |watch| {
        study::lyapunov(&file, &question, &mut |share| {
            let told = Python::attach(|py| {
                progress.as_ref().map_or(Ok(()), |f| f.call1(py, (share,)).map(|_| ()))
            });
            if let Err(error) = told {
                watch.raised.keep(error);
            }
        })
    })?;
    let out = PyDict::new(py);
    out.set_item("exponents", of.exponents.into_pyarray(py))?;
    out.set_item("errors", of.errors.into_pyarray(py))?;
    out.set_item("transient", of.transient)?;
    out.set_item("duration", of.duration)?;
    out.set_item("settled", of.settled)?;
    out.set_item("without_derivative", of.blind)?;
    out.set_item("ended", of.ended)?;
    let times: Vec<f64> = of.running.iter().map(|at| at.t).collect();
    out.set_item("t", times.into_pyarray(py))?;
    let running: Vec<Vec<f64>> = of.running.into_iter().map(|at| at.exponents).collect();
    out.set_item("running", running)?;
    Ok(out)
}
