//! A sender outside the actors that waits until a mailbox has room.

use crate::sync::{Arc, Mutex, lock};
use std::task::{Context, Poll, Waker};

/// The state that an offer shares with the mailbox that it waits for.
pub(crate) struct WaitingSender(Mutex<Standing>);

enum Standing {
    Waits(Option<Waker>),
    /// It was notified: its place is reserved, where the mailbox has places, or its actor has
    /// ended.
    Admitted,
    /// The offer was dropped, or has seen the notification.
    Gone,
}

/// Whether a waiting sender was admitted.
#[must_use]
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Admission {
    Admitted,
    /// It does not wait any more: its place belongs to the next waiting sender.
    Gone,
}

impl WaitingSender {
    pub(crate) fn new() -> Arc<WaitingSender> {
        Arc::new(WaitingSender(Mutex::new(Standing::Waits(None))))
    }

    /// Admits the sender: there is room now. The caller wakes it, by `admit`.
    pub(crate) fn admitted(&self) -> (Admission, Option<Waker>) {
        let mut standing = lock(&self.0);
        let waker = match &mut *standing {
            Standing::Waits(waker) => waker.take(),
            Standing::Admitted | Standing::Gone => return (Admission::Gone, None),
        };
        *standing = Standing::Admitted;
        (Admission::Admitted, waker)
    }

    /// Returns `Ready` once it was notified.
    pub(crate) fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        // Cloned before and dropped after the lock is held: both are user code.
        let waker = context.waker().clone();
        let mut standing = lock(&self.0);
        let before = match &mut *standing {
            Standing::Waits(place) => place.replace(waker),
            Standing::Admitted | Standing::Gone => {
                *standing = Standing::Gone;
                return Poll::Ready(());
            }
        };
        drop(standing);
        drop(before);
        Poll::Pending
    }

    /// The offer is dropped. Returns whether it had been notified.
    pub(crate) fn leave(&self) -> Admission {
        let before = std::mem::replace(&mut *lock(&self.0), Standing::Gone);
        match before {
            Standing::Admitted => Admission::Admitted,
            // Dropped outside the lock, with its waker.
            Standing::Waits(_) | Standing::Gone => Admission::Gone,
        }
    }
}
