//! Death watches: a watch gives a notice after a collection has found its object dead (H10).

use crate::gc::heap::{Heap, Root};
use crate::gc::mutator::Mutator;
use crate::object::collected::Collected;
use crate::object::gc::Gc;
use crate::orca::heap_id::HeapId;
use crate::types::leaf::leaf_types;

/// A death watch of an object, begun by [`Mutator::watch_death`]; [`Mutator::unwatch_death`] ends
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DeathWatch {
    pub(crate) heap: HeapId,
    pub(crate) number: u64,
}

leaf_types! { not_frozen { [] [] DeathWatch; } }

impl DeathWatch {
    /// Its number among the watches of its heap: a restored heap has it again.
    #[must_use]
    pub fn number(self) -> u64 {
        self.number
    }
}

impl<'gc> Mutator<'gc> {
    /// Begins a death watch of an object. When a collection has found the object dead, `token` is
    /// among the results of [`Heap::take_deaths`], once.
    ///
    /// A watch keeps nothing alive, and no dead object comes back. An object may have several
    /// watches. A dropped heap gives no notices.
    ///
    /// Costs an entry in a map. Each minor collection examines the watches of young objects, each
    /// mark all watches. Unwatched objects cost nothing.
    ///
    /// ```
    /// use vivant_heap::{Gc, Heap, Pacing, Root, PageSource};
    ///
    /// struct Session;
    /// impl Root for Session {
    ///     type Of<'gc> = Option<Gc<'gc, u64>>;
    /// }
    ///
    /// let source = std::sync::Arc::new(PageSource::new());
    /// let mut heap = Heap::<Session>::new(&source, Pacing::default(), |m| {
    ///     let session = m.alloc(1);
    ///     m.watch_death(session, 7);
    ///     Some(session)
    /// });
    /// heap.collect();
    /// assert_eq!(heap.take_deaths(), []);
    /// heap.turn(|_, session| *session = None);
    /// heap.collect();
    /// assert_eq!(heap.take_deaths(), [7]);
    /// ```
    pub fn watch_death<T: ?Sized + Collected<'gc>>(
        &self,
        object: Gc<'gc, T>,
        token: u64,
    ) -> DeathWatch {
        let core = self.core();
        DeathWatch {
            heap: self.id(),
            number: core.deaths.borrow_mut().watch(object.header(), token),
        }
    }

    /// Ends a watch. Returns its token; `None` if the object was found dead already, so that its
    /// notice was or will be given, or if the watch was ended before.
    pub fn unwatch_death(&self, watch: DeathWatch) -> Option<u64> {
        let core = self.core();
        if watch.heap != self.id() {
            return None;
        }
        core.deaths.borrow_mut().unwatch(watch.number)
    }
}

impl<R: Root> Heap<R> {
    /// Takes the tokens of watched objects that collections have found dead since the last call, in
    /// the order in which the watches began.
    ///
    /// The destructor of such an object may not have run yet: those of old objects run when their
    /// pages are swept.
    pub fn take_deaths(&mut self) -> Vec<u64> {
        let watched = self.take_watches().into_iter();
        watched.map(|(_, token)| token).collect()
    }

    /// As [`Heap::take_deaths`], each token with its watch: for callers that share the heap with
    /// other users of watches, each with tokens of its own.
    pub fn take_watches(&mut self) -> Vec<(DeathWatch, u64)> {
        let heap = self.id();
        let found = &mut self.parts().0.deaths.get_mut().found;
        let found = std::mem::take(found).into_iter();
        found
            .map(|(number, token)| (DeathWatch { heap, number }, token))
            .collect()
    }
}
