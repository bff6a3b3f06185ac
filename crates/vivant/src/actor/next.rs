//! The next steps after a promise is settled or a message is refused, followed in a loop (a
//! trampoline).
//!
//! Settling one promise may release a message; the message may be refused, which settles the next
//! promise; and so on, as deep as the user's data. The stack must not grow with that depth (H12),
//! so each step returns the next one.

use super::envelope::Envelope;
use super::post::{Returned, To, post};
use super::reference::AddressRef;
use super::worker::Worker;
use crate::failures::catch;
use crate::failures::{Inside, Panic};

/// The next step.
#[must_use = "what follows must be followed: `next.follow()`"]
pub(crate) enum Next {
    Nothing,
    /// A message to post.
    Deliver(Delivery),
    /// Another promise to settle.
    Settle(Box<dyn FnOnce() -> Next>),
}

impl Next {
    /// Runs steps until none follows.
    pub(crate) fn follow(mut self) {
        loop {
            self = match self {
                Next::Nothing => return,
                Next::Settle(settle) => settle(),
                Next::Deliver(Delivery { to, envelope }) => match post(To::Owned(to), envelope) {
                    Ok(()) => return,
                    Err(returned) => bury(returned),
                },
            }
        }
    }
}

/// A message came too late for its actor, or found its mailbox full: makes it a dead letter, and
/// returns the error to the asker.
#[cold]
pub(crate) fn bury(returned: Returned<'_>) -> Next {
    let cell = returned.to.cell();
    let letters = &returned.to.system.dead_letters;
    letters.bury(cell, returned.envelope, returned.cause)
}

/// Runs user code that does not belong to the actor of this turn: a waker, or the drop of a refused
/// message or of an unwanted value. A panic of it is reported under `what`, and has no other effect
/// here.
pub(crate) fn for_others(what: &'static str, code: impl FnOnce()) {
    if let Err(caught) = catch(code) {
        Worker::with_current(|worker| {
            let panic = Panic::of(
                Inside {
                    actor: what.to_owned(),
                    behaviour: "-",
                },
                caught,
            );
            worker.system.reports.panicked(&panic);
        });
    }
}

/// A packed message and its receiver.
pub(crate) struct Delivery {
    pub(crate) to: AddressRef,
    pub(crate) envelope: Envelope,
}

impl Delivery {
    /// Posts the message; if the actor has ended it becomes a dead letter, and its ask fails.
    pub(crate) fn deliver(self) {
        Next::Deliver(self).follow();
    }
}
