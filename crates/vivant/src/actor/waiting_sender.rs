//! A sender outside the actors that waits until a mailbox has room.

use super::next::for_others;
use crate::sync::{Arc, Mutex, lock};
use std::task::{Context, Poll, Waker};

/// The state that an offer shares with the mailbox that it waits for.
pub(crate) struct WaitingSender(Mutex<Standing>);

enum Standing {
    Waits(Option<Waker>),
    /// It was notified: its place is reserved, where the mailbox has places, or its actor has
    /// ended.
    MayGo,
    /// The offer was dropped, or has seen the notification.
    Gone,
}

/// Whether an applicant was notified.
#[must_use]
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Told {
    Yes,
    /// It does not wait any more: its place belongs to the next applicant.
    Gone,
}

impl WaitingSender {
    pub(crate) fn new() -> Arc<WaitingSender> {
        Arc::new(WaitingSender(Mutex::new(Standing::Waits(None))))
    }

    /// Notifies the applicant that there is room now.
    pub(crate) fn may_go(&self) -> Told {
        let mut standing = lock(&self.0);
        let waker = match &mut *standing {
            Standing::Waits(waker) => waker.take(),
            Standing::MayGo | Standing::Gone => return Told::Gone,
        };
        *standing = Standing::MayGo;
        drop(standing);
        if let Some(waker) = waker {
            for_others("a waker", || waker.wake());
        }
        Told::Yes
    }

    /// Returns `Ready` once it was notified.
    pub(crate) fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        // Cloned before and dropped after the lock is held: both are user code.
        let waker = context.waker().clone();
        let mut standing = lock(&self.0);
        let before = match &mut *standing {
            Standing::Waits(place) => place.replace(waker),
            Standing::MayGo | Standing::Gone => {
                *standing = Standing::Gone;
                return Poll::Ready(());
            }
        };
        drop(standing);
        drop(before);
        Poll::Pending
    }

    /// The offer is dropped. Returns whether it had been notified.
    pub(crate) fn leave(&self) -> Told {
        let before = std::mem::replace(&mut *lock(&self.0), Standing::Gone);
        match before {
            Standing::MayGo => Told::Yes,
            // Dropped outside the lock, with its waker.
            Standing::Waits(_) | Standing::Gone => Told::Gone,
        }
    }
}
