//! `stickslip resume`: goes on with a run that was ended early, or beyond its end.

use crate::exit::Exit;
use crate::folder::{
    ARCHIVE, FAILED_PROBLEM, NPZ, OutputFolder, PAGE, PARQUET, SCENE, TRAJECTORY, VTK,
};
use crate::note;
use crate::report::Recorder;
use crate::scene_file::{Failure, failure};
use crate::session::{Outputs, Session, Watcher, scene_text, time, told};
use clap::Args;
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stickslip::memory::Tape;
use stickslip::scene::Scene;
use stickslip::simulate::{Archive, ArchiveError, RecordPlace, TableWriter};

const AFTER_HELP: &str = "\
The run goes on from the last state in run.archive, bit for bit as if it had
never stopped: rows behind that state are computed again. A run that failed is
computed again up to the failing step; with --allow-inexact it goes on there,
and --from goes back further. trajectory.csv, impacts.csv, contacts.csv,
summary.json and report.html are then those of the whole run; other formats
are not written and removed.

Examples:
  stickslip resume out/tippe-top
  stickslip resume out/tippe-top --until 20s
  stickslip resume out/tippe-top --for 5s

Exit codes: those of `stickslip run`; 2 if there is nothing to go on with.";

/// Go on with a run, bit for bit as if it had never stopped
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Resume {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[arg(
        long,
        value_name = "TIME",
        value_parser = time,
        help = "Simulated time at which to end"
    )]
    until: Option<Duration>,

    #[arg(
        long = "for",
        value_name = "TIME",
        value_parser = time,
        conflicts_with = "until",
        help = "Simulated time by which to go on"
    )]
    further: Option<Duration>,

    #[arg(
        long,
        value_name = "TIME",
        value_parser = time,
        help = "Go back to the last state at this time or before"
    )]
    from: Option<Duration>,

    #[arg(long, help = "Go on where a contact problem is not solved; such\nsteps are counted")]
    allow_inexact: bool,

    /// What is written and told.
    #[command(flatten)]
    outputs: Outputs,
}

impl Resume {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.prepare().and_then(|session| session.run(&self.outputs)))
    }

    fn prepare(&self) -> Result<Session, Failure> {
        let folder = OutputFolder::reopen(self.folder.clone())?;
        let mut archive = Archive::open(&folder.path().join(ARCHIVE)).map_err(unreadable)?;
        let last = archive.places().next_back().copied().unwrap_or_default();
        let mut scene = scene_of(&archive, folder.path(), &[])?;
        let (start, is_same) = (scene.start.t, self.until.or(self.further).is_none());
        let end = match (self.until, self.further) {
            (Some(until), _) => until.as_secs_f64(),
            (_, Some(further)) => last.t + further.as_secs_f64(),
            _ => start + scene.simulation.duration,
        };
        let shown = folder.path().display().to_string();
        if is_same && self.from.is_none() && last.is_end {
            let message = format!(
                "{shown}: the run is complete at t = {} s; --until or --for say how far to go on",
                last.t
            );
            return Err((Exit::BadInput, message));
        }
        let mut overrides = Vec::new();
        if !is_same {
            overrides.push(format!("simulation.duration={:?}", end - start));
        }
        if self.allow_inexact {
            overrides.push("simulation.allow_inexact=true".into());
        }
        if !overrides.is_empty() {
            scene = scene_of(&archive, folder.path(), &overrides)?;
        }
        self.outputs.limits.check(&scene)?;
        let failed = |e: std::io::Error| folder.write_failed(TRAJECTORY, &e.to_string());
        let mut options = OpenOptions::new();
        let table = options.read(true).write(true).open(folder.path().join(TRAJECTORY));
        let mut table = table.map_err(failed)?;
        let length = table.metadata().map_err(failed)?.len();
        // The end may be off the grid of steps on which a longer run goes on.
        let from = self.from.map_or(f64::INFINITY, |from| from.as_secs_f64());
        let fits =
            |p: &RecordPlace| !p.is_end && p.table_bytes <= length && p.t <= from && p.t < end;
        let number = archive.places().rposition(fits).ok_or_else(|| {
            let message = format!(
                "{shown}: no state in {ARCHIVE} lies before {} s, with all its rows in {TRAJECTORY}",
                from.min(end)
            );
            (Exit::BadInput, message)
        })?;
        let place = archive.places().nth(number).copied().unwrap_or_default();
        let mut simulation = scene.simulate().map_err(failure)?;
        let state = archive.state(number).map_err(unreadable)?;
        simulation
            .set_state(&state)
            .map_err(|e| (Exit::BadInput, format!("{shown}/{ARCHIVE}: {e}")))?;
        check_rows(&mut table, place.table_bytes)
            .map_err(|e| (Exit::BadInput, format!("{shown}/{TRAJECTORY}: {e}")))?;
        // From here on the folder is changed.
        let text = scene_text(&scene);
        let unwritten = |e: ArchiveError| (Exit::ResourceLimit, e.to_string());
        archive.cut(number + 1, &text).map_err(unwritten)?;
        if !overrides.is_empty() {
            folder.write(SCENE, &text)?;
        }
        table.set_len(place.table_bytes).map_err(failed)?;
        for name in [FAILED_PROBLEM, NPZ, PARQUET, VTK] {
            folder.forget(name)?;
        }
        let columns = scene.columns();
        let table =
            TableWriter::continued(scene.system.as_ref(), &columns, table, place.table_bytes);
        let mut recorder = Recorder::new(&columns);
        read_page(&mut recorder, &folder.path().join(PAGE), place.t);
        if !self.outputs.quiet {
            note(&format!("{shown}: goes on from t = {} s, after {} steps", place.t, place.steps));
        }
        let mut warnings = scene.warnings();
        warnings.extend(scene.overlap_warning());
        warnings.extend(scene.assembly().first().cloned());
        let mut watcher = Watcher::new(&self.outputs, &scene, folder, archive, table, recorder);
        watcher.rows = place.rows;
        watcher.before = Duration::try_from_secs_f64(place.seconds).unwrap_or_default();
        watcher.bar.begin_at(place.t);
        Ok(Session { scene, simulation, watcher, warnings })
    }
}

/// The error of an archive that cannot be read.
pub fn unreadable(error: ArchiveError) -> Failure {
    (Exit::BadInput, error.to_string())
}

/// The scene of an archive in a folder.
pub fn scene_of(archive: &Archive, folder: &Path, overrides: &[String]) -> Result<Scene, Failure> {
    let source = folder.join(ARCHIVE).display().to_string();
    let text = archive.about();
    Scene::read_from(Some(folder), &source, "scene", text, overrides).map_err(failure)
}

/// The rows up to there must end with one, where the next is written.
fn check_rows(table: &mut (impl Read + Seek), bytes: u64) -> Result<(), String> {
    let before = bytes.checked_sub(1).ok_or("it has no header")?;
    let mut end = [0];
    let read = table.seek(SeekFrom::Start(before)).and_then(|_| table.read_exact(&mut end));
    read.map_err(|e| e.to_string())?;
    if end == *b"\n" { Ok(()) } else { Err("it is not the table of this run".into()) }
}

/// Reads what the page shows of the run up to a time; without it the page begins there.
fn read_page(recorder: &mut Recorder, path: &Path, t: f64) {
    let state = Archive::open(path).and_then(|mut archive| archive.state(0));
    let Ok(state) = state else { return };
    let mut tape = Tape::reader(state.memory().clone());
    let mut read = recorder.clone();
    read.keep(&mut tape);
    if tape.finish().is_ok() {
        read.cut(t);
        *recorder = read;
    }
}
