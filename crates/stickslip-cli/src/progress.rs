//! A sign of life while a solve takes long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Quick solves show nothing: a spinner that flickers past tells nobody anything.
const PATIENCE: Duration = Duration::from_millis(700);
/// Time between two pictures of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// A spinner with name and elapsed time on standard error, from [`PATIENCE`] until it is dropped;
/// nothing at all unless standard error is a terminal.
pub struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to wait; `what` is shown beside the spinner.
    pub fn start(what: String) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { stop: None, thread: None };
        }
        let (stop, stopped) = channel();
        // Without a thread there is no spinner, and no harm.
        let thread = std::thread::Builder::new().spawn(move || spin(&stopped, what)).ok();
        Self { stop: Some(stop), thread }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // Closing the channel is the signal.
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn spin(stopped: &Receiver<()>, what: String) {
    let waited = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    if !waited(PATIENCE) {
        return;
    }
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        .with_style(style)
        .with_elapsed(PATIENCE)
        .with_message(what);
    while waited(TICK) {
        bar.tick();
    }
    bar.finish_and_clear();
}
