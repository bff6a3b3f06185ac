//! [`ObjectName`]: the name of an object among those of its heap.

use std::fmt;
use std::str::FromStr;

/// Places in a span. A place has [`PLACE_BYTES`].
const PLACES: u64 = 2_048;
/// Bytes from one place of a span to the next. Each block begins at a place.
pub(super) const PLACE_BYTES: u64 = 16;

/// The name of a reference to an object, in a table of shapes.
pub(super) const REFERENCE: &str = "vivant::Gc";
/// The name of a weak reference: it leads to the object that has the reference to its target.
pub(super) const WEAK: &str = "vivant::Weak";
/// The name of a reference to a chunk of a collection.
pub(super) const PART: &str = "vivant::Part";
/// A reference to a shared object, and its variant for those of other heaps.
pub(super) const VAL: &str = "vivant::Val";
pub(super) const FOREIGN: &str = "Foreign";
/// A region: its references name objects of its own.
pub(super) const REGION: &str = "vivant::Iso";

/// The name of an object among those of its heap, as `3:12`: the number of its span, and the place
/// in the span where its block begins, in steps of 16 bytes. An object has the same name in all
/// images of its heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName(u64);

impl ObjectName {
    /// The object that a reference with this number refers to.
    #[must_use]
    pub fn new(number: u64) -> ObjectName {
        ObjectName(number)
    }

    /// The number that a reference to the object has in a file, and in JSON.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// The number of its span.
    pub(super) fn span(self) -> u64 {
        self.0 / PLACES
    }

    /// The name of the object in a block that begins so many bytes behind the begin of its span.
    /// `None`: no block begins there.
    pub(super) fn at(span: u32, offset: u64) -> Option<ObjectName> {
        let place = offset / PLACE_BYTES;
        let is_place = offset.is_multiple_of(PLACE_BYTES) && place < PLACES;
        is_place.then_some(ObjectName(u64::from(span) * PLACES + place))
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.span(), self.0 % PLACES)
    }
}

impl FromStr for ObjectName {
    type Err = String;

    fn from_str(text: &str) -> Result<ObjectName, String> {
        let number = |text: &str| text.parse::<u64>().ok();
        let name = match text.split_once(':') {
            Some((span, place)) => match (span.parse::<u32>().ok(), number(place)) {
                (Some(span), Some(place)) if place < PLACES => {
                    Some(u64::from(span) * PLACES + place)
                }
                _ => None,
            },
            None => number(text),
        };
        let name = name.map(ObjectName);
        name.ok_or_else(|| "a name such as `3:12` is needed, or the number of a reference".into())
    }
}

/// Returns true for the name of a reference to an object of a heap.
pub(crate) fn is_to_object(reference: &str) -> bool {
    matches!(reference, REFERENCE | WEAK | PART)
}

/// How a reference of this shape is shown if it leads to an object.
pub(crate) fn named_reference(shape: &str, number: u128) -> Option<String> {
    let number = u64::try_from(number).ok();
    let number = number.filter(|_| is_to_object(shape));
    number.map(|number| ObjectName(number).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_shown() {
        let name = ObjectName::at(3, 12 * 16).expect("a block begins there");
        assert_eq!(name.to_string(), "3:12");
        assert_eq!("3:12".parse(), Ok(name));
        assert_eq!(name.number().to_string().parse(), Ok(name));
        assert_eq!(ObjectName::at(3, 8), None);
        assert_eq!(ObjectName::at(0, PLACES * PLACE_BYTES), None);
        for wrong in ["", ":", "1:", ":1", "1:2048", "4294967296:0", "-1", "1:2:3"] {
            assert!(wrong.parse::<ObjectName>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_references_to_objects_are_named() {
        let gc = |number| named_reference(REFERENCE, number);
        assert_eq!(gc(2_049).as_deref(), Some("1:1"));
        assert_eq!(gc(u128::MAX), None);
        assert_eq!(named_reference("bank::Account", 3), None);
    }
}
