//! [`TagTable`]: the tag table, from tagged objects to their tag entries.

use super::tag_entry::TagEntry;
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::chunk::age_of;
use crate::segmented::hasher::FixedState;
use crate::segmented::linear_hash_map::LinearHashMap;
use crate::segmented::segmented_vec::SegmentedVec;
use std::collections::HashMap;
use std::mem;
use std::ptr::NonNull;

/// The tag table of a heap. It is weak: it keeps no tag entry alive.
#[derive(Default)]
pub(crate) struct TagTable {
    /// Entries of young objects, by address: each minor collection visits these.
    pub(crate) young: HashMap<usize, NonNull<Header>, FixedState>,
    /// Entries of old objects, by address: marks visit all of them.
    pub(crate) old: LinearHashMap<NonNull<Header>>,
    /// The entries of old objects as a list, so that a mark can visit them in pieces.
    pub(crate) listed: SegmentedVec<NonNull<Header>>,
    next: u64,
}

/// Whether an object lies in the nursery.
///
/// # Safety
///
/// It lies in a chunk.
unsafe fn is_young(object: NonNull<Header>) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { age_of(object.cast()) }.is_young()
}

/// What a heap has to do with a new tag entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// Remember it, because its target is young (H5).
    Young,
    /// Nothing.
    Old,
}

impl TagTable {
    /// The tag entry of an object, if it has one.
    pub(crate) fn of(&self, object: NonNull<Header>) -> Option<NonNull<Header>> {
        let at = object.addr().get();
        self.old.get(at).or_else(|| self.young.get(&at)).copied()
    }

    /// Returns the number for the next tag entry.
    pub(crate) fn next(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// Adds the tag entry of an object.
    ///
    /// # Safety
    ///
    /// The object belongs to the heap.
    pub(crate) unsafe fn insert(
        &mut self,
        object: NonNull<Header>,
        tag_entry: NonNull<Header>,
    ) -> Target {
        // SAFETY: guaranteed by the caller.
        if unsafe { is_young(object) } {
            self.young.insert(object.addr().get(), tag_entry);
            return Target::Young;
        }
        self.listed.push(tag_entry);
        self.old.insert(object.addr().get(), tag_entry);
        Target::Old
    }

    /// Adds the tag entry of an old object, which has its number.
    ///
    /// # Safety
    ///
    /// Both belong to the heap, which is being made of an image.
    pub(crate) unsafe fn restore(&mut self, object: NonNull<Header>, tag_entry: NonNull<Header>) {
        // SAFETY: the caller's contract (X1).
        let behind = unsafe { TagEntry::number(tag_entry) }.saturating_add(1);
        #[cfg(test)]
        let behind = match is_injected(InjectedFault::RestoredTagNumber) {
            true => 0,
            false => behind,
        };
        self.next = self.next.max(behind);
        #[cfg(test)]
        if is_injected(InjectedFault::RestoredTagRow) {
            return;
        }
        // SAFETY: the caller's contract (X1).
        unsafe { self.insert(object, tag_entry) };
    }

    /// The nursery was emptied: updates the keys, because the tag entries name their targets' new
    /// addresses.
    ///
    /// # Safety
    ///
    /// The caller is the heap's holder, and has scanned the tag entries.
    pub(crate) unsafe fn nursery_emptied(&mut self) {
        if self.young.is_empty() {
            return;
        }
        #[cfg(test)]
        if is_injected(InjectedFault::TagNotFollowed) {
            return;
        }
        for (_, tag_entry) in mem::take(&mut self.young) {
            // SAFETY: guaranteed by the caller: a tag entry with a young target was remembered, so
            // it is live.
            unsafe { self.insert(TagEntry::target(tag_entry), tag_entry) };
        }
    }

    /// Removes dead tag entries after a mark; `is_marked` is its result. Visits at most
    /// `most` entries, the last of the first `pending`, and returns the number visited. If that
    /// is less than `most`, all are visited.
    ///
    /// # Safety
    ///
    /// Nothing was swept since that mark began.
    pub(crate) unsafe fn drop_unmarked(
        &mut self,
        pending: &mut usize,
        most: usize,
        is_marked: impl Fn(NonNull<Header>) -> bool,
    ) -> usize {
        #[cfg(test)]
        if is_injected(InjectedFault::TagTableStale) {
            return 0;
        }
        let until = *pending;
        *pending = until.saturating_sub(most);
        for place in (*pending..until).rev() {
            let tag_entry = self.listed[place];
            if is_marked(tag_entry) {
                continue;
            }
            // The entry that takes its place was visited, or was added later.
            self.listed.swap_remove(place);
            // SAFETY: guaranteed by the caller: nothing was swept, so the entry still exists.
            let at = unsafe { TagEntry::target(tag_entry) }.addr().get();
            // The object may have another tag entry by now.
            if self.old.get(at) == Some(&tag_entry) {
                self.old.remove(at);
            }
        }
        until - *pending
    }

    /// Cuts the targets of tag entries, and removes the entries: of all young objects, and of at
    /// most `most` old ones. `cuts` gets each entry. Returns the number of entries.
    ///
    /// # Safety
    ///
    /// The heap has no turns any more, the caller is its holder, and no mark of it runs.
    pub(crate) unsafe fn cut_targets(
        &mut self,
        most: usize,
        mut cuts: impl FnMut(NonNull<Header>),
    ) -> usize {
        let young = mem::take(&mut self.young);
        let mut entries = young.len();
        for tag_entry in young.into_values() {
            // SAFETY: the caller's contract (X1); a tag entry with a young target is live.
            unsafe { TagEntry::cut_target(tag_entry) };
            cuts(tag_entry);
        }
        while entries < most
            && let Some(tag_entry) = self.listed.pop()
        {
            // SAFETY: the caller's contract (X1). An entry in the table has not been freed: rows of
            // dead entries are removed before these are swept.
            unsafe {
                self.old.remove(TagEntry::target(tag_entry).addr().get());
                TagEntry::cut_target(tag_entry);
            }
            cuts(tag_entry);
            entries += 1;
        }
        entries
    }

    /// Whether nothing is tagged.
    pub(crate) fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }

    /// All tag entries, with the addresses that are their keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, NonNull<Header>)> {
        let young = self.young.iter().map(|(&at, &tag_entry)| (at, tag_entry));
        young.chain(self.old.iter().map(|(at, &tag_entry)| (at, tag_entry)))
    }
}
