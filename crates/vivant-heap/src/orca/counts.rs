//! [`Counts`]: a table of reference counts by object.

use super::count_audit::{Account, record};
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::segmented::linear_hash_map::LinearHashMap;
use crate::segmented::segmented_vec::SegmentedVec;
use std::mem;
use std::ptr::NonNull;

/// A table of reference counts by object, in order of arrival: no step follows the order of
/// addresses (R5).
#[repr(C)]
pub(crate) struct Counts {
    entries: SegmentedVec<Entry>,
    account: Account,
    /// The index of each object's entry, by the object's address.
    indices: LinearHashMap<u32>,
    /// The index of the last lookup. A run of deltas for one object looks it up again and again. A
    /// release visits objects in the order in which they arrived, which was the order of their
    /// notifications: then the next index is the right one.
    last: u32,
    /// The number of entries, counted from the first, that wait for the mark that runs or is
    /// complete. A touched entry among them counts as marked. They are all imports while a mark
    /// runs, and the exports that the mark has not taken as roots yet.
    pending: usize,
}

/// The count of one object.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) object: NonNull<Header>,
    /// For an export: below zero as long as an INC lies in the inbox and references that needed it
    /// have come back.
    pub(crate) count: i64,
    /// For an export: the part of the count that members of a group mark have, as far as it has
    /// added them up. It means nothing outside of a group mark.
    internal: u32,
    /// Whether the present or last mark has marked it.
    pub(crate) mark: ImportMark,
}

/// Whether a mark has reached a foreign object, or has an export as a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ImportMark {
    Unmarked,
    /// The heap needs it, or it was touched since the beginning of a concurrent mark.
    Marked,
    /// An export that a group mark does not have as a root: its members have all of the count.
    Withheld,
}

/// Which exports are roots of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Roots {
    /// All that another heap or a parcel counts.
    Counted,
    /// In a group mark: those of which its members do not have all of the count.
    CountedOutside,
}

impl Counts {
    /// End of the fields that each turn reads: past the length of `entries`.
    pub(crate) const EACH_TURN: usize = mem::offset_of!(Counts, entries) + size_of::<usize>();

    /// An empty table.
    pub(crate) fn new(account: Account) -> Counts {
        Counts {
            account,
            entries: SegmentedVec::default(),
            indices: LinearHashMap::default(),
            last: 0,
            pending: 0,
        }
    }

    /// The count of an object; zero if it has no entry yet.
    #[inline]
    pub(crate) fn get(&mut self, object: NonNull<Header>) -> i64 {
        self.entry(object).count
    }

    /// Adds `by` to the count of an object.
    ///
    /// # Panics
    ///
    /// There are 2³² entries.
    #[inline]
    pub(crate) fn add(&mut self, object: NonNull<Header>, by: i64) {
        self.change(object, |count| count + by);
    }

    /// As `add`, for a delta that the count audit has already.
    pub(crate) fn add_recorded(&mut self, object: NonNull<Header>, by: i64) {
        self.entry(object).count += by;
        self.touch_last_entry();
    }

    /// Replaces the count of an object by `to` of that count.
    ///
    /// # Panics
    ///
    /// As `add`.
    #[inline]
    pub(crate) fn change(&mut self, object: NonNull<Header>, to: impl FnOnce(i64) -> i64) {
        let account = self.account;
        let entry = self.entry(object);
        let after = to(entry.count);
        record(account, object, after - entry.count);
        entry.count = after;
        self.touch_last_entry();
    }

    /// Touches the entry of the last lookup.
    #[inline]
    fn touch_last_entry(&mut self) {
        let place = self.last as usize;
        #[cfg(test)]
        if self.account == Account::Imports
            && is_injected(InjectedFault::WhiteArrival)
            && self.pending != usize::MAX
        {
            return;
        }
        if place < self.pending && self.entries[place].mark == ImportMark::Unmarked {
            self.entries[place].mark = ImportMark::Marked;
        }
    }

    /// A concurrent mark begins: an entry touched from here on counts as marked, also a new one.
    pub(crate) fn begin_mark(&mut self) {
        self.pending = usize::MAX;
    }

    /// The present entries wait for [`Counts::take_roots`] or [`Counts::filter_pending`]. As long
    /// as an entry waits, touching it counts as marking.
    pub(crate) fn set_pending(&mut self) {
        self.pending = self.entries.len();
    }

    /// Whether some entries wait.
    pub(crate) fn has_pending(&self) -> bool {
        self.pending != 0
    }

    /// Examines at most `most` of the waiting entries, from the last. Takes the objects that are
    /// roots, or were touched since they wait. The others with a count are withheld.
    pub(crate) fn take_roots(
        &mut self,
        most: usize,
        roots: Roots,
        mut take: impl FnMut(NonNull<Header>),
    ) {
        let until = self.pending.min(self.entries.len());
        self.pending = until.saturating_sub(most);
        for place in self.pending..until {
            let entry = &mut self.entries[place];
            let is_root = match roots {
                Roots::Counted => entry.count != 0,
                Roots::CountedOutside => i64::from(entry.internal) != entry.count,
            };
            #[cfg(test)]
            let is_root = is_root
                && !(roots == Roots::CountedOutside && is_injected(InjectedFault::WithheldAtSight));
            let mark = mem::replace(&mut entry.mark, ImportMark::Unmarked);
            #[cfg(test)]
            let mark = match is_injected(InjectedFault::LateExport) {
                true => ImportMark::Unmarked,
                false => mark,
            };
            if is_root || mark != ImportMark::Unmarked {
                take(entry.object);
            } else if entry.count != 0 {
                entry.mark = ImportMark::Withheld;
            }
        }
    }

