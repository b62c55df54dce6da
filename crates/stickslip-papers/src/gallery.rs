//! The folder with the figures.

use crate::figures::entries;
use crate::plot::Figure;
use crate::{Failure, Fault, Finished, markdown, page};
use std::fmt::Write;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The page with all figures; its first line marks the folder.
pub const INDEX: &str = "index.html";
/// First line of the page.
pub const MARK: &str = "<!doctype html><!-- written by stickslip reproduce -->";
const VERDICTS: &str = "verdicts.json";
const TABLE: &str = "reproduction.md";
/// Where the small pictures are, relative to the folder and to the table.
pub const IMAGES: &str = "images/reproduction";
/// Panels of the small pictures.
const SMALL_PANEL: f64 = 0.72;

/// An error if a folder holds files that are not ours; `replaced` says which names are written over.
pub fn refuse_foreign(
    folder: &Path,
    mut foreign: Vec<String>,
    replaced: &str,
) -> Result<(), String> {
    const MOST_TOLD: usize = 3;
    if foreign.is_empty() {
        return Ok(());
    }
    foreign.sort();
    let more = if foreign.len() > MOST_TOLD { ", ..." } else { "" };
    foreign.truncate(MOST_TOLD);
    Err(format!(
        "--out {}: the folder holds other files ({}{more}); name another folder, or use --force to write beside \
         them ({replaced} are replaced)",
        folder.display(),
        foreign.join(", ")
    ))
}

/// A folder of our own.
pub struct Gallery {
    path: PathBuf,
}

impl Gallery {
    /// Creates the folder, or takes one that holds nothing but earlier output, which is removed.
    /// With `force` it may hold other files, which stay.
    pub fn open(path: PathBuf, force: bool) -> Result<Self, Failure> {
        let shown = path.display();
        if path.exists() && !path.is_dir() {
            return Err((Fault::BadFolder, format!("--out {shown}: this is a file, not a folder")));
        }
        let unwritable = |e: io::Error| (Fault::NotWritten, format!("--out {shown}: {e}"));
        fs::create_dir_all(&path).map_err(unwritable)?;
        let ours = names();
        let marked = fs::read(path.join(INDEX)).is_ok_and(|text| text.starts_with(MARK.as_bytes()));
        let mut foreign = Vec::new();
        for folder in ["", "images", IMAGES] {
            let entries = match fs::read_dir(path.join(folder)) {
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                entries => entries.map_err(unwritable)?,
            };
            for entry in entries {
                let name = entry.map_err(unwritable)?.file_name().to_string_lossy().into_owned();
                let name = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                let is_folder = name == "images" || name == IMAGES;
                if !(marked && (is_folder || ours.contains(&name))) {
                    foreign.push(name);
                }
            }
        }
        if !force {
            let replaced =
                format!("files of the names of the figures, {INDEX}, {VERDICTS} and {TABLE}");
            refuse_foreign(&path, foreign, &replaced).map_err(|told| (Fault::BadFolder, told))?;
        }
        for name in &ours {
            match fs::remove_file(path.join(name)) {
                Err(e)
                    if e.kind() != ErrorKind::NotFound && e.kind() != ErrorKind::NotADirectory =>
                {
                    return Err((Fault::NotWritten, format!("--out {shown}: {name}: {e}")));
                }
                _ => {}
            }
        }
        fs::create_dir_all(path.join(IMAGES)).map_err(unwritable)?;
        let gallery = Self { path };
        // From now on the folder is known to be ours, whatever happens.
        gallery.placeholder("The figures are being computed.")?;
        Ok(gallery)
    }

    /// Writes one figure: picture, data and small picture.
    pub fn figure(&self, finished: &Finished) -> Result<(), Failure> {
        let (name, figure) = (finished.entry.name, &finished.outcome.figure);
        let undrawn = |e: String| (Fault::Internal, format!("{name} cannot be drawn: {e}"));
        self.write(&format!("{name}.svg"), figure.to_svg().map_err(undrawn)?.as_bytes())?;
        self.write(&format!("{name}.png"), &figure.to_png(2).map_err(undrawn)?)?;
        self.write(&format!("{name}.csv"), data(figure).as_bytes())?;
        self.write(&format!("{IMAGES}/{name}.png"), &small(figure).map_err(undrawn)?)
    }

