//! What the documentation says, done: every command runs, every scene is right, every option exists.
//!
//! How snippets are marked is told in `stickslip_site::snippets`.

use crate::common::{Folder, Run, program};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip_site::snippets::{Snippet, snippets};
use stickslip_site::{root, site, summary};

/// Snippets that no test runs: those that need a network, build the program, or take minutes. A new one needs room here.
const MOST_NOT_RUN: usize = 20;
/// Longer is too long for a page, s.
const LONGEST: &str = "120";
/// Simulated time of commands that are run with a short duration, s.
const SHORT: &str = "0.02";

/// All pages of the site and their snippets.
fn pages() -> Vec<(PathBuf, Vec<Snippet>)> {
    let sections = summary::sections(&root()).expect("a list of pages");
    let page = |path: PathBuf| {
        let text = fs::read_to_string(root().join(&path)).expect("a page");
        let found = snippets(&text);
        (path, found)
    };
    site::listed(&sections).into_iter().map(page).collect()
}

fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Figures of the papers are repeated by a command of their own, whose page it writes.
fn is_written_by_reproduce(page: &Path) -> bool {
    page.ends_with("reproduction.md")
}

#[test]
fn every_snippet_says_what_it_is_and_few_are_not_run() {
    let known = ["sh", "console", "usage", "toml", "python", "rust", "text", "json", "csv"];
    let mut complaints = Vec::new();
    let mut not_run = Vec::new();
    for (page, snippets) in pages() {
        for snippet in snippets {
            let place = format!("{}:{}", page.display(), snippet.line);
            if !known.contains(&snippet.language.as_str()) {
                let first = snippet.text.lines().next().unwrap_or_default();
                complaints.push(format!("{place}: fence with one of {known:?}: {first}"));
            }
            let command =
                |line: &str| ["stickslip ", "cargo ", "$ "].iter().any(|c| line.starts_with(c));
            if snippet.language == "text" && snippet.text.lines().any(command) {
                complaints.push(format!("{place}: a command in a block of text"));
            }
            if snippet.no_run.is_some() && !is_written_by_reproduce(&page) {
                not_run.push(format!("{place}: {}", snippet.no_run.unwrap_or_default()));
            }
        }
    }
    println!("not run by the tests:\n  {}", not_run.join("\n  "));
    if not_run.len() > MOST_NOT_RUN {
        complaints.push(format!("{} snippets are not run, {MOST_NOT_RUN} may", not_run.len()));
    }
    report(complaints);
}

/// The options of a line of usage are those of the command.
#[test]
fn every_option_of_a_usage_exists() {
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut complaints = Vec::new();
    for (page, snippets) in pages() {
        for snippet in snippets.iter().filter(|s| s.language == "usage") {
            let mut command = String::new();
            for word in snippet.text.split_whitespace().collect::<Vec<_>>().windows(2) {
                if word[0] == "stickslip" {
                    command = word[1].to_owned();
                }
                let option = word[1].trim_start_matches('[').trim_end_matches([']', '.']);
                let Some(name) = option.strip_prefix("--") else { continue };
                let help = helps.entry(command.clone()).or_insert_with(|| {
                    let output = program().args([&command, "--help"]).output().expect("help");
                    Run::new(output).out
                });
                if !help.contains(&format!("--{name}")) {
                    let page = page.display();
                    complaints.push(format!("{page}:{}: {command} has no --{name}", snippet.line));
                }
            }
        }
    }
    assert!(helps.len() > 5, "the usages were not found");
    report(complaints);
}

/// The folder in which the snippets of a page run, one after the other.
struct Bench {
    folder: Folder,
    path: String,
}

impl Bench {
    /// A folder with programs of its own in front of the others: `stickslip` is the one that was built, `cargo run --`
    /// leads to it, and a browser does nothing.
    fn new() -> Self {
        let folder = Folder::new();
        let built = env!("CARGO_BIN_EXE_stickslip");
        let short = format!("--set simulation.duration={SHORT}");
        let programs = [
            (
                "stickslip",
                format!(
                    "case \"${{SHORT-}}:$1\" in yes:run | yes:sweep) exec '{built}' \"$@\" {short} ;; esac\n\
                     exec '{built}' \"$@\""
                ),
            ),
            (
                "cargo",
                "while [ \"$1\" != -- ]; do shift; done\nshift\nexec stickslip \"$@\"".into(),
            ),
            ("xdg-open", "exit 0".into()),
        ];
        fs::create_dir(folder.path("programs")).expect("a folder");
        for (name, script) in programs {
            let file = folder.write(&format!("programs/{name}"), format!("#!/bin/sh\n{script}\n"));
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("a program");
        }
        for name in ["scenes", "problems", "python", "docs"] {
            symlink(root().join(name), folder.path(name)).expect("a link");
        }
        let others = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{others}", folder.path("programs"));
        Self { folder, path }
    }

