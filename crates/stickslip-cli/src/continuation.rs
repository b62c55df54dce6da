//! `stickslip continue`: a branch of periodic orbits or equilibria over a parameter.

use crate::branch_files::{BranchFiles, largest};
use crate::exit::Exit;
use crate::orbit::{SECTION_HELP, question, refusal};
use crate::scene_file::{Failure, SCENE_HELP, failure};
use crate::{complain_all, note, say};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use stickslip::scene::SceneFile;
use stickslip::study::{
    self, Branch, Equilibrium, Followed, MOST_DOUBLINGS, Orbit, RestBranch, SpecialPoint, Vary,
    follow,
};

const AFTER_HELP: &str = "\
Finds the periodic orbit on which the motion ends at the first value, like
`stickslip orbit`, and follows it to the last value, through folds: stable or
not. Tells where it folds, doubles its period, loses stability to a second
frequency (neimark-sacker), where a contact begins or ceases to be touched
(grazing), and where a phase of stick or of a closed contact appears or vanishes
(sliding). With --switch the orbits of doubled period are followed too, from
each doubling on.

Where the motion ends at rest, or with --equilibrium, the equilibrium is
followed (or the steady motion, in directions in which the system is the same
everywhere): fold, hopf (a pair of eigenvalues passes the imaginary axis),
branch-point (a real one passes zero), sliding and grazing (a law begins to slip
or to stick, a contact opens or closes). Where one law of friction along a line
sticks, all equilibria form an interval; its ends are told at each value.

With --out the folder gets branch.csv (a row per point), branch.json, branch.svg
and branch.png (dashed where unstable), index.html, and study.json (units, hash
of the scene).

Examples:
  stickslip continue vibrating-table --vary parameters.shaking=0.36:1.2
  stickslip continue vibrating-table --vary parameters.shaking=1:1.15 --switch
  stickslip continue my-scene.toml --vary parameters.amplitude=0.1:0.5 --out out
  stickslip continue brake-squeal --vary parameters.disk_speed=1.2:0.6

Exit codes: 0 done, 2 bad input, 3 there is no orbit at the first value, 4
cannot write.";

/// Follow an orbit or an equilibrium over a parameter, name its bifurcations
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

    /// Follow the equilibrium, wherever the motion ends
    #[arg(long, conflicts_with_all = ["section", "switch"])]
    equilibrium: bool,

    #[arg(
        long,
        value_name = "TIMES",
        num_args = 0..=1,
        default_missing_value = "1",
        default_value = "0",
        hide_default_value = true,
        help = "Follow orbits of doubled period too, so many\ndoublings one after the other [default: none;\n1 without a number]"
    )]
    switch: usize,

    #[arg(
        long = "set",
        value_name = "KEY=VALUE",
        help = "Replace a value of the scene, e.g.\nsimulation.duration=20; may be repeated"
    )]
    overrides: Vec<String>,

    #[arg(long, value_name = "DIR", help = "Write tables, pictures and a page to this folder")]
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
        // Before a folder is made for it.
        if self.switch > MOST_DOUBLINGS {
            let message =
                format!("--switch is {}, it must be at most {MOST_DOUBLINGS}", self.switch);
            return Err((Exit::BadInput, message));
        }
        let files = BranchFiles {
            file: &file,
            vary: &vary,
            scene: &self.scene,
            overrides: &self.overrides,
        };
        if let Some(out) = &self.out {
            let own = json!({ "section": self.section, "equilibrium": self.equilibrium,
                "switch": self.switch, "text": self.vary });
            study::claim_folder(out, &files.description(&own)?).map_err(refusal)?;
        }
        let followed = follow(&file, &question, &vary, self.equilibrium, self.switch);
        let followed = followed.map_err(refusal)?;
        let object = as_json(&followed);
        let mut written = String::new();
        if let Some(out) = &self.out {
            for name in files.write(out, &followed, &object)? {
                let _ = writeln!(written, "{}", out.join(name).display());
            }
        }
        let ended = match &followed {
            Followed::Orbits(branches) => &branches.first.ended,
            Followed::Rest(branch) => &branch.ended,
        };
        if let Some(ended) = ended {
            note(&format!("the branch ends before the range does: {ended}"));
        }
        if self.json {
            return Ok(format!("{object}\n"));
        }
        let text = match &followed {
            Followed::Orbits(branches) => {
                let mut text = as_text(&vary, &branches.first);
                for side in &branches.doubled {
                    let _ = writeln!(text, "from the {} at {}:", side.from.kind, side.from.value);
                    text += &as_text(&vary, &side.branch);
                }
                text
            }
            Followed::Rest(branch) => rest_as_text(&vary, branch),
        };
        Ok(text + &written)
    }
}

