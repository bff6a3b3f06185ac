//! [`RestoreMessage`]: gives an actor that runs the state that it has in an image.

use super::class::StateRef;
use super::envelope::{ActorRestored, Envelope, KindTable, MessageKind, Processed, RestoreMessage};
use super::refusal::{Next, Refusal};
use super::worker::Worker;
use crate::interned::Place;
use crate::message::MessageRole;

impl RestoreMessage {
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "without snapshots there is no image")
    )]
    pub(crate) fn envelope(self) -> Envelope {
        Envelope::new::<RestoreMessage>(self, Place::caller())
    }
}

impl MessageKind for RestoreMessage {
    type Content = RestoreMessage;
    const KIND: KindTable = KindTable::new::<Self>("restore", MessageRole::Reminder);

    fn run(message: RestoreMessage, _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Restore(Box::new(message))
    }

    fn refuse(message: RestoreMessage, _: &Refusal, _: Place) -> Next {
        (message.done)(ActorRestored::Ended);
        Next::Nothing
    }
}
