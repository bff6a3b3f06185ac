//! [`GroupState`]: whether a group mark is open, as its members' marks see it.

use crate::sync::{Arc, AtomicU8, Ordering};

const OPEN: u8 = 0;
const DISSOLVED: u8 = 1;
const COMMITTED: u8 = 2;

/// The state of a group mark, which all its members share.
#[derive(Clone)]
pub(crate) struct GroupState(Arc<AtomicU8>);

/// What a member's mark does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GroupPhase {
    /// It does not end, because another member may reach an object that this one has not marked.
    Open,
    /// It goes on alone: it takes all exports as roots.
    Dissolved,
    /// All members have marked everything: what is not marked is unreachable.
    Committed,
}

impl GroupState {
    pub(crate) fn open() -> GroupState {
        GroupState(Arc::new(AtomicU8::new(OPEN)))
    }

    pub(crate) fn phase(&self) -> GroupPhase {
        // Acquire: pairs with the release in `decide`. A member that is taken up after the commit
        // sees what was done before it.
        match self.0.load(Ordering::Acquire) {
            OPEN => GroupPhase::Open,
            DISSOLVED => GroupPhase::Dissolved,
            _ => GroupPhase::Committed,
        }
    }

    /// Lets each member's mark go on alone, unless the group mark was committed.
    pub(crate) fn dissolve(&self) {
        self.decide(DISSOLVED);
    }

    /// The caller holds all members. Returns the phase from here on: a member may have dissolved
    /// the group before.
    pub(crate) fn commit(&self) -> GroupPhase {
        self.decide(COMMITTED);
        self.phase()
    }

    fn decide(&self, to: u8) {
        // Release: pairs with the acquire in `phase`. Relaxed on failure: the other decision
        // stands, and nothing is read on the strength of it.
        let _decided = self
            .0
            .compare_exchange(OPEN, to, Ordering::Release, Ordering::Relaxed);
    }

    /// Whether both are of the same group mark.
    pub(crate) fn is(&self, other: &GroupState) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A member's part in a group mark. A member that ends or aborts its mark drops it, which dissolves
/// the group.
pub(crate) struct GroupTicket(pub(crate) GroupState);

impl Drop for GroupTicket {
    fn drop(&mut self) {
        self.0.dissolve();
    }
}
