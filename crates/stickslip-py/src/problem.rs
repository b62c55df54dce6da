//! Contact problems alone.

use crate::errors;
use crate::watch::Watch;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stickslip::problem::InclusionProblem;
use stickslip::solve::{Limits, SOLVER_NAMES, Status, by_name};
use stickslip::stop;

/// Solves a problem given as the JSON of a problem file.
#[pyfunction]
pub fn solve<'py>(
    py: Python<'py>,
    text: &str,
    solver: &str,
    tolerance: f64,
    max_iterations: Option<usize>,
    max_seconds: Option<f64>,
    start: Option<Vec<f64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let plain = |e: String| errors::plain(py, e);
    let named = InclusionProblem::from_json(text).map_err(|e| plain(e.to_string()))?;
    let problem = named.problem;
    let max_time = max_seconds
        .map(Duration::try_from_secs_f64)
        .transpose()
        .map_err(|e| plain(format!("max_seconds: {e}")))?;
    let usual = Limits::default();
    let max_iterations = max_iterations.unwrap_or(usual.max_iterations);
    let limits = Limits { tolerance, max_iterations, max_time };
    let made = by_name(solver, limits).map_err(|e| plain(e.to_string()))?;
    let mut solver = made.ok_or_else(|| {
        plain(format!("there is no solver {solver:?}; known are {}", SOLVER_NAMES.join(", ")))
    })?;
    let mut percussions = start.unwrap_or_else(|| vec![0.0; problem.dim()]);
    let watch = Watch::new(Arc::default());
    let begin = Instant::now();
    let report = py.detach(|| {
        stop::watching(Some(&watch.check()), || solver.solve(&problem, &mut percussions))
    });
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(raised) = watch.raised.take() {
        return Err(raised);
    }
    let report = report.map_err(|e| plain(e.to_string()))?;
    let mut velocities = vec![0.0; problem.dim()];
    // The problem judges, whatever the solver says of itself.
    let residual = problem.residual_into(&percussions, &mut velocities);
    let is_solved = residual.value <= tolerance;
    let status =
        if is_solved || report.status != Status::Solved { report.status } else { Status::Stalled };
    let out = PyDict::new(py);
    out.set_item("name", named.name)?;
    out.set_item("status", status.name())?;
    out.set_item("iterations", report.iterations)?;
    out.set_item("residual", residual.value)?;
    out.set_item("penetration", residual.penetration)?;
    out.set_item("seconds", seconds)?;
    out.set_item("percussions", percussions.into_pyarray(py))?;
    out.set_item("relative_velocities", velocities.into_pyarray(py))?;
    Ok(out)
}
