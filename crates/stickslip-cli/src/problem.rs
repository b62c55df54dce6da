//! `stickslip problem`: contact problems made by rule, to measure solvers by.

use crate::complain;
use crate::exit::Exit;
use clap::{Args, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use stickslip::problem::{InclusionProblem, generate};

const AFTER_HELP: &str = "\
Examples:
  stickslip problem wall --rows 11 --columns 12 --friction 0.7 --out wall.json
  stickslip problem packing --spheres 100 --seed 2 --out packing.json
  stickslip problem permute --file wall.json --seed 1 --out permuted.json

Exit codes: 0 written, 2 bad input, 4 the file could not be written,
5 internal error.";

/// Make contact problems by rule, for stickslip solve
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Problem {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// A wall of bricks in running bond, four contacts a pair
    Wall {
        /// Layers of bricks
        #[arg(long, default_value_t = 11, value_name = "N")]
        rows: usize,
        /// Bricks of a layer
        #[arg(long, default_value_t = 12, value_name = "N")]
        columns: usize,
        #[command(flatten)]
        common: Common,
    },
    /// Spheres that settled at random in a box: jammed
    Packing {
        /// Number of spheres; there are about three times as many contacts
        #[arg(long, default_value_t = 100, value_name = "N")]
        spheres: usize,
        #[command(flatten)]
        common: Common,
    },
    /// The contacts of a problem in random order
    Permute {
        /// Problem file (JSON)
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
        /// Seed of the order
        #[arg(long, default_value_t = 1, value_name = "N")]
        seed: u64,
        /// Where to write the problem
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
}

#[derive(Args)]
struct Common {
    /// Friction coefficient, 0 or more
    #[arg(long, default_value_t = 0.7, value_name = "MU")]
    friction: f64,
    /// Random velocities over the fall of a step
    #[arg(long, default_value_t = 0.5, value_name = "X")]
    disturbance: f64,
    /// Seed of all that is random
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Where to write the problem
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Most bodies: what is larger does not fit into memory as text.
const MOST_BODIES: usize = 100_000;

impl Problem {
    /// Runs the command.
    pub fn run(self) -> Exit {
        let (made, out) = match self.kind {
            Kind::Wall { rows, columns, common } => {
                let Common { friction, disturbance, seed, out } = common;
                let name = format!("wall {rows} x {columns}, friction {friction}, seed {seed}");
                let made =
                    check(rows.saturating_mul(columns), friction, disturbance).and_then(|()| {
                        text(generate::wall(rows, columns, friction, disturbance, seed))
                    });
                (made.map(|problem| (name, problem)), out)
            }
            Kind::Packing { spheres, common } => {
                let Common { friction, disturbance, seed, out } = common;
                let name =
                    format!("packing of {spheres} spheres, friction {friction}, seed {seed}");
                let made = check(spheres, friction, disturbance)
                    .and_then(|()| text(generate::packing(spheres, friction, disturbance, seed)));
                (made.map(|problem| (name, problem)), out)
            }
            Kind::Permute { file, seed, out } => {
                let made = std::fs::read_to_string(&file).map_err(|e| e.to_string());
                let made = made.and_then(|json| text(InclusionProblem::from_json(&json)));
                let made = made.map(|named| (named.name, generate::permuted(&named.problem, seed)));
                (made.map_err(|e| format!("{}: {e}", file.display())), out)
            }
        };
        let json = made.and_then(|(name, problem)| {
            Ok((problem.contacts().len(), text(problem.to_json(&name))?))
        });
        let (contacts, json) = match json {
            Ok(json) => json,
            Err(message) => {
                complain(&message);
                return Exit::BadInput;
            }
        };
        if let Err(e) = std::fs::write(&out, json) {
            complain(&format!("{}: {e}", out.display()));
            return Exit::ResourceLimit;
        }
        let _ = writeln!(std::io::stdout().lock(), "{}: {contacts} contacts", out.display());
        Exit::Done
    }
}

fn text<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|e| e.to_string())
}

fn check(bodies: usize, friction: f64, disturbance: f64) -> Result<(), String> {
    if !(1..=MOST_BODIES).contains(&bodies) {
        return Err(format!("there are {bodies} bodies, it must be 1 to {MOST_BODIES}"));
    }
    for (key, value) in [("friction", friction), ("disturbance", disturbance)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(format!("{key} is {value}, it must be finite and not negative"));
        }
    }
    Ok(())
}
