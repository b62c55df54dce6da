//! What a run may take at most, and what it will take.

use crate::exit::Exit;
use crate::scene_file::Failure;
use clap::Args;
use indicatif::{HumanBytes, HumanDuration};
use std::time::{Duration, Instant};
use stickslip::scene::Scene;
use stickslip::simulate::{Progress, Simulation};

/// Rows of output that a run may write at most.
const MOST_ROWS: f64 = 1e9;
/// Bytes of a number in the table, about.
const BYTES: f64 = 15.0;
/// Steps from which it is tried how long they take, and the time for that.
const MANY_STEPS: f64 = 1e4;
const TRIAL: Duration = Duration::from_millis(50);
/// Computing time from which a run is told to be long.
const TOLD_FROM: Duration = Duration::from_secs(20);

/// The limits; beyond them a run ends with 4.
#[derive(Args, Clone, Copy)]
pub struct RunLimits {
    #[arg(
        long,
        value_name = "COUNT",
        default_value = "1e9",
        value_parser = count,
        help = "Most steps of a run"
    )]
    max_steps: f64,

    #[arg(
        long,
        value_name = "COUNT",
        default_value = "1e6",
        value_parser = count,
        help = "Most contacts closed at once"
    )]
    max_contacts: f64,

    #[arg(
        long,
        value_name = "BYTES",
        default_value = "200GB",
        value_parser = count,
        help = "Largest trajectory.csv"
    )]
    max_output: f64,
}

/// A number, or one of bytes with a unit.
fn count(text: &str) -> Result<f64, String> {
    let units = [("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("", 1.0)];
    let number = units.iter().find_map(|(unit, factor)| {
        let number = text.strip_suffix(unit)?.trim().parse::<f64>().ok()?;
        (number >= 1.0 && number.is_finite()).then_some(number * factor)
    });
    number.ok_or_else(|| "it must be a number of at least 1, such as 1e9 or 200GB".into())
}

impl RunLimits {
    /// Refuses a run that exceeds them by what its scene says.
    pub fn check(&self, scene: &Scene) -> Result<(), Failure> {
        let [steps, rows, bytes] = sizes(scene);
        let (output_step, duration) = (scene.simulation.output_step, scene.simulation.duration);
        let refused = |message| Err((Exit::ResourceLimit, message));
        if rows > MOST_ROWS {
            return refused(format!(
                "simulation.output_step is {output_step:e}: over {duration} s the table would have \
                 {rows:.1e} rows, at most {MOST_ROWS:.0e} are allowed"
            ));
        }
        if bytes > self.max_output {
            return refused(format!(
                "simulation.output_step is {output_step:e}: over {duration} s the table would have about \
                 {bytes:.1e} bytes, at most {:.1e} are allowed (--max-output)",
                self.max_output
            ));
        }
        if steps > self.max_steps {
            return refused(format!(
                "simulation.step is {:e}: over {duration} s there would be {steps:.1e} steps, at most \
                 {:.1e} are allowed (--max-steps)",
                scene.simulation.step, self.max_steps
            ));
        }
        Ok(())
    }

    /// The limit that a run exceeds on its way.
    pub fn exceeded_by(&self, progress: &Progress) -> Option<String> {
        let at = format!("at t = {} s", progress.t);
        let (steps, contacts) = (progress.computed as f64, progress.contacts as f64);
        if steps > self.max_steps {
            let most = self.max_steps;
            return Some(format!("{at}: more than {most:.1e} steps were computed (--max-steps)"));
        }
        (contacts > self.max_contacts).then(|| {
            let most = self.max_contacts;
            format!(
                "{at}: {contacts} contacts are closed, at most {most} are allowed (--max-contacts)"
            )
        })
    }

    /// An error if the table is too large.
    pub fn bytes(&self, bytes: u64) -> Result<(), String> {
        let most = self.max_output;
        if bytes as f64 <= most {
            return Ok(());
        }
        Err(format!("trajectory.csv has more than {most:.1e} bytes (--max-output)"))
    }
}

/// Steps, rows and bytes of a run, about.
fn sizes(scene: &Scene) -> [f64; 3] {
    let (simulation, columns) = (&scene.simulation, scene.columns());
    let contacts = scene.system.reported_contacts().len();
    let of_contacts: usize = (0..contacts).map(|k| scene.system.contact_columns(k).len()).sum();
    let numbers = columns.all().count() + of_contacts + 6;
    let rows = simulation.duration / simulation.output_step;
    [simulation.duration / simulation.step, rows, rows * numbers as f64 * BYTES]
}

/// What a run that takes long will take, from its first steps; nothing if it is short.
pub fn estimate(scene: &Scene, simulation: &Simulation) -> Option<String> {
    let [steps, rows, bytes] = sizes(scene);
    if steps < MANY_STEPS {
        return None;
    }
    let (mut trial, begin) = (simulation.clone(), Instant::now());
    while begin.elapsed() < TRIAL {
        // What is wrong with a step will be told by the run.
        trial.step(1).ok()?;
    }
    let seconds = steps * begin.elapsed().as_secs_f64() / trial.steps().max(1) as f64;
    let time = Duration::from_secs_f64(seconds.min(1e12));
    let chosen = if scene.simulation.accuracy != 0.0 { "at least " } else { "" };
    (time > TOLD_FROM).then(|| {
        format!(
            "{chosen}{steps:.3e} steps, {rows:.0} rows, about {}, and about {} by the pace of the first steps",
            HumanBytes(bytes as u64),
            HumanDuration(time)
        )
    })
}
