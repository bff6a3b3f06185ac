//! [`Counts`]: how many references, by object.

use super::books::{Account, post};
use crate::header::Header;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::rows::Rows;
use crate::shards::Shards;
use std::mem;
use std::ptr::NonNull;

/// A count for each of some objects. In the order in which they came in: nothing is done in the
/// order of addresses (R5).
#[repr(C)]
pub(crate) struct Counts {
    entries: Rows<Entry>,
    account: Account,
    /// The place of each object's entry, by its address.
    places: Shards<u32>,
    /// The place that was last asked for. Who tells many of one object asks for it again and again;
    /// and whoever gives objects up does it in the order in which they came, which was that in
    /// which they were told of: then the next place is the right one.
    last: u32,
    /// So many entries, the first ones, wait for the mark that runs, or has met all: what is
    /// touched there is met by it. All imports, while it runs; the exports that it has not taken
    /// for roots yet.
    unsettled: usize,
}

/// The count of one object.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) object: NonNull<Header>,
    /// Of an export: below zero as long as an INC lies in the lane, and references that needed it
    /// have come back.
    pub(crate) count: i64,
    /// Whether the mark that runs, or was the last, has met it.
    pub(crate) met: Met,
}

/// What a mark knows of a foreign object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Met {
    NotYet,
    /// It is needed; or was touched since the mark began, which runs beside the turns.
    ByMark,
}

impl Counts {
    /// Where ends what each turn looks at: how many there are.
    pub(super) const EACH_TURN: usize = mem::offset_of!(Counts, entries) + size_of::<usize>();

    /// None yet.
    pub(crate) fn of(account: Account) -> Counts {
        Counts {
            account,
            entries: Rows::default(),
            places: Shards::default(),
            last: 0,
            unsettled: 0,
        }
    }

    /// What an object counts; nothing, if it is new.
    #[inline]
    pub(crate) fn of_object(&mut self, object: NonNull<Header>) -> i64 {
        self.entry(object).count
    }

    /// An object counts so many more, or fewer.
    ///
    /// # Panics
    ///
    /// There are four thousand million entries.
    #[inline]
    pub(crate) fn add(&mut self, object: NonNull<Header>, by: i64) {
        self.change(object, |count| count + by);
    }

    /// As `add`, of what is in the books already.
    pub(super) fn add_posted(&mut self, object: NonNull<Header>, by: i64) {
        self.entry(object).count += by;
        self.touch_last();
    }

    /// An object counts what `to` makes of its count.
    ///
    /// # Panics
    ///
    /// As `add`.
    #[inline]
    pub(crate) fn change(&mut self, object: NonNull<Header>, to: impl FnOnce(i64) -> i64) {
        let account = self.account;
        let entry = self.entry(object);
        let after = to(entry.count);
        post(account, object, after - entry.count);
        entry.count = after;
        self.touch_last();
    }

    /// The entry that was last asked for is touched.
    #[inline]
    fn touch_last(&mut self) {
        let place = self.last as usize;
        #[cfg(test)]
        if is_planted(Planted::WhiteArrival) && self.unsettled != usize::MAX {
            return;
        }
        if place < self.unsettled {
            self.entries[place].met = Met::ByMark;
        }
    }

    /// A mark begins beside the turns: what is touched from here on is met by it.
    pub(super) fn mark_begins(&mut self) {
        self.unsettled = usize::MAX;
    }

    /// Those entries that there are now wait for [`Counts::take`], or for [`Counts::marked`]; and
    /// as long as they do, what is touched is met.
    pub(super) fn wait(&mut self) {
        self.unsettled = self.entries.len();
    }

    /// Whether some wait.
    pub(super) fn have_some_that_wait(&self) -> bool {
        self.unsettled != 0
    }

    /// Looks at so many of the entries that wait, the last ones of them, and takes the objects of
    /// those that count, or have counted since they wait.
    pub(super) fn take(&mut self, most: usize, mut take: impl FnMut(NonNull<Header>)) {
        let until = self.unsettled;
        self.unsettled = until.saturating_sub(most);
        for place in self.unsettled..until {
            let entry = &mut self.entries[place];
            let met = mem::replace(&mut entry.met, Met::NotYet);
            #[cfg(test)]
            let met = if is_planted(Planted::LateExport) {
                Met::NotYet
            } else {
                met
            };
            if entry.count != 0 || met == Met::ByMark {
                take(entry.object);
            }
        }
    }

    /// A mark was given up, or nothing is to be kept: nothing is met.
    pub(super) fn forget_mark(&mut self) {
        self.unsettled = 0;
        for entry in self.entries.iter_mut() {
            entry.met = Met::NotYet;
        }
    }

    /// Looks at so many of the entries that wait, the last ones of them in their order, changes
    /// them, and forgets some. At how many: if fewer, that was all.
    pub(super) fn marked(
        &mut self,
        most: usize,
        mut keep: impl FnMut(&mut Entry) -> bool,
    ) -> usize {
        let until = self.unsettled;
        self.unsettled = until.saturating_sub(most);
        let mut gone = Vec::new();
        for place in self.unsettled..until {
            if !self.look_at(place, &mut keep) {
                gone.push(place);
            }
        }
        for place in gone.into_iter().rev() {
            // What comes in its place was looked at, or came since.
            let entry = self.entries.swap_remove(place);
            self.places.remove(entry.object.addr().get());
            if let Some(moved) = self.entries.get(place) {
                let moved = moved.object.addr().get();
                self.places.insert(moved, place as u32);
            }
        }
        until - self.unsettled
    }

    /// Changes an entry. Whether it stays.
    fn look_at(&mut self, place: usize, keep: impl FnOnce(&mut Entry) -> bool) -> bool {
        let entry = &mut self.entries[place];
        let before = entry.count;
        let kept = keep(entry);
        let after = if kept { entry.count } else { 0 };
        post(self.account, entry.object, after - before);
        kept
    }

    /// A mark meets an object.
    pub(crate) fn meet(&mut self, object: NonNull<Header>) {
        self.entry(object).met = Met::ByMark;
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
                false => self.place(object),
            };
        }
        &mut self.entries[self.last as usize]
    }

    /// Whether there is an entry of an object.
    pub(crate) fn has(&self, object: NonNull<Header>) -> bool {
        self.places.get(object.addr().get()).is_some()
    }

    fn place(&mut self, object: NonNull<Header>) -> u32 {
        let next = u32::try_from(self.entries.len()).expect("too many shared objects for one heap");
        let place = *self.places.or_insert(object.addr().get(), next);
        if place == next {
            self.entries.push(Entry {
                object,
                count: 0,
                met: Met::NotYet,
            });
        }
        place
    }

    /// Changes entries, and forgets some.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&mut Entry) -> bool) {
        let (before, account) = (self.entries.len(), self.account);
        self.entries.retain_mut(|entry| {
            let count = entry.count;
            let kept = keep(entry);
            post(
                account,
                entry.object,
                if kept { entry.count - count } else { -count },
            );
            kept
        });
        if self.entries.len() == before {
            return;
        }
        self.places = Shards::default();
        for (entry, place) in self.entries.iter().zip(0..) {
            self.places.insert(entry.object.addr().get(), place);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}