/// How many points there are, from where to where, and the bifurcations.
fn head(vary: &Vary, points: &str, values: &[f64], bifurcations: &[SpecialPoint]) -> String {
    let mut text = String::new();
    if let (Some(first), Some(last)) = (values.first(), values.last()) {
        let _ = writeln!(text, "{} {points} from {} = {first} to {last}", values.len(), vary.key);
    }
    for bifurcation in bifurcations {
        let _ = writeln!(text, "{:<16} {}", bifurcation.kind, bifurcation.value);
    }
    text
}

fn as_text(vary: &Vary, branch: &Branch) -> String {
    let values: Vec<f64> = branch.points.iter().map(|point| point.value).collect();
    let mut text = head(vary, "orbits", &values, &branch.bifurcations);
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

fn rest_as_text(vary: &Vary, branch: &RestBranch) -> String {
    let values: Vec<f64> = branch.points.iter().map(|point| point.value).collect();
    let mut text = head(vary, "equilibria", &values, &branch.bifurcations);
    let mut before = None;
    for point in &branch.points {
        let now = (point.stable, point.mode.clone());
        if before.as_ref() != Some(&now) {
            let word = if point.stable { "stable" } else { "unstable" };
            let mode = crate::output::printable(&point.mode);
            let _ = writeln!(text, "{word} from {} on, {mode}", point.value);
            if let Some([a, b]) = &point.interval {
                let _ = writeln!(text, "  an interval, coordinates from {a:?} to {b:?}");
            }
        }
        before = Some(now);
    }
    text
}

fn special_as_json(list: &[SpecialPoint]) -> Vec<Value> {
    list.iter().map(|b| json!({ "kind": b.kind, "value": b.value })).collect()
}

fn orbits_as_json(branch: &Branch) -> Vec<Value> {
    let point = |orbit: &Orbit| {
        json!({
            "value": orbit.value,
            "period": orbit.period,
            "multipliers": orbit.multipliers,
            "stable": orbit.stable,
            "modes": orbit.modes,
            "largest_multiplier": largest(orbit),
            "state": { "t": orbit.state.t, "q": orbit.state.q, "u": orbit.state.u },
        })
    };
    branch.points.iter().map(point).collect()
}

fn as_json(followed: &Followed) -> Value {
    match followed {
        Followed::Orbits(branches) => {
            let side = branches.doubled.iter().map(|side| {
                json!({
                    "from": { "kind": side.from.kind, "value": side.from.value },
                    "branch": orbits_as_json(&side.branch),
                    "bifurcations": special_as_json(&side.branch.bifurcations),
                    "ended": side.branch.ended,
                })
            });
            json!({
                "branch": orbits_as_json(&branches.first),
                "bifurcations": special_as_json(&branches.first.bifurcations),
                "branches": side.collect::<Vec<Value>>(),
                "ended": branches.first.ended,
            })
        }
        Followed::Rest(branch) => {
            let point = |point: &Equilibrium| {
                json!({
                    "value": point.value,
                    "period": null,
                    "multipliers": [],
                    "eigenvalues": point.eigenvalues,
                    "stable": point.stable,
                    "modes": [point.mode],
                    "state": { "t": point.state.t, "q": point.state.q, "u": point.state.u },
                    "interval": point.interval,
                })
            };
            json!({
                "branch": branch.points.iter().map(point).collect::<Vec<Value>>(),
                "bifurcations": special_as_json(&branch.bifurcations),
                "branches": [],
                "ended": branch.ended,
            })
        }
    }
}
