//! [`Commit`]: what a client wants to change, and [`Refusal`]: why it may not.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use vivant::AskError;

/// Replaces a part of a document. Positions are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The document; it is made if it does not exist.
    pub document: String,
    /// Where the part begins.
    pub at: usize,
    /// Its length.
    #[serde(default)]
    pub remove: usize,
    /// What comes in its place.
    #[serde(default)]
    pub insert: String,
}

/// Edits of one or more documents, all or none of which are made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The version that the client has read.
    pub base: u64,
    /// Other documents that must not have changed since then.
    #[serde(default)]
    pub reads: Vec<String>,
    /// The edits, in their order.
    pub edits: Vec<Edit>,
}

impl Commit {
    /// All documents that must be as they were.
    pub(crate) fn documents(&self) -> impl Iterator<Item = &str> {
        let edited = self.edits.iter().map(|edit| &edit.document);
        edited.chain(&self.reads).map(String::as_str)
    }
}

/// Why a commit has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A document has changed since the client read it: read again, and commit again.
    Conflict {
        /// The document.
        document: String,
        /// The version in which it changed.
        changed: u64,
    },
    /// An edit reaches beyond the end of its document, or cuts a character in two.
    OutOfBounds(Edit),
    /// The base is a version that does not exist yet.
    NoSuchVersion(u64),
    /// The journal could not be written.
    NotWritten(io::ErrorKind),
    /// No answer came.
    NoAnswer(AskError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Conflict { document, changed } => {
                write!(f, "{document} has changed in version {changed}")
            }
            Refusal::OutOfBounds(edit) => write!(
                f,
                "bytes {} to {} of {} are not whole characters of it",
                edit.at,
                edit.at.saturating_add(edit.remove),
                edit.document
            ),
            Refusal::NoSuchVersion(number) => write!(f, "there is no version {number}"),
            Refusal::NotWritten(kind) => write!(f, "the journal could not be written: {kind}"),
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
