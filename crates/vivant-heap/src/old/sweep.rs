//! Dead cells become free, run by run (H8).

#[cfg(test)]
use super::Epoch;
use super::{FreeCells, Old, end};
use crate::orca::ForeignCode;
use crate::pages::Source;
use crate::pages::page::{Kind, Run, Wanted};
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::stress::poison;

/// How many runs are swept for one object that finds no cell: what bounds its allocation. If none
/// of them has a free cell it gets a new run.
const MISSES: usize = 8;

/// How many are for all objects of one collection of the nursery, of which each may find hardly a
/// cell in a run: what bounds its pause. Then new runs it is.
pub(crate) const MISSES_MINOR: usize = 256;

/// A sweep of a run costs as much as so many destructors.
const DESTRUCTORS: usize = 16;

/// How much is swept at a time. The last run may have more than is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portion {
    pub(crate) runs: usize,
    /// Pages that are empty then: the system may take them back, which takes as long for each.
    pub(crate) empty: usize,
    /// That are run.
    pub(crate) destructors: usize,
}

impl Portion {
    pub(crate) const ALL: Portion = Portion::of(usize::MAX);

    /// Of so many runs of one page, with a few destructors each.
    pub(crate) const fn of(runs: usize) -> Portion {
        Portion {
            runs,
            empty: runs,
            destructors: runs.saturating_mul(DESTRUCTORS),
        }
    }

    fn is_some(self) -> bool {
        self.runs != 0 && self.empty != 0 && self.destructors != 0
    }
}

impl Old {
    /// Sweeps until one of these is used up. Whether all are swept then.
    pub(crate) fn sweep(&mut self, mut left: Portion, source: &Source) -> bool {
        let mut empty = Vec::new();
        while self.unswept != 0 && left.is_some() {
            let Some(run) = self.next_unswept() else {
                break;
            };
            // SAFETY: the run is this heap's, and on no list.
            unsafe {
                let destructors = self.sweep_one(run);
                left.runs -= 1;
                left.destructors = left.destructors.saturating_sub(destructors);
                match run.page().used {
                    0 => {
                        left.empty = left.empty.saturating_sub(run.page().pages as usize);
                        empty.push(run);
                    }
                    _ => self.put(run),
                }
            }
        }
        // SAFETY: the runs are on no list any more.
        unsafe { self.give(empty, source) };
        self.unswept == 0
    }

    /// Sweeps a few runs of one class for an object that finds no cell. One of those that are empty
    /// now is the caller's.
    pub(super) fn sweep_for(&mut self, class: usize, source: &Source) -> Option<Run> {
        let mut empty = Vec::new();
        for _ in 0..MISSES.min(self.misses) {
            let runs = self.sizes[class].as_mut();
            let Some(run) = runs.and_then(|runs| runs.next_unswept()) else {
                break;
            };
            let _foreign = ForeignCode::begin();
            // SAFETY: the run is this heap's, and on no list.
            unsafe {
                let destructors = self.sweep_one(run);
                self.misses = self.misses.saturating_sub(1 + destructors / DESTRUCTORS);
                match run.page().used {
                    0 => empty.push(run),
                    _ => self.put(run),
                }
            }
        }
        let kept = empty.pop();
        // SAFETY: the runs are on no list any more.
        unsafe { self.give(empty, source) };
        kept
    }

    /// Sweeps a run, and counts what that frees. How many destructors have run.
    ///
    /// # Safety
    ///
    /// It is this heap's, was not swept, and is on no list.
    unsafe fn sweep_one(&mut self, run: Run) -> usize {
        // SAFETY: the caller's.
        let freed = unsafe { sweep_run(run, self.marked.0, self.free_cells, &mut self.panics) };
        self.live -= freed.bytes;
        // The verifier sees it if more was freed than was dead.
        self.dead = self.dead.saturating_sub(freed.bytes);
        self.destructors -= freed.destructors;
        self.unswept -= 1;
        freed.destructors
    }

    /// The next run that the last mark's sweep has not reached. It is on no list then.
    fn next_unswept(&mut self) -> Option<Run> {
        while let Some(runs) = self.sizes.get_mut(self.sweeps) {
            if let Some(run) = runs.as_mut().and_then(|runs| runs.next_unswept()) {
                return Some(run);
            }
            self.sweeps += 1;
        }
        self.large_unswept.pop()
    }

    /// A run is swept, and has objects.
    ///
    /// # Safety
    ///
    /// It is this heap's, and on no list.
    pub(super) unsafe fn put(&mut self, run: Run) {
        // SAFETY: the caller's.
        unsafe {
            let page = run.page();
            match page.kind {
                Kind::Large => self.large.push(run),
                _ => self.sizes[page.class as usize]
                    .get_or_insert_default()
                    .put(run),
            }
        }
    }

    /// Gives empty runs back.
    ///
    /// # Safety
    ///
    /// They are this heap's, and on no list.
    pub(super) unsafe fn give(&mut self, empty: impl IntoIterator<Item = Run>, source: &Source) {
        let counted = empty.into_iter().inspect(|run| {
            // SAFETY: the caller's.
            self.pages -= unsafe { run.page() }.pages as usize;
            self.runs -= 1;
        });
        // SAFETY: the caller's.
        unsafe { source.give(counted) };
    }
}

/// What a sweep of a run did.
pub(super) struct Freed {
    bytes: usize,
    /// How many were run.
    destructors: usize,
}

/// Sweeps one run.
///
/// # Safety
///
/// It is the caller's.
unsafe fn sweep_run(run: Run, alive: u8, free: FreeCells, panics: &mut u64) -> Freed {
    let marked = alive;
    #[cfg(test)]
    let alive = match is_planted(Planted::FreedAlive) {
        true => Epoch(alive).next().0,
        false => alive,
    };
    let wanted = match free {
        FreeCells::Poisoned => Wanted::All,
        FreeCells::Stale => Wanted::Destructors,
    };
    let mut destructors = 0;
    // SAFETY: the caller's.
    unsafe {
        let before = run.page().used;
        let size = run.page().cell_size();
        // SAFETY: dead, and its page is the caller's. Destructors that run meanwhile are of leaves
        // (H10): they have no way to this heap, so to no page of this run, which `sweep` has
        // borrowed.
        run.sweep(alive, wanted, |cell, drops| {
            if drops {
                *panics += end(cell.cast());
                destructors += 1;
            }
            if free == FreeCells::Poisoned {
                poison(cell, size);
            }
        });
        run.page().swept = marked;
        Freed {
            bytes: usize::from(before - run.page().used) * size,
            destructors,
        }
    }
}
