//! [`RestoringHeap`]: a heap that is being made of an image.

use super::content::fault;
use super::restored_blocks::{At, BlockState, RestoredBlocks};
use super::restored_types::RestoredTypes;
use super::span_record::Holds;
use crate::alloc::header::Header;
use crate::alloc::old::restored::RestoredSpan;
use crate::gc::heap::Core;
use crate::gc::mutator::Mutator;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::orca::heap_handle::HeapHandle;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::ptr::NonNull;
use vivant_codec::{Comparison, LoadError};

/// A heap that is being made of an image. It is a context of the decoders that load the state and
/// the contents of objects; no other code has it.
pub(super) struct RestoringHeap {
    /// Of the heap, which outlives this. No other reference to it exists while a function of this
    /// file uses it, and it calls no code of users meanwhile.
    core: NonNull<UnsafeCell<Core>>,
    /// It outlives this.
    comparison: NonNull<Comparison<'static>>,
    pub(super) blocks: RestoredBlocks,
    pub(super) types: RestoredTypes,
    /// Objects that have no content yet.
    unfilled: RefCell<Vec<At>>,
    /// Number of loads of objects that wait for one within them.
    pub(super) nested: Cell<u32>,
    /// Whether a load has needed an object that waits for it.
    pub(super) met_begun: Cell<bool>,
}

impl RestoringHeap {
    /// # Safety
    ///
    /// The heap and the comparison outlive this. The heap has no objects, and nothing else uses it
    /// meanwhile.
    pub(super) unsafe fn new(
        core: NonNull<UnsafeCell<Core>>,
        comparison: &Comparison<'_>,
        blocks: RestoredBlocks,
        types: RestoredTypes,
    ) -> RestoringHeap {
        RestoringHeap {
            core,
            comparison: NonNull::from(comparison).cast(),
            blocks,
            types,
            unfilled: RefCell::default(),
            nested: Cell::new(0),
            met_begun: Cell::new(false),
        }
    }

    /// How the shapes of the image relate to those of the program.
    pub(super) fn comparison(&self) -> &Comparison<'_> {
        // SAFETY: by the contract of `new` (X1); the lifetime is that of this borrow (X7).
        unsafe { self.comparison.cast::<Comparison<'_>>().as_ref() }
    }

    /// An object that changes in place begins, without content.
    pub(super) fn begin(
        &self,
        at: At,
        bytes: usize,
        begin: unsafe fn(NonNull<Header>),
    ) -> Result<NonNull<Header>, LoadError> {
        let object = self.room(at, bytes)?;
        // SAFETY: `room` found room for an object of this type (X4).
        unsafe { begin(object) };
        self.blocks.set_state(at, BlockState::Made(object));
        self.unfilled.borrow_mut().push(at);
        Ok(object)
    }

    /// The right to allocate in the heap.
    ///
    /// # Safety
    ///
    /// `'gc` is the brand of the heap.
    pub(super) unsafe fn mutator<'gc>(&self) -> Mutator<'gc> {
        // SAFETY: by the contract of `new` (X1), the heap outlives this; the brand is the caller's.
        unsafe { Mutator::of_restored(self.core) }
    }

    /// Takes all objects that have no content yet.
    pub(super) fn take_unfilled(&self) -> Vec<At> {
        #[cfg(test)]
        if is_injected(InjectedFault::Unfilled) {
            self.unfilled.borrow_mut().pop();
        }
        self.unfilled.take()
    }

    /// Room for an object with so many bytes behind its header: its old block, or another one if
    /// its type has another size now.
    pub(super) fn room(&self, at: At, bytes: usize) -> Result<NonNull<Header>, LoadError> {
        // SAFETY: by the contract of `new` (X1).
        let core = unsafe { &mut *self.core.as_ref().get() };
        let no_memory = || fault("there is no memory for the objects of the image");
        if !core.has_pages(bytes) {
            return Err(no_memory());
        }
        let size = size_of::<Header>() + bytes;
        let span = self.blocks.span(at);
        let owner = HeapHandle::name(&core.owner).cast();
        if !span.fits(size) {
            let room = core.old.allocate(bytes, &core.source, owner);
            return room.ok_or_else(no_memory);
        }
        let taken = match span.taken.get() {
            Some(taken) => taken,
            None => {
                let holds = match span.holds {
                    Holds::Blocks(_) => RestoredSpan::Blocks(size),
                    Holds::Large => RestoredSpan::Large(size),
                };
                let taken = core
                    .old
                    .take_restored(holds, span.number, &core.source, owner);
                let taken = taken.ok_or_else(no_memory)?;
                span.taken.set(Some(taken));
                taken
            }
        };
        let block = self.blocks.number(at);
        // SAFETY: taken for this image, and listed when this is dropped. The span has the block,
        // as `RestoredBlocks` has checked (X4), and the object is made once (S4).
        Ok(unsafe { core.old.take_restored_block(taken, block) })
    }

    /// An object has its value, and is not written before the next turn.
    ///
    /// # Safety
    ///
    /// The object is one of this heap.
    pub(super) unsafe fn is_whole(&self, object: NonNull<Header>) {
        // SAFETY: by the contract of `new` (X1).
        let core = unsafe { &mut *self.core.as_ref().get() };
        // SAFETY: the caller's contract (X1).
        let table = unsafe { object.as_ref() }.table();
        if table.has_destructor() {
            // SAFETY: the caller's contract (X1).
            unsafe { core.old.note_drop(object) };
        }
        if table.show.is_some() {
            core.has_external_edges.set(true);
        }
    }
}

impl Drop for RestoringHeap {
    fn drop(&mut self) {
        // SAFETY: by the contract of `new` (X1).
        let core = unsafe { &mut *self.core.as_ref().get() };
        for taken in self.blocks.spans().filter_map(|span| span.taken.take()) {
            // SAFETY: `room` took it for this heap (X10), and it is on no list.
            unsafe { core.old.list_restored(taken, &core.source) };
        }
    }
}
