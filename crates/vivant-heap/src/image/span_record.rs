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

    /// Bytes of memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let blocks = self.blocks.len() * size_of::<BlockRecord>();
        size_of::<SpanRecord>() + blocks + self.content.len()
    }

    /// The number of objects.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.blocks.len()
    }

    /// Sorts the blocks, with their contents. Costs a look at each block if they are in order.
    pub(crate) fn blocks_in_order(&mut self) {
        if self.blocks.is_sorted_by_key(|block| block.block) {
            return;
        }
        let mut start = 0;
        let mut blocks: Vec<(usize, BlockRecord)> = Vec::with_capacity(self.blocks.len());
        for block in self.blocks.drain(..) {
            blocks.push((start, block));
            start += block.bytes as usize;
        }
        blocks.sort_unstable_by_key(|(_, block)| block.block);
        let mut content = Vec::with_capacity(self.content.len());
        for (start, block) in blocks {
            content.extend_from_slice(&self.content[start..start + block.bytes as usize]);
            self.blocks.push(block);
        }
        self.content = content;
    }

    /// The blocks, each with its content.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (BlockRecord, &[u8])> {
        let mut rest = &self.content[..];
        self.blocks.iter().map(move |block| {
            let (content, behind) = rest.split_at(block.bytes as usize);
            rest = behind;
            (*block, content)
        })
    }
}
