//! [`SubscriptionName`]: by what the messages of a subscription name it in an image.

use super::super::table_identity::TableIdentity;
use crate::actor::{SeenActors, TableName};
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// A topic, and the number of a subscription there.
#[derive(Clone)]
pub(super) struct SubscriptionName {
    pub(super) topic: TableIdentity,
    pub(super) number: u64,
}

/// What a subscription is saved as; `None`: an image does not contain it.
pub(super) type NameInImage = Option<(TableName, u64)>;

/// Its shape.
pub(super) const SHAPE: &Shape =
    &Shape::reference("vivant::Subscription", shape_of::<NameInImage>());

impl SubscriptionName {
    /// The name in an image of the system that is encoded.
    pub(super) fn in_image(&self, out: &Encoder<'_>) -> NameInImage {
        Some((self.topic.in_image(out)?, self.number))
    }
}

/// A handle of a subscription: its name is noted, so that the image contains the subscription.
pub(super) fn save_held(name: Option<&SubscriptionName>, out: &mut Encoder<'_>) {
    let name = name.and_then(|name| name.in_image(out));
    if let Some((topic, number)) = &name {
        SeenActors::note_subscription(topic, *number, out);
    }
    name.save(out);
}

/// The name that a handle has in an image.
pub(super) fn load_held(input: &mut Decoder<'_, '_>) -> Result<NameInImage, LoadError> {
    input.reference(SHAPE)
}
