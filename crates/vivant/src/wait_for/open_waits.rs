//! The open exclusive waits of a system.

use crate::actor::CellRef;
use crate::interned::Place;
use crate::sync::{Mutex, lock};
use std::collections::BTreeMap;

/// Waits of neighbouring numbers are in different shards, each with a lock of its own.
const SHARDS: usize = 16;

/// The exclusive waits that are open, by their numbers.
#[derive(Default)]
pub(super) struct OpenWaits {
    shards: [Mutex<BTreeMap<u64, WaitFacts>>; SHARDS],
}

/// An open wait.
#[derive(Clone)]
pub(crate) struct WaitFacts {
    /// The actor that waits.
    pub(crate) actor: CellRef,
    /// Where in the source the wait began.
    pub(crate) place: Place,
    /// Coarse time at which it began, in milliseconds.
    pub(crate) since_ms: u64,
}

impl OpenWaits {
    pub(super) fn open(&self, wait: u64, facts: WaitFacts) {
        lock(self.shard(wait)).insert(wait, facts);
    }

    pub(super) fn close(&self, wait: u64) {
        let closed = lock(self.shard(wait)).remove(&wait);
        drop(closed);
    }

    pub(super) fn is_open(&self, wait: u64) -> bool {
        lock(self.shard(wait)).contains_key(&wait)
    }

    pub(super) fn facts(&self, wait: u64) -> Option<WaitFacts> {
        lock(self.shard(wait)).get(&wait).cloned()
    }

    /// Returns the open waits and their numbers, in that order.
    pub(super) fn list(&self) -> BTreeMap<u64, WaitFacts> {
        let mut all = BTreeMap::new();
        for shard in &self.shards {
            all.extend(
                lock(shard)
                    .iter()
                    .map(|(number, facts)| (*number, facts.clone())),
            );
        }
        all
    }

    fn shard(&self, wait: u64) -> &Mutex<BTreeMap<u64, WaitFacts>> {
        &self.shards[wait as usize % SHARDS]
    }
}
