//! [`JoinTable`]: a join, as its messages and the runtime see it; and the messages that it takes
//! together.

use super::{Envelope, KindTable};
use crate::actor::class::StateRef;
use crate::actor::options::JoinGuard;
use std::any::TypeId;
use std::fmt;

/// Limit of the messages of one join. A combination then fits into an envelope.
pub(crate) const JOIN_MAX: usize = 8;

/// The table of a [`Join`](crate::Join), which the messages of that join name
/// ([`Behaviour::JOINS`](crate::Behaviour::JOINS)).
pub struct JoinTable {
    /// The kind of its turn.
    pub(crate) kind: &'static KindTable,
    pub(crate) messages: &'static [JoinedMessage],
    /// Its position among the joins of its block.
    pub(crate) order: usize,
    pub(crate) guard: JoinGuard,
    /// Returns the value of the guard for one message of each kind.
    pub(crate) ready: fn(&[&Envelope], &mut StateRef<'_>) -> bool,
    /// Makes the message that is the join's turn.
    pub(crate) turn: fn(Combination) -> Envelope,
}

impl JoinTable {
    pub(crate) fn is_same(&self, other: &JoinTable) -> bool {
        self.kind.is_same(other.kind)
    }
}

impl fmt::Debug for JoinTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JoinTable({})", self.kind.name)
    }
}

/// One of the messages that a [`Join`](crate::Join) takes: `JoinedMessage::of::<B>()`.
pub struct JoinedMessage {
    /// The type that says of what kind the message is.
    pub(crate) id: fn() -> TypeId,
    /// Whether the asker has taken it back. What it returns may change until `begin`.
    pub(crate) is_withdrawn: fn(&Envelope) -> bool,
    /// As `is_withdrawn`, and from here on the asker cannot take it back.
    pub(crate) begin: fn(&Envelope) -> bool,
}

impl JoinedMessage {
    pub(crate) fn is_of_kind(&self, kind: &KindTable) -> bool {
        (self.id)() == (kind.id)()
    }
}

impl fmt::Debug for JoinedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JoinedMessage")
    }
}

/// One waiting message of each kind that a join takes, on the way to their turn.
pub(crate) struct Combination {
    pub(crate) join: &'static JoinTable,
    /// In the order of the join's messages; `None` from its number of messages on.
    pub(crate) messages: [Option<Envelope>; JOIN_MAX],
    /// The position of the message that arrived last.
    pub(crate) last: usize,
    pub(crate) guard: GuardOutcome,
}

/// What the evaluation of a combination's guard led to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuardOutcome {
    /// It is true, or there is none.
    True,
    /// It panicked. Its turn is to meet the same fault.
    Panicked,
}

impl Combination {
    /// Returns the message that is its turn, sent where and when the last of its messages was sent.
    pub(crate) fn into_turn(mut self) -> Envelope {
        let last = self.messages[self.last].as_mut();
        let provenance = last.map(Envelope::take_provenance);
        let mut turn = (self.join.turn)(self);
        if let Some(provenance) = provenance {
            turn.set_provenance(provenance);
        }
        turn
    }
}
