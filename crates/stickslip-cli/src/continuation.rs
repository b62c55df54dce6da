//! `stickslip continue`: a branch of periodic orbits or equilibria over a parameter.

use crate::branch_files::BranchFiles;
use crate::branch_words::{as_json, as_text};
use crate::exit::Exit;
use crate::orbit::{SECTION_HELP, question};
use crate::scene_file::{ChosenScene, Failure};
use crate::session::told;
use crate::study_command::refusal;
use crate::{note, say};
use clap::Args;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use stickslip::study::{self, Followed, MOST_DOUBLINGS, Vary, follow};

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
    #[command(flatten)]
    chosen: ChosenScene,

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

    #[arg(long, value_name = "DIR", help = "Write tables, pictures and a page to this folder")]
    out: Option<PathBuf>,

    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
}

impl Continue {
    /// Follows and tells.
    pub fn run(self) -> Exit {
        told(self.follow().map(|text| say(&text, Exit::Done)))
    }

    fn follow(&self) -> Result<String, Failure> {
        let file = self.chosen.open()?;
        let vary = Vary::parse(&self.vary).map_err(refusal)?;
        let question = question(self.chosen.overrides.clone(), self.section.as_deref())?;
        // Before a folder is made for it.
        if self.switch > MOST_DOUBLINGS {
            let message =
                format!("--switch is {}, it must be at most {MOST_DOUBLINGS}", self.switch);
            return Err((Exit::BadInput, message));
        }
        let files = BranchFiles {
            file: &file,
            vary: &vary,
            scene: &self.chosen.scene,
            overrides: &self.chosen.overrides,
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
        let text = as_text(&vary, &followed);
        Ok(text + &written)
    }
}
