//! [`Problem`]: why a snapshot cannot be read.

use super::heap::ObjectName;
use std::io;
use thiserror::Error;
use vivant_codec::LoadError;

/// Why a snapshot cannot be read, and what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The store failed, or the image is damaged.
    #[error(transparent)]
    Store(#[from] vivant_journal::Error),
    /// There is no image.
    #[error("the store has no image; take one with `System::snapshot`")]
    NoImage,
    /// The metadata of the image are not those of a snapshot.
    #[error("image {number} is no snapshot of a system: {error}; is it of another program?")]
    NotASnapshot {
        /// The image's number.
        number: u64,
        /// Why.
        error: LoadError,
    },
    /// The image has another version of the format.
    #[error(
        "image {number} has version {found} of the format, and this command reads version {known}; use the `vivant` of \
         the program that wrote it"
    )]
    OtherVersion {
        /// The image's number.
        number: u64,
        /// The image's version.
        found: u32,
        /// The version of this command.
        known: u32,
    },
    /// The image does not say how its records are encoded.
    #[error("image {number} has {found} tables of shapes and must have one; use another image")]
    NoShapes {
        /// The image's number.
        number: u64,
        /// The number of tables.
        found: usize,
    },
    /// The image does not say what its messages are.
    #[error(
        "image {number} has {found} tables of kinds of messages and must have one; use another image"
    )]
    NoKinds {
        /// The image's number.
        number: u64,
        /// The number of tables.
        found: usize,
    },
    /// A message is of a kind that is not in the table.
    #[error(
        "record {id} has a message of kind {kind}, and the image has {kinds} kinds of messages, from 0 on; use another \
         image"
    )]
    NoKind {
        /// The record's id.
        id: u64,
        /// The number of the kind.
        kind: u64,
        /// The length of the table.
        kinds: usize,
    },
    /// A record is not encoded as the table of shapes says.
    #[error("record {id}: {error}; use another image")]
    Record {
        /// The record's id.
        id: u64,
        /// Why.
        error: LoadError,
    },
    /// A record has more parts than any program writes.
    #[error("record {id} has too many parts for its {bytes} bytes; use another image")]
    TooManyParts {
        /// The record's id.
        id: u64,
        /// The number of its bytes.
        bytes: usize,
    },
    /// A record lacks a field without which the image cannot be read.
    #[error("record {id} has no `{field}`; use the `vivant` of the program that wrote it")]
    NoField {
        /// The record's id.
        id: u64,
        /// The field's name.
        field: &'static str,
    },
    /// The image is too large for a command that orders its records.
    #[error(
        "image {number} has {bytes} bytes or more, and this command holds at most {limit} in memory; use `vivant snapshot \
         export`, which reads one record at a time"
    )]
    TooLarge {
        /// The image's number.
        number: u64,
        /// The number of bytes of its records, or of their text so far.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// No actor is selected.
    #[error("image {number} has no actor `{actor}`; give a path such as `/0/2`, or a number")]
    NoActor {
        /// The image's number.
        number: u64,
        /// What was asked for.
        actor: String,
    },
    /// The actor has no heap in the image.
    #[error(
        "image {number} has no heap of `{actor}`; an actor has one if its state has a lifetime, is saved, and has \
         objects"
    )]
    NoHeap {
        /// The image's number.
        number: u64,
        /// The actor's name.
        actor: String,
    },
    /// The heap has no such object.
    #[error(
        "the heap of `{actor}` has no object {object} in image {number}; give the name that a reference to it shows"
    )]
    NoObject {
        /// The image's number.
        number: u64,
        /// The actor's name.
        actor: String,
        /// What was asked for.
        object: ObjectName,
    },
    /// A span of a heap is not as any program writes it.
    #[error("image {image}: span {span} of the heap of actor {actor} {why}; use another image")]
    Span {
        /// The number of the image that has its record, or should have it.
        image: u64,
        /// The actor's number.
        actor: u64,
        /// The number of the span.
        span: u32,
        /// What is wrong.
        why: &'static str,
    },
    /// The content of an object is not encoded as the table of shapes says.
    #[error("object {object} of actor {actor}: {error}; use another image")]
    Object {
        /// The actor's number.
        actor: u64,
        /// The object's name.
        object: ObjectName,
        /// Why.
        error: LoadError,
    },
    /// The objects of a heap have more parts than any program writes.
    #[error(
        "the heap of actor {actor} has too many parts for its {bytes} bytes; use another image"
    )]
    HeapTooManyParts {
        /// The actor's number.
        actor: u64,
        /// The number of bytes of all contents.
        bytes: usize,
    },
    /// The output cannot be written.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}
