//! The table of what files have supplied: texts and places, which stay until the process ends.
//!
//! One table for the process, because errors and dead letters of all systems refer to it. It is
//! read when a supplied place is printed or compared, never for a place of the program.

use super::name::Name;
use crate::sync::{Mutex, MutexGuard, lock};
use std::collections::BTreeMap;
use std::panic::Location;
use std::ptr;

/// What a table keeps at most.
struct Limits {
    /// Number of texts, and of places.
    entries: usize,
    /// Bytes of one text.
    text_bytes: usize,
    /// Bytes of all texts.
    total_bytes: usize,
}

/// `Name::intern` and `Place::intern` state them.
const LIMITS: Limits = Limits {
    entries: 1 << 16,
    text_bytes: 4096,
    total_bytes: 16 << 20,
};

static TABLE: Mutex<Table> = Mutex::new(Table::new(LIMITS));

pub(super) fn table() -> MutexGuard<'static, Table> {
    lock(&TABLE)
}

/// File, line and column.
pub(super) type Triple = (&'static str, u32, u32);

/// What the copies are made from. No message is made here.
pub(super) const MARK: &Location<'static> = Location::caller();

/// A place that a file supplied.
pub(super) struct Supplied {
    mark: Location<'static>,
    place: Triple,
}

impl Supplied {
    /// The location that stands for the place. Its address tells it from others.
    pub(super) fn mark(&'static self) -> &'static Location<'static> {
        &self.mark
    }

    pub(super) fn place(&self) -> Triple {
        self.place
    }
}

/// The name for which there was no room.
static NOT_KEPT_NAME: Name = Name::new("a name that was not kept");

/// The place for which there was no room.
pub(super) const NOT_KEPT_PLACE: Triple = ("a place that was not kept", 0, 0);

pub(super) struct Table {
    limits: Limits,
    /// Each with its name in memory, for records that refer to a name by a pointer.
    texts: BTreeMap<&'static str, &'static Name>,
    text_bytes: usize,
    places: BTreeMap<Triple, &'static Supplied>,
    /// The same places, by the address of their marks.
    marks: BTreeMap<usize, &'static Supplied>,
}

impl Table {
    const fn new(limits: Limits) -> Table {
        Table {
            limits,
            texts: BTreeMap::new(),
            text_bytes: 0,
            places: BTreeMap::new(),
            marks: BTreeMap::new(),
        }
    }

    /// Returns the kept name with this text; `None` if there is no room for it.
    pub(super) fn text(&mut self, text: &str) -> Option<&'static Name> {
        if let Some(kept) = self.texts.get(text) {
            return Some(kept);
        }
        let has_room = text.len() <= self.limits.text_bytes
            && text.len() <= self.limits.total_bytes - self.text_bytes
            && self.texts.len() < self.limits.entries;
        if !has_room {
            return None;
        }
        let kept: &'static str = Box::leak(Box::from(text));
        self.text_bytes += kept.len();
        let name: &'static Name = Box::leak(Box::new(Name::new(kept)));
        self.texts.insert(kept, name);
        Some(name)
    }

    /// Returns the kept place, or that for which there was no room.
    pub(super) fn place(&mut self, file: &str, line: u32, column: u32) -> &'static Supplied {
        let key = self.room_for(file, line, column);
        let key = key.unwrap_or(NOT_KEPT_PLACE);
        if let Some(kept) = self.places.get(&key) {
            return kept;
        }
        let mark = *MARK;
        let kept: &'static Supplied = Box::leak(Box::new(Supplied { mark, place: key }));
        self.places.insert(key, kept);
        self.marks.insert(ptr::from_ref(&kept.mark).addr(), kept);
        kept
    }

    fn room_for(&mut self, file: &str, line: u32, column: u32) -> Option<Triple> {
        let key = (self.text(file)?.as_str(), line, column);
        let is_kept = self.places.len() < self.limits.entries || self.places.contains_key(&key);
        is_kept.then_some(key)
    }

    /// Returns the place that this location stands for, if it is a mark of the table.
    pub(super) fn marked_by(&self, mark: &'static Location<'static>) -> Option<&'static Supplied> {
        self.marks.get(&ptr::from_ref(mark).addr()).copied()
    }
}

