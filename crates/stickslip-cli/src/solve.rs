//! `stickslip solve`: problem files in, one line of result each.

use crate::exit::Exit;
use crate::input::{self, Input, Problem};
use crate::output::{Output, SolveRow, printable};
use crate::progress::Progress;
use crate::solution::{Numbers, SolutionFolder};
use crate::{complain, lcp};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip::problem::InclusionProblem;
use stickslip::solve::{Limits, SOLVER_NAMES, Status};

const AFTER_HELP: &str = "\
Units: percussions in N s, velocities (penetration) in m/s, times in s; the residual e and the
tolerance have no unit. The formats of the files are described in docs/file-formats.md.

Examples:
  stickslip solve problems/block-on-incline.json
  stickslip solve problems/*.json --solver newton --tolerance 1e-10
  stickslip solve problems/*.json --json --write-solutions out/solutions --max-seconds 10

Exit codes: 0 all solved, 2 bad input (the other files are still solved), 3 a problem was not
solved to the tolerance, 4 a solution could not be written, 5 internal error.";

/// Solve contact problems and linear complementarity problems from files
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Solve {
    /// Problem files (JSON)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The method; linear complementarity problems take lemke, enumerate or auto
    #[arg(long, value_parser = PossibleValuesParser::new(SOLVER_NAMES), default_value = "auto",
          value_name = "NAME")]
    solver: String,

    /// Largest residual e of a solved problem, 0 to 1, no unit
    #[arg(long, default_value = "1e-8", value_name = "E", value_parser = tolerance)]
    tolerance: f64,

    /// Largest number of iterations (sweeps, Newton steps, pivots) for one file
    #[arg(long, default_value_t = Limits::default().max_iterations, value_name = "N",
          value_parser = at_least_one)]
    max_iterations: usize,

    /// Largest time for the solve of one file, in seconds [default: no limit]
    #[arg(long, value_name = "S", value_parser = seconds)]
    max_seconds: Option<Duration>,

    /// Write one JSON object a line instead of a table
    #[arg(long)]
    json: bool,

    /// Write DIR/<name>.solution.json for each problem, solved or not
    #[arg(long, value_name = "DIR")]
    write_solutions: Option<PathBuf>,
}

/// One solve, without the name of the problem.
struct Solved {
    contacts: Option<usize>,
    status: Status,
    iterations: usize,
    residual: Option<f64>,
    error_by_data: Option<f64>,
    penetration: Option<f64>,
    time: Duration,
    numbers: Numbers,
}

impl Solve {
    /// Runs the command.
    pub fn run(self) -> Exit {
        let mut folder = match self.write_solutions.clone().map(SolutionFolder::create) {
            None => None,
            Some(Ok(folder)) => Some(folder),
            Some(Err(message)) => {
                complain(&message);
                return Exit::BadInput;
            }
        };
        let longest = self.files.iter().map(|f| input::stem(f).chars().count()).max();
        let mut output = Output::new(self.json, longest.unwrap_or(0));
        let mut worst = Exit::Done;
        for file in &self.files {
            let (row, exit) = self.solve_file(file, folder.as_mut());
            worst = worst.max(exit);
            match output.write(&row) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Exit::BrokenPipe,
                Err(e) => {
                    complain(&format!("standard output: {e}"));
                    return worst.max(Exit::ResourceLimit);
                }
            }
        }
        worst
    }

    fn solve_file(&self, file: &Path, folder: Option<&mut SolutionFolder>) -> (SolveRow, Exit) {
        let mut row = SolveRow {
            file: file.display().to_string(),
            name: input::stem(file),
            solver: self.solver.clone(),
            status: "bad-input",
            ..SolveRow::default()
        };
        let outcome = input::read(file).and_then(|Input { name, problem }| {
            row.name = name;
            let _progress = Progress::start(printable(&row.name));
            match problem {
                Problem::Inclusion(problem) => self.solve_inclusion(&problem),
                Problem::Lcp(problem) => self.solve_lcp(&problem),
            }
        });
        let solved = match outcome {
            Ok(solved) => solved,
            Err(message) => {
                complain(&format!("{}: {}", printable(&row.file), printable(&message)));
                row.error = Some(message);
                return (row, Exit::BadInput);
            }
        };
        row.contacts = solved.contacts;
        row.status = solved.status.name();
        row.iterations = Some(solved.iterations);
        row.residual = solved.residual;
        row.error_by_data = solved.error_by_data;
        row.penetration = solved.penetration;
        row.seconds = Some(solved.time.as_secs_f64());
        let mut exit =
            if solved.status == Status::Solved { Exit::Done } else { Exit::NotConverged };
        if let Some(folder) = folder {
            match folder.write(&row, &solved.numbers) {
                Ok(None) => {}
                Ok(Some(path)) => {
                    let (file, name) = (printable(&row.file), printable(&row.name));
                    let path = path.display();
                    // If nobody reads the note, so be it.
                    let _ = writeln!(
                        io::stderr().lock(),
                        "note: {file}: another problem is named {name:?}, this solution is in {path}"
                    );
                }
                Err(message) => {
                    complain(&format!("{}: {message}", printable(&row.file)));
                    exit = exit.max(Exit::ResourceLimit);
                }
            }
        }
        (row, exit)
    }

    fn limits(&self) -> Limits {
        Limits {
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            max_time: self.max_seconds,
        }
    }

    fn solve_inclusion(&self, problem: &InclusionProblem) -> Result<Solved, String> {
        let mut solver = stickslip::solve::by_name(&self.solver, self.limits())
            .map_err(|e| e.to_string())?
            .ok_or_else(|| format!("there is no solver {}", self.solver))?;
        let mut percussions = vec![0.0; problem.dim()];
        let start = Instant::now();
        let report = solver.solve(problem, &mut percussions).map_err(|e| e.to_string())?;
        let time = start.elapsed();
        // The problem judges, whatever the solver says of itself.
        let mut relative_velocities = vec![0.0; problem.dim()];
        let residual = problem.residual_into(&percussions, &mut relative_velocities);
        Ok(Solved {
            contacts: Some(problem.contacts().len()),
            status: judged(report.status, Some(residual.value), self.tolerance),
            iterations: report.iterations,
            residual: Some(residual.value),
            error_by_data: residual.by_data(problem.c()),
            penetration: Some(residual.penetration),
            time,
            numbers: Numbers::Inclusion { percussions, relative_velocities },
        })
    }

    fn solve_lcp(&self, problem: &lcp::Lcp) -> Result<Solved, String> {
        let start = Instant::now();
        let outcome = problem.solve(&self.solver, self.limits())?;
        let time = start.elapsed();
        let y = outcome.x.as_deref().map(|x| problem.slack(x));
        let residual = outcome.x.as_deref().map(|x| problem.residual(x));
        Ok(Solved {
            contacts: None,
            status: judged(outcome.status, residual, self.tolerance),
            iterations: outcome.iterations,
            residual,
            error_by_data: None,
            penetration: None,
            time,
            numbers: Numbers::Lcp { x: outcome.x, y, solutions: outcome.solutions },
        })
    }
}

/// A solver that claims success with a residual above the tolerance has stalled.
fn judged(status: Status, residual: Option<f64>, tolerance: f64) -> Status {
    let small = residual.is_some_and(|e| e <= tolerance);
    if status == Status::Solved && !small { Status::Stalled } else { status }
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("it must be a number from 0 to 1".into()),
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(value) if value >= 1 => Ok(value),
        _ => Err("it must be a whole number of at least 1".into()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>().map(Duration::try_from_secs_f64) {
        Ok(Ok(time)) if !time.is_zero() => Ok(time),
        _ => Err("it must be a positive number of seconds".into()),
    }
}
