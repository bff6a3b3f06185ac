//! Merging: the objects of a region become private objects of its holder's heap.

use super::iso::Iso;
use crate::alloc::old::sweep::SweepBudget;
use crate::gc::heap::Core;
use crate::gc::mutator::Mutator;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::erased::Erased;
use crate::object::evacuator::TenuringPolicy;
use crate::orca::heap_handle::HeapHandle;
use crate::sync::Arc;
use std::cell::UnsafeCell;
use std::mem::{self, ManuallyDrop};
use std::ptr::NonNull;

impl<T: Erased> Iso<T> {
    /// Merges the region into the turn's heap: from here on its objects are the heap's, and its
    /// root is a value of the turn.
    ///
    /// Its young objects are evacuated once. Apart from that it costs some stores for each page,
    /// and a count for each shared object that it refers to. Death watches over its objects end.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Gc, Heap, Iso, Pacing, Root, PageSource};
    ///
    /// struct Names;
    /// impl Root for Names {
    ///     type Of<'gc> = Vec<Gc<'gc, str>>;
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let iso = Iso::<Vec<Gc<'static, str>>>::new(&source, |r| vec![r.alloc_str("rain")]);
    /// let mut heap = Heap::<Names>::new(&source, Pacing::default(), |_| Vec::new());
    /// heap.turn(|m, names| *names = iso.merge(m));
    /// heap.collect();
    /// heap.turn(|_, names| assert_eq!(&*names[0], "rain"));
    /// ```
    ///
    /// # Panics
    ///
    /// The heap has its pages from another source. The region is lost then.
    pub fn merge<'gc>(self, holder: &Mutator<'gc>) -> T::Of<'gc> {
        // SAFETY: the turn's heap lives as long as its turn; within this function nothing else
        // accesses it.
        let root = unsafe { self.quiesce().give_to(holder.heap()) };
        // SAFETY: the same type but for its brand: the objects that it refers to are this heap's
        // now. The region does not use it any more.
        unsafe { mem::transmute_copy(&root) }
    }

    /// Settles the region: its nursery is empty, no mark runs, everything is swept, nothing is
    /// remembered, and every `Mut` is clean.
    pub(super) fn quiesce(mut self) -> Self {
        let (region, root) = self.heap_mut().parts();
        // Objects that a finished mark found dead stay dead.
        region.abort_mark();
        while !region.old.sweep(SweepBudget::ALL, &region.source) {}
        #[cfg(test)]
        if is_injected(InjectedFault::UnfrozenBarrier) && region.nursery.used() == 0 {
            return self;
        }
        #[cfg(test)]
        if is_injected(InjectedFault::DroppedBarrier) {
            region.remembered.get_mut().clear();
        }
        region.minor(root, TenuringPolicy::Never);
        debug_assert!(region.remembered.get_mut().is_empty(), "H5");
        self
    }

    /// Gives the region's pages and counts to a heap. Returns its root.
    ///
    /// # Safety
    ///
    /// The region is settled. The heap exists, and there is no other reference to it.
    ///
    /// # Panics
    ///
    /// The heap has its pages from another source.
    pub(super) unsafe fn give_to(
        mut self,
        heap: NonNull<UnsafeCell<Core>>,
    ) -> ManuallyDrop<T::Of<'static>> {
        // SAFETY: guaranteed by the caller. No foreign code runs: destructors are those of dead
        // objects of the region, which were swept before.
        let heap = unsafe { &mut *heap.as_ref().get() };
        let region = self.heap_mut().parts().0;
        assert!(
            Arc::ptr_eq(&heap.source, &region.source),
            "a region comes to a heap that has its pages from another source: make both with one `PageSource`, or send what the region has by a parcel"
        );
        // SAFETY: guaranteed by the caller.
        unsafe { heap.absorb(region) };
        let (core, root) = self.into_heap().into_parts();
        drop(core);
        root
    }
}

impl Core {
    /// Takes over all objects of a region, which is settled and has the same source.
    ///
    /// # Safety
    ///
    /// The caller is the holder of both.
    unsafe fn absorb(&mut self, region: &mut Core) {
        self.counters.born_old(region.old.bytes_allocated);
        debug_assert!(region.tags.get_mut().is_empty(), "Y3");
        self.has_external_edges
            .set(self.has_external_edges.get() || region.has_external_edges.get());
        let own = HeapHandle::name(&self.owner);
        // SAFETY: guaranteed by the caller.
        unsafe { self.old.absorb(&mut region.old, own.cast()) };
        // SAFETY: guaranteed by the caller; the objects that the region counts are live.
        unsafe { self.sharing.get_mut().absorb(own, region.sharing.get_mut()) };
    }
}
