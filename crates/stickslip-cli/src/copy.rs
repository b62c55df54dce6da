//! `stickslip copy`: a shipped scene as a file.

use crate::exit::Exit;
use crate::{complain, say};
use clap::Args;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use stickslip::scene::built_in;

const AFTER_HELP: &str = "\
Examples:
  stickslip copy tippe-top                 writes tippe-top.toml
  stickslip copy bouncing-ball my-ball.toml

Exit codes: 0 done, 2 there is no such scene or the file exists already, 4 it
cannot be written.";

/// Write a scene of the program to a file, to change it
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Copy {
    /// The scene by name, see `stickslip list`
    #[arg(value_name = "NAME")]
    name: String,

    /// The file [default: NAME.toml]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Overwrite the file if there is one
    #[arg(long)]
    force: bool,
}

impl Copy {
    /// Runs the command.
    pub fn run(self) -> Exit {
        let scene = match built_in(&self.name) {
            Ok(scene) => scene,
            Err(message) => {
                complain(&message);
                return Exit::BadInput;
            }
        };
        let path = self.file.unwrap_or_else(|| PathBuf::from(format!("{}.toml", scene.name)));
        let shown = path.display();
        let mut options = OpenOptions::new();
        options.write(true);
        if self.force {
            options.create(true).truncate(true);
        } else {
            options.create_new(true);
        }
        let written =
            options.open(&path).and_then(|mut file| file.write_all(scene.text.as_bytes()));
        match written {
            Ok(()) => {
                let text = format!("{shown} is written; try:\n  stickslip run {shown}\n");
                say(&text, Exit::Done)
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                complain(&format!("{shown} exists already; name another file, or use --force"));
                Exit::BadInput
            }
            Err(e) => {
                complain(&format!("{shown} cannot be written: {e}"));
                Exit::ResourceLimit
            }
        }
    }
}
