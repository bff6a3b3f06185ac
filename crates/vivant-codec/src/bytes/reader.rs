//! [`Reader`]: takes integers and texts from bytes that may be wrong.

use crate::bytes::groups::gather;
use crate::errors::load_error::{LoadError, LoadErrorKind};

/// The bytes of one value, and the place in them.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    all: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader {
            all: bytes,
            rest: bytes,
        }
    }

    /// The number of bytes before this place.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.all.len() - self.rest.len()
    }

    /// The number of all bytes.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of bytes from this place on.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    /// Goes to a place that [`Reader::offset`] has returned.
    pub(crate) fn seek(&mut self, offset: usize) {
        self.rest = self.all.get(offset..).unwrap_or_default();
    }

    /// An error at this place.
    #[cold]
    pub(crate) fn error(&self, kind: LoadErrorKind) -> LoadError {
        LoadError::new(kind, self.offset())
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, LoadError> {
        match self.rest {
            [byte, rest @ ..] => {
                self.rest = rest;
                Ok(*byte)
            }
            [] => Err(self.error(LoadErrorKind::Ended)),
        }
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], LoadError> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(self.error(LoadErrorKind::Ended)),
        }
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        match self.rest.split_first_chunk() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => Err(self.error(LoadErrorKind::Ended)),
        }
    }

    /// An integer of at most `bits` bits, 8 to 64.
    #[inline]
    pub(crate) fn varint(&mut self, bits: u32) -> Result<u64, LoadError> {
        match self.rest {
            [byte @ 0..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*byte))
            }
            [low, high @ 1..0x80, rest @ ..] if bits >= 14 => {
                self.rest = rest;
                Ok(u64::from(*high) << 7 | u64::from(*low & 0x7f))
            }
            _ => self.long_varint(bits),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self, bits: u32) -> Result<u64, LoadError> {
        match gather(self.rest) {
            Some((value, count)) if value.checked_shr(bits).unwrap_or(0) == 0 => {
                self.rest = &self.rest[count..];
                Ok(value)
            }
            _ => self.varint_by_bytes(bits),
        }
    }

    /// An integer, byte by byte.
    #[cold]
    fn varint_by_bytes(&mut self, bits: u32) -> Result<u64, LoadError> {
        let mut value = 0;
        let mut shift = 0;
        for (i, &byte) in self.rest.iter().enumerate() {
            let low = u64::from(byte & 0x7f);
            if shift >= bits || (shift + 7 > bits && low >> (bits - shift) != 0) {
                return Err(self.error(LoadErrorKind::TooLarge));
            }
            value |= low << shift;
            shift += 7;
            match byte {
                0 if i > 0 => return Err(self.error(LoadErrorKind::Overlong)),
                0..0x80 => {
                    self.rest = &self.rest[i + 1..];
                    return Ok(value);
                }
                _ => {}
            }
        }
        Err(self.error(LoadErrorKind::Ended))
    }

    pub(crate) fn varint_128(&mut self) -> Result<u128, LoadError> {
        let mut value = 0;
        let mut shift = 0;
        for (i, &byte) in self.rest.iter().enumerate() {
            let low = u128::from(byte & 0x7f);
            if shift >= 128 || (shift + 7 > 128 && low >> (128 - shift) != 0) {
                return Err(self.error(LoadErrorKind::TooLarge));
            }
            value |= low << shift;
            shift += 7;
            match byte {
                0 if i > 0 => return Err(self.error(LoadErrorKind::Overlong)),
                0..0x80 => {
                    self.rest = &self.rest[i + 1..];
                    return Ok(value);
                }
                _ => {}
            }
        }
        Err(self.error(LoadErrorKind::Ended))
    }

    #[inline]
    pub(crate) fn zigzag(&mut self, bits: u32) -> Result<i64, LoadError> {
        let value = self.varint(bits)?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    pub(crate) fn zigzag_128(&mut self) -> Result<i128, LoadError> {
        let value = self.varint_128()?;
        Ok((value >> 1) as i128 ^ -((value & 1) as i128))
    }

    pub(crate) fn bool(&mut self) -> Result<bool, LoadError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.error_before(1, LoadErrorKind::NotBool(other))),
        }
    }

    /// The byte in front of an option: whether there is a value.
    #[inline]
    pub(crate) fn is_some(&mut self) -> Result<bool, LoadError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.error_before(1, LoadErrorKind::NotOption(other))),
        }
    }

    /// The number of bytes, and the bytes.
    #[inline]
    pub(crate) fn counted(&mut self) -> Result<&'a [u8], LoadError> {
        let count = self.varint(64)?;
        match usize::try_from(count) {
            Ok(count) if count <= self.rest.len() => self.take(count),
            _ => Err(self.error(LoadErrorKind::TooLong {
                elements: count,
                bytes: self.rest.len(),
            })),
        }
    }

    #[inline]
    pub(crate) fn text(&mut self) -> Result<&'a str, LoadError> {
        let bytes = self.counted()?;
        str::from_utf8(bytes).map_err(|_| self.error_before(bytes.len(), LoadErrorKind::NotUtf8))
    }

    pub(crate) fn char(&mut self) -> Result<char, LoadError> {
        let text = self.text()?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(char), None) => Ok(char),
            _ => Err(self.error_before(text.len(), LoadErrorKind::NotChar)),
        }
    }

    /// An error at the beginning of the `count` bytes that were read last.
    #[cold]
    pub(crate) fn error_before(&self, count: usize, kind: LoadErrorKind) -> LoadError {
        LoadError::new(kind, self.offset().saturating_sub(count))
    }
}
