//! The description of a page, or of a run of pages that hold cells of one size for one heap.

use super::chunk::{PAGE, start_of, state_of};
use super::class::{cell_size, cells};
use crate::sync::Ordering;
use std::ptr::NonNull;

/// What a page is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    /// For nothing.
    Free = 0,
    /// Young objects, one behind the other.
    Nursery,
    /// Cells of one size.
    Cells,
    /// One large object.
    Large,
}

/// Whether an object is young.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Age {
    /// It is not: it never moves.
    Old = 0,
    /// Born since the last collection.
    New,
    /// It has survived one collection.
    Survived,
    /// It has moved here in the collection that runs.
    Surviving,
}

impl Age {
    #[inline]
    pub(crate) fn is_young(self) -> bool {
        self != Age::Old
    }
}

/// The most cells that a run can have: a page of the smallest ones.
const CELLS_MAX: usize = 256;

/// The description of a page. Of a run, that of its first page describes all of it; the others have
/// `kind`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Page {
    pub(crate) kind: Kind,
    pub(crate) class: u8,
    /// The number of the epoch whose mark's dead have been taken out.
    pub(crate) swept: u8,
    /// Cells in use.
    pub(crate) used: u16,
    /// How many pages the run's first one lies before this one.
    pub(crate) back: u8,
    /// Pages of the run.
    pub(crate) pages: u32,
    /// A bit for each cell in use.
    pub(crate) occupied: [u64; CELLS_MAX / 64],
    /// A bit for each cell in use whose value has a destructor.
    pub(crate) drops: [u64; CELLS_MAX / 64],
}

/// A run of pages of one heap, by its first page's description.
///
/// The descriptions of a heap's pages are its holder's alone. Others read only whose a page is,
/// which lies elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run(pub(crate) NonNull<Page>);

/// Free cells of a run that are at hand: a bit for each of those that one word of its bitmap
/// describes. The run counts them as used.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    pub(crate) run: Run,
    number: usize,
    /// The cell of the lowest bit.
    first: NonNull<u8>,
    pub(crate) free: u64,
}

impl Word {
    /// None of any run.
    pub(crate) const EMPTY: Word = Word {
        run: Run(NonNull::dangling()),
        number: 0,
        first: NonNull::dangling(),
        free: 0,
    };

    /// Bytes of the cells, which are of this class.
    pub(crate) fn bytes(&self, class: usize) -> usize {
        self.free.count_ones() as usize * cell_size(class)
    }

    /// One of the cells, of so many bytes each.
    #[inline]
    pub(crate) fn take(&mut self, size: usize) -> Option<NonNull<u8>> {
        if self.free == 0 {
            return None;
        }
        let bit = self.free.trailing_zeros() as usize;
        self.free &= self.free - 1;
        // SAFETY: the cell lies in the run.
        Some(unsafe { self.first.add(bit * size) })
    }
}

/// Of which dead cells a sweep tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// Those whose values have destructors.
    Destructors,
    All,
}

impl Run {
    /// # Safety
    ///
    /// The run is the caller's, and no other reference to this description is used meanwhile.
    #[allow(clippy::mut_from_ref, reason = "the description lies elsewhere")]
    pub(crate) unsafe fn page<'a>(self) -> &'a mut Page {
        // SAFETY: the caller's.
        unsafe { &mut *self.0.as_ptr() }
    }

    /// Where it begins.
    pub(crate) fn start(self) -> NonNull<u8> {
        // SAFETY: a run's pointer is that of a description, and may reach its chunk.
        unsafe { start_of(self.0) }
    }

    /// Takes the free cells of the first word that has some. None if there are none.
    ///
    /// # Safety
    ///
    /// The run is the caller's, and holds cells.
    pub(crate) unsafe fn take_word(self) -> Option<Word> {
        // SAFETY: the caller's.
        let page = unsafe { self.page() };
        let class = page.class as usize;
        let cells = cells(class);
        if page.used as usize == cells {
            return None;
        }
        for number in 0..cells.div_ceil(64) {
            let there = u64::MAX >> (64 - (cells - number * 64).min(64));
            let free = there & !page.occupied[number];
            if free == 0 {
                continue;
            }
            page.occupied[number] |= free;
            page.used += free.count_ones() as u16;
            // SAFETY: the cells lie in the run.
            let first = unsafe { self.start().add(number * 64 * cell_size(class)) };
            return Some(Word {
                run: self,
                number,
                first,
                free,
            });
        }
        None
    }

