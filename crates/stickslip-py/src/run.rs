//! A run from start to end and what is kept of it.

use crate::errors::{self, Told};
use crate::own::Own;
use crate::simulation::NativeState;
use crate::watch::Watch;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use stickslip::integrate::Impact;
use stickslip::scene::Scene;
use stickslip::simulate::{
    Event, Halt, Observer, Progress, RunStatus, Sample, SavedState, Summary, Trajectory,
};
use stickslip::system::Observed;
use stickslip_cli::results::{Recorder, Results};

/// States that are kept of a run, to go on from.
const MOST_STATES: usize = 64;
/// Computing time between two of them in a short run.
const STATE_TIME: Duration = Duration::from_millis(50);

/// What came of a run.
#[pyclass(frozen, module = "stickslip._native", name = "Run")]
pub struct NativeRun {
    scene: Arc<Scene>,
    own: Own,
    command: String,
    summary: Summary,
    warnings: Vec<String>,
    rows: u64,
    time: Duration,
    recorder: Recorder,
    states: Vec<(f64, SavedState)>,
    trajectory: Mutex<Trajectory>,
}

/// Locks something that no panic leaves half done.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps rows and states.
struct Keeper<'a> {
    system: &'a dyn Observed,
    trajectory: Trajectory,
    recorder: Recorder,
    states: Vec<(f64, SavedState)>,
    /// Computing time between two states that are kept, and when the last one came.
    every: Duration,
    kept: Instant,
    watch: Watch,
    progress: Option<Py<PyAny>>,
}

impl Observer for Keeper<'_> {
    fn sample(&mut self, sample: &Sample) -> io::Result<()> {
        self.recorder.record(self.system, sample);
        self.trajectory.row(sample);
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) -> bool {
        self.watch.tell(self.progress.as_ref(), progress)
    }

    fn between_steps(&mut self, halt: &mut Halt) -> io::Result<()> {
        // A short run is computed again from its start.
        if self.kept.elapsed() >= self.every {
            self.kept = Instant::now();
            self.states.push((halt.progress().t, halt.state()));
            if self.states.len() > MOST_STATES {
                // Every other one.
                let mut number = 0;
                self.states.retain(|_| {
                    number += 1;
                    number % 2 == 0
                });
                self.every *= 2;
            }
        }
        Ok(())
    }
}

impl NativeRun {
    /// Runs a scene.
    pub fn of(
        py: Python<'_>,
        scene: &Arc<Scene>,
        own: &Own,
        warnings: &[String],
        progress: Option<Py<PyAny>>,
        command: String,
    ) -> PyResult<Self> {
        let begin = Instant::now();
        let mut simulation = scene.simulate().map_err(|e| errors::of_scene(py, &e))?;
        let watch = Watch::new(own.raised.clone());
        simulation.stop_when(watch.check());
        let mut keeper = Keeper {
            system: scene.system.as_ref(),
            trajectory: Trajectory::of(&simulation),
            recorder: Recorder::new(&simulation.columns()),
            states: Vec::new(),
            every: STATE_TIME,
            kept: begin,
            watch,
            progress,
        };
        let summary = py.detach(|| simulation.run(&mut keeper));
        if let Some(raised) = own.raised.take() {
            return Err(raised);
        }
        let Keeper { trajectory, recorder, states, .. } = keeper;
        let mut warnings = warnings.to_vec();
        warnings.extend(summary.warnings.iter().cloned());
        Ok(Self {
            scene: scene.clone(),
            own: own.clone(),
            command,
            summary,
            warnings,
            rows: trajectory.times().len() as u64,
            time: begin.elapsed(),
            recorder,
            states,
            trajectory: Mutex::new(trajectory),
        })
    }

    fn results(&self) -> Results<'_> {
        Results {
            scene: &self.scene,
            summary: &self.summary,
            warnings: self.warnings.clone(),
            rows: self.rows,
            time: self.time,
            command: &self.command,
        }
    }
}

#[pymethods]
impl NativeRun {
    /// Names of the columns of numbers, names of those of states, units.
    #[getter]
    fn columns(&self) -> (Vec<String>, Vec<String>, std::collections::BTreeMap<String, String>) {
        let own = locked(&self.trajectory);
        (own.names.clone(), own.state_names.clone(), own.units.clone())
    }

