//! The ring of a bounded mailbox: the messages that wait in it, and how many places are taken (invariants M7 and M8, see
//! the README).

use super::envelope::{Envelope, Head, Kind, Letter, Role, Step};
use super::inbox::Pushed;
use crate::actor::Mailbox;
use crate::cell::StateRef;
use crate::dead_letter::Cause;
use crate::error::Refusal;
use crate::promise::Next;
use crate::scheduler::Worker;
use crate::sync::{Mutex, lock};
use std::collections::VecDeque;
use std::panic::Location;
use std::ptr::NonNull;

/// Part of the cell of an actor whose mailbox has a bound.
pub(crate) struct Ring {
    mailbox: Mailbox,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    /// Not yet taken out, oldest first. For each there is a ticket in the inbox or the backlog.
    waiting: VecDeque<Envelope>,
    /// Taken by messages that the holder has taken out and not begun, and promised to senders.
    kept: usize,
    /// So many messages that wait for their guard have lost their places: the holder drops the oldest.
    overdue: usize,
    lost: u64,
    life: Life,
}

#[derive(Default, PartialEq, Eq)]
enum Life {
    #[default]
    Open,
    /// The actor has ended: nobody is promised a place any more.
    Closed,
}

/// Whether a sender comes with a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// There may be none.
    Asked,
    /// [`Ring::reserve`] has promised one.
    Promised,
}

/// What became of a message.
pub(crate) enum Offered {
    /// It waits, and its ticket was pushed.
    Entered(Pushed<Head>),
    /// It waits in the place of this one, whose ticket stands for it. Its own was not pushed.
    Displaced(Envelope),
    /// There was no place for it.
    Full(Envelope),
    /// The inbox is closed.
    Ended(Envelope),
}

/// Whether there was a place to promise.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Reserved {
    Yes,
    /// None is needed: the mailbox refuses nobody, or its actor has ended, which the push will find.
    NotNeeded,
    Full,
}

impl Ring {
    pub(crate) fn new(mailbox: Mailbox) -> Ring {
        Ring {
            mailbox,
            places: Mutex::default(),
        }
    }

    /// Gives `message` a place, and calls `push`, which pushes its ticket, before anybody else is given one.
    pub(crate) fn offer(
        &self,
        message: Envelope,
        admission: Admission,
        push: impl FnOnce() -> Result<Pushed<Head>, NonNull<Head>>,
    ) -> Offered {
        let mut places = lock(&self.places);
        if places.life == Life::Closed {
            return Offered::Ended(message);
        }
        if admission == Admission::Promised {
            places.kept -= 1;
        } else if places.taken() >= self.mailbox.bound() {
            if !matches!(self.mailbox, Mailbox::DropOldest(_)) {
                return Offered::Full(message);
            }
            if places.kept == 0
                && let Some(oldest) = places.waiting.pop_front()
            {
                places.waiting.push_back(message);
                return Offered::Displaced(oldest);
            }
            // The oldest is in the holder's hands, which will learn of it.
            places.kept -= 1;
            places.overdue += 1;
        }
        match push() {
            Ok(pushed) => {
                places.waiting.push_back(message);
                Offered::Entered(pushed)
            }
            Err(_) => Offered::Ended(message),
        }
    }

    /// A sender that is to get its message back asks before it packs it.
    pub(crate) fn reserve(&self) -> Reserved {
        if !matches!(self.mailbox, Mailbox::Reject(_)) {
            return Reserved::NotNeeded;
        }
        let mut places = lock(&self.places);
        if places.life == Life::Closed {
            return Reserved::NotNeeded;
        }
        if places.taken() >= self.mailbox.bound() {
            return Reserved::Full;
        }
        places.kept += 1;
        Reserved::Yes
    }

    /// The holder has taken a ticket out: here is the message. It keeps its place until it begins.
    pub(crate) fn redeem(&self) -> Option<Envelope> {
        let mut places = lock(&self.places);
        let message = places.waiting.pop_front();
        debug_assert!(message.is_some(), "M7: a ticket without a message");
        places.kept += usize::from(message.is_some());
        message
    }

    /// A message comes to the holder by another way than the inbox: it takes a place, whether one is free or not.
    pub(crate) fn occupy(&self) {
        lock(&self.places).kept += 1;
    }

    /// A message that the holder had taken out begins, or is destroyed; or a sender does not use what it was promised.
    pub(crate) fn free(&self) {
        let mut places = lock(&self.places);
        if places.life == Life::Closed {
            return;
        }
        if places.overdue > 0 {
            // It leaves by itself, so none has to be dropped in its stead.
            places.overdue -= 1;
        } else {
            debug_assert!(places.kept > 0, "M8: a place freed that nobody had");
            places.kept -= 1;
        }
    }

    /// How many of the messages that wait for their guards the holder must drop. Taken.
    pub(crate) fn take_overdue(&self) -> usize {
        std::mem::take(&mut lock(&self.places).overdue)
    }

    /// The inbox is closed. What waits is still redeemed.
    pub(crate) fn close(&self) {
        lock(&self.places).life = Life::Closed;
    }

    pub(crate) fn count_loss(&self) {
        lock(&self.places).lost += 1;
    }

    /// How many messages the bound has cost.
    pub(crate) fn lost(&self) -> u64 {
        lock(&self.places).lost
    }

    /// Why a message is lost for which there is no place.
    pub(crate) fn cause(&self) -> Cause {
        match self.mailbox {
            Mailbox::Reject(_) | Mailbox::BackPressure => Cause::Rejected,
            Mailbox::DropNewest(_) => Cause::DroppedNewest,
            Mailbox::DropOldest(_) => Cause::DroppedOldest,
        }
    }
}

impl Places {
    fn taken(&self) -> usize {
        self.waiting.len() + self.kept
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        debug_assert!(
            lock(&self.places).waiting.is_empty(),
            "M5: a ring was dropped with messages in it"
        );
    }
}

/// Stands in the inbox for a message of the ring. It is redeemed, never run.
pub(super) struct Ticket;

impl Letter for Ticket {
    type Content = ();
    const KIND: Kind = Kind::new::<Self>("ticket", Role::Ticket);

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Step {
        Step::Done
    }

    fn refuse((): (), _: &Refusal, _: &'static Location<'static>) -> Next {
        Next::Nothing
    }
}
