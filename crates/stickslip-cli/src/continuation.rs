//! `stickslip continue`: a branch of periodic orbits over a parameter.

use crate::exit::Exit;
use crate::orbit::{SECTION_HELP, question, refusal};
use crate::scene_file::{Failure, SCENE_HELP, failure};
use crate::{complain_all, note, say};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stickslip::scene::SceneFile;
use stickslip::study::{Branch, Orbit, Vary, continue_orbit};
use stickslip_papers::plot::{Figure, Note, Panel, Series, Style};

const AFTER_HELP: &str = "\
Finds the periodic orbit on which the motion ends at the first value, like
`stickslip orbit`, and follows it to the last value, through folds: stable or
not. Tells where it folds, doubles its period, loses stability to a second
frequency (neimark-sacker), where a contact begins or ceases to be touched
(grazing), and where a phase of stick or of a closed contact appears or vanishes
(sliding).

With --out the folder gets branch.csv (a row per orbit), branch.json, and
branch.svg and branch.png: period and largest multiplier, dashed where unstable.

Examples:
  stickslip continue vibrating-table --vary parameters.shaking=0.36:1.2
  stickslip continue my-scene.toml --vary parameters.amplitude=0.1:0.5 --out out
  stickslip continue vibrating-table --vary parameters.shaking=0.9:1.1 --json

Exit codes: 0 done, 2 bad input, 3 there is no orbit at the first value, 4 cannot
write.";

/// Follow a periodic orbit over a parameter, through folds, and name its bifurcations
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Continue {
    /// See [`SCENE_HELP`].
    #[arg(value_name = "NAME_OR_FILE", help = SCENE_HELP)]
    scene: String,

    #[arg(
        long,
        value_name = "KEY=FROM:TO",
        help = "What is varied, and between which values, e.g.\nparameters.shaking=0.4:1.2"
    )]
    vary: String,

    #[arg(long, value_name = "SECTION", help = SECTION_HELP)]
    section: Option<String>,

    #[arg(
        long = "set",
        value_name = "KEY=VALUE",
        help = "Replace a value of the scene, e.g.\nsimulation.duration=20; may be repeated"
    )]
    overrides: Vec<String>,

    #[arg(
        long,
        value_name = "DIR",
        help = "Write table and pictures of the branch to this folder"
    )]
    out: Option<PathBuf>,

    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
}

impl Continue {
    /// Follows and tells.
    pub fn run(self) -> Exit {
        match self.follow() {
            Ok(text) => say(&text, Exit::Done),
            Err((exit, message)) => {
                complain_all(&message);
                exit
            }
        }
    }

    fn follow(&self) -> Result<String, Failure> {
        let file = SceneFile::open(&self.scene).map_err(failure)?;
        let vary = Vary::parse(&self.vary).map_err(refusal)?;
        let question = question(self.overrides.clone(), self.section.as_deref())?;
        let branch = continue_orbit(&file, &question, &vary, &mut |_| {}).map_err(refusal)?;
        if let Some(out) = &self.out {
            write_files(out, &vary, &branch).map_err(|message| (Exit::ResourceLimit, message))?;
        }
        if let Some(ended) = &branch.ended {
            note(&format!("the branch ends before the range does: {ended}"));
        }
        if self.json {
            return Ok(format!("{}\n", as_json(&branch)));
        }
        Ok(as_text(&vary, &branch))
    }
}

/// The largest multiplier that is not 1 in any case.
fn largest(orbit: &Orbit) -> f64 {
    let sizes = orbit.multipliers.iter().map(|[re, im]| (re.hypot(*im), (re - 1.0).hypot(*im)));
    sizes.filter(|(_, away)| *away > 1e-3).map(|(size, _)| size).fold(0.0, f64::max)
}

