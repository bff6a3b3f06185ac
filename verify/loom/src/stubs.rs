//! Stubs: the few items of the rest of the runtime that its files name.

/// Stub of `actor` for promises and for the pool.
pub(crate) mod actor {
    pub(crate) use crate::promise::Next;
    use crate::runtime::pool::Pool;
    use loom::alloc::Track;
    use std::cell::RefCell;
    use std::rc::Rc;

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

    pub(crate) struct Worker {
        pub(crate) pool: Pool,
    }

    loom::thread_local! {
        static CURRENT: RefCell<Option<Rc<Worker>>> = RefCell::new(None);
    }

    impl Worker {
        /// Makes `worker` this thread's.
        pub(crate) fn enter(worker: &Rc<Worker>) {
            CURRENT.with(|current| current.replace(Some(worker.clone())));
        }

        /// This thread is no worker any more.
        pub(crate) fn exit() {
            CURRENT.with(RefCell::take);
        }

        pub(crate) fn with_current<R>(body: impl FnOnce(&Worker) -> R) -> Option<R> {
            let worker = CURRENT.with(|current| current.borrow().clone())?;
            Some(body(&worker))
        }
    }
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
