//! Blocks that a heap's nursery had, and will have again: mapped, and in the caches still.

use crate::pages::Source;
use crate::pages::page::Run;
use std::cell::{Cell, RefCell};

/// Empty blocks. As many as the nursery has used lately: an actor that rests keeps none.
#[derive(Default)]
pub(crate) struct Reserve {
    runs: RefCell<Vec<Run>>,
    pages: Cell<usize>,
    /// Pages that nursery and reserve together may have after a collection.
    keeps: usize,
}

impl Reserve {
    /// A block, if there is one.
    pub(crate) fn take(&self) -> Option<Run> {
        let run = self.runs.borrow_mut().pop()?;
        self.pages.set(self.pages.get() - pages(run));
        Some(run)
    }

    /// Blocks of an emptied nursery. The one that was filled last is taken first again: it is in
    /// the caches still.
    pub(crate) fn put(&self, runs: impl Iterator<Item = Run>) {
        for run in runs {
            self.pages.set(self.pages.get() + pages(run));
            self.runs.borrow_mut().push(run);
        }
    }

    /// A nursery that had so many pages was emptied: what it will hardly need goes back.
    pub(crate) fn settle(&mut self, used: usize, still: usize, source: &Source) {
        // A burst is forgotten by and by.
        self.keeps = used.max(usize::midpoint(self.keeps, used));
        self.shrink(self.keeps.saturating_sub(still), source);
    }

    /// Gives all but so many pages back.
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
        // SAFETY: nobody has them.
        unsafe { source.give(runs.drain(..few)) };
        self.pages.set(left);
    }

    /// Pages that it has.
    pub(crate) fn pages(&self) -> usize {
        self.pages.get()
    }

    /// The blocks, for the verifier.
    pub(crate) fn runs(&self) -> Vec<Run> {
        self.runs.borrow().clone()
    }
}

fn pages(run: Run) -> usize {
    // SAFETY: the run is this heap's.
    unsafe { run.page() }.pages as usize
}
