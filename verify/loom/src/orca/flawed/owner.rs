//! `owner.rs` once more, with the bug that [`Flaw`] says.

use super::flaw::{Flaw, is};
use super::lane::{Before, Change, Lane};
use crate::header::Header;
use crate::id::HeapId;
use crate::pages::chunk::owner_of;
use crate::sync::{Arc, OnceLock};
use std::mem;
use std::ptr::NonNull;
use std::sync::Mutex as Unseen;
use std::task::Waker;

pub(crate) struct Owner {
    id: HeapId,
    pub(crate) lane: Lane,
    pub(crate) waker: OnceLock<Waker>,
    /// INCs that wait for a DEC.
    kept: Unseen<Vec<Change>>,
}

impl Owner {
    pub(crate) fn new() -> Arc<Owner> {
        Arc::new(Owner {
            id: HeapId::take(),
            lane: Lane::new(),
            waker: OnceLock::new(),
            kept: Unseen::default(),
        })
    }

    pub(crate) fn name(this: &Arc<Owner>) -> NonNull<Owner> {
        // SAFETY: as in the file.
        unsafe { NonNull::new_unchecked(Arc::as_ptr(this).cast_mut()) }
    }

    pub(crate) unsafe fn of(object: NonNull<Header>) -> NonNull<Owner> {
        // SAFETY: as in the file.
        unsafe { owner_of(object.cast()).unwrap_unchecked() }
    }

    pub(crate) fn leave(&self, changes: Vec<Change>) {
        if is(Flaw::IncsKeptBack) && changes[0].by > 0 {
            return self.kept.lock().unwrap().extend(changes);
        }
        if is(Flaw::WakeFirst) {
            if self.lane.is_empty() {
                self.wake();
            }
            self.lane.leave(changes);
        } else if self.lane.leave(changes) == Before::Nothing {
            self.wake();
        }
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }

    pub(crate) unsafe fn give_up(owner: NonNull<Owner>, changes: Vec<Change>) {
        if is(Flaw::NotKept) {
            // SAFETY: none once the changes lie there. The memory stays until the interleaving is over.
            return unsafe { owner.as_ref() }.leave(changes);
        }
        // SAFETY: as in the file.
        let owner = unsafe {
            Arc::increment_strong_count(owner.as_ptr());
            Arc::from_raw(owner.as_ptr())
        };
        owner.leave(changes);
        if is(Flaw::IncsKeptBack) {
            // The lock, which loom does not see, is let go before another thread may run.
            let kept = mem::take(&mut *owner.kept.lock().unwrap());
            owner.lane.leave(kept);
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.id.give();
    }
}
