//! Why a message is refused, and what follows from that.

use super::envelope::Envelope;
use super::error::{AskError, NeverDispatched, Overloaded, Undelivered};
use super::options::Mailbox;
use super::reference::{AddressRef, CellRef};
use crate::failures::{Cause, Panic};
use crate::failures::{StopReason, WaitCycle};
use crate::interned::{Name, Place};
use crate::sync::Arc;
use std::fmt;

/// Why a message is refused.
pub(crate) struct Refusal {
    pub(crate) cell: CellRef,
    pub(super) why: Why,
}

pub(super) enum Why {
    /// Its actor has ended.
    Ended(StopReason),
    /// Its actor is being restarted, and does not keep its messages then.
    Restarted(StopReason),
    /// There was no place for it in the mailbox.
    Full(Mailbox),
    /// It closed a cycle of exclusive waits.
    WaitCycle(Arc<WaitCycle>),
    /// A synchronizer can never dispatch it, for this reason.
    Constrained(Arc<str>),
    /// Its guard has panicked.
    Panicked(Panic),
}

impl Refusal {
    /// The actor has ended.
    pub(crate) fn ended(cell: CellRef) -> Refusal {
        let why = Why::Ended(cell.ended().cloned().unwrap_or(StopReason::Stopped));
        Refusal { cell, why }
    }

    /// The actor is about to end.
    pub(crate) fn ending(cell: CellRef, reason: StopReason) -> Refusal {
        let why = Why::Ended(reason);
        Refusal { cell, why }
    }

    /// Its actor is being restarted.
    pub(crate) fn restarted(cell: CellRef, reason: StopReason) -> Refusal {
        let why = Why::Restarted(reason);
        Refusal { cell, why }
    }

    /// The cause under which it is counted.
    pub(crate) fn cause(&self) -> Cause {
        match &self.why {
            Why::Ended(_) => Cause::Ended,
            Why::Restarted(_) => Cause::Restarted,
            Why::Full(Mailbox::DropOldest(_)) => Cause::DroppedOldest,
            Why::Full(Mailbox::DropNewest(_)) => Cause::DroppedNewest,
            Why::Full(Mailbox::Reject(_) | Mailbox::BackPressure) => Cause::Rejected,
            Why::WaitCycle(_) => Cause::WaitCycle,
            Why::Constrained(_) => Cause::Constrained,
            Why::Panicked(_) => Cause::Ended,
        }
    }

    /// The actor's mailbox was full.
    pub(crate) fn full(cell: CellRef) -> Refusal {
        let why = Why::Full(cell.class.mailbox);
        Refusal { cell, why }
    }

    /// It closed a cycle of exclusive waits.
    pub(crate) fn wait_cycle(cell: CellRef, cycle: WaitCycle) -> Refusal {
        let why = Why::WaitCycle(Arc::new(cycle));
        Refusal { cell, why }
    }

    /// A synchronizer can never dispatch it.
    pub(crate) fn constrained(cell: CellRef, why: Arc<str>) -> Refusal {
        let why = Why::Constrained(why);
        Refusal { cell, why }
    }

    /// Its guard has panicked.
    pub(crate) fn panicked(cell: CellRef, panic: Panic) -> Refusal {
        let why = Why::Panicked(panic);
        Refusal { cell, why }
    }

    /// The error of its ask.
    pub(crate) fn error(&self, behaviour: Name, place: Place) -> AskError {
        let actor = self.cell.path();
        let undelivered = |reason: &StopReason| {
            Arc::new(Undelivered {
                actor: actor.clone(),
                behaviour,
                place,
                reason: reason.clone(),
            })
        };
        match &self.why {
            Why::Ended(reason) => AskError::Stopped(undelivered(reason)),
            Why::Restarted(reason) => AskError::Restarted(undelivered(reason)),
            Why::Full(mailbox) => AskError::Overloaded(Arc::new(Overloaded {
                actor,
                behaviour,
                place,
                mailbox: *mailbox,
            })),
            Why::WaitCycle(cycle) => AskError::WaitCycle(cycle.clone()),
            Why::Constrained(why) => AskError::Constrained(Arc::new(NeverDispatched {
                actor,
                behaviour,
                place,
                why: why.to_string(),
            })),
            Why::Panicked(panic) => AskError::Panicked(panic.clone()),
        }
    }

    /// Why its actor, or that incarnation of it, ended. A full mailbox is no reason for that, and
    /// neither is a cycle or a synchronizer.
    pub(crate) fn reason(&self) -> StopReason {
        match &self.why {
            Why::Ended(reason) | Why::Restarted(reason) => reason.clone(),
            Why::Panicked(panic) => StopReason::Panicked(panic.clone()),
            Why::Full(_) | Why::WaitCycle(_) | Why::Constrained(_) => StopReason::Stopped,
        }
    }
}

/// The next step after a promise is settled or a message is refused, followed in a loop (a
/// trampoline).
///
/// Settling one promise may release a message; the message may be refused, which settles the next
/// promise; and so on, as deep as the user's data. The stack must not grow with that depth (H12),
/// so each step returns the next one.
#[must_use = "what follows must be followed: `next.follow()`"]
pub(crate) enum Next {
    Nothing,
    /// A message to post.
    Deliver(Delivery),
    /// Another promise to settle.
    Settle(Box<dyn FnOnce() -> Next>),
}

/// A packed message and its receiver.
pub(crate) struct Delivery {
    pub(crate) to: AddressRef,
    pub(crate) envelope: Envelope,
}

/// A message to be sent later, packed when its alarm or its death watch was set.
pub(crate) enum DelayedMessage {
    /// It keeps its receiver alive.
    Strong(Delivery),
    /// It is sent if its receiver has an address then, and else dropped.
    Weak(CellRef, Envelope),
}

impl fmt::Debug for DelayedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (envelope, path) = match self {
            DelayedMessage::Strong(Delivery { to, envelope }) => (envelope, to.path()),
            DelayedMessage::Weak(cell, envelope) => (envelope, cell.path()),
        };
        write!(f, "{} to {path}", envelope.kind().name)
    }
}
