//! Many runs of one scene, with values and starts of their own.

use crate::errors;
use crate::run::locked;
use crate::scene::{NativeScene, read};
use crate::watch::Watch;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stickslip::prelude::Simulation;
use stickslip::scene::{Scene, SceneError};
use stickslip::simulate::{Observer, Progress, Sample, Trajectory};
use stickslip::stop::StopCheck;
use stickslip::system::State;

/// Time between two looks at signals.
const EVERY: Duration = Duration::from_millis(50);

/// What is kept of one run: its columns, state at the end, status and message.
struct Outcome {
    columns: Vec<Vec<f64>>,
    end: State,
    steps: u64,
    status: &'static str,
    message: String,
}

/// Why there is no outcome: run number and error.
type Wrong = (usize, SceneError);

/// Keeps the rows, and ends when it must.
struct Rows<'a> {
    trajectory: Trajectory,
    must_end: &'a StopCheck,
}

impl Observer for Rows<'_> {
    fn sample(&mut self, sample: &Sample) -> io::Result<()> {
        self.trajectory.row(sample);
        Ok(())
    }

    fn progress(&mut self, _progress: &Progress) -> bool {
        !(self.must_end)()
    }
}

/// One run; its numbers depend on nothing but the scene and the start.
fn run_one(
    scene: &Scene,
    [q, u]: [Option<&[f64]>; 2],
    columns: &[String],
    must_end: &StopCheck,
) -> Result<Outcome, SceneError> {
    let mut simulation = scene.simulate()?;
    if q.is_some() || u.is_some() {
        let mut begin = scene.start.clone();
        if let Some(q) = q {
            begin.q = q.to_vec();
            scene.system.normalize(&mut begin.q);
        }
        if let Some(u) = u {
            begin.u = u.to_vec();
        }
        let integrator = scene.integrator()?;
        // The settings are those of the scene, which has made a simulation of them.
        if let Ok(made) = Simulation::new(scene.system.clone(), integrator, begin, scene.settings())
        {
            simulation = made;
        }
    }
    simulation.stop_when(must_end.clone());
    let mut rows = Rows { trajectory: Trajectory::of(&simulation), must_end };
    let summary = simulation.run(&mut rows);
    let column = |name: &String| rows.trajectory.column(name).map(<[f64]>::to_vec);
    Ok(Outcome {
        columns: columns.iter().map(|name| column(name).unwrap_or_default()).collect(),
        end: summary.final_state,
        steps: summary.steps,
        status: summary.status.name(),
        message: summary.status.to_string(),
    })
}

/// A table with a row for each run; rows that are short end in NaN.
fn table<'py>(py: Python<'py>, rows: &[&[f64]]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let width = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let mut all = Vec::with_capacity(width * rows.len());
    for row in rows {
        all.extend_from_slice(row);
        all.resize(all.len() + width - row.len(), f64::NAN);
    }
    all.into_pyarray(py).reshape([rows.len(), width])
}

/// Runs `overrides.len()` scenes on some threads; `q` and `u` are starts in place of those of the scene.
#[pyfunction]
pub fn batch<'py>(
    py: Python<'py>,
    scene: &NativeScene,
    overrides: Vec<Vec<String>>,
    q: Option<Vec<Vec<f64>>>,
    u: Option<Vec<Vec<f64>>>,
    columns: Vec<String>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let count = overrides.len();
    let watch = Watch::new(scene.own.raised.clone());
    let must_end: StopCheck = {
        // Workers do not look at signals: only the thread that waits may.
        let raised = watch.raised.clone();
        Arc::new(move || raised.is_there())
    };
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new((0..count).map(|_| None).collect());
    let wrong: Mutex<Option<Wrong>> = Mutex::new(None);
    let work = || {
        let mut last: Option<(Vec<String>, Result<Scene, SceneError>)> = None;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count || must_end() || locked(&wrong).is_some() {
                return;
            }
            let start = [&q, &u].map(|list| list.as_ref().map(|rows| rows[number].as_slice()));
            // Each thread has a scene of its own: worlds keep what they search for, one thread at a time.
            if last.as_ref().is_none_or(|(values, _)| *values != overrides[number]) {
                let made = read(&scene.file, &scene.own, &overrides[number]);
                last = Some((overrides[number].clone(), made));
            }
            let outcome = match &last {
                Some((_, Ok(own))) => run_one(own, start, &columns, &must_end),
                Some((_, Err(error))) => Err(error.clone()),
                None => return,
            };
            match outcome {
                Ok(outcome) => locked(&outcomes)[number] = Some(outcome),
                Err(error) => {
                    let mut slot = locked(&wrong);
                    // The error of the first run, whichever thread was faster.
                    if slot.as_ref().is_none_or(|(other, _)| number < *other) {
                        *slot = Some((number, error));
                    }
                }
            }
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    py.detach(|| {
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..threads.clamp(1, count.max(1))).map(|_| scope.spawn(work)).collect();
            let mut told = std::time::Instant::now();
            while !workers.iter().all(|worker| worker.is_finished()) {
                std::thread::sleep(Duration::from_millis(1));
                if told.elapsed() < EVERY {
                    continue;
                }
                told = std::time::Instant::now();
                let gone = done.load(Ordering::Relaxed);
                let told = Python::attach(|py| {
                    py.check_signals()?;
                    progress.as_ref().map_or(Ok(()), |f| f.call1(py, (gone, count)).map(|_| ()))
                });
                if let Err(error) = told {
                    watch.raised.keep(error);
                }
            }
        });
    });
    if let Some(raised) = watch.raised.take() {
        return Err(raised);
    }
    if let Some((number, error)) = locked(&wrong).take() {
        let exception = errors::of_scene(py, &error);
        exception
            .value(py)
            .call_method1("add_note", (format!("in run {number} of the batch"),))
            .ok();
        return Err(exception);
    }
    let outcomes: Vec<Outcome> = locked(&outcomes).drain(..).flatten().collect();
    let out = PyDict::new(py);
    let values = PyDict::new(py);
    for (position, name) in columns.iter().enumerate() {
        let rows: Vec<&[f64]> = outcomes.iter().map(|o| o.columns[position].as_slice()).collect();
        values.set_item(name, table(py, &rows)?)?;
    }
    out.set_item("columns", values)?;
    let ends = |of: fn(&Outcome) -> &[f64]| outcomes.iter().map(of).collect::<Vec<_>>();
    out.set_item("q", table(py, &ends(|o| &o.end.q))?)?;
    out.set_item("u", table(py, &ends(|o| &o.end.u))?)?;
    out.set_item("t", outcomes.iter().map(|o| o.end.t).collect::<Vec<_>>().into_pyarray(py))?;
    out.set_item("steps", outcomes.iter().map(|o| o.steps).collect::<Vec<_>>().into_pyarray(py))?;
    out.set_item("status", outcomes.iter().map(|o| o.status).collect::<Vec<_>>())?;
    out.set_item("message", outcomes.iter().map(|o| o.message.as_str()).collect::<Vec<_>>())?;
    Ok(out)
}
