//! Threads that share many short pieces of work, one after the other, without being woken for each of them.
//!
//! To wake a thread takes as long as a tenth of a millisecond of work, and a sweep over a pile has not much more. So who leads
//! asks for help once: helpers then wait for the next piece by looking at a number. The leader never waits for a helper
//! to come, and does alone what nobody has taken: threads that are busy elsewhere stop nothing.

use crate::threads;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Most parts of a piece of work.
pub(crate) const MOST_PARTS: usize = 8;
/// How often who waits looks before the processor is offered to others.
const LOOKS: u32 = 4000;
/// Bits of the number of a piece that tell its kind.
const KIND_BITS: u32 = 8;
/// Number by which helpers know that there will be no more.
const CLOSED: u64 = u64::MAX;

/// Pieces of work of numbered kinds, each in parts that do not disturb each other.
pub(crate) struct Crew<'a> {
    work: &'a (dyn Fn(u8, usize) + Sync),
    parts: usize,
    /// The present piece: how many came before, and its kind.
    present: AtomicU64,
    /// Of each part: pieces of which somebody has taken it.
    taken: [AtomicU32; MOST_PARTS],
    /// Parts of all pieces that are done.
    done: AtomicUsize,
    pieces: AtomicU32,
}

/// Counts a part as done, whatever comes of it.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Lets helpers go, whatever comes of the work.
struct Closing<'a>(&'a AtomicU64);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.store(CLOSED, Ordering::Release);
    }
}

/// Waits a moment; counts how often.
fn pause(looks: &mut u32) {
    *looks += 1;
    if *looks < LOOKS {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

impl Crew<'_> {
    /// Lets `lead` call for pieces of work by [`Crew::all`], each with so many parts: `work(kind, part)`.
    pub(crate) fn gather(
        parts: usize,
        work: &(dyn Fn(u8, usize) + Sync),
        lead: impl FnOnce(&Crew<'_>) + Send,
    ) {
        let crew = Crew {
            work,
            parts: parts.min(MOST_PARTS),
            present: AtomicU64::new(0),
            taken: Default::default(),
            done: AtomicUsize::new(0),
            pieces: AtomicU32::new(0),
        };
        let helpers = threads::count().min(crew.parts).saturating_sub(1);
        if helpers == 0 {
            return lead(&crew);
        }
        let lead = || {
            let _closing = Closing(&crew.present);
            lead(&crew);
        };
        threads::join(lead, || crew.help(helpers));
    }

    /// So many helpers, or as many as come.
    fn help(&self, helpers: usize) {
        if helpers > 1 {
            return threads::join(|| self.help(1), || self.help(helpers - 1));
        }
        let (mut seen, mut looks) = (0, 0);
        loop {
            let present = self.present.load(Ordering::Acquire);
            if present == CLOSED {
                return;
            }
            if present == seen {
                pause(&mut looks);
                continue;
            }
            (seen, looks) = (present, 0);
            let piece = (present >> KIND_BITS) as u32;
            // From the other end: threads mostly come back to the parts that are in their cache.
            (0..self.parts).rev().for_each(|part| self.take(present as u8, piece, part));
        }
    }

    /// Does a part of a piece, unless somebody else does.
    fn take(&self, kind: u8, piece: u32, part: usize) {
        let taken = &self.taken[part];
        let (before, now) = (piece - 1, piece);
        if taken.compare_exchange(before, now, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            let _done = Done(&self.done);
            (self.work)(kind, part);
        }
    }

    /// Does a piece of work of this kind, all of its parts.
    pub(crate) fn all(&self, kind: u8) {
        let piece = self.pieces.load(Ordering::Relaxed) + 1;
        self.pieces.store(piece, Ordering::Relaxed);
        self.present.store(u64::from(piece) << KIND_BITS | u64::from(kind), Ordering::Release);
        (0..self.parts).for_each(|part| self.take(kind, piece, part));
        let (all, mut looks) = (self.parts * piece as usize, 0);
        while self.done.load(Ordering::Acquire) < all {
            pause(&mut looks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn every_part_is_done_once_and_pieces_come_one_after_the_other() {
        let record = Mutex::new(Vec::new());
        let lead = || {
            let work = |kind: u8, part: usize| {
                std::thread::sleep(std::time::Duration::from_micros(20));
                if let Ok(mut record) = record.lock() {
                    record.push((kind, part));
                }
            };
            Crew::gather(5, &work, |crew| (0..200).for_each(|piece| crew.all(piece)));
        };
        let expected: Vec<(u8, usize)> =
            (0..200).flat_map(|kind| (0..5).map(move |part| (kind, part))).collect();
        let check = || {
            let mut done = std::mem::take(&mut *record.lock().unwrap());
            assert!(done.is_sorted_by_key(|(kind, _)| *kind));
            done.sort_unstable();
            assert!(done == expected);
        };
        lead();
        check();
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(lead);
            check();
        }
        // Helpers that are busy stop nothing.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.install(|| {
            rayon::join(lead, || std::thread::sleep(std::time::Duration::from_millis(50)))
        });
        check();
    }
}
