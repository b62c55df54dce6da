//! Values at shorter and shorter steps: differences, orders, errors.
//!
//! ```text
//! d_k = x_k − x_{k−1},   order p = log₂ |d_{k−1} / d_k|,   error of x_k ≈ |d_k| / (2^p − 1)   (Richardson)
//! ```

use crate::output::printable;
use serde_json::json;
use std::fmt::Write;

/// A reported number.
pub struct Value {
    /// As in the header of `trajectory.csv`.
    pub name: String,
    pub value: f64,
    /// Its largest magnitude in the run: what its errors are small or large against.
    pub size: f64,
    /// Whether it belongs to the end of the run; else it is a time.
    pub at_end: bool,
    /// Whether it says how certain the motion is: not what comes and goes at contacts, nor losses.
    pub of_motion: bool,
}

/// A quantity at all levels.
pub struct Quantity {
    pub name: String,
    pub at_end: bool,
    pub of_motion: bool,
    pub values: Vec<f64>,
    /// Largest magnitude in the runs.
    pub size: f64,
    /// Last value less the one before.
    pub difference: f64,
    /// Observed order; none where the differences do not fall, or are rounding.
    pub order: Option<f64>,
    /// Estimated error of the last value.
    pub error: f64,
}

/// Orders below this are no convergence: the differences hardly fall.
const LEAST_ORDER: f64 = 0.3;
/// Highest order that is believed in for the error.
const MOST_ORDER: f64 = 4.0;
/// Differences below this part of the largest value in the run are rounding and what solvers leave.
const ROUNDING: f64 = 1e-10;

impl Quantity {
    fn new(of: &Value, values: Vec<f64>, size: f64) -> Self {
        let n = values.len();
        let difference = values[n - 1] - values[n - 2];
        let before = values[n - 2] - values[n - 3];
        let larger = difference.abs().max(before.abs());
        let (order, error) = if larger <= ROUNDING * size {
            (None, larger)
        } else {
            match (before / difference).abs().log2() {
                order if order >= LEAST_ORDER => {
                    let used = order.min(MOST_ORDER);
                    (order.is_finite().then_some(order), difference.abs() / (used.exp2() - 1.0))
                }
                // What the levels have shown is the least that can be wrong.
                _ => (None, larger),
            }
        };
        let Value { name, at_end, of_motion, .. } = of;
        let (name, at_end, of_motion) = (name.clone(), *at_end, *of_motion);
        Self { name, at_end, of_motion, values, size, difference, order, error }
    }

    fn last(&self) -> f64 {
        self.values[self.values.len() - 1]
    }

    /// Whether the levels agree to rounding.
    fn is_exact(&self) -> bool {
        self.order.is_none() && self.error <= ROUNDING * self.size
    }

    /// Whether the differences fall.
    fn converges(&self) -> bool {
        self.order.is_some() || self.is_exact()
    }

    fn shown_order(&self) -> String {
        match self.order {
            Some(order) => format!("{order:.2}"),
            None if self.is_exact() => "exact".into(),
            None => "?".into(),
        }
    }
}

/// The levels while they are computed.
pub struct Table {
    name: String,
    by_accuracy: bool,
    duration: f64,
    sizes: Vec<f64>,
    steps: Vec<u64>,
    levels: Vec<Vec<Value>>,
}

/// The quantities that all levels have.
pub struct Finished {
    table: Table,
    quantities: Vec<Quantity>,
}

impl Table {
    pub fn new(name: &str, by_accuracy: bool, duration: f64) -> Self {
        let (sizes, steps, levels) = (Vec::new(), Vec::new(), Vec::new());
        Self { name: name.to_owned(), by_accuracy, duration, sizes, steps, levels }
    }

    /// Adds a level: its step or accuracy, the steps that were done, and its values.
    pub fn push(&mut self, size: f64, steps: u64, values: Vec<Value>) {
        self.sizes.push(size);
        self.steps.push(steps);
        self.levels.push(values);
    }

    /// Compares the levels; there are at least three of them.
    pub fn finish(mut self) -> Finished {
        let levels = std::mem::take(&mut self.levels);
        // Events of one kind count only if all levels have as many: else they are not the same ones.
        let kind = |name: &str| name.rsplit_once('#').map(|(kind, _)| kind.to_owned());
        let count = |level: &[Value], wanted: &Option<String>| {
            level.iter().filter(|v| !v.at_end && kind(&v.name) == *wanted).count()
        };
        let (first, others) = match levels.split_first() {
            Some((first, others)) => (first.as_slice(), others),
            None => (&[][..], &[][..]),
        };
        let mut quantities = Vec::new();
        for value in first {
            if !value.at_end {
                let kind = kind(&value.name);
                let most = count(first, &kind);
                if others.iter().any(|level| count(level, &kind) != most) {
                    continue;
                }
            }
            let (mut values, mut size) = (vec![value.value], value.size);
            for level in others {
                if let Some(same) = level.iter().find(|v| v.name == value.name) {
                    values.push(same.value);
                    size = size.max(same.size);
                }
            }
            if values.len() == levels.len() && values.iter().all(|v| v.is_finite()) {
                quantities.push(Quantity::new(value, values, size));
            }
        }
        Finished { table: self, quantities }
    }
}

impl Finished {
    pub fn names(&self) -> Vec<String> {
        self.quantities.iter().map(|q| q.name.clone()).collect()
    }

