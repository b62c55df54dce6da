//! `stickslip converge`: the same scene at ever shorter steps, and what that says of its results.

use crate::converge_table::{Table, Value};
use crate::exit::Exit;
use crate::output::printable;
use crate::scene_file::{ChosenScene, Failure, failure};
use crate::session::told;
use crate::{say, warn};
use clap::Args;
use std::io;
use std::path::PathBuf;
use stickslip::scene::Scene;
use stickslip::simulate::{self, Observer, Progress, RunStatus, Sample, Summary};
use stickslip::system::{Column, ColumnKind, ContactColumn};

const AFTER_HELP: &str = "\
Runs the scene with simulation.step, half of it, a quarter, ... (with
simulation.accuracy that is halved instead) and compares what is reported at the
end: every number in the last row of trajectory.csv, what each law dissipated,
and the times at which contacts close and open, where all levels have as many.

Of each quantity: its value at the last level, the difference to the level
before, the observed order (from the last three levels), and an estimate of its
error by Richardson's extrapolation; `?` where the differences do not fall, which
means that the steps are still too long, that the motion is chaotic, or that all
is rounding. The error is an estimate, not a bound.

With --out the folder gets converge.csv (a row per quantity and level) and
converge.json.

Examples:
  stickslip converge tippe-top --set simulation.duration=1
  stickslip converge slider-crank --levels 5 --quantity theta1
  stickslip converge my-scene.toml --set simulation.step=1e-3 --out out/steps
  stickslip converge rocking-block --json

Exit codes: 0 done, 2 bad input, 3 a run did not end well, 4 cannot write,
130 interrupted by Ctrl-C.";

/// Levels that are allowed: the last has a million times as many steps as the first.
const MOST_LEVELS: u32 = 20;

/// Run a scene at shorter and shorter steps and tell how sure its results are
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Converge {
    #[command(flatten)]
    chosen: ChosenScene,

    #[arg(
        long,
        value_name = "N",
        default_value = "4",
        value_parser = clap::value_parser!(u32).range(3..=i64::from(MOST_LEVELS)),
        help = "How many steps are tried: the step of the scene and\nits halves; at least 3"
    )]
    levels: u32,

    #[arg(
        long,
        value_name = "NAME",
        help = "The quantity of the verdict, a column of\ntrajectory.csv [default: the least certain one]"
    )]
    quantity: Option<String>,

    #[arg(long, value_name = "DIR", help = "Write converge.csv and converge.json to this folder")]
    out: Option<PathBuf>,

    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

impl Converge {
    /// Runs the command.
    pub fn run(self) -> Exit {
        told(self.converge())
    }

    fn converge(&self) -> Result<Exit, Failure> {
        let file = self.chosen.open()?;
        let mut scene = file.scene(&self.chosen.overrides).map_err(failure)?;
        scene.warnings().iter().for_each(|warning| warn(&printable(warning)));
        // Without a handler Ctrl-C just ends the program.
        let _ = ctrlc::set_handler(|| std::process::exit(130));
        let (step, accuracy) = (scene.simulation.step, scene.simulation.accuracy);
        let by_accuracy = accuracy != 0.0;
        let mut table = Table::new(&scene.name, by_accuracy, scene.simulation.duration);
        for level in 0..self.levels {
            let factor = 0.5_f64.powi(level as i32);
            if by_accuracy {
                scene.simulation.accuracy = factor * accuracy;
            } else {
                scene.simulation.step = factor * step;
            }
            let (values, summary) = run(&scene)?;
            let size = if by_accuracy { factor * accuracy } else { factor * step };
            if let RunStatus::Untrustworthy { message } = &summary.status {
                warn(&format!("level {}, {size:e}: {}", level + 1, printable(message)));
            } else if summary.status != RunStatus::Done {
                let message = format!(
                    "{}: the run of level {} ended with the status {}; `stickslip run` with --set \
                     simulation.{}={size:e} tells more",
                    scene.name,
                    level + 1,
                    summary.status.name(),
                    if by_accuracy { "accuracy" } else { "step" }
                );
                return Err((Exit::NotConverged, message));
            }
            table.push(size, summary.steps, values);
        }
        let table = table.finish();
        if let Some(name) = &self.quantity
            && !table.has(name)
        {
            let known = table.names().join(", ");
            let message =
                format!("--quantity {name}: there is none of that name; known are {known}");
            return Err((Exit::BadInput, message));
        }
        let verdict = table.verdict(self.quantity.as_deref());
        let json = || {
            serde_json::to_string(&table.json(&verdict))
                .map_err(|e| (Exit::Internal, e.to_string()))
        };
        if let Some(folder) = &self.out {
            let unwritable =
                |e: io::Error| (Exit::ResourceLimit, format!("--out {}: {e}", folder.display()));
            std::fs::create_dir_all(folder).map_err(unwritable)?;
            std::fs::write(folder.join("converge.csv"), table.csv()).map_err(unwritable)?;
            std::fs::write(folder.join("converge.json"), json()? + "\n").map_err(unwritable)?;
        }
        let text = if self.json { json()? + "\n" } else { table.text(&verdict) };
        Ok(say(&text, Exit::Done))
    }
}

