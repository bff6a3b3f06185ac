//! Posting: the one entry into a mailbox, for users' messages and the runtime's alike (M6).

use super::bounded_queue::{Offered, Reservation};
use super::dead_letter::bury_letter;
use super::envelope::{Envelope, Head};
use super::header::Header;
use super::observation::{Observation, Source, observed};
use super::recorder::{WaitingPlace, record_waiting};
use super::reference::{AddressRef, CellRef};
use super::refusal::{Delivery, Next};
use super::runnable::Runnable;
use super::ticket::Ticket;
use super::user_code::run_foreign_code;
use super::worker::Worker;
use crate::failures::Cause;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::Pushed;
use crate::message::Route;
use crate::phase::{Phase, Stamp};
use crate::sync::Arc;
use std::ops::Deref;
use std::ptr::NonNull;

/// The address of the receiver.
pub(crate) enum To<'a> {
    Lent(&'a AddressRef),
    /// Given away with the message, where that saves a subtraction from the count (C6).
    Owned(AddressRef),
}

impl To<'_> {
    pub(crate) fn into_counted(self) -> AddressRef {
        match self {
            To::Lent(to) => to.clone(),
            To::Owned(to) => to,
        }
    }
}

impl Deref for To<'_> {
    type Target = AddressRef;
    #[inline]
    fn deref(&self) -> &AddressRef {
        match self {
            To::Lent(to) => to,
            To::Owned(to) => to,
        }
    }
}

/// A message that is in no mailbox: the posted message, or an older message displaced by it.
pub(crate) struct Returned<'a> {
    pub(crate) to: To<'a>,
    pub(crate) envelope: Envelope,
    /// The actor has ended, or its mailbox was full.
    pub(crate) cause: Cause,
    news: News,
}

/// Whether a message comes back because of what happened in the phase of the system, which is later
/// than that of the sender (L3).
#[derive(Clone, Copy, PartialEq, Eq)]
enum News {
    No,
    Yes,
}

/// Puts `envelope` into the mailbox of `to`. Returns both if that actor has ended. A full bounded
/// mailbox returns the message that has no place, which may be an older one.
///
/// Within a turn the sender may find the receiver overloaded: it is then muted when its turn ends
/// (T5).
pub(crate) fn post(to: To<'_>, envelope: Envelope) -> Result<(), Returned<'_>> {
    if envelope.kind().route != Route::Straight && to.class.bounded_queue_at.is_some() {
        return post_bounded(to, envelope, Reservation::None);
    }
    // SAFETY: `pushed` calls this once, with the node of an envelope that has given its parcel up
    // (M9): the inbox owns it now, or gives it back (M1).
    let push = |to: &AddressRef, node, _| unsafe { to.inbox.push(node) };
    pushed(to, envelope, push).map_err(|(to, envelope)| {
        let stamp = envelope.stamp();
        returned(to, envelope, (Cause::Ended, stamp))
    })
}

/// As `post`, for a sender that may have a reserved place.
pub(crate) fn post_by(
    to: To<'_>,
    envelope: Envelope,
    reservation: Reservation,
) -> Result<(), Returned<'_>> {
    match reservation {
        Reservation::None => post(to, envelope),
        Reservation::Place => post_bounded(to, envelope, reservation),
    }
}

impl Next {
    /// Runs steps until a message is to be posted, or none follows.
    pub(crate) fn delivery(mut self) -> Option<Delivery> {
        loop {
            self = match self {
                Next::Nothing => return None,
                Next::Deliver(delivery) => return Some(delivery),
                Next::Settle(settle) => settle(),
            }
        }
    }

    /// Runs steps until none follows.
    #[inline]
    pub(crate) fn follow(mut self) {
        loop {
            self = match self {
                Next::Nothing => return,
                Next::Settle(settle) => settle(),
                Next::Deliver(delivery) => {
                    let Delivery { to, envelope } = delivery.released();
                    match post(To::Owned(to), envelope) {
                        Ok(()) => return,
                        Err(returned) => bury(returned),
                    }
                }
            }
        }
    }
}

