//! [`Imports`]: how many references a heap has to the objects of others.

use super::books::{self, Account};
use super::counts::Counts;
use crate::header::Header;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use std::mem;
use std::ptr::NonNull;

/// What is received before it is added up, at most: 16 KiB. Less in tests, which are to get there.
const RECEIVED_MAX: usize = if cfg!(any(test, miri)) { 4 } else { 1024 };

/// Counts of foreign objects.
///
/// What is received is written down first, and added up when somebody needs to know: one cold line
/// for four messages, where a table is three for each in an actor that has not run for a while.
/// What a heap has not kept until its next mark never comes into the table.
#[repr(C)]
pub(crate) struct Imports {
    /// What is not in `counts` yet.
    received: Vec<Received>,
    counts: Counts,
}

/// References that came, each with a weight of one.
#[derive(Clone, Copy)]
struct Received {
    object: NonNull<Header>,
    count: i64,
}

impl Default for Imports {
    fn default() -> Imports {
        Imports {
            counts: Counts::of(Account::Imports),
            received: Vec::new(),
        }
    }
}

impl Imports {
    /// Where ends what each turn looks at.
    pub(super) const EACH_TURN: usize = mem::offset_of!(Imports, counts) + Counts::EACH_TURN;

    /// A reference has come, with a weight of one.
    #[inline]
    pub(crate) fn receive(&mut self, object: NonNull<Header>) {
        books::post(Account::Imports, object, 1);
        // Who is sent one thing, or two by turns, again and again, has one or two: it is not to
        // seem due for a mark.
        let again = self.received.iter_mut().rev().take(2);
        if let Some(before) = again.into_iter().find(|before| before.object == object) {
            before.count += 1;
            return;
        }
        if self.received.len() == RECEIVED_MAX {
            self.settle();
        }
        self.received.push(Received { object, count: 1 });
    }

    /// All of them, added up.
    pub(crate) fn settle(&mut self) -> &mut Counts {
        for Received { object, count } in self.received.drain(..) {
            self.counts.add_posted(object, count);
        }
        &mut self.counts
    }

    /// A mark begins beside the turns: what comes from here on, or is sent on, is not given up at
    /// its end (H6).
    pub(crate) fn mark_begins(&mut self) {
        #[cfg(test)]
        if is_planted(Planted::WhiteImport) {
            return;
        }
        self.settle().mark_begins();
    }

    /// The next mark knows nothing of the last one, which may have been given up.
    pub(crate) fn forget_mark(&mut self) {
        self.settle().forget_mark();
    }

    /// Those that are added up already, for a mark at once: the rest is left to [`Imports::met`].
    pub(crate) fn counted(&mut self) -> &mut Counts {
        &mut self.counts
    }

    /// A mark at once has met all that is needed, and has made entries for it: what was received of
    /// the rest is needed no more, and `given_up`.
    pub(crate) fn met(&mut self, mut given_up: impl FnMut(NonNull<Header>, i64)) -> &mut Counts {
        for Received { object, count } in self.received.drain(..) {
            #[cfg(test)]
            if is_planted(Planted::ForgottenMeeting) {
                books::post(Account::Imports, object, -count);
                given_up(object, count);
                continue;
            }
            if self.counts.has(object) {
                self.counts.add_posted(object, count);
            } else {
                books::post(Account::Imports, object, -count);
                given_up(object, count);
            }
        }
        &mut self.counts
    }

    /// All of them, as they are: an object may come more than once.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NonNull<Header>, i64)> {
        let counted = self
            .counts
            .iter()
            .map(|import| (import.object, import.count));
        let received = self.received.iter().map(|it| (it.object, it.count));
        counted.chain(received)
    }

    /// How many objects there are; one that was received a moment ago may be counted more than
    /// once.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.counts.len() + self.received.len()
    }
}
