//! Posting to a bounded mailbox: the message goes into its ring, and a ticket into its inbox (M7).

use super::class::StateRef;
use super::envelope::{Kind, MessageKind, Step};
use super::refusal::{Next, Refusal};
use super::worker::Worker;
use crate::message::MessageRole;
use std::panic::Location;

/// The node in the inbox that stands for a message of the ring. It never runs: its guard is always
/// false, and the holder redeems such deferred tickets. So the path of messages without tickets has
/// no additional check.
pub(crate) struct Ticket;

impl MessageKind for Ticket {
    type Content = ();
    const KIND: Kind = Kind::new::<Self>("ticket", MessageRole::Ticket);

    fn ready((): &(), _: &mut StateRef<'_>) -> bool {
        false
    }

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Step {
        Step::Done
    }

    fn refuse((): (), _: &Refusal, _: &'static Location<'static>) -> Next {
        Next::Nothing
    }
}
