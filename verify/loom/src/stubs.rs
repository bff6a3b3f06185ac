//! Stubs: the few items of the rest of the runtime that its files name.

/// Stub of `actor` for promises.
pub(crate) mod actor {
    pub(crate) use crate::promise::Next;
    use loom::alloc::Track;

    /// Keeps nothing. A value that is never dropped is a leak, which loom reports.
    pub(crate) struct AddressRef {
        _once: Track<()>,
    }

    impl AddressRef {
        pub(crate) fn new() -> AddressRef {
            AddressRef {
                _once: Track::new(()),
            }
        }
    }

    pub(crate) struct AskError;

    /// No model has an exclusive wait.
    #[allow(dead_code, reason = "a field of what a sink shows")]
    pub(crate) struct Dependent;
}

/// Stub of `message` for promises: memory that is not recycled, so that loom sees a leak and a
/// double free.
pub(crate) mod message {
    pub(crate) mod pool {
        use loom::alloc::{Layout, alloc, dealloc};
        use std::ptr::NonNull;

        pub(crate) fn take<P>() -> NonNull<P> {
            // SAFETY: the values that models put there have a non-zero size.
            let place = unsafe { alloc(Layout::new::<P>()) };
            NonNull::new(place.cast()).expect("there is memory")
        }

        /// # Safety
        ///
        /// As in the runtime.
        pub(crate) unsafe fn give<P>(place: NonNull<P>) {
            // SAFETY: `take` allocated it with this layout.
            unsafe { dealloc(place.as_ptr().cast(), Layout::new::<P>()) };
        }
    }
}
