//! Tells pages that something has changed, and runs whether anybody looks.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Runs rest if no page has asked for so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// What runs, pages and the room share.
pub struct News {
    version: Mutex<u64>,
    changed: Condvar,
    asked: Mutex<Instant>,
    serial: AtomicU64,
    /// Runs whose threads have not ended.
    pub runs: AtomicUsize,
}

impl News {
    pub fn new() -> Self {
        Self {
            version: Mutex::new(1),
            changed: Condvar::new(),
            asked: Mutex::new(Instant::now()),
            serial: AtomicU64::new(1),
            runs: AtomicUsize::new(0),
        }
    }

    /// A number that nothing else has.
    pub fn serial(&self) -> u64 {
        self.serial.fetch_add(1, Ordering::Relaxed)
    }

    /// Something has changed.
    pub fn tell(&self) {
        *self.version.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Waits for something newer than a version, not for ever; the version then.
    pub fn wait(&self, since: u64, most: Duration) -> u64 {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let version = self.version.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(version, most, |version| *version <= since);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Whether a page has asked of late.
    pub fn is_watched(&self) -> bool {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < PATIENCE
    }
}
