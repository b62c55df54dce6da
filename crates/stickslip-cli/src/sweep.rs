//! `stickslip sweep`: a run at every point of a grid or sample, and numbers that are made of each.

use crate::exit::Exit;
use crate::output::printable;
use crate::scene_file::{Failure, SCENE_HELP, failure};
use crate::session::told;
use crate::study_command::{PointBar, PointOptions, StudyOptions, refusal, stop_check};
use crate::study_page::{self, Key, Page};
use crate::{note, say, signals};
use clap::Args;
use std::path::Path;
use stickslip::scene::SceneFile;
use stickslip::study::{self, Design, SweepProgress};

const AFTER_HELP: &str = "\
A measure is made of the rows of trajectory.csv, the impacts and the summary of
each run: max(EXPR), min(EXPR), mean(EXPR), last(EXPR), at(EXPR, TIME),
count(impact(NAME)) with NAME a contact or a body, period (of the motion),
period(EXPR), and expressions of these, of parameters and of steps, impacts,
events, rescued_steps, unsolved_steps, worst_residual, max_penetration,
closing_error, end; EXPR is an expression of columns. Values are in SI units.

Written to the folder: sweep.csv (a row for each point in the order of the grid,
the last key fastest: keys, measures, status, message), study.json (units, hash
of the scene, all that makes the study), index.html (linked plots; a click on a
point shows the command that runs it), journal.tsv, sweep.parquet (--parquet).
The same command goes on where an earlier one was ended, however it was.

Examples:
  stickslip sweep vibrating-table --vary parameters.shaking=0.4:1.4:51
    --measure \"max(ball.y)\" --measure \"hits=count(impact(ball))\" --out out/hits
  stickslip sweep slider-crank --vary parameters.friction_coefficient=0:0.1:11
    --vary parameters.restitution=0.2,0.4,0.6 --measure \"mean(energy)\" --jobs 2
  stickslip sweep vibrating-table --vary parameters.shaking=0.4:1.4
    --sample sobol:64 --measure \"period\"

Exit codes: 0 complete, also with points that failed, 2 bad input, 3 no point is
done, 4 cannot write, 5 internal error, 130 interrupted by Ctrl-C, 143 by
SIGTERM (the same command goes on).";

/// Run a scene at many values and measure each run
#[derive(Args)]
#[command(
    after_help = AFTER_HELP,
    override_usage = "stickslip sweep NAME_OR_FILE --vary KEY=VALUES --measure EXPR [OPTIONS]"
)]
pub struct Sweep {
    /// See [`SCENE_HELP`].
    #[arg(value_name = "NAME_OR_FILE", help = SCENE_HELP)]
    scene: String,

    #[command(flatten)]
    points: PointOptions,

    #[arg(
        long = "measure",
        value_name = "[NAME=]EXPR",
        required = true,
        help = "A number of each run, e.g. \"max(ball.y)\"; may be\nrepeated"
    )]
    measures: Vec<String>,

    #[command(flatten)]
    options: StudyOptions,
}

impl Sweep {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.sweep())
    }

    fn sweep(&self) -> Result<Exit, Failure> {
        let file = SceneFile::open(&self.scene).map_err(failure)?;
        let jobs = self.options.jobs()?;
        self.options.check()?;
        let plan = self.points.plan()?;
        let points = plan.count();
        let sweep = study::Sweep::new(file, &self.options.overrides, plan, &self.measures)
            .map_err(refusal)?;
        let folder = self.options.folder(sweep.scene(), "sweep");
        let stop = stop_check();
        let bar = PointBar::new(points, self.options.quiet);
        let told = sweep.run(&folder, jobs, &stop, &mut |progress: &SweepProgress| {
            if progress.over == progress.resumed && progress.resumed > 0 && !self.options.quiet {
                let (resumed, points) = (progress.resumed, progress.points);
                note(&format!("{resumed} of {points} points were there already"));
            }
            bar.update(progress.points, progress.over, progress.resumed, progress.failed);
        });
        bar.finish();
        let progress = told.map_err(refusal)?;
        self.page(&sweep, &folder)?;
        let SweepProgress { points, over, resumed, failed, .. } = progress;
        let done = over - failed;
        if self.options.json {
            let text = serde_json::json!({
                "points": points, "done": done, "failed": failed, "resumed": resumed,
                "folder": folder, "scene_hash": sweep.description()["scene_hash"],
            });
            return Ok(say(&format!("{text}\n"), exit(&progress)));
        }
        let table = folder.join(study::TABLE);
        let mut words = format!(
            "sweep of {}: {points} points, {done} done, {failed} failed\n",
            printable(sweep.scene())
        );
        if over < points {
            let left = points - over;
            words += &format!(
                "{}: {left} points are left, the same command goes on\n",
                signals::words()
            );
        }
        words += &format!("{}\n{}\n", table.display(), folder.join(study_page::PAGE).display());
        Ok(say(&words, exit(&progress)))
    }

    fn page(&self, sweep: &study::Sweep, folder: &Path) -> Result<(), Failure> {
        let plan = sweep.plan();
        let keys = plan.varies().iter().map(|vary| Key::new(&vary.key, &vary.unit));
        let measures = sweep.measures().iter().map(|(name, unit)| Key::new(name, unit));
        let page = Page {
            kind: if plan.design() == Design::Grid { "grid" } else { "sample" },
            title: format!("{}: {} points", sweep.scene(), plan.count()),
            scene: self.scene.clone(),
            set: self.options.overrides.clone(),
            keys: keys.collect(),
            measures: measures.collect(),
            ..Page::default()
        };
        page.write(folder, study::TABLE, &[])?;
        let keys = plan.varies().iter().map(|vary| (vary.key.clone(), vary.unit.clone()));
        let units: Vec<_> = keys.chain(sweep.measures().iter().cloned()).collect();
        self.options.convert(&folder.join(study::TABLE), &units, &sweep.description())
    }
}

fn exit(progress: &SweepProgress) -> Exit {
    match signals::received() {
        Some(signal) if progress.over < progress.points => signal,
        _ if progress.over == progress.failed => Exit::NotConverged,
        _ => Exit::Done,
    }
}
