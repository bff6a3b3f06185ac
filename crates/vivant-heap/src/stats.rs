//! What a heap has done, counted where it costs next to nothing. No clock: how long a collection
//! took, its caller knows.

use crate::heap::{Core, Heap, Root};
use crate::mutator::Mutator;
use crate::nursery::Nursery;
use crate::orca::Sharing;
use crate::pages::chunk::PAGE;

/// What a heap did, and what it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct HeapStats {
    /// How often the nursery was emptied.
    pub minor: u64,
    /// How often everything was marked.
    pub major: u64,
    /// How many marks were begun beside the turns: those that have ended are among `major`.
    pub begun: u64,
    /// How many of them have ended, and how many were given up: the rest runs.
    pub ended: u64,
    /// As `ended`.
    pub given_up: u64,
    /// How often the heap's holder went through a part of such a mark, because it had made much
    /// old.
    pub slices: u64,
    /// In how many pieces what such marks leave was settled ([`Heap::is_settling`]): at least one
    /// for each that has ended.
    pub settled: u64,
    /// How often a turn has waited for a marker to leave the object that it was about to change.
    pub waits: u64,
    /// How often it looked meanwhile whether the marker had left. A turn that waits for longer than
    /// 63 looks offers its processor between two.
    pub looks: u64,
    /// Bytes of all objects that were ever made, headers and what was left over at the ends of
    /// blocks included.
    pub allocated: u64,
    /// Objects that collections of the nursery have moved: these cost, and not those that died.
    pub moved: u64,
    /// Bytes of moved objects that stayed young once more.
    pub aged: u64,
    /// Bytes of moved objects that became old.
    pub promoted: u64,
    /// Objects that marks have met: these cost, and not those that were dead.
    pub marked: u64,
    /// Those of the last mark.
    pub alive: u64,
    /// Bytes of old objects that the last mark has met.
    pub met: usize,
    /// Bytes of those that it has found dead.
    pub died: usize,
    /// Bytes of old objects, dead ones included that are not swept yet.
    pub live: usize,
    /// Runs of pages of which the last mark's dead were not taken out yet.
    pub unswept: usize,
    /// Bytes of pages.
    pub pages: usize,
    /// Bytes of those of them in which old objects lie: what is not [`live`](HeapStats::live) of
    /// these is free, and for old objects of the same sizes.
    pub held: usize,
    /// Bytes of pages of regions that its turns have made, or made grow, since the last mark: what
    /// may be pinned by an [`Iso`](crate::Iso) that nobody has any more, so it counts when the next
    /// mark is due. A region's own pages are in its own statistics.
    pub pinned: usize,
    /// Objects that others know of, as far as the heap has heard.
    pub exports: usize,
    /// Objects of others that it has counts of; one that came a moment ago may be counted more than
    /// once.
    pub imports: usize,
    /// Batches of INCs that it has left in the lanes of others (O6).
    pub incs: u64,
    /// Batches of DECs, likewise.
    pub decs: u64,
    /// Changes of counts in all of these.
    pub changes: u64,
    /// In how many pieces it has heard what others have left in its own lane ([`Heap::heed_some`]).
    pub heard: u64,
    /// Old objects whose values have destructors, dead ones included that are not swept yet.
    pub destructors: usize,
    /// Destructors that panicked (H10).
    pub panics: u64,
}

impl HeapStats {
    /// Fragmentation of the old generation: the part of [`held`](HeapStats::held) that is free,
    /// from 0.0 to 1.0. Old objects never move, so a page goes back only when all that lay in it is
    /// dead and swept.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Gc, Heap, Pacing, Root, Source};
    ///
    /// struct Numbers;
    /// impl Root for Numbers {
    ///     type Of<'gc> = Vec<Gc<'gc, u64>>;
    /// }
    ///
    /// let source = Arc::new(Source::new());
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

/// What is counted as it happens.
#[derive(Default)]
pub(crate) struct Counted {
    stats: HeapStats,
    /// Bytes of the nursery that were there already when it was last emptied.
    aged: usize,
}

/// How turns have waited for markers while a mark ran.
#[derive(Clone, Copy, Default)]
pub(crate) struct Waits {
    pub(crate) times: u64,
    pub(crate) looks: u64,
}

/// What a collection of the nursery has moved.
#[derive(Clone, Copy, Default)]
pub(crate) struct Moved {
    objects: u64,
    aged: u64,
    promoted: u64,
}

impl Moved {
    /// One object of so many bytes, which stays young.
    #[inline]
    pub(crate) fn aged(&mut self, bytes: usize) {
        self.objects += 1;
        self.aged += bytes as u64;
    }

