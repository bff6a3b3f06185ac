//! The runtime's own count of the bytes it holds: cells and messages in mailboxes.
//!
//! Every worker has a counter that only it writes, so that counting needs no atomic
//! read-modify-write; all other threads share a few. Only the sum is meaningful.

use crate::sync::{AtomicI64, Ordering};

/// A counter with one writer, on a cache line of its own (two lines, which prefetchers load as a
/// pair).
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct OwnBytes(AtomicI64);

impl OwnBytes {
    /// Only its worker calls this.
    #[inline]
    pub(crate) fn change(&self, by: i64) {
        // Relaxed throughout: counts are compared only when no thread runs. Load and store need not
        // be one step, because no other thread writes.
        self.0
            .store(self.0.load(Ordering::Relaxed) + by, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts of threads that are no workers of the system, and the totals of workers that have left.
#[derive(Default)]
pub(crate) struct Bytes(AtomicI64);

impl Bytes {
    pub(crate) fn change(&self, by: i64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    /// A worker leaves: its count is kept here.
    pub(crate) fn inherit(&self, left: &OwnBytes) {
        self.0
            .fetch_add(left.0.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Bytes held now, besides those that workers have counted.
    pub(crate) fn shared(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}
