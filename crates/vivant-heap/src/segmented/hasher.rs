//! The hasher of the heap's tables, and the default one of its collections.

use std::hash::{BuildHasher, Hasher};

/// Creates [`FixedHasher`]s, all of which hash alike: in each process, on each machine.
///
/// Keys chosen by an attacker can be made to collide: give such a map another `BuildHasher`. A map
/// of colliding keys is slow, not wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FixedState;

/// Multiplies, and folds the two halves of the product: each bit of a key reaches each bit of its
/// hash.
#[derive(Clone, Debug)]
pub struct FixedHasher(u64);

/// Digits of π, as good as any.
const BEGIN: u64 = 0x243F_6A88_85A3_08D3;
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const END: u64 = 0xD6E8_FEB8_6659_FD93;

#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

impl BuildHasher for FixedState {
    type Hasher = FixedHasher;
    #[inline]
    fn build_hasher(&self) -> FixedHasher {
        FixedHasher(BEGIN)
    }
}

impl Hasher for FixedHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        // The length is hashed too, which distinguishes the zeros that pad the last word from zeros
        // of the text.
        let mut state = fold(self.0 ^ bytes.len() as u64, FACTOR);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            state = fold(state ^ u64::from_le_bytes(*word), FACTOR);
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.0 = fold(state ^ u64::from_le_bytes(last), FACTOR);
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }
    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }
    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }
    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = fold(self.0 ^ number, FACTOR);
    }
    #[inline]
    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }
    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        fold(self.0, END)
    }
}

#[cfg(test)]
mod tests {
    use super::FixedState;
    use std::hash::BuildHasher;

    /// The fullest of 256 buckets of 16 keys each on average, by the bits that select segments and
    /// by those that are tags.
    fn fullest(key: impl Fn(u64) -> u64) -> [u32; 2] {
        let mut buckets = [[0; 256]; 2];
        for number in 0..256 * 16 {
            let hash = FixedState.hash_one(key(number));
            buckets[0][(hash >> 56) as usize] += 1;
            buckets[1][(hash & 255) as usize] += 1;
        }
        buckets.map(|counts| counts.into_iter().max().unwrap_or(0))
    }

    #[test]
    fn keys_in_a_row_are_spread() {
        for shift in [0, 3, 4, 8, 12, 16, 32, 40, 52] {
            let [segments, tags] = fullest(|number| number << shift);
            assert!(segments < 64 && tags < 64, "{shift}: {segments}, {tags}");
        }
        let [segments, tags] = fullest(|number| u64::MAX - number);
        assert!(segments < 64 && tags < 64, "{segments}, {tags}");
        let [segments, tags] = fullest(|number| (number as f64).to_bits());
        assert!(segments < 64 && tags < 64, "{segments}, {tags}");
    }

    #[test]
    fn hashes_are_the_same_everywhere() {
        assert_eq!(FixedState.hash_one(1_u64), FixedState.hash_one(1_u64));
        assert_ne!(FixedState.hash_one("a"), FixedState.hash_one("a\0"));
        assert_ne!(
            FixedState.hash_one(("a", "")),
            FixedState.hash_one(("", "a"))
        );
    }
}
