//! `stickslip run`: a scene in, a folder of results out.

use crate::check::CHECK_TOLERANCE;
use crate::exit::Exit;
use crate::folder::{
    CONTACTS, FAILED_PROBLEM, IMPACTS, MARK, OutputFolder, REPORT, SCENE, SUMMARY, TRAJECTORY,
};
use crate::formats::{Format, Formats};
use crate::output::{printable, safe};
use crate::report::{self, Recorder};
use crate::run_plots;
use crate::run_progress::RunBar;
use crate::run_summary::SummaryFile;
use crate::scene_file::{Failure, SCENE_HELP, failure};
use crate::{complain_all, warn};
use clap::Args;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stickslip::scene::{Scene, SceneFile};
use stickslip::simulate::{
    self, Observer, Progress, RunStatus, Sample, Simulation, Summary, TableWriter,
};
use stickslip::system::Observed;

const AFTER_HELP: &str = "\
Written to the folder: report.html (motion, plots and summary; open it in a
browser), trajectory.csv (one row per output step), impacts.csv (one row per
impact), contacts.csv (what happened at contacts: close, open, stick, slip,
impact, accumulation, in the order of time),
summary.json, scene.toml (every key with the value that counted; run it to
repeat the run), and failed-problem.json if a contact problem was not solved
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
kept; docs/user-guide.md), 4 resource limit (cannot
write, too much output), 5 internal error, 130 interrupted by Ctrl-C (what was
computed is kept).";

/// Rows of output that a run may write at most: a table of some 200 GB.
const MOST_ROWS: f64 = 1e9;

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Run a scene and write its results to a folder
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Run {
    /// See [`SCENE_HELP`].
    #[arg(value_name = "NAME_OR_FILE", help = SCENE_HELP)]
    scene: String,

    #[arg(
        long,
        value_name = "DIR",
        help = "The folder for the results; earlier results in\nit are replaced [default: out/<name>]"
    )]
    out: Option<PathBuf>,

    #[arg(
        long = "set",
        value_name = "KEY=VALUE",
        help = "Replace a value of the scene, e.g.\nparameters.contact_radius=1e-3; may be repeated"
    )]
    overrides: Vec<String>,

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

    /// Do not write report.html
    #[arg(long)]
    no_report: bool,

    /// Write the plots of the report as SVG and PNG too
    #[arg(long)]
    plots: bool,

    #[arg(long, help = "Go on where a contact problem is not solved; such\nsteps are counted")]
    allow_inexact: bool,

    /// Write although the folder holds other files
    #[arg(long)]
    force: bool,

    /// No progress and no summary on the terminal
    #[arg(long)]
    quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

impl Run {
    /// Runs the command.
    pub fn run(self) -> Exit {
        match self.run_scene() {
            Ok(exit) => exit,
            Err((exit, message)) => {
                complain_all(&message);
                exit
            }
        }
    }

    fn run_scene(&self) -> Result<Exit, Failure> {
        let mut prepared = self.prepare()?;
        let summary = prepared.run();
        self.write(prepared, summary)
    }

    /// Everything up to the first step: nothing is written unless the scene can run.
    fn prepare(&self) -> Result<Prepared, Failure> {
        let (scene, file) = self.read_scene()?;
        let rows = scene.simulation.duration / scene.simulation.output_step;
        if rows > MOST_ROWS {
            let message = format!(
                "simulation.output_step is {:e}: over {} s the table would have {rows:.1e} rows, at \
                 most {MOST_ROWS:.0e} are allowed",
                scene.simulation.output_step, scene.simulation.duration
            );
            return Err((Exit::ResourceLimit, message));
        }
        if let Some(contradiction) = scene.contradiction(CHECK_TOLERANCE) {
            return Err((Exit::BadInput, format!("{}: {contradiction}", scene.name)));
        }
        let mut simulation = scene.simulate().map_err(failure)?;
        simulation.stop_when(Arc::new(|| INTERRUPTED.load(Ordering::Relaxed)));
        let mut warnings = scene.warnings();
        warnings.extend(scene.overlap_warning());
        if !self.quiet {
            warnings.iter().for_each(|warning| warn(&printable(warning)));
        }
        let path = match &self.out {
            Some(path) => path.clone(),
            None => Path::new("out").join(safe(&scene.name, "scene")),
        };
        let folder = OutputFolder::open(path, self.force, file.as_deref())?;
        let scene_text = format!("{MARK}; this file repeats the run.\n\n{}", scene.to_toml());
        folder.write(SCENE, &scene_text)?;
        let (system, columns) = (scene.system.clone(), scene.columns());
        let table = BufWriter::new(folder.create(TRAJECTORY)?);
        let table = TableWriter::new(system.as_ref(), &columns, table)
            .map_err(|e| folder.write_failed(TRAJECTORY, &e.to_string()))?;
        // Without a handler Ctrl-C just ends the program.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        let bar = RunBar::new(scene.simulation.duration, self.quiet);
        let formats = Formats::new(&self.formats, system.as_ref(), &columns, rows, &folder)?;
        let recorder = Recorder::new(&columns);
        let watcher =
            Watcher { system, table, formats, rows: 0, bar, recorder, folder, cut_off: false };
        Ok(Prepared { scene, simulation, watcher, warnings })
    }

