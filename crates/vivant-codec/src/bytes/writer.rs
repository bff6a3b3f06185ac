//! [`Writer`]: appends integers as postcard does.

use crate::bytes::groups::{FOLLOWED, WORD_END, spread};

/// The most bytes of a `u128` as a varint.
const U128_BYTES_MAX: usize = 19;

/// The length of two words.
const FEW: usize = 16;

/// Appends to a buffer.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    #[inline]
    pub(crate) fn all(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends the first `count` of `bytes`. If they are few, more are appended and taken off
    /// again: a copy of a constant length needs no call.
    #[inline]
    pub(crate) fn first(&mut self, bytes: &[u8], count: usize) {
        match bytes.first_chunk::<FEW>() {
            Some(few) if count <= FEW => {
                let end = self.bytes.len() + count;
                self.bytes.extend_from_slice(few);
                self.bytes.truncate(end);
            }
            _ => self.bytes.extend_from_slice(&bytes[..count]),
        }
    }

    /// Seven bits a byte, the lowest first; the highest bit says that a byte follows.
    #[inline]
    pub(crate) fn varint(&mut self, value: u64) {
        match value {
            0..0x80 => self.bytes.push(value as u8),
            0x80..0x4000 => {
                (self.bytes).extend_from_slice(&[value as u8 | 0x80, (value >> 7) as u8])
            }
            _ => self.long_varint(value),
        }
    }

    /// Appends a word, of which the end is taken off again: a copy of a constant length is a store.
    #[inline(never)]
    fn long_varint(&mut self, value: u64) {
        if value >= WORD_END {
            return self.longest_varint(value);
        }
        let (word, count) = spread(value);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&word.to_le_bytes());
        self.bytes.truncate(start + count);
    }

    /// Appends a word of which each byte is followed, and the groups behind it.
    #[inline(never)]
    fn longest_varint(&mut self, value: u64) {
        let (word, _) = spread(value % WORD_END);
        self.bytes
            .extend_from_slice(&(word | FOLLOWED).to_le_bytes());
        self.varint(value / WORD_END);
    }

    pub(crate) fn varint_128(&mut self, mut value: u128) {
        let mut buffer = [0; U128_BYTES_MAX];
        let mut count = 0;
        while value >= 0x80 {
            buffer[count] = value as u8 | 0x80;
            value >>= 7;
            count += 1;
        }
        buffer[count] = value as u8;
        self.bytes.extend_from_slice(&buffer[..=count]);
    }

    /// Signed integers alternate, from zero away: 0, −1, 1, −2, 2 as 0, 1, 2, 3, 4.
    #[inline]
    pub(crate) fn zigzag(&mut self, value: i64) {
        self.varint(((value << 1) ^ (value >> 63)) as u64);
    }

    pub(crate) fn zigzag_128(&mut self, value: i128) {
        self.varint_128(((value << 1) ^ (value >> 127)) as u128);
    }

    /// The number of bytes, and the bytes.
    #[inline]
    pub(crate) fn counted(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// Puts the number of bytes from `start` on in front of them.
    #[cfg(feature = "serde")]
    pub(crate) fn counted_from(&mut self, start: usize) {
        let end = self.bytes.len();
        self.varint((end - start) as u64);
        let prefix = self.bytes.len() - end;
        self.bytes[start..].rotate_right(prefix);
    }
}