    /// Runs a script: whether it went well, what it printed, what it complained about.
    fn run(&self, script: &str, short: bool, careful: bool) -> (bool, String, String) {
        let flags = if careful { "-euc" } else { "-uc" };
        let output = Command::new("timeout")
            .args([LONGEST, "sh", flags, script])
            .current_dir(self.folder.path(""))
            .env("PATH", &self.path)
            .env("SHORT", if short { "yes" } else { "no" })
            .stdin(std::process::Stdio::null())
            .output()
            .expect("a shell");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    }

    /// What is wrong with a snippet; nothing if it does what it should.
    fn complaint(&self, snippet: &Snippet) -> Option<String> {
        if let Some(file) = &snippet.file {
            self.folder.write(file, &snippet.text);
        }
        match snippet.language.as_str() {
            "sh" => {
                let (good, out, err) = self.run(&snippet.text, snippet.short, true);
                (!good).then(|| format!("failed:\n{}\n{out}{err}", snippet.text))
            }
            "toml" => {
                let rest = snippet.rest.as_deref().unwrap_or_default();
                self.folder.write("snippet.toml", format!("{rest}\n{}", snippet.text));
                let (good, out, err) = self.run("stickslip check snippet.toml", false, true);
                (!good).then(|| format!("is refused:\n{}\n{out}{err}", snippet.text))
            }
            "console" => {
                for (command, expected) in dialogue(&snippet.text) {
                    let (_, out, err) = self.run(&command, snippet.short, false);
                    let lines: Vec<&str> = out.lines().collect();
                    if !fits(&expected, &lines) {
                        let expected = expected.join("\n");
                        return Some(format!(
                            "$ {command}\n{expected}\n-- printed:\n{out}\n-- {err}"
                        ));
                    }
                }
                None
            }
            _ => None,
        }
    }
}

/// Commands and the lines that they print.
fn dialogue(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push((command.to_owned(), Vec::new())),
            (None, Some((command, lines))) if lines.is_empty() && command.ends_with('\\') => {
                let _ = write!(command, "\n{line}");
            }
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    all
}

/// Whether lines are as expected: `...` stands for any text, alone on a line for any lines.
fn fits(expected: &[&str], lines: &[&str]) -> bool {
    match (expected, lines) {
        ([], rest) => rest.is_empty(),
        (["...", others @ ..], rest) => (0..=rest.len()).any(|skip| fits(others, &rest[skip..])),
        ([_, ..], []) => false,
        ([first, others @ ..], [line, rest @ ..]) => fits_line(first, line) && fits(others, rest),
    }
}

fn fits_line(expected: &str, line: &str) -> bool {
    let parts: Vec<&str> = expected.split("...").collect();
    let [first, middle @ .., last] = &parts[..] else { return expected == line };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[test]
fn every_command_and_scene_of_the_pages_works() {
    let pages = pages();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut complaints = Vec::new();
        while let Some((page, snippets)) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tried = snippets.iter().filter(|s| s.no_run.is_none());
            let mut tried = tried
                .filter(|s| ["sh", "console", "toml"].contains(&s.language.as_str()))
                .peekable();
            if tried.peek().is_none() {
                continue;
            }
            let bench = Bench::new();
            let place = |s: &Snippet| format!("{}:{}", page.display(), s.line);
            complaints.extend(
                tried.filter_map(|s| Some(format!("{} {}", place(s), bench.complaint(s)?))),
            );
        }
        complaints
    };
    let complaints = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a thread")).collect()
    });
    report(complaints);
}

