//! `stickslip lyapunov`: how fast small changes of a motion grow or die out.

use crate::exit::Exit;
use crate::run_plots::PIXELS;
use crate::scene_file::{ChosenScene, Failure, failure};
use crate::session::told;
use crate::study_command::{PointBar, refusal, stop_check};
use crate::study_page::{self, Key, Page};
use crate::{note, say, signals};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stickslip::scene::SceneFile;
use stickslip::stop::watching;
use stickslip::study::{self, Lyapunov, LyapunovQuestion, lyapunov, number};
use stickslip_papers::plot::{Figure, Panel, Series};

/// The estimates on the way.
const TABLE: &str = "lyapunov.csv";

const AFTER_HELP: &str = "\
Runs the scene by the integrator event-driven, discards the transient, and
carries small changes along, over impacts, stick and slip: the largest exponent
is the rate at which they grow in the long run. A positive one means chaos, a
negative one that they die out, zero that they neither do (the way along the
motion itself without a drive, a direction in which the system is the same
everywhere). Directions that stick or a closed contact takes out have the
exponent -inf, which JSON writes as null.

The error is that of 95 % confidence from the spread over the time, or the
largest change of the estimate in the second half of it, whichever is larger.

With --out the folder gets lyapunov.csv (the estimates on the way, time in s and
exponents in 1/s), lyapunov.svg and .png, index.html, study.json.

Examples:
  stickslip lyapunov vibrating-table --set parameters.shaking=1.3
  stickslip lyapunov vibrating-table --all --duration 60 --out out/exponents
  stickslip lyapunov my-scene.toml --transient 100 --duration 500 --json

Exit codes: 0 done, 2 bad input, 3 the run failed, 4 cannot write, 130
interrupted by Ctrl-C, 143 by SIGTERM.";

/// Tell how fast small changes of a motion grow: chaos or not
#[derive(Args)]
#[command(name = "lyapunov", after_help = AFTER_HELP)]
pub struct LyapunovCommand {
    #[command(flatten)]
    chosen: ChosenScene,

    /// All exponents, not only the largest
    #[arg(long)]
    all: bool,

    #[arg(
        long,
        value_name = "TIME",
        help = "Time that is discarded, s [default:\nsimulation.duration]"
    )]
    transient: Option<f64>,

    #[arg(
        long,
        value_name = "TIME",
        help = "Time over which the growth is taken, s [default:\nsimulation.duration]"
    )]
    duration: Option<f64>,

    #[arg(long, value_name = "DIR", help = "Write table, pictures and page to this folder")]
    out: Option<PathBuf>,

    /// No progress
    #[arg(long, short)]
    quiet: bool,

    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
}

