//! [`Heap::collect_external_edges`]: traces external edges, from live objects to things that are
//! counted elsewhere.

use super::budget::Budget;
use super::heap::{Heap, Root};
use super::reason::{GcReason, Request, StepContext};
use crate::object::external_edges::ExternalEdges;
use std::any::Any;

impl<R: Root> Heap<R> {
    /// As [`Heap::collect`], and passes the external edges of live objects
    /// ([`Object::trace_external`](crate::Object::trace_external)) to `each`. These are objects
    /// that the state reaches by references of the heap's own (`Gc`, and collections). Not
    /// included: the state itself, shared objects (`Val`), which other heaps may read, and the
    /// contents of regions. If one of the objects or `each` panics, the rest is not shown; the
    /// collection is over by then.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Gc, Heap, Object, Pacing, Root, PageSource, leaf};
    ///
    /// struct Door(u64);
    /// leaf!([] Door, door shows &door.0);
    ///
    /// #[derive(Object)]
    /// struct Room<'gc> {
    ///     doors: Vec<Door>,
    ///     next: Option<Gc<'gc, Room<'gc>>>,
    /// }
    /// struct House;
    /// impl Root for House {
    ///     type Of<'gc> = Gc<'gc, Room<'gc>>;
    /// }
    ///
    /// let mut heap = Heap::<House>::new(&Arc::new(PageSource::new()), Pacing::default(), |m| {
    ///     let next = Some(m.alloc(Room { doors: vec![Door(3)], next: None }));
    ///     m.alloc(Room { doors: vec![Door(1), Door(2)], next })
    /// });
    /// let mut doors = Vec::new();
    /// heap.collect_external_edges(&mut |held| doors.extend(held.downcast_ref::<u64>().copied()));
    /// assert_eq!(doors, [1, 2, 3]);
    /// ```
    pub fn collect_external_edges(&mut self, each: &mut dyn FnMut(&dyn Any)) {
        let mut budget = Budget::UNLIMITED;
        let reason = GcReason::Requested(Request::MarkEdges);
        let _report = self.step(&StepContext::UNTIMED, reason, &mut budget);
        self.show(each);
    }

    /// Passes the external edges of the objects that the last mark has listed to `each`, as
    /// [`Heap::collect_external_edges`] does, with their present contents. A second call passes
    /// nothing. If a turn has run since the mark began, there may be other such objects, and some
    /// of these may be unreachable.
    pub fn show(&mut self, each: &mut dyn FnMut(&dyn Any)) {
        let edge_holders = std::mem::take(&mut self.parts().0.edge_holders);
        let mut shown = ExternalEdges::to(each);
        for &object in edge_holders.iter() {
            // SAFETY: the last mark has marked the object, and no other mark has ended since: so it
            // was not swept, and is old. No turn and no collection runs: both need the heap, which
            // is borrowed. The value follows the header.
            unsafe {
                if let Some(show) = object.as_ref().table().show {
                    show(object.add(1).cast(), &mut shown);
                }
            }
        }
    }

    /// Whether an object that may have external edges was ever allocated in this heap.
    #[inline]
    #[must_use]
    pub fn shows(&self) -> bool {
        self.core().has_external_edges.get()
    }
}
