//! Raw objects: what an author of containers needs of the heap. The collections of
//! `vivant-collections` are written with it, and with nothing else that is not public to programs.
//!
//! **Unstable**: this module is for crates that are released together with this one. It may change
//! in any release; programs use the collections.
//!
//! A raw object is an object with a content that its author lays out by hand: a node of a tree, an
//! array with free slots. Its first [`HEAD`] bytes are the heap's: the barrier flag and the size.
//! All that follows is the author's.
//!
//! | item | what |
//! |---|---|
//! | [`RawType`] | the type of a raw object: how the collector traces, evacuates and drops its content |
//! | [`RawGc`] | a reference to a raw object, with allocation, write barrier and tracing |
//! | [`SavedRaw`], [`Part`] | what images have of a raw object, and its name in them |
//! | [`restoring`] | makes a collection of an image |
//! | [`val_shape`], [`save_val`], [`load_val`] | a reference to a shared node in images |
//! | [`CheckedNodes`] | what a restore has found of shared nodes |
//! | [`YOUNG_MAX`] | the size up to which a raw object is allocated in the nursery |
//! | [`each_clean`] | for tests: a container that changes an object without the barrier is found |
//!
//! Two more items are of use to containers alone: [`ReadInPlace`](crate::ReadInPlace) for frozen
//! containers, and [`FixedState`](crate::FixedState), the hasher that hashes alike everywhere.
//!
//! # Contract of a container
//!
//! `SAFETY` comments of containers name these rules by their numbers.
//!
//! 1. **Turn.** A [`RawGc`] is dereferenced within the turn of its heap only: by the turn itself,
//!    or by the collector in a function of [`RawType`]. The container's handle has the brand of its
//!    turn, invariant, and is `Send` for `'static` only if the content's erased form is. The
//!    functions of a `RawType` do not dereference the references in the content: in `drop_content`
//!    their objects may have been freed, in `evacuate` they may have been moved.
//! 2. **One type.** A raw object is accessed as the content it was allocated with.
//! 3. **Reports.** A value with a `RawGc` calls [`RawGc::trace`] of it in its `trace`, and
//!    [`RawGc::evacuate`] in its `evacuate`. This holds for a handle ([`Object`](crate::Object))
//!    and for a content (`RawType`).
//! 4. **Barrier.** Before a byte of a content is changed, the write barrier was executed for the
//!    object in the same turn: [`RawGc::write_barrier`], or [`RawGc::write_barrier_slot`] if
//!    nothing that can hold a reference changes but that slot. Removals are changes (H9): a
//!    concurrent mark scans the object as it was. A new object needs no barrier until its turn
//!    ends.
//! 5. **Whole.** Whenever foreign code runs, an object is allocated, or the turn ends, the
//!    functions of its `RawType` accept the content. Foreign code are hashes, comparisons,
//!    closures and destructors: each of them may panic, and the heap is used again.
//! 6. **Concurrent marking.** `RawType::trace` runs on other threads during a turn, for objects
//!    that have not passed the barrier. It reads the content, and nothing else that changes.
//! 7. **Layout.** A content is aligned to eight bytes at most. The size of an object never changes.
//!    The collector moves objects between turns, byte by byte: a content has no pointer into
//!    itself, and no address of a content is kept after its turn.
//! 8. **Short pauses** (H6, not a matter of safety). A container of any size consists of objects of
//!    at most 128 slots that can hold references: the collector scans an object as a whole.

use crate::alloc::header::Header;
use crate::alloc::raw_head::RawHead;
use crate::gc::heap::{Heap, Root};
use crate::gc::mutator;
use crate::gc::mutator::Mutator;
pub use crate::image::{
    CheckedNodes, Part, SavedRaw, SharedContent, SharedOwner, load_val, restoring, save_val,
    val_shape,
};
use crate::object::evacuator::CLEAN;
pub use crate::object::raw_object::{RawGc, RawType};
use crate::object::table::Table;
use crate::pages::chunk::PAGE;

use std::cell::Cell;
use std::ptr::NonNull;

/// The number of bytes of a raw object before its content.
pub const HEAD: usize = size_of::<RawHead>();

/// The size in bytes, head included, up to which a raw object is allocated in the nursery. A larger
/// one is allocated in the old generation.
pub const YOUNG_MAX: usize = mutator::YOUNG_MAX - size_of::<Header>();

