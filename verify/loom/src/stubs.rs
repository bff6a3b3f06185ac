//! Stubs: the few items of the rest of the runtime that its files name.

/// Stub of `actor` for promises.
pub(crate) mod actor {
    use super::services::{Asked, RequestProgress};
    pub(crate) use crate::promise::Next;
    pub(crate) use crate::slots::slot_list::{Closed, LINK_AT, SlotLink, SlotList};
    use loom::alloc::Track;
    use std::cell::UnsafeCell;
    use std::marker::PhantomData;

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

    /// No thread of the models of promises holds the owner; `slots` has those that do.
    pub(crate) struct Worker;

    impl Worker {
        pub(crate) fn with_slots<R>(
            _: &AddressRef,
            body: impl FnOnce(Option<&SlotList>) -> R,
        ) -> R {
            body(None)
        }
    }

    pub(crate) struct AskError;

    #[allow(dead_code, reason = "no model restores a promise")]
    pub(crate) struct RequestFacts {
        pub(crate) asked: Asked,
    }

    /// The right of the holder. No model restores a promise.
    pub(crate) struct StateRef<'h>(PhantomData<&'h ()>);

    #[allow(dead_code, reason = "no model restores a promise")]
    impl StateRef<'_> {
        pub(crate) fn slots(&self) -> &SlotList {
            unreachable!("no model restores a promise")
        }
    }

    /// No model has an exclusive wait.
    #[allow(dead_code, reason = "a field of what a sink shows")]
    pub(crate) struct Dependent;

    /// The owner of the promise. No model inspects a request.
    #[repr(C)]
    pub(crate) struct RequestRecord(Owner, [u8; LINK_AT - RECORD_AT - size_of::<Owner>()]);

    type Owner = UnsafeCell<Option<AddressRef>>;

    pub(crate) const RECORD_AT: usize = 24;

    #[allow(dead_code, reason = "the models have no requests")]
    impl RequestRecord {
        /// # Safety
        ///
        /// As in the runtime.
        pub(crate) unsafe fn open(place: *mut RequestRecord, owner: AddressRef, _: Option<Asked>) {
            // SAFETY: the caller owns the place (X1).
            unsafe { place.write(RequestRecord(UnsafeCell::new(Some(owner)), [0; _])) };
        }

        pub(crate) fn give_up(&self) {}

        pub(crate) fn read(&self) -> Option<RequestFacts> {
            None
        }

        pub(crate) fn set(&self, _: RequestProgress) {}

        pub(crate) fn pass_on(&self, _: Asked) {}

        /// # Safety
        ///
        /// As in the runtime.
        pub(crate) unsafe fn owner(&self) -> Option<&AddressRef> {
            // SAFETY: the caller is the resolver's end (X1).
            unsafe { (*self.0.get()).as_ref() }
        }

        /// # Safety
        ///
        /// As in the runtime.
        pub(crate) unsafe fn take_owner(&self) -> Option<AddressRef> {
            // SAFETY: the caller is the resolver's end, or the second end (X1).
            unsafe { (*self.0.get()).take() }
        }
    }
}

/// Stub of `interned`: names and places of the program. No file supplies any.
pub(crate) mod interned {
    use std::panic::Location;

    /// Told apart by its address.
    pub(crate) struct Name {
        _text: &'static str,
    }

    impl Name {
        pub(crate) const fn new(text: &'static str) -> Name {
            Name { _text: text }
        }
    }

    #[derive(Clone, Copy, PartialEq, Debug)]
    pub(crate) struct Place(&'static Location<'static>);

    impl Place {
        #[track_caller]
        pub(crate) fn caller() -> Place {
            Place(Location::caller())
        }

        pub(crate) fn location(self) -> &'static Location<'static> {
            self.0
        }
    }

    impl From<&'static Location<'static>> for Place {
        fn from(location: &'static Location<'static>) -> Place {
            Place(location)
        }
    }
}

/// Stub of `services` for promises.
pub(crate) mod services {
    pub(crate) use crate::runtime::requests::{Asked, RequestProgress};
}

/// Stub of `message` for promises: memory that is not recycled, so that loom sees a leak and a
/// double free.
pub(crate) mod message {
    use std::ptr::NonNull;

    /// No model has a slab.
    pub(crate) fn scan(_: impl FnMut(NonNull<u8>)) {}

    pub(crate) mod pool {
        use loom::alloc::{Layout, alloc, dealloc};
        use std::ptr::NonNull;

        pub(crate) fn take<P>() -> NonNull<P> {
            // SAFETY: the values that models put there have a non-zero size.
            let place = unsafe { alloc(Layout::new::<P>()) };
            NonNull::new(place.cast()).expect("there is memory")
        }

        pub(crate) fn take_slot<P>() -> NonNull<P> {
            take()
        }

        /// # Safety
        ///
        /// As in the runtime.
        pub(crate) unsafe fn give_slot<P>(place: NonNull<P>) {
            // SAFETY: the caller's contract (X1).
            unsafe { give(place) };
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

/// Stub of `message::slab` for pools, which take no block of it in a model.
pub(crate) mod slab {
    use std::alloc::Layout;
    use std::ptr::NonNull;

    pub(crate) fn blocks_of(_: Layout) -> usize {
        1
    }

    pub(crate) fn take(_: Layout, _: usize, _: usize, _: impl FnMut(NonNull<u8>)) -> usize {
        unreachable!("no model takes the slot of a promise from a pool")
    }

    /// # Safety
    ///
    /// As in the runtime.
    pub(crate) unsafe fn give(_: NonNull<u8>) {
        unreachable!("no model takes the slot of a promise from a pool")
    }
}
