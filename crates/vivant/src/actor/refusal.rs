//! Why a message is refused.

use super::error::{AskError, Overloaded, Undelivered};
use super::next::for_others;
use super::options::Mailbox;
use super::reference::CellRef;
use crate::failures::Cause;
use crate::failures::StopReason;
use crate::sync::Arc;
use std::cell::Cell;
use std::panic::Location;

/// Why a message is refused.
pub(crate) struct Refusal {
    pub(crate) cell: CellRef,
    why: Why,
}

enum Why {
    /// Its actor has ended.
    Ended(StopReason),
    /// Its actor is being restarted, and does not keep its messages then.
    Restarted(StopReason),
    /// There was no place for it in the mailbox.
    Full(Mailbox),
}

/// Limit of nested drops: a message's drop may send another message, to a mailbox that is full as
/// well, and so on. Beyond this depth the content of such a message is leaked instead of dropped.
const DROPS_DEEP_MAX: u32 = 32;

thread_local! {
    /// Number of nested drops of refused messages on this thread.
    static DROPS_DEEP: Cell<u32> = const { Cell::new(0) };
}

impl Refusal {
    /// The actor has ended.
    pub(crate) fn ended(cell: CellRef) -> Refusal {
        let why = Why::Ended(cell.ended().cloned().unwrap_or(StopReason::Stopped));
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
        }
    }

    /// The actor's mailbox was full.
    pub(crate) fn full(cell: CellRef) -> Refusal {
        let why = Why::Full(cell.class.mailbox);
        Refusal { cell, why }
    }

    /// The error of its ask.
    pub(crate) fn error(
        &self,
        behaviour: &'static str,
        place: &'static Location<'static>,
    ) -> AskError {
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
        }
    }

    /// Why its actor, or that incarnation of it, ended. A full mailbox is no reason for that.
    pub(crate) fn reason(&self) -> StopReason {
        match &self.why {
            Why::Ended(reason) | Why::Restarted(reason) => reason.clone(),
            Why::Full(_) => StopReason::Stopped,
        }
    }

    /// Drops the message's content: user code.
    pub(crate) fn drop_content<C>(&self, content: C) {
        if !matches!(self.why, Why::Full(_)) {
            return for_others("the drop of a refused message", || drop(content));
        }
        let deep = DROPS_DEEP.get();
        DROPS_DEEP.set(deep + 1);
        for_others("the drop of a message to a full mailbox", || {
            if deep < DROPS_DEEP_MAX {
                return drop(content);
            }
            std::mem::forget(content);
            panic!(
                "the drops of {DROPS_DEEP_MAX} messages to full mailboxes each sent another one: the last is not dropped"
            );
        });
        DROPS_DEEP.set(deep);
    }
}
