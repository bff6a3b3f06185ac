//! The recycled memory of messages and promises: a magazine allocator (invariants N1–N3, see the
//! README).
//!
//! A worker keeps the blocks that its turns consumed for the messages that its turns send; in a
//! steady state no message is allocated. Where one worker sends and another consumes, blocks go
//! back in batches, through the depot (magazines, Bonwick 1994 and 2001).

use super::slab;
use crate::sync::{Arc, Mutex, fault, lock, thread_local};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::{self, NonNull};

/// Size of a cache line in bytes.
const LINE: usize = 64;

/// Number of sizes. Blocks of size `s` fill `s + 1` cache lines: a message's with the word that
/// allocators often keep before a block. A promise's have these lines to themselves, because two
/// workers may use neighbours at the same time.
const SIZES: usize = 8;

/// Number of size classes: those of messages, then those of promises, which come from slabs.
const CLASSES: usize = 2 * SIZES;

/// Number of blocks in a full magazine.
pub(crate) const MAGAZINE: u32 = 64;

/// Limit of the bytes of each class in the depot; magazines beyond it go back to the allocator.
const DEPOT_MAX: usize = 2 << 20;

/// False where each message must have memory of its own, so that memory checkers see every use
/// after free.
const RECYCLES: bool = !cfg!(any(miri, vivant_plain_messages));

/// Returns the size class for a message `P`, or `None` if it is too large or has an unusual
/// alignment.
const fn class_of<P>() -> Option<usize> {
    let class = (size_of::<P>() + 7) / LINE;
    if class < SIZES && align_of::<P>() <= align_of::<u64>() {
        Some(class)
    } else {
        None
    }
}

/// As `class_of`, for the slot of a promise.
const fn slot_class_of<P>() -> Option<usize> {
    let class = (size_of::<P>() - 1) / LINE;
    if class < SIZES && align_of::<P>() <= align_of::<u64>() {
        Some(SIZES + class)
    } else {
        None
    }
}

const fn is_in_slab(class: usize) -> bool {
    class >= SIZES
}

const fn layout_of(class: usize) -> Layout {
    let lines = LINE * (class % SIZES + 1);
    let layout = match is_in_slab(class) {
        true => Layout::from_size_align(lines, LINE),
        false => Layout::from_size_align(lines - 8, align_of::<u64>()),
    };
    match layout {
        Ok(layout) => layout,
        Err(_) => panic!("a class that is no layout"),
    }
}

thread_local! {
    /// The pool of this thread's worker. Set only by [`Pool::enter`]; its frame outlives every use.
    static CURRENT: Cell<Option<NonNull<Pool>>> = const { Cell::new(None) };
}

/// Returns uninitialised memory for one `P`.
#[inline]
pub(crate) fn take<P>() -> NonNull<P> {
    let Some(class) = (const { class_of::<P>() }) else {
        return large(size_of::<P>(), align_of::<P>()).cast();
    };
    recycled(class).cast()
}

/// As [`take`], for the slot of a promise: memory that contains nothing but slots until it is freed
/// (N5). It is zeroed, or as the last slot has left it.
#[inline]
pub(crate) fn take_slot<P>() -> NonNull<P> {
    let Some(class) = (const { slot_class_of::<P>() }) else {
        return aligned(slab_block(Layout::new::<P>(), 1).cast());
    };
    aligned(recycled(class).cast())
}

#[inline]
fn aligned<P>(place: NonNull<P>) -> NonNull<P> {
    debug_assert!(place.is_aligned(), "N4: memory of another layout");
    place
}

#[inline]
fn recycled(class: usize) -> NonNull<u8> {
    let recycled = Pool::with_current(|pool| pool.take(class)).flatten();
    recycled.unwrap_or_else(|| fresh(class))
}

/// Not `extern` for linkage. A function with this ABI aborts the process instead of unwinding; the
/// compiler uses that, and keeps the value that the caller is about to write into the memory in
/// registers.
#[cold]
extern "C" fn fresh(class: usize) -> NonNull<u8> {
    Pool::with_current(|pool| pool.take_refilled(class))
        .flatten()
        .unwrap_or_else(|| match is_in_slab(class) {
            true => {
                let layout = layout_of(class);
                slab_block(layout, if RECYCLES { slab::blocks_of(layout) } else { 1 })
            }
            false => allocated(layout_of(class)),
        })
}

/// Returns one block of a slab. A new chunk has `blocks` blocks.
#[cold]
fn slab_block(layout: Layout, blocks: usize) -> NonNull<u8> {
    let mut block = NonNull::dangling();
    slab::take(layout, 1, blocks, |taken| block = taken);
    block
}

/// As `fresh`, for a type without a size class.
#[cold]
extern "C" fn large(size: usize, align: usize) -> NonNull<u8> {
    match Layout::from_size_align(size, align) {
        Ok(layout) => allocated(layout),
        Err(_) => unreachable!("the layout of a type"),
    }
}

