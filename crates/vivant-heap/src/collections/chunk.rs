//! Chunks: the objects of which collections are made.

use crate::collector::{Relocator, Tracer};
use crate::header::{Header, Table};
use crate::mutator::Mutator;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::types::Holdings;
use crate::types::borrow::CLEAN;
use crate::types::gc::Brand;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;

/// How each chunk begins. What follows is its [`Content`]'s.
#[repr(C, align(8))]
pub(crate) struct Head {
    /// For the barrier: [`CLEAN`], or zero, or a [window](Raw::written). First, where the collector
    /// finds it.
    flag: Cell<u32>,
    /// Of the value: this head and what follows.
    bytes: u32,
    /// The slots that hold something: from this one ..
    from: Cell<u16>,
    /// .. up to this one, exclusive.
    to: Cell<u16>,
    /// How many slots there are.
    capacity: u16,
    /// Of a collection's own.
    note: Cell<u16>,
}

impl Head {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes as usize
    }
}

/// Bytes of a chunk, at most, if it holds more than one element: with its header it is just small
/// enough to be born young.
pub(crate) const CHUNK_MAX: usize = 2040;

/// Slots of a chunk that can have references, at most (H6).
pub(crate) const SLOTS_MAX: usize = 128;

/// What lies behind the head of a chunk.
///
/// # Safety
///
/// The functions are given chunks with this content. `trace`, `relocate` and `end` deal with all
/// that the slots from `from` to `to` hold, and what else the content has, as
/// [`Object`](crate::Object) says, and with nothing twice.
pub(crate) unsafe trait Content<'gc>: 'gc {
    /// The same outside turns.
    type Static: Send + 'static;
    /// Whether it can hold references to collected objects.
    const NEEDS_TRACE: bool;
    /// Whether anything in it has a destructor.
    const NEEDS_DROP: bool;
    /// Whether anything in it may show something
    /// ([`Object::show_holdings`](crate::Object::show_holdings)).
    const SHOWS: bool = false;
    /// Bytes of a chunk with so many slots.
    fn bytes(capacity: usize) -> usize;
    /// # Safety
    ///
    /// The chunk has room for `capacity` slots, all of them empty; it is the caller's.
    unsafe fn begin(_chunk: Raw, _capacity: usize) {}
    /// # Safety
    ///
    /// Nobody writes the chunk.
    unsafe fn trace(chunk: Raw, tracer: &mut Tracer<'_>);
    /// # Safety
    ///
    /// Nobody else uses the chunk. `written` are those of its filled slots that may refer to young
    /// objects; what is not in slots may in any case.
    unsafe fn relocate(chunk: Raw, written: Range<usize>, relocator: &mut Relocator<'_>);
    /// # Safety
    ///
    /// As for `trace`.
    unsafe fn show(_chunk: Raw, _shown: &mut Holdings<'_>) {}
    /// # Safety
    ///
    /// Nobody uses the chunk any more.
    unsafe fn end(chunk: Raw);
}

/// A chunk, whatever its content.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Raw(NonNull<Head>);

impl Raw {
    /// The chunk of which this is the head, or behind which it lies as a value.
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
    /// It is there, as an object of this turn, or of the collection that runs.
    #[inline]
    unsafe fn head<'a>(self) -> &'a Head {
        // SAFETY: the caller's. What changes of a head are cells.
        unsafe { self.0.as_ref() }
    }

    /// What lies so many bytes behind the beginning of the head.
    ///
    /// # Safety
    ///
    /// The chunk has as many.
    #[inline]
    pub(crate) unsafe fn behind<T>(self, bytes: usize) -> NonNull<T> {
        // SAFETY: the caller's.
        unsafe { self.0.cast::<u8>().add(bytes).cast() }
    }

    /// The slots that hold something.
    ///
    /// # Safety
    ///
    /// As for the head.
    #[inline]
    pub(crate) unsafe fn filled(self) -> Range<usize> {
        // SAFETY: the caller's.
        let head = unsafe { self.head() };
        head.from.get() as usize..head.to.get() as usize
    }

    /// The filled slots that were written since the nursery was last emptied, and perhaps others. A
    /// window over them is the flag of a chunk of which only single slots were: the first of them,
    /// and in the next byte the one behind the last. Zero is all of them.
    ///
    /// # Safety
    ///
    /// As for the head.
    #[inline]
    unsafe fn written(self) -> Range<usize> {
        // SAFETY: the caller's.
        let (filled, flag) = unsafe { (self.filled(), self.head().flag.get()) };
        if flag == 0 || flag & CLEAN != 0 {
            return filled;
        }
        let (from, to) = (flag & 0xFF, flag >> 8);
        let from = filled.start.max(from as usize);
        from..filled.end.min(to as usize).max(from)
    }

    /// Its slots.
    ///
    /// # Safety
    ///
    /// As for the head.
    #[inline]
    pub(crate) unsafe fn capacity(self) -> usize {
        // SAFETY: the caller's.
        unsafe { self.head() }.capacity as usize
    }

    fn header(self) -> NonNull<Header> {
        // SAFETY: a header lies before each object.
        unsafe { self.0.cast::<Header>().sub(1) }
    }

    /// A reference to the chunk is met.
    #[inline]
    pub(crate) fn trace(self, tracer: &mut Tracer<'_>) {
        tracer.edge(self.header());
    }

    /// Where the chunk is now.
    #[inline]
    pub(crate) fn relocated(self, relocator: &mut Relocator<'_>) -> Raw {
        let object = relocator.place(self.header());
        // SAFETY: the value follows the header.
        Raw(unsafe { object.add(1) }.cast())
    }
}

/// A reference to a chunk of this turn's heap.
///
/// Copies of it are this module's: the handle that a collection is has the only way to its chunks,
/// and so lends what is in them as if it held it itself.
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

// SAFETY: as for `Gc`: it goes with the heap, and what it refers to may go, by `Content::Static`.
unsafe impl<C> Send for Chunk<'static, C> {}

impl<'gc, C: Content<'gc>> Chunk<'gc, C> {
    /// A new one without anything in it.
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
        // SAFETY: room for the header and so many bytes behind it.
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
            if C::SHOWS {
                mutator.note_shows();
            }
            Self::of(Raw(head))
        }
    }

