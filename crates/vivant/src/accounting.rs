//! The runtime's own count of the bytes it holds: cells and messages in mailboxes.
//!
//! Split over a few counters so that workers seldom meet on one; only the sum means anything.

use crate::sync::{AtomicI64, Ordering};
use std::cell::Cell;

const SHARDS: usize = 16;

/// One counter on a cache line of its own (two lines, which prefetchers load as a pair).
#[repr(align(128))]
#[derive(Default)]
struct Shard(AtomicI64);

#[derive(Default)]
pub(crate) struct Bytes([Shard; SHARDS]);

thread_local! {
    static SHARD: Cell<Option<usize>> = const { Cell::new(None) };
}

static NEXT: crate::sync::AtomicUsize = crate::sync::AtomicUsize::new(0);

/// This thread's shard. Which one it is decides nothing but speed.
fn shard() -> usize {
    SHARD
        .try_with(|shard| {
            shard.get().unwrap_or_else(|| {
                let mine = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
                shard.set(Some(mine));
                mine
            })
        })
        .unwrap_or(0)
}

impl Bytes {
    pub(crate) fn add(&self, bytes: usize) {
        // Relaxed throughout: counts are compared only when everything stands still.
        self.0[shard()].0.fetch_add(bytes as i64, Ordering::Relaxed);
    }

    pub(crate) fn subtract(&self, bytes: usize) {
        self.0[shard()].0.fetch_sub(bytes as i64, Ordering::Relaxed);
    }

    /// What is held now; exact when nothing runs.
    pub(crate) fn total(&self) -> i64 {
        self.0
            .iter()
            .map(|shard| shard.0.load(Ordering::Relaxed))
            .sum()
    }
}
