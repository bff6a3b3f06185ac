//! Values that are saved as what is in them.

use crate::types::leaf::Leaf;
use crate::types::mutable::Mut;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

impl<'gc, T: Saved<'gc>> Saved<'gc> for Mut<T> {
    const SHAPE: &'static Shape = T::SHAPE;

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        match self.look(|value| value.save(out)) {
            Some(()) => {}
            None => out.error("a value that is borrowed mutably"),
        }
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Mut<T>, LoadError> {
        Ok(Mut::new(T::load(input)?))
    }
}

impl<'gc, T: Saved<'gc>> Saved<'gc> for Leaf<T> {
    const SHAPE: &'static Shape = T::SHAPE;

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Leaf<T>, LoadError> {
        Ok(Leaf(T::load(input)?))
    }
}
