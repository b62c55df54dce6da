//! `stickslip view`: an output folder in the browser, served on this machine alone.

use crate::compare::COMPARISON;
use crate::complain;
use crate::exit::Exit;
use clap::Args;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const AFTER_HELP: &str = "\
The folder is served to this machine alone (127.0.0.1) until Ctrl-C.

Examples:
  stickslip view out/tippe-top
  stickslip view out/reproduce --port 8000 --no-open

Exit codes: 0 done, 2 bad input, 4 the port cannot be used.";

/// Bytes of a request that are read at most.
const MOST_REQUEST: u64 = 16 << 10;
/// Time that a browser may take to send a request or to read an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pages that a folder opens with, best first.
const PAGES: [&str; 3] = ["report.html", "index.html", COMPARISON];

/// Show an output folder in the browser
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct View {
    /// A folder that `stickslip run` or `stickslip reproduce` has written
    #[arg(value_name = "DIR")]
    folder: PathBuf,

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
        match self.serve() {
            Ok(()) => Exit::Done,
            Err((exit, message)) => {
                complain(&message);
                exit
            }
        }
    }

    fn serve(&self) -> Result<(), (Exit, String)> {
        let shown = self.folder.display();
        let (root, _) = find_page(&self.folder)?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let unusable = |e: io::Error| {
            (Exit::ResourceLimit, format!("--port {} cannot be used: {e}", self.port))
        };
        let listener = TcpListener::bind(address).map_err(unusable)?;
        let url = format!("http://{}/", listener.local_addr().map_err(unusable)?);
        if !self.quiet {
            let mut out = io::stdout().lock();
            let _ = writeln!(out, "{shown} at {url} (Ctrl-C ends)").and_then(|()| out.flush());
        }
        if !self.no_open && !start_browser(&url) {
            crate::warn(&format!("no browser could be opened; open {url} yourself"));
        }
        for stream in listener.incoming().flatten() {
            let root = root.clone();
            // A browser keeps connections open that it does not use: they must not block others.
            std::thread::spawn(move || {
                let _ = answer(&stream, &root);
            });
        }
        Ok(())
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

fn answer(stream: &TcpStream, root: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream.take(MOST_REQUEST)).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The rest of the request is of no interest, but it must be read before the answer.
    let mut local = false;
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some((name, host)) = line.split_once(':')
            && name.eq_ignore_ascii_case("host")
        {
            local = is_local(host.trim());
        }
    }
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let (status, kind, body) = if !local {
        ("403 Forbidden", "text/plain", b"only this machine is served\n".to_vec())
    } else if method != "GET" && method != "HEAD" {
        ("405 Method Not Allowed", "text/plain", b"only GET\n".to_vec())
    } else {
        match find(root, target).and_then(|path| Some((fs::read(&path).ok()?, path))) {
            Some((content, path)) => ("200 OK", content_type(&path), content),
            None => ("404 Not Found", "text/plain", b"no such file\n".to_vec()),
        }
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: \
         no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// Whether a request was meant for this machine: a page elsewhere whose name leads here is not.
fn is_local(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")
}

/// The file that a request names; it lies in the folder, whatever the request says.
fn find(root: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.trim_start_matches('/');
    let path = decode(path)?;
    let wanted = if path.is_empty() {
        PAGES.iter().map(|page| root.join(page)).find(|page| page.is_file())?
    } else {
        root.join(path)
    };
    let found = fs::canonicalize(wanted).ok()?;
    (found.starts_with(root) && found.is_file()).then_some(found)
}

/// Text with its %-escapes resolved; nothing if they are wrong.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
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
