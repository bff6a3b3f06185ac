//! A heap with one object, and the holders of references to it.

use super::count_inbox::CountDelta;
use super::heap_handle::HeapHandle;
use crate::alloc::header::Header;
use crate::pointer::while_watching;
use crate::sync::Arc;
use std::iter;
use std::mem::{self, ManuallyDrop};
use std::ptr::NonNull;
use std::rc::Rc;
// Unseen by loom, so that keeping memory orders nothing.
use std::sync::{Arc as UnseenArc, Weak as UnseenWeak};
use std::task::Waker;

/// The weight that a heap requests when it has none left to give: 256 in the crate.
const CREDIT: i64 = 2;

/// The memory of one interleaving. It stays until that is over, so that a use after the end is
/// found and not undefined.
pub(super) struct World {
    object: Rc<Header>,
    _owner: UnseenWeak<HeapHandle>,
}

impl World {
    /// With a heap and an object without foreign references.
    pub(super) fn new() -> (World, Heap) {
        let owner = while_watching(|| HeapHandle::new(0, crate::pages::page_source::SourceId));
        // SAFETY: loom's `Arc` contains one of the standard library, and the pointer is to its
        // value. `ManuallyDrop` never gives this reference's count back, so none is taken twice.
        let unseen = ManuallyDrop::new(unsafe { UnseenArc::from_raw(Arc::as_ptr(&owner)) });
        let world = World {
            object: Rc::new(Header::of(HeapHandle::name(&owner))),
            _owner: UnseenArc::downgrade(&unseen),
        };
        let heap = Heap {
            object: NonNull::from(&*world.object),
            owner,
            exported: 0,
        };
        (world, heap)
    }

    /// Nothing is left: the object was freed. Loom itself checks that its owner has ended.
    pub(super) fn check(self) {
        assert!(self.object.is_freed(), "it waits, and nobody will free it");
    }
}

/// See `Core` of the crate.
pub(super) struct Heap {
    object: NonNull<Header>,
    owner: Arc<HeapHandle>,
    exported: i64,
}

impl Heap {
    /// As `Heap::wake_by`.
    pub(super) fn wake_by(&self, waker: Waker) {
        assert!(self.owner.waker.set(waker).is_ok());
    }

    /// As `Sharing::pack` of an own object.
    pub(super) fn pack(&mut self) -> Held {
        self.exported += 1;
        Held(self.object)
    }

    /// As `Sharing::unpack` of an own object.
    pub(super) fn unpack(&mut self, held: Held) {
        mem::forget(held);
        self.exported -= 1;
    }

    /// As `Core::drain_all`. None if no foreign reference to the object is left: it is freed, and
    /// the heap ends.
    pub(super) fn drain_all(mut self) -> Option<Heap> {
        let mut batches = self.owner.inbox.take();
        for CountDelta { object, by } in iter::from_fn(|| batches.next()).flatten() {
            assert_eq!(object, self.object);
            self.exported += by;
            assert!(self.exported >= 0, "O6: a DEC before its INC");
        }
        if self.exported != 0 {
            return Some(self);
        }
        // SAFETY: the world keeps its memory.
        unsafe { self.object.as_ref() }.free();
        None
    }

    /// As `Heap::drain_all`.
    pub(super) fn drain_if_any(self) -> Option<Heap> {
        if self.owner.inbox.is_empty() {
            return Some(self);
        }
        self.drain_all()
    }
}

/// See `Held` of the crate: the same calls in the same order. Packed references have weights of one
/// too.
pub(super) struct Held(NonNull<Header>);

impl Held {
    pub(super) fn read(&self) {
        // SAFETY: the world keeps its memory.
        let _page: NonNull<HeapHandle> = unsafe { self.0.as_ref() }.owner();
    }
}

impl Clone for Held {
    fn clone(&self) -> Held {
        let object = self.0;
        // SAFETY: this counts it, so its owner is there.
        unsafe { HeapHandle::of(object).as_ref() }.send(vec![CountDelta { object, by: 1 }]);
        Held(object)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let object = self.0;
        // SAFETY: this counts it, and does not use it any more.
        unsafe {
            HeapHandle::send_release(HeapHandle::of(object), vec![CountDelta { object, by: -1 }])
        };
    }
}

/// See `Sharing` of the crate: another heap's import of the object.
pub(super) struct Import {
    object: NonNull<Header>,
    count: i64,
}

impl Import {
    /// As `Sharing::unpack` of a foreign object.
    pub(super) fn of(held: Held) -> Import {
        let object = ManuallyDrop::new(held).0;
        Import { object, count: 1 }
    }

    /// As `Sharing::pack` of a foreign object, without weight to give.
    pub(super) fn pack(&mut self) -> Held {
        let object = self.object;
        assert_eq!(self.count, 1);
        self.count += CREDIT - 1;
        // SAFETY: this counts it, so its owner is there.
        unsafe { HeapHandle::of(object).as_ref() }.send(vec![CountDelta { object, by: CREDIT }]);
        Held(object)
    }
}

impl Drop for Import {
    /// As `Sharing::marked` of an import that a mark has not marked.
    fn drop(&mut self) {
        let (object, by) = (self.object, -self.count);
        // SAFETY: this counts it, and does not use it any more.
        unsafe {
            HeapHandle::send_release(HeapHandle::of(object), vec![CountDelta { object, by }])
        };
    }
}
