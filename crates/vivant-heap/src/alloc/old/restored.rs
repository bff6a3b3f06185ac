//! Spans and blocks that return to where an image has them.

use super::Old;
use crate::alloc::header::Header;
use crate::pages::chunk::{Owner, PAGE};
use crate::pages::page::{PageKind, Span};
use crate::pages::page_source::PageSource;
use crate::pages::size_class::{class_for, span_pages};
use std::ptr::NonNull;

/// What a span holds that is taken for an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RestoredSpan {
    /// Blocks for objects of so many bytes, headers included.
    Blocks(usize),
    /// One object of so many bytes, its header included.
    Large(usize),
}

impl Old {
    /// The spans of an image have numbers below this one.
    pub(crate) fn number_behind(&mut self, number: u32) {
        self.numbers.number_behind(number);
    }

    /// Takes a span with this number, and no block of it in use. It is on no list until
    /// [`Old::list_restored`]. `None` if there is no memory.
    pub(crate) fn take_restored(
        &mut self,
        holds: RestoredSpan,
        number: u32,
        source: &PageSource,
        owner: NonNull<Owner>,
    ) -> Option<Span> {
        let (pages, kind) = match holds {
            RestoredSpan::Blocks(bytes) => (span_pages(class_for(bytes)), PageKind::Blocks),
            RestoredSpan::Large(bytes) => (bytes.div_ceil(PAGE), PageKind::Large),
        };
        let span = source.take(pages, owner, kind)?;
        // SAFETY: the span was just taken (X3), so no object lies in it.
        unsafe {
            match holds {
                RestoredSpan::Blocks(bytes) => {
                    self.begin_blocks(span, class_for(bytes));
                }
                RestoredSpan::Large(_) => {
                    span.page().begin_large(self.marked.0);
                    span.page().occupied = [0; 4];
                    span.page().used = 0;
                }
            }
            self.numbers.set(span, number);
        }
        self.note_change(span);
        self.spans += 1;
        self.pages += pages;
        Some(span)
    }

    /// Takes a block that is free, for an object that is black.
    ///
    /// # Safety
    ///
    /// `take_restored` of this generation returned the span, which is on no list, and the span has
    /// the block.
    pub(crate) unsafe fn take_restored_block(
        &mut self,
        span: Span,
        block: usize,
    ) -> NonNull<Header> {
        // SAFETY: the caller's contract (X1).
        let page = unsafe { span.page() };
        debug_assert_eq!(page.occupied[block / 64] >> (block % 64) & 1, 0);
        page.occupied[block / 64] |= 1 << (block % 64);
        page.used += 1;
        let size = page.block_size();
        self.bytes_allocated += size;
        // SAFETY: the caller's contract (X1): the block lies in the span.
        self.init_block(unsafe { span.start().add(block * size) })
    }

    /// Lists a span of which all blocks are restored.
    ///
    /// # Safety
    ///
    /// As for `take_restored_block`.
    pub(crate) unsafe fn list_restored(&mut self, span: Span, source: &PageSource) {
        // SAFETY: the caller's contract (X1).
        unsafe {
            match span.page().used {
                0 => self.give([span], source),
                _ => self.put(span),
            }
        }
    }
}
