//! The table of what files have supplied: texts and places, which stay until the process ends.
//!
//! One table for the process, because errors and dead letters of all systems refer to it. It is
//! read when a supplied place is printed or compared, never for a place of the program.

use super::Name;
use super::place::Supplied;
use crate::sync::{Mutex, MutexGuard, lock};
use std::collections::BTreeMap;

/// Limit of the texts, and of the places.
const ENTRIES_MAX: usize = 1 << 16;

/// Limit of one text, in bytes.
const TEXT_BYTES_MAX: usize = 4096;

/// Limit of all texts together, in bytes.
const TOTAL_BYTES_MAX: usize = 16 << 20;

static TABLE: Mutex<Table> = Mutex::new(Table::new());

pub(super) fn table() -> MutexGuard<'static, Table> {
    lock(&TABLE)
}

/// File, line and column.
type Triple = (&'static str, u32, u32);

pub(super) struct Table {
    /// Each with its name in memory, for records that refer to a name by a pointer.
    texts: BTreeMap<&'static str, &'static Name>,
    text_bytes: usize,
    places: BTreeMap<Triple, &'static Supplied>,
    /// The same places, by the address of their marks.
    marks: BTreeMap<usize, &'static Supplied>,
}

impl Table {
    const fn new() -> Table {
        Table {
            texts: BTreeMap::new(),
            text_bytes: 0,
            places: BTreeMap::new(),
            marks: BTreeMap::new(),
        }
    }

    /// Returns the kept name with the text that is equal to this one; `None` if there is no room for it.
    pub(super) fn text(&mut self, text: &str) -> Option<&'static Name> {
        if let Some(kept) = self.texts.get(text) {
            return Some(kept);
        }
        let has_room = text.len() <= TEXT_BYTES_MAX
            && text.len() <= TOTAL_BYTES_MAX - self.text_bytes
            && self.texts.len() < ENTRIES_MAX;
        if !has_room {
            return None;
        }
        let kept: &'static str = Box::leak(Box::from(text));
        self.text_bytes += kept.len();
        let name: &'static Name = Box::leak(Box::new(Name::new(kept)));
        self.texts.insert(kept, name);
        Some(name)
    }

    /// Returns the kept place that is equal to this one; `None` if there is no room for it.
    pub(super) fn place(
        &mut self,
        file: &str,
        line: u32,
        column: u32,
    ) -> Option<&'static Supplied> {
        let key = (self.text(file)?.as_str(), line, column);
        if let Some(kept) = self.places.get(&key) {
            return Some(kept);
        }
        if self.places.len() == ENTRIES_MAX {
            return None;
        }
        let kept: &'static Supplied = Box::leak(Box::new(Supplied::new(key)));
        self.places.insert(key, kept);
        self.marks.insert(kept.address(), kept);
        Some(kept)
    }

    /// Returns the place with the mark at this address.
    pub(super) fn marked(&self, address: usize) -> Option<&'static Supplied> {
        self.marks.get(&address).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_equal_text_is_kept_once() {
        let mut table = Table::new();
        let first = table.text("a text").unwrap();
        let second = table.text(&String::from("a text")).unwrap();
        assert!(std::ptr::eq(first, second));
        assert_eq!((table.texts.len(), table.text_bytes), (1, 6));
    }

    #[test]
    fn a_long_text_is_not_kept() {
        let mut table = Table::new();
        assert!(table.text(&"x".repeat(TEXT_BYTES_MAX)).is_some());
        assert_eq!(table.text(&"x".repeat(TEXT_BYTES_MAX + 1)), None);
        assert!(table.place(&"x".repeat(TEXT_BYTES_MAX + 1), 1, 1).is_none());
        assert_eq!(table.text_bytes, TEXT_BYTES_MAX);
    }

    #[test]
    fn texts_are_bounded_by_their_number() {
        let mut table = Table::new();
        let kept = (0..ENTRIES_MAX + 10).filter(|n| table.text(&n.to_string()).is_some());
        assert_eq!(kept.count(), ENTRIES_MAX);
        assert!(table.text("0").is_some(), "what is there stays");
    }

    #[test]
    fn texts_are_bounded_by_their_bytes() {
        let mut table = Table::new();
        let long = |n: usize| format!("{n:0>width$}", width = TEXT_BYTES_MAX);
        let fit = TOTAL_BYTES_MAX / TEXT_BYTES_MAX;
        let kept = (0..fit + 10).filter(|n| table.text(&long(*n)).is_some());
        assert_eq!(kept.count(), fit);
        assert_eq!(table.text("short"), None);
        assert_eq!(table.text_bytes, TOTAL_BYTES_MAX);
    }

    #[test]
    fn places_are_bounded_and_kept_once() {
        let mut table = Table::new();
        let lines = 0..(ENTRIES_MAX + 10) as u32;
        let kept = lines.filter(|line| table.place("f.rs", *line, 1).is_some());
        assert_eq!(kept.count(), ENTRIES_MAX);
        let (first, again) = (table.place("f.rs", 7, 1), table.place("f.rs", 7, 1));
        assert!(std::ptr::eq(first.unwrap(), again.unwrap()));
        assert_eq!((table.texts.len(), table.marks.len()), (1, ENTRIES_MAX));
    }
}
