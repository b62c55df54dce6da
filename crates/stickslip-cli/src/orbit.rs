//! `stickslip orbit`: the periodic orbit on which a motion ends.

use crate::exit::Exit;
use crate::output::printable;
use crate::scene_file::{Failure, SCENE_HELP, failure};
use crate::{complain_all, say};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use stickslip::scene::{IntegratorName, SceneFile};
use stickslip::study::{Orbit, OrbitQuestion, Section, StudyError, find_orbit, find_step_orbit};

const AFTER_HELP: &str = "\
Runs the scene for its duration, so that the transient dies out, and looks for a
return; then Newton's method on the flow of the integrator event-driven (by
whatever integrator the scene is run otherwise), with its derivative over impacts,
stick and slip, finds the orbit itself: period, Floquet multipliers, what happens
in a period, and a state on it.

With a drive the period is a multiple of its period, which is found, or given by
--section \"period EXPR\". Without a drive one multiplier is 1. Directions that
stick takes out have the multiplier 0. An orbit that moves on by the same way in
each period, where the system is the same everywhere, counts as closed.

With --by rattle, moreau or moreau-rk4 it is the orbit of the steps that these
compute, in whole steps of at most simulation.step in a period of the drive.

Examples:
  stickslip orbit vibrating-table --set parameters.shaking=1.04
  stickslip orbit vibrating-table --section \"impact(bounce)\" --json
  stickslip orbit belt-oscillator
  stickslip orbit impact-oscillator --by rattle --set simulation.step=1e-3

Exit codes: 0 done, 2 bad input, 3 there is no such orbit, 4 cannot write.";

/// What the option --section takes.
pub const SECTION_HELP: &str = "Where the state is told: \"impact(NAME)\",
\"EXPR crosses VALUE up\" (or down), \"period EXPR\"";

/// Find the periodic orbit on which a motion ends, and whether it is stable
#[derive(Args)]
#[command(name = "orbit", after_help = AFTER_HELP)]
pub struct OrbitCommand {
    /// See [`SCENE_HELP`].
    #[arg(value_name = "NAME_OR_FILE", help = SCENE_HELP)]
    scene: String,

    #[arg(long, value_name = "SECTION", help = SECTION_HELP)]
    section: Option<String>,

    #[arg(
        long = "set",
        value_name = "KEY=VALUE",
        help = "Replace a value of the scene, e.g.\nparameters.shaking=1; may be repeated"
    )]
    overrides: Vec<String>,

    #[arg(
        long,
        value_name = "INTEGRATOR",
        default_value = "event-driven",
        help = "event-driven, or rattle, moreau, moreau-rk4: the orbit\nof the steps that these compute, with a drive"
    )]
    by: String,

    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
}

impl OrbitCommand {
    /// Finds and tells.
    pub fn run(self) -> Exit {
        let json = self.json;
        match self.find() {
            Ok(orbit) if json => say(&format!("{}\n", as_json(&orbit)), Exit::Done),
            Ok(orbit) => say(&as_text(&orbit), Exit::Done),
            Err((exit, message)) => {
                complain_all(&message);
                exit
            }
        }
    }

    fn find(self) -> Result<Orbit, Failure> {
        let file = SceneFile::open(&self.scene).map_err(failure)?;
        let question = question(self.overrides, self.section.as_deref())?;
        let by = integrator(&self.by)?;
        match by {
            IntegratorName::EventDriven => find_orbit(&file, &question),
            by => find_step_orbit(&file, &question, by),
        }
        .map_err(refusal)
    }
}

/// The integrator of a name.
fn integrator(name: &str) -> Result<IntegratorName, Failure> {
    use IntegratorName::{EventDriven, Moreau, MoreauRk4, Rattle};
    let all = [EventDriven, Rattle, Moreau, MoreauRk4];
    all.into_iter().find(|own| own.name() == name).ok_or_else(|| {
        let names = all.map(IntegratorName::name).join(", ");
        (Exit::BadInput, format!("--by {name}: it must be one of {names}"))
    })
}

/// What the arguments ask for.
pub fn question(overrides: Vec<String>, section: Option<&str>) -> Result<OrbitQuestion, Failure> {
    let section = section.map(Section::parse).transpose().map_err(refusal)?;
    Ok(OrbitQuestion { overrides, section })
}

/// Exit code and message of a study that is not there.
pub fn refusal(error: StudyError) -> Failure {
    let exit = match error {
        StudyError::Scene(error) => return failure(error),
        StudyError::NotFound(_) => Exit::NotConverged,
        StudyError::File(_) => Exit::ResourceLimit,
        _ => Exit::BadInput,
    };
    (exit, error.to_string())
}

/// The orbit in words.
fn as_text(orbit: &Orbit) -> String {
    let Orbit { period, multipliers, stable, modes, state, drift, blind, .. } = orbit;
    let mut text = format!("period       {period} s\n");
    let multipliers: Vec<String> = multipliers
        .iter()
        .map(|[re, im]| if *im == 0.0 { format!("{re:.9}") } else { format!("{re:.9}{im:+.9}i") })
        .collect();
    let _ = writeln!(text, "multipliers  {}", multipliers.join("  "));
    let _ = writeln!(text, "stable       {}", if *stable { "yes" } else { "no" });
    let modes: Vec<String> = modes.iter().map(|mode| printable(mode)).collect();
    let _ = writeln!(text, "modes        {}", modes.join(" | "));
    let _ = writeln!(text, "state        t = {} s, q = {:?}, u = {:?}", state.t, state.q, state.u);
    if *drift > 0.0 {
        let _ = writeln!(text, "drift        {drift:.3e} of its size in each period");
    }
    if *blind > 0 {
        let _ = writeln!(text, "note         {blind} instants were passed without a derivative");
    }
    text
}

fn as_json(orbit: &Orbit) -> Value {
    let Orbit { period, multipliers, stable, modes, state, drift, blind, .. } = orbit;
    json!({
        "period": period,
        "multipliers": multipliers,
        "stable": stable,
        "modes": modes,
        "state": { "t": state.t, "q": state.q, "u": state.u },
        "drift": drift,
        "without_derivative": blind,
    })
}
