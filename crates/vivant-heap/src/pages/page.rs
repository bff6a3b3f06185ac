//! The description of a page, or of a run of pages that hold cells of one size for one heap.

use super::chunk::{start_of, state_of};
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

/// The most cells that a run can have: a page of the smallest ones.
const CELLS_MAX: usize = 256;

/// The description of a page. Of a run, that of its first page describes all of it; the others have `kind` and `owner`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Page {
    /// The heap whose it is, or 0.
    pub(crate) owner: u32,
    pub(crate) kind: Kind,
    pub(crate) class: u8,
    /// Whether the last mark's dead have been taken out.
    pub(crate) swept: bool,
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
/// The descriptions of a heap's pages are its holder's alone; others read `owner` and `kind`, which change only when the run is
/// taken and given back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run(pub(crate) NonNull<Page>);

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

    /// A cell that is free, taken. None if there is none.
    ///
    /// # Safety
    ///
    /// The run is the caller's, and holds cells.
    #[inline]
    pub(crate) unsafe fn take_cell(self) -> Option<NonNull<u8>> {
        // SAFETY: the caller's.
        let page = unsafe { self.page() };
        let class = page.class as usize;
        let cells = cells(class);
        for (word, bits) in page.occupied.iter_mut().enumerate() {
            if *bits == u64::MAX {
                continue;
            }
            let bit = bits.trailing_ones() as usize;
            let number = word * 64 + bit;
            if number >= cells {
                return None;
            }
            *bits |= 1 << bit;
            page.used += 1;
            // SAFETY: the cell lies in the run.
            return Some(unsafe { self.start().add(number * cell_size(class)) });
        }
        None
    }

    /// Notes that the value in a cell has a destructor.
    ///
    /// # Safety
    ///
    /// As for `take_cell`; the cell is one of the run's.
    pub(crate) unsafe fn note_drop(self, cell: NonNull<u8>) {
        // SAFETY: the caller's.
        let page = unsafe { self.page() };
        let offset = cell.addr().get() - self.start().addr().get();
        let number = match page.kind {
            Kind::Large => 0,
            _ => offset / cell_size(page.class as usize),
        };
        page.drops[number / 64] |= 1 << (number % 64);
    }

    /// Takes out what the last mark has not met: cells whose state is not `alive`. Each is told before it is free, with whether its value
    /// has a destructor.
    ///
    /// # Safety
    ///
    /// As for `take_cell`; nobody marks.
    pub(crate) unsafe fn sweep(self, alive: u8, mut dead: impl FnMut(NonNull<u8>, bool)) {
        // SAFETY: the caller's.
        let page = unsafe { self.page() };
        let size = cell_size(page.class as usize);
        let start = self.start();
        for word in 0..page.occupied.len() {
            let mut left = page.occupied[word];
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                // SAFETY: the cell lies in the run.
                let cell = unsafe { start.add((word * 64 + bit) * size) };
                // SAFETY: the run's chunk is there. Relaxed: nobody marks.
                let state = unsafe { state_of(cell) };
                if state.load(Ordering::Relaxed) == alive {
                    continue;
                }
                state.store(0, Ordering::Relaxed);
                let drops = page.drops[word] >> bit & 1 == 1;
                page.drops[word] &= !(1 << bit);
                dead(cell, drops);
                page.occupied[word] &= !(1 << bit);
                page.used -= 1;
            }
        }
        page.swept = true;
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

    /// Whether the value of a large object has a destructor.
    ///
    /// # Safety
    ///
    /// The run is the caller's, and holds a large object.
    pub(crate) unsafe fn has_drop(self) -> bool {
        // SAFETY: the caller's.
        unsafe { self.page() }.drops[0] != 0
    }

    /// All cells in use whose values have destructors.
    ///
    /// # Safety
    ///
    /// As for `take_cell`.
    pub(crate) unsafe fn each_droppable(self, mut each: impl FnMut(NonNull<u8>)) {
        // SAFETY: the caller's.
        let page = unsafe { self.page() };
        let size = match page.kind {
            Kind::Large => 0,
            _ => cell_size(page.class as usize),
        };
        let drops = page.drops;
        for number in (0..CELLS_MAX).filter(|number| drops[number / 64] >> (number % 64) & 1 == 1) {
            // SAFETY: the cell lies in the run.
            each(unsafe { self.start().add(number * size) });
        }
    }
}

impl Page {
    /// Begins to hold one large object.
    pub(crate) fn begin_large(&mut self) {
        self.back = 0;
        self.used = 1;
        self.swept = true;
        self.occupied = [0; CELLS_MAX / 64];
        self.drops = [0; CELLS_MAX / 64];
    }

    /// Begins to hold cells of this class, none in use.
    pub(crate) fn begin_cells(&mut self, class: usize) {
        self.class = class as u8;
        self.used = 0;
        self.swept = true;
        self.occupied = [0; CELLS_MAX / 64];
        self.drops = [0; CELLS_MAX / 64];
    }
}
