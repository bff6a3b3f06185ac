//! Entries of the tables that the actors of a system share, and the line of a cut (L10).

use super::header::Header;
use super::reference::CellRef;
use super::refusal::DelayedMessage;
use super::shared::Shared;
use super::shared_table::TableName;
use super::worker::Worker;
use crate::interned::{Name, Place};
use crate::phase::Phase;
use crate::services::AlarmEntry;
use std::any::TypeId;
use vivant_codec::{Encoder, SaveError, Shape};

/// An entry as the recorder of a cut gets it.
pub(crate) enum TableEntry<'a> {
    /// The actor has a name, registered with an address of this type.
    Name {
        name: &'a str,
        actor: &'a Header,
        registered_as: Name,
    },
    /// The system keeps the actor.
    Kept(&'a Header),
    /// The actor is a member of a group.
    Member {
        group: &'a TableName,
        /// Name of the type of the group's members.
        joined_as: Name,
        /// Grows with the members of one group.
        number: u64,
        actor: &'a Header,
    },
    /// An alarm is set.
    Alarm(AlarmEntry<'a, DelayedMessage>),
    /// An actor is subscribed to a topic.
    Subscription(SubscriptionEntry<'a>),
    /// A synchronizer constrains messages.
    Synchronizer(SynchronizerEntry<'a>),
}

/// A synchronizer, as the recorder of a cut gets it.
pub(crate) struct SynchronizerEntry<'a> {
    pub(crate) number: u64,
    /// Where in the source it is declared.
    pub(crate) declared: Place,
    /// The actors that it constrains. They may have ended.
    pub(crate) members: &'a [CellRef],
    pub(crate) lasts: Lasts,
    /// Why it dispatches nothing any more, if code of it has panicked.
    pub(crate) broken: Option<&'a str>,
    /// `None`: it is made of closures.
    pub(crate) content: Option<SynchronizerContent<'a>>,
}

/// What a saved synchronizer is made of.
pub(crate) struct SynchronizerContent<'a> {
    /// The type of its state, and its stable name.
    pub(crate) kind: (TypeId, &'static str),
    pub(crate) state: SavedArguments<'a>,
    /// The shape of its arguments, and these as they were encoded when it was declared.
    pub(crate) args: (&'static Shape, Result<&'a [u8], &'a SaveError>),
}

/// A subscription, as the recorder of a cut gets it.
pub(crate) struct SubscriptionEntry<'a> {
    pub(crate) topic: &'a TableName,
    pub(crate) number: u64,
    /// The bound on its values in flight.
    pub(crate) capacity: u64,
    pub(crate) lasts: Lasts,
    pub(crate) actor: &'a Header,
    /// The stable name of the behaviour that gets the values.
    pub(crate) behaviour: &'static str,
    /// Where the continuation was made.
    pub(crate) made: Place,
    /// The arguments that the continuation has. `None`: they have no codec.
    pub(crate) arguments: Option<SavedArguments<'a>>,
}

/// Arguments that can be saved.
pub(crate) struct SavedArguments<'a> {
    pub(crate) shape: &'static Shape,
    pub(crate) save: &'a dyn Fn(&mut Encoder<'_>),
}

/// How long a subscription lasts, or a synchronizer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lasts {
    /// As long as its handle.
    AsHandle,
    /// Until its actor ends; until the system ends.
    Forever,
}

impl Shared {
    /// Calls `body`, which changes a table of this system, with the phase of what it does. Called
    /// under the lock of the table: a thread outside that finds what code of behind the line has
    /// done there is then behind the line too.
    pub(crate) fn change_table<R>(&self, body: impl FnOnce(Phase) -> R) -> R {
        Worker::send_to(self, body)
    }
}
