//! What an image has of a stream: the items in the messages that bring them, and of a handle that
//! it was there.

use super::{Attached, StreamItem};
use crate::actor::AskError;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, Variant, shape_of};

impl<'gc, T: Saved<'gc>> Saved<'gc> for StreamItem<T> {
    const SHAPE: &'static Shape = &Shape::variants(
        "vivant::StreamItem",
        const {
            &[
                Variant::new("Item", const { &[Field::new("0", shape_of::<'gc, T>())] }),
                Variant::new("Ended", &[]),
                Variant::new(
                    "Failed",
                    const { &[Field::new("0", shape_of::<'gc, AskError>())] },
                ),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        match self {
            StreamItem::Item(item) => {
                out.variant(0);
                item.save(out);
            }
            StreamItem::Ended => out.variant(1),
            StreamItem::Failed(error) => {
                out.variant(2);
                error.save(out);
            }
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let loaded = match variant {
            0 => StreamItem::Item(fields.field(0)?),
            1 => StreamItem::Ended,
            2 => StreamItem::Failed(fields.field(0)?),
            _ => return Err(fields.no_variant()),
        };
        fields.end()?;
        Ok(loaded)
    }
}

/// A restored stream has ended. One byte says so: a collection may have few elements without bytes.
impl<'gc> Saved<'gc> for Attached {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::Attached",
        const { &[Field::new("has_ended", shape_of::<'gc, bool>())] },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        true.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let _has_ended: bool = fields.field(0)?;
        fields.end()?;
        Ok(Attached(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivant_codec::EMPTY_ELEMENTS_MAX;

    /// More than elements without bytes may be.
    #[test]
    fn a_state_may_have_many_handles() {
        let handles: Vec<_> = (0..=EMPTY_ELEMENTS_MAX).map(|_| Attached(None)).collect();
        let mut out = Encoder::new();
        handles.save(&mut out);
        let bytes = out.finish().expect("they take bytes");
        let loaded = Vec::<Attached>::load(&mut Decoder::new(&bytes));
        assert_eq!(loaded.expect("they were saved").len(), handles.len());
    }
}
