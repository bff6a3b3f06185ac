//! The bounded queue of a mailbox with a bound. It holds the waiting messages and the
//! number of places taken (invariants M7 and M8, see the README).

use super::current_actor::CurrentActor;
use super::envelope::{Envelope, Head};
use super::header::Header;
use super::options::Mailbox;
use super::reference::{AddressRef, CellRef};
use super::runnable::Runnable;
use super::user_code::admit;
use super::waiting_sender::{Admission, WaitingSender};
use crate::failures::Cause;
use crate::message::{Pushed, Route};
use crate::sync::{Arc, Mutex, lock};
use std::collections::VecDeque;
use std::ptr::NonNull;

/// The bounded queue, part of the cell of an actor with a bounded mailbox.
pub(crate) struct BoundedQueue {
    mailbox: Mailbox,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    /// Messages not yet taken out, oldest first, exempt ones included. Each has a ticket in the
    /// inbox or the backlog.
    waiting: VecDeque<Envelope>,
    /// Number of messages in `waiting` that are not exempt: each has a place.
    counted: usize,
    /// Number of places of messages that the holder has taken out and not begun, plus places
    /// reserved for senders.
    kept: usize,
    /// Number of deferred messages that have lost their places: the holder drops the oldest ones.
    overdue: usize,
    /// Senders outside the actors that wait for a place, in this order.
    waiting_senders: VecDeque<Arc<WaitingSender>>,
    lost: u64,
    life: Life,
}

#[derive(Default, PartialEq, Eq)]
enum Life {
    #[default]
    Open,
    /// The actor has ended: no place is reserved any more.
    Closed,
}

/// Whether a message comes with a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reservation {
    /// No place is reserved; there may be none.
    None,
    /// [`BoundedQueue::reserve`] or [`BoundedQueue::reserve_or_wait`] has reserved a place.
    Place,
}

/// The result of `offer`.
pub(crate) enum Offered {
    /// The message is in the queue, and its ticket was pushed.
    Entered(Pushed<Head>),
    /// There is no room for this message: the new one, or an older message displaced by it. No
    /// ticket was pushed, because the ticket of the older one stands for the new one.
    NoRoom(Envelope, Cause),
    /// The inbox is closed.
    Ended(Envelope),
}

impl BoundedQueue {
    pub(crate) fn new(mailbox: Mailbox) -> BoundedQueue {
        BoundedQueue {
            mailbox,
            places: Mutex::default(),
        }
    }

    /// Gives `message` a place, and calls `push`, which pushes its ticket. Both happen under the
    /// lock, before any other message is given a place. So does a call of `displaces`, with a
    /// message that has to leave.
    pub(crate) fn offer(
        &self,
        message: Envelope,
        reservation: Reservation,
        push: impl FnOnce() -> Result<Pushed<Head>, NonNull<Head>>,
        displaces: impl FnOnce(&Envelope),
    ) -> Offered {
        let mut places = lock(&self.places);
        if places.life == Life::Closed {
            return Offered::Ended(message);
        }
        let route = message.kind().route;
        if reservation == Reservation::Place {
            places.kept -= 1;
        } else if route == Route::Counted && places.taken() >= self.mailbox.bound() {
            if !matches!(self.mailbox, Mailbox::DropOldest(_)) {
                return Offered::NoRoom(message, self.cause());
            }
            if places.kept == 0
                && let Some(oldest) = places.displaced()
            {
                displaces(&oldest);
                places.push(message);
                #[cfg(test)]
                let oldest = super::injected_fault::exchanged(oldest);
                return Offered::NoRoom(oldest, self.cause());
            }
            // The oldest message is with the holder, which reads `overdue` later.
            places.kept -= 1;
            places.overdue += 1;
        }
        match push() {
            Ok(pushed) => {
                places.push(message);
                Offered::Entered(pushed)
            }
            Err(_) => Offered::Ended(message),
        }
    }