impl LyapunovCommand {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.find())
    }

    fn find(&self) -> Result<Exit, Failure> {
        let file = self.chosen.open()?;
        if let Some(out) = &self.out {
            study::claim_folder(out, &self.description(&file)?).map_err(refusal)?;
        }
        let question = LyapunovQuestion {
            overrides: self.chosen.overrides.clone(),
            all: self.all,
            transient: self.transient,
            duration: self.duration,
        };
        let stop = stop_check();
        let bar = PointBar::new(1000, self.quiet || self.json);
        let found = watching(Some(&stop), || {
            lyapunov(&file, &question, &mut |share| {
                bar.update(1000, (1000.0 * share) as usize, 0, 0);
            })
        });
        bar.finish();
        let found = match (found, signals::received()) {
            (Err(_), Some(signal)) => return Ok(signal),
            (found, _) => found.map_err(refusal)?,
        };
        if let Some(out) = &self.out {
            self.write(&found, out)?;
        }
        if let Some(ended) = &found.ended {
            note(&format!("it ended after {} s: {ended}", found.duration));
        }
        let exit = signals::received().unwrap_or(Exit::Done);
        if self.json {
            return Ok(say(&format!("{}\n", as_json(&found)), exit));
        }
        let mut words = as_text(&found);
        if let Some(out) = &self.out {
            for file in [study_page::PAGE, "lyapunov.svg", "lyapunov.png", TABLE] {
                let _ = writeln!(words, "{}", out.join(file).display());
            }
        }
        Ok(say(&words, exit))
    }

    fn description(&self, file: &SceneFile) -> Result<Value, Failure> {
        let scene = file.scene(&self.chosen.overrides).map_err(failure)?;
        Ok(json!({
            "format": "stickslip/study",
            "version": 1,
            "kind": "lyapunov",
            "program": env!("CARGO_PKG_VERSION"),
            "scene": file.name,
            "scene_hash": study::hash(&scene.to_toml()),
            "set": self.chosen.overrides,
            "all": self.all,
            "transient": self.transient.unwrap_or(scene.simulation.duration),
            "duration": self.duration.unwrap_or(scene.simulation.duration),
            "columns": [{ "name": "t", "unit": "s" }, { "name": "exponent_*", "unit": "1/s" }],
        }))
    }

    fn write(&self, found: &Lyapunov, folder: &Path) -> Result<(), Failure> {
        let count = found.running.last().map_or(0, |estimate| estimate.exponents.len());
        let names: Vec<String> = (1..=count).map(|k| format!("exponent_{k}")).collect();
        let mut table = format!("t{}\n", names.iter().map(|n| format!(",{n}")).collect::<String>());
        for estimate in &found.running {
            let cells = estimate.exponents.iter().map(|value| format!(",{}", number(*value)));
            let _ = writeln!(table, "{}{}", number(estimate.t), cells.collect::<String>());
        }
        study_page::write(folder, TABLE, table.as_bytes())?;
        let figure = picture(found, &names);
        let drawn = |e: String| (Exit::Internal, e);
        study_page::write(folder, "lyapunov.svg", figure.to_svg().map_err(drawn)?.as_bytes())?;
        study_page::write(folder, "lyapunov.png", &figure.to_png(PIXELS).map_err(drawn)?)?;
        let page = Page {
            kind: "motion",
            title: format!("{}: Lyapunov exponents", self.chosen.scene),
            scene: self.chosen.scene.clone(),
            set: self.chosen.overrides.clone(),
            keys: vec![Key::new("t", "s")],
            measures: names.iter().map(|name| Key::new(name, "1/s")).collect(),
            ..Page::default()
        };
        page.write(folder, TABLE, &[])
    }
}

/// The estimates over the time.
fn picture(found: &Lyapunov, names: &[String]) -> Figure {
    let times: Vec<f64> = found.running.iter().map(|estimate| estimate.t).collect();
    let series = names.iter().enumerate().map(|(k, name)| {
        let values = found.running.iter().map(|estimate| estimate.exponents[k]).collect();
        Series::line(name, times.clone(), values)
    });
    let panel = Panel::new("", "time (s)", "exponent so far (1/s)", series.collect());
    Figure { panels: vec![panel], columns: 1, panel_size: (720.0, 420.0), ..Figure::default() }
}

fn as_text(found: &Lyapunov) -> String {
    let mut text = String::new();
    for (k, (exponent, error)) in found.exponents.iter().zip(&found.errors).enumerate() {
        let what = match exponent {
            e if *e == f64::NEG_INFINITY => "taken out by stick or a closed contact",
            e if e.abs() <= *error => "zero within its error",
            e if *e > 0.0 && k == 0 => "small changes grow: chaos",
            e if *e > 0.0 => "grows",
            _ => "dies out",
        };
        let _ = match exponent.is_finite() {
            true => writeln!(text, "exponent     {exponent:.6} 1/s, +- {error:.2e}  {what}"),
            false => writeln!(text, "exponent     -inf  {what}"),
        };
    }
    let Lyapunov { transient, duration, settled, blind, .. } = found;
    let _ = writeln!(text, "over         {duration} s behind a transient of {transient} s");
    let _ = match settled {
        true => writeln!(text, "settled      yes"),
        false => writeln!(text, "settled      no: the error is large; --duration takes more time"),
    };
    if *blind > 0 {
        let _ = writeln!(text, "note         {blind} instants were passed without a derivative");
    }
    text
}

fn as_json(found: &Lyapunov) -> Value {
    let finite = |value: &f64| value.is_finite().then_some(*value);
    json!({
        "exponents": found.exponents.iter().map(finite).collect::<Vec<Option<f64>>>(),
        "error": found.errors.iter().copied().fold(0.0, f64::max),
        "errors": found.errors,
        "duration": found.duration,
        "transient": found.transient,
        "settled": found.settled,
        "without_derivative": found.blind,
        "ended": found.ended,
    })
}
