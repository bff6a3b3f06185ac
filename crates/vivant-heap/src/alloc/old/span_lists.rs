//! [`SpanLists`]: the spans of one size class, sorted by fill (H4).

use super::image_barrier::ImageBarrier;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::page::{AllocationCache, Page, Span};
use crate::pages::size_class::blocks;
use crate::segmented::segmented_stack::SegmentedStack;
use std::mem;

/// The fill of a span.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fill {
    /// Less than a quarter of its blocks are in use: most likely to become empty, if no more are
    /// allocated.
    Few,
    /// Less than three quarters.
    Some,
    Most,
    /// All of them.
    All,
}

impl Fill {
    const COUNT: usize = Fill::All as usize + 1;

    fn of(page: &Page) -> Fill {
        let (used, blocks) = (page.used as usize, blocks(page.class as usize));
        if used == blocks {
            Fill::All
        } else if used * 4 >= blocks * 3 {
            Fill::Most
        } else if used * 4 >= blocks {
            Fill::Some
        } else {
            Fill::Few
        }
    }
}

/// The spans of one size class. Each span is in one of the lists.
pub(super) struct SpanLists {
    /// Spans that the sweep after the last mark has not reached, by their fill before it.
    unswept: [SegmentedStack<Span>; Fill::COUNT],
    /// Swept spans, by their fill when they were swept or added; spans from which blocks were
    /// allocated are full.
    swept: [SegmentedStack<Span>; Fill::COUNT],
    /// The span from which blocks are allocated. It is swept.
    current: Option<Span>,
    /// The allocation cache: blocks of that span, counted as used.
    pub(super) cache: AllocationCache,
}

impl Default for SpanLists {
    fn default() -> SpanLists {
        SpanLists {
            unswept: Default::default(),
            swept: Default::default(),
            current: None,
            cache: AllocationCache::EMPTY,
        }
    }
}

impl SpanLists {
    pub(super) fn iter(&self) -> impl Iterator<Item = Span> {
        let lists = self.unswept.iter().chain(&self.swept);
        let all = lists.flat_map(SegmentedStack::iter);
        all.chain(&self.current).copied()
    }

    /// Spans that were swept or added since the last mark.
    pub(super) fn swept(&self) -> impl Iterator<Item = Span> {
        let all = self.swept.iter().flat_map(SegmentedStack::iter);
        all.chain(&self.current).copied()
    }

    /// Whether no block of these spans is free, as far as they are swept.
    ///
    /// # Safety
    ///
    /// The spans are the caller's.
    pub(super) unsafe fn are_full(spans: impl IntoIterator<Item = Span>) -> bool {
        // SAFETY: the caller's contract.
        let is_full = |span: Span| Fill::of(unsafe { span.page() }) == Fill::All;
        spans.into_iter().all(is_full)
    }

    /// Adds a swept span.
    ///
    /// # Safety
    ///
    /// The span is the caller's, and on no other list.
    pub(super) unsafe fn put(&mut self, span: Span) {
        // SAFETY: the caller's contract.
        let fill = Fill::of(unsafe { span.page() });
        self.swept[fill as usize].push(span);
    }

    /// Makes a swept span with free blocks the allocation span. The one before is full.
    pub(super) fn begin(&mut self, span: Span) {
        debug_assert!(self.current.is_none(), "it has free blocks");
        self.current = Some(span);
    }

    /// A word of free blocks: of the allocation span, or else of the fullest swept span with a fill
    /// of `least` or more, which becomes the allocation span. An image that is being written learns
    /// of it before.
    ///
    /// # Safety
    ///
    /// The spans are the caller's.
    pub(super) unsafe fn refill(
        &mut self,
        least: Fill,
        image: Option<&mut dyn ImageBarrier>,
    ) -> Option<AllocationCache> {
        let mut image = image;
        loop {
            if let Some(span) = self.current {
                if let Some(image) = &mut image {
                    // SAFETY: the caller's contract; blocks that were taken before hold objects, or
                    // the image knows the span already (S9).
                    unsafe { image.before_fill(span) };
                }
                // SAFETY: the caller's contract; it is a span of blocks.
                if let Some(word) = unsafe { span.take_free_blocks() } {
                    return Some(word);
                }
                self.current = None;
                self.swept[Fill::All as usize].push(span);
            }
            let fills = &mut self.swept[least as usize..Fill::All as usize];
            self.current = Some(fills.iter_mut().rev().find_map(SegmentedStack::pop)?);
        }
    }

    /// Removes the next unswept span: the fullest of those with free blocks, and full ones last.
    pub(super) fn next_unswept(&mut self) -> Option<Span> {
        let [few, some, most, all] = &mut self.unswept;
        let order = [most, some, few, all];
        #[cfg(test)]
        let order = match is_injected(InjectedFault::FullSpansFirst) {
            true => order.into_iter().rev().collect::<Vec<_>>(),
            false => order.into_iter().collect(),
        };
        order.into_iter().find_map(SegmentedStack::pop)
    }

    /// A mark has ended: all spans are unswept. The allocation cache is empty. The cost does not
    /// depend on the number of spans.
    ///
    /// # Safety
    ///
    /// The spans are the caller's.
    pub(super) unsafe fn end_mark(&mut self) {
        debug_assert!(
            self.cache.free == 0 && self.unswept.iter().all(SegmentedStack::is_empty),
            "H6"
        );
        if let Some(span) = self.current.take() {
            // SAFETY: the caller's contract.
            unsafe { self.put(span) };
        }
        mem::swap(&mut self.unswept, &mut self.swept);
    }
}
