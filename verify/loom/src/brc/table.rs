//! Stub of `table.rs`: two entries for one interleaving, and the pool of their ids.

use super::owner_entry::{AfterLeave, OwnerEntry};
use crate::sync::Mutex;
use std::cell::Cell;
use std::ptr;

/// Owners that a model may have at a time.
const ENTRIES: u32 = 2;

pub(super) struct Table {
    entries: Vec<OwnerEntry>,
    free: Mutex<Vec<u32>>,
}

std::thread_local! {
    /// Loom runs all threads of a model on one.
    static TABLE: Cell<*const Table> = const { Cell::new(ptr::null()) };
}

impl Table {
    /// The table of this interleaving, until it is dropped.
    pub(super) fn open() -> Box<Table> {
        let table = Box::new(Table {
            entries: (1..=ENTRIES).map(OwnerEntry::new).collect(),
            free: Mutex::new((1..=ENTRIES).rev().collect()),
        });
        TABLE.set(&raw const *table);
        table
    }

    /// Every owner has ended, and every id came back once.
    pub(super) fn check(&self) {
        let mut free = self.free.lock().unwrap().clone();
        free.sort_unstable();
        let all: Vec<u32> = (1..=ENTRIES).collect();
        assert_eq!(free, all, "an id is lost, or was given twice");
    }
}

fn table() -> &'static Table {
    // SAFETY: a model keeps its table until all its threads have ended.
    unsafe { &*TABLE.get() }
}

pub(super) fn entry(id: u32) -> &'static OwnerEntry {
    &table().entries[id as usize - 1]
}

pub(super) fn take() -> Option<u32> {
    table().free.lock().unwrap().pop()
}

pub(super) fn after_leave(id: u32, left: AfterLeave) {
    if left == AfterLeave::FreeId {
        table().free.lock().unwrap().push(id);
    }
}
