//! [`RestoringHeap`]: a heap that is being made of an image.

use super::block_name::BlockName;
use super::content::fault;
use super::restored_blocks::{At, BlockState, RestoredBlocks};
use super::restored_tags::RestoredTags;
use super::span_record::{Holds, SpanRecord};
use super::watches::WatchRecord;
use crate::alloc::header::Header;
use crate::alloc::old::restored::RestoredSpan;
use crate::gc::heap::Core;
use crate::gc::mutator::Mutator;
use crate::gc::pacing::Pacing;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::orca::heap_handle::HeapHandle;
use crate::pages::chunk::PageName;
use crate::sync::Arc;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::mem;
use std::ptr::NonNull;
use vivant_codec::LoadError;

/// Numbers of death watches from here on are no right ones: a heap must have some left.
const WATCHES_MAX: u64 = 1 << 63;

/// A heap that is being made of an image. Only the code that loads references has it.
pub(super) struct RestoringHeap {
    /// The number by which references in the image name it.
    pub(super) number: u64,
    /// `None` when the heap is made. No other reference to it exists while a function of this file
    /// uses it, and it calls no code of users meanwhile.
    core: RefCell<Option<Box<UnsafeCell<Core>>>>,
    pub(super) blocks: RestoredBlocks,
    /// Objects that have no content yet.
    unfilled: RefCell<Vec<At>>,
    /// Objects of other heaps that it refers to, some of them several times.
    foreign: RefCell<Vec<NonNull<Header>>>,
    watches: Cell<Vec<WatchRecord>>,
    pub(super) tags: RestoredTags,
    /// Whether a state was loaded: the heap will have turns.
    pub(super) has_state: Cell<bool>,
}

impl RestoringHeap {
    /// A region without objects, and its image. Nothing outside names its objects, so its spans get
    /// the first numbers: a table by numbers has the size of the image.
    pub(super) fn region(
        core: Box<UnsafeCell<Core>>,
        spans: Vec<SpanRecord>,
    ) -> Result<RestoringHeap, LoadError> {
        let mut blocks = RestoredBlocks::new(spans).map_err(fault)?;
        blocks.number_anew();
        RestoringHeap::of(0, core, blocks, Vec::new())
    }

    /// A heap without objects, and its image.
    pub(super) fn new(
        number: u64,
        core: Box<UnsafeCell<Core>>,
        (spans, watches): (Vec<SpanRecord>, Vec<WatchRecord>),
    ) -> Result<RestoringHeap, LoadError> {
        let blocks = RestoredBlocks::new(spans).map_err(fault)?;
        RestoringHeap::of(number, core, blocks, watches)
    }

    fn of(
        number: u64,
        mut core: Box<UnsafeCell<Core>>,
        blocks: RestoredBlocks,
        watches: Vec<WatchRecord>,
    ) -> Result<RestoringHeap, LoadError> {
        // A right image has no number near the end, and a heap must have some left.
        let Some(behind) = blocks.number_behind(PageName::SPAN_MAX / 2) else {
            return Err(fault("a span with a number that no span can have"));
        };
        if watches.iter().any(|watch| watch.number >= WATCHES_MAX) {
            return Err(fault("a death watch with a number that no watch can have"));
        }
        core.get_mut().old.number_behind(behind);
        core.get_mut().is_restoring = true;
        Ok(RestoringHeap {
            number,
            core: RefCell::new(Some(core)),
            blocks,
            unfilled: RefCell::default(),
            foreign: RefCell::default(),
            watches: Cell::new(watches),
            tags: RestoredTags::default(),
            has_state: Cell::new(false),
        })
    }

    fn core(&self) -> NonNull<UnsafeCell<Core>> {
        let core = self.core.borrow();
        NonNull::from(core.as_deref().expect("it is there until the heap is made"))
    }

    /// The part of the heap that other heaps access.
    pub(super) fn handle(&self) -> Arc<HeapHandle> {
        // SAFETY: the core is in its box (X1), and no other reference to it exists (X2).
        unsafe { &*self.core().as_ref().get() }.owner.clone()
    }

    /// How a region in it paces its collector.
    pub(super) fn region_pacing(&self) -> Pacing {
        // SAFETY: the core is in its box (X1), and no other reference to it exists (X2).
        unsafe { &*self.core().as_ref().get() }.pacing.of_region()
    }

    /// Whether its core was taken.
    pub(super) fn is_made(&self) -> bool {
        self.core.borrow().is_none()
    }

