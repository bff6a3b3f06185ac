//! [`SegmentWriter`]: writes records of one thread into one segment.

use crate::error::{Error, Operation};
use crate::format::block::{self, BlockEntry, BlockKind};
use crate::format::compression::Compression;
use crate::format::layout::{
    SEGMENT_MAGIC, VERSION_ALONE, segment_head, table_block_bytes, table_entry,
};
use crate::format::manifest::SegmentEntry;
use crate::format::names::FileName;
use crate::store::NewFile;
use crate::write::segments::{FinishedSegment, Segments};
use std::sync::Arc;

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};

/// Writes records into one segment of an image. Each thread has its own.
///
/// It holds two blocks of content, a compressed block, and eight bytes for each record.
#[derive(Debug)]
pub struct SegmentWriter {
    segments: Arc<Segments>,
    segment: u32,
    out: Blocks,
    table: Vec<u8>,
    values: Vec<u8>,
    ids: Vec<u64>,
}

impl SegmentWriter {
    pub(crate) fn create(segments: Arc<Segments>, segment: u32) -> Result<SegmentWriter, Error> {
        let image = segments.image();
        let name = FileName::Segment { image, segment };
        let file = segments.store.create(&name.to_string());
        let file = file.map_err(Error::store(Operation::Create, name))?;
        let mut head = [0; segment_head::BYTES];
        segment_head::MAGIC.put_bytes(&mut head, SEGMENT_MAGIC);
        segment_head::VERSION.put(&mut head, VERSION_ALONE);
        segment_head::SEGMENT.put(&mut head, segment);
        segment_head::IMAGE.put(&mut head, image);
        let mut out = Blocks {
            name,
            file: Some(file),
            compression: segments.compression,
            written: Vec::new(),
            block: Vec::new(),
        };
        out.write(&head)?;
        let (table, values, ids) = (Vec::new(), Vec::new(), Vec::new());
        Ok(SegmentWriter {
            segments,
            segment,
            out,
            table,
            values,
            ids,
        })
    }

    /// Appends a record. `id` must be unique in the whole image; `kind` has the meaning that the
    /// caller gives it. A value of any length is cut into blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Store`] if a full block cannot be written, and [`Error::SegmentFailed`] for the
    /// next block after that. The image cannot be published then.
    pub fn append(&mut self, id: u64, kind: u16, value: &[u8]) -> Result<(), Error> {
        let mut entry = [0; table_entry::BYTES];
        table_entry::ID.put(&mut entry, id);
        table_entry::KIND.put(&mut entry, kind);
        table_entry::LENGTH.put(&mut entry, value.len() as u64);
        self.table.extend_from_slice(&entry);
        self.ids.push(id);
        let block_bytes = self.segments.block_bytes;
        if self.table.len() == table_block_bytes(block_bytes) as usize {
            self.out.seal(BlockKind::Table, &mut self.table)?;
        }
        let mut rest = value;
        while !rest.is_empty() {
            let room = block_bytes as usize - self.values.len();
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.values.extend_from_slice(now);
            rest = later;
            if self.values.len() == block_bytes as usize {
                self.out.seal(BlockKind::Values, &mut self.values)?;
            }
        }
        Ok(())
    }

    /// Writes the rest, makes the segment durable and hands it to its image.
    ///
    /// # Errors
    ///
    /// [`Error::Store`], or [`Error::SegmentFailed`] if an earlier write has failed. The image
    /// cannot be published then.
    pub fn finish(mut self) -> Result<(), Error> {
        for (kind, content) in [
            (BlockKind::Values, &mut self.values),
            (BlockKind::Table, &mut self.table),
        ] {
            if !content.is_empty() {
                self.out.seal(kind, content)?;
            }
        }
        let (records, blocks) = (self.ids.len() as u64, self.out.finish()?);
        let (entry, ids) = (SegmentEntry { records, blocks }, self.ids);
        self.segments
            .finish(self.segment, FinishedSegment { entry, ids });
        Ok(())
    }
}

/// The file of a segment.
#[derive(Debug)]
struct Blocks {
    name: FileName,
    /// `None` after a write has failed: what the file holds is unknown then.
    file: Option<Box<dyn NewFile>>,
    compression: Compression,
    written: Vec<BlockEntry>,
    /// The block that is being written.
    block: Vec<u8>,
}

impl Blocks {
    /// Takes the file, to put it back after a success.
    fn take_file(&mut self) -> Result<Box<dyn NewFile>, Error> {
        self.file.take().ok_or_else(|| Error::SegmentFailed {
            file: self.name.to_string(),
        })
    }

    /// Writes a block with this content, and empties `content`.
    fn seal(&mut self, kind: BlockKind, content: &mut Vec<u8>) -> Result<(), Error> {
        let mut block = std::mem::take(&mut self.block);
        let entry = block::seal(kind, content, self.compression, &mut block);
        self.write(&block)?;
        self.block = block;
        self.written.push(entry);
        content.clear();
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut file = self.take_file()?;
        file.write_all(bytes)
            .map_err(Error::store(Operation::Write, self.name))?;
        self.file = Some(file);
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<BlockEntry>, Error> {
        let file = self.take_file()?;
        #[cfg(test)]
        if is_injected(InjectedFault::SegmentNotSynced) {
            return Ok(self.written);
        }
        file.finish()
            .map_err(Error::store(Operation::Finish, self.name))?;
        Ok(self.written)
    }
}
