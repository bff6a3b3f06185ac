//! Epochs: what is alive has the present one, if no mark runs.

use super::{Fault, Verifier, check};
use crate::header::{Header, Table};
use crate::pages::chunk::state_of;
use crate::pages::page::Run;
use crate::sync::Ordering;
use std::ptr::NonNull;

impl Verifier<'_> {
    /// As many old objects have destructors as were counted.
    pub(super) fn destructors(&self) -> Result<(), Fault> {
        let of = |run: Run| {
            // SAFETY: the run is this heap's.
            let drops = unsafe { run.page() }.drops;
            drops
                .map(|word| word.count_ones() as usize)
                .iter()
                .sum::<usize>()
        };
        let all: usize = self.core.old.runs().map(of).sum();
        check(
            all == self.core.old.destructors,
            "H10",
            "a destructor is not counted",
            all,
        )
    }

    /// Whether an old object may be in a table, as far as its epoch tells: a mark that runs beside
    /// the turns need not have met all, nor have settled all.
    ///
    /// # Safety
    ///
    /// An object begins there.
    pub(super) unsafe fn may_live(&self, object: NonNull<Header>) -> bool {
        // SAFETY: the caller's. Relaxed: whatever a marker makes of it meanwhile.
        let state = unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
        state == self.core.old.epoch.0 || self.core.is_marking()
    }

    /// An old object that is reached: the last mark has met it, or it was born since; and the one
    /// that runs has gone through it if it was written since it began, or if all is met.
    pub(super) fn epoch(&self, object: NonNull<Header>, table: &Table) -> Result<(), Fault> {
        // SAFETY: whoever asks has seen that an object begins there. Relaxed: as above.
        let state = unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
        let at = object.addr().get();
        let marks = self.core.is_marking() && !self.core.is_settling();
        let written = self.remembered.contains(&at) && table.mutable && table.needs_trace;
        check(
            state == self.core.old.epoch.0 || (marks && !written),
            "H4",
            "it is reached, and has not the present epoch",
            at,
        )
    }
}
