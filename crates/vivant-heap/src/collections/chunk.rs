//! Chunks: the objects of which collections consist.

use crate::collector::{Evacuator, Tracer};
use crate::header::{Header, Table};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::mutator::Mutator;
use crate::types::ExternalEdges;
use crate::types::borrow::CLEAN;
use crate::types::gc::Brand;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;

/// The head of each chunk. What follows it is defined by its [`Content`].
#[repr(C, align(8))]
pub(crate) struct Head {
    /// For the write barrier: [`CLEAN`], or zero, or a [window](Raw::written). First, where the
    /// collector finds it.
    flag: Cell<u32>,
    /// The size of the value: this head and what follows.
    bytes: u32,
    /// The slots that contain a value: from this one ..
    from: Cell<u16>,
    /// .. up to this one, exclusive.
    to: Cell<u16>,
    /// The number of slots.
    capacity: u16,
    /// For the collection's own use.
    note: Cell<u16>,
}

impl Head {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes as usize
    }
}

/// The largest size of a chunk with more than one element, in bytes: with its header it is just
/// small enough to be born young.
pub(crate) const CHUNK_MAX: usize = 2040;

/// The largest number of slots of a chunk that can contain references (H6).
pub(crate) const SLOTS_MAX: usize = 128;

/// The layout of what lies behind the head of a chunk.
///
/// # Safety
///
/// The functions get chunks with this content. `trace`, `evacuate` and `end` process every value in
/// the slots from `from` to `to`, and whatever else the content has, as [`Object`](crate::Object)
/// requires, and none twice.
pub(crate) unsafe trait Content<'gc>: 'gc {
    /// The erased form: the same type outside turns.
    type Static: Send + 'static;
    /// Whether it can hold references to collected objects.
    const NEEDS_TRACE: bool;
    /// Whether a value in it has a destructor.
    const NEEDS_DROP: bool;
    /// Whether a value in it may report holdings
    /// ([`Object::trace_external`](crate::Object::trace_external)).
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
    unsafe fn show(_chunk: Raw, _shown: &mut ExternalEdges<'_>) {}
    /// # Safety
    ///
    /// The chunk is no longer used.
    unsafe fn end(chunk: Raw);
}

/// A chunk of any content.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Raw(NonNull<Head>);

impl Raw {
    /// The chunk with this head; or the chunk of an object with this value.
    #[inline]
    pub(crate) fn at(head: NonNull<u8>) -> Raw {
        Raw(head.cast())
    }

    #[inline]
    pub(crate) fn address(self) -> NonNull<u8> {
        self.0.cast()
    }

    /// # Safety
    ///
    /// The chunk exists, as an object of this turn, or of the running collection.
    #[inline]
    unsafe fn head<'a>(self) -> &'a Head {
        // SAFETY: guaranteed by the caller. The mutable fields of a head are cells.
        unsafe { self.0.as_ref() }
    }

