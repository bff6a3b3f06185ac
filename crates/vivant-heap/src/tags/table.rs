//! [`Tags`]: which objects of a heap are tagged, and by which stubs.

use super::stub::Stub;
use crate::collections::gc::FixedState;
use crate::header::Header;
use crate::pages::chunk::age_of;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::rows::Rows;
use crate::shards::Shards;
use std::collections::HashMap;
use std::mem;
use std::ptr::NonNull;

/// The stubs of a heap. It keeps none of them alive.
#[derive(Default)]
pub(crate) struct Tags {
    /// Of young objects, by their addresses: each minor collection looks at these.
    pub(crate) young: HashMap<usize, NonNull<Header>, FixedState>,
    /// Of old ones: marks look at all.
    pub(crate) old: Shards<NonNull<Header>>,
    /// The stubs of old ones, one behind the other, so that a mark can look at them in pieces.
    pub(crate) listed: Rows<NonNull<Header>>,
    next: u64,
}

/// Whether an object lies in the nursery.
///
/// # Safety
///
/// It lies in a chunk.
unsafe fn is_young(object: NonNull<Header>) -> bool {
    // SAFETY: the caller's.
    unsafe { age_of(object.cast()) }.is_young()
}

/// What a new stub's heap has to do for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// To remember it (H5).
    Young,
    /// Nothing.
    Old,
}

impl Tags {
    /// The stub of an object, if it has one.
    pub(crate) fn of(&self, object: NonNull<Header>) -> Option<NonNull<Header>> {
        let at = object.addr().get();
        self.old.get(at).or_else(|| self.young.get(&at)).copied()
    }

    /// The number of the next stub.
    pub(super) fn next(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// An object has a stub.
    ///
    /// # Safety
    ///
    /// It is one of the heap's.
    pub(super) unsafe fn insert(
        &mut self,
        object: NonNull<Header>,
        stub: NonNull<Header>,
    ) -> Target {
        // SAFETY: the caller's.
        if unsafe { is_young(object) } {
            self.young.insert(object.addr().get(), stub);
            return Target::Young;
        }
        self.listed.push(stub);
        self.old.insert(object.addr().get(), stub);
        Target::Old
    }

    /// The nursery was emptied: stubs say where their targets are now.
    ///
    /// # Safety
    ///
    /// The caller is the heap's holder, and has gone through the stubs.
    pub(crate) unsafe fn nursery_emptied(&mut self) {
        if self.young.is_empty() {
            return;
        }
        #[cfg(test)]
        if is_planted(Planted::TagNotFollowed) {
            return;
        }
        for (_, stub) in mem::take(&mut self.young) {
            // SAFETY: the caller's: a stub whose target was young was remembered, and is there.
            unsafe { self.insert(Stub::target(stub), stub) };
        }
    }

    /// A mark has met all that is alive, as `is_alive` tells: looks at so many stubs, the last of
    /// the first `unsettled`, and says at how many. If fewer, that was all.
    ///
    /// # Safety
    ///
    /// Nothing was swept since that mark began.
    pub(crate) unsafe fn marked(
        &mut self,
        unsettled: &mut usize,
        most: usize,
        is_alive: impl Fn(NonNull<Header>) -> bool,
    ) -> usize {
        #[cfg(test)]
        if is_planted(Planted::TagTableStale) {
            return 0;
        }
        let until = *unsettled;
        *unsettled = until.saturating_sub(most);
        for place in (*unsettled..until).rev() {
            let stub = self.listed[place];
            if is_alive(stub) {
                continue;
            }
            // What comes in its place was looked at, or came since.
            self.listed.swap_remove(place);
            // SAFETY: the caller's: it lies there still.
            let at = unsafe { Stub::target(stub) }.addr().get();
            // The object may have another one since.
            if self.old.get(at) == Some(&stub) {
                self.old.remove(at);
            }
        }
        until - *unsettled
    }

    /// Whether nothing is tagged.
    pub(crate) fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }

    /// All stubs, with the addresses by which they are known.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, NonNull<Header>)> {
        let young = self.young.iter().map(|(&at, &stub)| (at, stub));
        young.chain(self.old.iter().map(|(at, &stub)| (at, stub)))
    }
}
