//! Which bug is planted.

use crate::sync::Ordering;
use std::cell::Cell;

/// In `claim.rs`, then in `work_list.rs`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Flaw {
    None,
    Impatient,
    Unclaimed,
    ReleaseRelaxed,
    ClaimRelaxed,
    WaitRelaxed,
    LeavesFirst,
    NobodyCounts,
    RoundsOverlap,
    ClosesAtOnce,
    LeavesInSilence,
}

std::thread_local! {
    /// Loom runs all threads of a model on one.
    static FLAW: Cell<Flaw> = const { Cell::new(Flaw::None) };
}

/// From here on, in the model that runs.
pub(in super::super) fn plant(flaw: Flaw) {
    FLAW.set(flaw);
}

pub(super) fn is(flaw: Flaw) -> bool {
    FLAW.get() == flaw
}

/// The order of the file, or none.
pub(super) fn or(flaw: Flaw, right: Ordering) -> Ordering {
    if is(flaw) { Ordering::Relaxed } else { right }
}
