//! Checks of epochs: if no mark runs, live objects have the present one.

use super::{Verifier, check};
use crate::alloc::header::Header;
use crate::fault::Fault;
use crate::object::table::Table;
use crate::pages::chunk::state_of;
use crate::pages::page::Span;
use crate::sync::Ordering;
use std::ptr::NonNull;

impl Verifier<'_> {
    /// Checks that the number of old objects with destructors equals its count.
    pub(super) fn destructors(&self) -> Result<(), Fault> {
        let of = |span: Span| {
            // SAFETY: the span is this heap's.
            let drops = unsafe { span.page() }.drops;
            drops
                .map(|word| word.count_ones() as usize)
                .iter()
                .sum::<usize>()
        };
        let all: usize = self.core.old.spans().map(of).sum();
        check(
            all == self.core.old.destructors,
            "H10",
            "a destructor is not counted",
            all,
        )
    }

    /// Whether an old object may be in a table, by its epoch: a concurrent mark need
    /// not be complete, nor terminated.
    ///
    /// # Safety
    ///
    /// An object begins there.
    pub(super) unsafe fn may_live(&self, object: NonNull<Header>) -> bool {
        // SAFETY: the caller's contract. Relaxed: a marker may change the state meanwhile; any
        // value of it is accepted.
        let state = unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
        state == self.core.old.epoch.0 || self.core.is_marking() || self.core.mark_aborted
    }

    /// Checks a reachable old object: the last mark has marked it, or it was born since. A running
    /// mark has scanned it if it was written since the mark began, and if the mark is complete. An
    /// aborted mark leaves two epochs, until the next mark begins.
    pub(super) fn epoch(&self, object: NonNull<Header>, table: &Table) -> Result<(), Fault> {
        // SAFETY: the caller has checked that an object begins there. Relaxed: a marker may change
        // the state meanwhile; any value of it is accepted.
        let state = unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
        let at = object.addr().get();
        let marks = self.core.is_marking() && !self.core.is_terminating_mark();
        let written = self.remembered.contains(&at) && table.mutable && table.needs_trace;
        check(
            state == self.core.old.epoch.0 || (marks && !written) || self.core.mark_aborted,
            "H4",
            "it is reached, and has not the present epoch",
            at,
        )
    }
}
