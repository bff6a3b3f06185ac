//! Death watches: a watch gives a notice after a collection has found its object dead (H10).

use crate::alloc::header::Header;
use crate::gc::heap::{Heap, Root};
use crate::gc::mutator::Mutator;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::collected::Collected;
use crate::object::gc::Gc;
use crate::orca::heap_id::HeapId;
use crate::pages::chunk::page_of;
use crate::pages::page::PageKind;
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;

/// A death watch of an object, begun by [`Mutator::watch`]; [`Mutator::unwatch`] ends it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DeathWatch {
    heap: HeapId,
    number: u64,
}

/// The death watches of a heap, by number, which is the order in which they began: no notice
/// follows the order of addresses (R5).
#[derive(Default)]
pub(crate) struct DeathWatches {
    /// Watches of young objects: each collection examines these.
    pub(crate) young: BTreeMap<u64, WatchedObject>,
    /// Watches of old objects: only a mark finds these dead.
    pub(crate) old: BTreeMap<u64, WatchedObject>,
    /// Tokens of dead objects that were not taken yet.
    pub(crate) found: BTreeMap<u64, u64>,
    next: u64,
}

/// A watched object, and the token of its notice.
#[derive(Clone, Copy)]
pub(crate) struct WatchedObject {
    pub(crate) object: NonNull<Header>,
    token: u64,
}

/// Whether an object lies in the nursery.
///
/// # Safety
///
/// The object lies in a chunk.
unsafe fn is_young(object: NonNull<Header>) -> bool {
    // SAFETY: the caller's contract.
    unsafe { page_of(object.cast()).as_ref() }.kind == PageKind::Nursery
}

impl DeathWatches {
    fn watch(&mut self, object: NonNull<Header>, token: u64) -> u64 {
        let number = self.next;
        self.next += 1;
        // SAFETY: an object of this turn, so it lies in a chunk.
        let watches = match unsafe { is_young(object) } {
            true => &mut self.young,
            false => &mut self.old,
        };
        watches.insert(number, WatchedObject { object, token });
        number
    }

    fn unwatch(&mut self, number: u64) -> Option<u64> {
        let watched = self.young.remove(&number);
        let watched = watched.or_else(|| self.old.remove(&number))?;
        Some(watched.token)
    }

    /// The nursery was emptied: `place` returns the present place of an object of it, or `None` if
    /// the object is dead.
    pub(crate) fn nursery_emptied(
        &mut self,
        place: impl Fn(NonNull<Header>) -> Option<NonNull<Header>>,
    ) {
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenWatch) {
            return;
        }
        self.young.retain(|&number, watched| {
            let Some(object) = place(watched.object) else {
                self.found.insert(number, watched.token);
                return false;
            };
            watched.object = object;
            // SAFETY: the object's present place, in a chunk.
            let stays = unsafe { is_young(object) };
            if !stays {
                self.old.insert(number, *watched);
            }
            stays
        });
    }

    /// All watches that exist now; later ones are not in this range.
    pub(crate) fn all(&self) -> Range<u64> {
        0..self.next
    }

    /// A mark is complete, and `is_alive` tells its result: examines at most `most` of these
    /// watches, and returns the number. A smaller number means that none is left.
    pub(crate) fn marked(
        &mut self,
        watches: &mut Range<u64>,
        most: usize,
        is_alive: impl Fn(NonNull<Header>) -> bool,
    ) -> usize {
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenWatch) {
            return 0;
        }
        let (mut looked, mut dead) = (0, Vec::new());
        for (&number, watched) in self.old.range(watches.clone()).take(most) {
            looked += 1;
            watches.start = number + 1;
            if !is_alive(watched.object) {
                dead.push((number, watched.token));
            }
        }
        for (number, token) in dead {
            self.old.remove(&number);
            self.found.insert(number, token);
        }
        looked
    }
}

impl<'gc> Mutator<'gc> {
    /// Begins a death watch of an object. When a collection has found the object dead, `token` is
    /// among the results of [`Heap::take_deaths`], once.
    ///
    /// A watch keeps nothing alive, and no dead object comes back (H10). An object may have several
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
    ///     m.watch(session, 7);
    ///     Some(session)
    /// });
    /// heap.collect();
    /// assert_eq!(heap.take_deaths(), []);
    /// heap.turn(|_, session| *session = None);
    /// heap.collect();
    /// assert_eq!(heap.take_deaths(), [7]);
    /// ```
    pub fn watch<T: ?Sized + Collected<'gc>>(&self, object: Gc<'gc, T>, token: u64) -> DeathWatch {
        let core = self.core();
        DeathWatch {
            heap: self.id(),
            number: core.deaths.borrow_mut().watch(object.header(), token),
        }
    }

    /// Ends a watch. Returns its token; `None` if the object was found dead already, so that its
    /// notice was or will be given, or if the watch was ended before.
    pub fn unwatch(&self, watch: DeathWatch) -> Option<u64> {
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
