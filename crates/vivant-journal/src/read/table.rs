//! [`Table`]: ids, kinds and lengths of all records, which is the first pass over an image.
//!
//! Places of values follow from the lengths alone; no file says where a value begins. The table
//! checks F6 of `FORMAT.md`.

use crate::error::{Damage, Error, Place};
use crate::format::block::BlockKind;
use crate::format::layout::table_entry;
use crate::format::manifest::Manifest;
use crate::format::memory_limit::MemoryLimit;
use crate::format::names::FileName;
use crate::read::blocks::Blocks;

/// A record without its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RecordInfo {
    /// The record's id, unique in its image.
    pub id: u64,
    /// The record's kind, as the writer gave it.
    pub kind: u16,
    /// The number of bytes of the value.
    pub length: u64,
}

/// A record and the place of its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) info: RecordInfo,
    pub(crate) segment: u32,
    /// The number of bytes of values before it in its segment.
    pub(crate) position: u64,
}

/// All records of an image.
#[derive(Debug)]
pub(crate) struct Table {
    /// In the order of the segments, and of the values in each.
    pub(crate) rows: Vec<Row>,
    /// The first row of each segment, and the number of rows.
    pub(crate) begins: Vec<usize>,
    /// Indices of rows, in the order of ids.
    by_id: Vec<usize>,
}

/// Memory for each record.
const RECORD_BYTES: u64 = (size_of::<Row>() + size_of::<usize>()) as u64;

impl Table {
    /// Memory for so many records.
    pub(crate) fn memory(records: u64) -> u64 {
        records.saturating_mul(RECORD_BYTES)
    }

    pub(crate) fn read(
        manifest: &Manifest,
        blocks: &mut Blocks<'_>,
        memory: MemoryLimit,
    ) -> Result<Table, Error> {
        let file = FileName::Manifest {
            image: manifest.image,
        };
        let records = manifest.segments.iter().map(|segment| segment.records);
        let records = records.fold(0, u64::saturating_add);
        memory.allow(file, "table", Table::memory(records))?;
        let mut rows = Vec::with_capacity(records as usize);
        let mut begins = Vec::with_capacity(manifest.segments.len() + 1);
        for (segment, number) in manifest.segments.iter().zip(0..) {
            begins.push(rows.len());
            let mut position: u64 = 0;
            for (place, entry) in segment.blocks_of(BlockKind::Table) {
                let content = blocks.content(number, place, entry)?;
                for bytes in content.chunks_exact(table_entry::BYTES) {
                    let row = Row::get(bytes, number, position);
                    position = position.saturating_add(row.info.length);
                    rows.push(row);
                }
            }
            let values = segment.content_bytes(BlockKind::Values);
            if position != values {
                let (image, segment) = (manifest.image, number);
                let name = FileName::Segment { image, segment };
                let (field, found) = (table_entry::LENGTH.name, position);
                let damage = Damage::Field {
                    field,
                    found,
                    expected: values,
                };
                return Err(Error::damaged(name, Place::offset(0), damage));
            }
        }
        begins.push(rows.len());
        let by_id = in_order_of_ids(&rows)
            .map_err(|damage| Error::damaged(file, Place::offset(0), damage))?;
        Ok(Table {
            rows,
            begins,
            by_id,
        })
    }

    pub(crate) fn find(&self, id: u64) -> Option<&Row> {
        let found = self
            .by_id
            .binary_search_by_key(&id, |&index| self.rows[index].info.id)
            .ok()?;
        Some(&self.rows[self.by_id[found]])
    }

    pub(crate) fn in_order(&self) -> impl ExactSizeIterator<Item = &Row> {
        self.by_id.iter().map(|&index| &self.rows[index])
    }
}

impl Row {
    fn get(bytes: &[u8], segment: u32, position: u64) -> Row {
        let info = RecordInfo {
            id: table_entry::ID.get(bytes),
            kind: table_entry::KIND.get(bytes) as u16,
            length: table_entry::LENGTH.get(bytes),
        };
        Row {
            info,
            segment,
            position,
        }
    }
}

fn in_order_of_ids(rows: &[Row]) -> Result<Vec<usize>, Damage> {
    let id = |index: usize| rows[index].info.id;
    let mut by_id: Vec<usize> = (0..rows.len()).collect();
    by_id.sort_unstable_by_key(|&index| id(index));
    match by_id.windows(2).find(|pair| id(pair[0]) == id(pair[1])) {
        Some(pair) => Err(Damage::DuplicateId { id: id(pair[0]) }),
        None => Ok(by_id),
    }
}