    /// One that becomes old.
    #[inline]
    pub(crate) fn promoted(&mut self, bytes: usize) {
        self.objects += 1;
        self.promoted += bytes as u64;
    }
}

impl Counted {
    /// A turn has made an old object.
    pub(crate) fn born_old(&mut self, bytes: usize) {
        self.stats.allocated += bytes as u64;
    }

    /// A nursery was emptied, and these have survived.
    pub(crate) fn minor(&mut self, emptied: &Nursery, survivors: &Nursery, moved: Moved) {
        self.stats.minor += 1;
        self.stats.allocated += self.born(emptied);
        self.stats.moved += moved.objects;
        self.stats.aged += moved.aged;
        self.stats.promoted += moved.promoted;
        self.aged = survivors.used();
    }

    /// A mark has begun beside the turns.
    pub(crate) fn begins(&mut self) {
        self.stats.begun += 1;
    }

    /// It has ended.
    pub(crate) fn ends(&mut self) {
        self.stats.ended += 1;
    }

    /// How many marks have begun or ended.
    pub(crate) fn marks(&self) -> u64 {
        self.stats.begun + self.stats.major
    }

    /// It was given up.
    pub(crate) fn gives_up(&mut self) {
        self.stats.given_up += 1;
    }

    /// A part of a mark was gone through.
    pub(crate) fn slice(&mut self) {
        self.stats.slices += 1;
    }

    /// A piece of what a mark leaves is settled.
    pub(crate) fn settles(&mut self) {
        self.stats.settled += 1;
    }

    /// Turns have waited for markers.
    pub(crate) fn waited(&mut self, waits: Waits) {
        self.stats.waits += waits.times;
        self.stats.looks += waits.looks;
    }

    /// A mark has met so many objects.
    pub(crate) fn major(&mut self, met: u64) {
        self.stats.major += 1;
        self.stats.marked += met;
        self.stats.alive = met;
    }

    /// Bytes that were made in a nursery since it was last emptied.
    fn born(&self, nursery: &Nursery) -> u64 {
        (nursery.used() - self.aged) as u64
    }
}

impl Core {
    fn stats(&self, sharing: &Sharing) -> HeapStats {
        let stats = &self.counted.stats;
        HeapStats {
            allocated: stats.allocated + self.counted.born(&self.nursery),
            met: self.old.met,
            died: self.old.died,
            live: self.old.live,
            unswept: self.old.unswept,
            pages: (self.nursery.pages() + self.reserve.pages() + self.old.pages) * PAGE,
            held: self.old.pages * PAGE,
            pinned: self.pinned,
            exports: sharing.exports.len(),
            imports: sharing.imports.len(),
            incs: sharing.left.incs,
            decs: sharing.left.decs,
            changes: sharing.left.changes,
            heard: sharing.hearing.pieces,
            destructors: self.old.destructors,
            panics: self.old.panics,
            ..*stats
        }
    }
}

impl<R: Root> Heap<R> {
    /// What it did and has.
    pub fn stats(&self) -> HeapStats {
        let core = self.core();
        core.stats(core.between_turns())
    }
}

impl Mutator<'_> {
    /// What the heap of this turn did and has. Old objects of this turn may not be counted yet.
    #[must_use]
    pub fn stats(&self) -> HeapStats {
        let core = self.core();
        core.stats(&core.sharing.borrow())
    }
}