    pub fn has(&self, name: &str) -> bool {
        self.quantities.iter().any(|q| q.name == name)
    }

    /// One sentence: how sure the named quantity is, or the least certain one at the end of the run.
    pub fn verdict(&self, name: Option<&str>) -> String {
        let relative = |q: &Quantity| if q.error > 0.0 { q.error / q.size } else { 0.0 };
        // What is zero but for the rounding of solvers is not uncertain.
        let most = self.quantities.iter().filter(|q| q.at_end).map(|q| q.size).fold(0.0, f64::max);
        let is_motion = |q: &&Quantity| q.at_end && q.of_motion && q.size > 1e-9 * most;
        let chosen = match name {
            Some(name) => self.quantities.iter().find(|q| q.name == name),
            None => self
                .quantities
                .iter()
                .filter(is_motion)
                .max_by(|a, b| relative(a).total_cmp(&relative(b))),
        };
        let Some(quantity) = chosen else {
            return "nothing moves: there is nothing to compare".into();
        };
        let when = match quantity.at_end {
            true => format!(" at {} s", self.table.duration),
            false => " (a time)".into(),
        };
        let name_shown = printable(&quantity.name);
        if !quantity.converges() {
            return format!(
                "{name_shown}{when}: {} is not certain, the levels differ by {:.1e} and that does not fall",
                rounded(quantity.last(), quantity.error),
                quantity.error
            );
        }
        let least = match name {
            Some(_) => String::new(),
            None => {
                let all = self.quantities.iter().filter(is_motion).count();
                format!(", the least certain of {all} relative to its largest value")
            }
        };
        let order = match quantity.order {
            Some(order) => format!(" (order {order:.2})"),
            None => " (equal at all levels)".into(),
        };
        format!(
            "{name_shown}{when}: {} ± {:.1e}{order}{least}",
            rounded(quantity.last(), quantity.error),
            quantity.error
        )
    }

    fn what(&self) -> &'static str {
        if self.table.by_accuracy { "accuracy" } else { "step" }
    }

    pub fn json(&self, verdict: &str) -> serde_json::Value {
        let quantities: Vec<_> = self
            .quantities
            .iter()
            .map(|q| {
                json!({
                    "name": q.name, "values": q.values, "difference": q.difference, "order": q.order,
                    "error": q.error, "converges": q.converges(),
                })
            })
            .collect();
        json!({
            "format": "stickslip/converge", "version": 1, "name": self.table.name,
            "duration": self.table.duration, "varied": format!("simulation.{}", self.what()),
            "levels": self.table.sizes, "steps": self.table.steps, "quantities": quantities,
            "verdict": verdict,
        })
    }

    /// A row per quantity and level.
    pub fn csv(&self) -> String {
        let mut out =
            format!("quantity,level,{},steps,value,difference,order,error\n", self.what());
        for quantity in &self.quantities {
            for (level, value) in quantity.values.iter().enumerate() {
                let (size, steps) = (self.table.sizes[level], self.table.steps[level]);
                let _ = write!(out, "{},{},{size:e},{steps},{value}", quantity.name, level + 1);
                let difference = level.checked_sub(1).map(|before| value - quantity.values[before]);
                let _ = write!(out, ",{}", difference.map_or(String::new(), |d| format!("{d:e}")));
                let _ = match level + 1 == quantity.values.len() {
                    true => {
                        let order = quantity.order.map_or(String::new(), |o| format!("{o:.4}"));
                        writeln!(out, ",{order},{:e}", quantity.error)
                    }
                    false => writeln!(out, ",,"),
                };
            }
        }
        out
    }

    /// For people.
    pub fn text(&self, verdict: &str) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut out, verdict);
        out
    }

    fn write_text(&self, out: &mut String, verdict: &str) -> std::fmt::Result {
        let Table { name, sizes, steps, duration, .. } = &self.table;
        let levels: Vec<String> =
            sizes.iter().zip(steps).map(|(size, steps)| format!("{size:.3e} ({steps})")).collect();
        writeln!(out, "{}: {duration} s with simulation.{}", printable(name), self.what())?;
        writeln!(out, "  {} (number of steps)", levels.join(", "))?;
        let width =
            self.quantities.iter().map(|q| q.name.chars().count()).max().unwrap_or(0).max(8);
        writeln!(
            out,
            "  {:width$}  {:>16}  {:>11}  {:>6}  {:>9}",
            "quantity", "last value", "difference", "order", "error"
        )?;
        for quantity in &self.quantities {
            writeln!(
                out,
                "  {:width$}  {:>16.9e}  {:>11.2e}  {:>6}  {:>9.1e}",
                printable(&quantity.name),
                quantity.last(),
                quantity.difference,
                quantity.shown_order(),
                quantity.error
            )?;
        }
        writeln!(out, "{verdict}")
    }
}

/// A value with as many digits as its error leaves.
fn rounded(value: f64, error: f64) -> String {
    if !(error > 0.0 && value != 0.0) {
        return format!("{value}");
    }
    let digits = (value.abs() / error).log10().ceil().clamp(0.0, 15.0) as usize;
    if value.abs() >= 1e-4 && value.abs() < 1e6 {
        let decimals = (-error.log10().floor()).clamp(0.0, 15.0) as usize;
        return format!("{value:.decimals$}");
    }
    format!("{value:.digits$e}")
}