    /// Writes and tells what came of a run; what cannot be written is told at the end.
    fn write(&self, prepared: Prepared, mut summary: Summary) -> Result<Exit, Failure> {
        let Prepared { scene, watcher, mut warnings, .. } = prepared;
        let Watcher { system, table, formats, rows, bar, recorder, folder, cut_off } = watcher;
        let time = bar.finish();
        let mut failures: Vec<Failure> = Vec::new();
        match table.finish() {
            Err(e) => failures.push(folder.write_failed(TRAJECTORY, &e.to_string())),
            Ok(_) if !cut_off => folder.completed(TRAJECTORY),
            Ok(_) => {}
        }
        failures.extend(formats.finish(&folder));
        failures.extend(write_tables(system.as_ref(), &summary, &folder));
        if let (RunStatus::Done, Some((_, message))) = (&summary.status, failures.first()) {
            summary.status = RunStatus::OutputFailed { message: message.clone() };
        }
        let command = command_line();
        let mut file = SummaryFile::new(&scene, &summary, &command, rows, time);
        // Doubts about the results are told with --quiet too.
        summary.warnings.iter().for_each(|warning| warn(&printable(warning)));
        warnings.extend(summary.warnings.iter().cloned());
        file.warnings = warnings;
        match write_problem(&scene.name, &summary, &folder) {
            Err(failure) => failures.push(failure),
            Ok(note) => file.message = file.message.map(|message| message + &note),
        }
        let pretty =
            serde_json::to_string_pretty(&file).map_err(|e| (Exit::Internal, e.to_string()))?;
        failures.extend(folder.write(SUMMARY, &(pretty + "\n")).err());
        let page =
            |out: &mut BufWriter<File>| report::write(&scene, &recorder, &summary, &file, out);
        if !self.no_report {
            failures.extend(folder.write_by(REPORT, page).err());
        }
        if self.plots {
            failures.extend(write_plots(&scene, &recorder, &summary, &folder));
        }
        self.tell(&file, &folder)?;
        if let Some(message) = &file.message {
            let exit = match summary.status {
                RunStatus::Interrupted => Exit::Interrupted,
                RunStatus::OutputFailed { .. } => Exit::ResourceLimit,
                _ => Exit::NotConverged,
            };
            // It may be one of them already, and is told first.
            failures.retain(|(_, text)| text != message);
            failures.insert(0, (exit, format!("{}: {message}", scene.name)));
        }
        let Some(exit) = failures.iter().map(|(exit, _)| *exit).max() else {
            return Ok(Exit::Done);
        };
        let texts: Vec<String> = failures.into_iter().map(|(_, text)| text).collect();
        Err((exit, texts.join("\n")))
    }

    /// The scene, and its file if it is one.
    fn read_scene(&self) -> Result<(Scene, Option<PathBuf>), Failure> {
        let mut overrides = self.overrides.clone();
        if self.allow_inexact {
            overrides.push("simulation.allow_inexact=true".into());
        }
        if let Some(step) = &self.output_step {
            overrides.push(format!("simulation.output_step={step}"));
        }
        let file = SceneFile::open(&self.scene).map_err(failure)?;
        let scene = file.scene(&overrides).map_err(failure)?;
        Ok((scene, file.path))
    }