    /// For a sender that must get its message back: reserves a place if one is needed. Returns
    /// `None` if a mailbox that rejects is full.
    pub(crate) fn reserve(&self) -> Option<Reservation> {
        self.reserve_in(&mut lock(&self.places))
    }

    /// As `reserve`, but if there is no place, `waiting_sender` waits for one, behind the
    /// waiting senders that wait already.
    pub(crate) fn reserve_or_wait(
        &self,
        waiting_sender: &Arc<WaitingSender>,
    ) -> Option<Reservation> {
        let mut places = lock(&self.places);
        let reservation = self.reserve_in(&mut places);
        if reservation.is_none() {
            places.waiting_senders.push_back(waiting_sender.clone());
        }
        reservation
    }

    fn reserve_in(&self, places: &mut Places) -> Option<Reservation> {
        if places.life == Life::Closed || !matches!(self.mailbox, Mailbox::Reject(_)) {
            return Some(Reservation::None);
        }
        if places.taken() >= self.mailbox.bound() {
            return None;
        }
        places.kept += 1;
        Some(Reservation::Place)
    }

    /// Removes a waiting sender that does not wait any more.
    pub(crate) fn withdraw(&self, waiting_sender: &Arc<WaitingSender>) {
        lock(&self.places)
            .waiting_senders
            .retain(|other| !Arc::ptr_eq(other, waiting_sender));
    }

    /// Returns the message for a ticket that the holder has taken out. The message keeps its place
    /// until it begins.
    pub(crate) fn redeem(&self) -> Option<Envelope> {
        let mut places = lock(&self.places);
        let message = places.waiting.pop_front();
        debug_assert!(message.is_some(), "M7: a ticket without a message");
        if is_counted(message.as_ref()?) {
            places.counted -= 1;
            places.kept += 1;
        }
        message
    }

    /// A message reaches the holder without the inbox: it takes a place, whether one is free or
    /// not.
    pub(crate) fn occupy(&self) {
        lock(&self.places).kept += 1;
    }

    /// Frees a place: a message that the holder had taken out begins or is destroyed, or a sender
    /// does not use its reserved place. The place goes to the waiting sender that has waited
    /// longest.
    pub(crate) fn free(&self) {
        while let Some(waiting_sender) = self.free_or_next() {
            if admit(&waiting_sender) == Admission::Admitted {
                return;
            }
        }
    }

    fn free_or_next(&self) -> Option<Arc<WaitingSender>> {
        #[cfg(test)]
        if super::injected_fault::bug() == super::injected_fault::Bug::FreesNoPlace {
            return None;
        }
        let mut places = lock(&self.places);
        if places.life == Life::Closed {
            return None;
        }
        if places.overdue > 0 {
            // This message leaves by itself, so no deferred message has to be dropped.
            places.overdue -= 1;
            return None;
        }
        // More places may be taken than there are: see `occupy`.
        if places.taken() <= self.mailbox.bound()
            && let Some(next) = places.waiting_senders.pop_front()
        {
            return Some(next);
        }
        debug_assert!(places.kept > 0, "M8: a place freed that nobody had");
        places.kept = places.kept.saturating_sub(1);
        None
    }

    /// Calls `body` with each message in the queue, the oldest first. It must not send.
    pub(crate) fn each_waiting(&self, body: impl FnMut(&mut Envelope)) {
        lock(&self.places).waiting.iter_mut().for_each(body);
    }

    /// Takes the number of deferred messages that the holder must drop.
    pub(crate) fn take_overdue(&self) -> usize {
        std::mem::take(&mut lock(&self.places).overdue)
    }

