//! [`Error`]: what went wrong, where, and what to do.

use std::fmt;
use std::io;
use thiserror::Error;

/// Why an image could not be written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The store failed.
    #[error("cannot {operation} {}: {source}; {}", named(file), remedy(*operation, source))]
    Store {
        /// What was tried.
        operation: Operation,
        /// The name of the file in the store; empty for an operation on the store as a whole.
        file: String,
        /// The store's error.
        #[source]
        source: io::Error,
    },
    /// Bytes of an image are not those that were written, or were not written by this crate.
    #[error(
        "`{file}` is damaged at {place}: {damage}; restore an older image, or put a copy of the image's files in \
         their place"
    )]
    Damaged {
        /// The name of the file in the store.
        file: String,
        /// Where in the file.
        place: Place,
        /// What is wrong.
        damage: Damage,
    },
    /// A later version of the format.
    #[error(
        "`{file}` has version {found} of the format, and this program reads versions up to {known}; use a newer one"
    )]
    NewerVersion {
        /// The name of the file in the store.
        file: String,
        /// The file's version.
        found: u32,
        /// The latest version that is known here.
        known: u32,
    },
    /// The image would need more memory than allowed.
    #[error(
        "the {what} of `{file}` takes {bytes} bytes of memory, and the limit is {limit}; raise the limit with \
         `memory_bytes_max` if the file can be trusted"
    )]
    OverLimit {
        /// The name of the file in the store.
        file: String,
        /// What would need the memory.
        what: &'static str,
        /// The number of bytes that it would take.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A block is compressed in a way that this program was built without.
    #[error(
        "`{file}` has blocks compressed with {compression}; build the program with the feature `{compression}` of vivant-journal"
    )]
    CompressionNotBuilt {
        /// The name of the file in the store.
        file: String,
        /// The compression, which is also the name of the feature.
        compression: &'static str,
    },
    /// There is no image with this number.
    #[error("there is no image {number}; `Catalog::images` lists those that exist")]
    NoSuchImage {
        /// The number.
        number: u64,
    },
    /// The image has no record with this id.
    #[error("image {image} has no record {id}; `Image::records` lists those that it has")]
    NoSuchRecord {
        /// The number of the image.
        image: u64,
        /// The id of the record.
        id: u64,
    },
    /// Two records of an image that is being written have one id.
    #[error(
        "record {id} was appended twice to image {image}, which is not published; give each record an id of its own"
    )]
    DuplicateRecord {
        /// The number of the image.
        image: u64,
        /// The id of both records.
        id: u64,
    },
    /// The metadata of an image is too long.
    #[error("metadata of {bytes} bytes is too long: at most {limit}; put the rest into a record")]
    MetadataTooLong {
        /// The number of its bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// An image cannot have so many segments.
    #[error("image {image} has {limit} segments already; begin one for each thread and reuse it")]
    TooManySegments {
        /// The number of the image.
        image: u64,
        /// The limit.
        limit: u32,
    },
    /// An image cannot need so many others.
    #[error("image {image} needs more than {limit} others; write a whole one")]
    TooManyNeeded {
        /// The number of the image.
        image: u64,
        /// The limit.
        limit: u32,
    },
    /// Segments of the image were begun and not finished, or a write to them has failed.
    #[error(
        "image {image} is not published: {unfinished} of its segments are not finished; finish each, and begin the \
         image anew if a write failed"
    )]
    SegmentsNotFinished {
        /// The number of the image.
        image: u64,
        /// The number of segments.
        unfinished: u32,
    },
    /// The store has a file with the greatest number there is, which no journal has made.
    #[error(
        "no number is left for an image; remove the files with the greatest numbers from the store by hand"
    )]
    NoNumberLeft,
    /// A write to this segment has failed before.
    #[error("segment `{file}` had a failed write and takes no more records; begin the image anew")]
    SegmentFailed {
        /// The name of the file in the store.
        file: String,
    },
}

