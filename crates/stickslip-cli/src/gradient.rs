//! `stickslip gradient`: derivatives of measures of a run by keys of its scene.

use crate::exit::Exit;
use crate::output::printable;
use crate::scene_file::{ChosenScene, Failure};
use crate::session::told;
use crate::study_command::{refusal, stop_check};
use crate::{say, warn};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use stickslip::study::{Gradient, GradientQuestion, Gradients, NumberKey, gradient};

const AFTER_HELP: &str = "\
Measures are max, min, mean, last and at(EXPR, TIME) of columns that are known
from the state (places, velocities, angles, gaps, energies; no forces), and
expressions of them. Keys are all that --set takes and that are numbers:
parameters, starts, masses, coefficients. All is in SI units.

By event-driven the derivatives are those of the exact motion, over impacts,
stick and slip. By rattle, moreau and moreau-rk4 they are those of the computed
steps, with what presses, sticks and slips in a step held; the delay of an
impact is then missing, by rattle in part. A value at the edge of its range
(restitution 0) has no derivative.

Examples:
  stickslip gradient tippe-top --measure \"at(theta, 1)\" \\
    --set simulation.integrator=rattle --set simulation.duration=1 \\
    --wrt parameters.friction_coefficient --wrt start.psi_dot
  stickslip gradient vibrating-table --set simulation.duration=0.3 \\
    --measure \"last(ball.y)\" --wrt parameters.restitution --json

Exit codes: 0 done, 2 bad input, 3 the run failed, 4 cannot write.";

/// Derivatives of measures of a run by keys of the scene
#[derive(Args)]
#[command(name = "gradient", after_help = AFTER_HELP)]
pub struct GradientCommand {
    #[command(flatten)]
    chosen: ChosenScene,

    #[arg(
        long = "measure",
        value_name = "EXPR",
        required = true,
        help = "What is differentiated, EXPR or NAME=EXPR, e.g.\n\"at(theta, 1.0)\"; may be repeated"
    )]
    measures: Vec<String>,

    #[arg(
        long = "wrt",
        value_name = "KEY",
        required = true,
        help = "By what, e.g. parameters.mu; may be repeated"
    )]
    keys: Vec<String>,

    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
}

impl GradientCommand {
    /// Computes and tells.
    pub fn run(self) -> Exit {
        let json = self.json;
        told(self.find().map(|found| {
            if json {
                return say(&format!("{}\n", as_json(&found)), Exit::Done);
            }
            if found.blind > 0 {
                warn(&format!(
                    "at {} instants the motion has no two-sided derivative: a contact opens, closes, sticks or \
                     slips just there",
                    found.blind
                ));
            }
            say(&as_text(&found), Exit::Done)
        }))
    }

    fn find(self) -> Result<Gradients, Failure> {
        let file = self.chosen.open()?;
        let Self { chosen: ChosenScene { overrides, .. }, measures, keys, .. } = self;
        let question = GradientQuestion { overrides, measures, keys };
        gradient(&file, &question, &stop_check()).map_err(refusal)
    }
}

/// A number with its unit.
fn with_unit(value: f64, unit: &str) -> String {
    format!("{value} {unit}").trim_end().to_owned()
}

fn as_text(found: &Gradients) -> String {
    let mut text = String::new();
    let width = found.keys.iter().map(|key| key.key.chars().count()).max().unwrap_or(0);
    for Gradient { name, unit, value, derivatives } in &found.list {
        let _ = writeln!(text, "{} = {}", printable(name), with_unit(*value, unit));
        for (NumberKey { key, value, unit, .. }, derivative) in found.keys.iter().zip(derivatives) {
            let at = with_unit(*value, unit);
            let _ = writeln!(text, "  by {:width$}  {derivative:<22} at {at}", printable(key));
        }
    }
    text
}

fn as_json(found: &Gradients) -> Value {
    let keys = found.keys.iter();
    let keys: Vec<Value> = keys
        .map(|NumberKey { key, value, unit, .. }| json!({ "key": key, "value": value, "unit": unit }))
        .collect();
    let list = found.list.iter();
    let list: Vec<Value> = list
        .map(|Gradient { name, unit, value, derivatives }| {
            let by: serde_json::Map<String, Value> = found
                .keys
                .iter()
                .zip(derivatives)
                .map(|(key, derivative)| (key.key.clone(), json!(derivative)))
                .collect();
            json!({ "measure": name, "unit": unit, "value": value, "gradient": by })
        })
        .collect();
    json!({
        "measures": list,
        "wrt": keys,
        "integrator": found.integrator,
        "steps": found.steps,
        "without_derivative": found.blind,
    })
}
