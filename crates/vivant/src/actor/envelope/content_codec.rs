//! The functions of a [`KindCodec`]: how the content of one kind of message is saved and loaded.

use super::message_kind::Parcel;
use super::{Envelope, Head, KindCodec, MessageKind};
use crate::interned::Place;
use crate::saving::StoredShape;
use std::ptr::NonNull;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// The functions of `L`, if it is saved.
pub(super) const fn kind_codec<L: MessageKind>(name: &'static str) -> Option<KindCodec> {
    match L::CODEC {
        None => None,
        Some(codec) => Some(KindCodec {
            name,
            shape: codec.shape,
            save: save::<L>,
            load: load::<L>,
            locals: L::LOCALS,
        }),
    }
}

/// # Safety
/// `head` starts a `Parcel<L::Content>` that the caller owns.
unsafe fn save<L: MessageKind>(head: NonNull<Head>, out: &mut Encoder<'_>) {
    if let Some(codec) = const { L::CODEC } {
        // SAFETY: the caller's contract (X1).
        let content = unsafe { &head.cast::<Parcel<L::Content>>().as_ref().content };
        (codec.save)(content, out);
    }
}

fn load<'a, L: MessageKind>(
    input: &mut Decoder<'_, 'a>,
    stored: Option<StoredShape<'a>>,
    place: Place,
) -> Result<Envelope, LoadError> {
    let Content(content) = match stored {
        Some((comparison, shape)) => input.stored::<Content<L>>(comparison, shape)?,
        None => Content::load(input)?,
    };
    Ok(Envelope::new::<L>(content, place))
}

/// The content of a message as a type that is saved.
struct Content<L: MessageKind>(L::Content);

impl<'gc, L: MessageKind> Saved<'gc> for Content<L> {
    const SHAPE: &'static Shape = match L::CODEC {
        Some(codec) => codec.shape,
        None => <() as Saved<'gc>>::SHAPE,
    };

    fn save(&self, out: &mut Encoder<'_>) {
        if let Some(codec) = const { L::CODEC } {
            (codec.save)(&self.0, out);
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        match const { L::CODEC } {
            Some(codec) => (codec.load)(input).map(Content),
            None => Err(input.error("a message of a kind that is not saved")),
        }
    }
}
