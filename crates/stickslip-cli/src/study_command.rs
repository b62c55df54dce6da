//! What the commands of studies share: their last options, how they end, and a bar.

use crate::exit::Exit;
use crate::formats::{has_parquet, study_parquet};
use crate::output::safe;
use crate::scene_file::{Failure, failure};
use crate::signals;
use clap::Args;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stickslip::stop::StopCheck;
use stickslip::study::{Design, Plan, StudyError, Vary};

/// Options of all of them.
#[derive(Args)]
pub struct StudyOptions {
    #[arg(
        long = "set",
        value_name = "KEY=VALUE",
        help = "Replace a value of the scene everywhere"
    )]
    pub overrides: Vec<String>,

    #[arg(long, value_name = "DIR", help = "The folder [default: out/<scene>-<command>]")]
    out: Option<PathBuf>,

    #[arg(long, value_name = "N", help = "Runs at a time [default: as many as processors]")]
    jobs: Option<usize>,

    /// A Parquet file too (feature parquet)
    #[arg(long)]
    parquet: bool,

    /// No progress
    #[arg(long, short)]
    pub quiet: bool,

    /// Print one JSON object instead of words
    #[arg(long)]
    pub json: bool,
}

impl StudyOptions {
    /// As many as there are processors, unless the user says how many.
    pub fn jobs(&self) -> Result<usize, Failure> {
        match self.jobs {
            Some(0) => Err((Exit::BadInput, "--jobs is 0, it must be at least 1".into())),
            Some(jobs) => Ok(jobs.min(1024)),
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        }
    }

    /// That what is asked for can be written.
    pub fn check(&self) -> Result<(), Failure> {
        if self.parquet { has_parquet("--parquet") } else { Ok(()) }
    }

    /// Writes the Parquet file of a table if it is asked for; see [`study_parquet`].
    pub fn convert(
        &self,
        table: &Path,
        units: &[(String, String)],
        study: &serde_json::Value,
    ) -> Result<(), Failure> {
        if self.parquet { study_parquet(table, units, study) } else { Ok(()) }
    }

    /// The folder for the results.
    pub fn folder(&self, scene: &str, command: &str) -> PathBuf {
        let own = || Path::new("out").join(format!("{}-{command}", safe(scene, "scene")));
        self.out.clone().unwrap_or_else(own)
    }
}

/// The points of a study over several keys.
#[derive(Args)]
pub struct PointOptions {
    #[arg(
        long,
        value_name = "KEY=VALUES",
        required = true,
        help = "What is varied: KEY=from:to:count, KEY=a,b,c,\nwith --sample KEY=from:to; may be repeated"
    )]
    vary: Vec<String>,

    #[arg(long, value_name = "SAMPLE", help = "sobol:N or random:N in place of the grid")]
    sample: Option<String>,
}

impl PointOptions {
    /// The points in their order.
    pub fn plan(&self) -> Result<Plan, Failure> {
        let varies = self.vary.iter().map(|text| Vary::parse(text)).collect::<Result<_, _>>();
        let design = self.sample.as_deref().map_or(Ok(Design::Grid), Design::parse);
        design.and_then(|design| Plan::new(varies?, design)).map_err(refusal)
    }
}

/// Exit code and message of a study that was refused.
pub fn refusal(error: StudyError) -> Failure {
    match error {
        StudyError::Scene(error) => failure(error),
        StudyError::NotFound(_) => (Exit::NotConverged, error.to_string()),
        StudyError::File(message) => (Exit::ResourceLimit, message),
        other => (Exit::BadInput, other.to_string()),
    }
}

/// Ends a study when a signal was received.
pub fn stop_check() -> StopCheck {
    signals::listen();
    Arc::new(|| signals::received().is_some())
}

/// A bar of points with the time that is left, on a terminal.
pub struct PointBar {
    bar: Option<ProgressBar>,
    begin: Instant,
}

impl PointBar {
    /// A bar for so many points.
    pub fn new(points: usize, quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("[{bar:20}] {wide_msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> ");
            ProgressBar::with_draw_target(Some(points as u64), ProgressDrawTarget::stderr())
                .with_style(style)
        });
        Self { bar, begin: Instant::now() }
    }

    /// Draws how far it is; `before` points were there at the start.
    pub fn update(&self, points: usize, over: usize, before: usize, failed: usize) {
        let Some(bar) = &self.bar else { return };
        let elapsed = self.begin.elapsed().as_secs_f64();
        let left = match over.saturating_sub(before) {
            0 => String::new(),
            new => {
                let seconds = elapsed / new as f64 * points.saturating_sub(over) as f64;
                format!(", {} left", HumanDuration(Duration::from_secs_f64(seconds.min(1e9))))
            }
        };
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        bar.set_message(format!("{over} of {points} points{failed}{left}"));
        bar.set_position(over as u64);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
