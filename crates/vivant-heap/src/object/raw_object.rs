//! Raw objects, as the collector sees them: objects without a Rust type for their content. The
//! contract is that of [`raw`](crate::raw).

use super::evacuator::{CLEAN, Evacuator};
use super::external_edges::ExternalEdges;
use super::tracer::Tracer;
use crate::alloc::header::Header;
use crate::alloc::raw_head::RawHead;
use std::ops::Range;
use std::ptr::NonNull;

/// The end of a window that contains all slots.
const ALL: usize = usize::MAX;

/// The type of raw objects with one layout of content.
///
/// # Safety
///
/// The functions get references to raw objects of this type. They process every value in the
/// content, none twice, as [`Object`](crate::Object) requires; they obey the [contract of a
/// container](crate::raw#contract-of-a-container).
pub unsafe trait RawType<'gc>: 'gc {
    /// The erased form: the same type outside turns.
    type Static: Send + 'static;
    /// Whether the content can hold references to collected objects.
    const NEEDS_TRACE: bool;
    /// Whether a value in the content has a destructor.
    const NEEDS_DROP: bool;
    /// Whether a value in the content may report external edges
    /// ([`Object::trace_external`](crate::Object::trace_external)).
    const HAS_EXTERNAL_EDGES: bool;

    /// Reports all references in the content. Called if `NEEDS_TRACE`.
    ///
    /// # Safety
    ///
    /// The content is not written meanwhile.
    unsafe fn trace(object: RawGc, tracer: &mut Tracer<'_>);

    /// Updates all references in the content that may refer to young objects. Called if
    /// `NEEDS_TRACE`. Of the slots only those in `written` may: a range of the numbers that
    /// [`RawGc::write_barrier_slot`] was given, not limited by the slots that there are. What is
    /// not in slots may refer to young objects in any case.
    ///
    /// # Safety
    ///
    /// No other code uses the content.
    unsafe fn evacuate(object: RawGc, written: Range<usize>, evacuator: &mut Evacuator<'_>);

    /// Reports all external edges in the content. Called if `HAS_EXTERNAL_EDGES`.
    ///
    /// # Safety
    ///
    /// As for `trace`.
    unsafe fn trace_external(object: RawGc, edges: &mut ExternalEdges<'_>);

    /// Drops all values in the content. Called once, if `NEEDS_DROP`. If a destructor panics, the
    /// others run, and the panic goes on (H10).
    ///
    /// # Safety
    ///
    /// The content is not used any more.
    unsafe fn drop_content(object: RawGc);
}

/// A reference to a raw object: one word, never null. It has neither brand nor type: a container
/// wraps it, and adds both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct RawGc(pub(crate) NonNull<RawHead>);

impl RawGc {
    /// The reference with this address.
    ///
    /// # Safety
    ///
    /// [`RawGc::address`] returned the pointer, or one from which it is derived.
    #[inline]
    #[must_use]
    pub unsafe fn from_address(address: NonNull<u8>) -> RawGc {
        RawGc(address.cast())
    }

    /// The address of the head.
    #[inline]
    #[must_use]
    pub fn address(self) -> NonNull<u8> {
        self.0.cast()
    }

    /// A pointer to the byte at this offset from the beginning of the head.
    ///
    /// # Safety
    ///
    /// The object exists (rule 1), and has at least `offset` bytes.
    #[inline]
    #[must_use]
    pub unsafe fn at<T>(self, offset: usize) -> NonNull<T> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.cast::<u8>().add(offset).cast() }
    }

    /// # Safety
    ///
    /// The object exists (rule 1).
    #[inline]
    pub(crate) unsafe fn head<'a>(self) -> &'a RawHead {
        // SAFETY: guaranteed by the caller. The mutable field of a head is a cell.
        unsafe { self.0.as_ref() }
    }

    pub(crate) fn header(self) -> NonNull<Header> {
        // SAFETY: a header lies before each object.
        unsafe { self.0.cast::<Header>().sub(1) }
    }

    /// The slots that may have been written since the last minor collection. If single slots were
    /// written, the flag is a window over them: the number of the first, and in the next byte the
    /// number after the last. A flag of zero means all slots.
    ///
    /// # Safety
    ///
    /// The object exists.
    #[inline]
    unsafe fn written(self) -> Range<usize> {
        // SAFETY: guaranteed by the caller.
        match unsafe { self.head() }.flag.get() {
            0 => 0..ALL,
            flag if flag & CLEAN != 0 => 0..ALL,
            flag => (flag & 0xFF) as usize..(flag >> 8) as usize,
        }
    }

    /// Whether the write barrier was executed since the last minor collection, for the object or
    /// for a slot. For assertions.
    ///
    /// # Safety
    ///
    /// The object exists (rule 1).
    #[inline]
    #[must_use]
    pub unsafe fn has_passed_barrier(self) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe { self.head() }.flag.get() & CLEAN == 0
    }

    /// Reports the reference to the tracer (rule 3).
    ///
    /// # Safety
    ///
    /// The caller is the `trace` of the value with this reference, which was updated by every
    /// evacuation.
    #[inline]
    pub unsafe fn trace(self, tracer: &mut Tracer<'_>) {
        tracer.edge(self.header());
    }

    /// Updates the reference after evacuation (rule 3).
    ///
    /// # Safety
    ///
    /// The caller is the `evacuate` of the value with this reference, which was updated by every
    /// evacuation before.
    #[inline]
    pub unsafe fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        let object = evacuator.forward(self.header());
        // SAFETY: the head follows the header.
        self.0 = unsafe { object.add(1) }.cast();
    }
}

/// # Safety
///
/// A raw object of this type lies there, and is not written meanwhile.
pub(crate) unsafe fn trace<'gc, T: RawType<'gc>>(value: NonNull<u8>, tracer: &mut Tracer<'_>) {
    if T::NEEDS_TRACE {
        // SAFETY: guaranteed by the caller.
        unsafe { T::trace(RawGc(value.cast()), tracer) };
    }
}

/// # Safety
///
/// A raw object of this type lies there, and no other code uses it.
pub(crate) unsafe fn evacuate<'gc, T: RawType<'gc>>(
    value: NonNull<u8>,
    evacuator: &mut Evacuator<'_>,
) {
    let object = RawGc(value.cast());
    // SAFETY: guaranteed by the caller.
    unsafe {
        let written = object.written();
        let flag = &object.head().flag;
        if flag.get() & CLEAN != 0 {
            flag.set(0);
        }
        if T::NEEDS_TRACE {
            T::evacuate(object, written, evacuator);
        }
        evacuator.mutable(flag);
    }
}

/// # Safety
///
/// As for `trace`.
pub(crate) unsafe fn trace_external<'gc, T: RawType<'gc>>(
    value: NonNull<u8>,
    edges: &mut ExternalEdges<'_>,
) {
    // SAFETY: guaranteed by the caller.
    unsafe { T::trace_external(RawGc(value.cast()), edges) };
}

/// # Safety
///
/// A raw object of this type lies there, and is not used any more.
pub(crate) unsafe fn drop_content<'gc, T: RawType<'gc>>(value: NonNull<u8>) {
    // SAFETY: guaranteed by the caller.
    unsafe { T::drop_content(RawGc(value.cast())) };
}
