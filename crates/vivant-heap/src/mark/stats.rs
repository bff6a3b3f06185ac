//! Statistics of a heap, counted where it costs next to nothing. There is no clock: the caller can
//! measure how long a collection takes.

use crate::alloc::nursery::Nursery;
use crate::object::evacuator::Evacuated;

/// Statistics of a heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct HeapStats {
    /// Number of minor collections.
    pub minor: u64,
    /// Elements of the largest container of `std` with references that a minor collection has
    /// visited, if more than 1,000. It is visited as a whole, by each minor collection if it is in
    /// the state; a collection in chunks (`gc::Vec`) is not.
    pub largest_container: usize,
    /// Number of completed marks.
    pub major: u64,
    /// Number of concurrent marks begun; those that have ended are also in `major`.
    pub begun: u64,
    /// Number of concurrent marks that have ended. `begun` − `ended` − `given_up` run.
    pub ended: u64,
    /// Number of concurrent marks that were aborted.
    pub aborted: u64,
    /// Number of mutator assists: marking by the heap's holder for a concurrent mark, because it
    /// had promoted much.
    pub assists: u64,
    /// Number of termination steps of concurrent marks
    /// ([`Heap::is_terminating_mark`](crate::Heap::is_terminating_mark)): at least one for each
    /// that has ended.
    pub termination_steps: u64,
    /// Number of times that a turn has waited for a marker to release an object that it was about
    /// to change.
    pub waits: u64,
    /// Number of polls in these waits. From the 64th poll of a wait on, the turn yields its
    /// processor between two polls.
    pub spins: u64,
    /// Bytes of all objects ever allocated, including headers and the unused ends of nursery
    /// chunks.
    pub allocated: u64,
    /// Objects that minor collections have evacuated: these cost, not those that died.
    pub moved: u64,
    /// Bytes of evacuated objects that stayed young once more.
    pub aged: u64,
    /// Bytes of evacuated objects that were promoted.
    pub promoted: u64,
    /// Objects that marks have marked: these cost, not the dead ones.
    pub marked: u64,
    /// Objects marked by the last mark.
    pub alive: u64,
    /// Bytes of old objects that the last mark has found alive.
    pub bytes_marked: usize,
    /// Bytes of old objects that the last mark has found dead.
    pub bytes_died: usize,
    /// Bytes of old objects, including unswept dead ones.
    pub live: usize,
    /// Spans that still contain dead objects of the last mark.
    pub unswept: usize,
    /// Bytes of pages.
    pub pages: usize,
    /// Bytes of the pages of the old generation: [`held`](HeapStats::held) −
    /// [`live`](HeapStats::live) is free, for old objects of the same size classes.
    pub held: usize,
    /// Bytes of pages of regions that the heap's turns have made or enlarged since the last mark.
    /// An [`Iso`](crate::Iso) that is not reachable any more may pin them, so they count towards
    /// the next mark. A region's own pages are in its own statistics.
    pub pinned: usize,
    /// Exports: objects that other heaps refer to, by the deltas drained so far.
    pub exports: usize,
    /// Imports: foreign objects that it has counts of; a recently received one may be counted more
    /// than once.
    pub imports: usize,
    /// Objects that group marks have found unreachable, though other heaps had counts of them: each
    /// was on a cycle of references across heaps, or kept alive by one.
    pub emptied: u64,
    /// Batches of INCs that it has sent to the inboxes of other heaps.
    pub incs: u64,
    /// Batches of DECs, likewise.
    pub decs: u64,
    /// Count deltas in all of these.
    pub changes: u64,
    /// Number of pieces in which it has drained its own inbox
    /// ([`Heap::drain_some`](crate::Heap::drain_some)).
    pub drains: u64,
    /// Old objects with destructors, including unswept dead ones.
    pub destructors: usize,
    /// Destructors that panicked.
    pub panics: u64,
}

impl HeapStats {
    /// Fragmentation of the old generation: the part of [`held`](HeapStats::held) that is free,
    /// from 0.0 to 1.0. Old objects never move, so a page goes back only when all that lay in it is
    /// dead and swept.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Gc, Heap, Pacing, Root, PageSource};
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
    /// heap.sweep();
    /// assert!(heap.stats().fragmentation() < 0.05);
    /// // One number in each 64: no page is empty.
    /// heap.turn(|_, numbers| numbers.retain(|n| **n % 64 == 0));
    /// heap.collect();
    /// heap.sweep();
    /// assert!(heap.stats().fragmentation() > 0.95);
    /// ```
    #[must_use]
    pub fn fragmentation(&self) -> f64 {
        let free = self.held.saturating_sub(self.live);
        free as f64 / self.held.max(1) as f64
    }
}

/// Statistics that are counted as the events happen.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) stats: HeapStats,
    /// Bytes in the nursery just after it was last emptied: its survivors.
    aged: usize,
}

/// The numbers by which kinds of work are distinguished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MarkTally {
    pub(crate) minor: u64,
    pub(crate) major: u64,
    pub(crate) begun: u64,
    pub(crate) ended: u64,
    pub(crate) aborted: u64,
    pub(crate) drains: u64,
}

/// Waits of turns for markers during a mark.
#[derive(Clone, Copy, Default)]
pub(crate) struct Waits {
    pub(crate) times: u64,
    pub(crate) spins: u64,
}

impl Counters {
    /// A turn has allocated an old object.
    pub(crate) fn born_old(&mut self, bytes: usize) {
        self.stats.allocated += bytes as u64;
    }

    /// A minor collection has evacuated these survivors.
    pub(crate) fn minor(&mut self, emptied: &Nursery, survivors: &Nursery, moved: Evacuated) {
        self.stats.minor += 1;
        self.stats.allocated += self.born(emptied);
        self.stats.moved += moved.objects;
        self.stats.aged += moved.aged;
        self.stats.promoted += moved.promoted;
        self.stats.largest_container = self.stats.largest_container.max(moved.container);
        self.aged = survivors.used();
    }

    /// A concurrent mark has begun.
    pub(crate) fn begin(&mut self) {
        self.stats.begun += 1;
    }

    /// A concurrent mark has ended.
    pub(crate) fn end(&mut self) {
        self.stats.ended += 1;
    }

    /// Number of marks that have begun or ended.
    pub(crate) fn marks(&self) -> u64 {
        self.stats.begun + self.stats.major
    }

    /// A concurrent mark was aborted.
    pub(crate) fn abort(&mut self) {
        self.stats.aborted += 1;
    }

    /// A mutator assist was done.
    pub(crate) fn assist(&mut self) {
        self.stats.assists += 1;
    }

    /// A termination step was done.
    pub(crate) fn terminate(&mut self) {
        self.stats.termination_steps += 1;
    }

    /// Turns have waited for markers.
    pub(crate) fn wait(&mut self, waits: Waits) {
        self.stats.waits += waits.times;
        self.stats.spins += waits.spins;
    }

    /// A mark has ended, with `marked` marked objects.
    pub(crate) fn major(&mut self, met: u64) {
        self.stats.major += 1;
        self.stats.marked += met;
        self.stats.alive = met;
    }

    /// A group mark has emptied an object.
    pub(crate) fn emptied(&mut self) {
        self.stats.emptied += 1;
    }

    /// Bytes allocated in a nursery since it was last emptied.
    pub(crate) fn born(&self, nursery: &Nursery) -> u64 {
        (nursery.used() - self.aged) as u64
    }
}
