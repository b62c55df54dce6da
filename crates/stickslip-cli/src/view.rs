//! `stickslip view`: an output folder in the browser, served on this machine alone.

use crate::compare::COMPARISON;
use crate::exit::Exit;
use crate::server::{Answer, Body, Handler, Request, Server, end_by_signals};
use crate::session::told;
use clap::Args;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

const AFTER_HELP: &str = "\
The folder is served to this machine alone (127.0.0.1) until Ctrl-C.

Examples:
  stickslip view out/tippe-top
  stickslip view out/reproduce --port 8000 --no-open

Exit codes: 2 bad input, 4 the port cannot be used, 130 ended by Ctrl-C, 143 by
SIGTERM.";

/// Pages that a folder opens with, best first.
const PAGES: [&str; 3] = ["report.html", "index.html", COMPARISON];

/// Show an output folder in the browser
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct View {
    /// A folder that `stickslip run` or `stickslip reproduce` has written
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    serving: Serving,
}

/// How pages are served.
#[derive(Args)]
pub struct Serving {
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,

    /// Only serve, do not open the browser
    #[arg(long)]
    no_open: bool,

    /// Do not print the address
    #[arg(long)]
    quiet: bool,
}

impl View {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.serve().map(|()| Exit::Done))
    }

    fn serve(&self) -> Result<(), (Exit, String)> {
        let shown = self.folder.display();
        let (root, _) = find_page(&self.folder)?;
        end_by_signals();
        let server = self.serving.listen()?;
        let url = server.url();
        self.serving.announce(&shown.to_string(), &url);
        let handler: Arc<dyn Handler> = Arc::new(Files(root));
        server.serve(&handler)
    }
}

impl Serving {
    /// A server at the port of this machine.
    pub fn listen(&self) -> Result<Server, (Exit, String)> {
        let port = self.port;
        Server::bind(port)
            .map_err(|e| (Exit::ResourceLimit, format!("--port {port} cannot be used: {e}")))
    }

    /// Tells where the pages are, and shows them.
    pub fn announce(&self, shown: &str, url: &str) {
        if !self.quiet {
            let mut out = io::stdout().lock();
            let _ = writeln!(out, "{shown} at {url} (Ctrl-C ends)").and_then(|()| out.flush());
        }
        if !self.no_open && !start_browser(url) {
            crate::warn(&format!("no browser could be opened; open {url} yourself"));
        }
    }
}

/// The folder and the page that it opens with.
pub fn find_page(folder: &Path) -> Result<(PathBuf, PathBuf), (Exit, String)> {
    let shown = folder.display();
    let root = fs::canonicalize(folder)
        .map_err(|e| (Exit::BadInput, format!("{shown} cannot be read: {e}")))?;
    if !root.is_dir() {
        return Err((Exit::BadInput, format!("{shown} is a file, not a folder")));
    }
    match PAGES.iter().map(|page| root.join(page)).find(|page| page.is_file()) {
        Some(page) => Ok((root, page)),
        None => Err((Exit::BadInput, format!("{shown} has no {}", PAGES.join(" and no ")))),
    }
}

/// Opens an address or a file in the browser; false if none could be started.
pub fn start_browser(url: &str) -> bool {
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let started = Command::new(program)
        .args(first)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.is_ok()
}

/// Answers with the files of a folder.
struct Files(PathBuf);

impl Handler for Files {
    fn answer(&self, request: &Request) -> Answer {
        self.open(&request.path).unwrap_or_else(Answer::not_found)
    }
}

impl Files {
    fn open(&self, path: &str) -> Option<Answer> {
        let path = find(&self.0, path)?;
        let file = File::open(&path).ok()?;
        let length = file.metadata().ok()?.len();
        let (kind, body) = (content_type(&path), Body::File(file, length));
        Some(Answer { status: 200, kind, body, save_as: None })
    }
}

/// The file that a request names; it lies in the folder, whatever the request says.
fn find(root: &Path, path: &str) -> Option<PathBuf> {
    let path = path.trim_start_matches('/');
    let wanted = if path.is_empty() {
        PAGES.iter().map(|page| root.join(page)).find(|page| page.is_file())?
    } else {
        root.join(path)
    };
    let found = fs::canonicalize(wanted).ok()?;
    (found.starts_with(root) && found.is_file()).then_some(found)
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("csv") => "text/csv; charset=utf-8",
        Some("toml" | "md" | "txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
