//! [`StreamItem`]: what a stream gives to its reader.

use crate::actor::AskError;

/// A message from a stream that was attached to an actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamItem<T> {
    /// An item.
    Item(T),
    /// The stream has ended. Nothing follows.
    Ended,
    /// The stream has failed: it panicked, or nothing is left that could wake it, or the system was
    /// restored from a snapshot. Nothing follows.
    Failed(AskError),
}
