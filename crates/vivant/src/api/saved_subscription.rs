//! [`StoredSubscription`]: a subscription in a file. A program lists the continuations of topics,
//! each with the way in which its subscriptions are restored.

use super::promise::saved::Stored;
use crate::actor::{AddressRef, Lasts, TableName};
use crate::interned::Place;
use std::any::TypeId;
use vivant_codec::LoadError;

/// A subscription in a file.
pub(crate) struct StoredSubscription<'a> {
    pub(crate) topic: &'a TableName,
    pub(crate) number: u64,
    pub(crate) capacity: usize,
    pub(crate) lasts: Lasts,
    pub(crate) to: &'a AddressRef,
    /// Where the continuation was made.
    pub(crate) made: Place,
    /// The arguments that the continuation has.
    pub(crate) arguments: Stored<'a>,
}

/// Why a subscription is not restored.
#[derive(Debug)]
pub(crate) enum NotSubscribed {
    /// The topic cannot have it.
    Topic(&'static str),
    /// Its arguments cannot be loaded.
    Arguments(LoadError),
}

/// Restores a subscription with a continuation that is known.
pub(crate) type Subscribe = fn(&StoredSubscription<'_>) -> Result<(), NotSubscribed>;

/// A continuation of a topic, as a program lists it.
#[derive(Clone, Copy)]
pub(super) struct ListedSubscriber {
    pub(super) actor: TypeId,
    pub(super) subscribe: Subscribe,
}
