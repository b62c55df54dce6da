//! Sweeps: points that are run here or elsewhere, and their table.

use crate::errors::of_study as raised;
use crate::points::{rows, run_left};
use crate::run::locked;
use crate::scene::NativeScene;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;
use stickslip::scene::SceneFile;
use stickslip::study::{Design, Plan, Records, Sweep, Vary};

/// A sweep; it does not change.
#[pyclass(frozen, module = "stickslip._native", name = "Sweep")]
pub struct NativeSweep {
    sweep: Sweep,
}

/// The rows of a sweep in its folder.
#[pyclass(frozen, module = "stickslip._native", name = "Records")]
pub struct NativeRecords {
    records: Mutex<Records>,
}

#[pymethods]
impl NativeSweep {
    /// A sweep of the file of a scene.
    #[new]
    fn new(
        py: Python<'_>,
        scene: &NativeScene,
        overrides: Vec<String>,
        varies: Vec<String>,
        sample: Option<String>,
        measures: Vec<String>,
    ) -> PyResult<Self> {
        let file: SceneFile = scene.file.clone();
        let made = || {
            let varies = varies.iter().map(|text| Vary::parse(text)).collect::<Result<_, _>>()?;
            let design = sample.as_deref().map_or(Ok(Design::Grid), Design::parse)?;
            Sweep::new(file, &overrides, Plan::new(varies, design)?, &measures)
        };
        made().map(|sweep| Self { sweep }).map_err(|error| raised(py, error))
    }

    /// Number of points.
    #[getter]
    fn count(&self) -> usize {
        self.sweep.plan().count()
    }

    /// Keys and measures with their units.
    #[getter]
    fn units(&self) -> Vec<(String, String)> {
        let keys = self.sweep.plan().varies().iter().map(|v| (v.key.clone(), v.unit.clone()));
        keys.chain(self.sweep.measures().iter().cloned()).collect()
    }

    /// The arguments of `--set` of a point.
    fn arguments(&self, point: usize) -> Vec<String> {
        self.sweep.arguments(point)
    }

    /// The folder for the rows: a new one, or that of the same study.
    fn open(&self, py: Python<'_>, folder: PathBuf) -> PyResult<NativeRecords> {
        let records = self.sweep.open(&folder).map_err(|error| raised(py, error))?;
        Ok(NativeRecords { records: Mutex::new(records) })
    }

    /// The rows of some points.
    fn rows(&self, py: Python<'_>, points: Vec<usize>) -> PyResult<Vec<(usize, String)>> {
        rows(py, points, |point, stop| Some(self.sweep.row(point, &self.sweep.point(point, stop)?)))
    }

    /// Runs all points that are left on some threads, and tells how many are over and failed.
    fn run(
        &self,
        py: Python<'_>,
        records: &NativeRecords,
        jobs: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        run_left(py, progress, |stop, told| {
            self.sweep.run_left(&mut locked(&records.records), jobs, stop, told)
        })
    }
}

#[pymethods]
impl NativeRecords {
    /// The points that are not done, as begins and ends of ranges.
    fn todo(&self) -> Vec<(usize, usize)> {
        let todo = crate::run::locked(&self.records).todo();
        todo.into_iter().map(|range| (range.start, range.end)).collect()
    }

    /// Notes rows as they come.
    fn push(&self, py: Python<'_>, rows: Vec<(usize, String)>) -> PyResult<()> {
        let mut records = crate::run::locked(&self.records);
        rows.iter()
            .try_for_each(|(point, row)| records.push(*point, row))
            .map_err(|error| raised(py, error))
    }

    /// Writes the table; points that are over and failed.
    fn finish(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        let done = crate::run::locked(&self.records).finish().map_err(|error| raised(py, error))?;
        Ok((done.over, done.failed))
    }
}
