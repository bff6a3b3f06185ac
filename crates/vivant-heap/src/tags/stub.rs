//! [`Stub`]: a shared object that stands for a private one.

use crate::collector::{Relocator, Tracer};
use crate::header::{Header, Table};
use std::ptr::{self, NonNull};

/// What a tag refers to. Others read its number, and so nobody makes a reference to the whole of
/// it: its owner writes the target by a pointer to that alone.
#[repr(C)]
pub(crate) struct Stub {
    target: NonNull<Header>,
    number: u64,
}

/// What the collector knows of stubs. One place in memory, so that it tells them from all else.
static STUB: Table = Table::by_hand::<Stub>(trace, relocate);

/// # Safety
///
/// The value of a stub lies there, and no turn of its owner runs.
unsafe fn trace(value: NonNull<u8>, tracer: &mut Tracer<'_>) {
    // SAFETY: the caller's.
    tracer.edge(unsafe { target_in(value.cast()).read() });
}

/// # Safety
///
/// As for `trace`.
unsafe fn relocate(value: NonNull<u8>, relocator: &mut Relocator<'_>) {
    // SAFETY: the caller's: nobody else uses the target.
    unsafe {
        let target = target_in(value.cast());
        target.write(relocator.place(target.read()));
    }
}

/// Where the target of a stub lies.
///
/// # Safety
///
/// The stub is there.
unsafe fn target_in(stub: NonNull<Stub>) -> NonNull<NonNull<Header>> {
    // SAFETY: the caller's: a place in an object has an address.
    unsafe { NonNull::new_unchecked(&raw mut (*stub.as_ptr()).target) }
}

impl Stub {
    /// Makes one.
    ///
    /// # Safety
    ///
    /// There is room for it; the target is an object of the same heap.
    pub(crate) unsafe fn begin(room: NonNull<Header>, target: NonNull<Header>, number: u64) {
        // SAFETY: the caller's.
        unsafe {
            room.write(Header::new(&STUB));
            room.add(1).cast().write(Stub { target, number });
        }
    }

    /// Whether an object is one.
    ///
    /// # Safety
    ///
    /// It is an object that has not moved.
    pub(crate) unsafe fn is_one(object: NonNull<Header>) -> bool {
        // SAFETY: the caller's.
        ptr::eq(unsafe { object.as_ref() }.table(), &STUB)
    }

    /// Where the tagged object is now.
    ///
    /// # Safety
    ///
    /// It is a stub, and the caller is the holder of its heap.
    pub(crate) unsafe fn target(stub: NonNull<Header>) -> NonNull<Header> {
        // SAFETY: the caller's; the value follows the header.
        unsafe { target_in(stub.add(1).cast()).read() }
    }

    /// Which of its heap's stubs it is.
    ///
    /// # Safety
    ///
    /// It is a stub, which somebody keeps that the caller knows of.
    pub(crate) unsafe fn number(stub: NonNull<Header>) -> u64 {
        // SAFETY: the caller's; nobody writes it after `begin`, and whoever has the stub has it
        // from there.
        unsafe { (&raw const (*stub.add(1).cast::<Self>().as_ptr()).number).read() }
    }
}
