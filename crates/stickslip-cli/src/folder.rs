//! The folder into which a run writes.

use crate::exit::Exit;
use crate::run_plots::PLOTS;
use std::cell::RefCell;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip_papers::gallery::refuse_foreign;

/// The complete scene.
pub const SCENE: &str = "scene.toml";
/// The table.
pub const TRAJECTORY: &str = "trajectory.csv";
/// The summary.
pub const SUMMARY: &str = "summary.json";
/// The impacts.
pub const IMPACTS: &str = "impacts.csv";
/// Closings, openings and impacts.
pub const CONTACTS: &str = "contacts.csv";
/// The page that shows the run.
pub const REPORT: &str = "report.html";
/// The contact problem that was not solved.
pub const FAILED_PROBLEM: &str = "failed-problem.json";

/// The table for numpy.
pub const NPZ: &str = "trajectory.npz";
/// The table for readers of Parquet.
pub const PARQUET: &str = "trajectory.parquet";
/// The folder of time series for ParaView.
pub const VTK: &str = "vtk";

/// States from which the run can go on.
pub const ARCHIVE: &str = "run.archive";
/// What the page shows of a run that is not complete.
pub const PAGE: &str = "run.page";

/// All files that a run writes; the scene is the first, and its first line marks the folder.
const OURS: [&str; 11] = [
    SCENE,
    TRAJECTORY,
    SUMMARY,
    IMPACTS,
    CONTACTS,
    REPORT,
    FAILED_PROBLEM,
    NPZ,
    PARQUET,
    ARCHIVE,
    PAGE,
];
/// First line of the scene file in a folder of ours.
pub const MARK: &str = "# Written by `stickslip run`";
/// Held by the run that writes to the folder; the system lets go of it when the run ends, however it does.
const LOCK: &str = ".lock";
/// The folder of results that are there until new ones are complete.
const EARLIER: &str = "earlier";
/// Ending of what is not complete yet.
const PART: &str = ".part";

/// A folder of our own.
pub struct OutputFolder {
    path: PathBuf,
    /// Files that are there as a whole.
    complete: RefCell<Vec<String>>,
    _lock: Option<File>,
}

impl OutputFolder {
    /// Creates the folder, or takes one that holds nothing but earlier output, which is moved aside.
    /// With `force` it may hold other files, which stay. The file `input` is never replaced.
    pub fn open(path: PathBuf, force: bool, input: Option<&Path>) -> Result<Self, (Exit, String)> {
        let shown = path.display();
        if path.exists() && !path.is_dir() {
            return Err((Exit::BadInput, format!("--out {shown}: this is a file, not a folder")));
        }
        let unwritable = |e: io::Error| (Exit::ResourceLimit, format!("--out {shown}: {e}"));
        fs::create_dir_all(&path).map_err(unwritable)?;
        let marked = is_marked(&path.join(SCENE));
        let mut foreign = Vec::new();
        for entry in fs::read_dir(&path).map_err(unwritable)? {
            let name = entry.map_err(unwritable)?.file_name().to_string_lossy().into_owned();
            let kept = [LOCK, EARLIER].contains(&name.trim_end_matches(PART));
            let ours = is_ours(&path, &name).map_err(unwritable)?;
            if !(ours && (marked || kept)) {
                foreign.push(name);
            }
        }
        if !force {
            let replaced = format!("files called {}", OURS.join(", "));
            refuse_foreign(&path, foreign, &replaced).map_err(|told| (Exit::BadInput, told))?;
        }
        let is_input = |name: &str| {
            let same =
                |a: &Path, b: &Path| Some(fs::canonicalize(a).ok()? == fs::canonicalize(b).ok()?);
            input.is_some_and(|input| same(&path.join(name), input) == Some(true))
        };
        if !marked && let Some(name) = OURS.iter().find(|name| is_input(name)) {
            let message = format!("--out {shown}: the run would replace its own scene file {name}");
            return Err((Exit::BadInput, message));
        }
        let lock = lock(&path)?;
        move_aside(&path).map_err(unwritable)?;
        Ok(Self { path, complete: RefCell::default(), _lock: lock })
    }

