//! Stubs: the few items of the rest of the heap that `count_inbox.rs` and `heap_handle.rs` name.

/// Stub of `alloc`.
pub(crate) mod alloc {
    /// Stub of `header`: an object with memory that loom tracks.
    pub(crate) mod header {
        use crate::tracked::Tracked;
        use std::ptr::NonNull;

        #[derive(Clone, Copy, PartialEq, Eq)]
        enum Memory {
            /// In a page of this owner.
            Of(NonNull<()>),
            Freed,
        }

        /// It stays until the interleaving is over, so that a use after it is freed is found and
        /// not undefined.
        pub(crate) struct Header(Tracked<Memory>);

        impl Header {
            pub(crate) fn of<O>(owner: NonNull<O>) -> Header {
                Header(Tracked::new(Memory::Of(owner.cast())))
            }

            /// Reads it, and finds the owner of its page: freeing has to come later.
            pub(crate) fn owner<O>(&self) -> NonNull<O> {
                match self.0.read(|memory| *memory) {
                    Memory::Of(owner) => owner.cast(),
                    Memory::Freed => panic!("used after it was freed"),
                }
            }

            pub(crate) fn free(&self) {
                self.0.change(|memory| {
                    assert!(*memory != Memory::Freed, "freed twice");
                    *memory = Memory::Freed;
                });
            }

            pub(crate) fn is_freed(&self) -> bool {
                self.0.read(|memory| *memory == Memory::Freed)
            }
        }
    }
}

/// Stub of `heap_id`. That an id is given once is checked at the owner: loom tracks its counted
/// pointer.
pub(crate) mod heap_id {
    #[derive(Clone, Copy)]
    pub(crate) struct HeapId;

    impl HeapId {
        pub(crate) fn take() -> HeapId {
            HeapId
        }

        pub(crate) fn release(self) {}
    }
}

/// Stub of `pages`.
pub(crate) mod pages {
    pub(crate) mod page_source {
        #[derive(Clone, Copy)]
        pub(crate) struct SourceId;
    }

    pub(crate) mod chunk {
        use crate::alloc::header::Header;
        use std::ptr::NonNull;

        /// # Safety
        ///
        /// An object of one of the models.
        pub(crate) unsafe fn owner_of(object: NonNull<u8>) -> Option<NonNull<()>> {
            // SAFETY: the caller passes an object of one of the models (above).
            let header = unsafe { object.cast::<Header>().as_ref() };
            Some(header.owner())
        }
    }
}

/// Stub of `foreign_code`.
pub(crate) mod foreign_code {
    use std::any::Any;
    use std::panic;

    /// A waker here does not panic, unless the model has found something.
    pub(crate) fn drop_panic(found: Box<dyn Any + Send>) {
        panic::resume_unwind(found);
    }
}