impl Name {
    /// Returns the name with this text, which came from outside of the program.
    ///
    /// The process keeps each such text until it ends, equal ones once: at most 65,536 texts of at
    /// most 4096 bytes each, and 16 MiB of all. A name for which there is no room becomes
    /// `a name that was not kept`. It takes a lock, and an allocation for a new text.
    #[must_use]
    pub fn intern(text: &str) -> Name {
        *Name::intern_ref(text)
    }

    /// As [`Name::intern`]: a reference, for records with a pointer to a name.
    pub(crate) fn intern_ref(text: &str) -> &'static Name {
        table().text(text).unwrap_or(&NOT_KEPT_NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::{Deref, DerefMut};

    /// A table with other limits. What it has interned stays for ever, as that of the process does.
    struct Small(Table);

    static KEPT: Mutex<Vec<Table>> = Mutex::new(Vec::new());

    fn small() -> Small {
        Small(Table::new(Limits {
            entries: 10,
            text_bytes: 8,
            total_bytes: 20,
        }))
    }

    impl Drop for Small {
        fn drop(&mut self) {
            lock(&KEPT).push(std::mem::replace(&mut self.0, Table::new(LIMITS)));
        }
    }

    impl Deref for Small {
        type Target = Table;

        fn deref(&self) -> &Table {
            &self.0
        }
    }

    impl DerefMut for Small {
        fn deref_mut(&mut self) -> &mut Table {
            &mut self.0
        }
    }

    #[test]
    fn an_equal_text_is_kept_once() {
        let mut table = small();
        let first = table.text("a text").unwrap();
        let second = table.text(&String::from("a text")).unwrap();
        assert!(std::ptr::eq(first, second));
        assert_eq!((table.texts.len(), table.text_bytes), (1, 6));
    }

    #[test]
    fn a_long_text_is_not_kept() {
        let mut table = small();
        assert!(table.text("12345678").is_some());
        assert_eq!(table.text("123456789"), None);
        assert_eq!(table.place("123456789", 1, 1).place(), NOT_KEPT_PLACE);
        assert_eq!(table.text_bytes, 8);
    }

    #[test]
    fn texts_are_bounded_by_their_number() {
        let mut table = small();
        let kept = (0..15).filter(|n: &u8| table.text(&n.to_string()).is_some());
        assert_eq!(kept.count(), 10);
        assert!(table.text("0").is_some(), "what is there stays");
    }

    #[test]
    fn texts_are_bounded_by_their_bytes() {
        let mut table = small();
        let kept = (0..5).filter(|n: &u8| table.text(&format!("{n:0>8}")).is_some());
        assert_eq!(kept.count(), 2);
        assert!(table.text("1234").is_some(), "what fits");
        assert_eq!(table.text("x"), None);
        assert_eq!(table.text_bytes, 20);
    }

    #[test]
    fn places_are_bounded_and_kept_once() {
        let mut table = small();
        let kept = |table: &mut Table, line| table.place("f.rs", line, 1).place().1 == line;
        assert_eq!((1..=15).filter(|line| kept(&mut table, *line)).count(), 10);
        assert!(kept(&mut table, 7), "what is there stays");
        let (first, again) = (table.place("f.rs", 7, 1), table.place("f.rs", 7, 1));
        assert!(std::ptr::eq(first, again));
        // With the place for which there was no room.
        assert_eq!((table.texts.len(), table.marks.len()), (1, 11));
    }

    #[test]
    fn a_supplied_name_is_equal_to_a_constant_and_kept_once() {
        let text = String::from("a name of a file");
        let (first, second) = (Name::intern(&text), Name::intern(&text));
        assert_eq!(first, Name::new("a name of a file"));
        assert!(std::ptr::eq(first.as_str(), second.as_str()));
    }

    #[test]
    fn a_name_without_room_says_so() {
        let name = Name::intern(&"x".repeat(5000));
        assert_eq!(name, "a name that was not kept");
    }
}
