//! Measures: numbers that are made of a run.

use super::quantity::{Quantity, Vocabulary};
use super::recurrence::period_of;
use super::section::check_impact_name;
use super::{StudyError, split_calls};
use crate::integrate::Impact;
use crate::scene::world::expression::UnitKind;
use crate::scene::world::units::TIME;
use crate::simulate::{Summary, Trajectory};
use crate::system::Observed;

/// What stands for the parts of a measure within its expression.
const PARTS: &str = "measured";

/// Functions of a column over a run.
const FUNCTIONS: [&str; 7] = ["max", "min", "mean", "last", "at", "count", "period"];

/// Numbers of the summary, with their exponents of m, kg, s and rad.
const SUMMARY: [(&str, [i32; 4]); 9] = [
    ("steps", [0; 4]),
    ("rescued_steps", [0; 4]),
    ("unsolved_steps", [0; 4]),
    ("impacts", [0; 4]),
    ("events", [0; 4]),
    ("worst_residual", [0; 4]),
    ("max_penetration", [1, 0, 0, 0]),
    ("closing_error", [2, 1, -2, 0]),
    ("end", [0, 0, 1, 0]),
];

/// A run that is over, of which measures are made.
pub struct Ended<'a> {
    /// Its rows.
    pub rows: &'a Trajectory,
    /// What there is to say of it.
    pub summary: &'a Summary,
    /// What moved.
    pub system: &'a dyn Observed,
    /// Coordinates and velocities of each row; needed for `period` alone.
    pub states: &'a [Vec<f64>],
}

/// What is taken of a run.
enum Part {
    Max(Quantity),
    Min(Quantity),
    Mean(Quantity),
    Last(Quantity),
    At(Quantity, f64),
    Count(String),
    /// Of a column.
    Period(Quantity),
    /// Of the whole state.
    Recurrence,
}

/// A number that is made of a run.
pub struct Measure {
    /// What the table calls it: its name, or the expression as it was written.
    pub name: String,
    parts: Vec<Part>,
    of: Quantity,
}

impl Measure {
    /// Reads `EXPR` or `NAME=EXPR`.
    pub fn parse(argument: &str, vocabulary: &Vocabulary) -> Result<Self, StudyError> {
        let (name, text) = named(argument);
        let place = format!("--measure {}", argument.trim());
        let mut parts = Vec::new();
        let (text, calls) = split_calls(text, &FUNCTIONS, PARTS);
        let mut others: Vec<(String, UnitKind)> = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            let part = Part::read(&place, call.function, &call.arguments, vocabulary)?;
            others.push((format!("{PARTS}[{number}]"), part.kind()));
            parts.push(part);
        }
        others.extend(SUMMARY.iter().map(|(name, exponents)| {
            let number = UnitKind::Count { turns: false };
            let kind = if exponents == &[0; 4] { number } else { UnitKind::known(*exponents) };
            ((*name).to_owned(), kind)
        }));
        let of = vocabulary.with(&place, &text, &others)?;
        let is_other = |name: &str| name == "t" || others.iter().any(|(own, _)| own == name);
        if let Some(column) = of.inputs().find(|name| !is_other(name)) {
            return Err(StudyError::wrong(format!(
                "{place}: {column} changes in the run; take max({column}), min({column}), mean({column}), \
                 last({column}) or at({column}, time)"
            )));
        }
        if of.is_constant() {
            return Err(StudyError::wrong(format!("{place}: it does not depend on the run")));
        }
        Ok(Self { name, parts, of })
    }

    /// Its SI unit; empty for a number.
    pub fn unit(&self) -> &str {
        match &self.parts[..] {
            [only] if self.of.text == format!("{PARTS}[0]") && !only.is_time() => {
                only.quantity().map_or("", Quantity::unit)
            }
            _ => self.of.unit(),
        }
    }

    /// The columns of which it is made.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(Part::quantity).flat_map(|quantity| quantity.inputs())
    }

    /// Whether it needs the states of all rows.
    pub fn needs_states(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Recurrence))
    }

    /// That impacts of the names in it can be told.
    pub fn check(&self, system: &dyn Observed) -> Result<(), StudyError> {
        self.parts.iter().try_for_each(|part| match part {
            Part::Count(name) => check_impact_name("--measure", system, name),
            _ => Ok(()),
        })
    }

    /// Its value in SI units, or why it has none.
    pub fn value(&self, ended: &Ended) -> Result<f64, String> {
        let parts = self.parts.iter().map(|part| part.value(ended));
        let parts = parts.collect::<Result<Vec<f64>, String>>();
        let parts = parts.map_err(|reason| format!("{}: {reason}", self.name))?;
        let Summary { energy, impacts, dropped_impacts, events, .. } = ended.summary;
        let summary = |name: &str| match name {
            "steps" => ended.summary.steps as f64,
            "rescued_steps" => ended.summary.rescued_steps as f64,
            "unsolved_steps" => ended.summary.unsolved_steps as f64,
            "impacts" => impacts.len() as f64 + *dropped_impacts as f64,
            "events" => events.len() as f64,
            "worst_residual" => ended.summary.worst_residual,
            "max_penetration" => ended.summary.max_penetration,
            "closing_error" => energy.closing_error,
            _ => ended.summary.final_state.t,
        };
        let number = |name: &str| part_of(name, &parts).unwrap_or_else(|| summary(name));
        let inputs = self.of.inputs().map(number);
        let value = self.of.value(&mut inputs.collect::<Vec<f64>>());
        if value.is_nan() { Err(format!("{} is not a number", self.name)) } else { Ok(value) }
    }
}

