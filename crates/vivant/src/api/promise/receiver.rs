//! What a resolver gives its value to, as data: the numbers of an actor and of its open promise.

use crate::actor::AddressRef;

/// What a resolver gives its value to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Receiver {
    /// No value is wanted, or the promise has one.
    Nothing,
    Slot(SlotName),
    /// A future or a thread outside of the system.
    Outside,
    /// Another resolver, of the `Ok` of a result.
    Ok(Box<Receiver>),
    /// Another resolver, if the value is in time; see
    /// [`SinkKind::Limit`](super::sink_data::SinkKind::Limit).
    InTime(u64, Box<Receiver>),
    /// Another resolver, behind more relays than are followed.
    Further,
}

/// The name of an actor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ActorName {
    /// The number of its system.
    pub(crate) system: u64,
    /// Its id there.
    pub(crate) id: u64,
}

/// The name of an open promise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SlotName {
    pub(crate) owner: ActorName,
    /// Its number in the list of its owner; 0 if it is in no list.
    pub(crate) number: u64,
}

impl ActorName {
    pub(super) fn of(address: &AddressRef) -> ActorName {
        ActorName {
            system: address.system.number,
            id: address.id,
        }
    }
}
