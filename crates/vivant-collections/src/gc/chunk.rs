//! Chunks: the raw objects of which collections consist.

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
use vivant_heap::raw::{self, RawGc, RawType};
use vivant_heap::{Evacuator, ExternalEdges, Mutator, Tracer};

/// Invariant in the brand (Y1).
type Brand<'gc> = PhantomData<Cell<&'gc ()>>;

/// What each chunk begins with, behind the heap's own head. What follows it is defined by its
/// [`Content`].
#[repr(C, align(8))]
struct Filling {
    /// The slots that contain a value: from this one ..
    from: Cell<u16>,
    /// .. up to this one, exclusive.
    to: Cell<u16>,
    /// The number of slots.
    capacity: u16,
    /// For the collection's own use.
    note: Cell<u16>,
}

/// The number of bytes of a chunk before its content.
pub(crate) const HEAD: usize = raw::HEAD + size_of::<Filling>();

/// The largest size of a chunk with more than one element, in bytes.
pub(crate) const CHUNK_MAX: usize = raw::YOUNG_MAX;

/// The largest number of slots of a chunk that can contain references (H6).
pub(crate) const SLOTS_MAX: usize = 128;

/// The layout of what lies behind the head of a chunk.
///
/// # Safety
///
/// The functions get chunks with this content. `trace`, `evacuate` and `end` process every value in
/// the slots from `from` to `to`, and whatever else the content has, as
/// [`RawType`](vivant_heap::raw::RawType) requires, and none twice.
pub(crate) unsafe trait Content<'gc>: 'gc {
    /// The erased form: the same type outside turns.
    type Static: Send + 'static;
    /// Whether it can hold references to collected objects.
    const NEEDS_TRACE: bool;
    /// Whether a value in it has a destructor.
    const NEEDS_DROP: bool;
    /// Whether a value in it may report external edges
    /// ([`Object::trace_external`](vivant_heap::Object::trace_external)).
    const HAS_EXTERNAL_EDGES: bool = false;
    /// Bytes of a chunk with `capacity` slots.
    fn bytes(capacity: usize) -> usize;
    /// # Safety
    ///
    /// The chunk has room for `capacity` slots, all of them empty; the caller owns it.
    unsafe fn begin(_chunk: Raw, _capacity: usize) {}
    /// # Safety
    ///
    /// The chunk is not written meanwhile.
    unsafe fn trace(chunk: Raw, tracer: &mut Tracer<'_>);
    /// # Safety
    ///
    /// The chunk is used by no other code. `written` are the filled slots that may refer to young
    /// objects; what is not in slots may refer to young objects in any case.
    unsafe fn evacuate(chunk: Raw, written: Range<usize>, evacuator: &mut Evacuator<'_>);
    /// # Safety
    ///
    /// As for `trace`.
    unsafe fn trace_external(_chunk: Raw, _edges: &mut ExternalEdges<'_>) {}
    /// # Safety
    ///
    /// The chunk is no longer used.
    unsafe fn end(chunk: Raw);
}

/// Chunks with this content, as a type of raw objects.
pub(crate) struct ChunkOf<C>(PhantomData<fn() -> C>);

// SAFETY: by the contract of `Content`. A chunk is filled and changed as the contract of a
// container requires: see `Chunk`.
unsafe impl<'gc, C: Content<'gc>> RawType<'gc> for ChunkOf<C> {
    type Static = C::Static;
    const NEEDS_TRACE: bool = C::NEEDS_TRACE;
    const NEEDS_DROP: bool = C::NEEDS_DROP;
    const HAS_EXTERNAL_EDGES: bool = C::HAS_EXTERNAL_EDGES;

    #[inline]
    unsafe fn trace(object: RawGc, tracer: &mut Tracer<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe { C::trace(Raw(object), tracer) };
    }

    #[inline]
    unsafe fn evacuate(object: RawGc, written: Range<usize>, evacuator: &mut Evacuator<'_>) {
        let chunk = Raw(object);
        // SAFETY: guaranteed by the caller.
        unsafe {
            let filled = chunk.filled();
            let from = filled.start.max(written.start);
            let written = from..filled.end.min(written.end).max(from);
            C::evacuate(chunk, written, evacuator);
        }
    }

    #[inline]
    unsafe fn trace_external(object: RawGc, edges: &mut ExternalEdges<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe { C::trace_external(Raw(object), edges) };
    }

    #[inline]
    unsafe fn drop_content(object: RawGc) {
        // SAFETY: guaranteed by the caller.
        unsafe { C::end(Raw(object)) };
    }
}

/// A chunk of any content.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Raw(RawGc);

impl Raw {
    /// The chunk with this address.
    ///
    /// # Safety
    ///
    /// `address` returned the pointer, or one from which it is derived.
    #[inline]
    pub(crate) unsafe fn at(address: NonNull<u8>) -> Raw {
        // SAFETY: guaranteed by the caller.
        Raw(unsafe { RawGc::from_address(address) })
    }

    /// # Safety
    ///
    /// The raw object is a chunk.
    pub(crate) unsafe fn of(object: RawGc) -> Raw {
        Raw(object)
    }

    /// The chunk as a raw object.
    pub(crate) fn object(self) -> RawGc {
        self.0
    }

    #[inline]
    pub(crate) fn address(self) -> NonNull<u8> {
        self.0.address()
    }

    /// # Safety
    ///
    /// The chunk exists, as an object of this turn, or of the running collection.
    #[inline]
    unsafe fn filling<'a>(self) -> &'a Filling {
        // SAFETY: guaranteed by the caller. The mutable fields of a filling are cells.
        unsafe { self.0.at::<Filling>(raw::HEAD).as_ref() }
    }

    /// A pointer to the byte at offset `bytes` from the beginning of the head.
    ///
    /// # Safety
    ///
    /// The chunk has at least as many bytes.
    #[inline]
    pub(crate) unsafe fn behind<T>(self, bytes: usize) -> NonNull<T> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.at(bytes) }
    }

