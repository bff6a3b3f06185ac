//! What a guard is evaluated for: a deferred message, or a combination of messages.

use crate::actor::{Envelope, JoinTable, KindTable, StateRef};

/// Limit of the guards evaluated in one line, or of one join, before the others have their turn.
pub(super) const EVALUATIONS_MAX: usize = if cfg!(test) { 4 } else { 64 };

/// What has a guard.
pub(crate) enum Guarded<'m> {
    Message(&'m Envelope),
    /// A message of each kind that the join takes, in its order.
    Combination(&'static JoinTable, &'m [&'m Envelope]),
}

impl Guarded<'_> {
    /// The kind of the turn that follows if the guard is true.
    pub(crate) fn kind(&self) -> &'static KindTable {
        match self {
            Guarded::Message(envelope) => envelope.kind(),
            Guarded::Combination(join, _) => join.kind,
        }
    }

    /// Returns the value of the guard.
    pub(crate) fn ready(&self, state: &mut StateRef<'_>) -> bool {
        match self {
            Guarded::Message(envelope) => envelope.ready(state),
            Guarded::Combination(join, messages) => (join.ready)(messages, state),
        }
    }
}

/// What follows a pass over many guards.
#[derive(PartialEq, Eq)]
pub(super) enum Restart {
    No,
    /// Another pass.
    Yes,
}
