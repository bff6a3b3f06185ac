//! [`StateSource`]: what an image has of a state.

use super::codec::StoredShape;
use super::locals_codec::StoredLocals;
use std::any::Any;
use std::fmt;
use vivant_codec::{Decoder, LoadError};
use vivant_heap::{RestoredHeaps, ValueDecoder};

/// What an image has of the state of an actor.
pub struct StateSource<'a> {
    pub(crate) bytes: &'a [u8],
    /// Of the decoders of all values.
    pub(crate) contexts: &'a [&'a dyn Any],
    /// Makes decoders of values that are in no heap.
    pub(crate) values: &'a ValueDecoder<'a>,
    /// The shape that the state has in the image.
    pub(crate) stored: StoredShape<'a>,
    /// The heaps of the image, and the number of the one in which the state is.
    pub(crate) heaps: &'a RestoredHeaps<'a>,
    pub(crate) heap: Option<u64>,
    /// The locals that the last step has left in it.
    pub(crate) locals: Option<StoredLocals<'a>>,
}

impl<'a> StateSource<'a> {
    /// Loads a state that has no heap.
    pub(crate) fn load<T>(
        &self,
        load: impl for<'gc> FnOnce(&mut Decoder<'gc, 'a>, StoredShape<'a>) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let mut input = self.values.of(self.bytes);
        let loaded = load(&mut input, self.stored)?;
        input.finish().map(|()| loaded)
    }
}

impl fmt::Debug for StateSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateSource").finish_non_exhaustive()
    }
}
