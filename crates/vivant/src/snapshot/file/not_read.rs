//! [`NotRead`]: why an image of a store is no image of a system.

use super::header::FORMAT;
use std::fmt;
use vivant_codec::LoadError;

/// Why an image of a store is no image of a system.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotRead {
    /// The store failed, or the image is damaged.
    Store(vivant_journal::Error),
    /// The image was written in another version of the format, with this number.
    OtherVersion(u32),
    /// The metadata of the image are not those of a snapshot.
    NotASnapshot(LoadError),
    /// A record is not what its kind says.
    Record {
        /// The record's id.
        id: u64,
        /// Why.
        error: LoadError,
    },
    /// A record is of a kind that this version of the format does not have.
    NoKind {
        /// The record's id.
        id: u64,
        /// The number of the kind.
        kind: u16,
    },
    /// The image has not one record of the system, one of shapes, one of kinds of messages, and one
    /// of what is shared.
    NotOnce(&'static str),
    /// An earlier image lacks a span that has not changed since it was taken, as this image says.
    NoSpan {
        /// The number of the earlier image.
        image: u64,
        /// The number of the heap.
        heap: u64,
        /// The number of the span in its heap.
        span: u32,
    },
    /// The image leaves a span to two earlier ones, or twice to one.
    SpanTwice {
        /// The number of the heap.
        heap: u64,
        /// The number of the span in its heap.
        span: u32,
    },
}

impl From<vivant_journal::Error> for NotRead {
    fn from(error: vivant_journal::Error) -> NotRead {
        NotRead::Store(error)
    }
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRead::Store(error) => write!(f, "{error}"),
            NotRead::OtherVersion(found) => write!(
                f,
                "the image has version {found} of the format, and this program reads version {FORMAT}; use the version \
                 of vivant that wrote it"
            ),
            NotRead::NotASnapshot(error) => write!(
                f,
                "the image is no snapshot of a system: its metadata cannot be read: {error}"
            ),
            NotRead::Record { id, error } => write!(
                f,
                "the record {id} of the image cannot be read: {error}; restore an older image"
            ),
            NotRead::NoKind { id, kind } => write!(
                f,
                "the record {id} of the image is of the kind {kind}, which snapshots do not have; restore an older \
                 image"
            ),
            NotRead::NoSpan { image, heap, span } => write!(
                f,
                "the image {image} lacks the span {span} of heap {heap}, which was left to it; restore an older image"
            ),
            NotRead::SpanTwice { heap, span } => write!(
                f,
                "the image has the span {span} of heap {heap} twice; restore an older image"
            ),
            NotRead::NotOnce(what) => write!(
                f,
                "the image has not one record of {what}; restore an older image"
            ),
        }
    }
}

impl std::error::Error for NotRead {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NotRead::Store(error) => Some(error),
            NotRead::NotASnapshot(error) | NotRead::Record { error, .. } => Some(error),
            NotRead::OtherVersion(_)
            | NotRead::NoKind { .. }
            | NotRead::NotOnce(_)
            | NotRead::NoSpan { .. }
            | NotRead::SpanTwice { .. } => None,
        }
    }
}