/// A message came too late for its actor, or found its mailbox full: makes it a dead letter, and
/// returns the error to the asker.
#[cold]
pub(crate) fn bury(returned: Returned<'_>) -> Next {
    let cell = returned.to.cell();
    let cause = observed(Observation::Refused, Source::Actor(&cell), returned.cause);
    let (envelope, news) = (returned.envelope, returned.news);
    #[cfg(test)]
    let news = match is_planted(InjectedFault::RefusalWithPhaseOfSender) {
        true => News::No,
        false => news,
    };
    if news == News::No {
        return bury_letter(cell, envelope, cause);
    }
    let phase = cell.system.passes.now().phase();
    // Followed here, so that all that follows is news of that phase.
    let system = cell.system.clone();
    let mut bury = Some(|| bury_letter(cell, envelope, cause).follow());
    let mut bury = || bury.take().map(|bury| bury());
    if Worker::entered(&system, |worker| worker.with_news_of(phase, &mut bury)).is_none() {
        // What a thread outside sends is of the phase of the system.
        bury();
    }
    Next::Nothing
}

/// A message comes back to its sender, or comes out of a queue because of it. Records it if it
/// waits in the cut (L4), and finds what its return is news of (L3). `pushed_in` is the stamp of
/// the push: a line may have come between that and this, if a thread outside sends.
#[cold]
fn returned(to: To<'_>, envelope: Envelope, (cause, pushed_in): (Cause, Stamp)) -> Returned<'_> {
    let now = to.system.passes.now().phase();
    let sent_in = Worker::entered(&to.system, Worker::phase).unwrap_or(now);
    let cell = to.cell();
    let is_news = match to.ended_in().filter(|_| cause == Cause::Ended) {
        Some(ended_in) if ended_in > sent_in => {
            record_waiting(&cell, WaitingPlace::Inbox, &envelope);
            true
        }
        Some(_) => false,
        None => {
            // L8: the mailbox may be full because of what was sent behind the line.
            Worker::all_may_know_news();
            let is_newer = envelope.stamp() == now.stamp();
            let is_pushed_now = pushed_in == now.stamp();
            if !is_newer && is_pushed_now {
                record_waiting(&cell, WaitingPlace::Queue, &envelope);
            }
            is_newer && !is_pushed_now
        }
    };
    Returned {
        to,
        envelope,
        cause,
        news: match is_news {
            true => News::Yes,
            false => News::No,
        },
    }
}

/// Posts `envelope`; a message that is returned becomes a dead letter.
#[inline]
pub(crate) fn post_or_bury(to: To<'_>, envelope: Envelope) {
    if let Err(returned) = post(to, envelope) {
        bury(returned).follow();
    }
}

impl Delivery {
    /// Posts the message; if the actor has ended it becomes a dead letter, and its ask fails.
    pub(crate) fn deliver(self) {
        Next::Deliver(self).follow();
    }

    /// Itself. What an actor sends to itself here, a promise or the runtime has released.
    fn released(mut self) -> Delivery {
        if Worker::with_current(|worker| worker.current.is(&self.to)) == Some(true) {
            self.envelope.becomes_continuation();
        }
        self
    }
}

/// Whether there is a supervisor that receives the news of a child.
#[derive(PartialEq, Eq)]
pub(crate) enum Received {
    Yes,
    No,
}

/// Sends a message with news to a supervisor.
pub(crate) fn report(supervisor: &CellRef, news: Envelope) -> Received {
    let received = match supervisor.upgrade() {
        Some(to) => post(To::Owned(to), news).map_err(drop),
        None => Err(()),
    };
    match received {
        Ok(()) => Received::Yes,
        Err(()) => {
            // L8: the child ends by this.
            Worker::all_may_know_news();
            Received::No
        }
    }
}

/// Posts to a bounded mailbox: the message goes into its queue, and a ticket into its inbox (M7).
#[inline(never)]
fn post_bounded(
    to: To<'_>,
    mut message: Envelope,
    reservation: Reservation,
) -> Result<(), Returned<'_>> {
    let sent_ms = to.system.oracle.coarse_ms() as u32;
    to.system.account_more(message.kind().bytes);
    let ticket = Envelope::new::<Ticket>((), message.head().place);
    let (mut not_in, mut records, mut pushed_in) = (None, Records::Nothing, Stamp::default());
    message.sent(sent_ms, Stamp::default(), record_span);
    let push = |to: &AddressRef, node, stamp| {
        message.set_stamp(stamp);
        pushed_in = stamp;
        let offered = match to.bounded_queue() {
            // SAFETY: `pushed` calls this once, with the node of a ticket that has given its parcel
            // up (M9): the inbox owns it now, or gives it back (M1).
            Some(queue) => queue.offer(
                message,
                reservation,
                || unsafe { to.inbox.push(node) },
                |displaced| {
                    if displaced.stamp() != stamp {
                        to.system.passes.record_begins();
                        records = Records::Displaced;
                    }
                },
            ),
            None => Offered::Ended(message),
        };
        match offered {
            Offered::Entered(pushed) => Ok(pushed),
            Offered::NoRoom(message, cause) => {
                not_in = Some((message, cause));
                Err(node)
            }
            Offered::Ended(message) => {
                not_in = Some((message, Cause::Ended));
                Err(node)
            }
        }
    };
    match (pushed(to, ticket, push), not_in) {
        (Err((to, ticket)), Some((envelope, cause))) => {
            drop(ticket);
            to.system.account_less(envelope.kind().bytes);
            let returned = returned(to, envelope, (cause, pushed_in));
            if records == Records::Displaced {
                returned.to.system.passes.record_ends();
            }
            Err(returned)
        }
        _ => Ok(()),
    }
}