    /// Writes the page, the verdicts and the table.
    pub fn pages(&self, finished: &[Finished], quick: bool) -> Result<(), Failure> {
        let text = page::page(finished, quick).map_err(|e| (Fault::Internal, e))?;
        let verdicts = verdicts(finished)? + "\n";
        let index = self.path.join(INDEX);
        fs::remove_file(&index).map_err(|e| {
            (Fault::NotWritten, format!("{} cannot be replaced: {e}", index.display()))
        })?;
        let page = self.write(INDEX, text.as_bytes());
        if page.is_err() {
            // The folder stays known as ours, if there is room for that.
            let _ = self.placeholder("This page could not be written.");
        }
        let done = [
            page,
            self.write(VERDICTS, verdicts.as_bytes()),
            self.write(TABLE, markdown::page(finished).as_bytes()),
        ];
        let failures: Vec<Failure> = done.into_iter().filter_map(Result::err).collect();
        match failures.iter().map(|(exit, _)| *exit).max() {
            None => Ok(()),
            Some(exit) => {
                let texts: Vec<String> = failures.into_iter().map(|(_, text)| text).collect();
                Err((exit, texts.join("\n")))
            }
        }
    }

    /// A page that says no more than this.
    fn placeholder(&self, text: &str) -> Result<(), Failure> {
        self.write(INDEX, format!("{MARK}\n<p>{text}</p>\n").as_bytes())
    }

    /// A new file. It must not exist yet, so that a link cannot lead out of the folder. If it cannot
    /// be written as a whole, nothing of it stays.
    fn write(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let path: &Path = &self.path.join(name);
        let failed = |e: io::Error| {
            (Fault::NotWritten, format!("{} cannot be written: {e}", path.display()))
        };
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let mut file = file.map_err(failed)?;
        file.write_all(content).map_err(|e| {
            let _ = fs::remove_file(path);
            failed(e)
        })
    }
}

/// All files that this command writes.
fn names() -> Vec<String> {
    let mut names = vec![INDEX.to_owned(), VERDICTS.to_owned(), TABLE.to_owned()];
    for entry in entries() {
        names.extend(["svg", "png", "csv"].map(|ending| format!("{}.{ending}", entry.name)));
        names.push(format!("{IMAGES}/{}.png", entry.name));
    }
    names
}

/// The verdicts as JSON.
pub fn verdicts(finished: &[Finished]) -> Result<String, Failure> {
    let records: Vec<_> = finished
        .iter()
        .flat_map(|f| f.outcome.rows.iter().map(|row| row.record(f.entry.name)))
        .collect();
    serde_json::to_string_pretty(&records).map_err(|e| (Fault::Internal, e.to_string()))
}

/// A small picture of the figure.
pub fn small(figure: &Figure) -> Result<Vec<u8>, String> {
    let mut small = figure.clone();
    let (width, height) = figure.panel_size;
    let (width, height) =
        if width > 0.0 && height > 0.0 { (width, height) } else { (480.0, 300.0) };
    small.panel_size = (SMALL_PANEL * width, SMALL_PANEL * height);
    small.to_png(1)
}

/// The data of a figure: one row for each point.
fn data(figure: &Figure) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut text = String::from("panel,x_label,y_label,series,x,y\n");
    for (number, panel) in figure.panels.iter().enumerate() {
        let title =
            if panel.title.is_empty() { format!("{}", number + 1) } else { panel.title.clone() };
        for (index, series) in panel.series.iter().enumerate() {
            let label = if series.label.is_empty() {
                format!("{}", index + 1)
            } else {
                series.label.clone()
            };
            let names =
                [&title, &panel.x.label, &panel.y.label, &label].map(|t| quoted(t)).join(",");
            for (x, y) in series.x.iter().zip(&series.y) {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{names},{x},{y}");
            }
        }
    }
    text
}
