//! `lane.rs` once more, with the bug that [`Flaw`] says.

use super::flaw::{Flaw, is, or};
use crate::header::Header;
use crate::sync::{AtomicPtr, Ordering, yield_now};
use std::ptr::{self, NonNull};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) object: NonNull<Header>,
    pub(crate) by: i64,
}

struct Batch {
    changes: Vec<Change>,
    before: AtomicPtr<Batch>,
}

fn unlinked() -> *mut Batch {
    ptr::without_provenance_mut(1)
}

pub(crate) struct Lane {
    last: AtomicPtr<Batch>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Before {
    Nothing,
    Something,
}

impl Lane {
    pub(crate) fn new() -> Lane {
        Lane {
            last: AtomicPtr::new(ptr::null_mut()),
        }
    }

    pub(crate) fn leave(&self, changes: Vec<Change>) -> Before {
        let looked = is(Flaw::NothingByALook).then(|| self.is_empty());
        let batch = Box::into_raw(Box::new(Batch {
            changes,
            before: AtomicPtr::new(unlinked()),
        }));
        let release = or(Flaw::LeaveRelaxed, Ordering::Release);
        let before = self.last.swap(batch, release);
        // SAFETY: as in the file.
        unsafe { (*batch).before.store(before, release) };
        if looked.unwrap_or(before.is_null()) {
            Before::Nothing
        } else {
            Before::Something
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.last.load(Ordering::Relaxed).is_null()
    }

    pub(crate) fn take(&self) -> Batches {
        let last = if is(Flaw::TakeByALook) {
            let last = self.last.load(Ordering::Acquire);
            self.last.store(ptr::null_mut(), Ordering::Relaxed);
            last
        } else {
            self.last
                .swap(ptr::null_mut(), or(Flaw::TakeRelaxed, Ordering::Acquire))
        };
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

pub(crate) struct Batches {
    last: *mut Batch,
    first: *mut Batch,
}

impl Batches {
    pub(crate) fn turn_over(&mut self, most: usize) -> usize {
        for turned in 0..most {
            let last = self.last;
            if last.is_null() {
                return turned;
            }
            // SAFETY: as in the file.
            let link = || unsafe {
                (*last)
                    .before
                    .load(or(Flaw::TakeRelaxed, Ordering::Acquire))
            };
            let mut before = link();
            while before == unlinked() {
                yield_now();
                before = link();
            }
            // SAFETY: as in the file.
            unsafe { (*last).before.store(self.first, Ordering::Relaxed) };
            self.first = last;
            self.last = before;
            if is(Flaw::NewestFirst) {
                break;
            }
        }
        most
    }

    pub(crate) fn next(&mut self) -> Option<Vec<Change>> {
        self.turn_over(usize::MAX);
        if self.first.is_null() {
            return None;
        }
        // SAFETY: as in the file. What is taken by a look and a store may be taken twice: its memory stays.
        let batch = unsafe { Box::from_raw(self.first) };
        self.first = batch.before.load(Ordering::Relaxed);
        let changes = batch.changes.clone();
        if is(Flaw::TakeByALook) {
            Box::leak(batch);
        }
        Some(changes)
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        while self.next().is_some() {}
    }
}
