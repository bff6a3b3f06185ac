//! Texts: owned, shared or borrowed.

use crate::errors::load_error::LoadError;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::Saved;
use crate::shape::primitive::Primitive;
use crate::shape::{Kind, Shape};
use std::borrow::Cow;
use std::sync::Arc;

impl<'gc> Saved<'gc> for String {
    const SHAPE: &'static Shape =
        &Shape::new(Primitive::Text.name(), Kind::Primitive(Primitive::Text));

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        out.out.counted(self.as_bytes());
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<String, LoadError> {
        if let Some(old) = input.old {
            input.old_exactly(old, Primitive::Text)?;
        }
        Ok(input.input.text()?.to_owned())
    }
}

macro_rules! as_string {
    ($($type:ty),*) => {
        $(impl<'gc> Saved<'gc> for $type {
            const SHAPE: &'static Shape = <String as Saved<'gc>>::SHAPE;

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                out.out.counted(self.as_bytes());
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
                Ok(String::load(input)?.into())
            }
        })*
    };
}

as_string!(Box<str>, Arc<str>, Cow<'_, str>);
