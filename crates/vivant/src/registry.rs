//! All actors of a system, by creation number: for inspection and shutdown. Keeps cells, not actors, alive.

use crate::cell::CellRef;
use crate::sync::{Mutex, lock};
use std::collections::BTreeMap;

const SHARDS: usize = 16;

#[derive(Default)]
pub(crate) struct Registry([Mutex<BTreeMap<u64, CellRef>>; SHARDS]);

impl Registry {
    fn shard(&self, id: u64) -> &Mutex<BTreeMap<u64, CellRef>> {
        &self.0[id as usize % SHARDS]
    }

    pub(crate) fn insert(&self, cell: CellRef) {
        lock(self.shard(cell.id)).insert(cell.id, cell);
    }

    pub(crate) fn remove(&self, id: u64) {
        let removed = lock(self.shard(id)).remove(&id);
        drop(removed);
    }

    pub(crate) fn get(&self, id: u64) -> Option<CellRef> {
        lock(self.shard(id)).get(&id).cloned()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|shard| lock(shard).len()).sum()
    }

    /// All that exist now, in the order of their creation.
    pub(crate) fn all(&self) -> Vec<CellRef> {
        let mut all: Vec<CellRef> = self
            .0
            .iter()
            .flat_map(|shard| lock(shard).values().cloned().collect::<Vec<_>>())
            .collect();
        all.sort_by_key(|cell| cell.id);
        all
    }
}
