//! Exclusive waits: an actor that waits for a promise before it takes further messages (T7; see
//! `wait_for/README.md`).

use crate::failures::StopReason;
use crate::interned::Place;

/// The number of a wait. No two waits of a system have the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct WaitNumber(pub(crate) u64);

/// A wait for a promise.
#[derive(Clone, Copy)]
pub(crate) struct ExclusiveWait {
    pub(crate) number: WaitNumber,
    pub(crate) purpose: WaitPurpose,
    /// Where in the source it began.
    pub(crate) place: Place,
}

/// What the actor waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WaitPurpose {
    /// A reply that a turn asked for.
    Reply,
    /// The promise of its start function: only then has it started.
    Start,
    /// The promise of its stop hook: only then does it end.
    Stop,
}

/// What follows when the promise of a stop hook has settled.
pub(crate) struct StopWait {
    pub(crate) reason: StopReason,
    pub(crate) then: AfterStop,
}

/// Whether an actor ends after its stop hook, or waits for its supervisor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AfterStop {
    Ends,
    GoesDown,
}
