//! How messages about links are saved.

use super::envelope::{LinkMessage, LinkedPeer};
use super::saved_cells::{load_cell, save_cell};
use crate::failures::Linked;
use crate::saving::{Codec, saved_enum};
use crate::sync::Arc;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};

/// What a message about a link says, besides the peer and the number of the link.
enum LinkEvent {
    Link,
    Unlink,
    PeerFailed(Arc<Linked>),
    PeerEnded,
}

saved_enum!(LinkEvent as "vivant::LinkEvent" {
    0 Link,
    1 Unlink,
    2 PeerFailed { 0: Arc<Linked> },
    3 PeerEnded,
});

const SHAPE: &Shape = &Shape::structure(
    "vivant::LinkMessage",
    const {
        &[
            Field::new("peer", shape_of::<u64>()),
            Field::new("number", shape_of::<u64>()),
            Field::new("event", shape_of::<LinkEvent>()),
        ]
    },
);

/// The codec of a message about a link.
pub(super) const CODEC: Codec<LinkMessage> = Codec::new(SHAPE, save, load);

fn save(message: &LinkMessage, out: &mut Encoder<'_>) {
    let (peer, number, event) = match message {
        LinkMessage::Link(link) => (&link.peer, link.number, LinkEvent::Link),
        LinkMessage::Unlink(peer) => (peer, 0, LinkEvent::Unlink),
        LinkMessage::PeerFailed(link, why) => {
            (&link.peer, link.number, LinkEvent::PeerFailed(why.clone()))
        }
        LinkMessage::PeerEnded(link) => (&link.peer, link.number, LinkEvent::PeerEnded),
    };
    save_cell(peer, out);
    number.save(out);
    event.save(out);
}

fn load(input: &mut Decoder<'_, '_>) -> Result<LinkMessage, LoadError> {
    let mut fields = input.structure(SHAPE)?;
    let id = fields.field(0)?;
    let number = fields.field(1)?;
    let event = fields.field(2)?;
    fields.end()?;
    let peer = load_cell(id, input)?;
    Ok(match event {
        LinkEvent::Unlink => LinkMessage::Unlink(peer),
        LinkEvent::Link => LinkMessage::Link(LinkedPeer { peer, number }),
        LinkEvent::PeerFailed(why) => LinkMessage::PeerFailed(LinkedPeer { peer, number }, why),
        LinkEvent::PeerEnded => LinkMessage::PeerEnded(LinkedPeer { peer, number }),
    })
}
