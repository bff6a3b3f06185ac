//! The outgoing references that an actor shows: what a detection pass collects of it.

use crate::candidates::ActorKey;
use std::fmt;

/// How much of an actor's outgoing references was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceCoverage {
    All,
    /// Without those in its heap, because it has run since that was marked; or without those that
    /// an asking actor is about to set in a promise.
    Some,
    /// None that counts: user code panicked.
    Faulty,
}

/// The receiver of shown addresses; see [`TraceReferences`](crate::TraceReferences).
pub struct OutgoingReferences<'s> {
    each: &'s mut dyn FnMut(OutgoingReference),
    coverage: TraceCoverage,
}

/// The actor of an address that was shown.
#[derive(Clone, Copy)]
pub(crate) struct OutgoingReference {
    pub(crate) who: ActorKey,
    /// The number of its system.
    pub(crate) system: u64,
    /// Whether it may have outgoing references. An actor that has none ends by its count alone.
    pub(crate) is_traced: bool,
}

impl OutgoingReferences<'_> {
    pub(crate) fn take(&mut self, reference: OutgoingReference) {
        (self.each)(reference);
    }

    /// Some references are about to be shown, without a turn of the actor that shows them.
    pub(crate) fn are_unsettled(&mut self) {
        self.coverage = TraceCoverage::Some;
    }
}

impl fmt::Debug for OutgoingReferences<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutgoingReferences").finish_non_exhaustive()
    }
}

/// Passes every address that is shown to `body`.
pub(crate) fn known(
    body: &mut dyn FnMut(OutgoingReference),
    show: impl FnOnce(&mut OutgoingReferences<'_>) -> TraceCoverage,
) -> TraceCoverage {
    let mut seen = OutgoingReferences {
        each: body,
        coverage: TraceCoverage::All,
    };
    match show(&mut seen) {
        TraceCoverage::All => seen.coverage,
        partial => partial,
    }
}
