//! The simulation that one can hold in one's hand.

use crate::errors;
use crate::own::Own;
use crate::run::{Silent, events_table, impacts_table, locked};
use crate::watch::Watch;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use stickslip::memory::{Memory, Section};
use stickslip::scene::Scene;
use stickslip::simulate::{RunStatus, SavedState, Simulation};
use stickslip::system::State;

/// Time between two looks at signals.
const SLICE: Duration = Duration::from_millis(50);

/// Everything that the rest of a run depends on.
#[pyclass(frozen, module = "stickslip._native", name = "State")]
pub struct NativeState {
    state: State,
    saved: SavedState,
}

/// A saved state as lists of words with their names.
type Sections = Vec<(String, Vec<u64>)>;

impl NativeState {
    /// The present state of a simulation.
    pub fn of(simulation: &Simulation) -> Self {
        Self { state: simulation.present().clone(), saved: simulation.state() }
    }
}

#[pymethods]
impl NativeState {
    #[staticmethod]
    fn restored(t: f64, q: Vec<f64>, u: Vec<f64>, memory: Vec<f64>, sections: Sections) -> Self {
        let sections = sections.into_iter().map(|(name, words)| Section { name, words }).collect();
        Self { state: State { t, q, u, memory }, saved: Memory { sections }.into() }
    }

    fn parts(&self) -> (f64, Vec<f64>, Vec<f64>, Vec<f64>, Sections) {
        let State { t, q, u, memory } = &self.state;
        let each = self.saved.memory().sections.iter();
        let sections = each.map(|own| (own.name.clone(), own.words.clone())).collect();
        (*t, q.clone(), u.clone(), memory.clone(), sections)
    }

    #[getter]
    fn t(&self) -> f64 {
        self.state.t
    }

    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.state.q.clone().into_pyarray(py)
    }

    #[getter]
    fn u<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.state.u.clone().into_pyarray(py)
    }

    #[getter]
    fn memory<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.state.memory.clone().into_pyarray(py)
    }
}

/// A scene that goes on step by step.
#[pyclass(frozen, module = "stickslip._native", name = "Simulation")]
pub struct NativeSimulation {
    scene: Arc<Scene>,
    own: Own,
    simulation: Mutex<Simulation>,
}

impl NativeSimulation {
    /// A scene at its start.
    pub fn of(py: Python<'_>, scene: &Arc<Scene>, own: &Own) -> PyResult<Self> {
        let simulation = scene.simulate().map_err(|e| errors::of_scene(py, &e))?;
        Ok(Self { scene: scene.clone(), own: own.clone(), simulation: Mutex::new(simulation) })
    }

    /// Does something that may take long, with signals looked at.
    fn long(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Simulation, Watch) -> Result<(), RunStatus> + Send,
    ) -> PyResult<()> {
        let watch = Watch::new(self.own.raised.clone());
        let done = py.detach(|| {
            let mut simulation = locked(&self.simulation);
            simulation.stop_when(watch.check());
            work(&mut simulation, watch)
        });
        if let Some(raised) = self.own.raised.take() {
            return Err(raised);
        }
        done.map_err(|status| errors::of_status(py, &status))
    }

    /// Looks at the simulation, which another thread may be carrying on.
    fn look<T: Send>(&self, py: Python<'_>, at: impl FnOnce(&mut Simulation) -> T + Send) -> T {
        py.detach(|| at(&mut locked(&self.simulation)))
    }
}

#[pymethods]
impl NativeSimulation {
    fn step(&self, py: Python<'_>, count: u64) -> PyResult<()> {
        self.long(py, |simulation, watch| {
            let (mut left, mut chunk) = (count, 16);
            while left > 0 {
                let begin = Instant::now();
                let now = left.min(chunk);
                simulation.step(now)?;
                left -= now;
                if left > 0 && watch.must_end() {
                    return Err(RunStatus::Interrupted);
                }
                if begin.elapsed() < SLICE / 2 {
                    chunk *= 2;
                }
            }
            Ok(())
        })
    }

    fn run_until(&self, py: Python<'_>, t: f64) -> PyResult<()> {
        self.long(py, |simulation, watch| simulation.observe_until(t, &mut Silent { watch }))
    }

    #[getter]
    fn t(&self, py: Python<'_>) -> f64 {
        self.look(py, |simulation| simulation.t())
    }