    /// Takes back what is left of a word.
    ///
    /// # Safety
    ///
    /// As for `take_word`, from which it came.
    pub(crate) unsafe fn give_word(self, word: Word) {
        // SAFETY: the caller's.
        let page = unsafe { self.page() };
        page.occupied[word.number] &= !word.free;
        page.used -= word.free.count_ones() as u16;
    }

    /// Notes that the value in a cell has a destructor.
    ///
    /// # Safety
    ///
    /// As for `take_word`; the cell is one of the run's.
    pub(crate) unsafe fn note_drop(self, cell: NonNull<u8>) {
        // SAFETY: the caller's.
        let page = unsafe { self.page() };
        let offset = cell.addr().get() - self.start().addr().get();
        let number = offset / page.cell_size();
        page.drops[number / 64] |= 1 << (number % 64);
    }

    /// Takes out what the last mark has not met: cells whose state is not `alive`. Those are told,
    /// before they are free, of which the caller wants to know; with whether their value has a
    /// destructor.
    ///
    /// # Safety
    ///
    /// As for `take_word`; nobody marks.
    pub(crate) unsafe fn sweep(
        self,
        alive: u8,
        wanted: Wanted,
        mut dead: impl FnMut(NonNull<u8>, bool),
    ) {
        // SAFETY: the caller's.
        let page = unsafe { self.page() };
        let size = page.cell_size();
        let start = self.start();
        for word in 0..page.occupied.len() {
            let occupied = page.occupied[word];
            let (mut left, mut met) = (occupied, 0);
            // SAFETY: the cell lies in the run.
            let cell = |bit: usize| unsafe { start.add((word * 64 + bit) * size) };
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                // SAFETY: the run's chunk is there. Relaxed: nobody marks.
                let state = unsafe { state_of(cell(bit)) }.load(Ordering::Relaxed);
                met |= u64::from(state == alive) << bit;
            }
            let gone = occupied & !met;
            if gone == 0 {
                continue;
            }
            let drops = page.drops[word] & gone;
            page.drops[word] &= !gone;
            let mut told = match wanted {
                Wanted::Destructors => drops,
                Wanted::All => gone,
            };
            while told != 0 {
                let bit = told.trailing_zeros() as usize;
                told &= told - 1;
                dead(cell(bit), drops >> bit & 1 == 1);
            }
            page.occupied[word] &= !gone;
            page.used -= gone.count_ones() as u16;
            left = gone;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                // SAFETY: as above. Relaxed: nobody marks.
                unsafe { state_of(cell(bit)) }.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Tells the descriptions behind the first one how far that is.
    pub(crate) fn mark_tails(self) {
        // SAFETY: the run was just taken; runs of cells are at most eight pages long.
        unsafe {
            for back in 0..self.page().pages as u8 {
                (*self.0.add(back as usize).as_ptr()).back = back;
            }
        }
    }

    /// All cells in use whose values have destructors.
    ///
    /// # Safety
    ///
    /// As for `take_word`.
    pub(crate) unsafe fn each_droppable(self, mut each: impl FnMut(NonNull<u8>)) {
        // SAFETY: the caller's.
        let page = unsafe { self.page() };
        let size = page.cell_size();
        let drops = page.drops;
        for (word, bits) in drops.into_iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                let number = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                // SAFETY: the cell lies in the run.
                each(unsafe { self.start().add(number * size) });
            }
        }
    }
}

impl Page {
    /// Bytes of each cell of its run; of a large object, all.
    pub(crate) fn cell_size(&self) -> usize {
        match self.kind {
            Kind::Large => self.pages as usize * PAGE,
            _ => cell_size(self.class as usize),
        }
    }

    /// Begins to hold one large object.
    pub(crate) fn begin_large(&mut self, epoch: u8) {
        self.back = 0;
        self.used = 1;
        self.swept = epoch;
        // One cell, as long as the run.
        self.occupied = [1, 0, 0, 0];
        self.drops = [0; CELLS_MAX / 64];
    }

    /// Begins to hold cells of this class, none in use.
    pub(crate) fn begin_cells(&mut self, class: usize, epoch: u8) {
        self.class = class as u8;
        self.used = 0;
        self.swept = epoch;
        self.occupied = [0; CELLS_MAX / 64];
        self.drops = [0; CELLS_MAX / 64];
    }
}