    /// Takes a folder with the results of a run that goes on.
    pub fn reopen(path: PathBuf) -> Result<Self, (Exit, String)> {
        if !is_marked(&path.join(SCENE)) || !path.join(ARCHIVE).exists() {
            let message = format!(
                "{}: there is no run that could go on; it must be a folder with {SCENE} and {ARCHIVE} of \
                 `stickslip run`",
                path.display()
            );
            return Err((Exit::BadInput, message));
        }
        let lock = lock(&path)?;
        Ok(Self { path, complete: RefCell::default(), _lock: lock })
    }

    /// Removes a file or folder of an earlier run that no longer counts; what is not there is no error.
    pub fn forget(&self, name: &str) -> Result<(), (Exit, String)> {
        remove(&self.path.join(name)).map_err(|e| self.write_failed(name, &e.to_string()))
    }

    /// Removes the earlier results: the new ones are complete.
    pub fn forget_earlier(&self) -> Result<(), (Exit, String)> {
        self.forget(EARLIER)
    }

    /// The path as the user knows it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new file. It must not exist yet, so that a link cannot lead out of the folder.
    pub fn create(&self, name: &str) -> Result<File, (Exit, String)> {
        let path = self.path.join(name);
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        file.map_err(|e| self.write_failed(name, &e.to_string()))
    }

    /// The error of a file that cannot be written.
    pub fn write_failed(&self, name: &str, why: &str) -> (Exit, String) {
        let path = self.path.join(name);
        (Exit::ResourceLimit, format!("{} cannot be written: {why}", path.display()))
    }

    /// A new file with this content.
    pub fn write(&self, name: &str, content: &str) -> Result<(), (Exit, String)> {
        self.write_bytes(name, content.as_bytes())
    }

    /// A new file that is written as a whole: if that fails, nothing of it stays.
    pub fn write_by<E: ToString>(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> Result<(), E>,
    ) -> Result<(), (Exit, String)> {
        // Under its name it is whole at every moment.
        let part = format!("{name}{PART}");
        self.forget(&part)?;
        let mut writer = BufWriter::new(self.create(&part)?);
        let written = write(&mut writer).map_err(|e| e.to_string());
        let flushed = written.and_then(|()| writer.flush().map_err(|e| e.to_string()));
        let renamed = flushed.and_then(|()| {
            fs::rename(self.path.join(&part), self.path.join(name)).map_err(|e| e.to_string())
        });
        match renamed {
            Ok(()) => {
                self.completed(name);
                Ok(())
            }
            Err(why) => {
                // What is still in the buffer must not be written behind our back.
                let _ = writer.into_parts();
                let _ = self.forget(&part);
                Err(self.write_failed(name, &why))
            }
        }
    }

    /// Notes that a file is there as a whole.
    pub fn completed(&self, name: &str) {
        let mut complete = self.complete.borrow_mut();
        if !complete.iter().any(|known| known == name) {
            complete.push(name.to_owned());
        }
    }

    /// The files that are there as a whole, the most telling first.
    pub fn complete(&self) -> Vec<String> {
        let order = [REPORT, TRAJECTORY, IMPACTS, CONTACTS, SUMMARY, SCENE];
        let rank = |name: &String| order.iter().position(|n| n == name).unwrap_or(order.len());
        let mut names = self.complete.borrow().clone();
        names.sort_by_key(rank);
        names
    }

    /// A new file with these bytes.
    pub fn write_bytes(&self, name: &str, content: &[u8]) -> Result<(), (Exit, String)> {
        self.write_by(name, |writer| writer.write_all(content))
    }
}

