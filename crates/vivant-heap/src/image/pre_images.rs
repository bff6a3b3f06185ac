//! [`PreImages`]: the contents of objects as they were at t0, until their spans are written.

use super::span_record::{BlockRecord, SpanRecord};
use crate::segmented::segmented_vec::SegmentedVec;

/// Bytes of a chunk of contents. The last content of a chunk may exceed it.
const CHUNK: usize = 64 * 1024;

/// Bytes that are noted of a span with pre-images.
const SPAN_BYTES: usize = 96;

/// The pre-images of a heap. They are appended and never moved, because that would take long; those
/// of one span are a list.
#[derive(Default)]
pub(super) struct PreImages {
    chunks: Vec<Vec<u8>>,
    all: SegmentedVec<PreImage>,
    bytes: usize,
}

/// The place of a pre-image among all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct At(u32);

struct PreImage {
    /// The one before it of the same span.
    before: Option<At>,
    block: BlockRecord,
    chunk: u32,
    start: usize,
}

impl PreImages {
    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the chunk to which the next content is appended; it is put back by `add`.
    pub(super) fn take_chunk(&mut self) -> Vec<u8> {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => std::mem::take(last),
            _ => {
                self.chunks.push(Vec::new());
                Vec::with_capacity(CHUNK)
            }
        }
    }

    /// Puts the chunk back. The content of the block is what lies in it from `start` on. `before`
    /// is the last pre-image of the same span. Returns the place of this one.
    pub(super) fn add(
        &mut self,
        chunk: Vec<u8>,
        start: usize,
        block: BlockRecord,
        before: Option<At>,
    ) -> At {
        self.bytes += chunk.len() - start + size_of::<PreImage>();
        if before.is_none() {
            self.bytes += SPAN_BYTES;
        }
        self.put_back(chunk);
        let number = self.chunks.len() - 1;
        self.all.push(PreImage {
            before,
            block,
            chunk: number as u32,
            start,
        });
        At((self.all.len() - 1) as u32)
    }

    /// Puts the chunk back, to which nothing was appended.
    pub(super) fn put_back(&mut self, chunk: Vec<u8>) {
        if let Some(last) = self.chunks.last_mut() {
            *last = chunk;
        }
    }

    /// Appends those of a span to its record.
    pub(super) fn append_to(&self, record: &mut SpanRecord, last: Option<At>) {
        let mut next = last;
        while let Some(At(at)) = next {
            let one = &self.all[at as usize];
            let bytes = one.start..one.start + one.block.bytes as usize;
            record.blocks.push(one.block);
            let chunk = &self.chunks[one.chunk as usize];
            record.content.extend_from_slice(&chunk[bytes]);
            next = one.before;
        }
    }
}
