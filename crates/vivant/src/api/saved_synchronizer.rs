//! [`StoredSynchronizer`]: a synchronizer in a file. A program lists its kinds of synchronizers,
//! each with the way in which they are declared again.

use super::promise::saved::Stored;
use crate::actor::{Lasts, Pattern, Shared};
use crate::interned::Place;
use crate::sync::Arc;
use std::any::TypeId;
use vivant_codec::{LoadError, Shape};

/// A synchronizer of an image, to be declared again.
pub(crate) struct StoredSynchronizer<'a> {
    pub(crate) system: &'a Arc<Shared>,
    pub(crate) number: u64,
    /// Where in the source it was declared.
    pub(crate) declared: Place,
    pub(crate) lasts: Lasts,
    /// Why it dispatches nothing any more.
    pub(crate) broken: Option<&'a str>,
    pub(crate) state: Stored<'a>,
    pub(crate) args: Stored<'a>,
}

/// Why a synchronizer is not declared again.
#[derive(Debug)]
pub(crate) enum NotDeclared {
    /// Its state, or its arguments, cannot be loaded.
    Value(LoadError),
    /// Its code does not make one of them, for this reason.
    Code(String),
}

/// Declares a synchronizer of an image again. Returns the patterns of its members, by their ids.
pub(crate) type DeclareAgain =
    fn(&StoredSynchronizer<'_>) -> Result<Vec<(u64, Vec<Pattern>)>, NotDeclared>;

/// A type of synchronizers, as a program lists it.
#[derive(Clone, Copy)]
pub(crate) struct ListedSynchronizer {
    /// Of the state.
    pub(crate) type_id: TypeId,
    pub(crate) type_name: &'static str,
    /// Of the state and of the arguments.
    pub(crate) shapes: [&'static Shape; 2],
    pub(crate) declare: DeclareAgain,
}
