//! Ends a computation from outside: long loops look at a check that whoever started them has set.

use std::cell::RefCell;
use std::sync::Arc;

/// Asked now and then by whatever takes long; true asks it to end.
pub type StopCheck = Arc<dyn Fn() -> bool + Send + Sync>;

thread_local! {
    static CHECK: RefCell<Option<StopCheck>> = const { RefCell::new(None) };
}

/// Puts the check before this one back, whatever happens.
struct Outer(Option<StopCheck>);

impl Drop for Outer {
    fn drop(&mut self) {
        CHECK.set(self.0.take());
    }
}

/// Does something that ends early once the check is true: steps with
/// [`StepError::Stopped`](crate::integrate::StepError::Stopped), runs as interrupted, solves as if their time had
/// run out. The check counts in this thread.
pub fn watching<T>(check: Option<&StopCheck>, work: impl FnOnce() -> T) -> T {
    let Some(check) = check else { return work() };
    let _outer = Outer(CHECK.replace(Some(check.clone())));
    work()
}

/// Whether to end.
pub(crate) fn requested() -> bool {
    CHECK.with_borrow(|check| check.as_ref().is_some_and(|check| check()))
}
