//! Derivatives of measures, and fits of data.

use crate::errors::of_study;
use crate::scene::NativeScene;
use crate::watch::Watch;
use pyo3::prelude::*;
use stickslip::study::{self, FitData, FitQuestion, GradientQuestion};

/// A measure: name, unit, value, derivatives.
type Measured = (String, String, f64, Vec<f64>);

/// The derivatives of measures of a run by keys of its scene, and how many instants have none.
#[pyfunction]
pub fn gradient(
    py: Python<'_>,
    scene: &NativeScene,
    overrides: Vec<String>,
    measures: Vec<String>,
    keys: Vec<String>,
) -> PyResult<(Vec<Measured>, usize)> {
    let file = scene.file.clone();
    let watch = Watch::new(Default::default());
    let stop = watch.check();
    let question = GradientQuestion { overrides, measures, keys };
    let found = py.detach(|| study::gradient(&file, &question, &stop));
    if let Some(raised) = watch.raised.take() {
        return Err(raised);
    }
    let found = found.map_err(|error| of_study(py, error))?;
    let list = found.list.into_iter().map(|g| (g.name, g.unit, g.value, g.derivatives));
    Ok((list.collect(), found.blind))
}

/// A free key: name, value, standard error, start.
type Free = (String, f64, f64, f64);
/// A column: name, unit, noise, values of the model.
type Column = (String, String, f64, Vec<f64>);
/// Keys, correlations, columns, chi squared, degrees of freedom, runs, whether it converged.
type Found = (Vec<Free>, Vec<Vec<f64>>, Vec<Column>, f64, usize, usize, bool);

/// The values of keys with which the motion of a scene fits data best.
#[pyfunction]
pub fn fit(
    py: Python<'_>,
    scene: &NativeScene,
    overrides: Vec<String>,
    data: (String, String),
    columns: Vec<String>,
    keys: Vec<String>,
    sigma: Vec<(String, f64)>,
) -> PyResult<Found> {
    let file = scene.file.clone();
    let watch = Watch::new(Default::default());
    let stop = watch.check();
    let question = FitQuestion { overrides, keys, sigma };
    let found = py.detach(|| {
        let data = FitData::read(&data.0, &data.1, &columns)?;
        study::fit(&file, &data, &question, &stop)
    });
    if let Some(raised) = watch.raised.take() {
        return Err(raised);
    }
    let found = found.map_err(|error| of_study(py, error))?;
    let keys = found.keys.into_iter();
    let keys = keys.map(|f| (f.key.key.clone(), f.key.value, f.standard_error, f.start));
    let columns = found.columns.into_iter().map(|c| (c.name, c.unit, c.sigma, c.model));
    Ok((
        keys.collect(),
        found.correlation,
        columns.collect(),
        found.chi_squared,
        found.degrees_of_freedom,
        found.runs,
        found.converged,
    ))
}
