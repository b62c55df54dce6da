//! The folder into which a run writes.

use crate::exit::Exit;
use crate::run_plots::PLOTS;
use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

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

/// All files that a run writes; the scene is the first, and its first line marks the folder.
const OURS: [&str; 9] =
    [SCENE, TRAJECTORY, SUMMARY, IMPACTS, CONTACTS, REPORT, FAILED_PROBLEM, NPZ, PARQUET];
/// First line of the scene file in a folder of ours.
pub const MARK: &str = "# Written by `stickslip run`";

/// A folder of our own.
pub struct OutputFolder {
    path: PathBuf,
    /// Files that are there as a whole.
    complete: RefCell<Vec<String>>,
}

impl OutputFolder {
    /// Creates the folder, or takes one that holds nothing but earlier output, which is removed.
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
            let ours = is_ours(&name)
                || (name == VTK && is_series(&path.join(VTK)).map_err(unwritable)?);
            if !(marked && ours) {
                foreign.push(name);
            }
        }
        foreign.sort();
        if !foreign.is_empty() && !force {
            let count = foreign.len();
            foreign.truncate(3);
            let more = if count > 3 { ", ..." } else { "" };
            let message = format!(
                "--out {shown}: the folder holds other files ({}{more}); name another folder, or \
                 use --force to write beside them (files called {} are replaced)",
                foreign.join(", "),
                OURS.join(", ")
            );
            return Err((Exit::BadInput, message));
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
        for name in OURS.into_iter().map(String::from).chain(plot_files()) {
            match fs::remove_file(path.join(&name)) {
                Err(e) if e.kind() != ErrorKind::NotFound => {
                    return Err((Exit::ResourceLimit, format!("--out {shown}: {name}: {e}")));
                }
                _ => {}
            }
        }
        let series = path.join(VTK);
        if series.is_dir() && is_series(&series).map_err(unwritable)? {
            fs::remove_dir_all(&series).map_err(unwritable)?;
        }
        Ok(Self { path, complete: RefCell::default() })
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
        let mut writer = BufWriter::new(self.create(name)?);
        let written = write(&mut writer).map_err(|e| e.to_string());
        match written.and_then(|()| writer.flush().map_err(|e| e.to_string())) {
            Ok(()) => {
                self.completed(name);
                Ok(())
            }
            Err(why) => {
                // What is still in the buffer must not be written behind our back.
                let _ = writer.into_parts();
                let _ = fs::remove_file(self.path.join(name));
                Err(self.write_failed(name, &why))
            }
        }
    }

    /// Notes that a file is there as a whole.
    pub fn completed(&self, name: &str) {
        self.complete.borrow_mut().push(name.to_owned());
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

/// Whether a run writes files of this name.
fn is_ours(name: &str) -> bool {
    OURS.contains(&name) || plot_files().any(|plot| plot == name)
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
