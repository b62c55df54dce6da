//! Motions that have settled: bifurcation diagrams and basins.

use crate::errors::of_study;
use crate::points::{rows, run_left, tell};
use crate::run::locked;
use crate::scene::NativeScene;
use crate::watch::Watch;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Mutex;
use stickslip::study::{
    BasinRecords, Basins, Bifurcation, Design, Follow, Plan, Section, StudyError, Vary,
};

/// What is asked of motions at a section: passages that are discarded and kept, and the tolerance.
pub type Passages = (usize, usize, f64);

fn check(passages: Passages, least: usize) -> Result<(), StudyError> {
    let (_, keep, tolerance) = passages;
    if keep < least {
        return Err(StudyError::Wrong(format!("keep is {keep}, it must be at least {least}")));
    }
    if !(tolerance > 0.0 && tolerance < 1.0) {
        let message = format!("tolerance is {tolerance}, it must be between 0 and 1");
        return Err(StudyError::Wrong(message));
    }
    Ok(())
}

/// A diagram: unit of what is varied, names and units of what is shown, and for each value a dict.
type Drawn<'py> = (String, Vec<(String, String)>, Vec<Bound<'py, PyDict>>);

/// A bifurcation diagram.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn bifurcation<'py>(
    py: Python<'py>,
    scene: &NativeScene,
    overrides: Vec<String>,
    vary: String,
    section: String,
    show: Vec<String>,
    passages: Passages,
    follow: Option<String>,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Drawn<'py>> {
    let file = scene.file.clone();
    let watch = Watch::new(Default::default());
    let stop = watch.check();
    let made = || {
        check(passages, 1)?;
        let (vary, section) = (Vary::parse(&vary)?, Section::parse(&section)?);
        let mut diagram = Bifurcation::new(file, &overrides, vary, section, &show)?;
        (diagram.discard, diagram.keep, diagram.tolerance) = passages;
        diagram.follow = match follow.as_deref() {
            None => Follow::No,
            Some("up") => Follow::Up,
            Some("down") => Follow::Down,
            Some("both") => Follow::Both,
            Some(other) => {
                let message =
                    format!("follow is {other:?}, it must be \"up\", \"down\" or \"both\"");
                return Err(StudyError::Wrong(message));
            }
        };
        Ok(diagram)
    };
    let diagram = made().map_err(|error| of_study(py, error))?;
    let (mut over, mut failed) = (0, 0);
    let found = py.detach(|| {
        diagram.run(jobs, &stop, &mut |settled| {
            over += 1;
            failed += usize::from(settled.status != "done");
            tell(&watch, progress.as_ref(), (over, failed, diagram.count()));
        })
    });
    if let Some(raised) = watch.raised.take() {
        return Err(raised);
    }
    let found = found.map_err(|error| of_study(py, error))?;
    let of = |settled: stickslip::study::Settled| {
        let out = PyDict::new(py);
        out.set_item("value", settled.value)?;
        out.set_item("going", settled.going.name())?;
        out.set_item("period", settled.period.unwrap_or(0))?;
        out.set_item("points", settled.points)?;
        out.set_item("status", settled.status)?;
        out.set_item("message", settled.message)?;
        Ok(out)
    };
    let list = found.into_iter().map(of).collect::<PyResult<_>>()?;
    Ok((diagram.vary().unit.clone(), diagram.shown().to_vec(), list))
}

/// Basins; they do not change.
#[pyclass(frozen, module = "stickslip._native", name = "Basins")]
pub struct NativeBasins {
    basins: Basins,
}

/// What is known of their points, in a folder.
#[pyclass(frozen, module = "stickslip._native", name = "BasinRecords")]
pub struct NativeBasinRecords {
    records: Mutex<BasinRecords>,
}

#[pymethods]
impl NativeBasins {
    /// Basins of the file of a scene.
    #[new]
    fn new(
        py: Python<'_>,
        scene: &NativeScene,
        overrides: Vec<String>,
        varies: Vec<String>,
        sample: Option<String>,
        section: String,
        passages: Passages,
    ) -> PyResult<Self> {
        let file = scene.file.clone();
        let made = || {
            check(passages, 2)?;
            let varies = varies.iter().map(|text| Vary::parse(text)).collect::<Result<_, _>>()?;
            let design = sample.as_deref().map_or(Ok(Design::Grid), Design::parse)?;
            let mut basins = Basins::new(file, &overrides, Plan::new(varies, design)?, &section)?;
            (basins.discard, basins.keep, basins.tolerance) = passages;
            Ok(basins)
        };
        made().map(|basins| Self { basins }).map_err(|error| of_study(py, error))
    }

    /// Number of points.
    #[getter]
    fn count(&self) -> usize {
        self.basins.plan().count()
    }

    /// How many values each key has; nothing of a sample.
    #[getter]
    fn shape(&self) -> Option<Vec<usize>> {
        let plan = self.basins.plan();
        let is_grid = plan.design() == Design::Grid;
        let count = |vary: &Vary| vary.count().unwrap_or(1);
        is_grid.then(|| plan.varies().iter().map(count).collect())
    }

    /// Keys with their units.
    #[getter]
    fn units(&self) -> Vec<(String, String)> {
        self.basins.plan().varies().iter().map(|v| (v.key.clone(), v.unit.clone())).collect()
    }

    /// The folder for what is known: a new one, or that of the same study.
    fn open(&self, py: Python<'_>, folder: PathBuf) -> PyResult<NativeBasinRecords> {
        let records = self.basins.open(&folder).map_err(|error| of_study(py, error))?;
        Ok(NativeBasinRecords { records: Mutex::new(records) })
    }

    /// What is noted of some points.
    fn rows(&self, py: Python<'_>, points: Vec<usize>) -> PyResult<Vec<(usize, String)>> {
        rows(py, points, |point, stop| self.basins.row(point, stop))
    }

    /// Lets all points settle that are left, and tells how many are over and failed.
    fn run(
        &self,
        py: Python<'_>,
        records: &NativeBasinRecords,
        jobs: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        run_left(py, progress, |stop, told| {
            self.basins.run_left(&mut locked(&records.records), jobs, stop, told)
        })
    }

    /// Writes the tables; the attractors, each as a dict.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        records: &NativeBasinRecords,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let found = py.detach(|| self.basins.finish(&locked(&records.records)));
        let found = found.map_err(|error| of_study(py, error))?;
        let of = |a: stickslip::study::Attractor| {
            let out = PyDict::new(py);
            out.set_item("kind", a.kind)?;
            out.set_item("period", a.period)?;
            out.set_item("count", a.count)?;
            out.set_item("fraction", a.fraction)?;
            out.set_item("interval", a.interval)?;
            Ok(out)
        };
        found.into_iter().map(of).collect()
    }
}

#[pymethods]
impl NativeBasinRecords {
    /// The points that are not known, as begins and ends of ranges.
    fn todo(&self) -> Vec<(usize, usize)> {
        locked(&self.records).todo().into_iter().map(|range| (range.start, range.end)).collect()
    }

    /// Notes rows as they come.
    fn push(&self, py: Python<'_>, rows: Vec<(usize, String)>) -> PyResult<()> {
        let mut records = locked(&self.records);
        rows.iter()
            .try_for_each(|(point, row)| records.push(*point, row))
            .map_err(|error| of_study(py, error))
    }
}
