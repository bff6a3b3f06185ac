//! [`NotRestored`]: why an image cannot be restored.

use crate::actor::TableName;
use std::fmt;
use vivant_codec::LoadError;

/// Why the content of an image cannot be restored.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotRestored {
    /// The program does not list this type of actor.
    NoType {
        /// The number of the actor.
        actor: u64,
        /// Stable name of its type.
        type_name: String,
    },
    /// The program does not list this kind of message.
    NoKind {
        /// Path of the actor for which it waits.
        actor: String,
        /// Its form and its name.
        kind: String,
    },
    /// A message has a number that the image's table of kinds lacks.
    NoNumber {
        /// Path of the actor for which it waits.
        actor: String,
        /// The number.
        number: u32,
    },
    /// A message or an entry of a table is for an actor that the image does not have; its number.
    NoActor(u64),
    /// A name or a group leads to an actor as another type than the program lists for it.
    NoTarget {
        /// Path of the actor.
        actor: String,
        /// Stable name of that type, or of the interface.
        target: String,
    },
    /// A value is not what the program has.
    Value {
        /// Path of the actor of which it is the state, or for which it waits.
        actor: String,
        /// What the value is.
        what: String,
        /// Why.
        error: LoadError,
    },
    /// A heap has this number, which the image gives to a later one, or behind which there is no
    /// room.
    HeapNumber(u64),
    /// The heaps of the image are none.
    Heaps(LoadError),
    /// An actor says that it has a supervisor, and that one is none, or does not have it.
    NoSupervisor {
        /// Path of the actor.
        actor: String,
        /// The number of the other.
        supervisor: u64,
    },
    /// A child is up, and the image has no state of it; or it is down, and the image has one.
    WrongState {
        /// Path of the child.
        actor: String,
        /// Whether the image has a state of it.
        has_state: bool,
    },
    /// The actor with this number supervises itself, by others.
    SupervisorCycle(u64),
    /// An order waits for an actor that has no supervisor, or is none that a supervisor gives.
    NoOrder {
        /// Path of the actor.
        actor: String,
        /// The order.
        order: String,
    },
    /// An actor stops without a promise of its stop hook, or waits for such a promise and does not
    /// stop, or is to go down and has no supervisor; its path.
    StopHook {
        /// Path of the actor.
        actor: String,
    },
    /// An alarm has this number, behind which there is no room for the numbers of others.
    TimerNumber(u64),
    /// A subscription to a topic would get this number, behind which there is no room for others.
    SubscriptionNumber(u64),
    /// A group or topic without a name would get this number, behind which there is no room for
    /// others.
    TableNumber(u64),
    /// A synchronizer would get this number, behind which there is no room for others.
    SynchronizerNumber(u64),
    /// A group cannot have the members that the image names.
    Group {
        /// Its name, or `#` and its number.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// A topic cannot have the subscriptions that the image names.
    Topic {
        /// Its name, or `#` and its number.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// A synchronizer cannot be declared again.
    Synchronizer {
        /// Stable name of the type of its state.
        kind: String,
        /// Where in the source it was declared.
        declared: String,
        /// Why.
        why: String,
    },
    /// A message waits as none can that a synchronizer constrains.
    NoOffer {
        /// The number of the actor.
        actor: u64,
        /// As what it waits.
        waits_as: String,
    },
    /// Two actors have this number.
    Twice(u64),
    /// An actor has this number, and a later one would get it again.
    NumberInUse(u64),
}

impl NotRestored {
    pub(super) fn group(name: &TableName, why: &'static str) -> NotRestored {
        let name = name.shown();
        NotRestored::Group { name, why }
    }

    pub(super) fn topic(name: &TableName, why: &'static str) -> NotRestored {
        let name = name.shown();
        NotRestored::Topic { name, why }
    }
}

impl fmt::Display for NotRestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRestored::NoType { actor, type_name } => write!(
                f,
                "the actor {actor} is of the type `{type_name}`, which the program does not list; add it to the types \
                 of `System::builder().saved::<(…)>()`"
            ),
            NotRestored::NoKind { actor, kind } => write!(
                f,
                "{kind} waits for {actor}, of which the program does not have such messages any more; take the image \
                 with a program that has it, or give the behaviour its name back"
            ),
            NotRestored::NoNumber { actor, number } => write!(
                f,
                "a message for {actor} is of the kind {number}, which the image lacks; restore an older image"
            ),
            NotRestored::NoActor(actor) => write!(
                f,
                "a message or a table refers to the actor {actor}, which the image lacks"
            ),
            NotRestored::NoTarget { actor, target } => write!(
                f,
                "{actor} is registered, or in a group, as `{target}`, which is not listed with its type: list the interface in its \
                 `#[actor(saved, blocks(…))]`"
            ),
            NotRestored::Value { actor, what, error } => {
                write!(f, "{actor}: {what} cannot be loaded: {error}")
            }
            NotRestored::HeapNumber(number) => write!(
                f,
                "a heap has the number {number}, which no heap of the image can have; restore an older image"
            ),
            NotRestored::Heaps(error) => {
                write!(f, "the heaps of the image cannot be restored: {error}")
            }
            NotRestored::NoSupervisor { actor, supervisor } => write!(
                f,
                "{actor} has the actor {supervisor} as its supervisor, which does not supervise it; restore an older \
                 image"
            ),
            NotRestored::WrongState {
                actor,
                has_state: false,
            } => write!(
                f,
                "the image has no state of {actor}, which is up; restore an older image"
            ),
            NotRestored::WrongState {
                actor,
                has_state: true,
            } => write!(
                f,
                "the image has a state of {actor}, which is down; restore an older image"
            ),
            NotRestored::SupervisorCycle(actor) => write!(
                f,
                "the actor {actor} is above itself in a tree of supervisors; restore an older image"
            ),
            NotRestored::NoOrder { actor, order } => write!(
                f,
                "the order {order} waits for {actor}, and no supervisor gives it; restore an older image"
            ),
            NotRestored::StopHook { actor } => write!(
                f,
                "{actor} stops without a promise of its stop hook, or waits for one without an end that follows"
            ),
            NotRestored::SubscriptionNumber(number) => {
                write!(
                    f,
                    "the subscriptions to topics have numbers up to {number}, behind which there is no room"
                )
            }
            NotRestored::TableNumber(number) => write!(
                f,
                "the groups and topics without a name have numbers up to {number}, behind which there is no room"
            ),
            NotRestored::SynchronizerNumber(number) => write!(
                f,
                "the synchronizers have numbers up to {number}, behind which there is no room"
            ),
            NotRestored::TimerNumber(number) => write!(
                f,
                "an alarm has the number {number}, which no system reaches; restore an older image"
            ),
            NotRestored::Group { name, why } => write!(
                f,
                "the group {name:?} cannot be restored: {why}; restore an older image"
            ),
            NotRestored::Topic { name, why } => write!(
                f,
                "the topic {name:?} cannot be restored: {why}; restore an older image"
            ),
            NotRestored::Synchronizer {
                kind,
                declared,
                why,
            } => write!(
                f,
                "the synchronizer `{kind}` declared at {declared} cannot be restored: {why}"
            ),
            NotRestored::NoOffer { actor, waits_as } => write!(
                f,
                "a message for the actor {actor} waits as {waits_as}, which is none of a behaviour, or not the only \
                 one; restore an older image"
            ),
            NotRestored::NumberInUse(actor) => write!(
                f,
                "the actor {actor} has a number that the image gives to a later one"
            ),
            NotRestored::Twice(actor) => write!(f, "two actors have the number {actor}"),
        }
    }
}

impl std::error::Error for NotRestored {}
