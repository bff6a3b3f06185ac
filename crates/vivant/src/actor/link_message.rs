//! Messages about links: a link ends an actor when its peer fails. They are ordered with all other
//! messages, and are refused with the mailbox of an actor that has ended.

use super::class::StateRef;
use super::envelope::{Envelope, KindTable, LinkMessage, LinkedPeer, MessageKind, Processed};
use super::reference::CellRef;
use super::refusal::{Delivery, Next, Refusal};
use super::saved_link;
use super::worker::Worker;
use crate::failures::{Linked, StopReason};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::saving::Codec;
use crate::sync::Arc;

impl MessageKind for LinkMessage {
    type Content = LinkMessage;
    const KIND: KindTable = KindTable::new::<Self>("link", MessageRole::Own);
    const CODEC: Option<Codec<LinkMessage>> = Some(saved_link::CODEC);

    fn run(message: LinkMessage, _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Link(message)
    }

    fn refuse(message: LinkMessage, refusal: &Refusal, _: Place) -> Next {
        match message {
            LinkMessage::Link(link) => peer_is_over(&refusal.cell, &link, &refusal.reason()),
            LinkMessage::Unlink(_) | LinkMessage::PeerFailed(..) | LinkMessage::PeerEnded(_) => {
                Next::Nothing
            }
        }
    }
}

impl LinkMessage {
    pub(crate) fn envelope(self) -> Envelope {
        Envelope::new::<LinkMessage>(self, Place::caller())
    }
}

/// `over` has ended or restarted. If `reason` is a failure, its peer fails too; otherwise it drops
/// the link.
pub(crate) fn peer_is_over(over: &CellRef, link: &LinkedPeer, reason: &StopReason) -> Next {
    let Some(to) = link.peer.upgrade() else {
        return Next::Nothing;
    };
    let back = LinkedPeer {
        peer: over.clone(),
        number: link.number,
    };
    let message = if reason.is_failure() {
        let linked = Arc::new(Linked::with(over.path(), reason));
        LinkMessage::PeerFailed(back, linked)
    } else {
        LinkMessage::PeerEnded(back)
    };
    let envelope = message.envelope();
    Next::Deliver(Delivery { to, envelope })
}