    #[getter]
    fn steps(&self, py: Python<'_>) -> u64 {
        self.look(py, |simulation| simulation.steps())
    }

    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.look(py, |simulation| simulation.q().to_vec()).into_pyarray(py)
    }

    #[getter]
    fn u<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.look(py, |simulation| simulation.u().to_vec()).into_pyarray(py)
    }

    fn state(&self, py: Python<'_>) -> NativeState {
        self.look(py, |simulation| NativeState::of(simulation))
    }

    fn set_state(&self, py: Python<'_>, state: &NativeState) -> PyResult<()> {
        let gone = self.look(py, |simulation| simulation.set_state(&state.saved));
        gone.map_err(|e| errors::plain(py, e.to_string()))
    }

    /// Begins anew from coordinates and velocities.
    fn begin_at(
        &self,
        py: Python<'_>,
        t: Option<f64>,
        q: Option<Vec<f64>>,
        u: Option<Vec<f64>>,
    ) -> PyResult<()> {
        let present = self.look(py, |simulation| simulation.present().clone());
        let own = self.scene.system.memory_count().min(present.memory.len());
        let mut start = State {
            t: t.unwrap_or(present.t),
            q: q.unwrap_or(present.q.clone()),
            u: u.unwrap_or(present.u.clone()),
            memory: present.memory[..own].to_vec(),
        };
        for (name, list, count) in
            [("q", &start.q, present.q.len()), ("u", &start.u, present.u.len())]
        {
            if list.len() != count {
                let found = list.len();
                let message = format!("{name} has {found} numbers, it must have {count}");
                return Err(errors::plain(py, message));
            }
        }
        if !start.q.iter().chain(&start.u).chain([&start.t]).all(|x| x.is_finite()) {
            return Err(errors::plain(py, "all of t, q and u must be finite".into()));
        }
        self.scene.system.normalize(&mut start.q);
        let integrator = self.scene.integrator().map_err(|e| errors::of_scene(py, &e))?;
        let system = self.scene.system.clone();
        let made = Simulation::new(system, integrator, start, self.scene.settings());
        let made = made.map_err(|e| errors::plain(py, e.to_string()))?;
        self.look(py, |simulation| *simulation = made);
        Ok(())
    }

    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let gone = self.look(py, |simulation| simulation.reset());
        gone.map_err(|e| errors::plain(py, e.to_string()))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.own.refuse_to_save(py)?;
        let text = self.scene.to_toml();
        let saved = self.look(py, |simulation| simulation.save(&path, &text));
        saved.map_err(|e| errors::plain(py, e.to_string()))
    }

    fn copy(&self, py: Python<'_>) -> Self {
        let simulation = Mutex::new(self.look(py, |simulation| simulation.clone()));
        Self { scene: self.scene.clone(), own: self.own.clone(), simulation }
    }

    fn normal_force(&self, py: Python<'_>, contact: &str) -> f64 {
        self.look(py, |simulation| simulation.normal_force(contact))
    }

    /// Kinetic and potential energy, J.
    fn energy(&self, py: Python<'_>) -> (f64, f64) {
        let energy = self.look(py, |simulation| simulation.energy());
        (energy.kinetic, energy.potential)
    }

    /// Name, gap in m, normal and tangential percussion in N s of all contacts of the last step.
    fn contacts(&self, py: Python<'_>) -> Vec<(String, f64, f64, f64)> {
        self.look(py, |simulation| {
            let system = simulation.system();
            let each = simulation.contacts().iter();
            each.map(|c| {
                (system.contact_name(c.key), c.gap, c.normal_percussion, c.tangential_percussion)
            })
            .collect()
        })
    }

    #[getter]
    fn last_step(&self, py: Python<'_>) -> f64 {
        self.look(py, |simulation| simulation.last_step())
    }

    fn events(&self, py: Python<'_>) -> (Vec<f64>, Vec<String>, Vec<&'static str>) {
        let events = self.look(py, |simulation| simulation.events().to_vec());
        events_table(self.scene.system.as_ref(), events)
    }

    fn impacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let impacts = self.look(py, |simulation| simulation.impacts().to_vec());
        impacts_table(py, self.scene.system.as_ref(), &impacts)
    }

    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        self.own.refuse_to_save(py)?;
        Ok(self.scene.to_toml())
    }
}

/// The simulation of an archive at its last state.
#[pyfunction]
pub fn resume(py: Python<'_>, path: PathBuf) -> PyResult<NativeSimulation> {
    let found = py.detach(|| Scene::resume(&path));
    let (scene, simulation) = found.map_err(|e| errors::of_scene(py, &e))?;
    let (scene, simulation) = (Arc::new(scene), Mutex::new(simulation));
    Ok(NativeSimulation { scene, own: Own::default(), simulation })
}
