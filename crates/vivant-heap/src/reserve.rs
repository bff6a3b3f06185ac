//! The nursery chunk cache: chunks that a heap's nursery has used and will use again, mapped and
//! still in the processor's caches.

use crate::pages::Source;
use crate::pages::page::Run;
use std::cell::{Cell, RefCell};

/// Empty nursery chunks, as many as the nursery has used lately: an idle actor keeps none.
#[derive(Default)]
pub(crate) struct Reserve {
    runs: RefCell<Vec<Run>>,
    pages: Cell<usize>,
    /// Maximum number of pages that nursery and cache may have together after a collection.
    keeps: usize,
}

impl Reserve {
    /// Takes a chunk, if there is one.
    pub(crate) fn take(&self) -> Option<Run> {
        let run = self.runs.borrow_mut().pop()?;
        self.pages.set(self.pages.get() - pages(run));
        Some(run)
    }

    /// Adds the chunks of an emptied nursery. The chunk filled last is reused first: it is still in
    /// the processor's caches.
    pub(crate) fn put(&self, runs: impl Iterator<Item = Run>) {
        for run in runs {
            self.pages.set(self.pages.get() + pages(run));
            self.runs.borrow_mut().push(run);
        }
    }

    /// Adapts the size after a nursery of `used` pages was emptied, with `still` pages of
    /// survivors: chunks that will hardly be needed are returned.
    pub(crate) fn settle(&mut self, used: usize, still: usize, source: &Source) {
        // The size decays by half after a burst.
        self.keeps = used.max(usize::midpoint(self.keeps, used));
        self.shrink(self.keeps.saturating_sub(still), source);
    }

    /// Returns all but `most` pages to the source.
    pub(crate) fn shrink(&mut self, most: usize, source: &Source) {
        if most == 0 {
            self.keeps = 0;
        }
        let mut left = self.pages.get();
        let runs = self.runs.get_mut();
        let few = runs.iter().take_while(|run| {
            let more = left > most;
            if more {
                left -= pages(**run);
            }
            more
        });
        let few = few.count();
        // SAFETY: no nursery has these chunks.
        unsafe { source.give(runs.drain(..few)) };
        self.pages.set(left);
    }

    /// Number of its pages.
    pub(crate) fn pages(&self) -> usize {
        self.pages.get()
    }

    /// The chunks, for the verifier.
    pub(crate) fn runs(&self) -> Vec<Run> {
        self.runs.borrow().clone()
    }
}

fn pages(run: Run) -> usize {
    // SAFETY: the span is this heap's.
    unsafe { run.page() }.pages as usize
}
