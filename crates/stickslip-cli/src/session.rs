//! A run with its files: what `run` and `resume` share.

use crate::exit::Exit;
use crate::folder::{
    ARCHIVE, CONTACTS, FAILED_PROBLEM, IMPACTS, MARK, OutputFolder, PAGE, REPORT, SUMMARY,
    TRAJECTORY,
};
use crate::formats::Formats;
use crate::limits::RunLimits;
use crate::output::printable;
use crate::report::{self, Recorder};
use crate::run_plots;
use crate::run_progress::RunBar;
use crate::run_summary::SummaryFile;
use crate::scene_file::Failure;
use crate::{complain_all, signals, warn};
use clap::Args;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stickslip::memory::Tape;
use stickslip::scene::Scene;
use stickslip::simulate::{
    self, Archive, ArchiveError, Halt, Observer, Progress, RecordPlace, RunStatus, Sample,
    SavedState, Simulation, Summary, TableWriter,
};
use stickslip::system::Observed;

/// The scene as a file that marks the folder.
pub fn scene_text(scene: &Scene) -> String {
    format!("{MARK}; this file repeats the run.\n\n{}", scene.to_toml())
}

/// Tells what went wrong.
pub fn told(outcome: Result<Exit, Failure>) -> Exit {
    outcome.unwrap_or_else(|(exit, message)| {
        complain_all(&message);
        exit
    })
}

/// What is written and told.
#[derive(Args)]
pub struct Outputs {
    /// Do not write report.html
    #[arg(long)]
    no_report: bool,

    /// Write the plots of the report as SVG and PNG too
    #[arg(long)]
    plots: bool,

    /// No progress and no summary on the terminal
    #[arg(long)]
    pub quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,

    #[arg(
        long,
        value_name = "TIME",
        default_value = "10s",
        value_parser = time,
        help = "Computing time between two states in\nrun.archive: 500ms, 10s, 5min"
    )]
    pub checkpoint: Duration,

    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=64),
        help = "Threads that share steps with thousands of\ncontacts; results are the same"
    )]
    threads: u16,

    /// What a run may take at most.
    #[command(flatten)]
    pub limits: RunLimits,
}

/// A time as on the command line.
pub fn time(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("the unit must be ms, s, min or h".into()),
    };
    let seconds = digits.trim().parse::<f64>().map(|number| number * unit);
    let good = seconds.ok().filter(|s| (0.0..=1e9).contains(s));
    good.map(Duration::from_secs_f64).ok_or_else(|| "it must be a time such as 10s".into())
}

/// A run that can begin or go on, and where its results go.
pub struct Session {
    pub scene: Scene,
    pub simulation: Simulation,
    pub watcher: Watcher,
    pub warnings: Vec<String>,
}

impl Session {
    /// Runs to the end, writes and tells what came of it.
    pub fn run(mut self, outputs: &Outputs) -> Result<Exit, Failure> {
        signals::listen();
        self.simulation.stop_when(Arc::new(signals::is_overdue));
        let Self { simulation, watcher, .. } = &mut self;
        let mut summary = outputs.by_threads(|| simulation.run(watcher))?;
        if let (RunStatus::Interrupted, Some(message)) = (&summary.status, &self.watcher.exceeded) {
            summary.status = RunStatus::Limit { message: message.clone() };
        }
        outputs.write(self, summary)
    }
}

