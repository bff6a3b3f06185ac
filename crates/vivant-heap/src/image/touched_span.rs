//! [`TouchedSpan`]: a span that turns have changed before it was written.

use super::pre_images::At;
use super::span_encoder::{Blocks, blocks_to_save};
use crate::alloc::old::Epoch;
use crate::alloc::old::image_count::ImageNumber;
use crate::pages::page::Span;

/// What is known of a span of t0 that is not written yet, but was changed since (S9).
#[derive(Clone, Copy)]
pub(super) enum TouchedSpan {
    /// The image has its record.
    Awaited(AwaitedSpan),
    /// An earlier image has its record: this one, or a later one (S13).
    Unchanged(ImageNumber),
}

/// A span of which the image has the record.
#[derive(Clone, Copy)]
pub(super) struct AwaitedSpan {
    /// The blocks that were in use at t0 and have no pre-image.
    pub(super) left: Blocks,
    /// The last pre-image that was taken.
    pub(super) last: Option<At>,
}

impl TouchedSpan {
    /// A span as it was at t0, without pre-images. `marked` is the epoch of the last mark that
    /// ended; the records of the images until `since` are still there.
    ///
    /// # Safety
    ///
    /// The span is the caller's. Its blocks in use hold the objects of t0.
    pub(super) unsafe fn of(span: Span, marked: Epoch, since: ImageNumber) -> TouchedSpan {
        // SAFETY: the caller's contract (X1).
        let first_image = unsafe { span.page() }.first_image;
        match first_image <= since {
            true => TouchedSpan::Unchanged(first_image),
            false => TouchedSpan::Awaited(AwaitedSpan {
                // SAFETY: the caller's contract (S9).
                left: unsafe { blocks_to_save(span, marked) },
                last: None,
            }),
        }
    }
}

impl AwaitedSpan {
    /// Whether a block is left. It is not from here on.
    pub(super) fn take(&mut self, block: usize) -> bool {
        let (word, bit) = (&mut self.left[block / 64], 1 << (block % 64));
        let is_left = *word & bit != 0;
        *word &= !bit;
        is_left
    }
}
