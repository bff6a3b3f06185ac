//! Ranges, as serde encodes them.

use crate::errors::load_error::LoadError;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::{Saved, shape_of};
use crate::shape::{Field, Shape};
use std::ops::{Range, RangeFrom, RangeTo};

impl<'gc, T: Saved<'gc>> Saved<'gc> for Range<T> {
    const SHAPE: &'static Shape = &Shape::structure(
        "Range",
        const {
            &[
                Field::new("start", shape_of::<'gc, T>()),
                Field::new("end", shape_of::<'gc, T>()),
            ]
        },
    );

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        self.start.save(out);
        self.end.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Range<T>, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let range = fields.field(0)?..fields.field(1)?;
        fields.end()?;
        Ok(range)
    }
}

/// A range with one bound.
macro_rules! half {
    ($range:ident, $name:literal, $bound:ident, $field:literal) => {
        impl<'gc, T: Saved<'gc>> Saved<'gc> for $range<T> {
            const SHAPE: &'static Shape =
                &Shape::structure($name, const { &[Field::new($field, shape_of::<'gc, T>())] });

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                self.$bound.save(out);
            }

            fn load(input: &mut Decoder<'gc, '_>) -> Result<$range<T>, LoadError> {
                let mut fields = input.structure(Self::SHAPE)?;
                let $bound = fields.field(0)?;
                fields.end()?;
                Ok($range { $bound })
            }
        }
    };
}

half!(RangeFrom, "RangeFrom", start, "start");
half!(RangeTo, "RangeTo", end, "end");
