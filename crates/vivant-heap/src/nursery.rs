//! The nursery: where most objects are born and die (H2, H3).

use crate::header::Header;
use crate::orca::Owner;
use crate::pages::Source;
use crate::pages::chunk::{HEAD, PAGE, PAGES, age_of, set_ages};
use crate::pages::page::{Age, Kind, Run};
use crate::reserve::Reserve;
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

/// Pages of the first block; each further one has twice as many, up to the most: four of these are
/// a chunk, with nothing left over.
const BLOCK_FIRST: usize = 1;
const BLOCK_MOST: usize = (PAGES - HEAD) / 4;

/// Blocks in which objects lie one behind the other. What each turn looks at lies at the beginning.
#[repr(C)]
pub(crate) struct Nursery {
    /// Where the next object goes, and where the block ends.
    next: Cell<NonNull<u8>>,
    end: Cell<NonNull<u8>>,
    /// Pages of the blocks.
    pages: Cell<usize>,
    blocks: RefCell<Vec<Block>>,
    /// Objects with destructors.
    droppable: RefCell<Vec<NonNull<Header>>>,
    /// Of its objects.
    age: Age,
}

/// Some pages of it.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) run: Run,
    /// Bytes of it that objects have, once it is full. `usize::MAX` before.
    filled: usize,
}

/// No block yet: both ends are here.
static NOWHERE: u64 = 0;

impl Nursery {
    pub(crate) fn new(age: Age) -> Nursery {
        let nowhere = NonNull::from(&NOWHERE).cast();
        Nursery {
            next: Cell::new(nowhere),
            end: Cell::new(nowhere),
            blocks: RefCell::default(),
            pages: Cell::new(0),
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
    pub(crate) fn grow(
        &self,
        reserve: &Reserve,
        source: &Source,
        owner: NonNull<Owner>,
        bytes: usize,
    ) -> bool {
        let mut blocks = self.blocks.borrow_mut();
        let wanted = (BLOCK_FIRST << blocks.len().min(8)).min(BLOCK_MOST);
        debug_assert!(
            bytes <= BLOCK_FIRST * PAGE,
            "large objects are not born here"
        );
        let run = reserve
            .take()
            .or_else(|| source.take(wanted, owner, Kind::Nursery));
        let Some(run) = run else {
            return false;
        };
        if let Some(full) = blocks.last_mut() {
            full.fill(self.next.get());
        }
        // SAFETY: the run is this nursery's.
        let pages = unsafe { run.page() }.pages as usize;
        mark(run, self.age);
        self.next.set(run.start());
        // SAFETY: the end of the run.
        self.end.set(unsafe { run.start().add(pages * PAGE) });
        self.pages.set(self.pages.get() + pages);
        blocks.push(Block {
            run,
            filled: usize::MAX,
        });
        true
    }

    /// The value of the object that begins there has a destructor.
    pub(crate) fn note_drop(&self, object: NonNull<Header>) {
        self.droppable.borrow_mut().push(object);
    }

    /// A collection is over: what was filled in it is young, and has survived one.
    pub(crate) fn settle(&mut self) {
        // What is born from now on is younger, and goes into blocks of its own.
        let blocks = self.blocks.get_mut();
        if let Some(last) = blocks.last_mut() {
            last.fill(self.next.get());
        }
        self.next.set(self.end.get());
        self.age = Age::New;
        blocks
            .iter()
            .for_each(|block| mark(block.run, Age::Survived));
    }

    /// Whether one of its objects has a destructor.
    #[inline]
    pub(crate) fn has_destructors(&self) -> bool {
        !self.droppable.borrow().is_empty()
    }

    pub(crate) fn droppable(&self) -> Vec<NonNull<Header>> {
        self.droppable.take()
    }

    /// Objects with destructors, for the verifier.
    pub(crate) fn noted(&self) -> Vec<NonNull<Header>> {
        self.droppable.borrow().clone()
    }

    /// Its blocks, each with the bytes that objects have in it.
    pub(crate) fn blocks(&self) -> Vec<(Run, usize)> {
        let next = self.next.get().addr().get();
        let filled = |block: &Block| match block.filled {
            usize::MAX => (block.run, next - block.run.start().addr().get()),
            filled => (block.run, filled),
        };
        self.blocks.borrow().iter().map(filled).collect()
    }

    /// Pages of its blocks.
    pub(crate) fn pages(&self) -> usize {
        self.pages.get()
    }

    /// Bytes that objects have, and what was left over in full blocks.
    #[inline]
    pub(crate) fn used(&self) -> usize {
        self.pages.get() * PAGE - (self.end.get().addr().get() - self.next.get().addr().get())
    }

    /// All of it is free again: its blocks go to the reserve.
    ///
    /// # Safety
    ///
    /// Nobody uses an object in it.
    pub(crate) unsafe fn clear(&mut self, reserve: &Reserve) {
        reserve.put(self.blocks.take().iter().map(|block| block.run));
        *self = Nursery::new(self.age);
    }
}

impl Block {
    /// Nothing more goes into it.
    fn fill(&mut self, next: NonNull<u8>) {
        if self.filled == usize::MAX {
            self.filled = next.addr().get() - self.run.start().addr().get();
        }
    }
}

/// Says how old the objects are that lie in a nursery's run.
fn mark(run: Run, age: Age) {
    // SAFETY: the run is the nursery's, and lies in one chunk.
    unsafe {
        if age_of(run.start()) != age {
            set_ages(run.start(), run.page().pages as usize, age);
        }
    }
}
