//! [`NotRestored`]: why an image cannot be restored.

use crate::api::SavedKind;
use std::fmt;
use vivant_codec::LoadError;

/// Why an image cannot be restored.
#[derive(Debug)]
pub(super) enum NotRestored {
    /// The program does not list this type of actor.
    NoType { actor: u64, class: String },
    /// The program does not list this kind of message.
    NoKind { actor: u64, kind: SavedKind },
    /// A message or an entry of a table is for an actor that the image does not have.
    NoActor(u64),
    /// An actor has an address of this type, and the program does not list the type for it.
    NoTarget { actor: u64, target: String },
    /// A value of this actor is not what the program has.
    Value { actor: u64, error: LoadError },
    /// Two actors have one number.
    Twice(u64),
}

impl fmt::Display for NotRestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRestored::NoType { actor, class } => write!(
                f,
                "the actor {actor} is of the type `{class}`, which the program does not list"
            ),
            NotRestored::NoKind { actor, kind } => write!(
                f,
                "a {kind} waits for the actor {actor}, which the program does not list"
            ),
            NotRestored::NoActor(actor) => {
                write!(
                    f,
                    "a message or a table refers to the actor {actor}, which the image lacks"
                )
            }
            NotRestored::NoTarget { actor, target } => write!(
                f,
                "the actor {actor} was registered as `{target}`, which is not listed with its type: \
                 list the interface in its `#[actor(saved, blocks(…))]`"
            ),
            NotRestored::Value { actor, error } => {
                write!(f, "a value of the actor {actor} cannot be loaded: {error}")
            }
            NotRestored::Twice(actor) => write!(f, "two actors have the number {actor}"),
        }
    }
}

impl std::error::Error for NotRestored {}
