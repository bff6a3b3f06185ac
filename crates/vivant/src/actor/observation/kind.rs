//! The kinds of observations, and where their answers come from.

use crate::actor::header::Header;
use crate::phase::Phase;
use crate::services::TimerId;

/// Makes an enum, and for tests the list of its variants.
macro_rules! listed {
    ($(#[$meta:meta])* enum $name:ident { $($(#[doc = $doc:literal])+ $variant:ident,)+ }) => {
        $(#[$meta])*
        pub(crate) enum $name { $($(#[doc = $doc])+ $variant,)+ }

        #[cfg(all(test, feature = "macros"))]
        impl $name {
            pub(crate) const ALL: &[$name] = &[$($name::$variant),+];
        }
    };
}

listed! {
    /// What a turn observes. Each has a row in the table of `README.md`.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    enum Observation {
        /// Whether an actor has not ended.
        Alive,
        /// Whether an actor still has an address.
        Upgrade,
        /// Whether an actor would take a message that is given back otherwise.
        Send,
        /// Whether a waiting send finds room.
        Room,
        /// A message was refused at once, and why.
        Refused,
        /// The creation number of an actor that the turn has made.
        Birth,
        /// Whether the system kept an address.
        Kept,
        /// Which other actor has the name that is registered, or whether the actor has ended.
        Register,
        /// Whether a name was removed.
        Unregister,
        /// Which actor has a name.
        Lookup,
        /// Whether there is a group or topic of a name.
        Registry,
        /// Whether an actor has become a member.
        Join,
        /// Whether an actor was a member.
        Leave,
        /// The members of a group.
        Members,
        /// Whether an actor was subscribed.
        Subscribe,
        /// The subscriptions of a topic.
        Subscribers,
        /// Whether a subscription, or the receiver of a stream, takes one more value.
        Admission,
        /// The number of values that a subscription has missed.
        Missed,
        /// Whether the receiver of a stream had not ended.
        Attach,
        /// The round-robin position of a router.
        Position,
        /// The number of messages of a router's member.
        Load,
        /// Whether a timer is set.
        TimerSet,
        /// Whether a timer was set until it was cancelled.
        TimerCancel,
        /// Whether a timer was set when it was restarted.
        TimerRestart,
        /// Whether a reply is awaited, and until when.
        Awaited,
        /// Whether a request of outside was withdrawn in time.
        Withdrawal,
        /// Whether the reply to a request of outside is there.
        Reply,
        /// The address that a pipeline has got.
        Pipeline,
        /// The number of a synchronizer, or the member that has ended.
        Synchronizer,
        /// Whether a death watch was removed before its object was found dead.
        DeathWatch,
        /// Counts of dead letters.
        DeadLetters,
        /// An inspection of the system.
        Inspection,
    }
}

impl Observation {
    /// Whether a turn before the line of a cut may learn by this of something behind it (L8). A
    /// refusal has the phase of what it is news of (L3), and the number of an actor that is made
    /// says nothing of others.
    #[inline]
    pub(super) const fn may_cross_line(self) -> bool {
        !matches!(self, Observation::Birth | Observation::Refused)
    }
}

/// Where an answer comes from. The turn and this source have each their place in a cut: that is
/// what a snapshot compares.
pub(crate) enum Source<'a> {
    /// An actor, as all threads see it.
    Actor(&'a Header),
    /// An entry of a table that turns share.
    Entry(&'a dyn Entry),
    /// A table that has no such entry, or that is read as a whole.
    Table(Table),
}

/// A source as data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SourceData {
    Actor(u64),
    Entry(Table),
    Table(Table),
}

/// An entry of a table that turns share.
pub(crate) trait Entry {
    /// The table of the entry.
    fn table(&self) -> Table;

    /// The newest code that has changed what a turn reads here.
    fn changed(&self) -> Changed {
        Changed::Unknown
    }
}

/// The newest code that has changed what a turn reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Changed {
    /// It may be behind the line.
    Unknown,
    /// None that makes a difference to a cut.
    Never,
    /// Code of this phase of the system with this number.
    In(u64, Phase),
}

impl Changed {
    /// Code of this phase of a system has changed it, too.
    pub(crate) fn by(self, system: u64, code: Phase) -> Changed {
        match self {
            Changed::Never => Changed::In(system, code),
            Changed::In(same, before) if same == system => Changed::In(same, before.max(code)),
            Changed::In(..) | Changed::Unknown => Changed::Unknown,
        }
    }
}

/// A table that turns share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Table {
    /// The actors of the system.
    Actors,
    /// Registered names of actors.
    Names,
    /// Groups and topics by name.
    Registries,
    /// The members of a group.
    Group,
    /// The subscriptions of a topic.
    Topic,
    /// The elements in flight of a stream.
    Stream,
    /// The members of a router, and its position.
    Router,
    /// Timers.
    Timers,
    /// Promises, and what awaits them.
    Promises,
    /// Synchronizers.
    Synchronizers,
    /// Death watches of the turn's own heap, which its collector removes.
    DeathWatches,
    /// Counts of dead letters.
    DeadLetters,
}

impl Source<'_> {
    /// The entry if there is one, else its table.
    #[inline]
    pub(crate) fn entry_of(table: Table, entry: Option<&impl Entry>) -> Source<'_> {
        match entry {
            Some(entry) => Source::Entry(entry),
            None => Source::Table(table),
        }
    }

    pub(super) fn data(&self) -> SourceData {
        match self {
            Source::Actor(actor) => SourceData::Actor(actor.id),
            Source::Entry(entry) => SourceData::Entry(entry.table()),
            Source::Table(table) => SourceData::Table(*table),
        }
    }
}

impl Entry for TimerId {
    fn table(&self) -> Table {
        Table::Timers
    }
}
