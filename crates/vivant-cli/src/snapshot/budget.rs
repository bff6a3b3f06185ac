//! [`Budget`]: how much may be made of a record.

use super::problem::Problem;
use vivant_journal::Record;

/// Parts of a record that any program may write.
const PARTS_MIN: usize = 1 << 14;
/// Parts of a record for each of its bytes.
const PARTS_PER_BYTE: usize = 256;

/// Bytes of text that the values of any record may have.
const TEXT_MIN: usize = 1 << 16;
/// Bytes of text for each byte of a record: each part has its name.
const TEXT_PER_BYTE: usize = 1_024;

/// The parts that a record may have, with those of the values in it, and the bytes of their text.
/// The codec limits each value; this limits a record with many.
#[derive(Debug)]
pub(super) struct Budget {
    id: u64,
    bytes: usize,
    parts: usize,
    text: usize,
}

impl Budget {
    pub(super) fn of(record: &Record) -> Budget {
        Budget::new(record.id, record.value.len())
    }

    /// That of a record with this id and so many bytes.
    pub(super) fn new(id: u64, bytes: usize) -> Budget {
        let limit = |min: usize, per_byte| min.saturating_add(bytes.saturating_mul(per_byte));
        Budget {
            id,
            bytes,
            parts: limit(PARTS_MIN, PARTS_PER_BYTE),
            text: limit(TEXT_MIN, TEXT_PER_BYTE),
        }
    }

    /// The id of the record.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// The bytes of text that are left.
    pub(super) fn text(&self) -> usize {
        self.text
    }

    /// Returns false, and leaves nothing, if less is left.
    pub(super) fn take_text(&mut self, bytes: usize) -> bool {
        take(&mut self.text, bytes)
    }

    /// Returns false, and leaves nothing, if fewer are left.
    pub(super) fn take_parts(&mut self, parts: usize) -> bool {
        take(&mut self.parts, parts)
    }

    pub(super) fn used_up(&self) -> Problem {
        Problem::TooManyParts {
            id: self.id,
            bytes: self.bytes,
        }
    }
}

fn take(left: &mut usize, count: usize) -> bool {
    let rest = left.checked_sub(count);
    *left = rest.unwrap_or(0);
    rest.is_some()
}