/// Gives back memory from [`take`].
///
/// # Safety
///
/// `place` came from `take::<P>()`, nothing in it is used any more, and this is called once for it.
#[inline]
pub(crate) unsafe fn give<P>(place: NonNull<P>) {
    let Some(class) = (const { class_of::<P>() }) else {
        // SAFETY: `P` has no class, so `take` allocated it with this layout (N4); the caller gives
        // it up, once (X1).
        return unsafe { dealloc(place.as_ptr().cast(), Layout::new::<P>()) };
    };
    // SAFETY: the caller gives it up unused, once (X1), and it was taken as a block of this class
    // (N4).
    let kept = Pool::with_current(|pool| unsafe { pool.give(class, place.cast()) });
    if kept != Some(Recycled::Yes) {
        // SAFETY: the caller gave it up, and the pool did not keep it, so it is freed here, once
        // (N3).
        unsafe { freed(class, place.cast()) };
    }
}

/// Gives back memory from [`take_slot`].
///
/// # Safety
///
/// `place` came from `take_slot::<P>()`, nothing in it is used any more, its request is closed
/// (N6), and this is called once for it.
#[inline]
pub(crate) unsafe fn give_slot<P>(place: NonNull<P>) {
    let Some(class) = (const { slot_class_of::<P>() }) else {
        // SAFETY: `P` has no class, so the block is one of a slab (N4); the caller gives it up,
        // once, with its request closed (X1).
        return unsafe { slab::give(place.cast()) };
    };
    // SAFETY: the caller gives it up unused, once (X1), and it was taken as a block of this class
    // (N4).
    let kept = Pool::with_current(|pool| unsafe { pool.give(class, place.cast()) });
    if kept != Some(Recycled::Yes) {
        // SAFETY: the caller gave it up with its record closed (X1), and the pool did not keep it,
        // so it is freed here, once (N3).
        unsafe { freed(class, place.cast()) };
    }
}

/// # Safety
///
/// The caller owns the block, which was taken for `class`, and gives it up. If it is in a slab, its
/// request is closed (N6).
unsafe fn freed(class: usize, block: NonNull<u8>) {
    if is_in_slab(class) {
        // SAFETY: the caller's contract (X1), and blocks of these classes come from slabs (N4).
        unsafe { slab::give(block) };
    } else {
        // SAFETY: all blocks of a class have the layout of the class (N4), and the caller gives it
        // up, once (X1).
        unsafe { dealloc(block.as_ptr(), layout_of(class)) };
    }
}

