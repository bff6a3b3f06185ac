//! [`HeapHandle`]: the part of a heap that other heaps access.

use super::count_inbox::{CountDelta, CountInbox, InboxWas};
use super::heap_id::HeapId;
use crate::alloc::header::Header;
use crate::pages::chunk::owner_of;
use crate::pages::page_source::SourceId;
use crate::sync::{Arc, OnceLock, fault};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
use std::task::Waker;

/// The part of a heap that other heaps access: its identity, and its count inbox. The heap's pages
/// lead to it (H4).
pub(crate) struct HeapHandle {
    id: HeapId,
    /// Its number among the heaps of its page source. No other heap of the source gets it.
    number: u64,
    source: SourceId,
    pub(crate) inbox: CountInbox,
    /// Woken when deltas arrive in an empty inbox.
    pub(crate) waker: OnceLock<Waker>,
}

impl HeapHandle {
    pub(crate) fn new(number: u64, source: SourceId) -> Arc<HeapHandle> {
        Arc::new(HeapHandle {
            id: HeapId::take(),
            number,
            source,
            inbox: CountInbox::new(),
            waker: OnceLock::new(),
        })
    }

    pub(crate) fn id(&self) -> HeapId {
        self.id
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The page source that has given it the number.
    pub(crate) fn source(&self) -> SourceId {
        self.source
    }

    /// The pointer by which pages name it.
    pub(crate) fn name(this: &Arc<HeapHandle>) -> NonNull<HeapHandle> {
        // The pointer may also access the counts of the `Arc`, because `send_release` increments
        // them. SAFETY: the pointer of an `Arc` is not null.
        unsafe { NonNull::new_unchecked(Arc::as_ptr(this).cast_mut()) }
    }

    /// The owner of an object. The owner must stay live: it does for the heap's
    /// holder, and for a heap that counts the object or a container of it.
    ///
    /// # Safety
    ///
    /// The object lies in a chunk, and is not freed meanwhile.
    #[inline]
    pub(crate) unsafe fn of(object: NonNull<Header>) -> NonNull<HeapHandle> {
        // SAFETY: the caller's contract: a page that holds an object names its owner.
        unsafe { owner_of(object.cast()).unwrap_unchecked().cast() }
    }

    /// Sends deltas to the owner, which may not read them until it is woken.
    pub(crate) fn send(&self, deltas: Vec<CountDelta>) {
        fault!(
            IncsKeptBack => if deltas[0].by > 0 {
                return crate::fault::hide(deltas);
            },
            WakeFirst => {
                if self.inbox.is_empty() {
                    self.waker.get().map(Waker::wake_by_ref);
                }
                self.inbox.send(deltas);
                return;
            },
        );
        if self.inbox.send(deltas) == InboxWas::Empty
            && let Some(waker) = self.waker.get()
        {
            // Foreign code, which must not affect the sender: that may be in the middle of a
            // collection, and has more to send.
            let woken = panic::catch_unwind(AssertUnwindSafe(|| waker.wake_by_ref()));
            if let Err(panic) = woken {
                crate::foreign_code::drop_panic(panic);
            }
        }
    }

    /// Releases weights of objects that the caller had and does not use any more. All have the same
    /// owner.
    ///
    /// # Safety
    ///
    /// `owner` is the result of `HeapHandle::of` for them.
    pub(crate) unsafe fn send_release(owner: NonNull<HeapHandle>, deltas: Vec<CountDelta>) {
        // SAFETY: none once the deltas are sent: that is the injected fault.
        fault!(NotKept => return unsafe { owner.as_ref() }.send(deltas));
        // As soon as these deltas are in the inbox the owner may end: the reference count keeps it
        // for the accesses after that.
        // SAFETY: the caller's contract: the pointer came from an `Arc`, which is live as long as
        // one of the objects is counted.
        let owner = unsafe {
            Arc::increment_strong_count(owner.as_ptr());
            Arc::from_raw(owner.as_ptr())
        };
        owner.send(deltas);
        fault!(IncsKeptBack => while let Some(incs) = crate::fault::hidden() {
            owner.inbox.send(incs);
        });
    }
}

impl Drop for HeapHandle {
    fn drop(&mut self) {
        self.id.release();
    }
}
