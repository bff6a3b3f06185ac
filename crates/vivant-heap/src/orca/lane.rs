//! [`Lane`]: where other heaps leave changes of counts for an owner (O6).

use crate::header::Header;
use crate::sync::{AtomicPtr, Ordering};
use std::ptr::{self, NonNull};

/// So many references more, or fewer, that others have to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) object: NonNull<Header>,
    pub(crate) by: i64,
}

/// Changes that somebody has left together.
struct Batch {
    changes: Vec<Change>,
    /// The batch that was left before this one.
    before: *mut Batch,
}

/// A list of batches with many writers and one reader, who takes all at once. One order: that in which they were left.
pub(crate) struct Lane {
    last: AtomicPtr<Batch>,
}

// SAFETY: batches are values in boxes, which one thread makes and another one takes; the objects that they name are not touched here.
unsafe impl Send for Lane {}
// SAFETY: as above.
unsafe impl Sync for Lane {}

/// What there was in a lane before a batch was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Before {
    /// Nothing: its reader does not know yet.
    Nothing,
    Something,
}

impl Lane {
    pub(crate) fn new() -> Lane {
        Lane {
            last: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Leaves changes. Never waits for the reader; tries again if another writer was faster.
    pub(crate) fn leave(&self, changes: Vec<Change>) -> Before {
        let batch = Box::into_raw(Box::new(Batch {
            changes,
            before: self.last.load(Ordering::Relaxed),
        }));
        loop {
            // SAFETY: nobody else knows of the batch until the exchange succeeds.
            let before = unsafe { (*batch).before };
            // Release: pairs with `take`; the reader sees the batch, and all that the writer did with the objects. Writers build on
            // one another's exchanges, so the reader sees what each of them saw.
            let exchanged =
                self.last
                    .compare_exchange(before, batch, Ordering::Release, Ordering::Relaxed);
            match exchanged {
                // From here on nothing is touched: the reader may have taken it, and may have ended.
                Ok(before) if before.is_null() => return Before::Nothing,
                Ok(_) => return Before::Something,
                // SAFETY: as above: it did not succeed.
                Err(now) => unsafe { (*batch).before = now },
            }
        }
    }

    /// Whether somebody has left something. A hint: more may come.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: who acts on it takes.
        self.last.load(Ordering::Relaxed).is_null()
    }

    /// Takes all that was left, in the order in which it was.
    pub(crate) fn take(&self) -> Vec<Change> {
        // Acquire: pairs with `leave`.
        let mut last = self.last.swap(ptr::null_mut(), Ordering::Acquire);
        let mut batches = Vec::new();
        while !last.is_null() {
            // SAFETY: made by `leave` of a box, and taken once: the swap has given it to this reader alone.
            let batch = unsafe { Box::from_raw(last) };
            last = batch.before;
            batches.push(batch.changes);
        }
        batches.reverse();
        batches.concat()
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.take();
    }
}
