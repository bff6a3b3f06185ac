//! The outgoing references that an actor shows: what a detection pass collects of it.

use crate::candidates::ActorKey;
use std::fmt;

/// How much of an actor's outgoing references was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceCoverage {
    All,
    /// Without those in its heap: it has run since that was marked.
    Some,
    /// None that counts: user code panicked.
    Faulty,
}

/// The receiver of shown addresses; see [`TraceReferences`](crate::TraceReferences).
pub struct OutgoingReferences<'s>(&'s mut dyn FnMut(OutgoingReference));

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
        (self.0)(reference);
    }
}

impl fmt::Debug for OutgoingReferences<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutgoingReferences").finish_non_exhaustive()
    }
}

/// Passes every address that is shown to `body`.
pub(crate) fn known<T>(
    body: &mut dyn FnMut(OutgoingReference),
    show: impl FnOnce(&mut OutgoingReferences<'_>) -> T,
) -> T {
    show(&mut OutgoingReferences(body))
}
