//! `stickslip list`: what can be run.

use crate::complain;
use crate::exit::Exit;
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use stickslip::scene::{BUILT_IN, Outline};

const AFTER_HELP: &str = "\
Examples:
  stickslip list
  stickslip list --json | head -1

Exit codes: 0 done, 4 cannot write.";

/// List the scenes that can be run by name
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct List {
    /// Write one JSON object a line instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct SceneRow {
    name: &'static str,
    model: &'static str,
    /// s
    duration: f64,
    caption: String,
}

impl List {
    /// Runs the command.
    pub fn run(self) -> Exit {
        let mut rows = Vec::new();
        for built_in in BUILT_IN {
            match Outline::read(built_in.name, built_in.text) {
                Ok(Outline { model, duration, caption }) => {
                    rows.push(SceneRow { name: built_in.name, model, duration, caption });
                }
                Err(e) => {
                    complain(&format!("internal error, please report it: {e}"));
                    return Exit::Internal;
                }
            }
        }
        match self.write(&rows) {
            Ok(()) => Exit::Done,
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Exit::BrokenPipe,
            Err(e) => {
                complain(&format!("standard output: {e}"));
                Exit::ResourceLimit
            }
        }
    }

    fn write(&self, rows: &[SceneRow]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            for row in rows {
                serde_json::to_writer(&mut out, row)?;
                writeln!(out)?;
            }
            return out.flush();
        }
        let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        let wide = rows.iter().map(|row| row.model.len()).max().unwrap_or(0);
        writeln!(out, "{:width$}  {:wide$}  {:>8}  what it shows", "name", "model", "time / s")?;
        for row in rows {
            let SceneRow { name, model, duration, caption } = row;
            writeln!(out, "{name:width$}  {model:wide$}  {duration:>8}  {caption}")?;
        }
        writeln!(out, "\nRun one: stickslip run {}", rows.first().map_or("NAME", |row| row.name))?;
        out.flush()
    }
}
