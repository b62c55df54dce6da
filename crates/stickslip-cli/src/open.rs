//! `stickslip open`: the report of an output folder in the browser.

use crate::exit::Exit;
use crate::view::{find_page, start_browser};
use crate::{complain, say};
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
The page is opened as a file; `stickslip view` serves the folder instead.

Example:
  stickslip open out/tippe-top

Exit codes: 0 done, 2 there is no report, 4 no browser can be started.";

/// Open the report of an output folder in the browser
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Open {
    /// A folder that `stickslip run` or `stickslip reproduce` has written
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Open {
    /// Runs the command.
    pub fn run(self) -> Exit {
        let page = match find_page(&self.folder) {
            Ok((_, page)) => page,
            Err((exit, message)) => {
                complain(&message);
                return exit;
            }
        };
        let shown = page.display().to_string();
        if start_browser(&shown) {
            return say(&format!("{shown} goes to the browser\n"), Exit::Done);
        }
        complain(&format!("no browser could be started; open {shown} yourself"));
        Exit::ResourceLimit
    }
}