fn allocated(layout: Layout) -> NonNull<u8> {
    // SAFETY: no layout here has size zero (N4): a class has a size, and each type that is passed
    // to `take` contains a header, a slot state, a resolver, an `Arc` or a stop reason.
    NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Prefetches a block. Another worker may have used it last; when it is needed its cache line is
/// here.
#[inline]
fn fetch_ahead(block: *const Block) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a prefetch, on a processor that `cfg` selects (X12).
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(block.cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = block;
}

/// A free block, linked through itself.
struct Block {
    next: *mut Block,
}

/// Free blocks of one class, exactly [`MAGAZINE`] of them if it is in the depot.
struct Magazine(*mut Block);

// SAFETY: a magazine owns its blocks (N1), which are plain memory (X9); the lock of the depot
// orders the giver before the taker (N2).
unsafe impl Send for Magazine {}

impl Magazine {
    /// Gives every block back to the allocator.
    fn release(self, class: usize) {
        let mut at = self.0;
        while let Some(block) = NonNull::new(at) {
            // SAFETY: the magazine owned this block (N1), of this class. Its link is read before it
            // is freed, and no other code frees it (N3).
            unsafe {
                at = block.as_ref().next;
                freed(class, block.cast());
            }
        }
    }
}

/// Whether the pool took a block over.
#[derive(PartialEq, Eq)]
pub(crate) enum Recycled {
    Yes,
    No,
}

/// The magazines of one worker. For each class there is a current one, and a reserve that is full
/// or absent.
pub(crate) struct Pool {
    classes: [Rack; CLASSES],
    /// `None`: this thread does not recycle.
    depot: Option<Arc<Depot>>,
}

struct Rack {
    first: Cell<*mut Block>,
    count: Cell<u32>,
    /// Null, or the first of exactly [`MAGAZINE`] blocks.
    reserve: Cell<*mut Block>,
}

impl Pool {
    pub(crate) fn new(depot: Option<Arc<Depot>>) -> Pool {
        let rack = || Rack {
            first: Cell::new(ptr::null_mut()),
            count: Cell::new(0),
            reserve: Cell::new(ptr::null_mut()),
        };
        Pool {
            classes: std::array::from_fn(|_| rack()),
            depot: depot.filter(|_| RECYCLES),
        }
    }

    /// Makes this the pool of this thread while `body` runs. Nests.
    pub(crate) fn enter<R>(&self, body: impl FnOnce() -> R) -> R {
        struct Restore(Option<NonNull<Pool>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.with(|current| current.set(self.0));
            }
        }
        let before = CURRENT.with(|current| current.replace(Some(NonNull::from(self))));
        let _restore = Restore(before);
        body()
    }

    /// Calls `body` with the pool of this thread, if it has one.
    #[inline]
    fn with_current<R>(body: impl FnOnce(&Pool) -> R) -> Option<R> {
        let pool = CURRENT.with(Cell::get)?;
        // SAFETY: `enter` set it from a reference that lives as long as its frame, and takes it
        // back when that frame is left; `body` runs above that frame, on this thread (X7).
        Some(body(unsafe { pool.as_ref() }))
    }

    /// Takes a block of `class`, if the current magazine has one.
    #[inline]
    pub(crate) fn take(&self, class: usize) -> Option<NonNull<u8>> {
        let rack = &self.classes[class];
        let block = NonNull::new(rack.first.get())?;
        // SAFETY: the rack owns its blocks (N1), and `give` wrote a link into each (X5).
        let next = unsafe { block.as_ref() }.next;
        fetch_ahead(next);
        rack.first.set(next);
        rack.count.set(rack.count.get() - 1);
        Some(block.cast())
    }

    /// As `take`, when the current magazine is empty.
    pub(crate) fn take_refilled(&self, class: usize) -> Option<NonNull<u8>> {
        self.refilled(class)?;
        self.take(class)
    }

    /// Makes a full magazine the current one, and takes a block of it.
    fn refilled(&self, class: usize) -> Option<NonNull<Block>> {
        let rack = &self.classes[class];
        let mut full = rack.reserve.replace(ptr::null_mut());
        let mut count = MAGAZINE;
        if full.is_null() {
            let depot = self.depot.as_ref()?;
            (full, count) = match depot.take(class) {
                Some(magazine) => (magazine.0, MAGAZINE),
                None if is_in_slab(class) => of_slab(class),
                None => return None,
            };
        }
        rack.first.set(full);
        rack.count.set(count);
        NonNull::new(full)
    }

    /// Keeps a block for reuse.
    ///
    /// # Safety
    ///
    /// The caller owns the block, which was allocated for `class`. It gives the block up unless the
    /// result is `No`.
    #[inline]
    pub(crate) unsafe fn give(&self, class: usize, block: NonNull<u8>) -> Recycled {
        let Some(depot) = &self.depot else {
            return Recycled::No;
        };
        let rack = &self.classes[class];
        if rack.count.get() == MAGAZINE {
            self.set_aside(class, depot);
        }
        let block = block.cast::<Block>();
        // SAFETY: the caller owns the block and gives it up (X1); every class has room for a link
        // (N4).
        unsafe {
            block.write(Block {
                next: rack.first.get(),
            });
        }
        rack.first.set(block.as_ptr());
        rack.count.set(rack.count.get() + 1);
        Recycled::Yes
    }

    /// The current magazine is full: it becomes the reserve, and the old reserve goes to the depot.
    #[cold]
    fn set_aside(&self, class: usize, depot: &Depot) {
        let rack = &self.classes[class];
        let full = rack.first.replace(ptr::null_mut());
        rack.count.set(0);
        let first = rack.reserve.replace(full);
        if !first.is_null() {
            fault!(KeepsReserve => rack.reserve.set(first));
            depot.give(class, Magazine(first));
        }
    }
}

/// Returns linked blocks of a slab, and their number.
fn of_slab(class: usize) -> (*mut Block, u32) {
    let (mut first, mut count) = (ptr::null_mut(), 0);
    let layout = layout_of(class);
    slab::take(
        layout,
        MAGAZINE as usize,
        slab::blocks_of(layout),
        |block| {
            let block = block.cast::<Block>();
            // SAFETY: the slab has given the block to this caller (N1), and every class has room
            // for a link (N4).
            unsafe { block.write(Block { next: first }) };
            first = block.as_ptr();
            count += 1;
        },
    );
    (first, count)
}

impl Drop for Pool {
    fn drop(&mut self) {
        for (class, rack) in self.classes.iter().enumerate() {
            for first in [rack.first.get(), rack.reserve.get()] {
                Magazine(first).release(class);
            }
        }
    }
}

/// Full magazines that belong to no worker: the way of memory from workers that consume back to
/// workers that send.
pub(crate) struct Depot([Mutex<Vec<Magazine>>; CLASSES]);

impl Depot {
    pub(crate) fn new() -> Depot {
        Depot(std::array::from_fn(|_| Mutex::new(Vec::new())))
    }

    fn take(&self, class: usize) -> Option<Magazine> {
        fault!(
            lock(&self.0[class]).pop(),
            HandsOutTwice => lock(&self.0[class]).last().map(|full| Magazine(full.0)),
            Unordered => crate::fault::hidden(),
        )
    }

    fn give(&self, class: usize, full: Magazine) {
        fault!(Loses => return, Unordered => return crate::fault::hide(full));
        let mut magazines = lock(&self.0[class]);
        if magazines.len() < DEPOT_MAX / (MAGAZINE as usize * layout_of(class).size()) {
            magazines.push(full);
            return;
        }
        drop(magazines);
        full.release(class);
    }
}

impl Drop for Depot {
    fn drop(&mut self) {
        for class in 0..CLASSES {
            let magazines = std::mem::take(&mut *lock(&self.0[class]));
            for magazine in magazines {
                magazine.release(class);
            }
        }
    }
}
