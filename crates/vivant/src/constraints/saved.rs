//! Saved synchronizers: how those of one type are written.

use std::any::{Any, TypeId};
use vivant_codec::{Encoder, SaveError, Shape};

/// How the synchronizers of one type of state are written.
#[derive(Clone, Copy)]
pub(crate) struct SynchronizerCodec {
    /// Of the state.
    pub(crate) type_id: fn() -> TypeId,
    /// The stable name.
    pub(crate) name: &'static str,
    pub(crate) shape: &'static Shape,
    pub(crate) save: fn(&dyn Any, &mut Encoder<'_>),
    pub(crate) args_shape: &'static Shape,
}

/// What a declaration has of a saved synchronizer.
pub(crate) struct SavedDeclaration {
    pub(crate) kind: SynchronizerCodec,
    /// Encoded when it was declared: an address among them does not keep its actor alive.
    pub(crate) args: Result<Vec<u8>, SaveError>,
}
