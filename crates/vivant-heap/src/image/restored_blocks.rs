//! [`RestoredBlocks`]: the blocks of an image, found by name.

use super::block_name::BlockName;
use super::span_record::{BlockRecord, Holds, SpanRecord};
use crate::alloc::header::Header;
use crate::pages::page::Span;
use crate::pages::size_class::{SMALL_MAX, block_size, blocks, class_for};
use std::cell::Cell;
use std::collections::HashMap;
use std::ptr::NonNull;

/// A block of an image: the index of its span, and its index in the span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct At {
    span: u32,
    block: u32,
}

/// The spans of an image.
pub(super) struct RestoredBlocks {
    spans: Vec<ImageSpan>,
    by_number: HashMap<u32, u32>,
}

/// A span of an image.
pub(super) struct ImageSpan {
    pub(super) number: u32,
    pub(super) holds: Holds,
    /// The span of the heap, once an object of it is made.
    pub(super) taken: Cell<Option<Span>>,
    blocks: Vec<ImageBlock>,
    content: Vec<u8>,
}

/// A block of an image.
struct ImageBlock {
    record: BlockRecord,
    /// Where its content begins.
    start: u32,
    state: Cell<BlockState>,
}

/// What has become of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockState {
    /// No reference to it was loaded, or it waits for others.
    Open,
    /// Its content was begun, and refers to objects that are made first.
    Begun,
    /// The object is here. If it changes in place its content may still be missing.
    Made(NonNull<Header>),
}

impl RestoredBlocks {
    /// Checks the records of an image.
    pub(super) fn new(records: Vec<SpanRecord>) -> Result<RestoredBlocks, String> {
        let mut all = RestoredBlocks {
            spans: Vec::with_capacity(records.len()),
            by_number: HashMap::with_capacity(records.len()),
        };
        for record in records {
            let index = all.spans.len() as u32;
            if all.by_number.insert(record.number, index).is_some() {
                return Err(format!("two spans {} in one heap", record.number));
            }
            all.spans.push(ImageSpan::new(record)?);
        }
        Ok(all)
    }

    /// A number behind those of all spans. `None` if one is too large.
    pub(super) fn number_behind(&self, most: u32) -> Option<u32> {
        let largest = self.spans.iter().map(|span| span.number).max();
        largest.map_or(Some(0), |largest| (largest < most).then(|| largest + 1))
    }

    /// The block with this name.
    pub(super) fn find(&self, name: BlockName) -> Option<At> {
        let index = *self.by_number.get(&u32::try_from(name.span()).ok()?)?;
        let span = &self.spans[index as usize];
        let block = match span.holds {
            Holds::Blocks(size) => name.block(size as usize)?,
            Holds::Large => name.block(usize::MAX)?,
        };
        let block = u8::try_from(block).ok()?;
        let found = span
            .blocks
            .binary_search_by_key(&block, |it| it.record.block);
        Some(At {
            span: index,
            block: found.ok()? as u32,
        })
    }

    pub(super) fn span(&self, at: At) -> &ImageSpan {
        &self.spans[at.span as usize]
    }

    pub(super) fn spans(&self) -> impl Iterator<Item = &ImageSpan> {
        self.spans.iter()
    }

    fn block(&self, at: At) -> &ImageBlock {
        &self.span(at).blocks[at.block as usize]
    }

    /// Bytes of all contents.
    pub(super) fn bytes(&self) -> u64 {
        let spans = self.spans.iter();
        spans.map(|span| span.content.len() as u64).sum()
    }

    /// The number of the block in its span.
    pub(super) fn number(&self, at: At) -> usize {
        self.block(at).record.block.into()
    }

    /// The number of the type of its object.
    pub(super) fn object_type(&self, at: At) -> usize {
        self.block(at).record.object as usize
    }

    pub(super) fn state(&self, at: At) -> BlockState {
        self.block(at).state.get()
    }

    pub(super) fn set_state(&self, at: At, state: BlockState) {
        self.block(at).state.set(state);
    }

    /// The content of its object.
    pub(super) fn content(&self, at: At) -> &[u8] {
        let block = self.block(at);
        let start = block.start as usize;
        &self.span(at).content[start..start + block.record.bytes as usize]
    }
}

impl ImageSpan {
    fn new(record: SpanRecord) -> Result<ImageSpan, String> {
        let fault = |what: &str| Err(format!("span {}: {what}", record.number));
        let most = match record.holds {
            Holds::Large => 1,
            Holds::Blocks(size) => match class_of(size) {
                Some(class) => blocks(class),
                None => return fault("no blocks have this size"),
            },
        };
        let mut list = Vec::with_capacity(record.blocks.len());
        let (mut start, mut next) = (0_u32, 0);
        for block in record.blocks {
            let number = usize::from(block.block);
            if number < next || number >= most {
                return fault("blocks that it cannot have");
            }
            next = number + 1;
            list.push(ImageBlock {
                record: block,
                start,
                state: Cell::new(BlockState::Open),
            });
            start = match start.checked_add(block.bytes) {
                Some(end) => end,
                None => return fault("contents that are too long"),
            };
        }
        if start as usize != record.content.len() {
            return fault("contents of another length than its blocks have");
        }
        Ok(ImageSpan {
            number: record.number,
            holds: record.holds,
            taken: Cell::new(None),
            blocks: list,
            content: record.content,
        })
    }

    /// Whether an object of so many bytes, its header included, has its old place in this span.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        match self.holds {
            Holds::Blocks(size) => {
                bytes <= SMALL_MAX && block_size(class_for(bytes)) == size as usize
            }
            Holds::Large => bytes > SMALL_MAX,
        }
    }
}

/// The size class of blocks of this size in bytes.
fn class_of(size: u32) -> Option<usize> {
    let size = size as usize;
    if size == 0 || size > SMALL_MAX {
        return None;
    }
    let class = class_for(size);
    (block_size(class) == size).then_some(class)
}
