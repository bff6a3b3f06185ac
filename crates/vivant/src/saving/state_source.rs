//! [`StateSource`]: what an image has of a state.

use super::codec::StoredShape;
use std::any::Any;
use std::fmt;
use vivant_codec::{Decoder, LoadError, ShapeId};
use vivant_heap::SpanRecord;

/// What an image has of the state of an actor.
pub struct StateSource<'a> {
    pub(crate) bytes: &'a [u8],
    /// Of the decoders of all values.
    pub(crate) contexts: &'a [&'a dyn Any],
    /// The shape that the state has in the image.
    pub(crate) stored: StoredShape<'a>,
    /// The objects of the actor's heap.
    pub(crate) spans: Vec<SpanRecord>,
    /// The shapes of the contents of objects, by the numbers of their types.
    pub(crate) objects: &'a [ShapeId],
}

impl<'a> StateSource<'a> {
    /// Loads a state that has no heap.
    pub(crate) fn load<'gc, T>(
        &self,
        load: impl FnOnce(&mut Decoder<'gc, 'a>, StoredShape<'a>) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let mut input = Decoder::new(self.bytes).with_contexts(self.contexts);
        let loaded = load(&mut input, self.stored)?;
        input.finish().map(|()| loaded)
    }
}

impl fmt::Debug for StateSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateSource").finish_non_exhaustive()
    }
}
