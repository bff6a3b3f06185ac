//! [`NamedHeaps`]: the heaps of which an image names shared objects.

use crate::alloc::header::Header;
use crate::orca::heap_handle::HeapHandle;
use crate::pages::page_source::{PageSource, SourceId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::mem;
use std::ptr::NonNull;

/// A context of encoders, for the images of one cut: objects of other heaps have names, which begin
/// with the [number](crate::Heap::number) of their heap. It notes the heaps: the cut needs the
/// image of each of them.
pub struct NamedHeaps {
    /// Of all these heaps.
    source: SourceId,
    last: Cell<Option<u64>>,
    numbers: RefCell<BTreeSet<u64>>,
}

impl NamedHeaps {
    /// Without any yet, of the heaps of this source.
    #[must_use]
    pub fn new(source: &PageSource) -> NamedHeaps {
        NamedHeaps {
            source: source.id(),
            last: Cell::new(None),
            numbers: RefCell::default(),
        }
    }

    /// Takes the numbers of the heaps that were named since the last call.
    pub fn take(&self) -> BTreeSet<u64> {
        self.last.set(None);
        mem::take(&mut self.numbers.borrow_mut())
    }

    /// The number of the heap that owns an object. `None`: it is of another source.
    ///
    /// # Safety
    ///
    /// The object lies in a chunk, and its owner is live.
    pub(super) unsafe fn name(&self, object: NonNull<Header>) -> Option<u64> {
        // SAFETY: the caller's contract (X1).
        let owner = unsafe { HeapHandle::of(object).as_ref() };
        if owner.source() != self.source {
            return None;
        }
        let number = owner.number();
        if self.last.replace(Some(number)) != Some(number) {
            self.numbers.borrow_mut().insert(number);
        }
        Some(number)
    }
}

impl fmt::Debug for NamedHeaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&*self.numbers.borrow()).finish()
    }
}