    /// # Safety
    ///
    /// It is a chunk with this content, of this turn's heap, or of one that nobody turns.
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
        // SAFETY: it is there: a reference of this brand exists within turns only, or in who
        // collects.
        unsafe { self.raw.head() }
    }

    /// How many slots there are.
    #[inline]
    pub(crate) fn capacity(self) -> usize {
        self.head().capacity as usize
    }

    /// The first slot that holds something.
    #[inline]
    pub(crate) fn from(self) -> usize {
        self.head().from.get() as usize
    }

    /// The slot behind the last one that holds something.
    #[inline]
    pub(crate) fn to(self) -> usize {
        self.head().to.get() as usize
    }

    /// How many slots hold something.
    #[inline]
    pub(crate) fn len(self) -> usize {
        self.to() - self.from()
    }

    #[inline]
    pub(crate) fn note(self) -> usize {
        self.head().note.get() as usize
    }

    /// The barrier (H5): before anything in the chunk is changed, removals included (H9).
    #[inline]
    pub(crate) fn touch(self, mutator: &Mutator<'gc>) {
        if self.head().flag.get() != 0 {
            self.tell(mutator);
        }
    }

    /// As `touch`, before this slot is changed, and nothing else in the chunk but what slots hold
    /// something: the collector looks at few slots then.
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
        if is_planted(Planted::SecretChange) {
            return;
        }
        if self.head().flag.get() & CLEAN != 0 {
            mutator.barrier(self.raw.header());
        }
        self.head().flag.set(0);
    }

    #[inline(never)]
    fn tell_of(self, mutator: &Mutator<'gc>, slot: usize) {
        let flag = self.head().flag.get();
        #[cfg(test)]
        if is_planted(Planted::SecretChange) {
            return;
        }
        #[cfg(test)]
        let slot = slot + usize::from(is_planted(Planted::NarrowWindow));
        // A window has room for so many.
        if slot >= 0xFF {
            return self.tell(mutator);
        }
        let slot = slot as u32;
        let (mut from, mut to) = (slot, slot + 1);
        if flag & CLEAN != 0 {
            mutator.barrier(self.raw.header());
        } else {
            (from, to) = (from.min(flag & 0xFF), to.max(flag >> 8));
        }
        self.head().flag.set(from | to << 8);
    }

    /// Whether it may be changed.
    fn has_passed(self) -> bool {
        #[cfg(test)]
        if is_planted(Planted::SecretChange) {
            return true;
        }
        self.head().flag.get() & CLEAN == 0
    }

    /// These slots hold something, and no others.
    ///
    /// # Safety
    ///
    /// They do; the chunk has passed the barrier.
    #[inline]
    pub(crate) unsafe fn fill(self, slots: Range<usize>) {
        debug_assert!(self.has_passed(), "H9");
        debug_assert!(slots.start <= slots.end && slots.end <= self.capacity());
        self.head().from.set(slots.start as u16);
        self.head().to.set(slots.end as u16);
    }

    /// The chunk has passed the barrier.
    #[inline]
    pub(crate) fn set_note(self, note: usize) {
        debug_assert!(self.has_passed(), "H9");
        self.head().note.set(note as u16);
    }

    /// A reference to it is met.
    #[inline]
    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        self.raw.trace(tracer);
    }

    /// It is where it is now.
    #[inline]
    pub(crate) fn relocate(&mut self, relocator: &mut Relocator<'_>) {
        self.raw = self.raw.relocated(relocator);
    }
}