/// Measures that have derivatives: sums of values of rows, and expressions of them.
impl Measure {
    /// Why it has no derivative, if so.
    pub(super) fn check_smooth(&self) -> Result<(), String> {
        for part in &self.parts {
            match part {
                Part::Count(_) => return Err("count is a whole number".into()),
                Part::Period(_) | Part::Recurrence => {
                    return Err("period is no value of a row; see stickslip orbit".into());
                }
                _ => {}
            }
        }
        let is_part = |name: &str| name == "t" || name.starts_with(PARTS);
        match self.of.inputs().find(|name| !is_part(name)) {
            Some(name) => Err(format!("{name} is no value of a row")),
            None => Ok(()),
        }
    }

    /// The expressions of columns in its parts.
    pub(super) fn quantities(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(Part::quantity).map(|quantity| quantity.text.as_str())
    }

    /// Whether it is one of its parts and nothing else.
    pub(super) fn is_one_part(&self) -> bool {
        self.parts.len() == 1 && self.of.text == format!("{PARTS}[0]")
    }

    /// Whether a part is the value of the last row.
    pub(super) fn is_last(&self, part: usize) -> bool {
        matches!(self.parts.get(part), Some(Part::Last(_)))
    }

    /// The rows of which a part is the weighted sum, given the values in all of them.
    pub(super) fn weights(
        &self,
        part: usize,
        t: &[f64],
        values: &[f64],
    ) -> Result<Vec<(usize, f64)>, String> {
        let rows = 0..values.len();
        let numbers = rows.clone().filter(|row| !values[*row].is_nan());
        let best = |found: Option<usize>, of: &Quantity| {
            let row = found.ok_or_else(|| format!("{} is a number in no row", of.text))?;
            Ok(vec![(row, 1.0)])
        };
        match self.parts.get(part) {
            Some(Part::Max(of)) => {
                best(numbers.max_by(|a, b| values[*a].total_cmp(&values[*b])), of)
            }
            Some(Part::Min(of)) => {
                best(numbers.min_by(|a, b| values[*a].total_cmp(&values[*b])), of)
            }
            Some(Part::Last(of)) => best(rows.last(), of),
            Some(Part::Mean(_)) => {
                let mut weights: Vec<(usize, f64)> = rows.map(|row| (row, 0.0)).collect();
                let length = t.last().zip(t.first()).map_or(0.0, |(last, first)| last - first);
                if length <= 0.0 {
                    return Ok(vec![(0, 1.0)]);
                }
                for (row, pair) in t.windows(2).enumerate() {
                    let share = 0.5 * (pair[1] - pair[0]) / length;
                    weights[row].1 += share;
                    weights[row + 1].1 += share;
                }
                Ok(weights)
            }
            Some(Part::At(_, time)) => between(t, *time).ok_or_else(|| not_in_run(t, *time)),
            _ => Err("it has no derivative".into()),
        }
    }

