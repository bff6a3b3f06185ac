//! What a resolver gives its value to, as data: the numbers of an actor and of its open promise.

use super::Resolver;
use super::resolver::{Destination, RELAYS_MAX};
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

impl<T: Send + 'static> Resolver<T> {
    /// Waits for the lock of each time limit that the resolver passes through.
    pub(super) fn receiver(&self) -> Receiver {
        self.receiver_through(RELAYS_MAX)
    }

    /// Through relays that many times at most: each is a call.
    pub(super) fn receiver_through(&self, relays_max: usize) -> Receiver {
        match &self.to {
            Destination::Discard => Receiver::Nothing,
            Destination::Outside(_) => Receiver::Outside,
            Destination::Slot(slot) => slot.owner().map_or(Receiver::Nothing, |owner| {
                Receiver::Slot(SlotName {
                    owner: ActorName::of(owner),
                    number: slot.number(),
                })
            }),
            Destination::Relay(relay) => match relays_max.checked_sub(1) {
                Some(fewer) => relay.receiver(fewer),
                None => Receiver::Further,
            },
        }
    }
}
