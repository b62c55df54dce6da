//! What `stickslip fit` says of a fit: words, JSON and a table.

use crate::output::printable;
use serde_json::{Value, json};
use std::fmt::Write;
use stickslip::study::{Fit, FitColumn, FitData, Fitted, cell, number};

/// Time, and for each column the data, the model and what is left.
pub fn table(fit: &Fit, data: &FitData) -> String {
    let mut text = "t".to_owned();
    for FitColumn { name, .. } in &fit.columns {
        for what in ["", ".model", ".residual"] {
            let _ = write!(text, ",{}", cell(&format!("{name}{what}")));
        }
    }
    text.push('\n');
    for (row, t) in data.t.iter().enumerate() {
        text += &number(*t);
        for (column, measured) in fit.columns.iter().zip(&data.columns) {
            let (measured, model) = (measured[row], column.model[row]);
            let shown = |value: f64| if value.is_nan() { String::new() } else { number(value) };
            let _ = write!(text, ",{},{}", shown(measured), number(model));
            let _ = write!(text, ",{}", shown(measured - model));
        }
        text.push('\n');
    }
    text
}

/// The fit in words.
pub fn as_text(fit: &Fit) -> String {
    let mut text = String::new();
    let width = fit.keys.iter().map(|f| f.key.key.chars().count()).max().unwrap_or(0);
    for Fitted { key, start, standard_error } in &fit.keys {
        let _ = writeln!(
            text,
            "{:width$}  {} +- {:.3e} {} (began at {start})",
            printable(&key.key),
            key.value,
            standard_error,
            key.unit
        );
    }
    for (a, row) in fit.correlation.iter().enumerate() {
        for (b, value) in row.iter().enumerate().take(a) {
            let [a, b] = [a, b].map(|k| printable(&fit.keys[k].key.key));
            let _ = writeln!(text, "correlation of {b} and {a}: {value:.4}");
        }
    }
    for FitColumn { name, unit, sigma, is_given, count, .. } in &fit.columns {
        let how = if *is_given { "given" } else { "estimated" };
        let name = printable(name);
        let _ = writeln!(text, "{name}: {count} values, noise {sigma:.3e} {unit} ({how})");
    }
    let _ = writeln!(
        text,
        "chi squared {:.4} with {} degrees of freedom, {} runs by {}",
        fit.chi_squared, fit.degrees_of_freedom, fit.runs, fit.integrator
    );
    text
}

/// The fit as an object.
pub fn as_json(fit: &Fit, scene: &str, hash: &str) -> Value {
    let keys: Vec<Value> = fit
        .keys
        .iter()
        .map(|Fitted { key, start, standard_error }| {
            json!({ "key": key.key, "value": key.value, "standard_error": standard_error,
                "unit": key.unit, "start": start })
        })
        .collect();
    let columns: Vec<Value> = fit
        .columns
        .iter()
        .map(|c| {
            json!({ "name": c.name, "unit": c.unit, "sigma": c.sigma, "sigma_given": c.is_given,
                "values": c.count })
        })
        .collect();
    json!({
        "scene": scene,
        "scene_hash": hash,
        "free": keys,
        "correlation": fit.correlation,
        "columns": columns,
        "chi_squared": fit.chi_squared,
        "degrees_of_freedom": fit.degrees_of_freedom,
        "runs": fit.runs,
        "converged": fit.converged,
        "integrator": fit.integrator,
        "without_derivative": fit.blind,
    })
}