    /// Sets the internal parts of at most `most` counts to zero, beginning with that of the entry
    /// `from`. Returns their number.
    pub(crate) fn clear_internal(&mut self, from: usize, most: usize) -> usize {
        let until = self.entries.len().min(from.saturating_add(most));
        for place in from..until {
            self.entries[place].internal = 0;
        }
        until.saturating_sub(from)
    }

    /// Adds to the internal part of the count of an object, if it has an entry.
    pub(crate) fn add_internal(&mut self, object: NonNull<Header>, by: i64) {
        if self.contains(object) {
            let entry = self.entry(object);
            // A part that does not fit equals no count.
            let sum = i64::from(entry.internal).saturating_add(by);
            entry.internal = u32::try_from(sum).unwrap_or(u32::MAX);
        }
    }

    /// Whether the count of an object is not equal to its internal part.
    pub(crate) fn has_outside_part(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entry| i64::from(entry.internal) != entry.count)
    }

    /// At most `most` entries, beginning with `from`.
    pub(crate) fn range(&self, from: usize, most: usize) -> impl Iterator<Item = &Entry> {
        let until = self.entries.len().min(from.saturating_add(most));
        (from..until).map(|place| &self.entries[place])
    }

    /// A mark was aborted, or nothing is to be kept: no entry is marked.
    pub(crate) fn clear_marks(&mut self) {
        self.pending = 0;
        for entry in self.entries.iter_mut() {
            entry.mark = ImportMark::Unmarked;
        }
    }

    /// Examines at most `most` of the waiting entries: the last ones, in their order. `keep` may
    /// change an entry, and returns false to remove it. Returns the number examined; a smaller
    /// number than `most` means that none waits any more.
    pub(crate) fn filter_pending(
        &mut self,
        most: usize,
        mut keep: impl FnMut(&mut Entry) -> bool,
    ) -> usize {
        let until = self.pending;
        self.pending = until.saturating_sub(most);
        let mut removed = Vec::new();
        for place in self.pending..until {
            if !self.update_entry(place, &mut keep) {
                removed.push(place);
            }
        }
        for place in removed.into_iter().rev() {
            // The entry that takes its place was examined already, or arrived since.
            let entry = self.entries.swap_remove(place);
            self.indices.remove(entry.object.addr().get());
            if let Some(relocated) = self.entries.get(place) {
                let relocated = relocated.object.addr().get();
                self.indices.insert(relocated, place as u32);
            }
        }
        until - self.pending
    }

    /// Lets `keep` change an entry, and records the delta. Returns whether the entry stays.
    fn update_entry(&mut self, place: usize, keep: impl FnOnce(&mut Entry) -> bool) -> bool {
        let entry = &mut self.entries[place];
        let before = entry.count;
        let stays = keep(entry);
        let after = if stays { entry.count } else { 0 };
        record(self.account, entry.object, after - before);
        stays
    }

    /// Marks an object.
    pub(crate) fn mark(&mut self, object: NonNull<Header>) {
        self.entry(object).mark = ImportMark::Marked;
    }

    #[inline]
    fn entry(&mut self, object: NonNull<Header>) -> &mut Entry {
        let last = self.last as usize;
        let is_at = |place: usize| {
            let there = self.entries.get(place);
            there.is_some_and(|entry| entry.object == object)
        };
        if !is_at(last) {
            self.last = match is_at(last + 1) {
                true => self.last + 1,
                false => self.index_of(object),
            };
        }
        &mut self.entries[self.last as usize]
    }

    /// Whether an object has an entry.
    pub(crate) fn contains(&self, object: NonNull<Header>) -> bool {
        self.indices.get(object.addr().get()).is_some()
    }

    fn index_of(&mut self, object: NonNull<Header>) -> u32 {
        let next = u32::try_from(self.entries.len()).expect("too many shared objects for one heap");
        let place = *self.indices.or_insert(object.addr().get(), next);
        if place == next {
            self.entries.push(Entry {
                object,
                count: 0,
                internal: 0,
                mark: ImportMark::Unmarked,
            });
        }
        place
    }

    /// Changes entries, and removes those for which `keep` returns false.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&mut Entry) -> bool) {
        let (before, account) = (self.entries.len(), self.account);
        self.entries.retain_mut(|entry| {
            let count = entry.count;
            let stays = keep(entry);
            record(
                account,
                entry.object,
                if stays { entry.count - count } else { -count },
            );
            stays
        });
        if self.entries.len() == before {
            return;
        }
        self.indices = LinearHashMap::default();
        for (entry, place) in self.entries.iter().zip(0..) {
            self.indices.insert(entry.object.addr().get(), place);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}