    /// The slots that contain a value.
    ///
    /// # Safety
    ///
    /// The chunk exists, as an object of this turn, or of the running collection.
    #[inline]
    pub(crate) unsafe fn filled(self) -> Range<usize> {
        // SAFETY: guaranteed by the caller.
        let filling = unsafe { self.filling() };
        filling.from.get() as usize..filling.to.get() as usize
    }

    /// The number of its slots.
    ///
    /// # Safety
    ///
    /// The chunk exists, as an object of this turn, or of the running collection.
    #[inline]
    pub(crate) unsafe fn capacity(self) -> usize {
        // SAFETY: guaranteed by the caller.
        unsafe { self.filling() }.capacity as usize
    }

    /// Reports a reference to the chunk to the tracer.
    ///
    /// # Safety
    ///
    /// The caller is the `trace` of the value with this reference.
    #[inline]
    pub(crate) unsafe fn trace(self, tracer: &mut Tracer<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.trace(tracer) };
    }

    /// The chunk at its address after evacuation.
    ///
    /// # Safety
    ///
    /// The caller is the `evacuate` of the value with this reference, and replaces it by the
    /// result.
    #[inline]
    pub(crate) unsafe fn evacuated(mut self, evacuator: &mut Evacuator<'_>) -> Raw {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.evacuate(evacuator) };
        self
    }
}

/// A reference to a chunk of this turn's heap.
///
/// Only this module copies it: the handle that a collection is has the only reference to its
/// chunks, and so lends their content as if the handle contained it.
#[repr(transparent)]
pub(crate) struct Chunk<'gc, C> {
    raw: Raw,
    what: PhantomData<(Brand<'gc>, fn() -> C)>,
}

impl<C> Clone for Chunk<'_, C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Chunk<'_, C> {}

// SAFETY: as for `Gc`: it goes to another thread with the heap, and its content may go, by
// `Content::Static`.
unsafe impl<C> Send for Chunk<'static, C> {}

