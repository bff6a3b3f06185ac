//! The old generation: objects in cells that never move (H4).

mod absorb;
mod destructors;
mod runs;
mod sweep;

use crate::header::Header;
use crate::orca::Owner;
use crate::pages::Source;
use crate::pages::chunk::{PAGE, page_of, state_of};
use crate::pages::class::{CLASSES, SMALL_MAX, cell_size, class_for, run_pages};
use crate::pages::page::{Kind, Page, Run, Word};
use crate::pieces::Pieces;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::stress::poison;
use crate::sync::Ordering;
use runs::{Fill, Runs};
use std::any::Any;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
pub(crate) use sweep::{MISSES_MINOR, Portion};

/// One of three marks. An object is met by the last mark if its state is the epoch of that; with
/// two, a dead cell that was not yet swept would read as marked the next time (H4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Epoch(pub(crate) u8);

impl Epoch {
    pub(crate) const FIRST: Epoch = Epoch(1);

    pub(crate) fn next(self) -> Epoch {
        Epoch(self.0 % 3 + 1)
    }
}

/// All old objects of a heap. What each turn looks at lies at the end.
#[repr(C)]
pub(crate) struct Old {
    /// By class; a small heap has few.
    sizes: [Option<Box<Runs>>; CLASSES],
    large: Pieces<Run>,
    /// Those of them that the sweep of the last mark has not reached.
    large_unswept: Pieces<Run>,
    /// Of the mark that runs, or was the last.
    pub(crate) epoch: Epoch,
    /// Of the mark whose dead are swept.
    marked: Epoch,
    /// Whether free cells are filled with a pattern.
    pub(crate) free_cells: FreeCells,
    /// Pages that it has.
    pub(crate) pages: usize,
    /// Bytes that the last mark has met, and those that it has found dead.
    pub(crate) met: usize,
    pub(crate) died: usize,
    /// Runs that it has, and those that there were at the last mark; `unswept` are those of them
    /// that its sweep has not reached yet.
    runs: usize,
    pub(crate) to_sweep: usize,
    /// The class that is swept next.
    sweeps: usize,
    /// How many runs may still be swept for objects that find no cell.
    pub(crate) misses: usize,
    /// Bytes that lived at the last step of the sweep, or when the mark ended.
    pub(crate) at_step: usize,
    /// Under stress: runs that were taken while others of their class had free cells. None is.
    pub(crate) early: usize,
    /// Destructors that panicked (H10).
    pub(crate) panics: u64,
    /// Objects whose values have destructors.
    pub(crate) destructors: usize,
    /// Whether a turn has left cells at hand.
    pub(crate) unsettled: bool,
    pub(crate) unswept: usize,
    /// Bytes of cells and large objects in use.
    pub(crate) live: usize,
    /// Those of them that the last mark has not met, and no sweep has freed yet.
    pub(crate) dead: usize,
}

/// What lies in free cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FreeCells {
    /// What was there before.
    Stale,
    /// A pattern, so that who uses one stands out.
    Poisoned,
}

impl Old {
    /// Where begins what each turn looks at.
    pub(crate) const EACH_TURN: usize = mem::offset_of!(Old, unsettled);

    pub(crate) fn new(free_cells: FreeCells) -> Old {
        Old {
            sizes: [const { None }; CLASSES],
            large: Pieces::default(),
            large_unswept: Pieces::default(),
            epoch: Epoch::FIRST,
            marked: Epoch::FIRST,
            live: 0,
            dead: 0,
            pages: 0,
            met: 0,
            died: 0,
            runs: 0,
            to_sweep: 0,
            unswept: 0,
            sweeps: 0,
            misses: usize::MAX,
            at_step: 0,
            early: 0,
            panics: 0,
            destructors: 0,
            unsettled: false,
            free_cells,
        }
    }