/// Whether a message of another phase was displaced: the cut is not complete before `returned` has
/// recorded it.
#[derive(PartialEq, Eq)]
enum Records {
    Nothing,
    Displaced,
}

/// Runs code of a subscriber of spans, within a send.
fn record_span(record: &mut dyn FnMut()) {
    run_foreign_code("a subscriber of spans", record);
}

/// Posts `envelope` by `push`, and does what the result of the push requires.
#[inline]
fn pushed<'a>(
    to: To<'a>,
    envelope: Envelope,
    push: impl FnOnce(&AddressRef, NonNull<Head>, Stamp) -> Result<Pushed<Head>, NonNull<Head>>,
) -> Result<(), (To<'a>, Envelope)> {
    Worker::with_any(|worker| match worker {
        Some(worker) if Arc::ptr_eq(&worker.system, &to.system) => worker.post(to, envelope, push),
        _ => post_from_outside(to, envelope, push),
    })
}

impl Worker {
    /// Posts from a worker of the receiver's system.
    #[inline]
    fn post<'a>(
        &self,
        to: To<'a>,
        mut envelope: Envelope,
        push: impl FnOnce(&AddressRef, NonNull<Head>, Stamp) -> Result<Pushed<Head>, NonNull<Head>>,
    ) -> Result<(), (To<'a>, Envelope)> {
        let system = &self.system;
        let kind = envelope.kind();
        let now_ms = system.oracle.coarse_ms() as u32;
        let stamp = self.stamp();
        #[cfg(test)]
        let stamp = match crate::injected_fault::is_planted(
            crate::injected_fault::InjectedFault::StampOfSystem,
        ) {
            true => system.passes.now().phase().stamp(),
            false => stamp,
        };
        envelope.sent(now_ms, stamp, record_span);
        self.account_more(kind.bytes);
        let depth = match push(&to, envelope.into_node(), stamp) {
            Ok(Pushed::Wakes(node)) => {
                to.facts.set_woken(now_ms);
                let depth = to.pressure.first();
                if depth >= system.config.marks.overloaded && kind.role.is_under_back_pressure() {
                    self.sent_to_overloaded(&to);
                }
                // SAFETY: `push` returns what the inbox of `to` returned for this node: the inbox
                // was parked, and this push has woken it (M3). The node is this sender's again
                // (M1), and each arm is the one call for it.
                let woken = unsafe {
                    match to {
                        To::Lent(to) => to.woken_by(node),
                        To::Owned(to) => to.woken_with(node),
                    }
                };
                system.schedule_by(Some(self), woken);
                return Ok(());
            }
            Ok(Pushed::First) => to.pressure.first(),
            Ok(Pushed::Later) => to.pressure.add(),
            Err(node) => {
                self.account_less(kind.bytes);
                // SAFETY: `push` gave the node of `envelope` back, so no inbox has it (M5).
                return Err((to, unsafe { Envelope::from_node(node) }));
            }
        };
        if depth >= system.config.marks.overloaded && kind.role.is_under_back_pressure() {
            self.sent_to_overloaded(&to);
        }
        Ok(())
    }
}

