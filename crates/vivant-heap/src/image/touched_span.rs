//! [`TouchedSpan`]: a span that turns have changed before it was written.

use super::span_encoder::{Blocks, blocks_to_save, empty_record};
use super::span_record::SpanRecord;
use crate::alloc::old::Epoch;
use crate::pages::page::Span;
use std::mem;

/// What is known of a span of t0 that is not written yet, but was changed since (S9).
pub(super) struct TouchedSpan {
    /// The blocks that were in use at t0 and are not in the record.
    left: Blocks,
    /// The pre-images that were taken.
    record: SpanRecord,
}

impl TouchedSpan {
    /// A span of which nothing is written. `marked` is the epoch of the last mark that ended.
    ///
    /// # Safety
    ///
    /// The span is the caller's, and has a number. Its blocks in use hold the objects of t0.
    pub(super) unsafe fn of(span: Span, marked: Epoch) -> TouchedSpan {
        // SAFETY: the caller's contract (S9).
        unsafe {
            TouchedSpan {
                left: blocks_to_save(span, marked),
                record: empty_record(span),
            }
        }
    }

    /// Takes the record, to which the pre-image of a block is to be added: then it is
    /// [put back](TouchedSpan::put). `None`: nothing is to be added. The block counts as written
    /// from here on.
    pub(super) fn take(&mut self, block: usize) -> Option<SpanRecord> {
        let bit = 1 << (block % 64);
        if self.left[block / 64] & bit == 0 {
            return None;
        }
        self.left[block / 64] &= !bit;
        let rest = self.record.without_blocks();
        Some(mem::replace(&mut self.record, rest))
    }

    pub(super) fn put(&mut self, record: SpanRecord) {
        self.record = record;
    }

    /// Bytes of the pre-images.
    pub(super) fn bytes(&self) -> usize {
        self.record.content.len()
    }

    /// The blocks that are left, and the record of the others.
    pub(super) fn into_rest(self) -> (Blocks, SpanRecord) {
        (self.left, self.record)
    }
}
