//! [`Settings`] of a journal.

use crate::format::compression::Compression;
use crate::format::layout::{BLOCK_BYTES_MAX, NEEDED_MAX};
use crate::format::memory_limit::MemoryLimit;
use std::num::NonZeroU32;

/// How a [`Journal`](crate::Journal) writes, keeps and reads images.
///
/// ```
/// use vivant_journal::{Compression, Retention, Settings};
///
/// let settings = Settings::default().compression(Compression::None).retention(Retention::All);
/// # let _ = settings;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub(crate) compression: Compression,
    pub(crate) retention: Retention,
    pub(crate) memory: MemoryLimit,
    pub(crate) block_bytes: u32,
    pub(crate) needed_max: u32,
}

/// Each is a file that has to be opened, and read in part.
const NEEDED_MAX_DEFAULT: u32 = 16;

impl Default for Settings {
    /// LZ4, the last two images, one gibibyte of memory, at most 16 needed images.
    fn default() -> Self {
        Settings {
            compression: Compression::default(),
            retention: Retention::default(),
            memory: MemoryLimit::DEFAULT,
            block_bytes: BLOCK_BYTES_MAX,
            needed_max: NEEDED_MAX_DEFAULT,
        }
    }
}

impl Settings {
    /// Compresses blocks of new images so. Images are read whatever their compression.
    pub fn compression(self, compression: Compression) -> Settings {
        Settings {
            compression,
            ..self
        }
    }

    /// Removes images so, after each that is published.
    pub fn retention(self, retention: Retention) -> Settings {
        Settings { retention, ..self }
    }

    /// Refuses images that would take more than `bytes` of memory when they are opened, with 48
    /// bytes for each record, and values of more than `bytes`. See [`Catalog::memory_bytes_max`].
    ///
    /// [`Catalog::memory_bytes_max`]: crate::Catalog::memory_bytes_max
    pub fn memory_bytes_max(self, bytes: u64) -> Settings {
        Settings {
            memory: MemoryLimit::bytes(bytes),
            ..self
        }
    }

    /// Programs that leave records to earlier images are to need at most so many of them; with 0
    /// each image is whole. More is [refused](crate::Error::TooManyNeeded).
    pub fn needed_max(self, images: u32) -> Settings {
        let needed_max = images.min(NEEDED_MAX);
        Settings { needed_max, ..self }
    }

    /// Cuts blocks smaller than the format's limit, so that small images have many.
    #[cfg(test)]
    pub(crate) fn block_bytes(self, block_bytes: u32) -> Settings {
        Settings {
            block_bytes,
            ..self
        }
    }
}

/// Which images stay when a new one is published.
///
/// An image that is being read does not stay for that reason: its [`Reader`](crate::Reader) gets
/// an error for the next block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retention {
    /// All.
    All,
    /// The newest images with intact manifests, this many, and those that they need. Others are
    /// removed, damaged ones among them.
    Last(NonZeroU32),
}

impl Retention {
    /// The newest `images`, at least one.
    pub fn last(images: u32) -> Retention {
        Retention::Last(NonZeroU32::new(images).unwrap_or(NonZeroU32::MIN))
    }
}

impl Default for Retention {
    /// The last two.
    fn default() -> Self {
        Retention::last(2)
    }
}
