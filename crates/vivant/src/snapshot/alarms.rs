//! Alarms in an image: messages that are sent later, once or periodically.
//!
//! An alarm has its deadline on the clock of its system, and the restored system continues that
//! clock. So the delay that was left is left after a restore, and times that actors have in their
//! states stay comparable. What passes between the two is no time of the system.
//!
//! Time limits are not here: each belongs to a promise, a future or a wait.

use super::message_record::MessageRecord;
use crate::actor::{DelayedMessage, Delivery, Envelope, Header};
use crate::saving::{saved_enum, saved_struct};
use crate::services::{Action, Alarm};

/// An alarm that is set.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AlarmRecord {
    /// By which its timer names it.
    pub(super) number: u64,
    pub(super) at_ns: u64,
    pub(super) repeats: Repeats,
    /// With its receiver.
    pub(super) message: MessageRecord,
}

/// How an alarm sends its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// Once. It keeps the receiver alive.
    Once,
    /// Once, if the receiver has an address then.
    OnceIfReferenced,
    /// With this period. It keeps the receiver alive.
    Every { ns: u64 },
}

/// Calls `body` with what an alarm of a program sends, and its receiver. Other alarms belong to the
/// runtime, which sets them anew. Returns what was copied for it, to be dropped without a lock: it
/// has addresses.
pub(super) fn with_message(
    alarm: &Alarm<DelayedMessage>,
    mut body: impl FnMut(&Header, &Envelope, Repeats),
) -> Option<DelayedMessage> {
    match alarm {
        Alarm::Once(Action::Send(message)) => {
            send(message, Repeats::Once, &mut body);
            None
        }
        Alarm::Every { period_ns, message } => {
            let copy = message.copy()?;
            send(&copy, Repeats::Every { ns: *period_ns }, &mut body);
            Some(copy)
        }
        Alarm::Limit(_) | Alarm::Once(_) => None,
    }
}

/// Calls `body` with what a message is, and its receiver. `repeats` holds if it keeps that alive.
pub(super) fn send(
    message: &DelayedMessage,
    repeats: Repeats,
    body: &mut impl FnMut(&Header, &Envelope, Repeats),
) {
    match message {
        DelayedMessage::Strong(Delivery { to, envelope }) => body(to, envelope, repeats),
        DelayedMessage::Weak(to, envelope) => body(to, envelope, Repeats::OnceIfReferenced),
    }
}

saved_struct!(AlarmRecord as "vivant::AlarmRecord" {
    0 number: u64,
    1 at_ns: u64,
    2 repeats: Repeats,
    3 message: MessageRecord,
});

saved_enum!(Repeats as "vivant::Repeats" {
    0 Once,
    1 OnceIfReferenced,
    2 Every { ns: u64 },
});