    fn tell(&self, file: &SummaryFile, folder: &OutputFolder) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let told = if self.json {
            serde_json::to_writer(&mut out, file)
                .map_err(io::Error::from)
                .and_then(|()| writeln!(out))
        } else if self.quiet {
            Ok(())
        } else {
            let path = folder.path().display().to_string();
            out.write_all(file.text(&path, &folder.complete()).as_bytes())
        };
        match told.and_then(|()| out.flush()) {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(|e| (Exit::ResourceLimit, format!("standard output: {e}"))),
        }
    }
}

/// A run that can begin, and where its results go.
struct Prepared {
    scene: Scene,
    simulation: Simulation,
    watcher: Watcher,
    warnings: Vec<String>,
}

impl Prepared {
    fn run(&mut self) -> Summary {
        self.simulation.run(&mut self.watcher)
    }
}

/// Writes the tables, keeps what the report shows, draws the bar and looks for Ctrl-C.
struct Watcher {
    system: Arc<dyn Observed>,
    table: TableWriter<BufWriter<File>>,
    formats: Formats,
    rows: u64,
    bar: RunBar,
    recorder: Recorder,
    folder: OutputFolder,
    /// Whether a row of the table could not be written.
    cut_off: bool,
}

impl Observer for Watcher {
    fn sample(&mut self, sample: &Sample) -> io::Result<()> {
        self.recorder.record(self.system.as_ref(), sample);
        self.table.row(sample).map_err(|e| {
            self.cut_off = true;
            let (_, message) = self.folder.write_failed(TRAJECTORY, &e.to_string());
            io::Error::new(e.kind(), message)
        })?;
        self.rows += 1;
        self.formats.row(self.system.as_ref(), sample)
    }

    fn progress(&mut self, progress: &Progress) -> bool {
        self.bar.update(progress);
        !INTERRUPTED.load(Ordering::Relaxed)
    }
}

/// Writes impacts and what else happened at the contacts.
fn write_tables(system: &dyn Observed, summary: &Summary, folder: &OutputFolder) -> Vec<Failure> {
    let (events, motions, impacts) = (&summary.events, &summary.motions, &summary.impacts);
    let written = [
        folder.write_by(IMPACTS, |out| simulate::write_impacts(system, impacts, out).map(|_| ())),
        folder.write_by(CONTACTS, |out| {
            simulate::write_contacts(system, events, motions, impacts, out).map(|_| ())
        }),
    ];
    written.into_iter().filter_map(Result::err).collect()
}

/// Saves the contact problem that was not solved, and says where.
fn write_problem(name: &str, summary: &Summary, folder: &OutputFolder) -> Result<String, Failure> {
    let RunStatus::NotConverged { problem: Some(problem), .. } = &summary.status else {
        return Ok(String::new());
    };
    let text = problem.to_json(name).map_err(|e| (Exit::Internal, e.to_string()))?;
    folder.write(FAILED_PROBLEM, &(text + "\n"))?;
    let path = folder.path().join(FAILED_PROBLEM);
    Ok(format!("; the problem is saved in {}", path.display()))
}

/// Writes `plot-*.svg` and `plot-*.png`, and tells what could not be written.
fn write_plots(
    scene: &Scene,
    recorder: &Recorder,
    summary: &Summary,
    folder: &OutputFolder,
) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (name, figure) in run_plots::figures(scene, recorder, &summary.energy.book) {
        let failed = |e: String| (Exit::Internal, format!("plot-{name}: {e}"));
        let vector = figure.to_svg().map_err(failed);
        let raster = figure.to_png(run_plots::PIXELS).map_err(failed);
        let written = [
            vector.and_then(|svg| folder.write(&format!("plot-{name}.svg"), &svg)),
            raster.and_then(|png| folder.write_bytes(&format!("plot-{name}.png"), &png)),
        ];
        failures.extend(written.into_iter().filter_map(Result::err));
    }
    failures
}

/// The command as one can type it again.
fn command_line() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-+=/:,".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    std::iter::once("stickslip".to_owned())
        .chain(arguments.map(quoted))
        .collect::<Vec<_>>()
        .join(" ")
}
