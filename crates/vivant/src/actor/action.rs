//! Actions: what follows from a deadline, and from the end of an actor, as data.
//!
//! An action is a name and values, so it can be written to a file and made from one. It holds no
//! closure. Where the type of a value is erased, a table of functions stands for the type: that of
//! the envelope's kind, or that of one of the traits here.

use super::envelope::Envelope;
use super::error::AskError;
use super::post::{To, post_or_bury};
use super::reference::CellRef;
use super::refusal::Delivery;
use super::shared::Shared;
use crate::services::{Act, Interval};
use crate::sync::{Arc, Mutex, lock};
use std::fmt;
use std::sync::Weak;
use std::task::Waker;
use std::time::Duration;

/// The action of an alarm.
pub(crate) enum Action {
    Send(DelayedMessage),
    /// Fails the promise, whose time limit this is.
    Expire(Arc<dyn Expires>, Duration),
    /// Wakes a future that sleeps.
    Wake(Arc<Mutex<Waker>>),
    Call(&'static SystemCall, [u64; 2]),
}

/// A message to be sent later, packed when its alarm or its death watch was set.
pub(crate) enum DelayedMessage {
    /// It keeps its receiver alive.
    Strong(Delivery),
    /// It is sent if its receiver has an address then, and else dropped.
    Weak(CellRef, Envelope),
}

/// A promise of any type that has a time limit.
pub(crate) trait Expires: Send + Sync {
    /// Fails it, if it has no value yet.
    fn expire(&self, error: AskError);
}

/// A message of any type that an interval sends.
pub(crate) trait Periodic: Send {
    /// The stable name of the message.
    fn name(&self) -> &'static str;

    /// Sends a copy; the interval ends if the receiver has ended.
    fn send_copy(&self) -> Interval;
}

/// A function of a part of the system above this folder, on two numbers.
pub(crate) struct SystemCall {
    /// Its stable name.
    pub(crate) name: &'static str,
    pub(crate) call: fn(&Arc<Shared>, [u64; 2]),
}

/// The action at the end of an actor.
pub(crate) enum ExitAction {
    /// A table of the system forgets the actor. The text is the name that the actor had in it, or
    /// empty.
    Forget(&'static ActorTable, Box<str>),
    /// The actor leaves what it was a member of, under this number.
    Leave(Weak<dyn Membership>, u64),
}

/// A table of the system with actors in it.
pub(crate) struct ActorTable {
    /// Its stable name.
    pub(crate) name: &'static str,
    /// The actor with this number has ended, under this name.
    pub(crate) forget: fn(&Arc<Shared>, u64, &str),
}

/// What an actor is a member of until it ends: a group, a topic, a stream.
pub(crate) trait Membership: Send + Sync {
    fn leave(&self, number: u64);
}

impl Act for Action {
    type System = Arc<Shared>;
    type Tick = Box<dyn Periodic>;

    fn act(self, system: &Arc<Shared>) {
        match self {
            Action::Send(message) => message.send(),
            Action::Expire(promise, after) => promise.expire(AskError::TimedOut { after }),
            Action::Wake(waker) => {
                let waker = lock(&waker).clone();
                waker.wake();
            }
            Action::Call(part, numbers) => (part.call)(system, numbers),
        }
    }

    fn tick(tick: &mut Box<dyn Periodic>) -> Interval {
        tick.send_copy()
    }
}

impl DelayedMessage {
    pub(crate) fn send(self) {
        match self {
            DelayedMessage::Strong(Delivery { to, envelope }) => {
                post_or_bury(To::Owned(to), envelope);
            }
            DelayedMessage::Weak(cell, envelope) => {
                if let Some(to) = cell.upgrade() {
                    post_or_bury(To::Owned(to), envelope);
                }
            }
        }
    }
}

impl ExitAction {
    /// `actor` has ended.
    pub(crate) fn act(self, system: &Arc<Shared>, actor: u64) {
        match self {
            ExitAction::Forget(table, name) => (table.forget)(system, actor, &name),
            ExitAction::Leave(membership, number) => {
                if let Some(membership) = membership.upgrade() {
                    membership.leave(number);
                }
            }
        }
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Send(message) => write!(f, "{message:?}"),
            Action::Expire(_, after) => write!(f, "Expire({after:?})"),
            Action::Wake(_) => f.write_str("Wake"),
            Action::Call(part, numbers) => write!(f, "Call({}, {numbers:?})", part.name),
        }
    }
}

impl fmt::Debug for DelayedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (strength, cell, envelope) = match self {
            DelayedMessage::Strong(Delivery { to, envelope }) => ("Strong", to.path(), envelope),
            DelayedMessage::Weak(cell, envelope) => ("Weak", cell.path(), envelope),
        };
        write!(f, "{strength}({} to {cell})", envelope.kind().name)
    }
}

impl fmt::Debug for dyn Periodic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Periodic({})", self.name())
    }
}

impl fmt::Debug for ExitAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExitAction::Forget(table, name) => write!(f, "Forget({}, {name:?})", table.name),
            ExitAction::Leave(_, number) => write!(f, "Leave({number})"),
        }
    }
}
