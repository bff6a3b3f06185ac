//! The records of an image.

use crate::api::{SavedForm, ValueName};
use crate::interned::Place;

/// What a cut contains.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Image {
    pub(super) system: SystemRecord,
    pub(super) actors: Vec<ActorRecord>,
    /// By actor; those of one actor in the order in which it would have taken them out.
    pub(super) waiting: Vec<MessageRecord>,
}

/// What a system has besides its actors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SystemRecord {
    /// The creation number of the next actor, and the number of the next actor without a parent.
    pub(super) numbers: (u64, u32),
}

/// One captured actor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ActorRecord {
    pub(super) id: u64,
    /// Stable name of its type.
    pub(super) class: &'static str,
    /// Its numbers among the children of its parents, the oldest first.
    pub(super) path: Vec<u32>,
    pub(super) children: u32,
    pub(super) random: u64,
    pub(super) content: Content,
    /// Its open promises, the newest first.
    pub(super) promises: Vec<PromiseRecord>,
}

/// One open promise.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PromiseRecord {
    /// Its number among those that its actor has open.
    pub(super) number: u64,
    /// The kind of what is done with its value.
    pub(super) sink: String,
    pub(super) value: ValueName<String>,
    pub(super) content: Vec<u8>,
    /// Values that have arrived at a join, with their positions.
    pub(super) values: Vec<(u64, Vec<u8>)>,
    /// The request of which it is the answer.
    pub(super) asked: Option<AskedRecord>,
}

/// A request that is open.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AskedRecord {
    /// The actor that has to answer.
    pub(super) actor: u64,
    pub(super) behaviour: String,
    pub(super) made: Place,
}

/// What the image has of an actor.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Its type is not saved: the actor has ended after a restore.
    NotSaved,
    /// Its state, encoded.
    State(Vec<u8>),
    /// It has no state yet: its start waits.
    Unstarted,
    /// The name of its start, and the arguments, encoded.
    Start(String, Vec<u8>),
}

/// One waiting message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageRecord {
    pub(super) actor: u64,
    pub(super) kind: WaitingKind,
    /// Where it was made.
    pub(super) made: Place,
    pub(super) content: Vec<u8>,
}

/// What a waiting message is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WaitingKind {
    Message {
        form: SavedForm,
        /// Stable name of its behaviour or start.
        name: &'static str,
    },
    /// It brings a value to an open promise of the actor.
    Arrival {
        promise: u64,
        value: ValueName<String>,
    },
}

#[cfg(test)]
impl Image {
    /// The number of open promises.
    pub(super) fn promises(&self) -> usize {
        self.actors.iter().map(|actor| actor.promises.len()).sum()
    }

    /// The number of values that are on their way.
    pub(super) fn arrivals(&self) -> usize {
        let is_arrival = |kind: &WaitingKind| matches!(kind, WaitingKind::Arrival { .. });
        let waiting = self.waiting.iter();
        waiting.filter(|message| is_arrival(&message.kind)).count()
    }
}
