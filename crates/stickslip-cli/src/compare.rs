//! `stickslip compare`: a page that shows runs side by side.

use crate::exit::Exit;
use crate::folder::REPORT;
use crate::report::{self, COMPARE};
use crate::scene_file::Failure;
use crate::{say, session};
use clap::Args;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
The page compare.html needs nothing else: views of the runs side by side with
one time, every column that two of them have with the differences from the
first, the keys of the scenes that differ, and what came of the runs. What the
runs know it takes from their report.html.

Examples:
  stickslip run tippe-top --out out/a
  stickslip run tippe-top --set parameters.contact_radius=1e-3 --out out/b
  stickslip compare out/a out/b --out out/a-and-b
  stickslip open out/a-and-b

Exit codes: 0 done, 2 bad input, 4 the page cannot be written.";

/// The page.
pub const COMPARISON: &str = "compare.html";
/// Runs that a page can hold.
const MOST_RUNS: usize = 8;
/// Where the data of a page begin and end.
const BEGIN: &str = "<script type=\"application/json\" id=\"data\">";
const END: &str = "</script>";

/// Show runs side by side in one page
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Compare {
    /// Folders that `stickslip run` has written, two or more
    #[arg(value_name = "RUN", required = true, num_args = 2..)]
    runs: Vec<PathBuf>,

    /// The folder for the page
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Do not print where the page is
    #[arg(long)]
    quiet: bool,
}

impl Compare {
    /// Runs the command.
    pub fn run(self) -> Exit {
        session::told(self.write())
    }

    fn write(&self) -> Result<Exit, Failure> {
        if self.runs.len() > MOST_RUNS {
            let count = self.runs.len();
            return Err((
                Exit::BadInput,
                format!("{count} runs; a page shows at most {MOST_RUNS}"),
            ));
        }
        let data: Vec<Value> = self.runs.iter().map(|run| data(run)).collect::<Result<_, _>>()?;
        let labels = labels(&self.runs);
        let pairs = labels.iter().zip(data);
        let all: Vec<Value> =
            pairs.map(|(label, data)| json!({"label": label, "data": data})).collect();
        let text =
            serde_json::to_string(&all).map_err(|e| (Exit::Internal, format!("the page: {e}")))?;
        let mut page = Vec::new();
        let path = self.out.join(COMPARISON);
        let failed = |e: std::io::Error| (Exit::ResourceLimit, format!("{}: {e}", path.display()));
        report::write_page(&COMPARE, &labels.join(", "), &text, &mut page).map_err(failed)?;
        fs::create_dir_all(&self.out).map_err(failed)?;
        // It is there as a whole, or not at all.
        let part = self.out.join(format!("{COMPARISON}.part"));
        fs::write(&part, page).and_then(|()| fs::rename(&part, &path)).map_err(failed)?;
        let told = format!("{} runs in {}\n", self.runs.len(), path.display());
        Ok(if self.quiet { Exit::Done } else { say(&told, Exit::Done) })
    }
}

/// The data of the page of a run.
fn data(run: &Path) -> Result<Value, Failure> {
    let path = run.join(REPORT);
    let wrong = |what: String| (Exit::BadInput, format!("{}: {what}", path.display()));
    let text = fs::read_to_string(&path)
        .map_err(|e| wrong(format!("{e}; it must be a folder that `stickslip run` has written")))?;
    let data = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
    let (data, _) = data.ok_or_else(|| wrong("this is no report page".into()))?;
    let value: Value =
        serde_json::from_str(data).map_err(|e| wrong(format!("its data cannot be read: {e}")))?;
    // Pages of earlier versions tell less.
    if value["format"] != report::FORMAT || value["version"] != report::VERSION {
        let version = &value["version"];
        let wanted = report::VERSION;
        return Err(wrong(format!(
            "its data have version {version}, this program reads {wanted}; run the scene again"
        )));
    }
    Ok(value)
}

/// The last parts of the paths, as many of them as are needed to tell the runs apart.
fn labels(runs: &[PathBuf]) -> Vec<String> {
    let shown: Vec<PathBuf> =
        runs.iter().map(|run| fs::canonicalize(run).unwrap_or_else(|_| run.clone())).collect();
    let ending = |path: &Path, count: usize| {
        let parts: Vec<_> = path.components().collect();
        let last = &parts[parts.len().saturating_sub(count)..];
        last.iter().collect::<PathBuf>().to_string_lossy().into_owned()
    };
    let longest = shown.iter().map(|path| path.components().count()).max().unwrap_or(1);
    let of =
        |count: usize| -> Vec<String> { shown.iter().map(|path| ending(path, count)).collect() };
    let differ = |labels: &Vec<String>| {
        labels.iter().enumerate().all(|(k, label)| !labels[..k].contains(label))
    };
    let found = (1..=longest).map(of).find(differ);
    // One run twice.
    found.unwrap_or_else(|| {
        of(1).iter().enumerate().map(|(k, l)| format!("{l} {}", k + 1)).collect()
    })
}
