//! Posting: the one entry into a mailbox, for users' messages and the runtime's alike (M6).

use super::bounded_queue::{Entry, Offered, Ticket};
use super::envelope::{Envelope, Head};
use super::message_role::{MessageRole, Route};
use super::reference::AddressRef;
use super::worker::Worker;
use crate::failures::Cause;
use crate::message::Pushed;
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
}

/// Puts `envelope` into the mailbox of `to`. Returns both if that actor has ended. A full bounded
/// mailbox returns the message that has no place, which may be an older one.
///
/// Within a turn the sender may find the receiver overloaded: it is then muted when its turn ends
/// (T5).
pub(crate) fn post(to: To<'_>, envelope: Envelope) -> Result<(), Returned<'_>> {
    if envelope.kind().route != Route::Straight && to.class.ring_at.is_some() {
        return post_bounded(to, envelope, Entry::Asked);
    }
    // SAFETY: `pushed` calls this once, with the node of an envelope that has given its parcel up
    // (M9): the inbox owns it now, or gives it back (M1).
    let push = |to: &AddressRef, node| unsafe { to.inbox.push(node) };
    pushed(to, envelope, push).map_err(|(to, envelope)| Returned {
        to,
        envelope,
        cause: Cause::Ended,
    })
}

/// As `post`, for a sender that may have a reserved place.
pub(crate) fn post_by(to: To<'_>, envelope: Envelope, entry: Entry) -> Result<(), Returned<'_>> {
    match entry {
        Entry::Asked => post(to, envelope),
        Entry::Promised => post_bounded(to, envelope, entry),
    }
}

/// Posts to a bounded mailbox: the message goes into its ring, and a ticket into its inbox (M7).
#[inline(never)]
fn post_bounded(to: To<'_>, mut message: Envelope, entry: Entry) -> Result<(), Returned<'_>> {
    message.stamp(to.system.oracle.coarse_ms() as u32);
    to.system.account_more(message.kind().bytes);
    let ticket = Envelope::new::<Ticket>((), message.head().place);
    let mut not_in = None;
    let push = |to: &AddressRef, node| {
        let offered = match to.ring() {
            // SAFETY: `pushed` calls this once, with the node of a ticket that has given its parcel
            // up (M9): the inbox owns it now, or gives it back (M1).
            Some(ring) => ring.offer(message, entry, || unsafe { to.inbox.push(node) }),
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
            Err(Returned {
                to,
                envelope,
                cause,
            })
        }
        _ => Ok(()),
    }
}

/// Posts `envelope` by `push`, and does what the result of the push requires.
#[inline]
fn pushed<'a>(
    to: To<'a>,
    envelope: Envelope,
    push: impl FnOnce(&AddressRef, NonNull<Head>) -> Result<Pushed<Head>, NonNull<Head>>,
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
        push: impl FnOnce(&AddressRef, NonNull<Head>) -> Result<Pushed<Head>, NonNull<Head>>,
    ) -> Result<(), (To<'a>, Envelope)> {
        let system = &self.system;
        let kind = envelope.kind();
        let now_ms = system.oracle.coarse_ms() as u32;
        envelope.stamp(now_ms);
        self.account_more(kind.bytes);
        let depth = match push(&to, envelope.into_node()) {
            Ok(Pushed::Wakes(node)) => {
                to.facts.wakes(now_ms);
                let depth = to.pressure.first();
                if depth >= system.config.marks.overloaded && kind.role == MessageRole::Turn {
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
        if depth >= system.config.marks.overloaded && kind.role == MessageRole::Turn {
            self.sent_to_overloaded(&to);
        }
        Ok(())
    }
}

/// Posts from a thread that is no worker of the receiver's system. Such a sender cannot be muted.
fn post_from_outside<'a>(
    to: To<'a>,
    mut envelope: Envelope,
    push: impl FnOnce(&AddressRef, NonNull<Head>) -> Result<Pushed<Head>, NonNull<Head>>,
) -> Result<(), (To<'a>, Envelope)> {
    let system = &to.system;
    let kind = envelope.kind();
    let now_ms = system.oracle.coarse_ms() as u32;
    envelope.stamp(now_ms);
    system.account_more(kind.bytes);
    match push(&to, envelope.into_node()) {
        Ok(Pushed::Wakes(node)) => {
            to.facts.wakes(now_ms);
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
