//! [`Content`]: the bytes of one object's content, with the shape that they have.

use std::ptr;
use vivant_codec::{Comparison, Decoder, LoadError, Saved, ShapeId};

/// A decoder at the content of an object.
pub(super) struct Content<'a> {
    /// It has the brand of the heap, which stands erased here.
    pub(super) input: Decoder<'static, 'a>,
    pub(super) shapes: &'a Comparison<'a>,
    pub(super) shape: ShapeId,
}

impl<'a> Content<'a> {
    /// Reads the content as a `T`, to its end.
    ///
    /// # Safety
    ///
    /// `'gc` is the brand of the heap that is being restored.
    pub(super) unsafe fn load<'gc, T: Saved<'gc>>(mut self) -> Result<T, LoadError> {
        let value = {
            // SAFETY: the same decoder (X2) but for its brand, which is that of the heap by the
            // caller's contract (X1). A lifetime has no part in a layout (X8).
            let input = unsafe { &mut *ptr::from_mut(&mut self.input).cast::<Decoder<'gc, 'a>>() };
            input.stored(self.shapes, self.shape)?
        };
        self.input.finish()?;
        Ok(value)
    }
}

/// An error that is at no place of the bytes.
pub(super) fn fault(why: impl Into<String>) -> LoadError {
    Decoder::new(&[]).error(why.into())
}
