//! [`RestoredTags`]: the tag entries of a heap that is being made of an image.

use super::object_codec::ObjectCodec;
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::weak::tag_entry::TagEntry;
use crate::weak::tag_table::TagTable;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ptr::NonNull;

/// Numbers of tag entries from here on are no right ones: a heap must have some left.
const NUMBERS_MAX: u64 = 1 << 63;

/// The tag entries of a heap that were made, and what they name.
#[derive(Default)]
pub(super) struct RestoredTags {
    entries: RefCell<BTreeMap<usize, Entry>>,
    numbers: RefCell<BTreeSet<u64>>,
    /// The entry of each object.
    of: RefCell<HashMap<usize, usize>>,
    /// Targets that are not made yet.
    wanted: RefCell<Vec<WantedTarget>>,
}

struct Entry {
    entry: NonNull<Header>,
    /// The name of the target. `None`: the image has none.
    name: Option<u64>,
    target: Target,
}

/// What is known of the target of an entry.
enum Target {
    /// No tag was loaded.
    Unknown,
    /// A tag says of which type it is.
    Wanted(&'static ObjectCodec),
    Made(NonNull<Header>),
}

/// A target that a tag needs, when all is loaded.
pub(super) struct WantedTarget {
    pub(super) entry: NonNull<Header>,
    pub(super) name: u64,
    pub(super) codec: &'static ObjectCodec,
    /// The number of its elements, if it has some.
    pub(super) count: Option<usize>,
}

impl RestoredTags {
    /// An entry was made.
    pub(super) fn begins(
        &self,
        entry: NonNull<Header>,
        number: u64,
        name: Option<u64>,
    ) -> Result<(), String> {
        if number >= NUMBERS_MAX {
            return Err(format!("a tag entry with the number {number}"));
        }
        if !self.numbers.borrow_mut().insert(number) {
            return Err(format!("two tag entries with the number {number}"));
        }
        let made = Entry {
            entry,
            name,
            target: Target::Unknown,
        };
        self.entries.borrow_mut().insert(entry.addr().get(), made);
        Ok(())
    }

    /// The name of an entry's target.
    pub(super) fn target_name(&self, entry: NonNull<Header>) -> Option<u64> {
        self.entries.borrow().get(&entry.addr().get())?.name
    }

    /// A tag of an entry was loaded.
    pub(super) fn wants(&self, wanted: WantedTarget) -> Result<(), String> {
        let mut entries = self.entries.borrow_mut();
        let Some(entry) = entries.get_mut(&wanted.entry.addr().get()) else {
            return Err("a tag of an entry that was not made".to_owned());
        };
        match entry.target {
            Target::Unknown => {
                entry.target = Target::Wanted(wanted.codec);
                self.wanted.borrow_mut().push(wanted);
                Ok(())
            }
            Target::Wanted(codec) if !codec.is_like(wanted.codec) => Err(format!(
                "tags of one object as a `{}` and as a `{}`",
                codec.type_name(),
                wanted.codec.type_name()
            )),
            // The type is known of the object then, and a tag of another one is an error.
            Target::Wanted(_) => Ok(()),
            Target::Made(_) => {
                self.wanted.borrow_mut().push(wanted);
                Ok(())
            }
        }
    }

    /// Whether targets are not made yet.
    pub(super) fn are_wanted(&self) -> bool {
        !self.wanted.borrow().is_empty()
    }

    /// Takes a target that is not made yet.
    pub(super) fn take_wanted(&self) -> Option<WantedTarget> {
        self.wanted.borrow_mut().pop()
    }

    /// The target of an entry is made.
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
            entry.target = Target::Made(target);
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
            if let Target::Made(target) = target {
                // SAFETY: the caller's contract (X1): a tag entry, and an object of its heap.
                unsafe {
                    TagEntry::restore_target(entry, target);
                    table.restore(target, entry);
                }
            }
        }
    }
}
