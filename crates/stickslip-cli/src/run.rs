//! `stickslip run`: a scene in, a folder of results out.

use crate::check::CHECK_TOLERANCE;
use crate::exit::Exit;
use crate::folder::{ARCHIVE, OutputFolder, SCENE, TRAJECTORY};
use crate::formats::{Format, Formats};
use crate::output::{printable, safe};
use crate::report::Recorder;
use crate::scene_file::{ChosenScene, Failure, failure};
use crate::session::{Outputs, Session, Watcher, scene_text, told};
use crate::{limits, note, warn};
use clap::Args;
use std::path::{Path, PathBuf};
use stickslip::scene::Scene;
use stickslip::scene::world::judge;
use stickslip::simulate::{Archive, TableWriter};

const AFTER_HELP: &str = "\
Written to the folder: report.html (motion, plots and summary; open it in a
browser), trajectory.csv (one row per output step), impacts.csv (one row per
impact), contacts.csv (what happened at contacts: close, open, stick, slip,
impact, accumulation, in the order of time),
summary.json, scene.toml (every key with the value that counted; run it to
repeat the run), run.archive (states from which `stickslip resume` goes on),
and failed-problem.json if a contact problem was not solved
(look at it with `stickslip solve`).
With --formats also trajectory.npz (for numpy.load), vtk/motion.pvd and
vtk/contacts.pvd (for ParaView), trajectory.parquet (if the program was built
with --features parquet); with --plots also plot-*.svg and plot-*.png.
docs/user-guide.md describes keys and files.

Examples:
  stickslip run tippe-top
  stickslip run rolling-disk-coulomb --out out/disk --set simulation.duration=2
  stickslip run tippe-top --set parameters.contact_radius=1e-3
  stickslip run slider-crank --set simulation.integrator=event-driven
  stickslip run rolling-sphere --set simulation.integrator=ode-stiff
  stickslip run tippe-top --plots --formats npz,vtk
  stickslip run my-scene.toml --json

Exit codes: 0 done, 2 bad input, 3 not converged or untrustworthy (results are
kept; docs/user-guide.md), 4 resource limit (cannot write, the folder is in use,
--max-steps, --max-contacts, --max-output), 5 internal error, 130 interrupted by
Ctrl-C, 143 by SIGTERM (what was computed is kept, `stickslip resume` goes on).";

/// Run a scene and write its results to a folder
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Run {
    #[command(flatten)]
    chosen: ChosenScene,

    #[arg(
        long,
        value_name = "DIR",
        help = "The folder for the results; earlier results in\nit are replaced at the end [default: out/<name>]"
    )]
    out: Option<PathBuf>,

    #[arg(
        long,
        value_name = "FORMATS",
        value_delimiter = ',',
        hide_possible_values = true,
        help = "Formats of the trajectory, separated by commas:\ncsv (always written), npz, vtk, parquet"
    )]
    formats: Vec<Format>,

    #[arg(
        long,
        value_name = "SECONDS",
        help = "Time between two rows of output, in place of\nsimulation.output_step"
    )]
    output_step: Option<String>,

    #[arg(long, help = "Go on where a contact problem is not solved; such\nsteps are counted")]
    allow_inexact: bool,

    /// Write although the folder holds other files
    #[arg(long)]
    force: bool,

    /// What is written and told.
    #[command(flatten)]
    outputs: Outputs,
}

impl Run {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.prepare().and_then(|session| session.run(&self.outputs)))
    }

    /// Everything up to the first step: nothing is written unless the scene can run.
    fn prepare(&self) -> Result<Session, Failure> {
        let (scene, file, doubts) = self.read_scene()?;
        self.outputs.limits.check(&scene)?;
        if let Some(contradiction) = scene.contradiction(CHECK_TOLERANCE) {
            return Err((Exit::BadInput, format!("{}: {contradiction}", scene.name)));
        }
        let simulation = scene.simulate().map_err(failure)?;
        let mut warnings = scene.warnings();
        warnings.extend(scene.overlap_warning());
        warnings.extend(doubts);
        if !self.outputs.quiet {
            // The bodies one by one are for `check`.
            scene.assembly().iter().take(1).for_each(|told| note(&printable(told)));
            warnings.iter().for_each(|warning| warn(&printable(warning)));
            limits::estimate(&scene, &simulation).iter().for_each(|told| note(told));
        }
        warnings.extend(scene.assembly().first().cloned());
        let path = match &self.out {
            Some(path) => path.clone(),
            None => Path::new("out").join(safe(&scene.name, "scene")),
        };
        let folder = OutputFolder::open(path, self.force, file.as_deref())?;
        let text = scene_text(&scene);
        folder.write(SCENE, &text)?;
        let (system, columns) = (scene.system.clone(), scene.columns());
        let table = TableWriter::new(system.as_ref(), &columns, folder.create(TRAJECTORY)?)
            .map_err(|e| folder.write_failed(TRAJECTORY, &e.to_string()))?;
        let rows = scene.simulation.duration / scene.simulation.output_step;
        let formats = Formats::new(&self.formats, system.as_ref(), &columns, rows, &folder)?;
        let archive = Archive::create(&folder.path().join(ARCHIVE), &text)
            .map_err(|e| (Exit::ResourceLimit, e.to_string()))?;
        let recorder = Recorder::new(&columns);
        let mut watcher = Watcher::new(&self.outputs, &scene, folder, archive, table, recorder);
        watcher.formats = formats;
        watcher.begin_at(&simulation)?;
        Ok(Session { scene, simulation, watcher, warnings })
    }

    /// The scene, its file if it is one, and what its numbers make one doubt.
    fn read_scene(&self) -> Result<(Scene, Option<PathBuf>, Vec<String>), Failure> {
        let mut overrides = self.chosen.overrides.clone();
        if self.allow_inexact {
            overrides.push("simulation.allow_inexact=true".into());
        }
        if let Some(step) = &self.output_step {
            overrides.push(format!("simulation.output_step={step}"));
        }
        let file = self.chosen.open()?;
        let scene = file.scene(&overrides).map_err(failure)?;
        let world = file.world(&overrides).map_err(failure)?;
        let doubts = world.map(|world| judge(&world, scene.system.as_ref(), &scene.start));
        Ok((scene, file.path, doubts.unwrap_or_default()))
    }
}
