//! `stickslip basins`: which motion each start settles to.

use crate::basin_picture::picture;
use crate::exit::Exit;
use crate::output::printable;
use crate::run_plots::PIXELS;
use crate::scene_file::{Failure, SCENE_HELP, failure};
use crate::session::told;
use crate::study_command::{PointBar, PointOptions, StudyOptions, refusal, stop_check};
use crate::study_page::{self, Key, Page};
use crate::{say, signals};
use clap::Args;
use std::fmt::Write;
use std::path::Path;
use stickslip::scene::SceneFile;
use stickslip::study::{self, Attractor, Design};

const AFTER_HELP: &str = "\
Each point settles: passages of the section are discarded, and by the next ones
the motion is known. Motions that repeat themselves are the same attractor if
they have the same period and the same velocities and times between passages;
motions that no longer pass the section for simulation.duration are at rest, or
unseen if they still move; all others are irregular.

Written to the folder: basins.csv (a row for each point), attractors.csv (parts
of all points with an interval of 95 % confidence), with two keys basins.svg and
.png, index.html, study.json, journal.tsv. The same command goes on where an
earlier one was ended.

Examples:
  stickslip basins vibrating-table --vary parameters.shaking=0.4:1.4:11
    --vary parameters.restitution=0.5:0.9:9 --out out/basins
  stickslip basins my-scene.toml --vary start.x=-1:1:100 --vary start.v=-2:2:100
    --section \"period 2*pi/omega\" --jobs 2
  stickslip basins my-scene.toml --vary start.x=-1:1 --vary start.v=-2:2
    --sample random:10000

Exit codes: 0 complete, also with points that failed, 2 bad input, 3 no point is
done, 4 cannot write, 5 internal error, 130 interrupted by Ctrl-C, 143 by
SIGTERM.";

/// Find which motion each start settles to
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Basins {
    /// See [`SCENE_HELP`].
    #[arg(value_name = "NAME_OR_FILE", help = SCENE_HELP)]
    scene: String,

    #[command(flatten)]
    points: PointOptions,

    #[arg(
        long,
        value_name = "SECTION",
        default_value = "impact(any)",
        help = "When the motion is looked at, as in `stickslip\nbifurcation`"
    )]
    section: String,

    #[arg(
        long,
        value_name = "N",
        default_value = "200",
        help = "Passages before those that count"
    )]
    discard: usize,

    #[arg(
        long,
        value_name = "N",
        default_value = "32",
        help = "Passages by which a motion is known"
    )]
    keep: usize,

    #[arg(
        long,
        value_name = "PART",
        default_value = "1e-2",
        help = "Part of its size within which a quantity of two\nmotions is the same"
    )]
    tolerance: f64,

    #[command(flatten)]
    options: StudyOptions,
}

impl Basins {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.find())
    }

    fn find(&self) -> Result<Exit, Failure> {
        let file = SceneFile::open(&self.scene).map_err(failure)?;
        let jobs = self.options.jobs()?;
        self.options.check()?;
        if self.keep < 2 {
            return Err((
                Exit::BadInput,
                format!("--keep is {}, it must be at least 2", self.keep),
            ));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let message = format!("--tolerance is {}, it must be between 0 and 1", self.tolerance);
            return Err((Exit::BadInput, message));
        }
        let plan = self.points.plan()?;
        let basins = study::Basins::new(file, &self.options.overrides, plan, &self.section);
        let mut basins = basins.map_err(refusal)?;
        (basins.discard, basins.keep, basins.tolerance) = (self.discard, self.keep, self.tolerance);
        let folder = self.options.folder(basins.scene(), "basins");
        let stop = stop_check();
        let bar = PointBar::new(basins.plan().count(), self.options.quiet);
        let found = basins.run(&folder, jobs, &stop, &mut |at| {
            bar.update(at.points, at.over, at.resumed, at.failed);
        });
        bar.finish();
        let (progress, attractors) = found.map_err(refusal)?;
        self.draw(&basins, &attractors, &folder)?;
        let exit = match signals::received() {
            Some(signal) if progress.over < progress.points => signal,
            _ if progress.over == progress.failed => Exit::NotConverged,
            _ => Exit::Done,
        };
        if self.options.json {
            let list: Vec<_> = attractors
                .iter()
                .map(|a| {
                    serde_json::json!({ "kind": a.kind, "period": a.period, "points": a.count,
                        "fraction": a.fraction, "interval": a.interval })
                })
                .collect();
            let text = serde_json::json!({ "points": progress.points,
                "done": progress.over - progress.failed, "failed": progress.failed,
                "attractors": list, "folder": folder });
            return Ok(say(&format!("{text}\n"), exit));
        }
        let mut words = format!(
            "basins of {}: {} points, {} done, {} failed\n",
            printable(basins.scene()),
            progress.points,
            progress.over - progress.failed,
            progress.failed
        );
        for (number, a) in attractors.iter().enumerate() {
            let what = if a.period > 0 { format!("period {}", a.period) } else { a.kind.clone() };
            let [part, low, high] = [a.fraction, a.interval[0], a.interval[1]].map(|x| 100.0 * x);
            let _ = writeln!(
                words,
                "{:3}  {what:12} {part:6.2} % of the points ({low:.2} to {high:.2} %)",
                number + 1
            );
        }
        if progress.over < progress.points {
            let left = progress.points - progress.over;
            let _ = writeln!(words, "{left} points are left, the same command goes on");
        }
        for file in [study_page::PAGE, study::BASINS, "attractors.csv"] {
            let _ = writeln!(words, "{}", folder.join(file).display());
        }
        Ok(say(&words, exit))
    }

    /// The page, and with two keys the pictures.
    fn draw(
        &self,
        basins: &study::Basins,
        attractors: &[Attractor],
        folder: &Path,
    ) -> Result<(), Failure> {
        let varies = basins.plan().varies();
        if varies.len() == 2 {
            let path = folder.join(study::BASINS);
            let figure = picture(&path, basins.plan(), attractors)
                .map_err(|e| (Exit::ResourceLimit, format!("{}: {e}", path.display())))?;
            let drawn = |e: String| (Exit::Internal, e);
            study_page::write(folder, "basins.svg", figure.to_svg().map_err(drawn)?.as_bytes())?;
            study_page::write(folder, "basins.png", &figure.to_png(PIXELS).map_err(drawn)?)?;
        }
        let page = Page {
            kind: if basins.plan().design() == Design::Grid { "grid" } else { "sample" },
            title: format!("{}: basins of {} attractors", basins.scene(), attractors.len()),
            scene: self.scene.clone(),
            set: self.options.overrides.clone(),
            keys: varies.iter().map(|vary| Key::new(&vary.key, &vary.unit)).collect(),
            measures: vec![Key::new("attractor", "")],
            ..Page::default()
        };
        page.write(folder, study::BASINS, &["period"])?;
        let units: Vec<_> = varies.iter().map(|v| (v.key.clone(), v.unit.clone())).collect();
        self.options.convert(&folder.join(study::BASINS), &units, &basins.description())
    }
}
