//! Values of a scene by which its motion fits measured data.

use super::fit_data::FitData;
use super::keys::NumberKey;
use super::least_squares::{Minimum, Residuals, minimise};
use super::measure::between;
use super::quantity::Vocabulary;
use super::sensitivity::Sensitivity;
use super::{StudyError, with_all_columns, with_columns};
use crate::scene::{IntegratorName, SceneFile};
use crate::stop::StopCheck;

/// Standard error over the value from which nothing is known of it.
const UNKNOWN: f64 = 1e6;
/// How often the noise of the columns is estimated anew.
const ROUNDS: usize = 3;
/// Noise, relative to the size of a column, that is no less: rounding.
const LEAST_NOISE: f64 = 1e-12;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct FitQuestion {
    /// `KEY=VALUE` of the scene; those of free keys are where the search begins.
    pub overrides: Vec<String>,
    /// The keys whose values are looked for.
    pub keys: Vec<String>,
    /// Standard deviations of the noise of columns, in the units of the table; those of others are estimated.
    pub sigma: Vec<(String, f64)>,
}

/// A value that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The key, with the value that was found, in SI units.
    pub key: NumberKey,
    /// The value at which the search began.
    pub start: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// A column of data.
#[derive(Clone, Debug, PartialEq)]
pub struct FitColumn {
    /// Its name.
    pub name: String,
    /// The unit of its values, as in the table of a run.
    pub unit: String,
    /// Standard deviation of its noise, given or estimated.
    pub sigma: f64,
    /// Whether it was given.
    pub is_given: bool,
    /// How many values it has.
    pub count: usize,
    /// Values of the model at the times of the data.
    pub model: Vec<f64>,
}

/// The values that fit best.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The free keys.
    pub keys: Vec<Fitted>,
    /// Correlations of their errors.
    pub correlation: Vec<Vec<f64>>,
    /// The columns.
    pub columns: Vec<FitColumn>,
    /// Σ (model − data)²/sigma².
    pub chi_squared: f64,
    /// Values less free keys.
    pub degrees_of_freedom: usize,
    /// Runs that were made, each with all derivatives.
    pub runs: usize,
    /// Whether the search ended because nothing changed any more.
    pub converged: bool,
    /// Instants of the last run without a two-sided derivative.
    pub blind: usize,
    /// The integrator of the runs.
    pub integrator: String,
}

/// A model with data.
struct Problem<'a> {
    file: &'a SceneFile,
    overrides: Vec<String>,
    columns: Vec<String>,
    data: &'a FitData,
    /// From the units of the table to SI, by column.
    factors: Vec<f64>,
    keys: Vec<NumberKey>,
    names: Vec<String>,
    stop: &'a StopCheck,
}

/// Values of the model at the times of the data, by column, and their derivatives.
struct Model {
    values: Vec<Vec<f64>>,
    slopes: Vec<Vec<Vec<f64>>>,
    blind: usize,
}

