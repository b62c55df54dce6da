//! How far a run is, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use stickslip::simulate::Progress;

/// Parts of the bar.
const PARTS: u64 = 1000;
/// Time between two pictures.
const TICK: Duration = Duration::from_millis(100);

/// A bar with simulated time, speed, contacts and residual on standard error; nothing at all
/// unless standard error is a terminal.
pub struct RunBar {
    bar: Option<ProgressBar>,
    duration: f64,
    begin: Instant,
    drawn: Instant,
}

impl RunBar {
    /// A bar for a run of the given simulated time, s.
    pub fn new(duration: f64, quiet: bool) -> Self {
        let now = Instant::now();
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("[{bar:30}] {msg}, {eta} left")
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> ");
            ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr())
                .with_style(style)
        });
        Self { bar, duration, begin: now, drawn: now }
    }

    /// Draws if it is time to.
    pub fn update(&mut self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        if self.drawn.elapsed() < TICK {
            return;
        }
        self.drawn = Instant::now();
        let speed = progress.t / self.begin.elapsed().as_secs_f64().max(1e-9);
        bar.set_message(format!(
            "t = {:.3} of {} s, {speed:.2} times real time, {} in contact, worst residual {:.1e}",
            progress.t, self.duration, progress.contacts, progress.worst_residual
        ));
        bar.set_position((progress.t / self.duration * PARTS as f64) as u64);
    }

    /// Takes the bar away and tells how long it all took.
    pub fn finish(&self) -> Duration {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.begin.elapsed()
    }
}
