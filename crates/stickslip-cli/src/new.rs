//! `stickslip new` and `stickslip schema`: help for writing scenes.

use crate::exit::Exit;
use crate::{complain, say};
use clap::Args;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The starter scene.
pub const STARTER: &str = include_str!("starter.toml");

const AFTER_HELP: &str = "\
Examples:
  stickslip new my-scene           writes my-scene.toml
  stickslip run my-scene.toml

Exit codes: 0 done, 2 the file exists already or has an odd name, 4 it cannot be
written.";

/// Write a commented scene to start from
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct New {
    #[arg(
        value_name = "NAME",
        help = "Name of the scene; the file is NAME.toml, and an existing one is\nnever overwritten"
    )]
    name: String,
}

impl New {
    /// Runs the command.
    pub fn run(self) -> Exit {
        let stem = self.name.strip_suffix(".toml").unwrap_or(&self.name);
        let has_name = Path::new(stem).file_name().is_some_and(|name| !name.is_empty());
        if !has_name || stem.ends_with(std::path::is_separator) {
            complain(&format!("{:?} is no name of a scene; try my-scene", self.name));
            return Exit::BadInput;
        }
        let path = format!("{stem}.toml");
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(STARTER.as_bytes()));
        match written {
            Ok(()) => say(
                &format!(
                    "{path} is written; try:\n  stickslip check {path}\n  stickslip run {path}\n"
                ),
                Exit::Done,
            ),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                complain(&format!("{path} exists already; choose another name"));
                Exit::BadInput
            }
            Err(e) => {
                complain(&format!("{path} cannot be written: {e}"));
                Exit::ResourceLimit
            }
        }
    }
}

const SCHEMA_HELP: &str = "\
Editors complete and check scene files by it. Write it to a file and name that
in the first line of a scene, as many TOML editors understand it:
  #:schema scene.schema.json

Example:
  stickslip schema > scene.schema.json";

/// Print the JSON schema of scene files
#[derive(Args)]
#[command(after_help = SCHEMA_HELP)]
pub struct Schema {}

impl Schema {
    /// Runs the command.
    pub fn run(self) -> Exit {
        say(&stickslip::scene::world::schema_text(), Exit::Done)
    }
}
