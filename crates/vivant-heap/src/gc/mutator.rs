//! [`Mutator`]: the operations of a turn on its heap.

use super::heap::Core;
use super::mark_cycle::Resurrection;
use crate::alloc::header::{Header, young_size};
use crate::foreign_code::ForeignCode;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::gc::{Brand, Gc};
use crate::object::object_trait::Object;
use crate::object::table::Table;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::heap_id::HeapId;
use crate::pages::chunk::age_of;
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ptr::NonNull;

/// The right to allocate and to write, in a turn. It can be copied freely: the brand keeps all
/// copies in the turn.
#[derive(Clone, Copy)]
pub struct Mutator<'gc> {
    core: NonNull<UnsafeCell<Core>>,
    brand: Brand<'gc>,
}

/// A turn that runs, until it ends or panics.
pub(crate) struct RunningTurn<'a>(pub(crate) &'a UnsafeCell<Core>);

impl RunningTurn<'_> {
    #[inline]
    pub(crate) fn mutator<'gc>(&self) -> Mutator<'gc> {
        Mutator {
            core: NonNull::from(self.0),
            brand: PhantomData,
        }
    }
}

impl Drop for RunningTurn<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the turn is over: its mutators are not used any more.
        let core = unsafe { &mut *self.0.get() };
        if core.old.has_cached_blocks {
            core.old.flush_caches();
        }
    }
}

impl<'gc> Mutator<'gc> {
    #[inline]
    pub(crate) fn core(&self) -> &Core {
        // SAFETY: the heap outlives its turn. Access in a turn is shared; the methods below that
        // write more than cells hold no other reference meanwhile.
        unsafe { &*self.core.as_ref().get() }
    }

    /// The heap, for callers that know that it outlives their use.
    pub(crate) fn heap(&self) -> NonNull<UnsafeCell<Core>> {
        self.core
    }

    /// The id of this turn's heap.
    pub fn id(&self) -> HeapId {
        self.core().owner.id()
    }

