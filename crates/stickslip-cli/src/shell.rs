//! `stickslip completions` and `stickslip man`: what shells and readers of manuals want.

use crate::complain;
use crate::exit::Exit;
use clap::{Args, CommandFactory};
use std::io::{self, Write};
use std::path::PathBuf;

const COMPLETIONS_HELP: &str = "\
Examples:
  stickslip completions bash > ~/.local/share/bash-completion/completions/stickslip
  stickslip completions zsh > ~/.zfunc/_stickslip
  stickslip completions fish > ~/.config/fish/completions/stickslip.fish";

/// Print completions for a shell
#[derive(Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    /// Runs the command.
    pub fn run<C: CommandFactory>(self) -> Exit {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut C::command(), "stickslip", &mut text);
        told(io::stdout().lock().write_all(&text))
    }
}

const MAN_HELP: &str = "\
Examples:
  stickslip man | man -l -
  stickslip man --out ~/.local/share/man/man1";

/// Print the manual page, or write one for every command to a folder
#[derive(Args)]
#[command(after_help = MAN_HELP)]
pub struct Man {
    /// Write stickslip.1, stickslip-run.1, ... to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    /// Runs the command.
    pub fn run<C: CommandFactory>(self) -> Exit {
        let command = C::command();
        let Some(folder) = self.out else {
            let mut text = Vec::new();
            let rendered = clap_mangen::Man::new(command).render(&mut text);
            return told(rendered.and_then(|()| io::stdout().lock().write_all(&text)));
        };
        let written = std::fs::create_dir_all(&folder)
            .and_then(|()| clap_mangen::generate_to(command, &folder));
        match written {
            Ok(()) => Exit::Done,
            Err(e) => {
                complain(&format!("--out {}: {e}", folder.display()));
                Exit::ResourceLimit
            }
        }
    }
}

fn told(result: io::Result<()>) -> Exit {
    match result {
        Ok(()) => Exit::Done,
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Exit::BrokenPipe,
        Err(e) => {
            complain(&format!("standard output: {e}"));
            Exit::ResourceLimit
        }
    }
}
