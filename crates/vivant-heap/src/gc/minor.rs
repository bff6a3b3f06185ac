//! Minor collections: the nursery is emptied between two turns (H3).

use super::heap::Core;
use crate::alloc::header::Header;
use crate::alloc::old::sweep::MISSES_MINOR;
use crate::mark::abort_on_unwind::AbortOnUnwind;
use crate::object::evacuator::{EvacuatedHeap, Evacuator, TenuringPolicy};
use crate::object::object_trait::Object;
use crate::orca::heap_handle::HeapHandle;
use std::ptr::NonNull;

impl Core {
    /// A minor collection: empties the nursery. Objects reached from the roots and from the
    /// remembered set are promoted, or survive once in the nursery (H3).
    pub(crate) fn minor<'gc>(&mut self, roots: &mut impl Object<'gc>, tenuring: TenuringPolicy) {
        let guard = AbortOnUnwind;
        let remembered = std::mem::take(self.remembered.get_mut());
        self.remembered_set_full.set(false);
        self.old.misses = MISSES_MINOR;
        let heap = EvacuatedHeap {
            nursery: &self.nursery,
            old: &mut self.old,
            remembered: self.remembered.get_mut(),
            weak: &mut self.weak,
            chunk_cache: &self.chunk_cache,
            source: &self.source,
            owner: HeapHandle::name(&self.owner).cast(),
        };
        let mut evacuator = Evacuator::new(heap, tenuring);
        roots.evacuate(&mut evacuator);
        for object in remembered {
            evacuator.remembered(object);
        }
        evacuator.drain();
        evacuator.clear_weak();
        // SAFETY: watched young objects lie in the nursery that is being emptied.
        let place = |object: NonNull<Header>| unsafe { object.as_ref() }.forwarded();
        // Watched objects that were not evacuated are dead (H10).
        self.deaths.get_mut().nursery_emptied(place);
        let moved = evacuator.counts();
        let mut survivors = evacuator.finish();
        survivors.settle();
        self.old.misses = usize::MAX;
        // SAFETY: all of the remembered set was scanned, tag entries included.
        unsafe { self.tags.get_mut().nursery_emptied() };
        self.counters.minor(&self.nursery, &survivors, moved);
        let mut emptied = std::mem::replace(&mut self.nursery, survivors);
        if self.pacing.stress.is_some() {
            // SAFETY: the collection is over: reached objects were evacuated, and the others were
            // destroyed.
            unsafe { emptied.poison() };
        }
        let (pages, used) = (emptied.pages(), emptied.used());
        // SAFETY: every reached object was evacuated from it.
        unsafe { emptied.clear(&self.chunk_cache) };
        // A heap that hardly used its nursery is idle: it keeps no spare chunks.
        if used < self.pacing.nursery / 8 {
            self.chunk_cache.shrink(0, &self.source);
        } else {
            let still = self.nursery.pages();
            self.chunk_cache.settle(pages, still, &self.source);
        }
        std::mem::forget(guard);
    }
}
