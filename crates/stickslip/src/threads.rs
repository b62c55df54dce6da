//! Work that several threads may share.
//!
//! How it is divided depends on the work alone, and so does the order of every sum: results are the same bit for bit
//! whatever the number of threads is. Only who runs within a pool of [`rayon`] has help:
//!
//! ```text
//! rayon::ThreadPoolBuilder::new().num_threads(2).build()?.install(|| simulation.run(observer))
//! ```

/// Does two pieces of work, at the same time if there is a thread to help. Nothing is allocated.
#[inline]
pub(crate) fn join(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if are_several() {
        rayon::join(first, second);
    } else {
        first();
        second();
    }
}

/// Whether work that is divided is done by several threads.
#[inline]
pub(crate) fn are_several() -> bool {
    count() > 1
}

/// Number of threads that work may be divided among.
#[inline]
pub(crate) fn count() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}