    /// Its value, given those of its parts.
    pub(super) fn of_parts(&self, parts: &[f64]) -> f64 {
        let inputs = self.of.inputs().map(|name| part_of(name, parts).unwrap_or(0.0));
        self.of.value(&mut inputs.collect::<Vec<f64>>())
    }
}

/// The part that an input of the expression stands for.
fn part_of(name: &str, parts: &[f64]) -> Option<f64> {
    let inside = name.strip_prefix(PARTS)?.strip_prefix('[')?.strip_suffix(']')?;
    parts.get(inside.parse::<usize>().ok()?).copied()
}

/// Name and expression of an argument.
fn named(argument: &str) -> (String, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if let Some((name, text)) = argument.split_once('=') {
        let name = name.trim();
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if starts && name.chars().all(is_part) && !text.starts_with('=') {
            return (name.to_owned(), text.trim());
        }
    }
    (argument.trim().to_owned(), argument.trim())
}

impl Part {
    fn read(
        place: &str,
        function: &str,
        arguments: &[String],
        vocabulary: &Vocabulary,
    ) -> Result<Self, StudyError> {
        let wrong = |reason: String| Err(StudyError::wrong(format!("{place}: {reason}")));
        let quantity = |text: &str| vocabulary.quantity(place, text);
        match (function, arguments) {
            ("max", [of]) => quantity(of).map(Part::Max),
            ("min", [of]) => quantity(of).map(Part::Min),
            ("mean", [of]) => quantity(of).map(Part::Mean),
            ("last", [of]) => quantity(of).map(Part::Last),
            ("period", []) => Ok(Part::Recurrence),
            ("period", [of]) => quantity(of).map(Part::Period),
            ("at", [of, time]) => {
                Ok(Part::At(quantity(of)?, vocabulary.constant(place, time, &TIME)?))
            }
            ("at", _) => wrong("at needs 2 arguments, a column and a time: at(ball.y, 1.0)".into()),
            ("count", [of]) => {
                let name = of.strip_prefix("impact(").and_then(|of| of.strip_suffix(')'));
                match name.map(str::trim).filter(|name| !name.is_empty()) {
                    Some(name) => Ok(Part::Count(name.to_owned())),
                    None => {
                        wrong(format!("count({of}) is not known; it must be count(impact(NAME))"))
                    }
                }
            }
            _ => wrong(format!("{function} needs 1 argument, it has {}", arguments.len())),
        }
    }

    fn quantity(&self) -> Option<&Quantity> {
        match self {
            Part::Max(of) | Part::Min(of) | Part::Mean(of) | Part::Last(of) => Some(of),
            Part::At(of, _) | Part::Period(of) => Some(of),
            Part::Count(_) | Part::Recurrence => None,
        }
    }

    fn is_time(&self) -> bool {
        matches!(self, Part::Period(_) | Part::Recurrence)
    }

    fn kind(&self) -> UnitKind {
        match self {
            Part::Count(_) => UnitKind::Count { turns: false },
            Part::Period(_) | Part::Recurrence => UnitKind::known([0, 0, 1, 0]),
            other => other.quantity().map_or(UnitKind::Plain, Quantity::kind),
        }
    }

