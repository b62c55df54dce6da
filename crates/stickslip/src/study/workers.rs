//! Work shared among threads.

use super::StudyError;
use crate::stop::StopCheck;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;

/// Results that may wait for each thread: whoever writes them down sets the pace if that takes longer.
const WAITING: usize = 64;

/// Does the work with these numbers on some threads; `done` is told of each result in this thread, in whatever
/// order they come. Work that gives nothing was ended by `stop`.
pub(super) fn share<R: Send>(
    todo: &[Range<usize>],
    jobs: usize,
    stop: &StopCheck,
    work: &(dyn Fn(usize) -> Option<R> + Sync),
    done: &mut dyn FnMut(usize, R) -> Result<(), StudyError>,
) -> Result<(), StudyError> {
    let count: usize = todo.iter().map(ExactSizeIterator::len).sum();
    let jobs = jobs.clamp(1, count.max(1));
    let numbers = Mutex::new(todo.iter().cloned().flatten());
    let next = || numbers.lock().map_or(None, |mut numbers| numbers.next());
    let failed = AtomicBool::new(false);
    let (send, receive) = sync_channel(WAITING * jobs);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (send, next, failed) = (send.clone(), &next, &failed);
            scope.spawn(move || {
                while let Some(number) = next() {
                    if stop() || failed.load(Ordering::Relaxed) {
                        return;
                    }
                    let Some(result) = work(number) else { return };
                    if send.send((number, result)).is_err() {
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
