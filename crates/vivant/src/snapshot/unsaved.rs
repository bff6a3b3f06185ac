//! [`Unsaved`]: what an image cannot contain.

use std::fmt;
use vivant_codec::SaveError;

/// What an image cannot contain.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unsaved {
    /// A value of this actor could not be encoded.
    Value {
        /// Path of the actor.
        actor: String,
        /// Why.
        error: SaveError,
    },
    /// Code that encodes a value of this actor panicked.
    Panicked {
        /// Path of the actor.
        actor: String,
        /// The message of the panic.
        message: String,
    },
    /// The recording itself panicked, with this message.
    Failed(String),
    /// The program saves this type of actor, or this message of it, and does not list it.
    NotListed {
        /// Path of the actor.
        actor: String,
        /// The type or the message.
        what: String,
    },
    /// The actor has something that no image contains yet.
    Lacking {
        /// Path of the actor.
        actor: String,
        /// What it has.
        what: String,
    },
    /// The heap of this actor was not written to its end.
    Heap {
        /// Path of the actor.
        actor: String,
        /// Why.
        error: vivant_heap::ImageError,
    },
    /// The types of the program have too many shapes.
    Shapes(SaveError),
}

impl fmt::Display for Unsaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsaved::Value { actor, error } => write!(f, "{actor} cannot be saved: {error}"),
            Unsaved::Panicked { actor, message } => write!(
                f,
                "{actor} cannot be saved: its code that saves a value panicked: {message}"
            ),
            Unsaved::Failed(message) => write!(f, "the recording panicked: {message}"),
            Unsaved::NotListed { actor, what } => write!(
                f,
                "{actor} cannot be saved: the program does not list {what}; add it, or its actor, to the types of \
                 `System::builder().saved::<(…)>()`"
            ),
            Unsaved::Heap { actor, error } => write!(f, "{actor} cannot be saved: {error}"),
            Unsaved::Shapes(error) => write!(f, "the shapes of the program's types: {error}"),
            Unsaved::Lacking { actor, what } => {
                write!(f, "{actor} has what an image does not contain: {what}")
            }
        }
    }
}

impl std::error::Error for Unsaved {}
