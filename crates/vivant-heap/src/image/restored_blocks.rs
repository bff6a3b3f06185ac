//! [`RestoredBlocks`]: the blocks of an image, found by name.

use super::block_name::BlockName;
use super::content::fault;
use super::span_record::{Holds, SpanRecord};
use crate::alloc::header::Header;
use crate::pages::page::Span;
use crate::pages::size_class::{SMALL_MAX, block_size, blocks, class_for};
use std::cell::Cell;
use std::ptr::{self, NonNull};
use vivant_codec::LoadError;

/// A block of an image: the index of its span, and its index in the span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct At {
    span: u32,
    block: u32,
}

impl At {
    /// Grows with the place in memory.
    pub(super) fn place(self) -> u64 {
        u64::from(self.span) << 32 | u64::from(self.block)
    }
}

/// The spans of an image.
pub(super) struct RestoredBlocks {
    /// In the order of their numbers.
    spans: Vec<ImageSpan>,
    index: SpanIndex,
    /// Steps that walks through contents may still take, all together.
    steps: Cell<u64>,
}

/// Steps that the walks through all contents may take: so many, and some for each byte.
const STEPS_MIN: u64 = 1 << 20;
const STEPS_PER_BYTE: u64 = 256;

/// Where the span of each number is.
enum SpanIndex {
    /// By the number; [`SpanIndex::NONE`] if there is none. Numbers of a heap are as a rule below
    /// the number of its spans.
    Dense(Vec<u32>),
    /// All numbers, in ascending order.
    Sparse(Vec<u32>),
}

/// A span of an image.
pub(super) struct ImageSpan {
    /// The number that the span of the heap gets.
    pub(super) number: u32,
    pub(super) holds: Holds,
    /// The span of the heap, once an object of it is made.
    pub(super) taken: Cell<Option<Span>>,
    /// A bit for each block that it has.
    has: [u64; 4],
    blocks: Vec<ImageBlock>,
    /// The number of each block in the span.
    numbers: Vec<u8>,
    content: Vec<u8>,
}

/// A block of an image. There may be many, so it is small.
struct ImageBlock {
    /// Where its content begins. It ends where the next one begins.
    start: u32,
    /// The number of the type of its object.
    object: u32,
    state: Cell<PackedState>,
}

/// A [`BlockState`] in a word: the address of an object, or a number below that of any object.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PackedState(*mut Header);

impl PackedState {
    const OPEN: PackedState = PackedState(ptr::without_provenance_mut(1));
    const BEGUN: PackedState = PackedState(ptr::without_provenance_mut(2));
    const LOADED: PackedState = PackedState(ptr::without_provenance_mut(3));

    fn of(state: BlockState) -> PackedState {
        match state {
            BlockState::Open => PackedState::OPEN,
            BlockState::Begun => PackedState::BEGUN,
            BlockState::Loaded => PackedState::LOADED,
            BlockState::Made(object) => PackedState(object.as_ptr()),
        }
    }

    fn state(self) -> BlockState {
        match self {
            PackedState::OPEN => BlockState::Open,
            PackedState::BEGUN => BlockState::Begun,
            PackedState::LOADED => BlockState::Loaded,
            // None of its values is zero.
            PackedState(object) => NonNull::new(object).map_or(BlockState::Open, BlockState::Made),
        }
    }
}

/// What has become of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockState {
    /// No reference to it was loaded, or it waits for others.
    Open,
    /// Its content was begun, and refers to objects that are made first.
    Begun,
    /// Its content is loaded, as a part of another one.
    Loaded,
    /// The object is here. If it changes in place its content may still be missing.
    Made(NonNull<Header>),
}

