//! [`EdgeSnapshot`]: the addresses in a heap's objects, as a mark has traced them while the actor
//! was idle.

use crate::actor::{OutgoingReference, OutgoingReferences, TraceCoverage};
use crate::failures::catch;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use std::any::Any;

/// The addresses that a mark has traced, and the turn number at that time.
#[derive(Default)]
pub(super) struct EdgeSnapshot {
    outgoing_references: Vec<OutgoingReference>,
    /// Number of turns run before the mark. If it is unchanged, so are the heap's addresses.
    turns: u64,
}

impl EdgeSnapshot {
    /// Takes the snapshot after `turns` turns. `mark` passes each object that it marks to the
    /// function that it receives. If an object's code panics the snapshot is empty: the actors that
    /// this one refers to then count as referenced from outside.
    pub(super) fn take(turns: u64, mark: impl FnOnce(&mut dyn FnMut(&dyn Any))) -> EdgeSnapshot {
        let mut outgoing_references = Vec::new();
        let mut take = |held: &dyn Any| outgoing_references.extend(OutgoingReference::held(held));
        if catch(|| mark(&mut take)).is_err() {
            outgoing_references.clear();
        }
        EdgeSnapshot {
            outgoing_references,
            turns,
        }
    }

    /// Whether no turn has run since the snapshot, so that a mark would find the same now.
    pub(super) fn is_current(&self, turns: u64) -> bool {
        #[cfg(test)]
        if is_planted(InjectedFault::StaleEdgeSnapshot) {
            return self.turns != 0;
        }
        self.turns == turns
    }

    pub(super) fn list_into(&self, seen: &mut OutgoingReferences<'_>) -> TraceCoverage {
        self.outgoing_references
            .iter()
            .for_each(|one| seen.take(*one));
        TraceCoverage::All
    }
}
