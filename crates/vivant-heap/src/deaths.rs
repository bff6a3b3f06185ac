//! Notices of deaths: who watches an object hears when a collection has found it dead (H10).

use crate::header::Header;
use crate::heap::{Heap, Root};
use crate::id::HeapId;
use crate::mutator::Mutator;
use crate::pages::chunk::page_of;
use crate::pages::page::Kind;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::types::{Collected, Gc};
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;

/// One watch over an object, as [`Mutator::watch`] began it: to end it by [`Mutator::unwatch`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Watch {
    heap: HeapId,
    number: u64,
}

/// The watches of a heap. By number, which is the order in which they began: nothing that is told
/// is in the order of addresses (R5).
#[derive(Default)]
pub(crate) struct Deaths {
    /// Over young objects: each collection looks at these.
    pub(crate) young: BTreeMap<u64, Watched>,
    /// Over old ones: only a mark finds these dead.
    pub(crate) old: BTreeMap<u64, Watched>,
    /// Tokens of the dead that nobody has taken yet.
    pub(crate) found: BTreeMap<u64, u64>,
    next: u64,
}

/// What is watched, and what its watcher is told.
#[derive(Clone, Copy)]
pub(crate) struct Watched {
    pub(crate) object: NonNull<Header>,
    token: u64,
}

/// Whether an object lies in the nursery.
///
/// # Safety
///
/// It lies in a chunk.
unsafe fn is_young(object: NonNull<Header>) -> bool {
    // SAFETY: the caller's.
    unsafe { page_of(object.cast()).as_ref() }.kind == Kind::Nursery
}

impl Deaths {
    fn watch(&mut self, object: NonNull<Header>, token: u64) -> u64 {
        let number = self.next;
        self.next += 1;
        // SAFETY: an object of this turn.
        let watches = match unsafe { is_young(object) } {
            true => &mut self.young,
            false => &mut self.old,
        };
        watches.insert(number, Watched { object, token });
        number
    }

    fn unwatch(&mut self, number: u64) -> Option<u64> {
        let watched = self.young.remove(&number);
        let watched = watched.or_else(|| self.old.remove(&number))?;
        Some(watched.token)
    }

    /// The nursery was emptied: `place` says where what lay in it is now; none if it is dead.
    pub(crate) fn nursery_emptied(
        &mut self,
        place: impl Fn(NonNull<Header>) -> Option<NonNull<Header>>,
    ) {
        #[cfg(test)]
        if is_planted(Planted::ForgottenWatch) {
            return;
        }
        self.young.retain(|&number, watched| {
            let Some(object) = place(watched.object) else {
                self.found.insert(number, watched.token);
                return false;
            };
            watched.object = object;
            // SAFETY: where it is now.
            let stays = unsafe { is_young(object) };
            if !stays {
                self.old.insert(number, *watched);
            }
            stays
        });
    }

    /// All watches that there are now: what is watched from here on is not among them.
    pub(crate) fn all(&self) -> Range<u64> {
        0..self.next
    }

    /// A mark has met all that is alive, as `is_alive` tells: looks at so many of these watches,
    /// and says at how many. If fewer, that was all.
    pub(crate) fn marked(
        &mut self,
        watches: &mut Range<u64>,
        most: usize,
        is_alive: impl Fn(NonNull<Header>) -> bool,
    ) -> usize {
        #[cfg(test)]
        if is_planted(Planted::ForgottenWatch) {
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
    /// Begins to watch an object: when a collection has found it dead, `token` is among what
    /// [`Heap::take_deaths`] gives, once.
    ///
    /// To be watched keeps nothing alive, and nothing that is dead comes back (H10). An object may
    /// be watched more than once. A heap that is dropped tells of no death.
    ///
    /// Costs an entry in a map; each collection of the nursery looks at the watches over young
    /// objects, each mark at all. Objects that nobody watches cost nothing.
    ///
    /// ```
    /// use vivant_heap::{Gc, Heap, Pacing, Root, Source};
    ///
    /// struct Session;
    /// impl Root for Session {
    ///     type Of<'gc> = Option<Gc<'gc, u64>>;
    /// }
    ///
    /// let source = std::sync::Arc::new(Source::new());
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
    pub fn watch<T: ?Sized + Collected<'gc>>(&self, object: Gc<'gc, T>, token: u64) -> Watch {
        let core = self.core();
        Watch {
            heap: self.id(),
            number: core.deaths.borrow_mut().watch(object.header(), token),
        }
    }

    /// Ends a watch. Its token; none if the death was found already, and its notice comes or came,
    /// or if this watch had been ended.
    pub fn unwatch(&self, watch: Watch) -> Option<u64> {
        let core = self.core();
        if watch.heap != self.id() {
            return None;
        }
        core.deaths.borrow_mut().unwatch(watch.number)
    }
}

impl<R: Root> Heap<R> {
    /// The tokens of watched objects that collections have found dead since this was last asked, in
    /// the order in which they were watched.
    ///
    /// The destructor of such an object may not have run yet: those of old objects run when their
    /// pages are swept.
    pub fn take_deaths(&mut self) -> Vec<u64> {
        let watched = self.take_watches().into_iter();
        watched.map(|(_, token)| token).collect()
    }

    /// As [`Heap::take_deaths`], each token with its watch: for who shares the heap with others
    /// that watch, and has tokens of its own.
    pub fn take_watches(&mut self) -> Vec<(Watch, u64)> {
        let heap = self.id();
        let found = &mut self.parts().0.deaths.get_mut().found;
        let found = std::mem::take(found).into_iter();
        found
            .map(|(number, token)| (Watch { heap, number }, token))
            .collect()
    }
}