impl RestoredBlocks {
    /// Checks the records of an image.
    pub(super) fn new(mut records: Vec<SpanRecord>) -> Result<RestoredBlocks, String> {
        records.sort_unstable_by_key(|record| record.number);
        let mut spans: Vec<ImageSpan> = Vec::with_capacity(records.len());
        for record in records {
            let number = record.number;
            if spans.last().is_some_and(|before| before.number == number) {
                return Err(format!("two spans {number} in one heap"));
            }
            spans.push(ImageSpan::new(record)?);
        }
        let index = SpanIndex::new(spans.iter().map(|span| span.number));
        let bytes: u64 = spans.iter().map(|span| span.content.len() as u64).sum();
        let steps = STEPS_MIN.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE));
        Ok(RestoredBlocks {
            spans,
            index,
            steps: Cell::new(steps),
        })
    }

    /// The spans get the numbers from 0 on. Names in the image are those of before.
    pub(super) fn number_anew(&mut self) {
        for (number, span) in self.spans.iter_mut().enumerate() {
            span.number = number as u32;
        }
    }

    /// A number behind those of all spans. `None` if one is too large.
    pub(super) fn number_behind(&self, most: u32) -> Option<u32> {
        let largest = self.spans.last().map(|span| span.number);
        largest.map_or(Some(0), |largest| (largest < most).then(|| largest + 1))
    }

    /// The block with this name.
    pub(super) fn find(&self, name: BlockName) -> Option<At> {
        let index = self.index.find(u32::try_from(name.span()).ok()?)?;
        let span = &self.spans[index as usize];
        let block = match span.holds {
            Holds::Blocks(size) => name.block(size as usize)?,
            Holds::Large => name.block(usize::MAX)?,
        };
        let block = span.index_of(block)?;
        Some(At { span: index, block })
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

    /// Counts a step of a walk through contents.
    pub(super) fn take_step(&self) -> Result<(), LoadError> {
        let left = self.steps.get().checked_sub(1);
        self.steps
            .set(left.ok_or_else(|| fault("contents without end"))?);
        Ok(())
    }

    /// The number of the block in its span.
    pub(super) fn number(&self, at: At) -> usize {
        self.span(at).numbers[at.block as usize].into()
    }

    /// The number of the type of its object.
    pub(super) fn object_type(&self, at: At) -> usize {
        self.block(at).object as usize
    }

    pub(super) fn state(&self, at: At) -> BlockState {
        self.block(at).state.get().state()
    }

    pub(super) fn set_state(&self, at: At, state: BlockState) {
        self.block(at).state.set(PackedState::of(state));
    }

    /// The content of its object.
    pub(super) fn content(&self, at: At) -> &[u8] {
        let span = self.span(at);
        let start = span.blocks[at.block as usize].start as usize;
        let next = span.blocks.get(at.block as usize + 1);
        let end = next.map_or(span.content.len(), |next| next.start as usize);
        &span.content[start..end]
    }
}

impl SpanIndex {
    const NONE: u32 = u32::MAX;

    /// Entries for each span that a dense index may have, besides the first ones.
    const SPREAD: usize = 4;
    const FIRST: usize = 1024;

    fn new(numbers: impl ExactSizeIterator<Item = u32>) -> SpanIndex {
        let most = SpanIndex::FIRST + SpanIndex::SPREAD * numbers.len();
        let numbers: Vec<u32> = numbers.collect();
        let behind = numbers.last().map_or(0, |last| *last as usize + 1);
        if behind > most {
            return SpanIndex::Sparse(numbers);
        }
        let mut dense = vec![SpanIndex::NONE; behind];
        for (index, number) in numbers.into_iter().enumerate() {
            dense[number as usize] = index as u32;
        }
        SpanIndex::Dense(dense)
    }

    fn find(&self, number: u32) -> Option<u32> {
        match self {
            SpanIndex::Dense(dense) => {
                let index = *dense.get(number as usize)?;
                (index != SpanIndex::NONE).then_some(index)
            }
            SpanIndex::Sparse(numbers) => Some(numbers.binary_search(&number).ok()? as u32),
        }
    }
}

impl ImageSpan {
    /// The index of a block among those that the span has.
    fn index_of(&self, block: usize) -> Option<u32> {
        let (word, bit) = (block / 64, block % 64);
        if self.has.get(word)? >> bit & 1 == 0 {
            return None;
        }
        let before = self.has[..word].iter().map(|word| word.count_ones());
        let before: u32 = before.sum();
        Some(before + (self.has[word] & ((1 << bit) - 1)).count_ones())
    }

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
        let mut numbers = Vec::with_capacity(record.blocks.len());
        let (mut start, mut next, mut has) = (0_u32, 0, [0; 4]);
        for block in record.blocks {
            let number = usize::from(block.block);
            if number < next || number >= most {
                return fault("blocks that it cannot have");
            }
            next = number + 1;
            has[number / 64] |= 1 << (number % 64);
            numbers.push(block.block);
            list.push(ImageBlock {
                start,
                object: block.object,
                state: Cell::new(PackedState::OPEN),
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
            has,
            blocks: list,
            numbers,
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
