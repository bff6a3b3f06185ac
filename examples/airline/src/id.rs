//! Ids of sessions, bookings and flights: UUIDs of version 4.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use uuid::fmt::Hyphenated;
use uuid::{Builder, Uuid};
use vivant::Saved;
use vivant::codec::{Decoder, Encoder, LoadError, Shape};

/// An id, drawn at random.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(Uuid);

impl Id {
    /// An id out of two random numbers. In an actor they come from
    /// [`Turn::random`](vivant::Turn::random), so that one seed gives the same ids again.
    pub fn drawn(mut draw: impl FnMut() -> u64) -> Id {
        let bits = u128::from(draw()) << 64 | u128::from(draw());
        Id(Builder::from_random_bytes(bits.to_be_bytes()).into_uuid())
    }

    /// An id that nothing else predicts: its bits come from the operating system. For sessions: the
    /// id proves that a client has logged in.
    ///
    /// # Errors
    ///
    /// The operating system has no random numbers.
    pub fn secret() -> Result<Id, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Id(Builder::from_random_bytes(bytes).into_uuid()))
    }

    /// The same id with its last 16 bits replaced: they determine the desk of a session.
    pub fn with_tail(self, tail: u16) -> Id {
        Id(Uuid::from_u128(
            self.0.as_u128() & !0xffff | u128::from(tail),
        ))
    }

    /// Its last 16 bits.
    pub fn tail(self) -> u16 {
        self.0.as_u128() as u16
    }
}

/// As its 16 bytes.
impl<'gc> Saved<'gc> for Id {
    const SHAPE: &'static Shape = <[u8; 16] as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.as_bytes().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Id, LoadError> {
        Ok(Id(Uuid::from_bytes(Saved::load(input)?)))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an id has 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12")]
pub struct NotAnId;

impl FromStr for Id {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Id, NotAnId> {
        let id: Hyphenated = text.parse().map_err(|_| NotAnId)?;
        Ok(Id(id.into_uuid()))
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
    fn a_saved_id_has_16_bytes() {
        let id = Id::drawn(|| 0x0123_4567_89ab_cdef);
        let bytes = vivant::codec::to_bytes(&id).unwrap();
        assert_eq!(bytes, id.0.as_bytes());
        assert_eq!(vivant::codec::from_bytes::<Id>(&bytes).unwrap(), id);
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
            "23456789abcd4f01856789abcdef0123",
            "{23456789-abcd-4f01-8567-89abcdef0123}",
        ] {
            assert_eq!(text.parse::<Id>(), Err(NotAnId), "{text}");
        }
    }
}
