//! The death watches of a heap.

use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::chunk::page_of;
use crate::pages::page::PageKind;
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;

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
    pub(crate) fn watch(&mut self, object: NonNull<Header>, token: u64) -> u64 {
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

    pub(crate) fn unwatch(&mut self, number: u64) -> Option<u64> {
        let watched = self.young.remove(&number);
        let watched = watched.or_else(|| self.old.remove(&number))?;
        Some(watched.token)
    }

    /// The watches, all of old objects, and the found ones: number, object and token.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u64, Option<NonNull<Header>>, u64)> {
        debug_assert!(self.young.is_empty());
        let old = self.old.iter();
        let old = old.map(|(number, it)| (*number, Some(it.object), it.token));
        let found = self.found.iter();
        old.chain(found.map(|(number, token)| (*number, None, *token)))
    }

    /// A watch of an image, of an old object. `None`: the object is dead.
    pub(crate) fn restore(&mut self, number: u64, object: Option<NonNull<Header>>, token: u64) {
        match object {
            Some(object) => {
                self.old.insert(number, WatchedObject { object, token });
            }
            None => {
                self.found.insert(number, token);
            }
        }
        self.next = self.next.max(number.saturating_add(1));
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
            let is_still_young = unsafe { is_young(object) };
            if !is_still_young {
                self.old.insert(number, *watched);
            }
            is_still_young
        });
    }

    /// All watches that exist now; later ones are not in this range.
    pub(crate) fn all(&self) -> Range<u64> {
        0..self.next
    }

    /// A mark is complete, and `is_marked` is its result: examines at most `most` of these
    /// watches, and returns the number. A smaller number means that none is left.
    pub(crate) fn drop_unmarked(
        &mut self,
        watches: &mut Range<u64>,
        most: usize,
        is_marked: impl Fn(NonNull<Header>) -> bool,
    ) -> usize {
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenWatch) {
            return 0;
        }
        let (mut examined, mut dead) = (0, Vec::new());
        for (&number, watched) in self.old.range(watches.clone()).take(most) {
            examined += 1;
            watches.start = number + 1;
            if !is_marked(watched.object) {
                dead.push((number, watched.token));
            }
        }
        for (number, token) in dead {
            self.old.remove(&number);
            self.found.insert(number, token);
        }
        examined
    }
}
