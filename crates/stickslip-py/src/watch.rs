//! Ctrl-C and progress while the interpreter is not held.

use crate::errors::Raised;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use stickslip::simulate::Progress;
use stickslip::stop::StopCheck;

/// Time between two looks at signals, ms.
const EVERY: u64 = 50;

/// Looks for signals from inside of a computation, and tells how far it is.
#[derive(Clone)]
pub struct Watch {
    /// What was raised: by Ctrl-C, by the function that is told, or by a function of the scene.
    pub raised: Arc<Raised>,
    begin: Instant,
    last: Arc<AtomicU64>,
}

impl Watch {
    /// A watch that begins now.
    pub fn new(raised: Arc<Raised>) -> Self {
        Self { raised, begin: Instant::now(), last: Arc::default() }
    }

    /// Whether to end: something was raised. Signals are looked at now and then.
    pub fn must_end(&self) -> bool {
        let now = u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        if now.saturating_sub(self.last.load(Ordering::Relaxed)) >= EVERY {
            self.last.store(now, Ordering::Relaxed);
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                self.raised.keep(error);
            }
        }
        self.raised.is_there()
    }

    /// The same for long steps.
    pub fn check(&self) -> StopCheck {
        let own = self.clone();
        Arc::new(move || own.must_end())
    }

    /// Tells a Python function how far a run is; whether to go on.
    pub fn tell(&self, function: Option<&Py<PyAny>>, progress: &Progress) -> bool {
        if let Some(function) = function {
            let told = Python::attach(|py| {
                function.call1(py, (progress.t, progress.steps, progress.contacts))
            });
            if let Err(error) = told {
                self.raised.keep(error);
            }
        }
        !self.must_end()
    }
}
