//! How far a run is, on a terminal.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
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
    /// Simulated time at the start, s.
    start: f64,
    begin: Instant,
    drawn: Instant,
}

impl RunBar {
    /// A bar for a run of the given simulated time, s.
    pub fn new(duration: f64, quiet: bool) -> Self {
        let now = Instant::now();
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("[{bar:20}] {wide_msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> ");
            ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr())
                .with_style(style)
        });
        Self { bar, duration, start: 0.0, begin: now, drawn: now }
    }

    /// Says at which simulated time it begins, s.
    pub fn begin_at(&mut self, t: f64) {
        self.start = t;
    }

    /// Draws if it is time to.
    pub fn update(&mut self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        if self.drawn.elapsed() < TICK {
            return;
        }
        self.drawn = Instant::now();
        let elapsed = self.begin.elapsed().as_secs_f64();
        let speed = (progress.t - self.start) / elapsed.max(1e-9);
        // What is left is guessed from what is done, if that is enough for a guess.
        let left = match elapsed >= 1.0 && speed > 0.0 {
            true => {
                let seconds = (self.duration - progress.t).max(0.0) / speed;
                format!(", {} left", HumanDuration(Duration::from_secs_f64(seconds.min(1e9))))
            }
            false => String::new(),
        };
        // The line is cut off at the width of the terminal, so the most telling comes first.
        bar.set_message(format!(
            "t = {:.3} of {} s{left}, {speed:.2} times real time, {} in contact, worst residual {:.1e}",
            progress.t, self.duration, progress.contacts, progress.worst_residual
        ));
        bar.set_position((progress.t / self.duration * PARTS as f64) as u64);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
