//! What follows when a promise is settled or a message refused, followed in a loop.
//!
//! Settling one promise may release a message; the message may be refused, which settles the next
//! promise; and so on for as long as the user's data is deep. The stack must not be as deep as that
//! (H12), so each step returns the next one.

use crate::call::Delivery;
use crate::cell::catch;
use crate::error::{Inside, Panic};
use crate::mailbox::{Returned, To, post};
use crate::scheduler::Worker;

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
    /// Takes steps until nothing follows.
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

/// A message came too late for its actor, or found its mailbox full: it is a dead letter, and
/// whoever waits for its answer is told.
#[cold]
pub(crate) fn bury(returned: Returned<'_>) -> Next {
    let cell = returned.to.cell();
    let letters = &returned.to.system.dead_letters;
    letters.bury(cell, returned.envelope, returned.cause)
}

/// Runs code that belongs to somebody else than the one whose turn this is: a waker, the drop of a
/// message that is refused or of a value that nobody takes. If it panics that is reported under
/// `what`, and costs nobody here anything.
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
