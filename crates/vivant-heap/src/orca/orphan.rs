//! [`Orphan`]: what is left of a heap that has ended, as long as others know of its objects (O9).

use crate::heap::{Core, Heap, Root};
use std::cell::UnsafeCell;
use std::fmt;

/// The state of a heap without a state.
pub(super) struct Nothing;

impl Root for Nothing {
    type Of<'gc> = ();
}

/// What is left of a heap that has ended: objects that others know of, and what these reach.
///
/// Its lane must be heeded now and then, or what others give up is never freed: see [`Orphan::heed`]. One that is dropped
/// while others know of its objects leaks these, for good.
#[must_use = "an orphan that is dropped too early leaks its objects"]
pub struct Orphan {
    pub(super) heap: Heap<Nothing>,
}

impl<R: Root> Heap<R> {
    /// Ends the heap: the state is dropped, and all objects but those that others know of. None if nobody does.
    ///
    /// Costs a mark of what others know, and a sweep of all; if that is nothing, what dropping it costs.
    pub fn end(self) -> Option<Orphan> {
        Orphan::left(self.with_state::<Nothing>(()))
    }
}

impl Orphan {
    /// What is left of a heap whose state was never made.
    pub(crate) fn of(core: Box<UnsafeCell<Core>>) -> Option<Orphan> {
        Orphan::left(Heap::of(core, ()))
    }

    fn left(mut heap: Heap<Nothing>) -> Option<Orphan> {
        if heap.is_alone() {
            return None;
        }
        Orphan { heap }.collect()
    }

    /// Whether others have left something that it has not heard of. Costs a load.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.heap.is_told()
    }

    /// Hears what others have given up since. None if that was all: then everything is freed.
    ///
    /// Costs next to nothing as long as somebody has all of it.
    pub fn heed(mut self) -> Option<Orphan> {
        let fewer = self.heap.heed();
        if fewer { self.collect() } else { Some(self) }
    }

    fn collect(mut self) -> Option<Orphan> {
        loop {
            self.heap.collect();
            self.heap.sweep();
            // A destructor may have given up something of this heap itself; nobody tells of it a second time.
            let fewer = self.heap.heed();
            if self.heap.has_heard_all_out() {
                return None;
            }
            if !fewer {
                self.heap.rest();
                return Some(self);
            }
        }
    }

    /// Its heap.
    pub fn heap_stats(&self) -> crate::HeapStats {
        self.heap.stats()
    }
}

impl fmt::Debug for Orphan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orphan").field("heap", &self.heap).finish()
    }
}
