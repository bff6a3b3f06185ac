//! What a heap reports of itself: its id, its way of marking, and statistics from all its parts.

use super::heap::{Core, Heap, Root};
use super::marking::Marking;
use super::mutator::Mutator;
use crate::alloc::old::occupancy::ClassOccupancy;
use crate::mark::stats::{HeapStats, MarkTally};
use crate::orca::heap_id::HeapId;
use crate::orca::sharing::Sharing;
use crate::pages::chunk::PAGE;

impl Core {
    fn stats(&self, sharing: &Sharing) -> HeapStats {
        let stats = &self.counters.stats;
        HeapStats {
            allocated: stats.allocated + self.counters.born(&self.nursery),
            bytes_marked: self.old.bytes_marked,
            bytes_died: self.old.bytes_died,
            live: self.old.bytes_allocated,
            unswept: self.old.unswept,
            pages: (self.nursery.pages() + self.chunk_cache.pages() + self.old.pages) * PAGE,
            held: self.old.pages * PAGE,
            pinned: self.pinned,
            exports: sharing.exports.len(),
            imports: sharing.imports.len(),
            incs: sharing.sent.incs,
            decs: sharing.sent.decs,
            changes: sharing.sent.changes,
            drains: sharing.drain.pieces,
            destructors: self.old.destructors,
            panics: self.old.panics,
            ..*stats
        }
    }
}

impl<R: Root> Heap<R> {
    /// Its id.
    pub fn id(&self) -> HeapId {
        self.core().owner.id()
    }

    /// The heap's way of marking: [`Pacing::marking`](crate::Pacing::marking).
    #[must_use]
    pub fn marking(&self) -> Marking {
        self.core().pacing.marking
    }

    pub(crate) fn mark_tally(&self) -> MarkTally {
        let core = self.core();
        let stats = &core.counters.stats;
        MarkTally {
            minor: stats.minor,
            major: stats.major,
            begun: stats.begun,
            ended: stats.ended,
            aborted: stats.aborted,
            drains: core.between_turns().drain.pieces,
        }
    }

    /// The statistics of this heap.
    pub fn stats(&self) -> HeapStats {
        let core = self.core();
        core.stats(core.between_turns())
    }

    /// The occupancy of the old generation by size class, the smallest class first: the fraction of
    /// its blocks that hold objects. It visits each span, so it is not for a hot path.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Gc, Heap, PageSource, Pacing, Root};
    ///
    /// struct Numbers;
    /// impl Root for Numbers {
    ///     type Of<'gc> = Vec<Gc<'gc, u64>>;
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let mut heap = Heap::<Numbers>::new(&source, Pacing::default(), |m| {
    ///     (0..4096).map(|n| m.alloc(n)).collect()
    /// });
    /// heap.collect();
    /// let class = heap.occupancy()[0];
    /// assert_eq!((class.block_bytes, class.used), (16, 4096));
    /// heap.turn(|_, numbers| numbers.truncate(1024));
    /// heap.collect();
    /// heap.sweep();
    /// assert_eq!(heap.occupancy()[0].used, 1024);
    /// ```
    #[must_use]
    pub fn occupancy(&self) -> Vec<ClassOccupancy> {
        self.core().old.occupancy()
    }
}

impl Mutator<'_> {
    /// The statistics of this turn's heap. Old objects of this turn may not be counted yet.
    #[must_use]
    pub fn stats(&self) -> HeapStats {
        let core = self.core();
        core.stats(&core.sharing.borrow())
    }

    /// The occupancy of the old generation by size class, as
    /// [`Heap::occupancy`](crate::Heap::occupancy).
    #[must_use]
    pub fn occupancy(&self) -> Vec<ClassOccupancy> {
        self.core().old.occupancy()
    }
}
