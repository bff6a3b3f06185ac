//! [`CommitLock`]: the lock under which actors become dying (U4).

use crate::sync::{AtomicBool, Mutex, Ordering, lock};

#[derive(Default)]
pub(crate) struct CommitLock {
    lock: Mutex<()>,
    /// An upgrade waits for the lock.
    upgrade_waits: AtomicBool,
}

impl CommitLock {
    /// Calls `body` while no commit is open.
    pub(crate) fn run_when_unlocked<R>(&self, body: impl FnOnce() -> R) -> R {
        // Relaxed: it only speeds up the abort. The lock decides.
        self.upgrade_waits.store(true, Ordering::Relaxed);
        let _none = lock(&self.lock);
        body()
    }

    /// Calls `body`, which commits or aborts a group.
    pub(crate) fn run_locked<R>(&self, body: impl FnOnce() -> R) -> R {
        let _commit = lock(&self.lock);
        self.upgrade_waits.store(false, Ordering::Relaxed);
        body()
    }

    /// Whether an upgrade waits for the lock.
    pub(crate) fn has_waiting_upgrade(&self) -> bool {
        self.upgrade_waits.load(Ordering::Relaxed)
    }
}
