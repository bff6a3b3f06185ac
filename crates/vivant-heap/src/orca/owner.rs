//! [`Owner`]: what others know of a heap.

use super::lane::{Before, Change, Lane};
use crate::header::Header;
use crate::id::HeapId;
use crate::pages::chunk::owner_of;
use crate::sync::{Arc, OnceLock, fault};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
use std::task::Waker;

/// What others know of a heap: who it is, and where they leave changes of its counts. Its pages say
/// where that is (H4).
pub(crate) struct Owner {
    id: HeapId,
    pub(crate) lane: Lane,
    /// Is woken when something lies in an empty lane.
    pub(crate) waker: OnceLock<Waker>,
}

impl Owner {
    pub(crate) fn new() -> Arc<Owner> {
        Arc::new(Owner {
            id: HeapId::take(),
            lane: Lane::new(),
            waker: OnceLock::new(),
        })
    }

    pub(crate) fn id(&self) -> HeapId {
        self.id
    }

    /// How pages name it.
    pub(crate) fn name(this: &Arc<Owner>) -> NonNull<Owner> {
        // By a pointer that may reach the counts of the `Arc` too, because `give_up` raises them.
        // SAFETY: an `Arc` points somewhere.
        unsafe { NonNull::new_unchecked(Arc::as_ptr(this).cast_mut()) }
    }

    /// Who owns an object. That it stays there is the caller's to know: who is its holder knows it,
    /// and who counts the object, or a whole of which it is a part.
    ///
    /// # Safety
    ///
    /// The object lies in a chunk, and is not freed meanwhile.
    #[inline]
    pub(crate) unsafe fn of(object: NonNull<Header>) -> NonNull<Owner> {
        // SAFETY: the caller's: a page that holds an object is its owner's.
        unsafe { owner_of(object.cast()).unwrap_unchecked() }
    }

    /// Leaves changes for the owner, who may not know of them until it is woken.
    pub(crate) fn leave(&self, changes: Vec<Change>) {
        fault!(
            IncsKeptBack => if changes[0].by > 0 {
                return crate::fault::hide(changes);
            },
            WakeFirst => {
                if self.lane.is_empty() {
                    self.waker.get().map(Waker::wake_by_ref);
                }
                self.lane.leave(changes);
                return;
            },
        );
        if self.lane.leave(changes) == Before::Nothing
            && let Some(waker) = self.waker.get()
        {
            // Foreign code, of which others must not notice anything: who leaves changes may be in
            // the middle of a collection, and has more to leave.
            let woken = panic::catch_unwind(AssertUnwindSafe(|| waker.wake_by_ref()));
            if let Err(panic) = woken {
                crate::old::over(panic);
            }
        }
    }

    /// Gives up weights of objects, which the caller had and does not use any more. All have the
    /// same owner.
    ///
    /// # Safety
    ///
    /// `owner` is what `Owner::of` gave for them.
    pub(crate) unsafe fn give_up(owner: NonNull<Owner>, changes: Vec<Change>) {
        // SAFETY: none once the changes lie there: that is the fault.
        fault!(NotKept => return unsafe { owner.as_ref() }.leave(changes));
        // The moment these lie in the lane the owner may end: it is kept for what comes after that.
        // SAFETY: the caller's: it came of an `Arc`, which is there as long as one of the objects
        // is counted.
        let owner = unsafe {
            Arc::increment_strong_count(owner.as_ptr());
            Arc::from_raw(owner.as_ptr())
        };
        owner.leave(changes);
        fault!(IncsKeptBack => while let Some(incs) = crate::fault::hidden() {
            owner.lane.leave(incs);
        });
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.id.give();
    }
}