impl<'gc, C: Content<'gc>> Chunk<'gc, C> {
    /// Allocates an empty chunk.
    ///
    /// # Panics
    ///
    /// There is no memory.
    pub(crate) fn new(mutator: &Mutator<'gc>, capacity: usize) -> Self {
        debug_assert!(capacity <= u16::MAX as usize);
        // SAFETY: a chunk has at least the bytes of its head. `begin` initialises the rest of an
        // empty content; no slot contains a value.
        unsafe {
            let object = RawGc::alloc::<ChunkOf<C>>(mutator, C::bytes(capacity), |object| {
                object.at::<Filling>(raw::HEAD).write(Filling {
                    from: Cell::new(0),
                    to: Cell::new(0),
                    capacity: capacity as u16,
                    note: Cell::new(0),
                });
                C::begin(Raw(object), capacity);
            });
            Self::of(Raw(object))
        }
    }

    /// # Safety
    ///
    /// It is a chunk with this content, of this turn's heap, or of a heap without a running turn.
    #[inline]
    pub(crate) unsafe fn of(raw: Raw) -> Self {
        Chunk {
            raw,
            what: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn raw(self) -> Raw {
        self.raw
    }

    #[inline]
    fn filling(&self) -> &Filling {
        // SAFETY: the chunk exists: a reference of this brand exists within turns only, or in the
        // collector.
        unsafe { self.raw.filling() }
    }

    /// The number of slots.
    #[inline]
    pub(crate) fn capacity(self) -> usize {
        self.filling().capacity as usize
    }

    /// The first slot that contains a value.
    #[inline]
    pub(crate) fn from(self) -> usize {
        self.filling().from.get() as usize
    }

    /// The end of the filled slots, exclusive.
    #[inline]
    pub(crate) fn to(self) -> usize {
        self.filling().to.get() as usize
    }

    /// The number of slots that contain a value.
    #[inline]
    pub(crate) fn len(self) -> usize {
        self.to() - self.from()
    }

    #[inline]
    pub(crate) fn note(self) -> usize {
        self.filling().note.get() as usize
    }

    /// The write barrier (H5), executed before anything in the chunk is changed, removals included
    /// (H9).
    #[inline]
    pub(crate) fn touch(self, mutator: &Mutator<'gc>) {
        #[cfg(test)]
        if is_injected(InjectedFault::SecretChange) {
            return;
        }
        // SAFETY: a chunk of the mutator's brand is of its heap. It is not frozen: a frozen
        // collection lends no handle that can be written.
        unsafe { self.raw.0.write_barrier(mutator) };
    }

    /// As `touch`, before a change of this slot, and of nothing else in the chunk but the range of
    /// filled slots: a minor collection then scans few slots.
    #[inline]
    pub(crate) fn touch_slot(self, mutator: &Mutator<'gc>, slot: usize) {
        #[cfg(test)]
        if is_injected(InjectedFault::SecretChange) {
            return;
        }
        #[cfg(test)]
        let slot = slot + usize::from(is_injected(InjectedFault::NarrowWindow));
        // SAFETY: a chunk of the mutator's brand is of its heap. It is not frozen: a frozen
        // collection lends no handle that can be written.
        unsafe { self.raw.0.write_barrier_slot(mutator, slot) };
    }

    /// Whether the write barrier was executed, so that it may be changed.
    fn has_passed(self) -> bool {
        #[cfg(test)]
        if is_injected(InjectedFault::SecretChange) {
            return true;
        }
        // SAFETY: the chunk exists: a reference of this brand exists within turns only.
        unsafe { self.raw.0.has_passed_barrier() }
    }

    /// Sets the range of slots that contain a value.
    ///
    /// # Safety
    ///
    /// Exactly these slots contain a value; the chunk has passed the barrier.
    #[inline]
    pub(crate) unsafe fn fill(self, slots: Range<usize>) {
        debug_assert!(self.has_passed(), "H9");
        debug_assert!(slots.start <= slots.end && slots.end <= self.capacity());
        self.filling().from.set(slots.start as u16);
        self.filling().to.set(slots.end as u16);
    }

    /// Sets the note. The chunk has passed the barrier.
    #[inline]
    pub(crate) fn set_note(self, note: usize) {
        debug_assert!(self.has_passed(), "H9");
        self.filling().note.set(note as u16);
    }

    /// Reports a reference to the chunk to the tracer.
    #[inline]
    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        // SAFETY: the chunk exists, as in `filling`; only tracing has a tracer.
        unsafe { self.raw.trace(tracer) };
    }

    /// Updates the reference after evacuation.
    #[inline]
    pub(crate) fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        // SAFETY: the chunk exists, as in `filling`; only evacuation has an evacuator.
        self.raw = unsafe { self.raw.evacuated(evacuator) };
    }
}

/// Drops all these elements, even if destructors panic: the first of the panics is resumed
/// afterwards (H10).
///
/// # Safety
///
/// There are `elements` elements, which are no longer used.
pub(crate) unsafe fn end_elements<T>(first: NonNull<T>, elements: usize) {
    if !std::mem::needs_drop::<T>() {
        return;
    }
    let mut panicked = None;
    for number in 0..elements {
        // SAFETY: guaranteed by the caller; each once.
        let ended = panic::catch_unwind(AssertUnwindSafe(|| unsafe {
            first.add(number).drop_in_place();
        }));
        if let Err(panic) = ended {
            match panicked {
                None => panicked = Some(panic),
                // Dropping the panic's payload may run foreign code again.
                Some(_) => std::mem::forget(panic),
            }
        }
    }
    if let Some(panic) = panicked {
        panic::resume_unwind(panic);
    }
}
