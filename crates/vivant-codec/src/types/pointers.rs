//! Pointers: encoded as what they point to. Loading makes each its own: sharing is lost.

use crate::errors::load_error::LoadError;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::Saved;
use crate::shape::Shape;
use std::sync::Arc;

macro_rules! pointer {
    ($($pointer:ident)*) => {
        $(impl<'gc, T: Saved<'gc>> Saved<'gc> for $pointer<T> {
            const SHAPE: &'static Shape = T::SHAPE;

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                out.nested(|out| T::save(self, out));
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<$pointer<T>, LoadError> {
                Ok($pointer::new(input.nested(T::load)?))
            }
        })*
    };
}

pointer!(Box Arc);
