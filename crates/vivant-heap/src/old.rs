//! The old generation: objects in cells that never move (H4).

use crate::header::Header;
use crate::pages::Source;
use crate::pages::chunk::{PAGE, page_of, state_of};
use crate::pages::class::{CLASSES, SMALL_MAX, cell_size, class_for, run_pages};
use crate::pages::page::{Kind, Run};
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::stress::poison;
use crate::sync::Ordering;
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;

/// One of three marks. An object is met by the last mark if its state is the epoch of that; with two, a dead cell that was not yet swept would
/// read as marked the next time (H4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Epoch(pub(crate) u8);

impl Epoch {
    pub(crate) const FIRST: Epoch = Epoch(1);

    pub(crate) fn next(self) -> Epoch {
        Epoch(self.0 % 3 + 1)
    }
}

/// The runs of one size.
#[derive(Default)]
struct Runs {
    runs: Vec<Run>,
    /// Those before this one are full, or were when they were last looked at.
    current: usize,
}

/// All old objects of a heap.
pub(crate) struct Old {
    sizes: [Runs; CLASSES],
    large: Vec<Run>,
    pub(crate) epoch: Epoch,
    /// Bytes of cells and large objects in use.
    pub(crate) live: usize,
    /// Pages that it has.
    pub(crate) pages: usize,
    /// Runs that the last mark's sweep has not reached yet.
    pub(crate) unswept: usize,
    /// Destructors that panicked (H10).
    pub(crate) panics: u64,
    /// Whether free cells are filled with a pattern.
    pub(crate) free_cells: FreeCells,
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
    pub(crate) fn new(free_cells: FreeCells) -> Old {
        Old {
            sizes: std::array::from_fn(|_| Runs::default()),
            large: Vec::new(),
            epoch: Epoch::FIRST,
            live: 0,
            pages: 0,
            unswept: 0,
            panics: 0,
            free_cells,
        }
    }

    /// Room for an object with so many bytes behind its header, as one that the present mark has met. None if there is no memory.
    pub(crate) fn allocate(
        &mut self,
        bytes: usize,
        source: &Source,
        owner: u32,
    ) -> Option<NonNull<Header>> {
        let bytes = size_of::<Header>() + bytes;
        let cell = if bytes <= SMALL_MAX {
            self.cell(class_for(bytes.max(1)), source, owner)?
        } else {
            self.large(bytes, source, owner)?
        };
        // SAFETY: the cell lies in a chunk of the source.
        // Relaxed: nobody else knows of it.
        unsafe { state_of(cell) }.store(self.epoch.0, Ordering::Relaxed);
        #[cfg(test)]
        if is_planted(Planted::WrongEpoch) {
            // SAFETY: as above.
            unsafe { state_of(cell) }.store(self.epoch.next().0, Ordering::Relaxed);
        }
        Some(cell.cast())
    }

    fn cell(&mut self, class: usize, source: &Source, owner: u32) -> Option<NonNull<u8>> {
        let alive = self.epoch.0;
        let sizes = &mut self.sizes[class];
        while let Some(&run) = sizes.runs.get(sizes.current) {
            // SAFETY: the run is this heap's.
            unsafe {
                if !run.page().swept {
                    self.unswept -= 1;
                    self.live -= sweep_run(run, alive, self.free_cells, &mut self.panics);
                }
                if let Some(cell) = run.take_cell() {
                    self.live += cell_size(class);
                    return Some(cell);
                }
            }
            sizes.current += 1;
        }
        let pages = run_pages(class);
        let run = source.take(pages, owner, Kind::Cells)?;
        // SAFETY: just taken.
        unsafe { run.page().begin_cells(class) };
        if self.free_cells == FreeCells::Poisoned {
            // SAFETY: as above.
            unsafe { poison(run.start(), pages * PAGE) };
        }
        run.mark_tails();
        sizes.runs.push(run);
        self.pages += pages;
        self.live += cell_size(class);
        // SAFETY: as above.
        unsafe { run.take_cell() }
    }

    fn large(&mut self, bytes: usize, source: &Source, owner: u32) -> Option<NonNull<u8>> {
        let pages = bytes.div_ceil(PAGE);
        let run = source.take(pages, owner, Kind::Large)?;
        // SAFETY: just taken.
        unsafe { run.page().begin_large() };
        self.large.push(run);
        self.pages += pages;
        self.live += pages * PAGE;
        Some(run.start())
    }

