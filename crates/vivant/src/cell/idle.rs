//! An actor that nobody runs, held by the detector for a moment: looked at, condemned, let go or
//! ended.

use super::{CellRef, Life, Runnable, Signals, StateRef, Verdict};
use crate::mailbox::{Grasped, Parked};
use crate::unreachable::{Acquaintances, Sight};
use std::ops::Deref;
use vivant_heap::Sharer;

/// The right to touch an actor that was parked (C1). Whoever has it is the actor's holder, runs
/// none of its messages, and must let it go or end it.
#[must_use = "an actor that is not let go will never run again"]
pub(crate) struct Idle(Runnable);

/// Why an actor cannot be held now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Occupied {
    /// It runs, or waits for its run.
    Active,
    Ended,
}

/// What keeps an actor that is idle, whoever has addresses of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pin {
    /// Messages wait for it: it is muted, or they have just come.
    Messages,
    /// It has a supervisor.
    Supervised,
}

impl CellRef {
    /// Holds the actor, if nobody runs it.
    pub(crate) fn hold_idle(&self) -> Result<Idle, Occupied> {
        match self.inbox.grasp() {
            // SAFETY: the inbox was parked, and this call has made it active; the pointer is that
            // of the whole cell.
            Grasped::Yes => Ok(Idle(unsafe { Runnable::new(self.as_ptr()) })),
            Grasped::Active => Err(Occupied::Active),
            Grasped::Closed => Err(Occupied::Ended),
        }
    }
}

impl Idle {
    /// What keeps it, as far as it shows in the actor itself.
    pub(crate) fn pin(&self) -> Option<Pin> {
        // SAFETY: C1: this is the only right to touch the owner part, and it is not written here.
        let owner = unsafe { &*self.0.owner.get() };
        if owner.life != Life::Running || owner.child().is_some() {
            return Some(Pin::Supervised);
        }
        let nothing_waits = owner.backlog.is_empty()
            && owner.steps == super::Steps::None
            && !owner.guards.are_unseen()
            && self.0.inbox.is_empty();
        (!nothing_waits).then_some(Pin::Messages)
    }

    /// Shows all addresses in its state that can be seen, each once, and those in its heap as they
    /// were seen last.
    pub(crate) fn acquaintances(&mut self, seen: &mut Acquaintances<'_>) -> Sight {
        // SAFETY: C1: this is the only right to touch the state, borrowed exclusively while the
        // `StateRef` exists.
        let mut state = unsafe { StateRef::new(self.0.as_ptr()) };
        (self.0.class.acquaintances)(&mut state, seen)
    }

    /// Hands its heap to `body`, if it has one.
    pub(crate) fn sharer(&mut self, body: &mut dyn FnMut(&mut dyn Sharer)) {
        // SAFETY: as in `acquaintances`.
        let mut state = unsafe { StateRef::new(self.0.as_ptr()) };
        (self.0.class.sharer)(&mut state, body);
    }

    /// Condemns it, if it has exactly so many addresses and nothing was sent through others (U3,
    /// U4).
    pub(crate) fn condemn(&self, addresses: u32) -> Verdict {
        if self.0.condemn(addresses) == Verdict::Free {
            return Verdict::Free;
        }
        // After the count: what was sent through an address that is gone is here (C4).
        if self.0.inbox.is_empty() {
            return Verdict::Condemned;
        }
        self.0.pardon();
        Verdict::Free
    }

    /// It was condemned, but not all were.
    pub(crate) fn pardon(&self) {
        self.0.pardon();
    }

    /// Parks it again, or puts it into a run queue if something has come.
    pub(crate) fn let_go(self) {
        match self.0.inbox.park() {
            Parked::Yes => {}
            Parked::Again => {
                let system = self.0.system.clone();
                system.schedule(self.0);
            }
        }
    }

    /// It was condemned for good: it ends in the run that the caller owes it.
    pub(crate) fn ends(self) -> Runnable {
        self.0.signals.raise(Signals::UNREACHABLE);
        self.0
    }
}

impl Deref for Idle {
    type Target = super::Header;
    fn deref(&self) -> &super::Header {
        &self.0
    }
}
