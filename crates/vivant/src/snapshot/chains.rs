//! [`Chains`]: the last snapshot of a system, to which the next one can leave records of heaps.

use super::heap_chain::{HeapChain, WrittenHeap};
use crate::actor::Shared;
use crate::sync::{Arc, Mutex, lock};
use std::collections::{BTreeMap, BTreeSet};
use vivant_journal::{Journal, StoreId};

/// The heaps of the last snapshot.
#[derive(Default)]
pub(super) struct Chains(Mutex<Option<LastSnapshot>>);

struct LastSnapshot {
    /// Where it is. It does not keep the store open.
    store: StoreId,
    heaps: HeapChains,
}

/// The chains of heaps, by their numbers.
pub(super) type HeapChains = Arc<BTreeMap<u64, HeapChain>>;

impl Chains {
    /// The heaps of the last snapshot, if it is in this store. None if snapshots are to be whole.
    pub(super) fn of_last(system: &Shared, journal: &Journal) -> HeapChains {
        let chains: &Chains = system.extensions.part();
        match &*lock(&chains.0) {
            Some(last) if last.store == journal.catalog().store_id() => last.heaps.clone(),
            _ => HeapChains::default(),
        }
    }

    /// This snapshot was published.
    pub(super) fn published(
        system: &Shared,
        journal: &Journal,
        snapshot: u64,
        heaps: Vec<WrittenHeap>,
    ) {
        let needed_max = journal.needed_max();
        let heaps = heaps.into_iter();
        let heaps = heaps.filter_map(|heap| heap.published(snapshot, needed_max));
        let mut heaps: HeapChains = Arc::new(heaps.collect());
        // The limit is that of all heaps together: beyond it the next snapshot is whole.
        if snapshots_of(&heaps).len() > needed_max as usize {
            heaps = HeapChains::default();
        }
        let last = LastSnapshot {
            store: journal.catalog().store_id(),
            heaps,
        };
        let chains: &Chains = system.extensions.part();
        *lock(&chains.0) = Some(last);
    }
}

/// The snapshots that these chains need.
pub(super) fn snapshots_of(chains: &HeapChains) -> Vec<u64> {
    let snapshots = chains.values().flat_map(HeapChain::snapshots);
    let snapshots: BTreeSet<u64> = snapshots.collect();
    snapshots.into_iter().collect()
}