/// # Safety
///
/// A chunk with this content lies there, and nobody writes it.
pub(crate) unsafe fn trace<'gc, C: Content<'gc>>(value: NonNull<u8>, tracer: &mut Tracer<'_>) {
    if C::NEEDS_TRACE {
        // SAFETY: the caller's.
        unsafe { C::trace(Raw::at(value), tracer) };
    }
}

/// # Safety
///
/// A chunk with this content lies there, and nobody else uses it.
pub(crate) unsafe fn relocate<'gc, C: Content<'gc>>(
    value: NonNull<u8>,
    relocator: &mut Relocator<'_>,
) {
    let chunk = Raw::at(value);
    // SAFETY: the caller's.
    unsafe {
        let written = chunk.written();
        if chunk.head().flag.get() & CLEAN != 0 {
            chunk.head().flag.set(0);
        }
        if C::NEEDS_TRACE {
            C::relocate(chunk, written, relocator);
        }
        relocator.mutable(&chunk.head().flag, CLEAN);
    }
}

/// # Safety
///
/// As for `trace`.
pub(crate) unsafe fn show<'gc, C: Content<'gc>>(value: NonNull<u8>, shown: &mut Holdings<'_>) {
    // SAFETY: the caller's.
    unsafe { C::show(Raw::at(value), shown) };
}

/// # Safety
///
/// A chunk with this content lies there, which nobody uses any more.
pub(crate) unsafe fn end<'gc, C: Content<'gc>>(value: NonNull<u8>) {
    // SAFETY: the caller's.
    unsafe { C::end(Raw::at(value)) };
}

/// Ends these elements, all of them, even if destructors panic: the first of the panics goes on
/// afterwards (H10).
///
/// # Safety
///
/// There are so many, and nobody uses them any more.
pub(crate) unsafe fn end_elements<T>(first: NonNull<T>, elements: usize) {
    if !std::mem::needs_drop::<T>() {
        return;
    }
    let mut panicked = None;
    for number in 0..elements {
        // SAFETY: the caller's; each once.
        let ended = panic::catch_unwind(AssertUnwindSafe(|| unsafe {
            first.add(number).drop_in_place();
        }));
        if let Err(panic) = ended {
            match panicked {
                None => panicked = Some(panic),
                // Dropping it may be foreign code once more.
                Some(_) => std::mem::forget(panic),
            }
        }
    }
    if let Some(panic) = panicked {
        panic::resume_unwind(panic);
    }
}