    /// The inbox is closed: notifies the waiting senders. The messages here are still redeemed.
    pub(crate) fn close(&self) {
        let waiting_senders = {
            let mut places = lock(&self.places);
            places.life = Life::Closed;
            std::mem::take(&mut places.waiting_senders)
        };
        for waiting_sender in waiting_senders {
            let _admission = admit(&waiting_sender);
        }
    }

    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        lock(&self.places).taken()
    }

    /// Returns the number of messages in the queue.
    pub(crate) fn depth(&self) -> usize {
        lock(&self.places).waiting.len()
    }

    pub(crate) fn count_loss(&self) {
        lock(&self.places).lost += 1;
    }

    /// Returns the number of messages lost to the bound.
    pub(crate) fn lost(&self) -> u64 {
        lock(&self.places).lost
    }

    /// Returns the cause reported for a message without a place.
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
        self.counted + self.kept
    }

    fn push(&mut self, message: Envelope) {
        self.counted += usize::from(is_counted(&message));
        self.waiting.push_back(message);
    }

    /// Takes out the counted message that has waited longest.
    fn displaced(&mut self) -> Option<Envelope> {
        let oldest = self.waiting.iter().position(is_counted);
        #[cfg(test)]
        let oldest = match super::injected_fault::bug() {
            super::injected_fault::Bug::DisplacesTheNewest => {
                self.waiting.iter().rposition(is_counted)
            }
            _ => oldest,
        };
        let displaced = self.waiting.remove(oldest?);
        self.counted -= 1;
        displaced
    }
}

fn is_counted(message: &Envelope) -> bool {
    message.kind().route == Route::Counted
}

impl Drop for BoundedQueue {
    fn drop(&mut self) {
        debug_assert!(
            lock(&self.places).waiting.is_empty(),
            "M5: a queue was dropped with messages in it"
        );
    }
}

/// Returns the queue of a cell, if it has one.
///
/// # Safety
///
/// `header` starts a cell made by `api::cell::new_cell` that is alive for `'a`, and the pointer is
/// that of the whole cell.
unsafe fn bounded_queue<'a>(header: NonNull<Header>) -> Option<&'a BoundedQueue> {
    // SAFETY: the caller's contract (X1).
    let at = unsafe { header.as_ref() }.class.bounded_queue_at?;
    // SAFETY: `class` is the table of the cell's type, so the queue lies at this offset (C7). It is
    // only ever shared (X6).
    Some(unsafe { header.byte_add(at).cast::<BoundedQueue>().as_ref() })
}

impl AddressRef {
    /// Returns the queue, if the actor's mailbox has a bound.
    pub(crate) fn bounded_queue(&self) -> Option<&BoundedQueue> {
        // SAFETY: this counted address keeps the cell alive (C3); the pointer is that of the whole
        // cell (C7).
        unsafe { bounded_queue(self.as_ptr()) }
    }
}

impl CellRef {
    /// Returns the queue, if the actor's mailbox has a bound.
    pub(crate) fn bounded_queue(&self) -> Option<&BoundedQueue> {
        // SAFETY: this reference is counted, so the cell is alive (X7); the pointer is that of the
        // whole cell (C7).
        unsafe { bounded_queue(self.as_ptr()) }
    }

    /// Counts a message lost to the bound of the mailbox.
    pub(crate) fn count_loss(&self) {
        if let Some(queue) = self.bounded_queue() {
            queue.count_loss();
        }
    }
}

impl Runnable {
    /// Returns the queue, if the actor's mailbox has a bound.
    pub(crate) fn bounded_queue(&self) -> Option<&BoundedQueue> {
        // SAFETY: the actor's life keeps the cell alive: it is in the registry, or with the holder
        // that ends the actor (C5). The pointer is that of the whole cell (C7).
        unsafe { bounded_queue(self.as_ptr()) }
    }
}

impl CurrentActor {
    /// Calls `body` with the queue of the current actor, if it has one.
    pub(crate) fn with_bounded_queue(&self, body: impl FnOnce(&BoundedQueue)) {
        // SAFETY: the current actor has not ended, or its life is kept above, so the cell is alive
        // (C5); `at` is the pointer of the whole cell (C7).
        if let Some(queue) = self.header().and_then(|at| unsafe { bounded_queue(at) }) {
            body(queue);
        }
    }
}
