//! The futures of turns that have not ended, for the shutdown, which waits for them.

use crate::actor::Shared;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Mutex, Ordering, lock};
use std::collections::BTreeSet;

/// The futures of a system's turns that are pending. Streams are not among them: they may never
/// end.
#[derive(Default)]
pub(crate) struct OpenFutures {
    count: Arc<AtomicUsize>,
    /// The ids of the futures that stop hooks have spawned, or continuations of stopping actors.
    /// The shutdown does not end them before its limit.
    of_stop_hooks: Mutex<BTreeSet<u64>>,
    is_aborted: AtomicBool,
}

/// A pending future.
pub(super) struct OpenFuture(Arc<AtomicUsize>);

impl OpenFutures {
    pub(crate) fn of(system: &Shared) -> &OpenFutures {
        system.extensions.part()
    }

    pub(super) fn open(&self) -> OpenFuture {
        // Relaxed: opened within a turn. The scan for empty queues acquires the end of the turn.
        self.count.fetch_add(1, Ordering::Relaxed);
        OpenFuture(self.count.clone())
    }

    /// Returns the number of pending futures.
    pub(crate) fn count(&self) -> usize {
        // Relaxed: a future ends within a turn, which the scan for empty queues sees.
        self.count.load(Ordering::Relaxed)
    }

    /// A stop hook has spawned the future with this id.
    pub(super) fn belongs_to_stop_hook(&self, id: u64) {
        lock(&self.of_stop_hooks).insert(id);
    }

    /// The future with this id has ended.
    pub(super) fn has_ended(&self, id: u64) {
        lock(&self.of_stop_hooks).remove(&id);
    }

    /// Returns true if the shutdown waits for the future with this id.
    pub(crate) fn is_of_stop_hook(&self, id: u64) -> bool {
        !self.is_aborted.load(Ordering::Relaxed) && lock(&self.of_stop_hooks).contains(&id)
    }

    /// The limit of the shutdown has passed: it waits for no future any more.
    pub(crate) fn abort(&self) {
        // Relaxed: the thread that sets it reads it.
        self.is_aborted.store(true, Ordering::Relaxed);
    }
}

impl Drop for OpenFuture {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
