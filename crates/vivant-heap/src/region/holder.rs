//! Whose heap an open region makes shared objects in.

use super::iso::Iso;
use crate::collector::Tracer;
use crate::header::Header;
use crate::heap::Core;
use crate::mutator::Mutator;
use crate::orca::Owner;
use crate::pacing::Pacing;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::types::{Object, Twin};
use std::cell::UnsafeCell;
use std::ptr::NonNull;

/// What a heap is to those who share.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// It owns what is shared from it.
    Heap,
    /// It owns nothing that is shared: its holder's heap does, while that has opened it.
    Region(Holder),
}

/// Who has opened a region.
#[derive(Clone, Copy)]
pub(crate) enum Holder {
    /// Nobody who has a heap.
    None,
    /// A turn of this heap, which lasts longer than the region is open.
    Turn(NonNull<UnsafeCell<Core>>),
}

// SAFETY: a region that is not open has no holder, and one that is open stays where it is.
unsafe impl Send for Role {}

impl Core {
    /// Room for a shared object, made by an open region: in its holder's heap, and imported from
    /// there (O8).
    #[cold]
    pub(crate) fn room_at_holder(
        &mut self,
        holder: Holder,
        bytes: usize,
    ) -> Option<NonNull<Header>> {
        let owner = owner_around(holder);
        // SAFETY: the owner's turn lasts, and waits for the region; this thread has both. They are
        // two, because a region is no owner.
        let heap = unsafe { &mut *owner.as_ref().get() };
        let room = heap.room_shared(bytes)?;
        heap.sharing.get_mut().exports.add(room, 1);
        self.sharing.get_mut().imports.settle().add(room, 1);
        Some(room)
    }
}

/// The heap in whose turn an open region was opened, if not at once then by way of others. Those
/// have nothing of what it shares: a count of theirs would name an object that they keep no longer
/// than somebody else does.
fn owner_around(mut holder: Holder) -> NonNull<UnsafeCell<Core>> {
    while let Holder::Turn(heap) = holder {
        // SAFETY: the turns around an open region last longer; nobody changes a role while its
        // region is open.
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
    /// The heap that owns what is shared in this turn: its own, or the one whose turn has opened
    /// this region.
    pub(crate) fn sharer(&self) -> NonNull<UnsafeCell<Core>> {
        match self.core().role {
            Role::Heap => self.heap(),
            Role::Region(holder) => owner_around(holder),
        }
    }

    /// A shared object was made, or a slice, of these values. If an open region has made it, its
    /// owner counts what it refers to, as the region does: that may give its own up before the
    /// owner has marked (O8).
    #[inline]
    pub(crate) fn parts_are_counted<'gc, T: Object<'gc>>(&self, values: &[T]) {
        #[cfg(test)]
        if is_planted(Planted::UncountedParts) {
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
        // are two.
        let heap = unsafe { &*owner.as_ref().get() };
        let (from, to) = (Owner::name(&region.owner), Owner::name(&heap.owner));
        // SAFETY: the caller has the reference, so its object is there, and its owner. It is packed
        // by one and unpacked by the other as if it were sent: no weight is made or lost.
        unsafe {
            if Owner::of(part) != to {
                region.sharing.borrow_mut().pack(from, part);
                heap.sharing.borrow_mut().unpack(to, part);
            }
        }
    }

    /// A new region with the root that `make` makes, of pages from the same source as this heap's.
    /// Shared objects that are made meanwhile are this heap's.
    ///
    /// ```
    /// use vivant_heap::{Gc, Iso, Mutator};
    ///
    /// fn names(m: &Mutator<'_>) -> Iso<Vec<Gc<'static, str>>> {
    ///     m.iso(|r| vec![r.alloc_str("rain"), r.alloc_str("snow")])
    /// }
    /// ```
    pub fn iso<T: Twin>(&self, make: impl for<'r> FnOnce(&Mutator<'r>) -> T::Of<'r>) -> Iso<T> {
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

/// A region that a turn has opened, until the body is over or panics.
struct Opened<'a, T: Twin>(&'a mut Iso<T>);

impl<T: Twin> Drop for Opened<'_, T> {
    fn drop(&mut self) {
        self.0.held_by(Holder::None);
    }
}

impl<T: Twin> Iso<T> {
    fn held_by(&mut self, holder: Holder) {
        self.heap.parts().0.role = Role::Region(holder);
    }

    /// The holder's pacing hears of pages that are new: to its mark the region is a leaf, and a
    /// dead one is freed by that alone. Not of those with which the region has come, which may go
    /// on in the same turn: that it moves must cost the same whatever its size.
    fn weigh(&mut self, holder: &Mutator<'_>) {
        let bytes = self.heap.stats().pages;
        let region = self.heap.parts().0;
        let known = std::mem::replace(&mut region.weighed, bytes);
        // SAFETY: the holder's turn lasts; within this function nothing else reaches its heap,
        // which is another one than the region.
        let heap = unsafe { &mut *holder.heap().as_ref().get() };
        heap.pinned += bytes.saturating_sub(known);
    }

    /// Opens the region in a turn: shared objects that are made in it are objects of the turn's
    /// heap. It is collected afterwards, if it has grown.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Heap, Iso, Pacing, Root, Source, Val};
    ///
    /// struct Shelf;
    /// impl Root for Shelf {
    ///     type Of<'gc> = Iso<Vec<Val<'static, str>>>;
    /// }
    ///
    /// let source = Arc::new(Source::new());
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
