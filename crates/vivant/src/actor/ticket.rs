//! Posting to a bounded mailbox: the message goes into its bounded queue, and a ticket into its
//! inbox (M7).

use super::class::StateRef;
use super::envelope::{KindTable, MessageKind, Processed};
use super::refusal::{Next, Refusal};
use super::worker::Worker;
use crate::interned::Place;
use crate::message::MessageRole;

/// The node in the inbox that stands for a message of the bounded queue. It never runs: its guard
/// is always false, and the holder redeems such deferred tickets. So the path of messages without
/// tickets has no additional check.
pub(crate) struct Ticket;

impl MessageKind for Ticket {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("ticket", MessageRole::Ticket);

    fn ready((): &(), _: &mut StateRef<'_>) -> bool {
        false
    }

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}
