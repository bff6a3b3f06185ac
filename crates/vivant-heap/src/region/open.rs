//! Regions in turns: a turn creates a region, and opens it.

use super::iso::Iso;
use crate::gc::mutator::Mutator;
use crate::gc::role::{Holder, Role};
use crate::object::erased::Erased;

impl Mutator<'_> {
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
        let mut iso = Iso::with_holder(&source, own.of_region(), Holder::Turn(self.heap()), make);
        iso.set_holder(Holder::None);
        iso.add_to_holder(self);
        iso
    }
}

/// A region that a turn has opened, until the body returns or panics.
struct Opened<'a, T: Erased>(&'a mut Iso<T>);

impl<T: Erased> Drop for Opened<'_, T> {
    fn drop(&mut self) {
        self.0.set_holder(Holder::None);
    }
}

impl<T: Erased> Iso<T> {
    fn set_holder(&mut self, holder: Holder) {
        self.heap_mut().parts().0.role = Role::Region(holder);
    }

    /// Adds the region's new pages to the holder's pacing: to the holder's mark the region is a
    /// leaf, and a dead region is freed only by that mark. Pages that came with the region are not
    /// added, because a region may be passed on in the same turn: moving it must cost the same
    /// whatever its size.
    fn add_to_holder(&mut self, holder: &Mutator<'_>) {
        let bytes = self.heap_mut().stats().pages;
        let region = self.heap_mut().parts().0;
        let before = std::mem::replace(&mut region.pages_at_holder, bytes);
        // SAFETY: the holder's turn lasts; within this function nothing else accesses its heap,
        // which is not the region's.
        let heap = unsafe { &mut *holder.heap().as_ref().get() };
        heap.pinned += bytes.saturating_sub(before);
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
        self.set_holder(Holder::Turn(holder.heap()));
        let result = {
            let opened = Opened(self);
            opened.0.open(body)
        };
        self.add_to_holder(holder);
        result
    }
}
