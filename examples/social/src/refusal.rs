//! [`Refusal`]: why a request is refused.

use crate::person::PersonId;
use std::fmt;
use vivant::AskError;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such person, or no longer.
    Unknown(PersonId),
    /// A person cannot follow itself.
    Oneself(PersonId),
    /// Another shard did not answer.
    NoAnswer(AskError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unknown(id) => write!(f, "there is no person {id}"),
            Refusal::Oneself(id) => write!(f, "person {id} cannot follow itself"),
            Refusal::NoAnswer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<AskError> for Refusal {
    fn from(error: AskError) -> Refusal {
        Refusal::NoAnswer(error)
    }
}
