//! [`Lane`]: where other heaps leave changes of counts for an owner (O6).

use crate::header::Header;
use crate::sync::{AtomicPtr, Ordering, fault, yield_now};
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
    /// The batch that was left before this one, or [`unlinked`].
    before: AtomicPtr<Batch>,
}

/// What lies before a batch is not written down yet.
fn unlinked() -> *mut Batch {
    // No batch lies there.
    ptr::without_provenance_mut(1)
}

/// A list of batches with many writers and one reader, who takes all at once. One order: that in
/// which they were left.
///
/// A batch is exchanged for the last one first, and linked to it then. The other way round,
/// comparing, a writer could link its batch to one that was taken and freed, of which another one
/// has the address now: the right place, by a pointer that must not be used.
pub(crate) struct Lane {
    last: AtomicPtr<Batch>,
}

// SAFETY: batches are values in boxes, which one thread makes and another one takes; the objects
// that they name are not touched here.
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

    /// Leaves changes. Never waits, for the reader or for another writer.
    pub(crate) fn leave(&self, changes: Vec<Change>) -> Before {
        let batch = Box::into_raw(Box::new(Batch {
            changes,
            before: AtomicPtr::new(unlinked()),
        }));
        fault!(NothingByALook => if self.is_empty() {
            let before = self.last.swap(batch, Ordering::Release);
            // SAFETY: as below.
            unsafe { (*batch).before.store(before, Ordering::Release) };
            return Before::Nothing;
        });
        // Release: pairs with the exchange of `take`; the reader sees the batch, and all that the
        // writer did with the objects. Exchanges of other writers between the two carry that on, so
        // it sees what each of them did.
        let release = fault!(Ordering::Release, LaneLeaveRelaxed => Ordering::Relaxed);
        let before = self.last.swap(batch, release);
        // From here on the lane is not touched: the reader may have taken all, and may have ended.
        // Release: pairs with the load of `take`, after which the batch is freed.
        let release = fault!(Ordering::Release, LaneLeaveRelaxed => Ordering::Relaxed);
        // SAFETY: whoever has taken the batch does not free it before this is written.
        unsafe { (*batch).before.store(before, release) };
        if before.is_null() {
            Before::Nothing
        } else {
            Before::Something
        }
    }

    /// Whether somebody has left something. A hint: more may come.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: who acts on it takes.
        self.last.load(Ordering::Relaxed).is_null()
    }

    /// Takes all that was left, however much that is.
    pub(crate) fn take(&self) -> Batches {
        // Acquire: pairs with the exchange of `leave`, of all that are taken.
        let acquire = fault!(Ordering::Acquire, LaneTakeRelaxed => Ordering::Relaxed);
        let last = fault!(self.last.swap(ptr::null_mut(), acquire), LaneTakeByALook => {
            let last = self.last.load(Ordering::Acquire);
            self.last.store(ptr::null_mut(), Ordering::Relaxed);
            last
        });
        Batches {
            last,
            first: ptr::null_mut(),
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// Batches that were taken out of a lane. They are linked as they were left, each to the one before
/// it, and turned over before the first one is given out.
pub(crate) struct Batches {
    /// The last one that is not turned over.
    last: *mut Batch,
    /// The first one of those that are: each is linked to the one after it.
    first: *mut Batch,
}

// SAFETY: as for a lane; who takes has its batches for itself.
unsafe impl Send for Batches {}

impl Batches {
    /// Nothing.
    pub(crate) const fn nothing() -> Batches {
        Batches {
            last: ptr::null_mut(),
            first: ptr::null_mut(),
        }
    }

    /// Whether nothing is left.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_null() && self.first.is_null()
    }

    /// Turns so many batches over. How many were left to be: if fewer, all are. Waits for a writer
    /// that is between the two writes of `leave`.
    pub(crate) fn turn_over(&mut self, most: usize) -> usize {
        for turned in 0..most {
            let last = self.last;
            if last.is_null() {
                return turned;
            }
            // Acquire: pairs with the store of `leave`, which is the last that the writer does with
            // it.
            let acquire = fault!(Ordering::Acquire, LaneTakeRelaxed => Ordering::Relaxed);
            // SAFETY: made by `leave` of a box, and taken once: the swap has given it to this
            // reader alone.
            let link = || unsafe { (*last).before.load(acquire) };
            let mut before = link();
            while before == unlinked() {
                yield_now();
                before = link();
            }
            // SAFETY: as above; its writer is done with it. Relaxed: nobody else reads it.
            unsafe { (*last).before.store(self.first, Ordering::Relaxed) };
            self.first = last;
            self.last = before;
            fault!(LaneNewestFirst => break);
        }
        most
    }

    /// The next batch, in the order in which they were left. None if there is none.
    pub(crate) fn next(&mut self) -> Option<Vec<Change>> {
        self.turn_over(usize::MAX);
        if self.first.is_null() {
            return None;
        }
        // SAFETY: as above; it is given out once.
        let batch = unsafe { Box::from_raw(self.first) };
        // Relaxed: this reader has written it.
        self.first = batch.before.load(Ordering::Relaxed);
        // What is taken so may be taken twice: its memory stays.
        fault!(LaneTakeByALook => return Some(Box::leak(batch).changes.clone()));
        Some(batch.changes)
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        while self.next().is_some() {}
    }
}
