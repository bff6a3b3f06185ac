//! [`Runs`]: the runs of one size, by how full they are (H4).

use crate::pages::class::cells;
use crate::pages::page::{Page, Run, Word};
use crate::pieces::Pieces;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use std::mem;

/// How full a run is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fill {
    /// Less than a quarter of its cells are in use: most likely to be empty soon, if nobody takes
    /// more of them.
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
        let (used, cells) = (page.used as usize, cells(page.class as usize));
        if used == cells {
            Fill::All
        } else if used * 4 >= cells * 3 {
            Fill::Most
        } else if used * 4 >= cells {
            Fill::Some
        } else {
            Fill::Few
        }
    }
}

/// The runs of one size. Each is in one place.
pub(super) struct Runs {
    /// Those that the sweep of the last mark has not reached, by how full each was before that.
    unswept: [Pieces<Run>; Fill::COUNT],
    /// By how full each was when it was swept, or came; those that cells were taken from are full.
    swept: [Pieces<Run>; Fill::COUNT],
    /// The one that cells are taken from. It is swept.
    taken_from: Option<Run>,
    /// Cells of it that are at hand, counted as used.
    pub(super) word: Word,
}

impl Default for Runs {
    fn default() -> Runs {
        Runs {
            unswept: Default::default(),
            swept: Default::default(),
            taken_from: None,
            word: Word::EMPTY,
        }
    }
}

impl Runs {
    pub(super) fn iter(&self) -> impl Iterator<Item = Run> {
        let lists = self.unswept.iter().chain(&self.swept);
        let all = lists.flat_map(Pieces::iter);
        all.chain(&self.taken_from).copied()
    }

    /// Those that the sweep of the last mark has reached, or that came since.
    pub(super) fn swept(&self) -> impl Iterator<Item = Run> {
        let all = self.swept.iter().flat_map(Pieces::iter);
        all.chain(&self.taken_from).copied()
    }

    /// Whether no cell of these is free, as far as the sweep has come.
    ///
    /// # Safety
    ///
    /// The runs are the caller's.
    pub(super) unsafe fn are_full(runs: impl IntoIterator<Item = Run>) -> bool {
        // SAFETY: the caller's.
        let is_full = |run: Run| Fill::of(unsafe { run.page() }) == Fill::All;
        runs.into_iter().all(is_full)
    }

    /// A run that is swept.
    ///
    /// # Safety
    ///
    /// It is the caller's, and in no other place.
    pub(super) unsafe fn put(&mut self, run: Run) {
        // SAFETY: the caller's.
        let fill = Fill::of(unsafe { run.page() });
        self.swept[fill as usize].push(run);
    }

    /// Cells are taken from this one next, which is swept and has some. The one before is full.
    pub(super) fn begin(&mut self, run: Run) {
        debug_assert!(self.taken_from.is_none(), "it has free cells");
        self.taken_from = Some(run);
    }

    /// Free cells of the run that they are taken from, or of the fullest one that is swept and at
    /// least so full.
    ///
    /// # Safety
    ///
    /// The runs are the caller's.
    pub(super) unsafe fn next_word(&mut self, least: Fill) -> Option<Word> {
        loop {
            if let Some(run) = self.taken_from {
                // SAFETY: the caller's; it holds cells.
                if let Some(word) = unsafe { run.take_word() } {
                    return Some(word);
                }
                self.taken_from = None;
                self.swept[Fill::All as usize].push(run);
            }
            let fills = &mut self.swept[least as usize..Fill::All as usize];
            self.taken_from = Some(fills.iter_mut().rev().find_map(Pieces::pop)?);
        }
    }

    /// The next run that is to be swept: the fullest of those that had free cells, and the full
    /// ones last.
    pub(super) fn next_unswept(&mut self) -> Option<Run> {
        let [few, some, most, all] = &mut self.unswept;
        let order = [most, some, few, all];
        #[cfg(test)]
        let order = match is_planted(Planted::FullRunsFirst) {
            true => order.into_iter().rev().collect::<Vec<_>>(),
            false => order.into_iter().collect(),
        };
        order.into_iter().find_map(Pieces::pop)
    }

    /// A mark has ended: all are to be swept. No cells are at hand. Costs the same however many
    /// there are.
    ///
    /// # Safety
    ///
    /// The runs are the caller's.
    pub(super) unsafe fn mark_ends(&mut self) {
        debug_assert!(
            self.word.free == 0 && self.unswept.iter().all(Pieces::is_empty),
            "H6"
        );
        if let Some(run) = self.taken_from.take() {
            // SAFETY: the caller's.
            unsafe { self.put(run) };
        }
        mem::swap(&mut self.unswept, &mut self.swept);
    }
}
