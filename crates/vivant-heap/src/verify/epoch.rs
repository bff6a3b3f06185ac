//! Epochs: what is alive has the present one, if no mark runs.

use super::{Fault, Verifier, check};
use crate::header::{Header, Table};
use crate::pages::chunk::state_of;
use crate::sync::Ordering;
use std::ptr::NonNull;

impl Verifier<'_> {
    /// Whether an old object may be alive, as far as its epoch tells: a mark that runs beside the turns need not have met all.
    ///
    /// # Safety
    ///
    /// An object begins there.
    pub(super) unsafe fn may_live(&self, object: NonNull<Header>) -> bool {
        // SAFETY: the caller's. Relaxed: whatever a marker makes of it meanwhile.
        let state = unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
        state == self.core.old.epoch.0 || self.core.is_marking()
    }

    /// An old object that is reached: the last mark has met it, or it was born since; and the one that runs has gone through it if it was written since it began.
    pub(super) fn epoch(&self, object: NonNull<Header>, table: &Table) -> Result<(), Fault> {
        // SAFETY: whoever asks has seen that an object begins there. Relaxed: as above.
        let state = unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
        let at = object.addr().get();
        let written = self.remembered.contains(&at) && table.mutable && table.needs_trace;
        check(
            state == self.core.old.epoch.0 || (self.core.is_marking() && !written),
            "H4",
            "it is reached, and has not the present epoch",
            at,
        )
    }
}