    fn value(&self, ended: &Ended) -> Result<f64, String> {
        let t = ended.rows.times();
        match self {
            Part::Max(of) => extreme(&along(of, ended), f64::max, of),
            Part::Min(of) => extreme(&along(of, ended), f64::min, of),
            Part::Mean(of) => Ok(mean(t, &along(of, ended))),
            Part::Last(of) => {
                along(of, ended).last().copied().ok_or_else(|| "the run has no rows".into())
            }
            Part::At(of, time) => {
                let values = along(of, ended);
                let found = between(t, *time).ok_or_else(|| not_in_run(t, *time))?;
                Ok(found.iter().map(|(row, weight)| values[*row] * weight).sum())
            }
            Part::Count(name) => {
                let of = |impact: &&Impact| ended.system.is_impact_of(name, impact.contact);
                Ok(ended.summary.impacts.iter().filter(of).count() as f64)
            }
            Part::Period(of) => {
                let points: Vec<Vec<f64>> = along(of, ended).iter().map(|v| vec![*v]).collect();
                // A value and where it goes: a wave passes each value twice.
                let points = with_rates(t, points);
                period_of(t, &points).ok_or_else(|| format!("{} does not repeat itself", of.text))
            }
            Part::Recurrence => {
                period_of(t, ended.states).ok_or_else(|| "the motion does not repeat itself".into())
            }
        }
    }
}

/// The values in all rows.
fn along(of: &Quantity, ended: &Ended) -> Vec<f64> {
    let columns: Vec<Option<&[f64]>> = of.inputs().map(|name| ended.rows.column(name)).collect();
    let mut inputs = vec![0.0; columns.len()];
    let at = |row: usize| {
        for (input, column) in inputs.iter_mut().zip(&columns) {
            *input = column.and_then(|column| column.get(row)).copied().unwrap_or(f64::NAN);
        }
        of.value(&mut inputs)
    };
    (0..ended.rows.times().len()).map(at).collect()
}

fn extreme(values: &[f64], of: fn(f64, f64) -> f64, text: &Quantity) -> Result<f64, String> {
    let numbers = values.iter().copied().filter(|value| !value.is_nan());
    numbers.reduce(of).ok_or_else(|| format!("{} is a number in no row", text.text))
}

/// Mean over the time, by the trapezoidal rule.
fn mean(t: &[f64], values: &[f64]) -> f64 {
    let (Some(first), Some(last)) = (t.first(), t.last()) else { return f64::NAN };
    if last <= first {
        return values.first().copied().unwrap_or(f64::NAN);
    }
    let pairs = t.windows(2).zip(values.windows(2));
    let sum: f64 = pairs.map(|(t, v)| 0.5 * (t[1] - t[0]) * (v[0] + v[1])).sum();
    sum / (last - first)
}

fn not_in_run(t: &[f64], time: f64) -> String {
    let [first, last] = [t.first(), t.last()].map(|t| t.copied().unwrap_or(0.0));
    format!("{time} s is not in the run, which is from {first} to {last} s")
}

/// The rows around a time, with their shares in the value there; a time that is not in the table has none.
pub(super) fn between(t: &[f64], time: f64) -> Option<Vec<(usize, f64)>> {
    let (first, last) = (*t.first()?, *t.last()?);
    // Times of rows are rounded.
    let slack = 1e-9 * (last - first);
    if !(time >= first - slack && time <= last + slack) {
        return None;
    }
    let behind = t.partition_point(|own| *own < time).min(t.len() - 1);
    let before = behind.saturating_sub(1);
    let length = t[behind] - t[before];
    let share = if length > 0.0 { ((time - t[before]) / length).clamp(0.0, 1.0) } else { 1.0 };
    Some(match share {
        0.0 => vec![(before, 1.0)],
        1.0 => vec![(behind, 1.0)],
        share => vec![(before, 1.0 - share), (behind, share)],
    })
}

/// Each value with its difference quotient.
fn with_rates(t: &[f64], mut points: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for k in 0..points.len() {
        let other = if k > 0 { k - 1 } else { 1.min(points.len() - 1) };
        let length = t[k] - t[other];
        let rate = if length == 0.0 { 0.0 } else { (points[k][0] - points[other][0]) / length };
        points[k].push(rate);
    }
    points
}