/// The mechanism of lesson three begins at a dead centre, where all terms of its guide are rounding: `check` said that
/// the guide moves against its constraint by 1e-30 m/s.
#[test]
fn the_mechanism_of_the_tutorial_is_checked_without_a_warning() {
    let pages = pages();
    let lesson =
        pages.iter().find(|(page, _)| page.ends_with("3-mechanism.md")).expect("the lesson");
    let scene = lesson.1.iter().find(|s| s.file.is_some()).expect("a file");
    let folder = Folder::new();
    let file = folder.write("pusher.toml", &scene.text);
    let run = Run::new(program().args(["check", &file]).output().expect("the program runs"));
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(!format!("{}{}", run.out, run.err).contains("warning"), "{}{}", run.out, run.err);
}

/// The Rust of the pages is that of the examples, which run in the tests of the library.
#[test]
fn rust_on_the_pages_is_that_of_the_examples() {
    let example =
        fs::read_to_string(root().join("crates/stickslip/examples/ball.rs")).expect("an example");
    let lines: Vec<&str> = example.lines().map(str::trim).collect();
    let mut count = 0;
    for (page, snippets) in pages() {
        for snippet in snippets.iter().filter(|s| s.language == "rust") {
            let mut from = 0;
            for line in snippet.text.lines().map(str::trim).filter(|l| !l.is_empty()) {
                let found = lines[from..].iter().position(|l| *l == line);
                let place = format!("{}:{}", page.display(), snippet.line);
                from +=
                    found.unwrap_or_else(|| panic!("{place}: not in examples/ball.rs: {line}")) + 1;
                count += 1;
            }
        }
    }
    assert!(count > 5, "no Rust was found");
}

/// Our row of docs/who-sticks.md: the block stays to the last digit, the ball rebounds to e² of its height.
#[test]
fn who_sticks_holds_for_us() {
    let folder = Folder::new();
    let column = |name: &str, text: String, column: &str| -> Vec<f64> {
        let (scene, out) = (folder.write(&format!("{name}.toml"), text), folder.path(name));
        let run = program().args(["run", &scene, "--out", &out, "--quiet", "--no-report"]).output();
        let run = Run::new(run.expect("the program runs"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        let table = fs::read_to_string(Path::new(&out).join("trajectory.csv")).expect("a table");
        let mut lines = table.lines();
        let head = lines.next().expect("a header").split(',').position(|c| c == column);
        let head = head.expect("the column");
        lines
            .map(|l| l.split(',').nth(head).and_then(|v| v.parse().ok()).expect("a number"))
            .collect()
    };
    let tilt = 20.0_f64.to_radians();
    let pull = [9.81 * tilt.sin(), -9.81 * tilt.cos()];
    let settings = "step = 1e-3\noutput_step = 1e-3\n";
    let block = format!(
        "[world]\ngravity = [{}, 0, {}]\n[world.ground]\n[[body]]\nname = \"block\"\nmass = 1\n\
         position = [0, 0, 0.05]\nshape = [{{ kind = \"box\", half_extents = [0.1, 0.1, 0.05] }}]\n\
         [default_contact]\nfriction = 0.5\n[simulation]\nduration = 10\n{settings}",
        pull[0], pull[1]
    );
    let x = column("block", block, "block.x");
    assert_eq!((x.len(), x[1000]), (10_001, *x.last().expect("rows")));
    let ball = format!(
        "[world.ground]\n[[body]]\nname = \"ball\"\nmass = 1\nposition = [0, 0, 0.55]\n\
         shape = [{{ kind = \"sphere\", radius = 0.05 }}]\n[default_contact]\nrestitution = 0.8\n\
         [simulation]\nduration = 3\n{settings}"
    );
    let z = column("ball", ball, "ball.z");
    let tops: Vec<f64> =
        z.windows(3).filter(|w| w[1] > w[0] && w[1] >= w[2]).map(|w| w[1] - 0.05).collect();
    for (k, top) in tops.iter().take(3).enumerate() {
        let exact = 0.5 * 0.8_f64.powi(2 * (k as i32 + 1));
        // Rows are 1 ms apart: the top is met within g (0.5 ms)²/2.
        assert!((top - exact).abs() < 5e-5, "flight {k}: {top} m, not {exact} m");
    }
    assert!(tops.len() >= 3);
}

#[test]
fn dots_stand_for_any_text() {
    assert!(fits(&["a ... c", "...", "end"], &["a b c", "x", "y", "end"]));
    assert!(fits(&["..."], &[]) && fits(&["1.5..."], &["1.5"]));
    assert!(!fits(&["a ... c"], &["a b d"]) && !fits(&["a"], &["a", "b"]) && !fits(&["a"], &[]));
}