/// Finds the values of keys of a scene with which its motion fits data best.
pub fn fit(
    file: &SceneFile,
    data: &FitData,
    question: &FitQuestion,
    stop: &StopCheck,
) -> Result<Fit, StudyError> {
    if question.keys.is_empty() {
        return Err(StudyError::wrong(
            "nothing is free; give --free KEY, for example parameters.mu",
        ));
    }
    let problem = Problem::new(file, data, question, stop)?;
    let n = problem.keys.len();
    let counts: Vec<usize> =
        data.columns.iter().map(|c| c.iter().filter(|v| !v.is_nan()).count()).collect();
    let total: usize = counts.iter().sum();
    if total <= n {
        return Err(StudyError::wrong(format!(
            "{total} values are too few for {n} free keys: there must be more of them"
        )));
    }
    let start: Vec<f64> = problem.keys.iter().map(|key| key.value).collect();
    let first = problem.model(&start)?;
    let given: Vec<Option<f64>> = data
        .names
        .iter()
        .map(|name| question.sigma.iter().find(|(own, _)| own == name).map(|(_, sigma)| *sigma))
        .collect();
    let sizes: Vec<f64> = data.columns.iter().map(|column| spread(column)).collect();
    let mut sigma: Vec<f64> =
        given.iter().zip(&sizes).map(|(given, size)| given.unwrap_or(*size)).collect();
    let (mut p, mut runs, mut converged) = (start.clone(), 1, false);
    let mut at = problem.residuals(&first, &sigma);
    for _ in 0..ROUNDS {
        let Minimum { p: found, at: end, runs: more, is_settled } =
            minimise(p.clone(), at, &mut |trial| match problem.model(trial) {
                Ok(found) => Ok(Some(problem.residuals(&found, &sigma))),
                Err(_) if stop() => Err(StudyError::NotFound("stopped".into())),
                // Values that the scene refuses, or with which it does not run.
                Err(_) => Ok(None),
            })?;
        runs += more - 1;
        (p, at, converged) = (found, end, is_settled);
        // What is left of each column tells its noise; those with less of it count for more then.
        let mut offset = 0;
        let mut next = sigma.clone();
        for (k, count) in counts.iter().enumerate() {
            let squares: f64 =
                at.r[offset..offset + count].iter().map(|r| (r * sigma[k]).powi(2)).sum();
            offset += count;
            if given[k].is_none() && *count > 0 {
                let own = *count as f64 * (1.0 - n as f64 / total as f64);
                next[k] = (squares / own).sqrt().max(LEAST_NOISE * sizes[k]);
            }
        }
        let ratio: Vec<f64> = sigma.iter().zip(&next).map(|(old, new)| old / new).collect();
        let largest = ratio.iter().copied().fold(0.0, f64::max);
        let least = ratio.iter().copied().fold(f64::INFINITY, f64::min);
        at.rescale(&counts, &ratio);
        sigma = next;
        // Only the ratios of several columns move the minimum.
        if largest <= 1.01 * least {
            break;
        }
    }
    // The model at the end, not at the last trial.
    let model = problem.model(&p)?;
    runs += 1;
    let at = problem.residuals(&model, &sigma);
    let independent = |key: usize| {
        format!("--free {}: the data do not depend on it near {}", problem.names[key], p[key])
    };
    let covariance = at.covariance(n).map_err(|key| {
        StudyError::NotFound(match key {
            Some(key) => independent(key),
            None => format!(
                "the data do not tell {} apart: fewer of them may be free",
                problem.names.join(" and ")
            ),
        })
    })?;
    let error = |k: usize| covariance[k][k].sqrt();
    // Where a million times the value hardly moves the model, what is left of the derivative is rounding.
    let vague = |k: &usize| !(error(*k) < UNKNOWN * p[*k].abs().max(start[*k].abs()).max(1e-300));
    if let Some(key) = (0..n).find(vague) {
        return Err(StudyError::NotFound(independent(key)));
    }
    let correlation = (0..n)
        .map(|a| (0..n).map(|b| covariance[a][b] / (error(a) * error(b))).collect())
        .collect();
    let mut keys = Vec::new();
    for (k, key) in problem.keys.iter().enumerate() {
        let mut key = key.clone();
        key.value = p[k];
        keys.push(Fitted { key, start: start[k], standard_error: error(k) });
    }
    let columns = problem.described(&model, &sigma, &given, &counts)?;
    Ok(Fit {
        keys,
        correlation,
        columns,
        chi_squared: at.squares(),
        degrees_of_freedom: total - n,
        runs,
        converged,
        blind: model.blind,
        integrator: problem.integrator()?,
    })
}

/// Root mean square of the deviations from the mean; 1 if there are none.
fn spread(column: &[f64]) -> f64 {
    let values: Vec<f64> = column.iter().copied().filter(|v| !v.is_nan()).collect();
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let root = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt();
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    [root, largest, 1.0].into_iter().find(|size| *size > 0.0).unwrap_or(1.0)
}

impl Residuals {
    /// Takes other expected sizes: `ratio` is the old one over the new one, by column.
    fn rescale(&mut self, counts: &[usize], ratio: &[f64]) {
        let factors =
            counts.iter().zip(ratio).flat_map(|(count, r)| std::iter::repeat_n(*r, *count));
        for ((r, row), factor) in self.r.iter_mut().zip(&mut self.j).zip(factors) {
            *r *= factor;
            row.iter_mut().for_each(|v| *v *= factor);
        }
    }
}

impl<'a> Problem<'a> {
    fn new(
        file: &'a SceneFile,
        data: &'a FitData,
        question: &FitQuestion,
        stop: &'a StopCheck,
    ) -> Result<Self, StudyError> {
        let FitQuestion { overrides, keys, sigma } = question;
        for (name, value) in sigma {
            if !data.names.contains(name) {
                let names = data.names.join(", ");
                let reason =
                    format!("--sigma {name}: the data have no such column; there are {names}");
                return Err(StudyError::wrong(reason));
            }
            if !(value.is_finite() && *value > 0.0) {
                let reason = format!("--sigma {name}: {value} must be finite and above 0");
                return Err(StudyError::wrong(reason));
            }
        }
        let all = with_all_columns(file, overrides)?;
        let vocabulary = Vocabulary::of(&all);
        let mut factors = Vec::new();
        for name in &data.names {
            // What is wrong with a name is told now, and not by the first run.
            let quantity = vocabulary.of_state(&format!("column {name} of the data"), name)?;
            factors.push(quantity.quantity().factor_of(name));
        }
        let mut overrides = overrides.clone();
        // Rows at the times of the data, or at every step between which values are interpolated.
        if let Some(last) = data.t.last() {
            overrides.push(format!("simulation.duration={last:?}"));
        }
        if all.simulation.integrator != IntegratorName::EventDriven {
            overrides.push(format!("simulation.output_step={:?}", all.simulation.step));
        }
        let scene = with_columns(file, &overrides, &data.names)?;
        let found = keys.iter().map(|key| NumberKey::of(&scene, "--free", key));
        let keys = found.collect::<Result<Vec<NumberKey>, StudyError>>()?;
        let names = keys.iter().map(|key| key.key.clone()).collect();
        let columns = data.names.clone();
        Ok(Self { file, overrides, columns, data, factors, keys, names, stop })
    }

