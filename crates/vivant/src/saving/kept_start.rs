//! [`KeptStart`]: the start of an actor that will start again.

use crate::interned::Name;
use crate::sync::{Mutex, lock};
use std::fmt::Debug;
use vivant_codec::SaveError;

/// What an actor keeps of its start: nothing, or a [`KeptStart`].
pub trait KeepStart: Default + Debug + Send + Sync + 'static {
    /// The place to keep it, if it is kept.
    fn place(&self) -> Option<&KeptStart>;
}

impl KeepStart for () {
    fn place(&self) -> Option<&KeptStart> {
        None
    }
}

/// The name of a start, and its arguments; or why they could not be encoded.
pub(crate) type EncodedStart = (Name, Result<Box<[u8]>, SaveError>);

/// The name of a start, and its arguments as they were encoded when the actor began.
///
/// Encoded, because the start takes the arguments. So an address among them does not keep its actor
/// alive, and a resolver among them gives its value to nothing.
#[derive(Debug, Default)]
pub struct KeptStart(Mutex<Option<EncodedStart>>);

impl KeptStart {
    pub(crate) fn set(&self, name: Name, args: Result<Vec<u8>, SaveError>) {
        *lock(&self.0) = Some((name, args.map(Vec::into_boxed_slice)));
    }

    /// The name of the start and its arguments; `None` before the start, or if it was by a closure
    /// or a value.
    pub(crate) fn get(&self) -> Option<EncodedStart> {
        lock(&self.0).clone()
    }
}

impl KeepStart for KeptStart {
    fn place(&self) -> Option<&KeptStart> {
        Some(self)
    }
}
