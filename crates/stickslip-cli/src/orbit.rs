//! `stickslip orbit`: the periodic orbit on which a motion ends.

use crate::branch_files::changes;
use crate::exit::Exit;
use crate::orbit_words::{as_json, as_text};
use crate::run_plots::PIXELS;
use crate::say;
use crate::scene_file::{ChosenScene, Failure, failure};
use crate::session::told;
use crate::study_command::refusal;
use crate::study_page::{self, Key, Page};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stickslip::scene::{IntegratorName, SceneFile};
use stickslip::study::{
    self, Orbit, OrbitQuestion, Section, StateTable, cell, find_orbit, find_step_orbit, number,
    orbit_integrator, trace_orbit,
};
use stickslip_papers::plot::{Figure, Panel, Series};

/// Columns over one period, and into how many parts it is divided.
const TABLE: &str = "orbit.csv";
const SAMPLES: usize = 1000;

const AFTER_HELP: &str = "\
Runs the scene for its duration, so that the transient dies out, and looks for a
return; then Newton's method on the flow of the integrator event-driven (by
whatever integrator the scene is run otherwise), with its derivative over
impacts, stick and slip, finds the orbit itself: period, Floquet multipliers,
what happens in a period, and a state on it.

With a drive the period is a multiple of its period, which is found, or given by
--section \"period EXPR\". Without a drive one multiplier is 1. Directions that
stick takes out have the multiplier 0. An orbit that moves on by the same way in
each period, where the system is the same everywhere, counts as closed.

With --out the folder gets orbit.csv (columns over one period), orbit.json,
orbit.svg and .png (phase portraits and columns), index.html, and study.json
(units, hash of the scene).

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
    #[command(flatten)]
    chosen: ChosenScene,

    #[arg(long, value_name = "SECTION", help = SECTION_HELP)]
    section: Option<String>,

    #[arg(
        long,
        value_name = "INTEGRATOR",
        default_value = "event-driven",
        help = "event-driven, or rattle, moreau, moreau-rk4: the orbit\nof the steps that these compute, with a drive"
    )]
    by: String,

    #[arg(long, value_name = "DIR", help = "Write table, pictures and page to this folder")]
    out: Option<PathBuf>,

    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
}

impl OrbitCommand {
    /// Finds and tells.
    pub fn run(self) -> Exit {
        let json = self.json;
        let text = |orbit| if json { format!("{}\n", as_json(&orbit)) } else { as_text(&orbit) };
        told(self.find().map(|orbit| say(&text(orbit), Exit::Done)))
    }

    fn find(&self) -> Result<Orbit, Failure> {
        let file = self.chosen.open()?;
        let question = question(self.chosen.overrides.clone(), self.section.as_deref())?;
        let by = orbit_integrator(&self.by).map_err(refusal)?;
        if let Some(out) = &self.out {
            study::claim_folder(out, &self.description(&file)?).map_err(refusal)?;
        }
        let orbit = match by {
            IntegratorName::EventDriven => find_orbit(&file, &question),
            by => find_step_orbit(&file, &question, by),
        };
        let orbit = orbit.map_err(refusal)?;
        if let Some(out) = &self.out {
            self.write(&file, &question, &orbit, out)?;
        }
        Ok(orbit)
    }

    fn description(&self, file: &SceneFile) -> Result<Value, Failure> {
        let scene = file.scene(&self.chosen.overrides).map_err(failure)?;
        let table = StateTable::new(file, &self.chosen.overrides).map_err(refusal)?;
        let mut columns = vec![json!({ "name": "t", "unit": "s" })];
        columns.extend(table.columns().map(|(name, unit)| json!({ "name": name, "unit": unit })));
        Ok(json!({
            "format": "stickslip/study",
            "version": 1,
            "kind": "orbit",
            "program": env!("CARGO_PKG_VERSION"),
            "scene": scene.name,
            "scene_hash": study::hash(&scene.to_toml()),
            "set": self.chosen.overrides,
            "section": self.section,
            "by": self.by,
            "columns": columns,
        }))
    }

    /// The columns over one period, and pictures of them.
    fn write(
        &self,
        file: &SceneFile,
        question: &OrbitQuestion,
        orbit: &Orbit,
        folder: &Path,
    ) -> Result<(), Failure> {
        let mut table = StateTable::new(file, &self.chosen.overrides).map_err(refusal)?;
        let states = trace_orbit(file, question, orbit, SAMPLES).map_err(refusal)?;
        let names: Vec<(String, String)> =
            table.columns().map(|(name, unit)| (name.to_owned(), unit.to_owned())).collect();
        let rows: Vec<Vec<f64>> = states
            .iter()
            .map(|state| {
                let mut row = vec![state.t - orbit.state.t];
                row.extend(table.values(state));
                row
            })
            .collect();
        let head: String = names.iter().map(|(name, _)| format!(",{}", cell(name))).collect();
        let mut text = format!("t{head}\n");
        for row in &rows {
            let cells: Vec<String> = row.iter().map(|value| number(*value)).collect();
            let _ = writeln!(text, "{}", cells.join(","));
        }
        study_page::write(folder, TABLE, text.as_bytes())?;
        study_page::write(folder, "orbit.json", format!("{}\n", as_json(orbit)).as_bytes())?;
        let label = |name: &str, unit: &str| match unit {
            "" => name.to_owned(),
            unit => format!("{name} ({unit})"),
        };
        // What stands still is worth no picture.
        let column = |name: &str| -> Option<(String, Vec<f64>)> {
            let place = names.iter().position(|(own, _)| own == name)?;
            let values: Vec<f64> = rows.iter().map(|row| row[place + 1]).collect();
            changes(values.iter().copied()).then(|| (label(name, &names[place].1), values))
        };
        let moves = |name: &str| column(name).is_some();
        let mut panels = Vec::new();
        for (x, y) in table.pairs() {
            if let (Some((x, over)), Some((y, values))) = (column(&x), column(&y)) {
                panels.push(Panel::new("", &x, &y, vec![Series::line("", over, values)]));
            }
        }
        let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        for (name, _) in &names {
            if let Some((y, values)) = column(name) {
                let series = vec![Series::line("", times.clone(), values)];
                panels.push(Panel::new("", "time (s)", &y, series));
            }
        }
        let figure = Figure { panels, columns: 2, ..Figure::default() };
        let drawn = |e: String| (Exit::Internal, e);
        study_page::write(folder, "orbit.svg", figure.to_svg().map_err(drawn)?.as_bytes())?;
        study_page::write(folder, "orbit.png", &figure.to_png(PIXELS).map_err(drawn)?)?;
        let page = Page {
            kind: "motion",
            title: format!("{}: an orbit of {:.6} s", self.chosen.scene, orbit.period),
            scene: self.chosen.scene.clone(),
            set: self.chosen.overrides.clone(),
            keys: vec![Key::new("t", "s")],
            measures: names
                .iter()
                .filter(|(name, _)| moves(name))
                .map(|(name, unit)| Key::new(name, unit))
                .collect(),
            pairs: table.pairs().into_iter().filter(|(x, y)| moves(x) && moves(y)).collect(),
            ..Page::default()
        };
        page.write(folder, TABLE, &[])
    }
}

/// What the arguments ask for.
pub fn question(overrides: Vec<String>, section: Option<&str>) -> Result<OrbitQuestion, Failure> {
    let section = section.map(Section::parse).transpose().map_err(refusal)?;
    Ok(OrbitQuestion { overrides, section })
}
