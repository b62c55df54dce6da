//! The command `stickslip` as a library: [`command`] is the command, [`results`] what it makes of a run, for
//! other shells.

#![forbid(unsafe_code)]

mod basin_picture;
mod basins;
mod bifurcation;
mod branch_files;
mod branch_words;
mod check;
mod compare;
mod continuation;
mod converge;
mod converge_table;
mod copy;
mod exit;
mod explain;
mod fit;
mod fit_words;
mod folder;
mod formats;
mod gradient;
mod input;
mod lab;
mod lcp;
mod limits;
mod list;
mod lyapunov;
mod new;
mod open;
mod orbit;
mod orbit_words;
mod output;
mod problem;
mod progress;
mod report;
mod reproduce;
pub mod results;
mod resume;
mod run;
mod run_plots;
mod run_progress;
mod run_summary;
mod scene_file;
mod server;
mod session;
mod shell;
mod signals;
mod solution;
mod solve;
mod state;
mod study_command;
mod study_page;
mod summary_forces;
mod summary_words;
mod sweep;
mod view;

use clap::{Parser, Subcommand};
use exit::Exit;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Mechanical systems with hard contact, impact and dry friction, by set-valued force laws.
#[derive(Parser)]
#[command(name = "stickslip", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Run),
    Resume(resume::Resume),
    State(state::State),
    Check(check::Check),
    Compare(compare::Compare),
    Converge(converge::Converge),
    Sweep(sweep::Sweep),
    Bifurcation(bifurcation::Bifurcation),
    Basins(basins::Basins),
    Orbit(orbit::OrbitCommand),
    Continue(continuation::Continue),
    Lyapunov(lyapunov::LyapunovCommand),
    Gradient(gradient::GradientCommand),
    Fit(fit::FitCommand),
    Explain(explain::Explain),
    New(new::New),
    Copy(copy::Copy),
    Schema(new::Schema),
    List(list::List),
    View(view::View),
    Lab(lab::LabCommand),
    Open(open::Open),
    Reproduce(reproduce::Reproduce),
    Solve(solve::Solve),
    Problem(problem::Problem),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// Does what the arguments say; the first is the name of the program.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(exit_code(arguments))
}

/// The same, with the code as a number.
pub fn exit_code(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(usage) => {
            // Help and version come this way too, with code 0. If nobody reads them, so be it.
            let _ = usage.print();
            return if usage.exit_code() == 0 { Exit::Done } else { Exit::BadInput }.code();
        }
    };
    // A panic is a fault of the program, whatever the input was: say so in one line.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |l| format!(" ({l})"));
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        complain(&format!("internal error, please report it: {text}{place}"));
    }));
    let run = std::panic::AssertUnwindSafe(|| match cli.command {
        Command::Run(run) => run.run(),
        Command::Resume(resume) => resume.run(),
        Command::State(state) => state.run(),
        Command::Check(check) => check.run(),
        Command::Compare(compare) => compare.run(),
        Command::Converge(converge) => converge.run(),
        Command::Sweep(sweep) => sweep.run(),
        Command::Bifurcation(bifurcation) => bifurcation.run(),
        Command::Basins(basins) => basins.run(),
        Command::Orbit(orbit) => orbit.run(),
        Command::Continue(branch) => branch.run(),
        Command::Lyapunov(exponents) => exponents.run(),
        Command::Gradient(gradient) => gradient.run(),
        Command::Fit(fit) => fit.run(),
        Command::Explain(explain) => explain.run(),
        Command::New(new) => new.run(),
        Command::Copy(copy) => copy.run(),
        Command::Schema(schema) => schema.run(),
        Command::List(list) => list.run(),
        Command::View(view) => view.run(),
        Command::Lab(lab) => lab.run(),
        Command::Open(open) => open.run(),
        Command::Reproduce(reproduce) => reproduce.run(),
        Command::Solve(solve) => solve.run(),
        Command::Problem(problem) => problem.run(),
        Command::Completions(completions) => completions.run::<Cli>(),
        Command::Man(man) => man.run::<Cli>(),
    });
    std::panic::catch_unwind(run).unwrap_or(Exit::Internal).code()
}

/// Writes `error: message` to standard error; unlike `eprintln!` it does not mind a closed one.
fn complain(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "error: {message}");
}

/// Writes every line of a message with `error: ` in front, but excerpts of files as they are.
fn complain_all(message: &str) {
    for line in message.lines() {
        let is_excerpt = line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
        let line = output::printable(line);
        if is_excerpt.starts_with('|') {
            let _ = writeln!(std::io::stderr().lock(), "{line}");
        } else {
            complain(&line);
        }
    }
}

/// Writes a text to standard output; the exit code is `done` if that succeeds.
fn say(text: &str, done: Exit) -> Exit {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => done,
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Exit::BrokenPipe,
        Err(e) => {
            complain(&format!("standard output: {e}"));
            Exit::ResourceLimit
        }
    }
}

/// Tells the user what may be wrong although the program goes on.
/// Tells what is worth knowing.
fn note(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "note: {message}");
}

fn warn(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "warning: {message}");
}