    /// The value of an object has a destructor.
    ///
    /// # Safety
    ///
    /// It is one of this generation.
    pub(crate) unsafe fn note_drop(&mut self, object: NonNull<Header>) {
        // SAFETY: the caller's.
        unsafe { run_of(object).note_drop(object.cast()) };
    }

    /// A mark begins: what is alive will be of the next epoch. Everything was swept.
    pub(crate) fn mark_begins(&mut self) {
        debug_assert_eq!(self.unswept, 0, "H6");
        self.epoch = self.epoch.next();
    }

    /// The mark has met everything that is alive: the rest is dead, and is swept by and by; large objects at once.
    ///
    /// # Safety
    ///
    /// That is so.
    pub(crate) unsafe fn mark_ends(&mut self, source: &Source) {
        for sizes in &mut self.sizes {
            sizes.current = 0;
            for run in &sizes.runs {
                // SAFETY: the runs are this heap's.
                unsafe { run.page().swept = false };
            }
            self.unswept += sizes.runs.len();
        }
        let alive = self.epoch.0;
        let (pages, live, panics) = (&mut self.pages, &mut self.live, &mut self.panics);
        self.large.retain(|&run| {
            let start = run.start();
            // SAFETY: the run is this heap's.
            // Relaxed: nobody marks any more.
            unsafe {
                if state_of(start).load(Ordering::Relaxed) == alive {
                    return true;
                }
                if run.has_drop() {
                    *panics += end(start.cast());
                }
                state_of(start).store(0, Ordering::Relaxed);
                let run_pages = run.page().pages as usize;
                *pages -= run_pages;
                *live -= run_pages * PAGE;
                source.give(run);
            }
            false
        });
    }

    /// Sweeps so many runs. Whether all are swept then.
    pub(crate) fn sweep(&mut self, mut most: usize, source: &Source) -> bool {
        let alive = self.epoch.0;
        for sizes in &mut self.sizes {
            if self.unswept == 0 {
                break;
            }
            let mut number = 0;
            while number < sizes.runs.len() {
                if most == 0 {
                    return false;
                }
                let run = sizes.runs[number];
                // SAFETY: the run is this heap's; an empty one is nobody's any more.
                unsafe {
                    if run.page().swept {
                        number += 1;
                        continue;
                    }
                    most -= 1;
                    self.unswept -= 1;
                    self.live -= sweep_run(run, alive, self.free_cells, &mut self.panics);
                    if run.page().used == 0 {
                        sizes.runs.swap_remove(number);
                        sizes.current = 0;
                        self.pages -= run.page().pages as usize;
                        source.give(run);
                        continue;
                    }
                }
                number += 1;
            }
        }
        self.unswept == 0
    }

    /// All runs, for the verifier.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> {
        let cells = self.sizes.iter().flat_map(|sizes| &sizes.runs);
        cells.chain(&self.large).copied()
    }

    /// Ends all objects, and gives all pages back.
    ///
    /// # Safety
    ///
    /// Nobody uses one.
    pub(crate) unsafe fn clear(&mut self, source: &Source) {
        let runs = self.sizes.iter_mut().flat_map(|sizes| sizes.runs.drain(..));
        for run in runs.chain(self.large.drain(..)) {
            // SAFETY: the run is this heap's, and the caller's.
            unsafe {
                run.each_droppable(|cell| self.panics += end(cell.cast()));
                source.give(run);
            }
        }
        self.live = 0;
        self.pages = 0;
        self.unswept = 0;
    }
}

/// Sweeps one run. How many bytes became free.
///
/// # Safety
///
/// It is the caller's.
unsafe fn sweep_run(run: Run, alive: u8, free: FreeCells, panics: &mut u64) -> usize {
    #[cfg(test)]
    let alive = match is_planted(Planted::FreedAlive) {
        true => Epoch(alive).next().0,
        false => alive,
    };
    // SAFETY: the caller's.
    unsafe {
        let before = run.page().used;
        let size = cell_size(run.page().class as usize);
        // SAFETY: dead, and its page is the caller's.
        run.sweep(alive, |cell, drops| {
            if drops {
                *panics += end(cell.cast());
            }
            if free == FreeCells::Poisoned {
                poison(cell, size);
            }
        });
        usize::from(before - run.page().used) * size
    }
}

/// Runs the destructor of an object's value. Panics of destructors are counted, not fatal (H10): how many.
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

/// A panic is over. What it says was said by the hook; what it brought is dropped, and is foreign code that may panic once more: that is left.
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
