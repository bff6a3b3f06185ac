//! A cycle of exclusive waits: none of its requests can be answered.

use crate::interned::{Name, Place};
use std::fmt;

/// A cycle of actors that wait for each other exclusively. One of its requests has failed, so that
/// the others go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitCycle {
    /// Its edges in their order. Each waits for the actor of the next one, the last for that of the
    /// first. The last one is of the request that has failed.
    pub edges: Vec<WaitEdge>,
}

/// An actor that waits for a request which another one defers, because that one waits too.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitEdge {
    /// Path of the actor that waits.
    pub actor: String,
    /// Where in the source its wait began.
    pub waits_at: Place,
    /// Stable name of the behaviour that was asked for.
    pub behaviour: Name,
    /// Where in the source the request was made: by the actor that waits, or by an actor with an
    /// answer that depends on the request.
    pub asked_at: Place,
    /// Path of the actor that defers the request.
    pub deferred_by: String,
}

impl fmt::Display for WaitCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("actors wait for each other exclusively")?;
        for edge in &self.edges {
            write!(f, "\n  {edge}")?;
        }
        Ok(())
    }
}

impl fmt::Display for WaitEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WaitEdge {
            actor,
            waits_at,
            behaviour,
            asked_at,
            deferred_by,
        } = self;
        write!(
            f,
            "{actor} (waiting at {waits_at}) needs the answer of {behaviour} (asked at {asked_at}), \
             which {deferred_by} defers"
        )
    }
}