    /// A pointer to the byte at offset `bytes` from the beginning of the head.
    ///
    /// # Safety
    ///
    /// The chunk has at least as many bytes.
    #[inline]
    pub(crate) unsafe fn behind<T>(self, bytes: usize) -> NonNull<T> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.cast::<u8>().add(bytes).cast() }
    }

    /// The slots that contain a value.
    ///
    /// # Safety
    ///
    /// As for the head.
    #[inline]
    pub(crate) unsafe fn filled(self) -> Range<usize> {
        // SAFETY: guaranteed by the caller.
        let head = unsafe { self.head() };
        head.from.get() as usize..head.to.get() as usize
    }

    /// The filled slots that may have been written since the last minor collection. If only single
    /// slots of a chunk were written, its flag is a window over them: the number of the first, and
    /// in the next byte the number after the last. A flag of zero means all slots.
    ///
    /// # Safety
    ///
    /// As for the head.
    #[inline]
    unsafe fn written(self) -> Range<usize> {
        // SAFETY: guaranteed by the caller.
        let (filled, flag) = unsafe { (self.filled(), self.head().flag.get()) };
        if flag == 0 || flag & CLEAN != 0 {
            return filled;
        }
        let (from, to) = (flag & 0xFF, flag >> 8);
        let from = filled.start.max(from as usize);
        from..filled.end.min(to as usize).max(from)
    }

    /// The number of its slots.
    ///
    /// # Safety
    ///
    /// As for the head.
    #[inline]
    pub(crate) unsafe fn capacity(self) -> usize {
        // SAFETY: guaranteed by the caller.
        unsafe { self.head() }.capacity as usize
    }

    fn header(self) -> NonNull<Header> {
        // SAFETY: a header lies before each object.
        unsafe { self.0.cast::<Header>().sub(1) }
    }

    /// Reports a reference to the chunk to the tracer.
    #[inline]
    pub(crate) fn trace(self, tracer: &mut Tracer<'_>) {
        tracer.edge(self.header());
    }

    /// The chunk at its address after evacuation.
    #[inline]
    pub(crate) fn evacuated(self, evacuator: &mut Evacuator<'_>) -> Raw {
        let object = evacuator.forward(self.header());
        // SAFETY: the value follows the header.
        Raw(unsafe { object.add(1) }.cast())
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
        let bytes = C::bytes(capacity);
        let Ok(stored) = u32::try_from(bytes) else {
            crate::mutator::no_memory(bytes)
        };
        debug_assert!(capacity <= u16::MAX as usize);
        let room = mutator.room(bytes, true);
        // SAFETY: there is room for the header, and for `bytes` bytes behind it.
        unsafe {
            room.write(Header::new(Table::of_chunk::<C>()));
            let head = room.add(1).cast::<Head>();
            head.write(Head {
                flag: Cell::new(0),
                bytes: stored,
                from: Cell::new(0),
                to: Cell::new(0),
                capacity: capacity as u16,
                note: Cell::new(0),
            });
            C::begin(Raw(head), capacity);
            if C::NEEDS_DROP {
                mutator.note_drop(room, bytes);
            }
            if C::HAS_EXTERNAL_EDGES {
                mutator.note_external_edges();
            }
            Self::of(Raw(head))
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
    fn head(&self) -> &Head {
        // SAFETY: the chunk exists: a reference of this brand exists within turns only, or in the
        // collector.
        unsafe { self.raw.head() }
    }

    /// The number of slots.
    #[inline]
    pub(crate) fn capacity(self) -> usize {
        self.head().capacity as usize
    }

    /// The first slot that contains a value.
    #[inline]
    pub(crate) fn from(self) -> usize {
        self.head().from.get() as usize
    }

    /// The end of the filled slots, exclusive.
    #[inline]
    pub(crate) fn to(self) -> usize {
        self.head().to.get() as usize
    }

    /// The number of slots that contain a value.
    #[inline]
    pub(crate) fn len(self) -> usize {
        self.to() - self.from()
    }

    #[inline]
    pub(crate) fn note(self) -> usize {
        self.head().note.get() as usize
    }

    /// The write barrier (H5), executed before anything in the chunk is changed, removals included
    /// (H9).
    #[inline]
    pub(crate) fn touch(self, mutator: &Mutator<'gc>) {
        if self.head().flag.get() != 0 {
            self.tell(mutator);
        }
    }

    /// As `touch`, before a change of this slot, and of nothing else in the chunk but the range of
    /// filled slots: a minor collection then scans few slots.
    #[inline]
    pub(crate) fn touch_slot(self, mutator: &Mutator<'gc>, slot: usize) {
        if self.head().flag.get() != 0 {
            self.tell_of(mutator, slot);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell(self, mutator: &Mutator<'gc>) {
        #[cfg(test)]
        if is_injected(InjectedFault::SecretChange) {
            return;
        }
        if self.head().flag.get() & CLEAN != 0 {
            mutator.write_barrier(self.raw.header());
        }
        self.head().flag.set(0);
    }

    #[inline(never)]
    fn tell_of(self, mutator: &Mutator<'gc>, slot: usize) {
        let flag = self.head().flag.get();
        #[cfg(test)]
        if is_injected(InjectedFault::SecretChange) {
            return;
        }
        #[cfg(test)]
        let slot = slot + usize::from(is_injected(InjectedFault::NarrowWindow));
        // The end of a window is one byte.
        if slot >= 0xFF {
            return self.tell(mutator);
        }
        let slot = slot as u32;
        let (mut from, mut to) = (slot, slot + 1);
        if flag & CLEAN != 0 {
            mutator.write_barrier(self.raw.header());
        } else {
            (from, to) = (from.min(flag & 0xFF), to.max(flag >> 8));
        }
        self.head().flag.set(from | to << 8);
    }

    /// Whether the write barrier was executed, so that it may be changed.
    fn has_passed(self) -> bool {
        #[cfg(test)]
        if is_injected(InjectedFault::SecretChange) {
            return true;
        }
        self.head().flag.get() & CLEAN == 0
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
        self.head().from.set(slots.start as u16);
        self.head().to.set(slots.end as u16);
    }

    /// Sets the note. The chunk has passed the barrier.
    #[inline]
    pub(crate) fn set_note(self, note: usize) {
        debug_assert!(self.has_passed(), "H9");
        self.head().note.set(note as u16);
    }

    /// Reports a reference to the chunk to the tracer.
    #[inline]
    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        self.raw.trace(tracer);
    }

    /// Updates the reference after evacuation.
    #[inline]
    pub(crate) fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.raw = self.raw.evacuated(evacuator);
    }
}

/// # Safety
///
/// A chunk with this content lies there, and is not written meanwhile.
pub(crate) unsafe fn trace<'gc, C: Content<'gc>>(value: NonNull<u8>, tracer: &mut Tracer<'_>) {
    if C::NEEDS_TRACE {
        // SAFETY: guaranteed by the caller.
        unsafe { C::trace(Raw::at(value), tracer) };
    }
}

/// # Safety
///
/// A chunk with this content lies there, and is used by no other code.
pub(crate) unsafe fn evacuate<'gc, C: Content<'gc>>(
    value: NonNull<u8>,
    evacuator: &mut Evacuator<'_>,
) {
    let chunk = Raw::at(value);
    // SAFETY: guaranteed by the caller.
    unsafe {
        let written = chunk.written();
        if chunk.head().flag.get() & CLEAN != 0 {
            chunk.head().flag.set(0);
        }
        if C::NEEDS_TRACE {
            C::evacuate(chunk, written, evacuator);
        }
        evacuator.mutable(&chunk.head().flag, CLEAN);
    }
}

/// # Safety
///
/// As for `trace`.
pub(crate) unsafe fn show<'gc, C: Content<'gc>>(value: NonNull<u8>, shown: &mut ExternalEdges<'_>) {
    // SAFETY: guaranteed by the caller.
    unsafe { C::show(Raw::at(value), shown) };
}

/// # Safety
///
/// A chunk with this content lies there, and is no longer used.
pub(crate) unsafe fn end<'gc, C: Content<'gc>>(value: NonNull<u8>) {
    // SAFETY: guaranteed by the caller.
    unsafe { C::end(Raw::at(value)) };
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
