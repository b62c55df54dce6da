//! The points of studies, with Ctrl-C and progress.

use crate::errors::of_study;
use crate::watch::Watch;
use pyo3::prelude::*;
use stickslip::stop::StopCheck;
use stickslip::study::{StudyError, SweepProgress};

/// Tells a function of Python how far a study is, and looks at signals, which only this thread may.
/// It is told of points that are over, that failed, and of all.
pub fn tell(watch: &Watch, progress: Option<&Py<PyAny>>, at: (usize, usize, usize)) {
    let told = Python::attach(|py| {
        py.check_signals()?;
        progress.map_or(Ok(()), |f| f.call1(py, at).map(|_| ()))
    });
    if let Err(error) = told {
        watch.raised.keep(error);
    }
}

/// The rows of some points, unless something was raised.
pub fn rows(
    py: Python<'_>,
    points: Vec<usize>,
    row: impl Fn(usize, &StopCheck) -> Option<String> + Sync,
) -> PyResult<Vec<(usize, String)>> {
    let watch = Watch::new(Default::default());
    let stop = watch.check();
    let numbered = |point: usize| Some((point, row(point, &stop)?));
    let rows = py.detach(|| points.into_iter().map_while(numbered).collect());
    watch.raised.take().map_or(Ok(rows), Err)
}

/// Does what is left of a study, and tells how many points are over and failed.
pub fn run_left(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    run: impl FnOnce(&StopCheck, &mut dyn FnMut(&SweepProgress)) -> Result<(), StudyError> + Send,
) -> PyResult<()> {
    let watch = Watch::new(Default::default());
    let stop = watch.check();
    let mut told = |at: &SweepProgress| {
        tell(&watch, progress.as_ref(), (at.over, at.failed, at.points));
    };
    let outcome = py.detach(|| run(&stop, &mut told));
    match watch.raised.take() {
        Some(raised) => Err(raised),
        None => outcome.map_err(|error| of_study(py, error)),
    }
}