    /// It refers to this object of another heap.
    pub(super) fn refers_to(&self, foreign: NonNull<Header>) {
        self.foreign.borrow_mut().push(foreign);
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
    /// `'gc` is the brand of the heap, and the mutator is used while the heap is being made.
    pub(super) unsafe fn mutator<'gc>(&self) -> Mutator<'gc> {
        // SAFETY: the heap is being made, and the brand is the caller's (X1).
        unsafe { Mutator::of_restored(self.core()) }
    }

    /// Takes all objects that have no content yet.
    pub(super) fn take_unfilled(&self) -> Vec<At> {
        #[cfg(test)]
        if is_injected(InjectedFault::Unfilled) {
            self.unfilled.borrow_mut().pop();
        }
        self.unfilled.take()
    }

    /// Whether an object has no content yet, or is to be made for a tag.
    pub(super) fn has_unfilled(&self) -> bool {
        !self.unfilled.borrow().is_empty() || self.tags.are_wanted()
    }

    /// What is wrong with the heap as it is now.
    pub(super) fn check(&self) -> Result<(), LoadError> {
        match () {
            () if self.has_unfilled() => Err(fault("an object without content")),
            () if self.has_state.get() && self.tags.lack_an_object() => {
                Err(fault("a tag of no object, in a heap that has a state"))
            }
            () => Ok(()),
        }
    }

    /// Room for an object with so many bytes behind its header: its old block, or another one if
    /// its type has another size now.
    pub(super) fn room(&self, at: At, bytes: usize) -> Result<NonNull<Header>, LoadError> {
        // SAFETY: the core is in its box (X1), and no other reference to it exists (X2).
        let core = unsafe { &mut *self.core().as_ref().get() };
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
        // SAFETY: taken for this image, and listed when this ends. The span has the block, as
        // `RestoredBlocks` has checked (X4), and the object is made once (S4).
        Ok(unsafe { core.old.take_restored_block(taken, block) })
    }

    /// An object has its value, and is not written before the next turn.
    ///
    /// # Safety
    ///
    /// The object is one of this heap.
    pub(super) unsafe fn is_whole(&self, object: NonNull<Header>) {
        // SAFETY: the core is in its box (X1), and no other reference to it exists (X2).
        let core = unsafe { &mut *self.core().as_ref().get() };
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

    /// Counts the objects of other heaps that it refers to: each of their owners gets an INC.
    pub(super) fn count_imports(&self) {
        let foreign = self.foreign.take();
        #[cfg(test)]
        if is_injected(InjectedFault::UncountedForeign) {
            return;
        }
        if foreign.is_empty() {
            return;
        }
        // SAFETY: the core is in its box (X1), and no other reference to it exists (X2).
        let core = unsafe { &mut *self.core().as_ref().get() };
        // SAFETY: this thread holds the heap. The objects are in heaps that are being made together
        // with it, so no import was released (X1).
        unsafe { core.sharing.get_mut().inc_reached(&foreign) };
    }

    /// The core with the objects that were made.
    pub(super) fn take_core(&self) -> Box<UnsafeCell<Core>> {
        let mut core = self.take_with_spans();
        let restored = core.get_mut();
        // SAFETY: those of this heap (X1), which nothing else has (X2).
        unsafe { self.tags.give_to(restored.tags.get_mut()) };
        for watch in self.watches.take() {
            let name = watch.object.map(BlockName::from_file);
            let found = name.and_then(|name| self.blocks.find(name));
            // What was not made has nothing that refers to it.
            let object = found.and_then(|at| match self.blocks.state(at) {
                BlockState::Made(object) => Some(object),
                _ => None,
            });
            let deaths = restored.deaths.get_mut();
            deaths.restore(watch.number, object, watch.token);
        }
        core
    }

    /// The core of a restore that has failed. Objects may lack contents, so only those that never
    /// change are looked at: what others count of it.
    pub(super) fn take_failed(&self) -> Box<UnsafeCell<Core>> {
        let mut core = self.take_with_spans();
        // A heap under stress verifies all objects.
        core.get_mut().pacing.stress = None;
        core
    }

    fn take_with_spans(&self) -> Box<UnsafeCell<Core>> {
        self.list_spans();
        let core = self.core.take();
        let mut core = core.expect("it is there until the heap is made");
        core.get_mut().is_restoring = false;
        core
    }

    /// The heap is not made.
    pub(super) fn give_up(&self) {
        self.list_spans();
        mem::drop(self.core.take());
    }

    fn list_spans(&self) {
        let mut core = self.core.borrow_mut();
        let Some(core) = core.as_mut().map(|core| core.get_mut()) else {
            return;
        };
        for taken in self.blocks.spans().filter_map(|span| span.taken.take()) {
            // SAFETY: `room` took it for this heap (X10), and it is on no list.
            unsafe { core.old.list_restored(taken, &core.source) };
        }
    }
}

impl Drop for RestoringHeap {
    fn drop(&mut self) {
        self.give_up();
    }
}
