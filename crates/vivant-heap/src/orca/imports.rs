//! [`Imports`]: the counts of foreign objects, a heap's foreign reference counts (FRC).

use super::count_audit::{self, Account};
use super::counts::Counts;
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use std::mem;
use std::ptr::NonNull;

/// Maximum number of received references before they are added up: 16 KiB. Less in tests, so that
/// they reach it.
const RECEIVED_MAX: usize = if cfg!(any(test, miri)) { 4 } else { 1024 };

/// Counts of foreign objects.
///
/// Received references are appended to a list, and added to the table when a count is needed. In an
/// actor that has not run for a while the list costs one cold cache line for four messages; the
/// table costs three for each. A reference that the heap has not kept until its next mark never
/// enters the table.
#[repr(C)]
pub(crate) struct Imports {
    /// Received references that are not in `counts` yet.
    received: Vec<ReceivedReference>,
    counts: Counts,
}

/// Received references to one object, each with a weight of one.
#[derive(Clone, Copy)]
struct ReceivedReference {
    object: NonNull<Header>,
    count: i64,
}

impl Default for Imports {
    fn default() -> Imports {
        Imports {
            counts: Counts::new(Account::Imports),
            received: Vec::new(),
        }
    }
}

impl Imports {
    /// End of the fields that each turn reads.
    pub(crate) const EACH_TURN: usize = mem::offset_of!(Imports, counts) + Counts::EACH_TURN;

    /// Records a received reference, with a weight of one.
    #[inline]
    pub(crate) fn receive(&mut self, object: NonNull<Header>) {
        count_audit::record(Account::Imports, object, 1);
        // A heap that receives one object, or two alternating ones, again and again has one or two
        // entries: its list must not make a mark seem due.
        let again = self.received.iter_mut().rev().take(2);
        if let Some(before) = again.into_iter().find(|before| before.object == object) {
            before.count += 1;
            return;
        }
        if self.received.len() == RECEIVED_MAX {
            self.add_received();
        }
        self.received.push(ReceivedReference { object, count: 1 });
    }

    /// Adds all received references to the table, and returns the table.
    pub(crate) fn add_received(&mut self) -> &mut Counts {
        for ReceivedReference { object, count } in self.received.drain(..) {
            self.counts.add_recorded(object, count);
        }
        &mut self.counts
    }

    /// A concurrent mark begins: an import received or sent on from here on is not released at its
    /// end (H6).
    pub(crate) fn begin_mark(&mut self) {
        #[cfg(test)]
        if is_injected(InjectedFault::WhiteImport) {
            return;
        }
        self.add_received().begin_mark();
    }

    /// Clears the marks of the last mark, which may have been aborted.
    pub(crate) fn clear_marks(&mut self) {
        self.add_received().clear_marks();
    }

    /// The references added up so far, for a stop-the-world mark; [`Imports::finish_mark`] handles
    /// the others.
    pub(crate) fn table(&mut self) -> &mut Counts {
        &mut self.counts
    }

    /// A stop-the-world mark is complete, and has made entries for all objects that it needs.
    /// Received references to other objects are not needed any more: they are passed to `release`.
    pub(crate) fn finish_mark(
        &mut self,
        mut release: impl FnMut(NonNull<Header>, i64),
    ) -> &mut Counts {
        for ReceivedReference { object, count } in self.received.drain(..) {
            #[cfg(test)]
            if is_injected(InjectedFault::ForgottenImportMark) {
                count_audit::record(Account::Imports, object, -count);
                release(object, count);
                continue;
            }
            if self.counts.contains(object) {
                self.counts.add_recorded(object, count);
            } else {
                count_audit::record(Account::Imports, object, -count);
                release(object, count);
            }
        }
        &mut self.counts
    }

    /// All counts in both parts: an object may appear more than once.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NonNull<Header>, i64)> {
        let added = self
            .counts
            .iter()
            .map(|import| (import.object, import.count));
        let received = self.received.iter().map(|it| (it.object, it.count));
        added.chain(received)
    }

    /// The number of objects; a recently received one may be counted more than once.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.counts.len() + self.received.len()
    }
}
