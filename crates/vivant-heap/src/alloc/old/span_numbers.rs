//! The numbers of a heap's spans, by which files name the objects in them.

use crate::pages::chunk::{PAGE, PageName, name_of, set_name};
use crate::pages::page::{PageKind, Span};
use crate::segmented::segmented_stack::SegmentedStack;

/// The numbers that are free. Those of spans that were given back are used first, so no number is
/// larger than the number of spans that ever existed at once.
#[derive(Default)]
pub(super) struct SpanNumbers {
    /// Neither this number nor a larger one was used.
    next: u32,
    given_back: SegmentedStack<u32>,
}

impl SpanNumbers {
    /// `None` if all numbers are in use.
    fn take(&mut self) -> Option<u32> {
        if let Some(number) = self.given_back.pop() {
            return Some(number);
        }
        if self.next > PageName::SPAN_MAX {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }

    /// Numbers below this one are in use.
    pub(super) fn number_behind(&mut self, number: u32) {
        self.next = self.next.max(number);
    }

    /// Gives a span a number. Returns false if there is none.
    ///
    /// # Safety
    ///
    /// The span is the caller's, and is to be one of this heap.
    #[must_use]
    pub(super) unsafe fn number(&mut self, span: Span) -> bool {
        let Some(number) = self.take() else {
            return false;
        };
        // SAFETY: the caller's contract (X1).
        unsafe { name_pages(span, number) };
        true
    }

    /// A span was given back.
    ///
    /// # Safety
    ///
    /// The span is the caller's, and has a number of this heap.
    pub(super) unsafe fn give(&mut self, span: Span) {
        // SAFETY: the caller's contract (X1): the span lies in a chunk.
        self.given_back
            .push(unsafe { name_of(span.start()) }.span());
    }
}

/// Names the pages of a span in which an object may begin.
///
/// # Safety
///
/// The span is the caller's.
pub(super) unsafe fn name_pages(span: Span, number: u32) {
    // SAFETY: the caller's contract (X1); the pages lie in the span (X4).
    unsafe {
        let pages = match span.page().kind {
            PageKind::Large => 1,
            _ => span.page().pages as usize,
        };
        for page in 0..pages {
            set_name(span.start().add(page * PAGE), PageName::new(number, page));
        }
    }
}
