//! [`Role`]: a heap owns the shared objects that it allocates; for a region the heap of the turn
//! around it does.

use super::heap::Core;
use super::mutator::Mutator;
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::object_trait::Object;
use crate::object::tracer::Tracer;
use crate::orca::heap_handle::HeapHandle;
use std::cell::UnsafeCell;
use std::ptr::NonNull;

/// The role of a heap in sharing.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// It owns the shared objects that it allocates.
    Heap,
    /// It owns no shared object: the heap of its holder does, while that heap's turn has opened it.
    Region(Holder),
}

/// The turn that has opened a region.
#[derive(Clone, Copy)]
pub(crate) enum Holder {
    /// No turn of a heap.
    None,
    /// A turn of this heap, which lasts longer than the region is open.
    Turn(NonNull<UnsafeCell<Core>>),
}

// SAFETY: a closed region has no holder, and an open one does not move.
unsafe impl Send for Role {}

impl Core {
    /// Allocates a shared object for an open region: in its holder's heap, and imported from there
    /// (O8).
    #[cold]
    pub(crate) fn allocate_at_holder(
        &mut self,
        holder: Holder,
        bytes: usize,
    ) -> Option<NonNull<Header>> {
        let owner = enclosing_owner(holder);
        // SAFETY: the owner's turn lasts, and waits for the region; this thread has both. They are
        // two heaps, because a region is no owner.
        let heap = unsafe { &mut *owner.as_ref().get() };
        let room = heap.allocate_shared(bytes)?;
        heap.sharing.get_mut().exports.add(room, 1);
        self.sharing.get_mut().imports.add_received().add(room, 1);
        Some(room)
    }
}

/// The heap of the outermost turn around an open region: the regions in between are no owners. They
/// do not count what it shares: such a count would not keep the object live any longer than other
/// counts do.
fn enclosing_owner(mut holder: Holder) -> NonNull<UnsafeCell<Core>> {
    while let Holder::Turn(heap) = holder {
        // SAFETY: the turns around an open region last longer; no role changes while its region is
        // open.
        match unsafe { (*heap.as_ref().get()).role } {
            Role::Heap => return heap,
            Role::Region(around) => holder = around,
        }
    }
    no_holder()
}

#[cold]
fn no_holder() -> ! {
    panic!(
        "a region has no heap for a shared object: it was opened without one. Open it in a turn of an actor with a graph, by \
         `Iso::open_in`, or make the object before and take it in by a parcel"
    )
}

impl Mutator<'_> {
    /// The heap that owns the shared objects allocated in this turn: its own, or the heap of the
    /// turn around this region.
    pub(crate) fn sharer(&self) -> NonNull<UnsafeCell<Core>> {
        match self.core().role {
            Role::Heap => self.heap(),
            Role::Region(holder) => enclosing_owner(holder),
        }
    }

    /// Called when a shared object or slice with these values was allocated. If an open region has
    /// allocated it, its owner counts what it refers to, as the region does: the region may release
    /// its own counts before the owner has marked (O8).
    #[inline]
    pub(crate) fn count_components<'gc, T: Object<'gc>>(&self, values: &[T]) {
        #[cfg(test)]
        if is_injected(InjectedFault::UncountedParts) {
            return;
        }
        if const { T::NEEDS_TRACE }
            && let Role::Region(holder) = self.core().role
        {
            let owner = enclosing_owner(holder);
            for value in values {
                Tracer::each_reference(value, |part| self.count_for_owner(owner, part));
            }
        }
    }

    #[cold]
    fn count_for_owner(&self, owner: NonNull<UnsafeCell<Core>>, part: NonNull<Header>) {
        let region = self.core();
        // SAFETY: the owner's turn lasts, and waits for the region; this thread has both, and they
        // are two heaps.
        let heap = unsafe { &*owner.as_ref().get() };
        let (from, to) = (
            HeapHandle::name(&region.owner),
            HeapHandle::name(&heap.owner),
        );
        // SAFETY: the caller has the reference, so its object is live, and so is the object's
        // owner. The region packs it and the owner unpacks it as if it were sent: no weight is made
        // or lost.
        unsafe {
            if HeapHandle::of(part) != to {
                region.sharing.borrow_mut().pack(from, part);
                heap.sharing.borrow_mut().unpack(to, part);
            }
        }
    }
}
