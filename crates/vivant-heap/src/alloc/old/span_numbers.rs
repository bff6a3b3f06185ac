//! The numbers of a heap's spans, by which files name the objects in them, and the spans by their
//! numbers.

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::chunk::{PAGE, PageName, name_of, set_name};
use crate::pages::page::{PageKind, Span};
use crate::segmented::segmented_stack::SegmentedStack;

/// Numbers of a segment of the table. Few in tests, which have to cover more than one.
const SEGMENT: usize = if cfg!(any(test, miri)) { 8 } else { 1024 };

/// The spans by their numbers. Those of spans that were given back are used first, so no number is
/// larger than the number of spans that ever existed at once.
#[derive(Default)]
pub(crate) struct SpanNumbers {
    /// Neither this number nor a larger one was used.
    next: u32,
    given_back: SegmentedStack<u32>,
    /// The spans, in segments: a segment that has none may be empty, so a large number of a file
    /// costs little.
    spans: Vec<Vec<Option<Span>>>,
    /// Whether numbers that were given back rest (S10).
    given_back_rest: bool,
}

impl SpanNumbers {
    /// `None` if all numbers are in use.
    fn take(&mut self) -> Option<u32> {
        let rest = self.given_back_rest;
        #[cfg(test)]
        let rest = rest && !is_injected(InjectedFault::NumberUsedAgain);
        if !rest && let Some(number) = self.given_back.pop() {
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

    /// A number behind those of all spans.
    pub(crate) fn end(&self) -> u32 {
        self.next
    }

    /// Numbers that are given back from now on, or were before, are not used.
    pub(crate) fn rest(&mut self) {
        self.given_back_rest = true;
    }

    /// Numbers that were given back may be used.
    pub(crate) fn use_again(&mut self) {
        self.given_back_rest = false;
    }

    /// The span with a number, from this number on and below `end`.
    pub(crate) fn next(&self, from: u32, end: u32) -> Option<(u32, Span)> {
        let mut number = from as usize;
        while number < end as usize {
            let segment = self.spans.get(number / SEGMENT)?;
            match segment.get(number % SEGMENT) {
                Some(Some(span)) => return Some((number as u32, *span)),
                Some(None) => number += 1,
                None => number = (number / SEGMENT + 1) * SEGMENT,
            }
        }
        None
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
        unsafe { self.set(span, number) };
        true
    }

    /// Gives a span this number, which no other span of the heap has.
    ///
    /// # Safety
    ///
    /// As for `number`.
    pub(super) unsafe fn set(&mut self, span: Span, number: u32) {
        let (segment, place) = (number as usize / SEGMENT, number as usize % SEGMENT);
        if self.spans.len() <= segment {
            self.spans.resize_with(segment + 1, Vec::new);
        }
        let segment = &mut self.spans[segment];
        if segment.len() <= place {
            segment.resize(place + 1, None);
        }
        segment[place] = Some(span);
        // SAFETY: the caller's contract (X1).
        unsafe { name_pages(span, number) };
    }

    /// A span was given back.
    ///
    /// # Safety
    ///
    /// The span is the caller's, and has a number of this heap.
    pub(super) unsafe fn give(&mut self, span: Span) {
        // SAFETY: the caller's contract (X1): the span lies in a chunk.
        let number = unsafe { name_of(span.start()) }.span();
        self.spans[number as usize / SEGMENT][number as usize % SEGMENT] = None;
        self.given_back.push(number);
    }
}

/// Names the pages of a span in which an object may begin.
///
/// # Safety
///
/// The span is the caller's.
unsafe fn name_pages(span: Span, number: u32) {
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
