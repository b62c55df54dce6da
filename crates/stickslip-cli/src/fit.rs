//! `stickslip fit`: values of a scene by which its motion fits measured data.

use crate::exit::Exit;
use crate::fit_words::{as_json, as_text, table};
use crate::output::safe;
use crate::run_plots::PIXELS;
use crate::scene_file::{ChosenScene, Failure, failure};
use crate::session::told;
use crate::study_command::{refusal, stop_check};
use crate::study_page::{Key, Page, write};
use crate::{note, say, warn};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stickslip::scene::SceneFile;
use stickslip::study::{self, Fit, FitColumn, FitData, FitQuestion};
use stickslip_papers::plot::{Figure, Panel, Series, Style};

/// Largest table of data, bytes.
const MOST_BYTES: u64 = 1 << 30;
/// The table of the fit.
const TABLE: &str = "fit.csv";

const AFTER_HELP: &str = "\
DATA.csv has a header with t (s) and columns named as in trajectory.csv, in the
units there; columns must be known from the state (places, velocities, angles,
gaps, energies). An empty cell was not measured. The free keys begin at their
values in the scene, which --set replaces: begin near the truth, for impacts
that come in another order are other minima.

Least squares by Levenberg and Marquardt, with the derivatives of
`stickslip gradient` and by the integrator of the scene. Where impacts matter take
event-driven (--set simulation.integrator=event-driven). The noise of each
column is estimated from what is left of it, or given by --sigma; standard
errors and correlations are those of the linearised model.

Written to the folder: fit.json, fit.csv (t, and for each column the data, the
model and what is left), fit.svg, fit.png, index.html, fitted.toml (the scene
with the values that were found).

Examples:
  stickslip run bouncing-ball --set simulation.duration=1 --out out/ball
  stickslip fit bouncing-ball out/ball/trajectory.csv --column ball.z \\
    --set simulation.integrator=event-driven \\
    --set contact.table.restitution=0.75 --free contact.table.restitution
  stickslip fit my-scene.toml data.csv --free parameters.mu --free start.v \\
    --sigma x=1e-3 --json

Exit codes: 0 done, 2 bad input, 3 no fit was found, 4 cannot write,
130 interrupted.";

/// Find values of a scene by which its motion fits data
#[derive(Args)]
#[command(name = "fit", after_help = AFTER_HELP)]
pub struct FitCommand {
    #[command(flatten)]
    chosen: ChosenScene,

    #[arg(value_name = "DATA.csv", help = "The data: t and columns of trajectory.csv")]
    data: PathBuf,

    #[arg(
        long = "free",
        value_name = "KEY",
        required = true,
        num_args = 1..,
        help = "What is looked for, e.g. parameters.mu; may be\nrepeated"
    )]
    keys: Vec<String>,

    #[arg(
        long = "column",
        value_name = "COLUMN",
        help = "Take this column of the data only [default: all];\nmay be repeated"
    )]
    columns: Vec<String>,

    #[arg(
        long,
        value_name = "COLUMN=SIZE",
        help = "Standard deviation of the noise of a column, in its\nunit [default: estimated]; may be repeated"
    )]
    sigma: Vec<String>,

    #[arg(long, value_name = "DIR", help = "The folder [default: out/<scene>-fit]")]
    out: Option<PathBuf>,

    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
}

