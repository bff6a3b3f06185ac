//! Ids of sessions, bookings and flights: 128 bits, written like a UUID of version 4.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// An id, drawn at random.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u128);

/// The bits that say "version 4, variant 1", and their places.
const KIND: u128 = 0x4000_8000_0000_0000_0000;
const KIND_MASK: u128 = 0xf000_c000_0000_0000_0000;

impl Id {
    /// An id out of two random numbers. In an actor they come from [`Turn::random`](vivant::Turn::random), so that one
    /// seed gives the same ids again.
    pub fn drawn(mut draw: impl FnMut() -> u64) -> Id {
        let bits = u128::from(draw()) << 64 | u128::from(draw());
        Id(bits & !KIND_MASK | KIND)
    }

    /// The same id with its last 16 bits replaced: they say which desk keeps a session.
    pub fn with_tail(self, tail: u16) -> Id {
        Id(self.0 & !0xffff | u128::from(tail))
    }

    /// Its last 16 bits.
    pub fn tail(self) -> u16 {
        self.0 as u16
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |shift: u32, digits: u32| (self.0 >> shift) & ((1 << (4 * digits)) - 1);
        write!(
            f,
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            part(96, 8),
            part(80, 4),
            part(64, 4),
            part(48, 4),
            part(0, 12)
        )
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnId;

impl fmt::Display for NotAnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id has 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12")
    }
}

impl std::error::Error for NotAnId {}

impl FromStr for Id {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Id, NotAnId> {
        let groups: Vec<&str> = text.split('-').collect();
        let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        if lengths != [8, 4, 4, 4, 12] || text.contains('+') {
            return Err(NotAnId);
        }
        let bits = u128::from_str_radix(&groups.concat(), 16);
        bits.map(Id).map_err(|_| NotAnId)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_as_it_is_written() {
        let mut next = 0x0123_4567_89ab_cdef_u64;
        let id = Id::drawn(|| {
            next = next.rotate_left(8);
            next
        });
        let text = id.to_string();
        assert_eq!(text, "23456789-abcd-4f01-8567-89abcdef0123");
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(text.to_uppercase().parse(), Ok(id));
    }

    #[test]
    fn a_tail_replaces_the_last_bits_only() {
        let id = Id::drawn(|| u64::MAX).with_tail(7);
        assert_eq!(id.tail(), 7);
        assert_eq!(id.to_string(), "ffffffff-ffff-4fff-bfff-ffffffff0007");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "23456789",
            "23456789-abcd-4f01-8567-89abcdef012",
            "23456789-abcd-4f01-8567-89abcdef01234",
            "23456789-abcd-4f01-8567-89abcdef012g",
            "+3456789-abcd-4f01-8567-89abcdef0123",
            "234567890abcd-4f01-8567-89abcdef0123",
        ] {
            assert_eq!(text.parse::<Id>(), Err(NotAnId), "{text}");
        }
    }
}
