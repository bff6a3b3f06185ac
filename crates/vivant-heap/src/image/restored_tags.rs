//! [`RestoredTags`]: the tag entries of a heap that is being made of an image.

use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::weak::tag_entry::TagEntry;
use crate::weak::tag_table::TagTable;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ptr::NonNull;

/// The tag entries of a heap that were made, and what they name.
#[derive(Default)]
pub(super) struct RestoredTags {
    entries: RefCell<BTreeMap<usize, Entry>>,
    /// The entry of each object.
    of: RefCell<HashMap<usize, usize>>,
}

struct Entry {
    entry: NonNull<Header>,
    /// The name of the target. `None`: the image has none.
    name: Option<u64>,
    /// A tag was loaded, and so the target is there.
    target: Option<NonNull<Header>>,
}

impl RestoredTags {
    /// An entry was made.
    pub(super) fn begins(&self, entry: NonNull<Header>, name: Option<u64>) {
        let made = Entry {
            entry,
            name,
            target: None,
        };
        self.entries.borrow_mut().insert(entry.addr().get(), made);
    }

    /// The name of an entry's target.
    pub(super) fn target_name(&self, entry: NonNull<Header>) -> Option<u64> {
        self.entries.borrow().get(&entry.addr().get())?.name
    }

    /// The target of an entry is there.
    pub(super) fn has(
        &self,
        entry: NonNull<Header>,
        target: NonNull<Header>,
    ) -> Result<(), String> {
        let at = entry.addr().get();
        if *self
            .of
            .borrow_mut()
            .entry(target.addr().get())
            .or_insert(at)
            != at
        {
            return Err("two tag entries of one object".to_owned());
        }
        if let Some(entry) = self.entries.borrow_mut().get_mut(&at) {
            entry.target = Some(target);
        }
        Ok(())
    }

    /// Whether a tag names no object.
    pub(super) fn lack_an_object(&self) -> bool {
        #[cfg(test)]
        if is_injected(InjectedFault::TagOfNothing) {
            return false;
        }
        self.entries.borrow().values().any(|it| it.name.is_none())
    }

    /// Gives the entries their targets, and the table of the heap its rows.
    ///
    /// # Safety
    ///
    /// They are those of the heap with this table, and nothing else uses it.
    pub(super) unsafe fn give_to(&self, table: &mut TagTable) {
        for Entry { entry, target, .. } in self.entries.take().into_values() {
            if let Some(target) = target {
                // SAFETY: the caller's contract (X1): a tag entry, and an object of its heap.
                unsafe {
                    TagEntry::restore_target(entry, target);
                    table.restore(target, entry);
                }
            }
        }
    }
}
