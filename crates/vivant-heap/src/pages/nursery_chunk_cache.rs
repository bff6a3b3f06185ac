//! The nursery chunk cache: chunks that a heap's nursery has used and will use again, mapped and
//! still in the processor's caches.

use super::page::Span;
use super::page_source::PageSource;
use std::cell::{Cell, RefCell};

/// Empty nursery chunks, as many as the nursery has used lately: an idle actor keeps none.
#[derive(Default)]
pub(crate) struct NurseryChunkCache {
    spans: RefCell<Vec<Span>>,
    pages: Cell<usize>,
    /// Maximum number of pages that nursery and cache may have together after a collection.
    max_pages: usize,
}

impl NurseryChunkCache {
    /// Takes a chunk, if there is one.
    pub(crate) fn take(&self) -> Option<Span> {
        let span = self.spans.borrow_mut().pop()?;
        self.pages.set(self.pages.get() - pages(span));
        Some(span)
    }

    /// Adds the chunks of an emptied nursery. The chunk filled last is reused first: it is still in
    /// the processor's caches.
    pub(crate) fn put(&self, spans: impl Iterator<Item = Span>) {
        for span in spans {
            self.pages.set(self.pages.get() + pages(span));
            self.spans.borrow_mut().push(span);
        }
    }

    /// Adapts the size after a nursery of `used` pages was emptied, with `survivor_pages` pages of
    /// survivors: chunks that will hardly be needed are returned.
    pub(crate) fn resize(&mut self, used: usize, survivor_pages: usize, source: &PageSource) {
        // The size decays by half after a burst.
        self.max_pages = used.max(usize::midpoint(self.max_pages, used));
        self.shrink(self.max_pages.saturating_sub(survivor_pages), source);
    }

    /// Returns all but `most` pages to the source.
    pub(crate) fn shrink(&mut self, most: usize, source: &PageSource) {
        if most == 0 {
            self.max_pages = 0;
        }
        let mut left = self.pages.get();
        let spans = self.spans.get_mut();
        let few = spans.iter().take_while(|span| {
            let more = left > most;
            if more {
                left -= pages(**span);
            }
            more
        });
        let few = few.count();
        // SAFETY: no nursery has these chunks.
        unsafe { source.give(spans.drain(..few)) };
        self.pages.set(left);
    }

    /// Number of its pages.
    pub(crate) fn pages(&self) -> usize {
        self.pages.get()
    }

    /// The chunks, for the verifier.
    pub(crate) fn spans(&self) -> Vec<Span> {
        self.spans.borrow().clone()
    }
}

fn pages(span: Span) -> usize {
    // SAFETY: the span is this heap's.
    unsafe { span.page() }.pages as usize
}