impl AddressRef {
    /// Puts the message that has just woken the actor into the backlog, and returns the right to
    /// run it. Until then this thread is the holder.
    ///
    /// # Safety
    ///
    /// The inbox of this actor returned `Pushed::Wakes` for this node, and this is called once for
    /// that.
    unsafe fn woken_by(&self, node: NonNull<Head>) -> Runnable {
        // SAFETY: the caller's contract for `node` (X1). This counted address keeps the cell alive
        // (C3); the pointer is that of the whole cell (C7).
        unsafe { AddressRef::woken(self.as_ptr(), node) }
    }

    /// As `woken_by`, and gives this address to the actor itself (C6), so it need not be
    /// subtracted.
    ///
    /// # Safety
    ///
    /// As for `woken_by`.
    unsafe fn woken_with(self, node: NonNull<Head>) -> Runnable {
        let header = self.as_ptr();
        std::mem::forget(self);
        // SAFETY: the inbox was parked and this thread has woken it, so it alone accesses the owner
        // part (C1); the forgotten address is still counted and keeps the cell alive (C3).
        unsafe { (*header.as_ref().owner.get()).cached += 1 };
        // SAFETY: the caller's contract for `node` (X1). The forgotten address keeps the cell alive
        // (C3); the pointer is that of the whole cell (C7).
        unsafe { AddressRef::woken(header, node) }
    }

    /// # Safety
    ///
    /// As for `woken_by`; `header` starts a cell made by `new_cell` that is alive, and the pointer
    /// is that of the whole cell.
    unsafe fn woken(header: NonNull<Header>, node: NonNull<Head>) -> Runnable {
        // SAFETY: the inbox was parked, so no other thread held the actor or could run it. This
        // thread woke it, so it alone accesses the owner part until the `Runnable` below is given
        // away (C1). The exchange that woke the actor acquired the last holder's writes.
        let owner = unsafe { &mut *header.as_ref().owner.get() };
        // SAFETY: the caller's contract (X1).
        owner.expect_batch(unsafe { &header.as_ref().pressure });
        // SAFETY: the push that woke the actor gave the node back, so it is the caller's, which
        // gives it up (M1).
        unsafe { owner.backlog.push(node) };
        // SAFETY: this thread has made the inbox active, and makes the one `Runnable` for that
        // (C1); the pointer is that of the whole cell (C7).
        unsafe { Runnable::new(header) }
    }
}

/// Posts from a thread that is no worker of the receiver's system. Such a sender cannot be muted.
fn post_from_outside<'a>(
    to: To<'a>,
    mut envelope: Envelope,
    push: impl FnOnce(&AddressRef, NonNull<Head>, Stamp) -> Result<Pushed<Head>, NonNull<Head>>,
) -> Result<(), (To<'a>, Envelope)> {
    let system = &to.system;
    let kind = envelope.kind();
    let now_ms = system.oracle.coarse_ms() as u32;
    system.account_more(kind.bytes);
    // Before the send: a subscriber may send too.
    envelope.sent(now_ms, Stamp::default(), record_span);
    let send = |phase: Phase| {
        let stamp = phase.stamp();
        envelope.set_stamp(stamp);
        push(&to, envelope.into_node(), stamp)
    };
    match Worker::send_to(system, send) {
        Ok(Pushed::Wakes(node)) => {
            to.facts.set_woken(now_ms);
            // SAFETY: `push` returns what the inbox of `to` returned for this node: the inbox was
            // parked, and this push has woken it (M3). The node is this sender's again (M1), and
            // this is the one call for it.
            system.schedule_by(None, unsafe { to.woken_by(node) });
        }
        Ok(Pushed::First) => {}
        Ok(Pushed::Later) => {
            let _depth = to.pressure.add();
        }
        Err(node) => {
            system.account_less(kind.bytes);
            // SAFETY: `push` gave the node of `envelope` back, so no inbox has it (M5).
            return Err((to, unsafe { Envelope::from_node(node) }));
        }
    }
    Ok(())
}
