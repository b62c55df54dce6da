//! The page of a study: its points in linked plots, offline.

use crate::exit::Exit;
use crate::report::escaped;
use crate::scene_file::Failure;
use serde::Serialize;
use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use stickslip::study::cells;

/// The page.
pub const PAGE: &str = "index.html";

/// Rows of the table that a page shows.
const MOST_ROWS: usize = 50_000;

const STYLE: &str =
    concat!(include_str!("../assets/report.css"), include_str!("../assets/study.css"));
const SCRIPT: &str = include_str!("../assets/study.js");

/// A column.
#[derive(Serialize)]
pub struct Key {
    name: String,
    unit: String,
}

impl Key {
    /// A column with its unit, which may be empty.
    pub fn new(name: &str, unit: &str) -> Self {
        Self { name: name.to_owned(), unit: unit.to_owned() }
    }
}

/// What a page shows.
#[derive(Default, Serialize)]
pub struct Page {
    /// grid, sample, bifurcation, branch (rows in their order, dashed where `stable` is false) or motion (over time).
    pub kind: &'static str,
    /// Stands above all.
    pub title: String,
    /// The scene as the user named it.
    pub scene: String,
    /// Values that count at every point.
    pub set: Vec<String>,
    /// What is varied.
    pub keys: Vec<Key>,
    /// What is shown.
    pub measures: Vec<Key>,
    /// Measures that are shown over each other: phase portraits.
    pub pairs: Vec<(String, String)>,
    /// Columns of the table, by name, with the cells of each.
    pub columns: Vec<(String, Vec<String>)>,
    /// Rows that the page leaves out.
    pub left_out: usize,
}

impl Page {
    /// Writes the page with the rows of a table of the folder: keys, measures, status and message if they are
    /// there, and the columns `more`.
    pub fn write(mut self, folder: &Path, table: &str, more: &[&str]) -> Result<(), Failure> {
        // Line by line: the table of a large study has no room in memory.
        let path = folder.join(table);
        let failed = |e: std::io::Error| (Exit::ResourceLimit, format!("{}: {e}", path.display()));
        let count = lines(&path).map_err(failed)?.count().saturating_sub(1);
        let mut rows = lines(&path).map_err(failed)?;
        let header = cells(&rows.next().transpose().map_err(failed)?.unwrap_or_default());
        let shown = self.keys.iter().chain(&self.measures).map(|key| key.name.as_str());
        let shown = shown.chain(["status", "message"]).chain(more.iter().copied());
        let wanted: Vec<(String, usize)> = shown
            .filter_map(|name| Some((name.to_owned(), header.iter().position(|own| own == name)?)))
            .collect();
        self.columns = wanted.iter().map(|(name, _)| (name.clone(), Vec::new())).collect();
        // Of too many rows every second, third, ... is shown.
        let every = count.div_ceil(MOST_ROWS).max(1);
        for line in rows.step_by(every) {
            let row = cells(&line.map_err(failed)?);
            for ((_, column), (_, place)) in self.columns.iter_mut().zip(&wanted) {
                column.push(row.get(*place).cloned().unwrap_or_default());
            }
        }
        self.left_out = count - count.div_ceil(every);
        let data = serde_json::to_string(&self).map_err(|e| (Exit::Internal, e.to_string()))?;
        // Texts come from strangers: in the data no `<` remains, and the script writes them as text alone.
        let data = data.replace('<', "\\u003c");
        let title = escaped(&self.title);
        let page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <title>{title}</title><style>{STYLE}</style></head><body class=\"study\">\n\
             <header><h1>{title}</h1><span id=\"told\"></span></header>\n\
             <main id=\"plots\"></main>\n<aside id=\"point\"></aside>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>{SCRIPT}</script></body></html>\n"
        );
        write(folder, PAGE, page.as_bytes())
    }
}

fn lines(path: &Path) -> std::io::Result<Lines<BufReader<File>>> {
    Ok(BufReader::new(File::open(path)?).lines())
}

/// Writes a file of a study as a whole.
pub fn write(folder: &Path, name: &str, content: &[u8]) -> Result<(), Failure> {
    let (path, part) = (folder.join(name), folder.join(format!("{name}.part")));
    let written = std::fs::write(&part, content).and_then(|()| std::fs::rename(&part, &path));
    written.map_err(|e| (Exit::ResourceLimit, format!("{} cannot be written: {e}", path.display())))
}
