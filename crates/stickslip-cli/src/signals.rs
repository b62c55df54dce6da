//! Ctrl-C and SIGTERM: the first one asks the program to end, the second one ends it.

use crate::exit::Exit;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Time that a step has to end by itself, so that a run ends between two steps if it can.
const PATIENCE: Duration = Duration::from_millis(200);

/// What was received first, and when.
static RECEIVED: OnceLock<(Exit, Instant)> = OnceLock::new();

/// The exit code of the signal that was received.
pub fn received() -> Option<Exit> {
    RECEIVED.get().map(|(exit, _)| *exit)
}

/// The same in words.
pub fn words() -> &'static str {
    if received() == Some(Exit::Terminated) { "stopped by SIGTERM" } else { "stopped by Ctrl-C" }
}

/// Whether a step that is still going on must be ended.
pub fn is_overdue() -> bool {
    RECEIVED.get().is_some_and(|(_, when)| when.elapsed() > PATIENCE)
}

fn receive(exit: Exit) {
    if RECEIVED.set((exit, Instant::now())).is_err() {
        std::process::exit(i32::from(exit.code()));
    }
}

/// Begins to listen. If that is not possible, signals just end the program.
#[cfg(unix)]
pub fn listen() {
    use nix::sys::signal::{SigSet, Signal};
    let mut both = SigSet::empty();
    both.add(Signal::SIGINT);
    both.add(Signal::SIGTERM);
    // Threads that are begun from here on do not take them either: they wait for the one that does.
    if both.thread_block().is_err() {
        return;
    }
    let wait = move || {
        while let Ok(signal) = both.wait() {
            let ended = signal == Signal::SIGTERM;
            receive(if ended { Exit::Terminated } else { Exit::Interrupted });
        }
    };
    if std::thread::Builder::new().spawn(wait).is_err() {
        let _ = both.thread_unblock();
    }
}

/// Begins to listen. If that is not possible, Ctrl-C just ends the program.
#[cfg(not(unix))]
pub fn listen() {
    let _ = ctrlc::set_handler(|| receive(Exit::Interrupted));
}
