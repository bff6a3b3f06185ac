//! Which bug is planted.

use crate::sync::Ordering;
use std::cell::Cell;

/// In `header.rs`, then in `slot.rs`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Flaw {
    None,
    BornRelaxed,
    OwnersDropRelaxed,
    LastLookRelaxed,
    QuickEndWithWeak,
    ClearedLate,
    MergeAcquires,
    MergeReleases,
    DropsKeepTheFlag,
    SharedDropRelaxed,
    LeavingIsMerged,
    LastWithoutFence,
    UpgradeOfMerged,
    UpgradeRelaxed,
    ProbeOnce,
    SoleByALook,
    TakeByALook,
    HoldRelaxed,
    LeaveRelaxed,
    LeaveWithoutALook,
    FreeWhileNamed,
    FlagOffTooLate,
    PushInSilence,
    RingAndGo,
    ProbesAtOnce,
    UnnameInSilence,
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

/// The order of the file, or a weaker one: Acquire where the merging is to lose its Release.
pub(super) fn or(flaw: Flaw, right: Ordering) -> Ordering {
    match (is(flaw), right) {
        (false, right) => right,
        (true, Ordering::AcqRel) => Ordering::Acquire,
        (true, _) => Ordering::Relaxed,
    }
}
