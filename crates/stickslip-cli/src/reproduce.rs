//! `stickslip reproduce`: the figures of the papers, and how their numbers compare.

use crate::complain;
use crate::exit::Exit;
use clap::Args;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use stickslip_papers::figures::{Context, Entry, Runs, Verdict, entries};
use stickslip_papers::gallery::{self, Gallery};
use stickslip_papers::{Fault, Finished, markdown};

const AFTER_HELP: &str = "\
Without names all figures are made. Written to the folder, for each figure: NAME.svg, NAME.png and
NAME.csv (the data); and index.html (a page with all of them), verdicts.json, reproduction.md and
images/reproduction/ (small pictures). Earlier output of this command in the folder is replaced.

Examples:
  stickslip reproduce --list
  stickslip reproduce leine-2003-fig-9 le-saux-2005-fig-5
  stickslip reproduce --quick --out out/quick-look

Exit codes: 0 done (open verdicts are results, not errors), 2 bad input, 3 a figure could not be
computed, 4 cannot write, 130 interrupted by Ctrl-C (finished figures are kept).";

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Redraw figures of the papers and compare their numbers
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Reproduce {
    /// Figures by name (see --list) [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// The folder for the results
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,

    /// Coarser converged runs, for a first look in two minutes
    #[arg(long)]
    quick: bool,

    /// Print the verdicts as JSON
    #[arg(long)]
    json: bool,

    /// No progress and no table on the terminal
    #[arg(long)]
    quiet: bool,

    /// Write although the folder holds other files
    #[arg(long)]
    force: bool,

    /// List the figures and do nothing
    #[arg(long)]
    list: bool,
}

/// An exit code and what to tell.
type Failure = (Exit, String);

/// What went wrong with figures, as a command ends.
fn failure((fault, message): stickslip_papers::Failure) -> Failure {
    let exit = match fault {
        Fault::NotWritten => Exit::ResourceLimit,
        Fault::BadFolder => Exit::BadInput,
        Fault::Internal => Exit::Internal,
    };
    (exit, message)
}

impl Reproduce {
    /// Runs the command.
    pub fn run(self) -> Exit {
        let done =
            if self.list { print(&listing()).map(|()| Exit::Done) } else { self.reproduce() };
        done.unwrap_or_else(|(exit, message)| {
            message.lines().for_each(complain);
            exit
        })
    }

    fn reproduce(&self) -> Result<Exit, Failure> {
        let chosen = choose(&self.names)?;
        let gallery = Gallery::open(self.out.clone(), self.force).map_err(failure)?;
        // Without a handler Ctrl-C just ends the program.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        let shown = !self.quiet && io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bars = MultiProgress::with_draw_target(target);
        let runs = Runs::default();
        let computed: Vec<Result<Finished, Failure>> = chosen
            .par_iter()
            .with_max_len(1)
            .map(|entry| {
                let bar = bars.add(bar(entry.name));
                let finished = self.compute(entry, &runs, &bar);
                bar.finish_and_clear();
                bars.remove(&bar);
                finished.and_then(|f| gallery.figure(&f).map(|()| f).map_err(failure))
            })
            .collect();
        let (finished, failures): (Vec<_>, Vec<_>) = computed.into_iter().partition(Result::is_ok);
        let finished: Vec<Finished> = finished.into_iter().flatten().collect();
        let mut failures: Vec<Failure> = failures.into_iter().filter_map(Result::err).collect();
        failures.extend(gallery.pages(&finished, self.quick).map_err(failure).err());
        self.tell(&finished, failures.is_empty())?;
        if INTERRUPTED.load(Ordering::Relaxed) {
            let (done, all) = (finished.len(), chosen.len());
            let message =
                format!("interrupted: {done} of {all} figures are in {}", self.out.display());
            return Err((Exit::Interrupted, message));
        }
        match failures.iter().map(|(exit, _)| *exit).max() {
            None => Ok(Exit::Done),
            Some(exit) => {
                let texts: Vec<String> = failures.into_iter().map(|(_, text)| text).collect();
                Err((exit, texts.join("\n")))
            }
        }
    }

    fn compute(
        &self,
        entry: &'static Entry,
        runs: &Runs,
        bar: &ProgressBar,
    ) -> Result<Finished, Failure> {
        let context = Context::new(self.quick, runs, bar, &INTERRUPTED);
        if context.stopped() {
            return Err((Exit::Interrupted, format!("{}: interrupted", entry.name)));
        }
        match (entry.run)(&context) {
            Ok(mut outcome) => {
                outcome.rows.iter_mut().for_each(|row| row.quick = self.quick);
                Ok(Finished { entry, outcome })
            }
            Err(message) => Err((Exit::NotConverged, format!("{}: {message}", entry.name))),
        }
    }

    fn tell(&self, finished: &[Finished], written: bool) -> Result<(), Failure> {
        if self.json {
            return print(&(gallery::verdicts(finished).map_err(failure)? + "\n"));
        }
        if self.quiet {
            return Ok(());
        }
        let mut text = markdown::plain_table(finished);
        let count = |wanted: Verdict| {
            let all = finished.iter().flat_map(|f| &f.outcome.rows);
            all.filter(|row| row.verdict() == wanted).count()
        };
        text += &format!(
            "\n{} figures; {} numbers match the paper, {} the reference, in {} the paper differs, {} open\n",
            finished.len(),
            count(Verdict::MatchesPaper),
            count(Verdict::MatchesReference),
            count(Verdict::PaperDiffers),
            count(Verdict::Open)
        );
        if written {
            text += &format!("{}\n", self.out.join(gallery::INDEX).display());
        }
        print(&text)
    }
}

/// The figures of these names, each once, in the order of the papers; all if there are none.
fn choose(names: &[String]) -> Result<Vec<&'static Entry>, Failure> {
    let all = entries();
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|e| e.name != **name)) {
        let nearest = all.iter().max_by(|a, b| {
            let like = |e: &Entry| strsim::jaro_winkler(e.name, unknown);
            like(a).total_cmp(&like(b))
        });
        let hint = nearest.map_or(String::new(), |e| format!("; did you mean {}?", e.name));
        let message =
            format!("no figure is called {unknown:?}{hint} (stickslip reproduce --list shows all)");
        return Err((Exit::BadInput, message));
    }
    let wanted = |e: &&Entry| names.is_empty() || names.iter().any(|name| name == e.name);
    Ok(all.into_iter().filter(wanted).collect())
}

fn listing() -> String {
    entries().iter().map(|e| format!("{:22} {}\n", e.name, e.caption)).collect()
}

fn bar(name: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:22} [{bar:24}] {elapsed} {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ");
    ProgressBar::new(1000).with_style(style).with_prefix(name)
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|e| (Exit::ResourceLimit, format!("standard output: {e}"))),
    }
}
