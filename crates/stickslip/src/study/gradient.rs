//! Derivatives of measures of a run by keys of its scene.

use super::keys::NumberKey;
use super::measure::Measure;
use super::quantity::Vocabulary;
use super::sensitivity::{Sensitivity, derivative};
use super::{StudyError, with_all_columns};
use crate::digits::digits;
use crate::integrate::Tangent;
use crate::scene::SceneFile;
use crate::stop::StopCheck;
use crate::system::State;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct GradientQuestion {
    /// `KEY=VALUE` of the scene.
    pub overrides: Vec<String>,
    /// `EXPR` or `NAME=EXPR` of `max`, `min`, `mean`, `last` and `at` of columns that are known from the state.
    pub measures: Vec<String>,
    /// The keys; each has a number as its value.
    pub keys: Vec<String>,
}

/// A measure with its derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// What it is called: its name, or the expression as it was written.
    pub name: String,
    /// Its SI unit; empty for a number.
    pub unit: String,
    /// Its value in SI units.
    pub value: f64,
    /// Its derivatives by the keys, in SI units.
    pub derivatives: Vec<f64>,
}

/// The derivatives of all measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradients {
    /// The keys with the values at which derivatives are taken.
    pub keys: Vec<NumberKey>,
    /// The measures.
    pub list: Vec<Gradient>,
    /// The integrator of the run.
    pub integrator: String,
    /// Steps of the run.
    pub steps: u64,
    /// Instants at which the motion has no two-sided derivative: other contacts take part on one side, or (by events) a
    /// short step had no mode.
    pub blind: usize,
}

