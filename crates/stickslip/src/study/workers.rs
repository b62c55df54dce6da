//! Work shared among threads.

use super::StudyError;
use crate::stop::StopCheck;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Does the work with these numbers on some threads; `done` is told of each result in this thread, in whatever
/// order they come. Work that gives nothing was ended by `stop`.
pub(super) fn share<R: Send>(
    todo: &[usize],
    jobs: usize,
    stop: &StopCheck,
    work: &(dyn Fn(usize) -> Option<R> + Sync),
    done: &mut dyn FnMut(usize, R) -> Result<(), StudyError>,
) -> Result<(), StudyError> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (send, receive) = channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, todo.len().max(1)) {
            let (send, next, failed) = (send.clone(), &next, &failed);
            scope.spawn(move || {
                while let Some(number) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop() || failed.load(Ordering::Relaxed) {
                        return;
                    }
                    let Some(result) = work(*number) else { return };
                    if send.send((*number, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut outcome = Ok(());
        for (number, result) in receive {
            if outcome.is_ok() {
                outcome = done(number, result);
                failed.store(outcome.is_err(), Ordering::Relaxed);
            }
        }
        outcome
    })
}
