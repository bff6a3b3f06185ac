//! [`Verdict`]: the lock under which actors become dying (U4).

use crate::sync::{AtomicBool, Mutex, Ordering, lock};

#[derive(Default)]
pub(crate) struct Verdict {
    open: Mutex<()>,
    /// An upgrade waits for the lock.
    disputed: AtomicBool,
}

impl Verdict {
    /// Calls `body` while no verdict is open.
    pub(crate) fn after<R>(&self, body: impl FnOnce() -> R) -> R {
        // Relaxed: it only speeds up the verdict. The lock decides.
        self.disputed.store(true, Ordering::Relaxed);
        let _none = lock(&self.open);
        body()
    }

    /// Calls `body`, which commits or aborts a verdict.
    pub(crate) fn during<R>(&self, body: impl FnOnce() -> R) -> R {
        let _verdict = lock(&self.open);
        self.disputed.store(false, Ordering::Relaxed);
        body()
    }

    /// Whether an upgrade waits for the verdict.
    pub(crate) fn is_disputed(&self) -> bool {
        self.disputed.load(Ordering::Relaxed)
    }
}