/// Keeps the last row.
struct Last {
    /// Numbers of the columns of system and integrator that are compared.
    drawn: Vec<usize>,
    columns: Vec<Vec<ContactColumn>>,
    values: Vec<f64>,
    sizes: Vec<f64>,
}

impl Observer for Last {
    fn sample(&mut self, sample: &Sample) -> io::Result<()> {
        let energy = sample.energy;
        self.values.clear();
        self.values.extend(self.drawn.iter().filter_map(|k| sample.values.get(*k)));
        self.values.extend([energy.kinetic, energy.potential, energy.total()]);
        for (contact, columns) in sample.contacts.iter().zip(&self.columns) {
            self.values.extend(columns.iter().map(|column| column.value(&contact.values)));
        }
        self.sizes.resize(self.values.len(), 0.0);
        for (size, value) in self.sizes.iter_mut().zip(&self.values) {
            *size = size.max(value.abs());
        }
        Ok(())
    }

    fn progress(&mut self, _: &Progress) -> bool {
        true
    }
}

/// Whether a column of contacts is compared: where a contact is says nothing while it is open.
fn is_compared(column: &ContactColumn) -> bool {
    use ContactColumn::*;
    matches!(column, Gap | Force | Friction | Slip)
}

/// One level: every quantity with its name.
fn run(scene: &Scene) -> Result<(Vec<Value>, Summary), Failure> {
    let system = scene.system.as_ref();
    let own = scene.columns();
    let shown = own.all().filter(|column| !column.for_tables);
    let is_motion = |column: &Column| column.kind != ColumnKind::Reaction;
    let mut names: Vec<(String, bool)> =
        shown.map(|column| (column.to_string(), is_motion(column))).collect();
    names.extend(["kinetic", "potential", "energy"].map(|name| (name.to_owned(), true)));
    let mut columns = Vec::new();
    for (position, key) in system.reported_contacts().iter().enumerate() {
        let contact = system.contact_name(*key);
        let own = system.contact_columns(position).iter();
        let compared: Vec<ContactColumn> = own.copied().filter(is_compared).collect();
        // What happens at contacts that come and go says little of the motion.
        names.extend(compared.iter().map(|own| (format!("{contact}.{}", own.name()), false)));
        columns.push(compared);
    }
    let drawn = own.drawn();
    let mut last = Last { drawn, columns, values: vec![], sizes: vec![] };
    let mut integrator = scene.integrator().map_err(failure)?;
    let start = scene.start.clone();
    let summary = simulate::run(system, integrator.as_mut(), start, &scene.settings(), &mut last)
        .map_err(|e| (Exit::BadInput, e.to_string()))?;
    let row = names.into_iter().zip(last.values).zip(last.sizes);
    let value =
        |(((name, of_motion), value), size)| Value { name, value, size, at_end: true, of_motion };
    let mut values: Vec<Value> = row.map(value).collect();
    let book = &summary.energy.book;
    values.extend(book.works.iter().map(|(law, work)| Value {
        name: format!("dissipated.{law}"),
        value: 0.0 - work,
        size: work.abs(),
        at_end: true,
        of_motion: false,
    }));
    let mut counts: Vec<(String, usize)> = Vec::new();
    for event in &summary.events {
        let name = format!("{}.{}", system.contact_name(event.contact), event.kind.name());
        let number = match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                counts.push((name.clone(), 1));
                1
            }
        };
        let name = format!("{name}#{number}");
        values.push(Value { name, value: event.t, size: event.t, at_end: false, of_motion: false });
    }
    Ok((values, summary))
}