impl Error {
    pub(crate) fn store(
        operation: Operation,
        file: impl fmt::Display,
    ) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Store {
            operation,
            file: file.to_string(),
            source,
        }
    }

    pub(crate) fn damaged(file: impl fmt::Display, place: Place, damage: Damage) -> Error {
        Error::Damaged {
            file: file.to_string(),
            place,
            damage,
        }
    }

    /// Returns true if bytes of the image are wrong or missing, so that another attempt gives the
    /// same error.
    pub fn is_damage(&self) -> bool {
        matches!(self, Error::Damaged { .. })
    }
}

fn named(file: &str) -> String {
    match file {
        "" => "the store".to_owned(),
        name => format!("`{name}`"),
    }
}

fn remedy(operation: Operation, source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound if operation == Operation::List => {
            "give the directory in which a journal was opened"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free space, or keep fewer images"
        }
        io::ErrorKind::PermissionDenied => "give the program access to the store",
        io::ErrorKind::NotFound => "keep more images if retention removed it meanwhile",
        io::ErrorKind::AlreadyExists | io::ErrorKind::WouldBlock => {
            "let one program at a time write to the store"
        }
        _ => "earlier images are unchanged: check the store and try again",
    }
}

/// What was tried with a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// Reserve the store for one writer.
    Lock,
    /// List the files.
    List,
    /// Create a file.
    Create,
    /// Write to a new file.
    Write,
    /// Make a written file durable.
    Finish,
    /// Publish a manifest.
    Publish,
    /// Read a part of a file.
    Read,
    /// Remove a file.
    Remove,
    /// Make names and removals durable.
    Sync,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operation::Lock => "lock",
            Operation::List => "list",
            Operation::Create => "create",
            Operation::Write => "write",
            Operation::Finish => "finish",
            Operation::Publish => "publish",
            Operation::Read => "read",
            Operation::Remove => "remove",
            Operation::Sync => "sync",
        })
    }
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number of the block, counted from 0 in its segment; `None` outside of blocks.
    pub block: Option<u32>,
    /// The offset in the file, in bytes.
    pub offset: u64,
}

impl Place {
    pub(crate) fn offset(offset: u64) -> Place {
        Place {
            block: None,
            offset,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.block {
            Some(block) => write!(f, "block {block}, offset {}", self.offset),
            None => write!(f, "offset {}", self.offset),
        }
    }
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Damage {
    /// The file is not in the store.
    #[error("the file is missing")]
    Missing,
    /// The file is shorter or longer than it must be.
    #[error("the file has {found} bytes and must have {expected}")]
    FileLength {
        /// The number of bytes by the manifest, or the least that a manifest has.
        expected: u64,
        /// The number of bytes in the store.
        found: u64,
    },
    /// The first bytes are those of another kind of file.
    #[error("the file does not begin as a manifest or segment of vivant-journal")]
    Magic,
    /// A BLAKE3 hash is not that of the bytes.
    #[error("the bytes are not those of which the manifest has the hash")]
    Hash,
    /// A CRC-32 is not that of the bytes.
    #[error("the checksum is {expected:#010x} and the bytes have {found:#010x}")]
    Checksum {
        /// The checksum in the file.
        expected: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// A field has a value that it cannot have.
    #[error("the field `{field}` is {found} and must be {expected}")]
    Field {
        /// The name of the field in `FORMAT.md`.
        field: &'static str,
        /// The value in the file.
        found: u64,
        /// The value that it must have, or the nearest allowed one.
        expected: u64,
    },
    /// The compressed bytes of a block do not decompress to its content.
    #[error("the compressed bytes do not give the content")]
    Compressed,
    /// The image needs another one, which is not in the store.
    #[error("it needs the image {image}, which is missing")]
    NeededMissing {
        /// The number of the other image.
        image: u64,
    },
    /// The image needs another one, and the store has one with its number that is not the same.
    #[error("it needs the image {image}, and the one with this number is not that one")]
    NeededDiffers {
        /// The number of the other image.
        image: u64,
    },
    /// Two records of the image have one id.
    #[error("the id {id} occurs twice")]
    DuplicateId {
        /// The id.
        id: u64,
    },
}