    /// Room for an object with so many bytes behind its header, as one that the present mark has
    /// met. None if there is no memory.
    pub(crate) fn allocate(
        &mut self,
        bytes: usize,
        source: &Source,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<Header>> {
        let bytes = size_of::<Header>() + bytes;
        if bytes > SMALL_MAX {
            return self.large(bytes, source, owner);
        }
        let cell = self.cell(class_for(bytes), source, owner);
        self.settle();
        cell
    }

    /// A cell that is at hand for a value of so many bytes.
    #[inline]
    pub(crate) fn at_hand(&mut self, bytes: usize) -> Option<NonNull<Header>> {
        let bytes = size_of::<Header>() + bytes;
        if bytes > SMALL_MAX {
            return None;
        }
        let class = class_for(bytes);
        let runs = self.sizes[class].as_deref_mut()?;
        let cell = runs.word.take(cell_size(class))?;
        Some(self.begin(cell))
    }

    /// As [`Old::allocate`], by a turn that will want more of them: cells stay at hand until
    /// [`Old::settle`].
    #[inline]
    pub(crate) fn allocate_shared(
        &mut self,
        bytes: usize,
        source: &Source,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<Header>> {
        let bytes = size_of::<Header>() + bytes;
        if bytes > SMALL_MAX {
            return self.large(bytes, source, owner);
        }
        self.unsettled = true;
        self.cell(class_for(bytes), source, owner)
    }

    /// A cell of this class for an object that becomes old, as one that the present mark has met.
    /// More are at hand then, until [`Old::settle`]. None if there is no memory.
    #[inline]
    pub(crate) fn cell(
        &mut self,
        class: usize,
        source: &Source,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<Header>> {
        let runs = self.sizes[class].as_deref_mut();
        let cell = match runs.and_then(|runs| runs.word.take(cell_size(class))) {
            Some(cell) => cell,
            None => self.cell_slow(class, source, owner)?,
        };
        Some(self.begin(cell))
    }

    /// An object begins there.
    #[inline]
    fn begin(&self, cell: NonNull<u8>) -> NonNull<Header> {
        // SAFETY: the cell lies in a chunk of the source.
        // Relaxed: nobody else knows of it.
        unsafe { state_of(cell) }.store(self.epoch.0, Ordering::Relaxed);
        #[cfg(test)]
        if is_planted(Planted::WrongEpoch) {
            // SAFETY: as above.
            unsafe { state_of(cell) }.store(self.epoch.next().0, Ordering::Relaxed);
        }
        cell.cast()
    }

    /// The cells that are at hand are used up. Those of the fullest run that has some are next; a
    /// run that is nearly empty comes last, and may have none in use when it is swept again. Only
    /// then pages: what the last mark has not reached was full before it.
    #[cold]
    #[inline(never)]
    fn cell_slow(
        &mut self,
        class: usize,
        source: &Source,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<u8>> {
        self.sizes[class].get_or_insert_default();
        let mut word = self.next_word(class, Fill::Some);
        if word.is_none() {
            let empty = self.sweep_for(class, source);
            word = self.next_word(class, Fill::Few);
            if word.is_none() {
                let run = match empty {
                    Some(run) => run,
                    None => self.new_run(class, source, owner)?,
                };
                self.sizes[class].as_mut()?.begin(run);
                word = self.next_word(class, Fill::Few);
            } else if let Some(run) = empty {
                // SAFETY: it is on no list any more.
                unsafe { self.give([run], source) };
            }
        }
        let (word, runs) = (word?, self.sizes[class].as_mut()?);
        self.live += word.bytes(class);
        runs.word = word;
        runs.word.take(cell_size(class))
    }

    /// Free cells of the run that they are taken from, or of the fullest one that is at least so
    /// full.
    fn next_word(&mut self, class: usize, least: Fill) -> Option<Word> {
        // SAFETY: the runs are this heap's.
        unsafe { self.sizes[class].as_mut()?.next_word(least) }
    }

    /// A run of new pages.
    fn new_run(&mut self, class: usize, source: &Source, owner: NonNull<Owner>) -> Option<Run> {
        if self.free_cells == FreeCells::Poisoned {
            // SAFETY: the runs are this heap's.
            let are_full = self.sizes[class].as_deref().is_none_or(|runs| unsafe {
                match self.misses {
                    // No more of them are to be swept for this.
                    0 => Runs::are_full(runs.swept()),
                    _ => Runs::are_full(runs.iter()),
                }
            });
            self.early += usize::from(!are_full);
        }
        let pages = run_pages(class);
        let run = source.take(pages, owner, Kind::Cells)?;
        // SAFETY: just taken.
        unsafe { run.page().begin_cells(class, self.marked.0) };
        if self.free_cells == FreeCells::Poisoned {
            // SAFETY: as above.
            unsafe { poison(run.start(), pages * PAGE) };
        }
        run.mark_tails();
        self.runs += 1;
        self.pages += pages;
        Some(run)
    }

    /// Cells that are at hand and were not needed are free again.
    pub(crate) fn settle(&mut self) {
        self.unsettled = false;
        for (class, runs) in self.sizes.iter_mut().enumerate() {
            let Some(runs) = runs else { continue };
            let word = mem::replace(&mut runs.word, Word::EMPTY);
            if word.free != 0 {
                self.live -= word.bytes(class);
                // SAFETY: its run is this heap's, and it came from there.
                unsafe { word.run.give_word(word) };
            }
        }
    }

    fn large(
        &mut self,
        bytes: usize,
        source: &Source,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<Header>> {
        let pages = bytes.div_ceil(PAGE);
        let run = source.take(pages, owner, Kind::Large)?;
        // SAFETY: just taken.
        unsafe { run.page().begin_large(self.marked.0) };
        self.large.push(run);
        self.runs += 1;
        self.pages += pages;
        self.live += pages * PAGE;
        Some(self.begin(run.start()))
    }

    /// A mark begins: what is alive will be of the next epoch. Everything was swept.
    pub(crate) fn mark_begins(&mut self) {
        debug_assert_eq!(self.unswept, 0, "H6");
        self.epoch = self.epoch.next();
    }

    /// The mark has met everything that is alive, so many bytes of cells and large objects: the
    /// rest is dead, and is swept by and by.
    pub(crate) fn mark_ends(&mut self, alive: usize) {
        self.marked = self.epoch;
        self.met = alive;
        self.died = self.live - alive;
        self.dead = self.died;
        self.at_step = alive;
        self.to_sweep = self.runs;
        self.unswept = self.runs;
        self.sweeps = 0;
        debug_assert!(self.large_unswept.is_empty(), "H6");
        mem::swap(&mut self.large_unswept, &mut self.large);
        for runs in self.sizes.iter_mut().flatten() {
            // SAFETY: the runs are this heap's.
            unsafe { runs.mark_ends() };
        }
    }

    /// Bytes of cells and large objects but for those that the last mark has found dead.
    pub(crate) fn living(&self) -> usize {
        self.live - self.dead
    }

    /// Whether the last mark's dead were taken out of a run.
    pub(crate) fn is_swept(&self, page: &Page) -> bool {
        page.swept == self.marked.0
    }

    /// All runs, for the verifier.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> {
        let cells = self.sizes.iter().flatten().flat_map(|runs| runs.iter());
        let large = self.large.iter().chain(self.large_unswept.iter()).copied();
        cells.chain(large)
    }

    /// Ends all objects, and gives all pages back.
    ///
    /// # Safety
    ///
    /// Nobody uses one.
    pub(crate) unsafe fn clear(&mut self, source: &Source) {
        let runs: Vec<Run> = self.runs().collect();
        for run in &runs {
            // SAFETY: the run is this heap's, and the caller's.
            unsafe { run.each_droppable(|cell| self.panics += end(cell.cast())) };
        }
        *self = Old {
            early: self.early,
            panics: self.panics,
            ..Old::new(self.free_cells)
        };
        // SAFETY: as above.
        unsafe { source.give(runs) };
    }
}

/// Runs the destructor of an object's value. Panics of destructors are counted, not fatal (H10):
/// how many.
///
/// # Safety
///
/// Nobody uses the object any more, and it has not been ended.
pub(crate) unsafe fn end(object: NonNull<Header>) -> u64 {
    // SAFETY: the object is there.
    let table = unsafe { object.as_ref() }.table();
    if let Some(end) = table.end {
        // SAFETY: the value follows the header; the rest is the caller's.
        let ended = panic::catch_unwind(AssertUnwindSafe(|| unsafe { end(object.add(1).cast()) }));
        if let Err(panic) = ended {
            over(panic);
            return 1;
        }
    }
    0
}

/// A panic is over. What it says was said by the hook; what it brought is dropped, and is foreign
/// code that may panic once more: that is left.
pub(crate) fn over(panic: Box<dyn Any + Send>) {
    if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
}

/// The run in which an old object lies.
///
/// # Safety
///
/// It is an old object.
pub(crate) unsafe fn run_of(object: NonNull<Header>) -> Run {
    // SAFETY: the caller's.
    unsafe {
        let page = page_of(object.cast());
        Run(page.sub(page.as_ref().back as usize))
    }
}