impl RawGc {
    /// Allocates a raw object of `bytes` bytes, its head included, with the content that `begin`
    /// writes.
    ///
    /// Costs a few stores in the nursery up to [`YOUNG_MAX`] bytes.
    ///
    /// # Safety
    ///
    /// After `begin` the functions of `T` accept the content, which is uninitialised before.
    /// `begin` does not panic, and does not use the mutator. `bytes` is at least [`HEAD`]. The
    /// content is aligned to eight bytes at most (rule 7).
    ///
    /// # Panics
    ///
    /// There is no memory.
    #[inline]
    pub unsafe fn alloc<'gc, T: RawType<'gc>>(
        mutator: &Mutator<'gc>,
        bytes: usize,
        begin: impl FnOnce(RawGc),
    ) -> RawGc {
        debug_assert!(bytes >= HEAD);
        let Ok(stored) = u32::try_from(bytes) else {
            mutator::no_memory(bytes)
        };
        let room = mutator.allocate(bytes, true);
        // SAFETY: there is room for the header, and for `bytes` bytes behind it, of which a head
        // takes no more than the caller guarantees. The object was just made, and is whole after
        // `begin`.
        unsafe {
            room.write(Header::new(Table::of_raw::<T>()));
            let head = room.add(1).cast::<RawHead>();
            head.write(RawHead {
                flag: Cell::new(0),
                bytes: stored,
            });
            let object = RawGc(head);
            begin(object);
            if T::NEEDS_DROP {
                mutator.note_drop(room, bytes);
            }
            if T::HAS_EXTERNAL_EDGES {
                mutator.note_external_edges();
            }
            object
        }
    }

    /// The write barrier (rule 4): the whole content may be changed until the turn ends. Costs one
    /// comparison if it was executed before since the last minor collection.
    ///
    /// # Safety
    ///
    /// The object is of this turn's heap, and is not frozen.
    #[inline]
    pub unsafe fn write_barrier(self, mutator: &Mutator<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if self.head().flag.get() != 0 {
                self.write_barrier_slow(mutator);
            }
        }
    }

    /// The write barrier before a change of one slot, and of nothing else that can hold a
    /// reference: a minor collection then scans the slots between the first and the last written
    /// one. The author chooses the numbers of slots.
    ///
    /// # Safety
    ///
    /// As for [`RawGc::write_barrier`].
    #[inline]
    pub unsafe fn write_barrier_slot(self, mutator: &Mutator<'_>, slot: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if self.head().flag.get() != 0 {
                self.write_barrier_slot_slow(mutator, slot);
            }
        }
    }

    /// # Safety
    ///
    /// As for [`RawGc::write_barrier`].
    #[cold]
    #[inline(never)]
    unsafe fn write_barrier_slow(self, mutator: &Mutator<'_>) {
        // SAFETY: guaranteed by the caller.
        let flag = unsafe { &self.head().flag };
        if flag.get() & CLEAN != 0 {
            mutator.write_barrier(self.header());
        }
        flag.set(0);
    }

    /// # Safety
    ///
    /// As for [`RawGc::write_barrier`].
    #[inline(never)]
    unsafe fn write_barrier_slot_slow(self, mutator: &Mutator<'_>, slot: usize) {
        // The end of a window is one byte.
        if slot >= 0xFF {
            // SAFETY: guaranteed by the caller.
            return unsafe { self.write_barrier_slow(mutator) };
        }
        // SAFETY: guaranteed by the caller.
        let flag = unsafe { &self.head().flag };
        let slot = slot as u32;
        let (mut from, mut to) = (slot, slot + 1);
        if flag.get() & CLEAN != 0 {
            mutator.write_barrier(self.header());
        } else {
            (from, to) = (from.min(flag.get() & 0xFF), to.max(flag.get() >> 8));
        }
        flag.set(from | to << 8);
    }
}

/// Calls `each` with the address and the size of every old raw object that has not passed the
/// barrier since the last minor collection.
///
/// For tests of containers: after a change, the bytes of such an object are what they were before
/// it, or the container breaks rule 4.
pub fn each_clean<R: Root>(heap: &mut Heap<R>, mut each: impl FnMut(NonNull<u8>, usize)) {
    for span in heap.parts().0.old.spans() {
        // SAFETY: the span is the heap's, and no turn runs.
        let page = unsafe { span.0.read() };
        let size = page.block_size();
        for number in 0..page.pages as usize * PAGE / size {
            if page.occupied[number / 64] >> (number % 64) & 1 == 0 {
                continue;
            }
            // SAFETY: a block in use: an object begins there, which has not moved. A raw object has
            // a head behind its header.
            unsafe {
                let object = span.start().add(number * size).cast::<Header>();
                if !object.as_ref().table().is_raw() {
                    continue;
                }
                let head = object.add(1).cast::<RawHead>();
                if head.as_ref().flag.get() & CLEAN != 0 {
                    each(head.cast(), head.as_ref().bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gc, Leaf, Pacing, PageSource};
    use std::sync::Arc;

    struct Large;

    impl Root for Large {
        type Of<'gc> = Gc<'gc, Leaf<[u64; 2_000]>>;
    }

    #[test]
    fn a_large_object_is_one_block_and_no_raw_object() {
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<Large>::new(&source, Pacing::new(), |m| m.alloc(Leaf([1; 2_000])));
        heap.collect();
        let mut raw = 0;
        each_clean(&mut heap, |_, _| raw += 1);
        assert_eq!(raw, 0);
    }
}
