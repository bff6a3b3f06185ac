//! [`KindCodec`]: how the messages of one kind are saved and loaded, with their content's type
//! erased.

use super::message_kind::Parcel;
use super::{Envelope, Head, MessageKind};
use crate::interned::Place;
use std::fmt;
use std::ptr::NonNull;
use vivant_codec::{Comparison, Decoder, Encoder, LoadError, Saved, Shape, ShapeId};

/// The functions of a kind of which the messages are saved. A part of its
/// [`KindTable`](super::KindTable).
#[derive(Clone, Copy)]
pub(crate) struct KindCodec {
    /// Stable name of the behaviour or start. With the form it is unique.
    pub(crate) name: &'static str,
    /// The form of the content.
    pub(crate) shape: &'static Shape,
    /// Its caller owns the parcel, which is of this kind.
    save: unsafe fn(NonNull<Head>, &mut Encoder<'_>),
    load: Load,
}

/// Loads the content of a message and packs it.
type Load = for<'gc, 'a, 'd> fn(
    &'d mut Decoder<'gc, 'a>,
    Option<StoredShape<'a>>,
    Place,
) -> Result<Envelope, LoadError>;

/// The shape that a value has in a file.
pub(crate) type StoredShape<'a> = (&'a Comparison<'a>, ShapeId);

impl KindCodec {
    /// The functions of `L`, if it is saved.
    pub(crate) const fn of<L: MessageKind>(name: &'static str) -> Option<KindCodec> {
        match L::CODEC {
            None => None,
            Some(codec) => Some(KindCodec {
                name,
                shape: codec.shape,
                save: save::<L>,
                load: load::<L>,
            }),
        }
    }

    /// Returns the same functions under this stable name.
    pub(super) const fn named(self, name: &'static str) -> KindCodec {
        KindCodec { name, ..self }
    }

    /// Reads the content of a message: with the shape that it has in a file, or with the program's.
    pub(crate) fn load<'a>(
        &self,
        input: &mut Decoder<'_, 'a>,
        stored: Option<StoredShape<'a>>,
        place: Place,
    ) -> Result<Envelope, LoadError> {
        (self.load)(input, stored, place)
    }
}

impl Envelope {
    /// Appends the content, if messages of this kind are saved.
    pub(crate) fn save(&self, out: &mut Encoder<'_>) {
        match &self.kind().codec {
            // SAFETY: the table is that of the parcel, which this envelope owns (M9).
            Some(codec) => unsafe { (codec.save)(self.0, out) },
            None => out.error(format!(
                "`{}` is a message that is not saved",
                self.kind().name
            )),
        }
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

impl fmt::Debug for KindCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KindCodec({})", self.shape.name())
    }
}