/// Takes the lock of a folder, or says who has it. Where files cannot be locked there is none.
fn lock(path: &Path) -> Result<Option<File>, (Exit, String)> {
    let name = path.join(LOCK);
    let failed = |e: io::Error| (Exit::ResourceLimit, format!("{}: {e}", name.display()));
    let options =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&name);
    let mut file = options.map_err(failed)?;
    // A run that was just killed may hold it for a moment.
    let patience = Instant::now() + Duration::from_secs(1);
    let outcome = loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < patience => {
                std::thread::sleep(Duration::from_millis(20));
            }
            outcome => break outcome,
        }
    };
    match outcome {
        Ok(()) => {}
        Err(TryLockError::Error(_)) => return Ok(None),
        Err(TryLockError::WouldBlock) => {
            let mut process = String::new();
            let _ = file.take(100).read_to_string(&mut process);
            let message = format!(
                "{}: a run is writing to this folder ({}); wait for its end, or name another folder",
                path.display(),
                process.trim()
            );
            return Err((Exit::ResourceLimit, message));
        }
    }
    // For whoever is refused; the lock is what counts.
    let _ = file.set_len(0);
    let _ = writeln!(file, "process {}", std::process::id());
    Ok(Some(file))
}

/// Removes a file, or a folder with all its files.
fn remove(path: &Path) -> io::Result<()> {
    let is_folder = path.is_dir() && !path.is_symlink();
    match if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) } {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Moves results into a folder beside them. If that is there, they are those of a run that did not end, and are
/// removed.
fn move_aside(path: &Path) -> io::Result<()> {
    let (earlier, part) = (path.join(EARLIER), path.join(format!("{EARLIER}{PART}")));
    let plots: Vec<String> = plot_files().collect();
    let names = OURS.into_iter().chain([VTK]).chain(plots.iter().map(String::as_str));
    let mut found = Vec::new();
    // The scene marks the folder as ours: it goes last.
    for name in names.filter(|name| is_ours(path, name).unwrap_or(false)) {
        remove(&path.join(format!("{name}{PART}")))?;
        if path.join(name).symlink_metadata().is_ok() {
            found.insert(0, name.to_owned());
        }
    }
    if earlier.is_dir() {
        return found.iter().try_for_each(|name| remove(&path.join(name)));
    }
    if !found.is_empty() {
        match fs::create_dir(&part) {
            Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(e),
            _ => {}
        }
    }
    for name in &found {
        remove(&part.join(name))?;
        fs::rename(path.join(name), part.join(name))?;
    }
    if part.is_dir() { fs::rename(part, earlier) } else { Ok(()) }
}

/// Whether a run writes a file or folder of this name; such a folder must hold nothing else.
fn is_ours(folder: &Path, name: &str) -> io::Result<bool> {
    let whole = name.trim_end_matches(PART);
    if whole == VTK {
        return is_series(&folder.join(name));
    }
    if whole == EARLIER {
        let folder = folder.join(name);
        if !folder.is_dir() || folder.is_symlink() {
            return Ok(false);
        }
        for entry in fs::read_dir(&folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name == EARLIER || !is_ours(&folder, &name)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    Ok(whole == LOCK || OURS.contains(&whole) || plot_files().any(|plot| plot == whole))
}

/// The files of `--plots`.
fn plot_files() -> impl Iterator<Item = String> {
    PLOTS.iter().flat_map(|name| ["svg", "png"].map(|ending| format!("plot-{name}.{ending}")))
}

/// Whether a folder holds nothing but files that a time series is made of.
fn is_series(folder: &Path) -> io::Result<bool> {
    if !folder.is_dir() || folder.is_symlink() {
        return Ok(false);
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let of_ours = name.starts_with("motion") || name.starts_with("contacts");
        let ending = name.ends_with(".vtp") || name.ends_with(".pvd");
        if !(of_ours && ending && entry.file_type()?.is_file()) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_marked(scene: &Path) -> bool {
    let mut start = vec![0; MARK.len()];
    File::open(scene).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == MARK.as_bytes()
}
