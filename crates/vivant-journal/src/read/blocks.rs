//! [`Blocks`]: the blocks of an image in its store, read one at a time.

use crate::error::{Damage, Error, Operation, Place};
use crate::format::block::{self, BlockEntry, BlockPlace};
use crate::format::layout::{SEGMENT_MAGIC, VERSION_ALONE, block_head, segment_head};
use crate::format::names::FileName;
use crate::store::Store;

/// The blocks of an image, read one at a time into two buffers of at most one block each.
#[derive(Debug)]
pub(crate) struct Blocks<'a> {
    store: &'a dyn Store,
    image: u64,
    block: Vec<u8>,
    content: Vec<u8>,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(store: &'a dyn Store, image: u64) -> Blocks<'a> {
        Blocks {
            store,
            image,
            block: Vec::new(),
            content: Vec::new(),
        }
    }

    fn file(&self, segment: u32) -> FileName {
        let image = self.image;
        FileName::Segment { image, segment }
    }

    /// F2.
    pub(crate) fn check_segment_head(&self, segment: u32) -> Result<(), Error> {
        let file = self.file(segment);
        let mut head = [0; segment_head::BYTES];
        self.store
            .read(&file.to_string(), 0, &mut head)
            .map_err(Error::store(Operation::Read, file))?;
        if segment_head::MAGIC.slice(&head) != SEGMENT_MAGIC {
            return Err(Error::damaged(file, Place::offset(0), Damage::Magic));
        }
        for (field, expected) in [
            (segment_head::VERSION, VERSION_ALONE.into()),
            (segment_head::SEGMENT, segment.into()),
            (segment_head::IMAGE, self.image),
        ] {
            let found = field.get(&head);
            if found != expected {
                let damage = Damage::Field {
                    field: field.name,
                    found,
                    expected,
                };
                return Err(Error::damaged(
                    file,
                    Place::offset(field.offset as u64),
                    damage,
                ));
            }
        }
        Ok(())
    }

    /// The content of the block that was read last.
    pub(crate) fn last(&self) -> &[u8] {
        &self.content
    }

    /// Reads a block and returns its content.
    pub(crate) fn content(
        &mut self,
        segment: u32,
        place: BlockPlace,
        entry: &BlockEntry,
    ) -> Result<&[u8], Error> {
        let file = self.file(segment);
        // The manifest has bounded the length by that of a block. What the buffer held before is
        // overwritten, so it is not cleared.
        self.block
            .resize(block_head::BYTES + entry.head.stored_bytes as usize, 0);
        self.store
            .read(&file.to_string(), place.offset, &mut self.block)
            .map_err(Error::store(Operation::Read, file))?;
        block::open(file, place, entry, &self.block, &mut self.content)?;
        Ok(&self.content)
    }
}