    /// The mutator of a heap that is being restored: what it allocates is old, and remembered.
    ///
    /// # Safety
    ///
    /// The heap has this brand, and outlives the mutator. No other reference into it is used within
    /// a method of the mutator.
    pub(crate) unsafe fn of_restored(core: NonNull<UnsafeCell<Core>>) -> Mutator<'gc> {
        let brand = PhantomData;
        Mutator { core, brand }
    }

    /// The same mutator with another brand.
    ///
    /// # Safety
    ///
    /// It is used only while the turn runs, on the turn's thread, and no result of it is used with
    /// the turn's own brand.
    #[inline]
    pub(crate) unsafe fn rebranded<'any>(&self) -> Mutator<'any> {
        Mutator {
            core: self.core,
            brand: PhantomData,
        }
    }

    /// Allocates an object.
    ///
    /// Costs a few stores in the nursery. Large values are allocated in the old generation. A
    /// value with an alignment of more than eight bytes must be boxed, or the program does not
    /// compile:
    ///
    /// ```compile_fail,E0080
    /// # use vivant_heap::{Heap, Leaf, Pacing, Root, PageSource};
    /// # struct Nothing;
    /// # impl Root for Nothing {
    /// #     type Of<'gc> = ();
    /// # }
    /// #[repr(align(64))]
    /// struct Line([u8; 64]);
    ///
    /// # let source = std::sync::Arc::new(PageSource::new());
    /// Heap::<Nothing>::new(&source, Pacing::default(), |m| {
    ///     m.alloc(Leaf(Line([0; 64])));
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// There is no memory, or the source's bound is reached: the turn is lost, the heap is as it
    /// was, and can be collected.
    #[inline]
    pub fn alloc<T: Object<'gc>>(&self, value: T) -> Gc<'gc, T> {
        const {
            assert!(
                align_of::<T>() <= 8,
                "an object is aligned to 8 bytes at most; box what needs more"
            );
        }
        let room = if const { young_size(size_of::<T>()) <= YOUNG_MAX } {
            match self
                .core()
                .nursery
                .bump(const { young_size(size_of::<T>()) })
            {
                Some(room) => room.cast(),
                None => self.allocate_slow(young_size(size_of::<T>())),
            }
        } else {
            self.allocate_old(size_of::<T>(), T::NEEDS_TRACE || T::MUTABLE)
        };
        // SAFETY: there is room for the header and the value behind it.
        unsafe {
            room.write(Header::new(Table::of::<T>()));
            room.add(1).cast::<T>().write(value);
            if const { mem::needs_drop::<T>() } {
                self.note_drop(room, size_of::<T>());
            }
            if const { T::HAS_EXTERNAL_EDGES } {
                self.note_external_edges();
            }
            Gc::at(room.add(1).cast())
        }
    }

    /// Allocates room for an object with `bytes` bytes behind its header, of a type with objects of
    /// different sizes.
    #[inline]
    pub(crate) fn allocate(&self, bytes: usize, needs_trace: bool) -> NonNull<Header> {
        let young = young_size(bytes);
        if young > YOUNG_MAX {
            return self.allocate_old(bytes, needs_trace);
        }
        match self.core().nursery.bump(young) {
            Some(room) => room.cast(),
            None => self.allocate_slow(young),
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate_slow(&self, bytes: usize) -> NonNull<Header> {
        let core = self.core();
        if core.is_restoring {
            return self.allocate_old(bytes - size_of::<Header>(), true);
        }
        // A cached nursery chunk needs no page from the source.
        let may_grow =
            !core.inject_alloc_failure() && (core.chunk_cache.pages() > 0 || core.has_pages(bytes));
        if !may_grow
            || !core.nursery.grow(
                &core.chunk_cache,
                &core.source,
                HeapHandle::name(&core.owner).cast(),
                bytes,
            )
        {
            core.fail_allocation(bytes);
        }
        match core.nursery.bump(bytes) {
            Some(room) => room.cast(),
            None => core.fail_allocation(bytes),
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate_old(&self, bytes: usize, remembers: bool) -> NonNull<Header> {
        // SAFETY: a mutator's methods are the only way to the core in a turn. Each has the
        // reference of `core()` only within its own body, and calls no user code meanwhile that
        // could come here: values are made before `alloc` is entered, and no `Clone`, `Drop` or
        // iterator runs in it.
        let core = unsafe { &mut *self.core.as_ref().get() };
        if core.inject_alloc_failure() || !core.has_pages(bytes) {
            core.fail_allocation(bytes);
        }
        let Some(room) =
            core.old
                .allocate(bytes, &core.source, HeapHandle::name(&core.owner).cast())
        else {
            core.fail_allocation(bytes);
        };
        core.counters.born_old(bytes);
        if remembers {
            // Remembered at birth: its components may be young (attack 17 in
            // `tests/all/README.md`).
            core.remembered.get_mut().push(room);
        }
        room
    }

    /// Allocates room for a shared object with `bytes` bytes behind its header (H2). Its components
    /// are old, so it need not be remembered.
    #[inline]
    pub(crate) fn allocate_shared(&self, bytes: usize) -> NonNull<Header> {
        // SAFETY: a mutator's methods are the only way to the core in a turn, and no user code that
        // could come here runs within this body, as in `allocate_old`.
        let core = unsafe { &mut *self.core.as_ref().get() };
        let room = core.old.take_cached(bytes);
        let Some(room) = room.or_else(|| core.allocate_shared(bytes)) else {
            core.fail_allocation(bytes);
        };
        core.counters.born_old(bytes);
        room
    }

    /// Notes that an object was allocated that may show an external edge.
    #[inline]
    pub(crate) fn note_external_edges(&self) {
        self.core().has_external_edges.set(true);
    }

    /// Notes the destructor of an old object.
    ///
    /// # Safety
    ///
    /// The object was just made.
    #[inline(never)]
    pub(crate) unsafe fn note_drop_old(&self, object: NonNull<Header>) {
        // SAFETY: a mutator's methods are the only way to the core in a turn, and no user code runs
        // within this body.
        let core = unsafe { &mut *self.core.as_ref().get() };
        // SAFETY: the caller's contract.
        unsafe { core.old.note_drop(object) };
    }

    /// Notes the destructor of a shared object. Its owner counts it, not the region in which the
    /// object may have been made.
    ///
    /// # Safety
    ///
    /// The object was just made.
    #[inline(never)]
    pub(crate) unsafe fn note_drop_shared(&self, object: NonNull<Header>) {
        // SAFETY: the owner's turn lasts, and this thread has it; no other reference into its heap
        // exists within this function.
        let owner = unsafe { &mut *self.sharer().as_ref().get() };
        // SAFETY: the caller's contract.
        unsafe { owner.old.note_drop(object) };
    }

    /// # Safety
    ///
    /// The object was just made, there, with so many bytes behind its header.
    #[inline(never)]
    pub(crate) unsafe fn note_drop(&self, object: NonNull<Header>, bytes: usize) {
        if young_size(bytes) <= YOUNG_MAX && !self.core().is_restoring {
            self.core().nursery.note_drop(object);
        } else {
            // SAFETY: the caller's contract.
            unsafe { self.note_drop_old(object) };
        }
    }

    /// The write barrier: called before the first write to an old object since the nursery was last
    /// emptied (H5). It remembers the object, and first scans it for a concurrent mark, and encodes
    /// it for an image that is being written.
    #[cold]
    pub(crate) fn write_barrier(&self, object: NonNull<Header>) {
        #[cfg(test)]
        if is_injected(InjectedFault::ForgottenWrite) {
            return;
        }
        #[cfg(test)]
        if is_injected(InjectedFault::RememberedTwice) {
            self.core().remembered.borrow_mut().push(object);
        }
        // An object that was made of a part of an old one is young, whatever its flag says.
        // SAFETY: an object lies in a chunk.
        if unsafe { age_of(object.cast()) }.is_young() {
            return;
        }
        if self.core().is_imaging() {
            self.image_barrier(object);
        }
        if self.core().is_marking() {
            self.satb_barrier(object);
        }
        let mut remembered = self.core().remembered.borrow_mut();
        remembered.push(object);
        if remembered.len() >= REMEMBERED_MAX {
            self.core().remembered_set_full.set(true);
        }
    }

    /// The SATB barrier, while a mark runs. A function of its own, behind a check that needs no
    /// borrow: most writes do not need it, and would be slower by a sixth.
    #[cold]
    #[inline(never)]
    fn satb_barrier(&self, object: NonNull<Header>) {
        if let Some(mark_cycle) = &mut *self.core().mark_cycle.borrow_mut() {
            mark_cycle.satb_barrier(object);
        }
    }

    /// The pre-image of an object is taken, while an image is being written.
    #[cold]
    #[inline(never)]
    fn image_barrier(&self, object: NonNull<Header>) {
        // SAFETY: a mutator's methods are the only way to the core in a turn (Y4). Code of users
        // that saves a value runs within this body; it has no mutator, so it cannot come here.
        let core = unsafe { &mut *self.core.as_ref().get() };
        let _foreign = ForeignCode::begin();
        if let Some(image) = &mut core.old.image {
            // SAFETY: an old object of this heap, of which the first write since the last minor
            // collection is about to begin (H5).
            unsafe { image.before_write(object) };
        }
    }

    /// A turn is about to get an object by a reference that marks do not follow. A running mark
    /// logs the object, or refuses it as dead.
    #[inline]
    pub(crate) fn resurrect(&self, object: NonNull<Header>) -> Resurrection {
        if self.core().is_marking() {
            return self.resurrect_slow(object);
        }
        Resurrection::Live
    }

    /// The slow path, out of line as [`Mutator::satb_barrier`].
    #[cold]
    #[inline(never)]
    fn resurrect_slow(&self, object: NonNull<Header>) -> Resurrection {
        let mut mark_cycle = self.core().mark_cycle.borrow_mut();
        let mark_cycle = mark_cycle.as_mut();
        mark_cycle.map_or(Resurrection::Live, |mark_cycle| {
            mark_cycle.resurrect(object)
        })
    }
}

/// Limit of the remembered set, in objects; at the limit the nursery is emptied. A collection scans
/// all of them, perhaps chunks of 128 slots, so this bounds the pause of a minor collection.
const REMEMBERED_MAX: usize = 512;

/// The largest object that is allocated in the nursery, in bytes.
pub(crate) const YOUNG_MAX: usize = 2048;

#[cold]
pub(crate) fn no_memory(bytes: usize) -> ! {
    panic!(
        "no memory for an object of {bytes} bytes: the source of pages has none left. The turn is lost, the heap is as it was: drop what is \
         not needed and collect, or give the source more pages"
    )
}

impl fmt::Debug for Mutator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutator").finish_non_exhaustive()
    }
}
