//! The heap that owns the shared objects allocated in an open region.

use super::iso::Iso;
use crate::alloc::header::Header;
use crate::gc::heap::Core;
use crate::gc::mutator::Mutator;
use crate::gc::pacing::Pacing;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::erased::Erased;
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
    pub(crate) fn room_at_holder(
        &mut self,
        holder: Holder,
        bytes: usize,
    ) -> Option<NonNull<Header>> {
        let owner = owner_around(holder);
        // SAFETY: the owner's turn lasts, and waits for the region; this thread has both. They are
        // two heaps, because a region is no owner.
        let heap = unsafe { &mut *owner.as_ref().get() };
        let room = heap.room_shared(bytes)?;
        heap.sharing.get_mut().exports.add(room, 1);
        self.sharing.get_mut().imports.settle().add(room, 1);
        Some(room)
    }
}

/// The heap of the outermost turn around an open region: the regions in between are no owners. They
/// do not count what it shares: such a count would not keep the object live any longer than other
/// counts do.
fn owner_around(mut holder: Holder) -> NonNull<UnsafeCell<Core>> {
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
        "a region has no heap for a shared object: it was opened by nobody who has one. Open it in a turn of an actor with a graph, by \
         `Iso::open_in`, or make the object before and take it in by a parcel"
    )
}

impl Mutator<'_> {
    /// The heap that owns the shared objects allocated in this turn: its own, or the heap of the
    /// turn around this region.
    pub(crate) fn sharer(&self) -> NonNull<UnsafeCell<Core>> {
        match self.core().role {
            Role::Heap => self.heap(),
            Role::Region(holder) => owner_around(holder),
        }
    }

    /// Called when a shared object or slice with these values was allocated. If an open region has
    /// allocated it, its owner counts what it refers to, as the region does: the region may release
    /// its own counts before the owner has marked (O8).
    #[inline]
    pub(crate) fn parts_are_counted<'gc, T: Object<'gc>>(&self, values: &[T]) {
        #[cfg(test)]
        if is_injected(InjectedFault::UncountedParts) {
            return;
        }
        if const { T::NEEDS_TRACE }
            && let Role::Region(holder) = self.core().role
        {
            let owner = owner_around(holder);
            for value in values {
                Tracer::tell(value, |part| self.is_counted_by(owner, part));
            }
        }
    }

    #[cold]
    fn is_counted_by(&self, owner: NonNull<UnsafeCell<Core>>, part: NonNull<Header>) {
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

    /// Creates a region with the root that `make` returns, from the same page source as this heap.
    /// Shared objects that `make` allocates belong to this heap.
    ///
    /// ```
    /// use vivant_heap::{Gc, Iso, Mutator};
    ///
    /// fn names(m: &Mutator<'_>) -> Iso<Vec<Gc<'static, str>>> {
    ///     m.iso(|r| vec![r.alloc_str("rain"), r.alloc_str("snow")])
    /// }
    /// ```
    pub fn iso<T: Erased>(&self, make: impl for<'r> FnOnce(&Mutator<'r>) -> T::Of<'r>) -> Iso<T> {
        let (source, own) = (self.core().source.clone(), self.core().pacing);
        let pacing = Pacing {
            stress: own.stress,
            marking: own.marking,
            ..Pacing::new()
        };
        let mut iso = Iso::held(&source, pacing, Holder::Turn(self.heap()), make);
        iso.held_by(Holder::None);
        iso.weigh(self);
        iso
    }
}

/// A region that a turn has opened, until the body returns or panics.
struct Opened<'a, T: Erased>(&'a mut Iso<T>);

impl<T: Erased> Drop for Opened<'_, T> {
    fn drop(&mut self) {
        self.0.held_by(Holder::None);
    }
}

impl<T: Erased> Iso<T> {
    fn held_by(&mut self, holder: Holder) {
        self.heap.parts().0.role = Role::Region(holder);
    }

    /// Adds the region's new pages to the holder's pacing: to the holder's mark the region is a
    /// leaf, and a dead region is freed only by that mark. Pages that came with the region are not
    /// added, because a region may be passed on in the same turn: moving it must cost the same
    /// whatever its size.
    fn weigh(&mut self, holder: &Mutator<'_>) {
        let bytes = self.heap.stats().pages;
        let region = self.heap.parts().0;
        let known = std::mem::replace(&mut region.weighed, bytes);
        // SAFETY: the holder's turn lasts; within this function nothing else accesses its heap,
        // which is not the region's.
        let heap = unsafe { &mut *holder.heap().as_ref().get() };
        heap.pinned += bytes.saturating_sub(known);
    }

    /// Opens the region in a turn: shared objects that are allocated in it belong to the turn's
    /// heap. It is collected afterwards, if it has grown.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Heap, Iso, Pacing, Root, PageSource, Val};
    ///
    /// struct Shelf;
    /// impl Root for Shelf {
    ///     type Of<'gc> = Iso<Vec<Val<'static, str>>>;
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let mut heap = Heap::<Shelf>::new(&source, Pacing::default(), |_| Iso::new(&source, |_| Vec::new()));
    /// heap.turn(|m, shelf| {
    ///     let made_outside = m.pack::<Val<'static, str>>(m.val_str("rain"));
    ///     shelf.open_in(m, |r, titles| {
    ///         titles.push(r.unpack(made_outside));
    ///         titles.push(r.val_str("snow"));
    ///     });
    /// });
    /// ```
    pub fn open_in<R>(
        &mut self,
        holder: &Mutator<'_>,
        body: impl for<'r> FnOnce(&Mutator<'r>, &mut T::Of<'r>) -> R,
    ) -> R {
        self.held_by(Holder::Turn(holder.heap()));
        let result = {
            let opened = Opened(self);
            opened.0.open(body)
        };
        self.weigh(holder);
        result
    }
}
