//! [`SpanRecord`]: what a file has of a span of old objects.

use vivant_codec::Saved;

/// A span of a heap: the blocks that are in use, and their contents.
#[derive(Clone, PartialEq, Eq, Debug, Saved)]
#[saved(name = "vivant::Span")]
pub struct SpanRecord {
    /// Its number among the spans of its heap.
    pub(crate) number: u32,
    pub(crate) holds: Holds,
    /// In ascending order.
    pub(crate) blocks: Vec<BlockRecord>,
    /// The contents of the blocks, one after the other.
    pub(crate) content: Vec<u8>,
}

/// What a span holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Saved)]
#[saved(name = "vivant::SpanKind")]
pub(crate) enum Holds {
    /// Blocks of this size in bytes.
    Blocks(u32),
    /// One large object.
    Large,
}

/// A block in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Saved)]
#[saved(name = "vivant::Block")]
pub(crate) struct BlockRecord {
    /// Its number in its span.
    pub(crate) block: u8,
    /// The number of the type of its object.
    pub(crate) object: u32,
    /// Bytes of its content.
    pub(crate) bytes: u32,
}

impl SpanRecord {
    /// Its number among the spans of its heap.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The number of objects.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.blocks.len()
    }
}
