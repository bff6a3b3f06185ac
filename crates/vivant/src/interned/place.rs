//! [`Place`]: where in the source a message was made or a wait began.
//!
//! A place is one word: the reference to the [`Location`] of its caller. The standard library
//! makes such a location for callers alone, so a place that a file supplied refers to a copy of
//! *the mark*, the location of a line in `table.rs` from which no message comes. The copy has an
//! address of its own, by which the table has file, line and column.

use super::table::{MARK, NOT_KEPT_PLACE, table};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::ptr;

/// A place in the source: file, line and column. It is one word, and [`Copy`].
///
/// [`Place::caller`] costs nothing, as [`Location::caller`]. A place that a file supplied
/// ([`Place::intern`]) is equal to the place of the program with the same file, line and column.
///
/// ```
/// use vivant::Place;
///
/// let here = Place::caller();
/// let read = Place::intern(here.file(), here.line(), here.column());
/// assert_eq!(here, read);
/// assert_eq!(Place::intern("src/till.rs", 12, 5).to_string(), "src/till.rs:12:5");
/// ```
#[derive(Clone, Copy)]
pub struct Place(&'static Location<'static>);

const _: () = assert!(size_of::<Option<Place>>() == size_of::<usize>());

impl Place {
    /// Returns the place of the caller, as [`Location::caller`] does.
    #[inline]
    #[must_use]
    #[track_caller]
    pub const fn caller() -> Place {
        Place(Location::caller())
    }

    /// Returns the place with this file, line and column, which came from outside of the program.
    ///
    /// The process keeps each such place until it ends, equal ones once, and at most 65,536 of
    /// them; their files are kept as [`Name::intern`](crate::Name::intern) keeps texts, within the
    /// same bounds. A place for which there is no room displays as `a place that was not kept`.
    /// It takes a lock, and an allocation for a new place.
    #[must_use]
    pub fn intern(file: &str, line: u32, column: u32) -> Place {
        Place(table().place(file, line, column).mark())
    }

    /// The file, as the compiler was given it.
    #[must_use]
    pub fn file(self) -> &'static str {
        self.parts().0
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(self) -> u32 {
        self.parts().1
    }

    /// The column, from 1.
    #[must_use]
    pub fn column(self) -> u32 {
        self.parts().2
    }

    /// File, line and column, with one look-up if a file supplied them.
    pub(crate) fn parts(self) -> (&'static str, u32, u32) {
        // The line first, because to compare files takes longer.
        let is_marked = self.0.line() == MARK.line() && self.0 == MARK;
        // In a build with redacted locations all are like the mark, and not in the table.
        let supplied = match is_marked {
            true => table().marked_by(self.0),
            false => None,
        };
        match supplied {
            Some(supplied) => supplied.place(),
            None => (self.0.file(), self.0.line(), self.0.column()),
        }
    }

    /// The reference that it is, for an atomic pointer; `Place::from` is the way back.
    #[inline]
    pub(crate) fn location(self) -> &'static Location<'static> {
        self.0
    }
}

impl From<&'static Location<'static>> for Place {
    #[inline]
    fn from(location: &'static Location<'static>) -> Place {
        Place(location)
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        ptr::eq(self.0, other.0) || self.parts() == other.parts()
    }
}

impl Eq for Place {}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Place) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

/// `file:line:column`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            NOT_KEPT_PLACE => f.write_str(NOT_KEPT_PLACE.0),
            (file, line, column) => write!(f, "{file}:{line}:{column}"),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({self})")
    }
}

vivant_heap::leaf!([] Place);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_place_of_the_program_is_its_location() {
        let (location, place) = (Location::caller(), Place::caller());
        assert_eq!(place.file(), location.file());
        assert_eq!(place.line(), location.line());
        assert!(place.column() > location.column());
        assert_eq!(Place::from(location).to_string(), location.to_string());
        assert!(ptr::eq(Place::from(location).location(), location));
    }

    #[test]
    fn a_supplied_place_has_what_was_supplied() {
        let place = Place::intern("far/away.rs", 123, 45);
        assert_eq!(place.parts(), ("far/away.rs", 123, 45));
        assert_eq!(place.to_string(), "far/away.rs:123:45");
        assert_eq!(format!("{place:?}"), "Place(far/away.rs:123:45)");
        // Through an atomic pointer, as the record of a request keeps it.
        assert_eq!(Place::from(place.location()), place);
        let again = Place::intern(&String::from("far/away.rs"), 123, 45);
        assert!(ptr::eq(place.location(), again.location()), "kept once");
    }

    #[test]
    fn places_are_compared_by_file_line_and_column() {
        let here = Place::caller();
        let read = Place::intern(here.file(), here.line(), here.column());
        assert!(!ptr::eq(here.location(), read.location()));
        let (next_line, next_column) = (
            Place::intern(here.file(), here.line() + 1, here.column()),
            Place::intern(here.file(), here.line(), here.column() + 1),
        );
        assert_eq!(here, read);
        assert!(here < next_column && next_column < next_line);
        let all = HashSet::from([here, read, next_line, next_column]);
        assert_eq!(all.len(), 3);
    }

    #[test]
    fn a_place_without_room_says_so() {
        let place = Place::intern(&"x".repeat(5000), 1, 1);
        assert_eq!(place.to_string(), "a place that was not kept");
        assert_eq!(place, Place::intern(&"y".repeat(5000), 2, 2), "one value");
        assert_ne!(place, Place::intern("z.rs", 0, 0));
    }

    #[test]
    fn the_mark_itself_is_a_place_of_the_program() {
        // As all places are when locations are redacted.
        let place = Place::from(MARK);
        assert_eq!(place.to_string(), MARK.to_string());
    }
}
