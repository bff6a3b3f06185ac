//! `Option`, `Result` and `Bound`.

use crate::errors::load_error::LoadError;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::{Saved, shape_of};
use crate::shape::{Field, Kind, Shape, Variant};
use std::ops::Bound;

impl<'gc, T: Saved<'gc>> Saved<'gc> for Option<T> {
    const SHAPE: &'static Shape = &Shape::new("option", Kind::Option(shape_of::<'gc, T>()));

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        match self {
            None => out.out.byte(0),
            Some(value) => {
                out.out.byte(1);
                value.save(out);
            }
        }
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Option<T>, LoadError> {
        input.option(Self::SHAPE)
    }
}

impl<'gc, T: Saved<'gc>, E: Saved<'gc>> Saved<'gc> for Result<T, E> {
    const SHAPE: &'static Shape = &Shape::variants(
        "Result",
        const {
            &[
                Variant::new("Ok", const { &[Field::new("0", shape_of::<'gc, T>())] }),
                Variant::new("Err", const { &[Field::new("0", shape_of::<'gc, E>())] }),
            ]
        },
    );

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        match self {
            Ok(value) => {
                out.variant(0);
                value.save(out);
            }
            Err(error) => {
                out.variant(1);
                error.save(out);
            }
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Result<T, E>, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let loaded = match variant {
            0 => Ok(fields.field(0)?),
            _ => Err(fields.field(0)?),
        };
        fields.end()?;
        Ok(loaded)
    }
}

impl<'gc, T: Saved<'gc>> Saved<'gc> for Bound<T> {
    const SHAPE: &'static Shape = &Shape::variants(
        "Bound",
        const {
            &[
                Variant::new("Unbounded", &[]),
                Variant::new(
                    "Included",
                    const { &[Field::new("0", shape_of::<'gc, T>())] },
                ),
                Variant::new(
                    "Excluded",
                    const { &[Field::new("0", shape_of::<'gc, T>())] },
                ),
            ]
        },
    );

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        match self {
            Bound::Unbounded => out.variant(0),
            Bound::Included(bound) => {
                out.variant(1);
                bound.save(out);
            }
            Bound::Excluded(bound) => {
                out.variant(2);
                bound.save(out);
            }
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Bound<T>, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let loaded = match variant {
            0 => Bound::Unbounded,
            1 => Bound::Included(fields.field(0)?),
            _ => Bound::Excluded(fields.field(0)?),
        };
        fields.end()?;
        Ok(loaded)
    }
}