    fn integrator(&self) -> Result<String, StudyError> {
        let scene = with_columns(self.file, &self.overrides, &self.columns)?;
        Ok(scene.simulation.integrator.name())
    }

    /// The motion with these values, at the times of the data.
    fn model(&self, p: &[f64]) -> Result<Model, StudyError> {
        let mut overrides = self.overrides.clone();
        overrides.extend(self.keys.iter().zip(p).map(|(key, value)| key.set(*value)));
        let Self { file, columns, names, data, stop, .. } = self;
        let runs = Sensitivity::read(file, &overrides, columns, "--free", names)?;
        let place = |name: &str| format!("column {name} of the data");
        let watched = data.names.iter().map(|name| runs.watch(&place(name), name));
        let mut watched = watched.collect::<Result<Vec<_>, StudyError>>()?;
        let (mut times, mut values) = (Vec::new(), vec![Vec::new(); data.names.len()]);
        let mut slopes: Vec<Vec<Vec<f64>>> = vec![Vec::new(); data.names.len()];
        let factors = &self.factors;
        let slopes_of = &mut slopes;
        let values_of = &mut values;
        let mut row = |state: &crate::system::State, changes: &[crate::integrate::Carried]| {
            times.push(state.t);
            for (k, watch) in watched.iter_mut().enumerate() {
                let (value, by_key) = watch.at(state, changes);
                values_of[k].push(value / factors[k]);
                slopes_of[k].push(by_key.iter().map(|v| v / factors[k]).collect::<Vec<f64>>());
            }
        };
        let course = if runs.is_event_driven() {
            runs.run_to(&data.t, stop, &mut row)?
        } else {
            runs.run(stop, &mut row)?
        };
        if runs.is_event_driven() {
            return Ok(Model { values, slopes, blind: course.blind });
        }
        let mut out = Model {
            values: vec![Vec::new(); data.names.len()],
            slopes: vec![Vec::new(); data.names.len()],
            blind: course.blind,
        };
        for time in &data.t {
            let shares = between(&times, *time).ok_or_else(|| {
                StudyError::NotFound(format!(
                    "the run ended before the data, at {:?} s",
                    times.last()
                ))
            })?;
            for (k, own) in out.values.iter_mut().enumerate() {
                own.push(shares.iter().map(|(row, share)| share * values[k][*row]).sum());
                let slope = |key: usize| -> f64 {
                    shares.iter().map(|(row, share)| share * slopes[k][*row][key]).sum()
                };
                out.slopes[k].push((0..p.len()).map(slope).collect());
            }
        }
        Ok(out)
    }

    /// (model − data)/sigma of all values that were measured, column by column.
    fn residuals(&self, model: &Model, sigma: &[f64]) -> Residuals {
        let (mut r, mut j) = (Vec::new(), Vec::new());
        for (k, column) in self.data.columns.iter().enumerate() {
            for (row, measured) in column.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
                r.push((model.values[k][row] - measured) / sigma[k]);
                j.push(model.slopes[k][row].iter().map(|v| v / sigma[k]).collect());
            }
        }
        Residuals { r, j }
    }

    fn described(
        &self,
        model: &Model,
        sigma: &[f64],
        given: &[Option<f64>],
        counts: &[usize],
    ) -> Result<Vec<FitColumn>, StudyError> {
        let scene = with_columns(self.file, &self.overrides, &self.columns)?;
        let vocabulary = Vocabulary::of(&scene);
        let names = self.data.names.iter().enumerate();
        Ok(names
            .map(|(k, name)| FitColumn {
                name: name.clone(),
                unit: vocabulary.unit_of(name).to_owned(),
                sigma: sigma[k],
                is_given: given[k].is_some(),
                count: counts[k],
                model: model.values[k].clone(),
            })
            .collect())
    }
}
