//! How many threads one run may use. Results do not depend on it: sums have one order, and what is computed
//! at the same time does not depend on each other.

use crate::range::{self, OutOfRange};
use std::sync::atomic::{AtomicUsize, Ordering};

static COUNT: AtomicUsize = AtomicUsize::new(1);

/// Largest number of threads.
pub const MOST: usize = 1024;

/// Lets all runs of this process use so many threads together, 1 to [`MOST`]. It counts once: the second
/// call changes nothing but whether they are used. Default 1.
pub fn use_threads(count: usize) -> Result<(), OutOfRange> {
    range::require((1..=MOST).contains(&count), "threads", count as f64, "1 to 1024")?;
    if count > 1 {
        // Where the threads exist already, those are taken.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(count).build_global();
    }
    COUNT.store(count, Ordering::Relaxed);
    Ok(())
}

/// How many threads may be used.
pub fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}
