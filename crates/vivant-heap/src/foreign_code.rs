//! Code of users that runs in the middle of an operation on a heap: destructors and wakers.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// Whether foreign code runs on this thread in the middle of an operation on a heap, perhaps
    /// the heap of the turn: that heap must not be accessed then.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Marks foreign code until it is dropped: a destructor in the middle of an allocation, or a waker
/// in the middle of a count change. Values sent by that code are packed as if there were no turn.
pub(crate) struct ForeignCode {
    before: bool,
}

impl ForeignCode {
    pub(crate) fn begin() -> ForeignCode {
        ForeignCode {
            before: WITHIN.replace(true),
        }
    }

    /// Whether foreign code runs on this thread in the middle of an operation on a heap.
    #[inline]
    pub(crate) fn runs() -> bool {
        WITHIN.get()
    }
}

impl Drop for ForeignCode {
    fn drop(&mut self) {
        WITHIN.set(self.before);
    }
}

/// Drops a caught panic, which the panic hook has reported. Its payload is foreign code that may
/// panic in its destructor: then the second payload is leaked.
pub(crate) fn drop_panic(panic: Box<dyn Any + Send>) {
    if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
}
