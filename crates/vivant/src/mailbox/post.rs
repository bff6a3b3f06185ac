//! Posting: the one way into a mailbox, for users' messages and the runtime's alike (M6).

use super::envelope::{Envelope, Head, Role, Way};
use super::inbox::Pushed;
use super::ring::{Entry, Offered, Ticket};
use crate::cell::AddressRef;
use crate::dead_letter::Cause;
use crate::scheduler::Worker;
use crate::sync::Arc;
use std::ops::Deref;
use std::ptr::NonNull;

/// The address that a message is for.
pub(crate) enum To<'a> {
    Lent(&'a AddressRef),
    /// Given away with the message, where that saves counting it back (C6).
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

/// A message that did not go into the mailbox.
pub(crate) struct Returned<'a> {
    pub(crate) to: To<'a>,
    pub(crate) envelope: Envelope,
    /// The actor has ended, or its mailbox is full.
    pub(crate) cause: Cause,
}

/// Puts `envelope` into the mailbox of `to`, or gives both back when that actor has ended, or its mailbox has a bound and is
/// full.
///
/// Within a turn the sender may find the receiver overloaded: it is then muted when its turn ends (T5).
pub(crate) fn post(to: To<'_>, envelope: Envelope) -> Result<(), Returned<'_>> {
    match envelope.kind().way {
        Way::Straight => {}
        Way::Exempt if to.class.ring_at.is_none() => {}
        Way::Exempt | Way::Counted => return post_bounded(to, envelope, Entry::Asked),
    }
    // SAFETY: the envelope gave its parcel up as a node.
    let push = |to: &AddressRef, node| unsafe { to.inbox.push(node) };
    pushed(to, envelope, push).map_err(|(to, envelope)| Returned {
        to,
        envelope,
        cause: Cause::Ended,
    })
}

/// As `post`, for a sender that may have been promised a place.
pub(crate) fn post_by(to: To<'_>, envelope: Envelope, entry: Entry) -> Result<(), Returned<'_>> {
    match entry {
        Entry::Asked => post(to, envelope),
        Entry::Promised => post_bounded(to, envelope, entry),
    }
}

/// The actor's mailbox has a bound: the message goes into its ring, and a ticket into its inbox (M7).
#[inline(never)]
fn post_bounded(to: To<'_>, mut message: Envelope, entry: Entry) -> Result<(), Returned<'_>> {
    let system = to.system.clone();
    let bytes = message.kind().bytes;
    message.stamp(system.oracle.coarse_ms() as u32);
    system.bytes.add(bytes);
    let ticket = Envelope::new::<Ticket>((), message.head().place);
    let mut not_in = None;
    let push = |to: &AddressRef, node| {
        let Some(ring) = to.ring() else {
            // The class of the cell has none: the kind was made for another class, and a turn will say so.
            not_in = Some(Offered::Ended(message));
            return Err(node);
        };
        // SAFETY: the ticket gave its parcel up as a node.
        match ring.offer(message, entry, || unsafe { to.inbox.push(node) }) {
            Offered::Entered(pushed) => Ok(pushed),
            other => {
                not_in = Some(other);
                Err(node)
            }
        }
    };
    let Err((to, ticket)) = pushed(to, ticket, push) else {
        return Ok(());
    };
    drop(ticket);
    system.bytes.subtract(bytes);
    let full = to.ring().map_or(Cause::Ended, |ring| ring.cause());
    let (envelope, cause) = match not_in {
        None | Some(Offered::Entered(_)) => return Ok(()),
        Some(Offered::Displaced(oldest)) => {
            // What went in has been counted, and so had this one been.
            system.bytes.add(bytes);
            system.bytes.subtract(oldest.kind().bytes);
            let letters = &system.dead_letters;
            letters.bury(to.cell(), oldest, full).follow();
            return Ok(());
        }
        Some(Offered::Full(message)) => (message, full),
        Some(Offered::Ended(message)) => (message, Cause::Ended),
    };
    Err(Returned {
        to,
        envelope,
        cause,
    })
}

/// Posts `envelope` by `push`, and does what its outcome asks for.
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
    /// From a worker of the receiver's system.
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
                if depth >= system.config.marks.overloaded && kind.role == Role::Turn {
                    self.sent_to_overloaded(&to);
                }
                // SAFETY: the inbox was parked, and this push has woken it; the node is the envelope's.
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
                // SAFETY: `push` gave the node back.
                return Err((to, unsafe { Envelope::from_node(node) }));
            }
        };
        if depth >= system.config.marks.overloaded && kind.role == Role::Turn {
            self.sent_to_overloaded(&to);
        }
        Ok(())
    }
}

/// From a thread that is no worker of the receiver's system: nobody can be muted for it.
fn post_from_outside<'a>(
    to: To<'a>,
    mut envelope: Envelope,
    push: impl FnOnce(&AddressRef, NonNull<Head>) -> Result<Pushed<Head>, NonNull<Head>>,
) -> Result<(), (To<'a>, Envelope)> {
    let system = &to.system;
    let kind = envelope.kind();
    let now_ms = system.oracle.coarse_ms() as u32;
    envelope.stamp(now_ms);
    system.bytes.add(kind.bytes);
    match push(&to, envelope.into_node()) {
        Ok(Pushed::Wakes(node)) => {
            to.facts.wakes(now_ms);
            // SAFETY: the inbox was parked, and this push has woken it; the node is the envelope's.
            system.schedule_by(None, unsafe { to.woken_by(node) });
        }
        Ok(Pushed::First) => {}
        Ok(Pushed::Later) => {
            let _depth = to.pressure.add();
        }
        Err(node) => {
            system.bytes.subtract(kind.bytes);
            // SAFETY: `push` gave the node back.
            return Err((to, unsafe { Envelope::from_node(node) }));
        }
    }
    Ok(())
}
