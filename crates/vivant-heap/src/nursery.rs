//! The nursery: where most objects are born and die (H2, H3).

use crate::header::Header;
use crate::pages::Source;
use crate::pages::chunk::PAGE;
use crate::pages::page::{Kind, Run};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

/// Pages of the first block; each further one has twice as many, up to the most.
const BLOCK_FIRST: usize = 2;
const BLOCK_MOST: usize = 64;

/// Blocks in which objects lie one behind the other.
pub(crate) struct Nursery {
    /// Where the next object goes, and where the block ends.
    next: Cell<NonNull<u8>>,
    end: Cell<NonNull<u8>>,
    blocks: RefCell<Vec<Run>>,
    /// Objects with destructors.
    droppable: RefCell<Vec<NonNull<Header>>>,
    /// What its pages are marked with: objects in a nursery of survivors have been through one collection.
    age: u8,
}

/// No block yet: both ends are here.
static NOWHERE: u64 = 0;

impl Nursery {
    pub(crate) fn new(age: u8) -> Nursery {
        let nowhere = NonNull::from(&NOWHERE).cast();
        Nursery {
            next: Cell::new(nowhere),
            end: Cell::new(nowhere),
            blocks: RefCell::default(),
            droppable: RefCell::default(),
            age,
        }
    }

    /// Room for an object of so many bytes, a multiple of eight. None if the block is full.
    #[inline]
    pub(crate) fn room(&self, bytes: usize) -> Option<NonNull<u8>> {
        let next = self.next.get();
        if self.end.get().addr().get() - next.addr().get() < bytes {
            return None;
        }
        // SAFETY: within the block.
        self.next.set(unsafe { next.add(bytes) });
        Some(next)
    }

    /// One more block, with room for so many bytes at least. Whether there was memory.
    #[cold]
    pub(crate) fn grow(&self, source: &Source, owner: u32, bytes: usize) -> bool {
        let mut blocks = self.blocks.borrow_mut();
        let wanted = (BLOCK_FIRST << blocks.len().min(8)).min(BLOCK_MOST);
        let pages = wanted.max(bytes.div_ceil(PAGE));
        let Some(run) = source.take(pages, owner, Kind::Nursery) else {
            return false;
        };
        for number in 0..pages {
            // SAFETY: pages of the run, which is this nursery's.
            unsafe {
                let page = crate::pages::chunk::page_of(run.start().add(number * PAGE));
                (*page.as_ptr()).class = self.age;
            }
        }
        self.next.set(run.start());
        // SAFETY: the end of the run.
        self.end.set(unsafe { run.start().add(pages * PAGE) });
        blocks.push(run);
        true
    }

    /// The value of the object that begins there has a destructor.
    pub(crate) fn note_drop(&self, object: NonNull<Header>) {
        self.droppable.borrow_mut().push(object);
    }

    /// A collection is over: what was filled in it is young, and has survived one.
    pub(crate) fn settle(&mut self) {
        // What is born from now on is younger, and goes into blocks of its own.
        self.next.set(self.end.get());
        self.age = 0;
        for run in self.blocks.get_mut() {
            // SAFETY: the run is this nursery's.
            let pages = unsafe { run.page() }.pages as usize;
            for number in 0..pages {
                // SAFETY: as above; a nursery's run lies in one chunk.
                unsafe { (*run.0.add(number).as_ptr()).class = 1 };
            }
        }
    }

    pub(crate) fn droppable(&self) -> Vec<NonNull<Header>> {
        self.droppable.take()
    }

    /// Bytes of its blocks.
    pub(crate) fn bytes(&self) -> usize {
        // SAFETY: the runs are this nursery's.
        let pages = |run: &Run| unsafe { run.page() }.pages as usize;
        self.blocks.borrow().iter().map(pages).sum::<usize>() * PAGE
    }

    /// Bytes that objects have, and what was left over in full blocks.
    pub(crate) fn used(&self) -> usize {
        self.bytes() - (self.end.get().addr().get() - self.next.get().addr().get())
    }

    /// All of it is free again: its blocks go back.
    ///
    /// # Safety
    ///
    /// Nobody uses an object in it.
    pub(crate) unsafe fn clear(&mut self, source: &Source) {
        for run in self.blocks.take() {
            // SAFETY: taken from this source, and the caller's.
            unsafe { source.give(run) };
        }
        *self = Nursery::new(self.age);
    }
}
