//! Posting: the one way into a mailbox, for users' messages and the runtime's alike (M6).

use super::envelope::{Envelope, Role};
use super::inbox::Pushed;
use crate::cell::AddressRef;
use crate::scheduler::Worker;
use crate::sync::Arc;
use std::ops::Deref;

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

/// Puts `envelope` into the mailbox of `to`, or gives both back when that actor has ended.
///
/// Within a turn the sender may find the receiver overloaded: it is then muted when its turn ends (T5).
pub(crate) fn post(to: To<'_>, envelope: Envelope) -> Result<(), (To<'_>, Envelope)> {
    Worker::with_any(|worker| match worker {
        Some(worker) if Arc::ptr_eq(&worker.system, &to.system) => worker.post(to, envelope),
        _ => post_from_outside(to, envelope),
    })
}

impl Worker {
    /// From a worker of the receiver's system.
    #[inline]
    fn post<'a>(&self, to: To<'a>, mut envelope: Envelope) -> Result<(), (To<'a>, Envelope)> {
        let system = &self.system;
        let kind = envelope.kind();
        let now_ms = system.oracle.coarse_ms() as u32;
        envelope.stamp(now_ms);
        self.account_more(kind.bytes);
        // SAFETY: the envelope gave its parcel up as a node.
        let depth = match unsafe { to.inbox.push(envelope.into_node()) } {
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
                // SAFETY: the inbox gave the node back.
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
fn post_from_outside(to: To<'_>, mut envelope: Envelope) -> Result<(), (To<'_>, Envelope)> {
    let system = &to.system;
    let kind = envelope.kind();
    let now_ms = system.oracle.coarse_ms() as u32;
    envelope.stamp(now_ms);
    system.bytes.add(kind.bytes);
    // SAFETY: the envelope gave its parcel up as a node.
    match unsafe { to.inbox.push(envelope.into_node()) } {
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
            // SAFETY: the inbox gave the node back.
            return Err((to, unsafe { Envelope::from_node(node) }));
        }
    }
    Ok(())
}