/// The derivatives of measures of the run of a scene.
///
/// Event-driven runs have those of the exact motion, time steppers those of the steps that they compute, with what
/// presses, sticks and slips in each step held.
///
/// ```
/// use stickslip::scene::SceneFile;
/// use stickslip::study::{GradientQuestion, gradient, never};
///
/// let file = SceneFile::open("block-on-incline")?;
/// let keys = vec!["default_contact.friction".to_owned()];
/// let measures = vec!["last(block.x)".to_owned()];
/// let overrides = vec!["simulation.duration=0.1".to_owned()];
/// let found = gradient(&file, &GradientQuestion { overrides, measures, keys }, &never())?;
/// assert_eq!(found.list[0].derivatives.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gradient(
    file: &SceneFile,
    question: &GradientQuestion,
    stop: &StopCheck,
) -> Result<Gradients, StudyError> {
    let GradientQuestion { overrides, measures, keys } = question;
    if measures.is_empty() || keys.is_empty() {
        let message = "nothing is asked for; give --measure and --wrt, for example --measure \"last(energy)\" --wrt \
                       parameters.mu";
        return Err(StudyError::wrong(message));
    }
    let base = Vocabulary::of(&with_all_columns(file, overrides)?);
    let mut columns: Vec<String> = Vec::new();
    for text in measures {
        let measure = Measure::parse(text, &base)?;
        measure.check_smooth().map_err(|reason| {
            StudyError::wrong(format!("--measure {}: it has no derivative: {reason}", text.trim()))
        })?;
        columns.extend(measure.columns().map(str::to_owned));
    }
    columns.sort();
    columns.dedup();
    let runs = Sensitivity::read(file, overrides, &columns, "--wrt", keys)?;
    let own = Vocabulary::of(&runs.scene);
    let parsed = measures.iter().map(|text| Measure::parse(text, &own));
    let parsed = parsed.collect::<Result<Vec<Measure>, StudyError>>()?;
    // The values of every part of every measure, row by row, with their derivatives.
    let mut watched = Vec::new();
    for (number, measure) in parsed.iter().enumerate() {
        for (part, text) in measure.quantities().enumerate() {
            let place = format!("--measure {}", measures[number].trim());
            let watch = runs.watch(&place, text).map_err(|error| match error {
                StudyError::Wrong(reason) => {
                    StudyError::wrong(format!("{reason}, and has no derivative here"))
                }
                other => other,
            })?;
            watched.push((number, part, watch, Vec::new(), Vec::new()));
        }
    }
    let (mut times, mut lost) = (Vec::new(), Vec::new());
    let mut end = (State::default(), Vec::new());
    let course = runs.run(stop, &mut |state, changes| {
        times.push(state.t);
        lost.push(runs.lost(state, changes));
        for (number, part, watch, values, slopes) in &mut watched {
            if parsed[*number].is_last(*part) {
                values.push(watch.value(state));
                continue;
            }
            let (value, by_key) = watch.at(state, changes);
            values.push(value);
            slopes.push(by_key);
        }
        end.0.clone_from(state);
        end.1.resize_with(changes.len(), Tangent::default);
        let tangents = end.1.iter_mut().zip(changes);
        tangents.for_each(|(own, change)| own.clone_from(&change.tangent));
    })?;
    // Of what counts in the last row alone no other has a derivative.
    for (number, part, watch, values, slopes) in &mut watched {
        if parsed[*number].is_last(*part) {
            slopes.resize(values.len(), Vec::new());
            if let Some(slopes) = slopes.last_mut() {
                *slopes = watch.slopes(&end.0, end.1.iter());
            }
        }
    }
    let mut list = Vec::new();
    for (number, measure) in parsed.iter().enumerate() {
        let (mut parts, mut by_key) = (Vec::new(), vec![Vec::new(); keys.len()]);
        for (_, part, _, values, slopes) in watched.iter().filter(|entry| entry.0 == number) {
            let weights = measure.weights(*part, &times, values).map_err(|reason| {
                StudyError::NotFound(format!("--measure {}: {reason}", measure.name))
            })?;
            for (row, _) in &weights {
                refuse_lost(&runs, &lost[*row], times[*row])?;
            }
            let sum = |of: &dyn Fn(usize) -> f64| -> f64 {
                weights.iter().map(|(row, weight)| weight * of(*row)).sum()
            };
            parts.push(sum(&|row| values[row]));
            for (key, by_key) in by_key.iter_mut().enumerate() {
                by_key.push(sum(&|row| slopes[row][key]));
            }
        }
        let mut derivatives = Vec::new();
        for (key, slopes) in by_key.iter().enumerate() {
            // The expression, which may be one of the key too, along the change of its parts.
            let near = runs.near(key, &|words| Measure::parse(&measures[number], words))?;
            let moved = near.iter().map(|(step, [up, down])| {
                let at = |measure: &Measure, by: f64| {
                    let parts = parts.iter().zip(slopes).map(|(part, slope)| part + by * slope);
                    measure.of_parts(&parts.collect::<Vec<f64>>())
                };
                (*step, [at(up, *step), at(down, -step)])
            });
            let moved: Vec<(f64, [f64; 2])> = moved.collect();
            derivatives.push(match (measure.is_one_part(), &slopes[..]) {
                (true, [slope]) => *slope,
                _ => derivative(&moved, |value| *value),
            });
        }
        list.push(Gradient {
            name: measure.name.clone(),
            unit: measure.unit().to_owned(),
            value: measure.of_parts(&parts),
            derivatives,
        });
    }
    Ok(Gradients {
        keys: runs.keys.clone(),
        list,
        integrator: runs.scene.simulation.integrator.name(),
        steps: course.steps,
        blind: course.blind,
    })
}

/// Refuses derivatives that no change of a key could show.
fn refuse_lost(runs: &Sensitivity, lost: &[f64], t: f64) -> Result<(), StudyError> {
    let Some(place) = lost.iter().position(|lost| !(*lost <= 1.0)) else { return Ok(()) };
    let name = runs.scene.simulation.integrator.name();
    let cause = match runs.is_event_driven() {
        true => {
            "the motion is chaotic, or passes an instant at which the least change makes it another one"
        }
        false => {
            "contacts change their state from step to step, or the motion is chaotic; another integrator may \
                  have one (--set simulation.integrator=event-driven, rattle or moreau)"
        }
    };
    Err(StudyError::NotFound(format!(
        "--wrt {}: the derivative by {name} is lost at {} s: it has grown until the least change of the key would move \
         the state by {:.1e} times its size; {cause}",
        runs.keys[place].key,
        digits(t, 4),
        lost[place]
    )))
}