    /// Hands over a column of numbers, without a copy; it is empty from then on.
    fn take<'py>(&self, py: Python<'py>, number: usize) -> Option<Bound<'py, PyArray1<f64>>> {
        let column = locked(&self.trajectory).columns.get_mut(number).map(std::mem::take);
        column.map(|values| values.into_pyarray(py))
    }

    /// The same of a column of states.
    fn take_state<'py>(&self, py: Python<'py>, number: usize) -> Option<Bound<'py, PyArray1<i8>>> {
        let column = locked(&self.trajectory).states.get_mut(number).map(std::mem::take);
        column.map(|values| values.into_pyarray(py))
    }

    /// Whether it reached its end without doubt.
    #[getter]
    fn is_done(&self) -> bool {
        self.summary.status == RunStatus::Done
    }

    /// How it ended.
    #[getter]
    fn status(&self) -> Told {
        errors::told(&self.summary.status)
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    #[getter]
    fn contacts(&self) -> Vec<String> {
        let system = self.scene.system.as_ref();
        system.reported_contacts().iter().map(|key| system.contact_name(*key)).collect()
    }

    /// The summary as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        self.results().summary().map_err(|e| errors::plain(py, e))
    }

    fn impacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        impacts_table(py, self.scene.system.as_ref(), &self.summary.impacts)
    }

    /// Times, contacts and names of what happened at contacts, in the order of time.
    fn events(&self) -> (Vec<f64>, Vec<String>, Vec<&'static str>) {
        let mut all = self.summary.events.clone();
        all.extend_from_slice(&self.summary.motions);
        events_table(self.scene.system.as_ref(), all)
    }

    /// The report page.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let mut bytes = Vec::new();
        py.detach(|| self.results().write_page(&self.recorder, &mut bytes))?;
        String::from_utf8(bytes).map_err(|e| errors::plain(py, e.to_string()))
    }

    /// The state at the first end of a step at a time or behind it, computed again from the last one that was kept before.
    fn state_at(&self, py: Python<'_>, t: f64) -> PyResult<NativeState> {
        let mut simulation = self.scene.simulate().map_err(|e| errors::of_scene(py, &e))?;
        let watch = Watch::new(self.own.raised.clone());
        simulation.stop_when(watch.check());
        let before = self.states.iter().rev().find(|(kept, _)| *kept <= t);
        if let Some((_, state)) = before {
            simulation.set_state(state).map_err(|e| errors::plain(py, e.to_string()))?;
        }
        let mut silent = Silent { watch };
        let gone = py.detach(|| simulation.observe_until(t, &mut silent));
        if let Some(raised) = self.own.raised.take() {
            return Err(raised);
        }
        gone.map_err(|status| errors::of_status(py, &status))?;
        Ok(NativeState::of(&simulation))
    }
}

/// Looks for signals alone.
pub(crate) struct Silent {
    pub(crate) watch: Watch,
}

impl Observer for Silent {
    fn sample(&mut self, _sample: &Sample) -> io::Result<()> {
        Ok(())
    }

    fn progress(&mut self, _progress: &Progress) -> bool {
        !self.watch.must_end()
    }
}

/// Impacts as columns.
pub(crate) fn impacts_table<'py>(
    py: Python<'py>,
    system: &dyn Observed,
    impacts: &[Impact],
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let column = |value: fn(&Impact) -> f64| {
        impacts.iter().map(value).collect::<Vec<f64>>().into_pyarray(py)
    };
    out.set_item("t", column(|i| i.t))?;
    let names: Vec<String> = impacts.iter().map(|i| system.contact_name(i.contact)).collect();
    out.set_item("contact", names)?;
    out.set_item("normal_velocity_before", column(|i| i.normal_velocity[0]))?;
    out.set_item("normal_velocity_after", column(|i| i.normal_velocity[1]))?;
    out.set_item("tangential_velocity_before", column(|i| i.tangential_velocity[0]))?;
    out.set_item("tangential_velocity_after", column(|i| i.tangential_velocity[1]))?;
    out.set_item("normal_percussion", column(|i| i.normal_percussion))?;
    out.set_item("tangential_percussion", column(|i| i.tangential_percussion))?;
    Ok(out)
}

/// Events as columns, in the order of time.
pub(crate) fn events_table(
    system: &dyn Observed,
    mut events: Vec<Event>,
) -> (Vec<f64>, Vec<String>, Vec<&'static str>) {
    events.sort_by(|a, b| a.t.total_cmp(&b.t));
    let times = events.iter().map(|event| event.t).collect();
    let contacts = events.iter().map(|event| system.contact_name(event.contact)).collect();
    (times, contacts, events.iter().map(|event| event.kind.name()).collect())
}