impl Outputs {
    /// Does something with the help of as many threads as were asked for.
    fn by_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        if self.threads == 1 {
            return Ok(work());
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(self.threads)).build();
        pool.map(|pool| pool.install(work)).map_err(|e| (Exit::ResourceLimit, e.to_string()))
    }

    /// Writes and tells what came of a run; what cannot be written is told at the end.
    fn write(&self, session: Session, mut summary: Summary) -> Result<Exit, Failure> {
        let Session { scene, simulation, mut watcher, mut warnings } = session;
        watcher.bar.finish();
        let mut failures: Vec<Failure> = Vec::new();
        match watcher.finish(&simulation, &summary) {
            Ok(()) => watcher.folder.completed(TRAJECTORY),
            Err(failure) => failures.push(failure),
        }
        let time = watcher.time();
        let Watcher { system, formats, rows, recorder, folder, .. } = watcher;
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
        let is_over = !matches!(
            summary.status,
            RunStatus::Interrupted | RunStatus::OutputFailed { .. } | RunStatus::Limit { .. }
        );
        if is_over && failures.is_empty() {
            failures.extend(
                [folder.forget(PAGE), folder.forget_earlier()].into_iter().filter_map(Result::err),
            );
        }
        self.tell(&file, &folder)?;
        if let Some(message) = &file.message {
            let exit = match summary.status {
                RunStatus::Interrupted => signals::received().unwrap_or(Exit::Interrupted),
                RunStatus::OutputFailed { .. } | RunStatus::Limit { .. } => Exit::ResourceLimit,
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

/// Writes the tables, keeps states and what the report shows, draws the bar and looks for signals.
pub struct Watcher {
    pub system: Arc<dyn Observed>,
    pub table: TableWriter<File>,
    pub formats: Formats,
    pub rows: u64,
    pub bar: RunBar,
    pub recorder: Recorder,
    pub folder: OutputFolder,
    pub archive: Archive,
    /// Computing time before this session, and when it began.
    pub before: Duration,
    pub begin: Instant,
    /// Computing time between two states in the archive, and when the last one came.
    pub checkpoint: Duration,
    pub kept: Instant,
    /// A state that is not in the archive, for want of a later one.
    pub pending: Option<(RecordPlace, SavedState)>,
    pub limits: RunLimits,
    /// The limit that was exceeded.
    pub exceeded: Option<String>,
}

impl Observer for Watcher {
    fn sample(&mut self, sample: &Sample) -> io::Result<()> {
        self.recorder.record(self.system.as_ref(), sample);
        self.table.row(sample).map_err(|e| self.row_failed(&e))?;
        self.rows += 1;
        self.formats.row(self.system.as_ref(), sample)?;
        self.limits.bytes(self.table.bytes()).map_err(io::Error::other)
    }

    fn progress(&mut self, progress: &Progress) -> bool {
        self.bar.update(progress);
        self.exceeded = self.limits.exceeded_by(progress);
        self.exceeded.is_none() && signals::received().is_none()
    }

    fn between_steps(&mut self, halt: &mut Halt) -> io::Result<()> {
        let is_due = self.kept.elapsed() >= self.checkpoint;
        if !is_due && !halt.is_rare {
            return Ok(());
        }
        let Progress { t, steps, .. } = halt.progress();
        let (place, state) = (self.place(t, steps), halt.state());
        if !is_due {
            self.pending = Some((place, state));
            return Ok(());
        }
        write_tables(self.system.as_ref(), &halt.summary(), &self.folder)
            .into_iter()
            .map(Err)
            .chain([self.keep(place, &state)])
            .collect::<Result<(), Failure>>()
            .map_err(|(_, message)| io::Error::other(message))
    }
}

impl Watcher {
    /// Of a run that begins.
    pub fn new(
        outputs: &Outputs,
        scene: &Scene,
        folder: OutputFolder,
        archive: Archive,
        table: TableWriter<File>,
        recorder: Recorder,
    ) -> Self {
        let now = Instant::now();
        Self {
            system: scene.system.clone(),
            table,
            formats: Formats::default(),
            rows: 0,
            bar: RunBar::new(scene.simulation.duration, outputs.quiet),
            recorder,
            folder,
            archive,
            before: Duration::ZERO,
            begin: now,
            checkpoint: outputs.checkpoint,
            kept: now,
            pending: None,
            limits: outputs.limits,
            exceeded: None,
        }
    }

    /// Writes the first state, and the other tables without rows.
    pub fn begin_at(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let none = Vec::new();
        let tables = [
            self.folder.write_by(IMPACTS, |out| {
                simulate::write_impacts(self.system.as_ref(), &none, out).map(|_| ())
            }),
            self.folder.write_by(CONTACTS, |out| {
                simulate::write_contacts(self.system.as_ref(), &[], &[], &[], out).map(|_| ())
            }),
        ];
        tables.into_iter().collect::<Result<(), Failure>>()?;
        self.keep(self.place(simulation.t(), simulation.steps()), &simulation.state())
    }

    /// Computing time of the run.
    fn time(&self) -> Duration {
        self.before + self.begin.elapsed()
    }

    fn place(&self, t: f64, steps: u64) -> RecordPlace {
        let (rows, table_bytes) = (self.rows, self.table.bytes());
        RecordPlace {
            t,
            steps,
            rows,
            table_bytes,
            seconds: self.time().as_secs_f64(),
            is_end: false,
        }
    }

    /// The error of a row; what is there of it is taken away.
    fn row_failed(&self, error: &io::Error) -> io::Error {
        let _ = self.table.writer().set_len(self.table.written());
        let (_, message) = self.folder.write_failed(TRAJECTORY, &error.to_string());
        io::Error::new(error.kind(), message)
    }

    /// Puts a state into the archive: first the rows that it builds on.
    pub fn keep(&mut self, place: RecordPlace, state: &SavedState) -> Result<(), Failure> {
        let failed = |e: String| (Exit::ResourceLimit, e);
        self.table.flush().map_err(|e| failed(self.row_failed(&e).to_string()))?;
        let mut tape = Tape::writer();
        self.recorder.keep(&mut tape);
        let page = tape.finish().map_err(|e| (Exit::Internal, e.to_string()))?.into();
        let wrong = |e: ArchiveError| failed(e.to_string());
        Archive::save(&self.folder.path().join(PAGE), "", place, &page).map_err(wrong)?;
        self.archive.append(place, state).map_err(wrong)?;
        self.pending = None;
        self.kept = Instant::now();
        Ok(())
    }

    /// Writes the rows that are left and the last states.
    fn finish(&mut self, simulation: &Simulation, summary: &Summary) -> Result<(), Failure> {
        if let Some((place, state)) = self.pending.take() {
            self.keep(place, &state)?;
        }
        if !simulation.is_torn() {
            let is_end =
                matches!(summary.status, RunStatus::Done | RunStatus::Untrustworthy { .. });
            let place = RecordPlace { is_end, ..self.place(simulation.t(), simulation.steps()) };
            self.keep(place, &simulation.state())?;
        }
        self.folder.completed(ARCHIVE);
        let flushed = self.table.flush().map_err(|e| self.row_failed(&e));
        flushed.map_err(|e| (Exit::ResourceLimit, e.to_string()))
    }
}

/// Writes impacts and what else happened at the contacts.
pub fn write_tables(
    system: &dyn Observed,
    summary: &Summary,
    folder: &OutputFolder,
) -> Vec<Failure> {
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