impl FitCommand {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.find())
    }

    fn find(&self) -> Result<Exit, Failure> {
        let file = self.chosen.open()?;
        let data = self.read_data()?;
        let sigma = self.sigma.iter().map(|text| sigma(text)).collect::<Result<_, _>>()?;
        let (overrides, keys) = (self.chosen.overrides.clone(), self.keys.clone());
        let question = FitQuestion { overrides, keys, sigma };
        let fit = study::fit(&file, &data, &question, &stop_check());
        let fit = fit.map_err(refusal)?;
        // Not before: a fit that is refused for a wrong key leaves no folder that then is of another fit.
        let own = || Path::new("out").join(format!("{}-fit", safe(&file.name, "scene")));
        let folder = self.out.clone().unwrap_or_else(own);
        study::claim_folder(&folder, &self.description(&file)?).map_err(refusal)?;
        let mut set = self.chosen.overrides.clone();
        set.extend(fit.keys.iter().map(|fitted| fitted.key.set(fitted.key.value)));
        let fitted = file.scene(&set).map_err(failure)?;
        let text = as_json(&fit, &fitted.name, &study::hash(&fitted.to_toml()));
        write(&folder, "fit.json", format!("{text:#}\n").as_bytes())?;
        write(&folder, TABLE, table(&fit, &data).as_bytes())?;
        write(&folder, "fitted.toml", fitted.to_toml().as_bytes())?;
        self.draw(&fit, &data, &fitted.name, set, &folder)?;
        if fit.blind > 0 && !self.json {
            note(&format!("{} instants of the last run had no two-sided derivative", fit.blind));
        }
        if !fit.converged {
            warn("the search ended while values still changed; begin nearer, or free fewer keys");
        }
        let exit = if fit.converged { Exit::Done } else { Exit::NotConverged };
        if self.json {
            return Ok(say(&format!("{text}\n"), exit));
        }
        let mut words = as_text(&fit);
        let _ = writeln!(words, "{}", folder.join(crate::study_page::PAGE).display());
        Ok(say(&words, exit))
    }

    /// What the folder is the fit of: another table of data is another fit.
    fn description(&self, file: &SceneFile) -> Result<Value, Failure> {
        let scene = file.scene(&self.chosen.overrides).map_err(failure)?;
        Ok(json!({
            "format": "stickslip/study",
            "version": 1,
            "kind": "fit",
            "program": env!("CARGO_PKG_VERSION"),
            "scene": file.name,
            "scene_hash": study::hash(&scene.to_toml()),
            "set": self.chosen.overrides,
            "data": self.data.display().to_string(),
            "free": self.keys,
            "columns": self.columns,
            "sigma": self.sigma,
        }))
    }

    fn read_data(&self) -> Result<FitData, Failure> {
        let source = self.data.display().to_string();
        let unreadable =
            |e: std::io::Error| (Exit::BadInput, format!("{source} cannot be read: {e}"));
        let about = std::fs::metadata(&self.data).map_err(unreadable)?;
        if !about.is_file() {
            let message = format!("{source} cannot be read: it is no regular file");
            return Err((Exit::BadInput, message));
        }
        if about.len() > MOST_BYTES {
            let message = format!("{source} is larger than {} MB", MOST_BYTES >> 20);
            return Err((Exit::ResourceLimit, message));
        }
        let bytes = std::fs::read(&self.data).map_err(unreadable)?;
        let text = String::from_utf8(bytes)
            .map_err(|e| (Exit::BadInput, format!("{source} is not text in UTF-8: {e}")))?;
        FitData::read(&source, &text, &self.columns).map_err(refusal)
    }

    /// The pictures and the page.
    fn draw(
        &self,
        fit: &Fit,
        data: &FitData,
        scene: &str,
        set: Vec<String>,
        folder: &Path,
    ) -> Result<(), Failure> {
        let mut panels = Vec::new();
        for (column, measured) in fit.columns.iter().zip(&data.columns) {
            let FitColumn { name, model, .. } = column;
            let label = with_unit(name, &column.unit);
            let left = measured.iter().zip(model).map(|(d, m)| d - m).collect();
            let series = vec![
                Series::styled(Style::Points, "data", data.t.clone(), measured.clone()),
                Series::styled(Style::Line, "model", data.t.clone(), model.clone()),
            ];
            panels.push(Panel::new("", "t (s)", &label, series));
            let series = vec![Series::styled(Style::Points, "data - model", data.t.clone(), left)];
            panels.push(Panel::new("", "t (s)", &label, series));
        }
        let figure = Figure { panels, columns: 2, ..Figure::default() };
        let drawn = |e: String| (Exit::Internal, e);
        write(folder, "fit.svg", figure.to_svg().map_err(drawn)?.as_bytes())?;
        write(folder, "fit.png", &figure.to_png(PIXELS).map_err(drawn)?)?;
        let names = fit.columns.iter().flat_map(|column| {
            let of = |what: &str| Key::new(&format!("{}{what}", column.name), &column.unit);
            [of(""), of(".model"), of(".residual")]
        });
        let page = Page {
            kind: "sample",
            title: format!("{scene}: fit of {}", self.data.display()),
            scene: self.chosen.scene.clone(),
            set,
            keys: vec![Key::new("t", "s")],
            measures: names.collect(),
            ..Page::default()
        };
        page.write(folder, TABLE, &[])
    }
}

/// Reads COLUMN=SIZE.
fn sigma(text: &str) -> Result<(String, f64), Failure> {
    let wrong = || {
        let message = format!("--sigma {text}: it must be COLUMN=SIZE, for example ball.y=1e-3");
        (Exit::BadInput, message)
    };
    let (name, size) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim().to_owned(), size.trim().parse().map_err(|_| wrong())?))
}

fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}
