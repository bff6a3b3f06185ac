//! Stub of `table.rs`: two slots for one interleaving, and the pool of their ids.

use super::slot::{Left, Slot};
use crate::sync::Mutex;
use std::cell::Cell;
use std::ptr;

/// Owners that a model may have at a time.
const SLOTS: u32 = 2;

pub(super) struct Table {
    slots: Vec<Slot>,
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
            slots: (1..=SLOTS).map(Slot::new).collect(),
            free: Mutex::new((1..=SLOTS).rev().collect()),
        });
        TABLE.set(&raw const *table);
        table
    }

    /// Every owner has ended, and every id came back once.
    pub(super) fn check(&self) {
        let mut free = self.free.lock().unwrap().clone();
        free.sort_unstable();
        let all: Vec<u32> = (1..=SLOTS).collect();
        assert_eq!(free, all, "an id is lost, or was given twice");
    }
}

fn table() -> &'static Table {
    // SAFETY: a model keeps its table until all its threads have ended.
    unsafe { &*TABLE.get() }
}

pub(super) fn slot(id: u32) -> &'static Slot {
    &table().slots[id as usize - 1]
}

pub(super) fn take() -> Option<u32> {
    table().free.lock().unwrap().pop()
}

pub(super) fn left(id: u32, left: Left) {
    if left == Left::Free {
        table().free.lock().unwrap().push(id);
    }
}
