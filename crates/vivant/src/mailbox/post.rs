//! Posting: the one way into a mailbox, for users' messages and the runtime's alike (M6).

use super::envelope::{Envelope, Role};
use super::inbox::Pushed;
use crate::cell::AddressRef;
use crate::scheduler::Worker;

/// Puts `envelope` into the mailbox of `to`, or gives it back when that actor has ended.
///
/// Within a turn the sender may find the receiver overloaded: it is then muted when its turn ends (T5).
pub(crate) fn post(to: &AddressRef, mut envelope: Envelope) -> Result<(), Envelope> {
    let system = &to.system;
    let kind = envelope.kind();
    envelope.stamp(system.oracle.coarse_ms());
    system.bytes.add(kind.bytes);
    let depth = to.pressure.add();
    // SAFETY: the envelope gave its parcel up as a node.
    match unsafe { to.inbox.push(envelope.into_node()) } {
        Ok(pushed) => {
            if pushed == Pushed::First {
                to.cell().notify();
            }
        }
        Err(node) => {
            // Who ends lets everybody go in any case, and is immune from then on.
            let _immune = to.pressure.subtract(1, system.config.marks);
            system.bytes.subtract(kind.bytes);
            // SAFETY: the inbox gave the node back.
            return Err(unsafe { Envelope::from_node(node) });
        }
    }
    if depth >= system.config.marks.overloaded && kind.role == Role::Turn {
        Worker::with_current(|worker| worker.sent_to_overloaded(to));
    }
    Ok(())
}
