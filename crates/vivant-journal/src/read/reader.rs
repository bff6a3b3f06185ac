//! [`Reader`]: values of an image, which is the second pass: one block at a time.

use crate::error::Error;
use crate::format::names::FileName;
use crate::read::blocks::Blocks;
use crate::read::opened::Opened;
use crate::read::table::Row;
use std::ops::Range;

/// A record with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Record {
    /// The record's id.
    pub id: u64,
    /// The record's kind.
    pub kind: u16,
    /// The value.
    pub value: Vec<u8>,
}

/// Reads values of an [`Image`](crate::Image). It holds the last block, so values that were
/// written one after the other cost one read and one decompression for all of them in a block.
///
/// A reader has two buffers of at most 256 KiB each.
#[derive(Debug)]
pub struct Reader<'a> {
    image: &'a Opened,
    blocks: Blocks<'a>,
    /// Segment and index of the value block of which `blocks` holds the content.
    held: Option<(u32, usize)>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(image: &'a Opened) -> Reader<'a> {
        let blocks = image.blocks();
        Reader {
            image,
            blocks,
            held: None,
        }
    }

    /// The value of the record `id`.
    ///
    /// Costs one read of a block, or of each block that the value spans, unless the last call used
    /// it. Ids that follow each other may be in different segments. For all values,
    /// [`values`](Reader::values) reads each block once.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRecord`]; [`Error::OverLimit`] for a value above the memory limit;
    /// [`Error::Damaged`] if a block of it is; [`Error::Store`].
    pub fn value(&mut self, id: u64) -> Result<Vec<u8>, Error> {
        let image = self.image;
        let row = image.table.find(id);
        let row = row.ok_or(Error::NoSuchRecord {
            image: image.image,
            id,
        })?;
        self.value_of(row)
    }

    /// All records, in the order of the segments, and in each as they were appended.
    pub fn values(self) -> Values<'a> {
        let rows = 0..self.image.table.rows.len();
        Values { reader: self, rows }
    }

    /// The records of one segment, so that several threads can share the work. Segments are
    /// counted from 0 to [`Summary::segments`](crate::Summary::segments); beyond, there is none.
    pub fn values_of_segment(self, segment: u32) -> Values<'a> {
        let begins = &self.image.table.begins;
        let begin = |segment: usize| begins.get(segment).or(begins.last()).copied().unwrap_or(0);
        let rows = begin(segment as usize)..begin((segment as usize).saturating_add(1));
        Values { reader: self, rows }
    }

    fn value_of(&mut self, row: &Row) -> Result<Vec<u8>, Error> {
        let length = row.info.length;
        let (image, segment) = (self.image.image, row.segment);
        let file = FileName::Segment { image, segment };
        let length = self.image.memory.allow(file, "value", length)?;
        let mut value = Vec::with_capacity(length);
        while value.len() < length {
            let position = row.position + value.len() as u64;
            let full = u64::from(self.image.block_bytes);
            let content = self.content(row.segment, (position / full) as usize)?;
            let rest = &content[(position % full) as usize..];
            // Value blocks but the last are full, and the contents are as long as the values.
            assert!(!rest.is_empty(), "F5, F6: there is a byte at the position");
            value.extend_from_slice(&rest[..rest.len().min(length - value.len())]);
        }
        Ok(value)
    }

    /// The content of a value block.
    fn content(&mut self, segment: u32, index: usize) -> Result<&[u8], Error> {
        if self.held != Some((segment, index)) {
            self.held = None;
            let (place, entry) = &self.image.values[segment as usize][index];
            self.blocks.content(segment, *place, entry)?;
            self.held = Some((segment, index));
        }
        Ok(self.blocks.last())
    }
}

/// Records with their values: [`Reader::values`]. After an error the next record follows.
#[derive(Debug)]
pub struct Values<'a> {
    reader: Reader<'a>,
    rows: Range<usize>,
}

impl Iterator for Values<'_> {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.reader.image.table.rows[self.rows.next()?];
        let value = self.reader.value_of(&row);
        Some(value.map(|value| Record {
            id: row.info.id,
            kind: row.info.kind,
            value,
        }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for Values<'_> {}
