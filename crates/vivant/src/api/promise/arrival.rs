//! The resolution of a promise as a message.

use super::arrival_type::Arrival;
use super::slot::Answering;
use crate::actor::{
    AskError, Delivery, Envelope, KindTable, MessageKind, Next, Processed, Refusal, StateRef,
    Worker, drop_foreign,
};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::interned::Place;
use crate::message::MessageRole;
use std::ptr;

/// S4: sends the slot with its value as a message like any other, in order with this sender's other
/// messages.
#[inline(always)]
pub(super) fn sent<T: Send + 'static>(mut slot: Answering<T>) -> Next {
    #[cfg(test)]
    if is_planted(InjectedFault::AnsweredRequestStays) {
        let owner = slot.owner().cloned();
        let envelope = Envelope::new::<Arrival<T>>(slot, Place::caller());
        return owner.map_or(Next::Nothing, |to| Next::Deliver(Delivery { to, envelope }));
    }
    let Some(owner) = slot.take_owner() else {
        return Next::Nothing;
    };
    let envelope = Envelope::new::<Arrival<T>>(slot, Place::caller());
    Next::Deliver(Delivery {
        to: owner,
        envelope,
    })
}

/// The number of the promise, and the value that a message brings to it, if it is a `T`.
pub(super) fn arriving<T: Send + 'static>(
    message: &Envelope,
) -> Option<(u64, &Result<T, AskError>)> {
    let slot = message.content::<Arrival<T>>()?;
    Some((slot.number(), slot.value()?))
}

impl<T: Send + 'static> MessageKind for Arrival<T> {
    type Content = Answering<T>;
    const KIND: KindTable = KindTable::new::<Self>("resolution", MessageRole::Resolution);

    #[inline]
    fn run(slot: Answering<T>, owner: &mut StateRef<'_>, _: &Worker) -> Processed {
        // This is the run of the owner: `sent` posts to no other actor.
        let Some((sink, value)) = slot.arrives(Some(owner.slots())) else {
            return Processed::Done;
        };
        match sink.fill(value).delivery() {
            None => Processed::Done,
            Some(Delivery { to, envelope }) => Processed::Release(to, envelope),
        }
    }

    /// The owner has ended: its own continuations are refused in their turn; every other waiting
    /// side gets the error.
    fn refuse(mut slot: Answering<T>, refusal: &Refusal, place: Place) -> Next {
        let unwanted = slot.take_value();
        drop_foreign("the drop of an answer", unwanted);
        slot.put_value(Err(refusal.error(Self::KIND.name, place)));
        let arrived = Worker::with_slots(&refusal.cell, |slots| slot.arrives(slots));
        let mut next = arrived.map_or(Next::Nothing, |(sink, value)| sink.fill(value));
        if let Next::Deliver(Delivery { to, envelope }) = &mut next
            && ptr::eq(&raw const **to, &raw const *refusal.cell)
        {
            envelope.becomes_continuation();
        }
        next
    }
}