fn as_text(vary: &Vary, branch: &Branch) -> String {
    let mut text = String::new();
    if let (Some(first), Some(last)) = (branch.points.first(), branch.points.last()) {
        let _ = writeln!(
            text,
            "{} orbits from {} = {} to {}",
            branch.points.len(),
            vary.key,
            first.value,
            last.value
        );
    }
    for bifurcation in &branch.bifurcations {
        let _ = writeln!(text, "{:<16} {}", bifurcation.kind, bifurcation.value);
    }
    let mut before = None;
    for orbit in &branch.points {
        if before != Some(orbit.stable) {
            let word = if orbit.stable { "stable" } else { "unstable" };
            let _ = writeln!(text, "{word} from {} on, period {} s", orbit.value, orbit.period);
        }
        before = Some(orbit.stable);
    }
    text
}

fn as_json(branch: &Branch) -> Value {
    let points = branch.points.iter().map(|orbit| {
        json!({
            "value": orbit.value,
            "period": orbit.period,
            "multipliers": orbit.multipliers,
            "stable": orbit.stable,
            "modes": orbit.modes,
        })
    });
    let special = branch.bifurcations.iter().map(|b| json!({ "kind": b.kind, "value": b.value }));
    json!({
        "branch": points.collect::<Vec<Value>>(),
        "bifurcations": special.collect::<Vec<Value>>(),
        "ended": branch.ended,
    })
}

fn write_files(folder: &Path, vary: &Vary, branch: &Branch) -> Result<(), String> {
    let told = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| told(&path, &error))
    };
    let unit = if vary.unit.is_empty() { String::new() } else { format!(" [{}]", vary.unit) };
    let mut table = format!("{}{unit},period [s],stable,largest_multiplier,modes\n", vary.key);
    for orbit in &branch.points {
        let modes = orbit.modes.join(" | ").replace('"', "");
        let (value, period, stable) = (orbit.value, orbit.period, orbit.stable);
        let _ = writeln!(table, "{value},{period},{stable},{},\"{modes}\"", largest(orbit));
    }
    write("branch.csv", table.as_bytes())?;
    write("branch.json", format!("{}\n", as_json(branch)).as_bytes())?;
    let figure = picture(&format!("{}{unit}", vary.key), branch);
    write("branch.svg", figure.to_svg()?.as_bytes())?;
    write("branch.png", &figure.to_png(2)?)
}

/// Period and largest multiplier over the value; parts that are unstable are dashed.
fn picture(key: &str, branch: &Branch) -> Figure {
    let panel = |title: &str, label: &str, of: &dyn Fn(&Orbit) -> f64| {
        let mut series: Vec<Series> = Vec::new();
        let mut named = [false, false];
        for pair in branch.points.windows(2) {
            let stable = pair[0].stable && pair[1].stable;
            let style = if stable { Style::Line } else { Style::Dashed };
            if series.last().is_none_or(|last| last.style != style) {
                let word = if stable { "stable" } else { "unstable" };
                let name = if named[usize::from(stable)] { "" } else { word };
                named[usize::from(stable)] = true;
                let first = (vec![pair[0].value], vec![of(&pair[0])]);
                series.push(Series::styled(style, name, first.0, first.1).colored(0));
            }
            if let Some(last) = series.last_mut() {
                last.x.push(pair[1].value);
                last.y.push(of(&pair[1]));
            }
        }
        let mut panel = Panel::new(title, key, label, series);
        for bifurcation in &branch.bifurcations {
            let near = branch.points.iter().min_by(|a, b| {
                (a.value - bifurcation.value).abs().total_cmp(&(b.value - bifurcation.value).abs())
            });
            if let Some(near) = near {
                let at = (bifurcation.value, of(near));
                panel.notes.push(Note { at, text: bifurcation.kind.to_owned() });
            }
        }
        panel
    };
    let panels = vec![
        panel("period", "period / s", &|orbit| orbit.period),
        panel("largest multiplier", "|multiplier|", &largest),
    ];
    Figure { panels, columns: 1, panel_size: (640.0, 320.0), ..Figure::default() }
}
