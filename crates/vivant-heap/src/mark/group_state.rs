//! [`GroupState`]: whether a group mark is open, as its members' marks see it.

use crate::sync::{Arc, AtomicU8, Ordering};

const OPEN: u8 = 0;
const CLOSING: u8 = 1;
const DISSOLVED: u8 = 2;
const COMMITTED: u8 = 3;

/// The state of a group mark, which all its members share.
#[derive(Clone)]
pub(crate) struct GroupState(Arc<AtomicU8>);

/// What a member's mark does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GroupPhase {
    /// It does not end, because another member may reach an object that this one has not marked.
    Open,
    /// As `Open`, while the members are asked one after the other whether they have marked
    /// everything. A turn that gives its mark more to do reopens the group mark.
    Closing,
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
        // Acquire: pairs with the release in `exchange`. A member that is taken up after the commit
        // sees what was done before it.
        match self.0.load(Ordering::Acquire) {
            OPEN => GroupPhase::Open,
            CLOSING => GroupPhase::Closing,
            DISSOLVED => GroupPhase::Dissolved,
            _ => GroupPhase::Committed,
        }
    }

    /// Lets each member's mark go on alone, unless the group mark was committed.
    pub(crate) fn dissolve(&self) {
        while self.is_open() {
            self.exchange(OPEN, DISSOLVED);
            self.exchange(CLOSING, DISSOLVED);
        }
    }

    /// The caller is about to ask all members whether they have marked everything.
    pub(crate) fn close(&self) {
        self.exchange(OPEN, CLOSING);
    }

    /// A mark is about to get an object to scan that it has not reached. Returns the phase from
    /// here on.
    pub(crate) fn reopen(&self) -> GroupPhase {
        self.exchange(CLOSING, OPEN);
        self.phase()
    }

    /// All members have marked everything, as they have said one after the other since
    /// [`GroupState::close`]. Returns the phase from here on: a member may have reopened or
    /// dissolved the group mark meanwhile.
    pub(crate) fn commit(&self) -> GroupPhase {
        self.exchange(CLOSING, COMMITTED);
        self.phase()
    }

    /// Whether the group mark is not decided: a member's mark may not end.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.phase(), GroupPhase::Open | GroupPhase::Closing)
    }

    fn exchange(&self, from: u8, to: u8) {
        // Release: pairs with the acquire in `phase`. Relaxed on failure: another exchange stands,
        // and nothing is read on the strength of this one.
        let _exchanged = self
            .0
            .compare_exchange(from, to, Ordering::Release, Ordering::Relaxed);
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
